# SPDX-License-Identifier: GPL-3.0-or-later
# LABELS: slow
# TIMEOUT: 600
"""Streams of the sizes that matter: beyond 4 GiB, and in memory that stays flat."""

import os
import subprocess
import tempfile
import unittest

from command import DISKLATHE, MIB
from programs import Work

GIB = 1 << 30


class LargeStreamTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="disklathe-test-", dir="/dev/shm")
        self.addCleanup(folder.cleanup)
        self.work = Work(folder.name)

    def sparse(self, name, size):
        """Zeroes with some data at the start, around 4 GiB, and at the end."""
        with open(self.work.path(name), "wb") as file:
            for at in (0, 4 * GIB - 100, 4 * GIB + MIB, size - 1000):
                if at < size:
                    file.seek(at)
                    file.write(os.urandom(1000))
            file.truncate(size)

    def test_gzip_beyond_4_gib(self):
        size = 5 * GIB + 12345
        self.sparse("a.raw", size)
        self.work.must("sh", "-c", "gzip -1 <a.raw >a.gz", timeout=300)
        # What the end of the member says is modulo 4 GiB.
        with open(self.work.path("a.gz"), "rb") as file:
            file.seek(-4, os.SEEK_END)
            self.assertEqual(int.from_bytes(file.read(), "little"), size % (4 * GIB))
        done = self.work.must(DISKLATHE, "convert", "--verify", "a.gz", "x.raw", timeout=300)
        self.assertLess(done.peak_rss, 64 * MIB)
        self.work.must("cmp", "a.raw", "x.raw", timeout=300)
        self.assertLess(os.stat(self.work.path("x.raw")).st_blocks * 512, 16 * MIB)
        os.unlink(self.work.path("x.raw"))
        done = self.work.must(DISKLATHE, "convert", "--verify", "-O", "qcow2", "a.gz", "x.qcow2", timeout=300)
        self.assertLess(done.peak_rss, 64 * MIB)
        self.work.must("qemu-img", "compare", "a.raw", "x.qcow2", timeout=300)

    def test_memory_stays_flat(self):
        # Text that compresses, and noise in it: 160 MiB, several blocks of any xz.
        with open(self.work.path("a.raw"), "wb") as file:
            noise = os.urandom(64 << 10)
            for index in range(160):
                file.write(noise[:index * 100] + b"%d lines of text that compress\n" % index * (MIB // 31))
        for command in ("gzip -1", "bzip2 -1", "xz -0", "xz -T2 -0 --block-size=1MiB", "xz -T2 -0 --block-size=24MiB",
                        "xz -0 --lzma2=preset=0,dict=8MiB", "zstd -q", "zstd -q --long=24"):
            self.work.must("sh", "-c", f"{command} <a.raw >a.x", timeout=300)
            for words in (["-O", "raw"], ["-O", "qcow2", "-c"]):
                with self.subTest(command, words=words):
                    done = self.work.must(DISKLATHE, "convert", *words, "a.x", "x.out", timeout=300)
                    self.assertLess(done.peak_rss, 64 * MIB)
                    self.work.must("qemu-img", "compare", "a.raw", "x.out", timeout=300)


if __name__ == "__main__":
    unittest.main()
