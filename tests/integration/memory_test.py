# SPDX-License-Identifier: GPL-3.0-or-later
# TIMEOUT: 240
"""Memory stays flat: at most 64 MiB for disks of a gibibyte and of 16 tebibytes alike."""

import json
import os
import pathlib
import random
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from programs import MEBIBYTE, SANITIZED, Work  # noqa: E402

MOST = 64 * MEBIBYTE
GIBIBYTE, TEBIBYTE = 1 << 30, 1 << 40


@unittest.skipIf(SANITIZED, "sanitizers take memory of their own")
class MemoryTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="disklathe-memory-",
                                             dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
        self.addCleanup(folder.cleanup)
        self.work = Work(folder.name)
        self.most = 0

    def ours(self, *arguments):
        del self.work.typed[:-10]
        done = self.work.ours(*arguments, timeout=200)
        if done.code:
            raise self.work.wrong(f"ended with {done.code}\n{done.err}")
        if done.peak_rss > MOST:
            raise self.work.wrong(f"took {done.peak_rss / MEBIBYTE:.1f} MiB")
        self.most = max(self.most, done.peak_rss)
        return done

    def raw(self, name, size, step, run):
        """Runs of data all over the disk: half of it noise, half of it text."""
        chance = random.Random(1)
        text = b"".join(b"%d bottles of beer " % number for number in range(run // 16))
        with open(self.work.path(name), "wb") as file:
            file.truncate(size)
            for at in range(0, size, step):
                file.seek(at)
                file.write(chance.randbytes(run // 2) + text[:run // 2])

    def there_and_back(self, source, *options, verify=True):
        with self.subTest(options=options):
            check = ["--verify"] if verify else []
            self.ours("convert", "-q", *check, "-f", "raw", "-O", "qcow2", *options, source, "x.qcow2")
            self.ours("convert", "-q", "-f", "qcow2", "-O", "raw", "x.qcow2", "x.raw")
            self.ours("compare", "-q", "-f", "qcow2", "-F", "raw", "x.qcow2", source)
            self.ours("compare", "-q", "-f", "raw", "-F", "raw", source, "x.raw")
            self.ours("measure", "-f", "qcow2", "-O", "qcow2", "x.qcow2")
            os.unlink(self.work.path("x.raw"))

    def test_a_gibibyte(self):
        self.raw("a.raw", GIBIBYTE, 64 * MEBIBYTE, 3 * MEBIBYTE)
        for options in ([], ["-t", "none", "-T", "none"], ["-o", "cluster_size=2M"], ["-o", "cluster_size=512"],
                        ["-o", "extended_l2=on,cluster_size=2M", "-t", "none", "-T", "none"],
                        ["-c", "-o", "compression_type=zstd"], ["-c", "-o", "compression_type=zstd,cluster_size=2M"],
                        ["-c", "--level", "1", "-o", "cluster_size=2M", "-t", "none", "-T", "none"],
                        ["-o", "preallocation=metadata,cluster_size=4096"]):
            self.there_and_back("a.raw", *options)
        self.ours("convert", "-q", "-f", "raw", "-O", "qcow2", "-c", "--level", "12", "-t", "none", "-T", "none", "-o",
                  "compression_type=zstd,cluster_size=2M", "a.raw", "x.qcow2")
        print(f"1 GiB: at most {self.most / MEBIBYTE:.1f} MiB")

    def test_sixteen_tebibytes(self):
        self.raw("a.raw", 16 * TEBIBYTE - 5 * MEBIBYTE, 8 * GIBIBYTE, 4096)
        for options in (["-o", "cluster_size=8192"], ["-c", "-o", "cluster_size=64k"]):
            self.there_and_back("a.raw", *options)
        lines = json.loads(self.ours("map", "--output=json", "-f", "qcow2", "x.qcow2").out)
        self.assertEqual(sum(line["length"] for line in lines), 16 * TEBIBYTE - 5 * MEBIBYTE)
        self.ours("convert", "-q", "-f", "raw", "-O", "raw", "a.raw", "y.raw")
        self.raw("b.raw", 16 * TEBIBYTE, TEBIBYTE, 4096)
        self.there_and_back("b.raw", "-o", "cluster_size=2M,preallocation=metadata")
        print(f"16 TiB: at most {self.most / MEBIBYTE:.1f} MiB")


if __name__ == "__main__":
    unittest.main()
