# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the command share: running it and qemu-img in a folder of their own."""

import os
import shutil
import subprocess
import tempfile
import unittest

DISKLATHE = os.environ["DISKLATHE"]
MIB = 1 << 20


class CommandTest(unittest.TestCase):
    """A test in a folder of its own, which is also the working directory. Missing programs skip, with the reason."""

    needs = ("qemu-img", "qemu-io")

    @classmethod
    def setUpClass(cls):
        missing = [program for program in cls.needs if not shutil.which(program)]
        if missing:
            raise unittest.SkipTest(f"not installed: {', '.join(missing)}")

    def setUp(self):
        base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.folder = tempfile.mkdtemp(prefix="disklathe-test-", dir=base)
        self.before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.addCleanup(os.chdir, self.before)

    def run_program(self, *words, code=0, **keywords):
        """Runs it to its end and checks the exit code; returns what it printed."""
        done = subprocess.run(words, capture_output=True, text=True, timeout=120, **keywords)
        self.assertEqual(done.returncode, code, f"{' '.join(words)}\n{done.stdout}{done.stderr}")
        return done

    def ours(self, *words, code=0, **keywords):
        return self.run_program(DISKLATHE, *words, code=code, **keywords)

    def qemu(self, *words, code=0, **keywords):
        return self.run_program("qemu-img", *words, code=code, **keywords)

    def refuses(self, *words, code, says, **keywords):
        """One sentence on stderr that has each of `says` in it, that exit code, and nothing on stdout."""
        done = self.ours(*words, code=code, **keywords)
        last = done.stderr.splitlines()[-1] if done.stderr else ""
        self.assertTrue(last.startswith("disklathe: "), done.stderr)
        for part in [says] if isinstance(says, str) else says:
            self.assertIn(part, last)
        self.assertNotRegex(done.stderr, r"[\x00-\x09\x0b-\x1f\x7f]")
        return done

    def data(self, path, *runs, size=None):
        """A sparse file with runs (offset, length) of bytes that are not zero and never the same twice."""
        with open(path, "wb") as file:
            for offset, length in runs:
                file.seek(offset)
                file.write(os.urandom(length // 2) + bytes([offset % 255 + 1]) * (length - length // 2))
            if size is not None:
                file.truncate(size)
        return path

    def same(self, a, b):
        self.qemu("compare", a, b)
