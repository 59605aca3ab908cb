# SPDX-License-Identifier: GPL-3.0-or-later
"""disklathe zero on files, loop devices and RAM disks: what reads as zero, what does not, and what is said of it."""

import contextlib
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from command import DISKLATHE, MIB, CommandTest
from conversation import Conversation


@contextlib.contextmanager
def loop_device(backing, sector=512):
    if os.geteuid() != 0 or not os.path.exists("/dev/loop-control"):
        raise unittest.SkipTest("no loop devices here: needs root and /dev/loop-control")
    node = subprocess.check_output(["losetup", "-f", "--show", "-b", str(sector), backing], text=True).strip()
    try:
        yield node
    finally:
        subprocess.run(["losetup", "-d", node], check=True)


@contextlib.contextmanager
def zram_device(size):
    control = pathlib.Path("/sys/class/zram-control")
    if os.geteuid() != 0 or not control.exists():
        raise unittest.SkipTest("no zram devices here: needs root and /sys/class/zram-control")
    number = int((control / "hot_add").read_text())
    try:
        pathlib.Path(f"/sys/block/zram{number}/disksize").write_text(str(size))
        yield f"/dev/zram{number}"
    finally:
        pathlib.Path(f"/sys/block/zram{number}/reset").write_text("1")
        (control / "hot_remove").write_text(str(number))


def identity(node):
    listed = subprocess.check_output([DISKLATHE, "devices", "--output=json", node], text=True)
    return json.loads(listed)["devices"][0]["id"]


class ZeroTest(CommandTest):
    needs = ()

    def noise(self, path, size):
        with open(path, "r+b" if os.path.exists(path) else "wb") as file:
            file.write(b"\xa5" * size)
            file.flush()
            os.fsync(file.fileno())
        return path

    def content(self, path, at, length):
        with open(path, "rb") as file:
            file.seek(at)
            return file.read(length)

    def is_zero(self, path, at=0, length=16 * MIB):
        return not any(self.content(path, at, length))

    def json_of(self, *words, code=0):
        lines = self.ours("zero", "--progress=json", *words, code=code).stdout.splitlines()
        return json.loads(lines[-1])


class Files(ZeroTest):
    def test_all_of_a_file_and_its_space(self):
        self.noise("a.raw", 16 * MIB)
        result = self.json_of("--verify", "a.raw")
        self.assertEqual((result["reads-back-zero"], result["commanded"]), ("proven", 16 * MIB))
        self.assertTrue(self.is_zero("a.raw"))
        self.assertEqual((os.stat("a.raw").st_size, os.stat("a.raw").st_blocks), (16 * MIB, 0))

    def test_an_image_is_not_wiped_by_mistake(self):
        subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", "a.qcow2", "1M"], check=True)
        before = pathlib.Path("a.qcow2").read_bytes()
        self.refuses("zero", "a.qcow2", code=19, says="it is a qcow2 image, which this would destroy; -f raw")
        self.assertEqual(pathlib.Path("a.qcow2").read_bytes(), before)
        self.ours("zero", "-q", "-f", "raw", "a.qcow2")
        self.assertTrue(self.is_zero("a.qcow2", length=len(before)))

    def test_holes_need_nothing(self):
        self.noise("a.raw", MIB)
        os.truncate("a.raw", 1 << 40)
        result = self.json_of("a.raw")
        self.assertEqual((result["commanded"], result["found-zero"]), (MIB, (1 << 40) - MIB))

    def test_only_the_ranges_to_the_byte(self):
        self.noise("a.raw", 8 * MIB)
        self.ours("zero", "--range", "1M+1M", "--range", "1000+7", "--range", "1536k+2M", "--verify", "a.raw")
        expected = bytearray(b"\xa5" * (8 * MIB))
        expected[1000:1007] = bytes(7)
        expected[MIB:3 * MIB + MIB // 2] = bytes(2 * MIB + MIB // 2)
        self.assertEqual(self.content("a.raw", 0, 8 * MIB), bytes(expected))

    def test_buffers_are_written(self):
        self.noise("a.raw", 3 * MIB)
        result = self.json_of("--method", "buffers", "a.raw")
        self.assertEqual((result["written"], result["commanded"]), (3 * MIB, 0))
        self.assertTrue(self.is_zero("a.raw"))
        self.assertGreater(os.stat("a.raw").st_blocks, 0)

    def test_without_verify_it_is_the_device_that_claims(self):
        self.noise("a.raw", MIB)
        text = self.ours("zero", "a.raw").stdout
        self.assertIn("1 MiB by command (punch)", text)
        self.assertIn("device claims", text)
        self.assertEqual(self.ours("zero", "-q", "a.raw").stdout, "")

    def test_what_makes_no_sense_is_refused(self):
        self.noise("a.raw", MIB)
        for words, says in ((["--range", "1M+1", "a.raw"], "past the last byte"), (["--range", "5", "a.raw"], "AT+LENGTH"),
                            (["--range", "0+0", "a.raw"], "AT+LENGTH"), (["--yes-erase", "x", "a.raw"], "devices"),
                            (["--method", "discard", "a.raw"], "devices"), (["--method", "magic", "a.raw"], "magic")):
            self.refuses("zero", *words, code=2, says=says)
        self.refuses("zero", "missing", code=11, says="missing")
        self.assertEqual(self.content("a.raw", 0, MIB), b"\xa5" * MIB)


class Devices(ZeroTest):
    def zero_loop(self, *words, sector=512, backing_size=32 * MIB):
        backing = self.noise(os.path.join(self.disk.name, "disk"), backing_size)
        with loop_device(backing, sector) as node:
            result = self.json_of("--yes-erase", identity(node), *words, node)
            return result, self.is_zero(node, 0, backing_size)

    def setUp(self):
        super().setUp()
        self.disk = tempfile.TemporaryDirectory(dir="/var/tmp")  # a file system that punches
        self.addCleanup(self.disk.cleanup)

    def test_nothing_is_written_without_its_id(self):
        backing = self.noise("disk", 4 * MIB)
        with loop_device(backing) as node:
            self.refuses("zero", node, code=19, says=("nothing was written", identity(node)))
            self.refuses("zero", "--yes-erase", "sda", node, code=19, says=("nothing was written", "'sda'"))
            self.assertEqual(self.content(node, 0, 4 * MIB), b"\xa5" * (4 * MIB))

    def asked(self, node, answer, meanwhile=lambda: None):
        talk = Conversation("zero", node)
        talk.wait_for("to overwrite it: ")
        for part in ("will be lost", node, str(4 * MIB)):
            self.assertIn(part, talk.seen)
        meanwhile()
        talk.type(answer + "\n")
        return talk.end(), talk.seen

    def test_typing_its_id_zeroes_and_whatever_else_is_typed_does_not(self):
        backing = self.noise("disk", 4 * MIB)
        with loop_device(backing) as node:
            for wrong in ("", "yes", node, "0" + identity(node)):
                code, seen = self.asked(node, wrong)
                self.assertEqual(code, 19)
                self.assertIn("nothing was written", seen)
            self.assertEqual(self.content(node, 0, 4 * MIB), b"\xa5" * (4 * MIB))
            code, seen = self.asked(node, identity(node))
            self.assertEqual(code, 0, seen)
            self.assertIn("reads back zero", seen)
            self.assertTrue(self.is_zero(node, 0, 4 * MIB))

    def test_another_ram_disk_with_the_number_of_the_one_that_was_chosen(self):
        with zram_device(4 * MIB) as node:
            control, number = pathlib.Path("/sys/class/zram-control"), node.removeprefix("/dev/zram")

            def replace():
                pathlib.Path("/sys/block", node[5:], "reset").write_text("1")
                (control / "hot_remove").write_text(number)
                if (control / "hot_add").read_text().strip() != number:
                    self.skipTest("another program took the number")
                pathlib.Path("/sys/block", node[5:], "disksize").write_text(str(4 * MIB))
                self.noise(node, 4 * MIB)

            code, seen = self.asked(node, identity(node), replace)
            self.assertEqual(code, 19, seen)
            self.assertIn("not the device that was chosen", seen)
            self.assertEqual(self.content(node, 0, 4 * MIB), b"\xa5" * (4 * MIB))

    def test_what_is_mounted_meanwhile_is_left_alone(self):
        backing = self.noise("disk", 4 * MIB)
        with loop_device(backing) as node:
            subprocess.run(["mke2fs", "-q", "-F", node], check=True)
            os.mkdir("mnt")
            before = self.content(node, 0, 4 * MIB)
            code, seen = self.asked(node, identity(node),
                                    lambda: subprocess.run(["mount", "-r", node, "mnt"], check=True))
            subprocess.run(["umount", "mnt"], check=True)
            self.assertEqual(code, 13, seen)
            self.assertEqual(self.content(node, 0, 4 * MIB), before)

    def test_a_device_in_use_is_left_alone(self):
        backing = self.noise("disk", 4 * MIB)
        with loop_device(backing) as node:
            holder = os.open(node, os.O_RDWR | os.O_EXCL)
            try:
                self.refuses("zero", "--yes-erase", identity(node), node, code=13, says="a program")
            finally:
                os.close(holder)
            self.refuses("zero", "disk", code=13, says="loop device")

    def test_every_method_on_a_loop_device(self):
        for sector in (512, 4096):
            for method in ("auto", "punch", "write-zeroes", "buffers"):
                with self.subTest(sector=sector, method=method):
                    result, zero = self.zero_loop("--method", method, "--verify", sector=sector)
                    self.assertEqual((result["reads-back-zero"], zero), ("proven", True))
                    self.assertEqual(result["commanded"] + result["written"], 32 * MIB)
                    if method in ("punch", "write-zeroes"):
                        self.assertEqual((result["command"], result["written"]), (method, 0))

    def test_ranges_of_a_4k_device_to_the_byte(self):
        backing = self.noise("disk", 4 * MIB)
        with loop_device(backing, 4096) as node:
            self.ours("zero", "--yes-erase", identity(node), "--verify", "--range", "1000+100k", node)
            self.assertTrue(self.is_zero(node, 1000, 100 << 10))
            self.assertEqual(self.content(node, 0, 1000), b"\xa5" * 1000)
            self.assertEqual(self.content(node, 1000 + (100 << 10), 4096), b"\xa5" * 4096)

    def test_discard_is_never_called_zeroing(self):
        result, _ = self.zero_loop("--method", "discard")
        self.assertEqual((result["discarded"], result["commanded"]), (32 * MIB, 0))
        self.assertIn(result["reads-back-zero"], ("no promise", "no"))

    def test_every_method_on_a_ram_disk(self):
        with zram_device(16 * MIB) as node:
            for method in ("auto", "punch", "buffers", "discard"):
                with self.subTest(method):
                    self.noise(node, 16 * MIB)
                    result = self.json_of("--yes-erase", identity(node), "--method", method, "--verify", node)
                    self.assertEqual((result["reads-back-zero"], self.is_zero(node)), ("proven", True))

    def test_a_method_that_is_not_there_says_so(self):
        with zram_device(16 * MIB) as node:
            limit = int(pathlib.Path(f"/sys/block/{node[5:]}/queue/write_zeroes_max_bytes").read_text())
            if limit:
                self.skipTest("this kernel's zram takes write-zeroes")
            self.refuses("zero", "--yes-erase", identity(node), "--method", "write-zeroes", node, code=18, says="auto")

    def test_convert_leaves_no_old_bytes_in_the_holes(self):
        self.data("a.raw", (MIB, 65536), (5 * MIB + 4096, 3 * MIB), (20 * MIB, 12288), size=32 * MIB)
        for sector in (512, 4096):
            backing = self.noise(os.path.join(self.disk.name, f"disk{sector}"), 32 * MIB)
            with loop_device(backing, sector) as node:
                words = ["convert", "-n", "-O", "raw", "--verify", "a.raw", node]
                if "--yes-erase" in self.ours("convert", "--help").stdout:
                    words[1:1] = ["--yes-erase", identity(node)]
                self.ours(*words)
                self.assertEqual(self.content(node, 0, 32 * MIB), self.content("a.raw", 0, 32 * MIB))


if __name__ == "__main__":
    unittest.main()
