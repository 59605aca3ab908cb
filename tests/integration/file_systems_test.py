# SPDX-License-Identifier: GPL-3.0-or-later
# TIMEOUT: 180
"""Disks with real file systems go each way and come back to the byte, and whole for those who check file systems."""

import filecmp
import os
import pathlib
import subprocess
import unittest

from command import MIB, CommandTest

LIBRARY = pathlib.Path(os.__file__).parent  # some tens of MiB of files of all sizes
WAYS = ([], ["-c"], ["-c", "-o", "compression_type=zstd,cluster_size=2M"], ["-o", "cluster_size=512,refcount_bits=1"],
        ["-o", "extended_l2=on,cluster_size=128k"], ["-o", "compat=0.10"], ["-o", "preallocation=full"],
        ["-o", "data_file=x.data,data_file_raw=on"], ["-t", "none", "-T", "none", "-S", "64k"])


class FileSystemsTest(CommandTest):
    needs = ("qemu-img", "mke2fs", "e2fsck", "mkfs.xfs", "xfs_repair", "sfdisk", "sgdisk")

    def each_way(self, disk, check):
        check(disk)
        for words in WAYS:
            with self.subTest(words):
                self.ours("convert", "-q", "-f", "raw", "-O", "qcow2", *words, disk, "x.qcow2")
                self.qemu("check", "-q", "x.qcow2")
                self.ours("convert", "-q", "--data-file", "allow", "-f", "qcow2", "-O", "raw", "x.qcow2", "back.raw")
                self.assertTrue(filecmp.cmp(disk, "back.raw", shallow=False))
                check("back.raw")
        # What qemu-img made of it is read as well.
        for words in ([], ["-c"], ["-c", "-o", "compression_type=zstd"]):
            with self.subTest(("qemu-img", *words)):
                self.qemu("convert", "-f", "raw", "-O", "qcow2", *words, disk, "theirs.qcow2")
                self.ours("convert", "-q", "-f", "qcow2", "-O", "raw", "theirs.qcow2", "back.raw")
                self.assertTrue(filecmp.cmp(disk, "back.raw", shallow=False))

    def test_ext4_full_of_files(self):
        subprocess.run(["mke2fs", "-q", "-t", "ext4", "-d", LIBRARY, "disk.raw", "96M"], check=True)
        self.each_way("disk.raw", lambda disk: self.run_program("e2fsck", "-f", "-n", disk))

    def test_xfs_with_files(self):
        files = sorted(path for path in LIBRARY.iterdir() if path.is_file())[:150]
        pathlib.Path("proto").write_text("/\n0 0\nd--755 0 0\n" +
                                         "".join(f"{path.name} ---644 0 0 {path}\n" for path in files) + "$\n")
        subprocess.run(["mkfs.xfs", "-q", "-p", "proto", "-d", f"file,name=disk.raw,size={320 * MIB}"], check=True)
        self.each_way("disk.raw", lambda disk: self.run_program("xfs_repair", "-n", "-f", disk))

    def test_a_disk_with_a_partition_table(self):
        subprocess.run(["mke2fs", "-q", "-t", "ext4", "-d", LIBRARY / "json", "part.raw", "16M"], check=True)
        with open("disk.raw", "wb") as disk:
            disk.truncate(64 * MIB)
            disk.seek(MIB)
            disk.write(pathlib.Path("part.raw").read_bytes())
        subprocess.run(["sfdisk", "-q", "--no-reread", "--no-tell-kernel", "disk.raw"], check=True, text=True,
                       input="label: gpt\nstart=2048, size=32768\nstart=40960, size=8192\n")

        def check(disk):
            self.assertIn("No problems found", self.run_program("sgdisk", "-v", disk).stdout)
            with open(disk, "rb") as whole:
                whole.seek(MIB)
                pathlib.Path("out.raw").write_bytes(whole.read(16 * MIB))
            self.run_program("e2fsck", "-f", "-n", "out.raw")

        self.each_way("disk.raw", check)


if __name__ == "__main__":
    unittest.main()
