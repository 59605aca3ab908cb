# SPDX-License-Identifier: GPL-3.0-or-later
# TIMEOUT: 240
"""check finds what qemu-img check finds, in the same words: keys, numbers, exit codes."""

import json
import os
import pathlib
import random
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from programs import DISKLATHE, SANITIZED, Work  # noqa: E402
from random_images import Generator  # noqa: E402

COPIED = 1 << 63


class CheckTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="disklathe-check-",
                                             dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
        self.addCleanup(folder.cleanup)
        self.work = Work(folder.name)

    def same(self, image, format="qcow2"):
        """Both programs say the same; what they say."""
        ours = self.work.ours("check", "--output=json", "-f", format, image)
        theirs = self.work.run("qemu-img", "check", "--output=json", "-f", format, image)
        told = [json.loads(done.out) if done.out else None for done in (ours, theirs)]
        if ours.code != theirs.code or told[0] != told[1]:
            raise self.work.wrong(f"ours {ours.code} {told[0]}\n{ours.err}qemu-img's {theirs.code} {told[1]}\n{theirs.err}")
        return ours.code, told[0]

    def make(self, options="cluster_size=4096", size="1M", commands=("write -P 7 0 100k",), name="image.qcow2"):
        self.work.must("qemu-img", "create", "-q", "-f", "qcow2", "-o", options, name, size)
        for command in commands:
            self.work.must("qemu-io", "-f", "qcow2", "-c", command, name)
        return bytearray(self.work.path(name).read_bytes())

    def test_images_by_chance(self):
        for seed in range(int(os.environ.get("DISKLATHE_ROUNDS", 12))):
            with self.subTest(seed):
                images = Generator(random.Random(seed), self.work).chain().chain
                for image in images:
                    if image.format == "qcow2":
                        self.assertEqual(self.same(image.path)[0], 0)

    def test_what_we_write(self):
        self.work.must("qemu-img", "create", "-q", "-f", "raw", "disk.raw", "3M")
        self.work.must("qemu-io", "-f", "raw", "-c", "write -P 5 300k 1M", "disk.raw")
        for options in ("cluster_size=512", "cluster_size=64k,extended_l2=on", "cluster_size=4k,refcount_bits=1",
                        "preallocation=metadata", "compat=0.10"):
            for compress in (["-c"] if "prealloc" not in options else [], []):
                with self.subTest(f"{options} {compress}"):
                    self.work.must(DISKLATHE, "convert", "-q", *compress, "-O", "qcow2", "-o", options, "disk.raw", "x.qcow2")
                    self.assertEqual(self.same("x.qcow2")[0], 0)

    def test_bitmaps_and_snapshots(self):
        self.make()
        self.work.must("qemu-img", "bitmap", "--add", "image.qcow2", "b")
        self.work.must("qemu-img", "bitmap", "--add", "--disable", "image.qcow2", "c")
        self.work.must("qemu-img", "snapshot", "-c", "s", "image.qcow2")
        self.work.must("qemu-io", "-f", "qcow2", "-c", "write -P 1 50k 100k", "image.qcow2")
        self.assertEqual(self.same("image.qcow2")[0], 0)

    def test_damage(self):
        """What is written over what, and what it is: 0 whole, 2 damaged, 3 leaks."""
        good = self.make()
        l1, table = (struct.unpack_from(">Q", good, at)[0] for at in (40, 48))
        block = struct.unpack_from(">Q", good, table)[0]
        l2 = struct.unpack_from(">Q", good, l1)[0] & ~COPIED
        data = struct.unpack_from(">Q", good, l2)[0] & ~COPIED
        cases = {
            "nothing": (0, l2, good[l2:l2 + 8]),
            "a refcount of 0": (2, block + 2 * (data // 4096), b"\0\0"),
            "a refcount of 2": (2, block + 2 * (data // 4096), b"\0\2"),
            "a cluster of nobody": (3, l2, bytes(8)),
            "two of one": (2, l2, good[l2 + 8:l2 + 16]),
            "not copied": (2, l2, struct.pack(">Q", data)),
            "behind the end": (2, l2, struct.pack(">Q", COPIED | 1 << 40)),
            "the header as data": (2, l2, struct.pack(">Q", COPIED | l1)),
            "no L2 table": (3, l1, bytes(8)),
            "an L2 table behind the end": (2, l1, struct.pack(">Q", COPIED | 1 << 40)),
            "a refcount of a cluster behind everything": (3, block + 2 * (len(good) // 4096 - 1), b"\0\1"),
        }
        for name, (code, at, what) in cases.items():
            with self.subTest(name):
                image = bytearray(good)
                image[at:at + len(what)] = what
                self.work.path("image.qcow2").write_bytes(image)
                done = self.work.ours("check", "--output=json", "-f", "qcow2", "image.qcow2")
                theirs = self.work.run("qemu-img", "check", "--output=json", "-f", "qcow2", "image.qcow2")
                self.assertEqual(done.code, theirs.code, f"{done.out}{done.err}{theirs.out}{theirs.err}")
                if code in (0, 3):
                    self.assertEqual(json.loads(done.out), json.loads(theirs.out))
                ours, qemus = json.loads(done.out), json.loads(theirs.out)
                for key in ("leaks", "corruptions"):
                    self.assertEqual(ours.get(key, 0), qemus.get(key, 0), f"{key}\n{done.err}{theirs.err}")

    def test_clusters_that_lie_far_apart(self):
        """A sparse file of 2 TiB: counted in several passes, in little memory."""
        image = self.make("cluster_size=512", commands=("write -P 7 0 512",))
        l2 = struct.unpack_from(">Q", image, struct.unpack_from(">Q", image, 40)[0])[0] & ~COPIED
        for index in range(1, 8):
            struct.pack_into(">Q", image, l2 + 8 * index, COPIED | index << 38)
        with open(self.work.path("image.qcow2"), "wb") as file:
            file.write(image)
            file.truncate(8 << 38)
        done = self.work.ours("check", "--output=json", "image.qcow2", timeout=120,
                              memory=None if SANITIZED else 1 << 30)
        self.assertEqual(done.code, 2)
        self.assertEqual(json.loads(done.out)["corruptions"], 14)  # each has no refcount, and is flagged as copied
        if not SANITIZED:  # which takes memory of its own
            self.assertLess(done.peak_rss, 96 << 20)

    def test_vhdx(self):
        self.work.must("qemu-img", "create", "-q", "-f", "vhdx", "image.vhdx", "100M")
        self.assertEqual(self.same("image.vhdx", "vhdx"), (0, {"check-errors": 0, "filename": "image.vhdx", "format": "vhdx"}))

    def test_what_cannot_be_checked(self):
        self.work.must("qemu-img", "create", "-q", "-f", "raw", "image.raw", "1M")
        self.work.must("qemu-img", "create", "-q", "-f", "vpc", "image.vhd", "1M")
        for name, format in (("image.raw", "raw"), ("image.vhd", "vpc")):
            for program in ("qemu-img", DISKLATHE):
                self.work.must(program, "check", "-f", format, name, code=63)
        self.work.path("broken.qcow2").write_bytes(b"QFI\xfb" + bytes(600))
        for name in ("broken.qcow2", "missing.qcow2"):
            for program in ("qemu-img", DISKLATHE):
                self.work.must(program, "check", "-f", "qcow2", name, code=1)

    def test_the_text_for_people_is_qemu_imgs(self):
        self.make()
        done, theirs = (self.work.must(program, "check", "-f", "qcow2", "image.qcow2").out for program in (DISKLATHE, "qemu-img"))
        self.assertEqual(done, theirs)


if __name__ == "__main__":
    unittest.main()
