# SPDX-License-Identifier: GPL-3.0-or-later
# TIMEOUT: 180
"""convert onto and from block devices: what has to be confirmed, what is refused, and that nothing else is written."""

import hashlib
import json
import os
import pathlib
import signal
import subprocess
import threading
import time
import unittest

from command import DISKLATHE, MIB, CommandTest
from conversation import Conversation
from loop_devices import NEEDS, POSSIBLE, LoopDevice

LONG_AGO = 1_000_000


@unittest.skipUnless(POSSIBLE, NEEDS)
class DeviceTest(CommandTest):
    needs = ("losetup", "sfdisk", "partx", "mke2fs", "qemu-img")

    def setUp(self):
        super().setUp()
        self.data("a.raw", (0, 70000), (3 * MIB, 300000), size=4 * MIB)
        self.disk = self.old_disk("disk.img")
        self.device = LoopDevice(self, self.disk)

    def old_disk(self, name, size=8 * MIB):
        """A file with something on it, last written long ago."""
        path = pathlib.Path(self.data(name, (0, size)))
        return self.remember(path)

    def remember(self, path):
        os.utime(path, (LONG_AGO, LONG_AGO))
        self.known = getattr(self, "known", {})
        self.known[path] = hashlib.sha256(path.read_bytes()).digest()
        return path

    def untouched(self, *paths):
        """Not one byte was written to them."""
        os.sync()
        for path in paths or self.known:
            self.assertEqual(hashlib.sha256(path.read_bytes()).digest(), self.known[path], path)
            self.assertEqual(path.stat().st_mtime, LONG_AGO, path)

    def holds(self, image="a.raw"):
        written, expected = self.disk.read_bytes(), pathlib.Path(image).read_bytes()
        self.assertEqual(written[:len(expected)], expected)

    def yes(self, *words):
        return ["convert", "--yes-erase", self.device.id, *words]


class ConsentTest(DeviceTest):
    def test_without_a_word_nothing_is_written_and_the_exit_code_says_so(self):
        for words in ([], ["-n"], ["-O", "raw"]):
            done = self.refuses("convert", *words, "a.raw", self.device.node, code=19,
                                says=("nothing was written", "--yes-erase", self.device.id), stdin=subprocess.DEVNULL)
            self.assertIn("will be lost", done.stderr)
        self.untouched()

    def test_the_right_id_writes_and_the_rest_stays(self):
        before = self.disk.read_bytes()
        done = self.ours(*self.yes("a.raw", self.device.node))
        self.assertIn("written, flushed, read back and found the same", done.stdout)
        self.assertIn("page cache of the file behind it", done.stdout)
        self.holds()
        self.assertEqual(self.disk.read_bytes()[4 * MIB:], before[4 * MIB:])

    def test_n_is_still_taken(self):
        self.assertEqual(self.ours(*self.yes("-n", "-q", "--no-verify", "a.raw", self.device.node)).stdout, "")
        self.holds()

    def test_any_other_id_is_refused(self):
        for wrong in ("x", self.device.name, self.device.node, self.device.id + "0", self.device.id.upper(),
                      self.device.id + " ", "yes", "*"):
            with self.subTest(wrong):
                self.refuses("convert", "--yes-erase", wrong, "a.raw", self.device.node, code=19,
                             says=("nothing was written", self.device.id))
        self.untouched()

    def test_the_id_of_another_device_is_refused(self):
        other = LoopDevice(self, self.old_disk("other.img"))
        self.refuses("convert", "--yes-erase", other.id, "a.raw", self.device.node, code=19, says="nothing was written")
        self.untouched()

    def test_an_id_for_a_file_is_a_mistake(self):
        self.refuses("convert", "--yes-erase", self.device.id, "a.raw", "b.raw", code=2, says="'b.raw'")
        self.assertFalse(os.path.exists("b.raw"))

    def test_only_raw_goes_onto_a_device(self):
        for words in (["-O", "qcow2"], ["-o", "preallocation=full"]):
            self.refuses(*self.yes(*words, "a.raw", self.device.node), code=2, says="raw")
        self.untouched()

    def test_what_is_there_is_listed_before_it_is_asked(self):
        parts = self.device.partition("2M", "3M")
        subprocess.run(["mke2fs", "-q", "-F", "-L", "my files", parts[1]], check=True)
        talk = Conversation("convert", "a.raw", self.device.node)
        talk.wait_for("to overwrite it: ")
        for text in (self.device.node, str(8 * MIB), "gpt", f"{self.device.name}p1", "nothing known on it", "ext2 'my files'",
                     "4194304 bytes) of it will be overwritten"):
            self.assertIn(text, talk.seen)
        before = self.disk.read_bytes()
        talk.type("no\n")
        self.assertEqual(talk.end(), 19)
        self.assertEqual(self.disk.read_bytes(), before)

    def test_typing_the_id_writes(self):
        talk = Conversation("convert", "-p", "a.raw", self.device.node)
        talk.wait_for("to overwrite it: ")
        time.sleep(0.6)
        self.assertTrue(talk.seen.endswith("to overwrite it: "), "something was drawn over the question")
        self.untouched()
        talk.type(f" {self.device.id} \n")
        self.assertEqual(talk.end(), 0)
        self.holds()

    def test_whatever_else_is_typed_writes_nothing(self):
        for answer in ("\n", "y\n", "yes\n", f"{self.device.node}\n", f"{self.device.id}x\n", "\x04"):
            with self.subTest(answer):
                talk = Conversation("convert", "a.raw", self.device.node)
                talk.wait_for("to overwrite it: ")
                talk.type(answer)
                self.assertEqual(talk.end(), 19)
                self.assertIn("nothing was written", talk.seen)
        self.untouched()

    def test_programs_that_have_it_open_are_named(self):
        """They took no claim, so nothing keeps them out; who may write and who only reads is told apart."""
        part, = self.device.partition("4M")
        for node, mode, says in ((part, "r+b", "open for writing in sleep (process "),
                                 (self.device.node, "r+b", "open for writing in sleep (process "),
                                 (self.device.node, "rb", "is open in sleep (process ")):
            with open(node, mode, buffering=0) as file:
                program = subprocess.Popen(["sleep", "60"], stdin=file)
            try:
                done = self.ours(*self.yes("a.raw", self.device.node))
                self.assertIn(f"{says}{program.pid})", done.stderr)
                talk = Conversation("convert", "a.raw", self.device.node)
                talk.wait_for("to overwrite it: ")
                self.assertIn(f"{says}{program.pid})", talk.seen)
                talk.type("no\n")
                talk.end()
            finally:
                program.kill()
                program.wait()
        self.assertNotIn("sleep", self.ours(*self.yes("a.raw", self.device.node)).stderr)

    def test_ctrl_c_at_the_question_writes_nothing(self):
        talk = Conversation("convert", "a.raw", self.device.node)
        talk.wait_for("to overwrite it: ")
        talk.program.send_signal(2)
        self.assertEqual(talk.end(), 130)
        self.untouched()


class WrongDeviceTest(DeviceTest):
    """What happens to the device while the person types."""

    def meanwhile(self, happen, code, says):
        talk = Conversation("convert", "a.raw", self.device.node)
        talk.wait_for("to overwrite it: ")
        happen()
        talk.type(f"{self.device.id}\n")
        self.assertEqual(talk.end(), code, talk.seen)
        for part in says:
            self.assertIn(part, talk.seen)

    def test_another_device_takes_its_name(self):
        other = self.old_disk("other.img")
        self.meanwhile(lambda: self.device.replace(other), 19, ["not the device that was chosen", "nothing was written"])
        self.untouched()

    def test_another_device_of_another_size_takes_its_name(self):
        other = self.old_disk("other.img", 16 * MIB)
        self.meanwhile(lambda: self.device.replace(other), 19, ["not the device that was chosen"])
        self.untouched()

    def test_it_is_unplugged_and_replugged(self):
        self.meanwhile(lambda: self.device.replace(self.disk), 19, ["not the device that was chosen"])
        self.untouched()

    def test_it_is_unplugged(self):
        talk = Conversation("convert", "a.raw", self.device.node)
        talk.wait_for("to overwrite it: ")
        self.device.detach()
        talk.type(f"{self.device.id}\n")
        self.assertNotEqual(talk.end(), 0)
        self.untouched()

    def test_it_is_mounted(self):
        subprocess.run(["mke2fs", "-q", "-F", self.device.node], check=True)
        os.mkdir("mnt")
        self.addCleanup(subprocess.run, ["umount", "mnt"], capture_output=True)
        place = os.path.abspath("mnt")
        self.remember(self.disk)
        self.meanwhile(lambda: subprocess.run(["mount", "-r", self.device.node, "mnt"], check=True), 13,
                       [f"mounted on {place}", f"umount {place}"])
        subprocess.run(["umount", "mnt"], check=True)
        self.untouched()

    def test_a_partition_of_it_is_mounted(self):
        part, = self.device.partition("4M")
        subprocess.run(["mke2fs", "-q", "-F", part], check=True)
        os.mkdir("mnt")
        self.addCleanup(subprocess.run, ["umount", "mnt"], capture_output=True)
        self.remember(self.disk)
        self.meanwhile(lambda: subprocess.run(["mount", "-r", part, "mnt"], check=True), 13,
                       [f"{self.device.name}p1 on it is mounted on"])
        subprocess.run(["umount", "mnt"], check=True)
        self.untouched()

    def test_a_holder_appears(self):
        above = []
        self.meanwhile(lambda: above.append(LoopDevice(self, self.device.node)), 13,
                       ["under the loop device", "losetup -d"])
        self.untouched()

    def test_a_program_takes_it_for_itself(self):
        held = []
        self.meanwhile(lambda: held.append(os.open(self.device.node, os.O_RDONLY | os.O_EXCL)), 13, ["to itself"])
        os.close(held[0])
        self.untouched()


class MeanwhileTest(DeviceTest):
    """What happens to the device while it is written."""

    SIZE = 256 * MIB

    def setUp(self):
        super().setUp()
        self.device.detach()
        self.disk = pathlib.Path(self.data("large.img", size=self.SIZE))
        self.device = LoopDevice(self, self.disk)
        self.data("long.raw", (0, self.SIZE))

    def start(self):
        """A conversion that stands still in the middle of writing."""
        written = pathlib.Path(f"/sys/class/block/{self.device.name}/stat")
        before = int(written.read_text().split()[6])
        program = subprocess.Popen([DISKLATHE, *self.yes("--progress=json", "-t", "directsync", "long.raw",
                                                         self.device.node)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 20
        while int(written.read_text().split()[6]) == before:
            self.assertLess(time.monotonic(), deadline, "nothing is written")
        for process in self.processes(program):
            os.kill(process, signal.SIGSTOP)
            while not all(task.read_text().rpartition(")")[2].split()[0] == "T"
                          for task in pathlib.Path(f"/proc/{process}/task").glob("*/stat")):
                self.assertLess(time.monotonic(), deadline, "it does not stand still")
        in_flight = written.with_name("inflight")
        while in_flight.read_text().split() != ["0", "0"]:
            self.assertLess(time.monotonic(), deadline, "what is under way does not end")
        return program

    def processes(self, program):
        """The program and the worker that does its job."""
        found = [program.pid]
        for thread in pathlib.Path(f"/proc/{program.pid}/task").iterdir():
            found += map(int, (thread / "children").read_text().split())
        return found

    def go_on(self, program):
        for process in self.processes(program):
            os.kill(process, signal.SIGCONT)
        output, errors = program.communicate(timeout=60)
        return program.returncode, output, errors

    def test_a_device_that_vanishes_is_told_from_a_full_one(self):
        program = self.start()
        os.truncate(self.disk, 0)
        self.device.follow_size()
        code, output, errors = self.go_on(program)
        self.assertEqual(code, 15, errors)
        self.assertRegex(errors, f"'{self.device.node}' went away.*: [0-9]+% were written, what is on it is incomplete")
        self.assertEqual(json.loads(output.splitlines()[-1])["kind"], "vanished")

    def test_what_is_read_back_as_something_else_is_no_success(self):
        over = threading.Event()

        def spoil():
            with open(self.disk, "r+b", buffering=0) as file:
                while not over.is_set():
                    os.pwrite(file.fileno(), b"spoilt", self.SIZE - 5000)

        thread = threading.Thread(target=spoil)
        thread.start()
        try:
            done = self.ours(*self.yes("--progress=json", "long.raw", self.device.node), code=20)
        finally:
            over.set()
            thread.join()
        self.assertIn(f"first at byte {self.SIZE - 5000}", done.stderr)
        last = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual((last["phase"], last["kind"], last["exit_code"]), ("failed", "differs", 20))
        self.assertNotIn('"done"', done.stdout)

    def test_ctrl_c_says_that_the_device_is_incomplete(self):
        program = self.start()
        program.send_signal(signal.SIGINT)
        code, _, errors = self.go_on(program)
        self.assertEqual(code, 130)
        self.assertIn("part of the image", errors)

    def test_what_somebody_else_wants_of_it_meanwhile_is_refused(self):
        program = self.start()
        with self.assertRaises(OSError):
            os.close(os.open(self.device.node, os.O_RDONLY | os.O_EXCL))
        self.refuses(*self.yes("a.raw", self.device.node), code=13, says="to itself")
        self.assertEqual(self.go_on(program)[0], 0)
        self.holds("long.raw")


class RefusedTest(DeviceTest):
    def test_an_image_larger_than_the_device_with_what_is_missing(self):
        self.data("big.raw", size=9 * MIB)
        self.refuses(*self.yes("big.raw", self.device.node), code=14, says=f"{MIB} bytes are missing")
        self.untouched()

    def test_a_mounted_device(self):
        subprocess.run(["mke2fs", "-q", "-F", self.device.node], check=True)
        os.mkdir("mnt")
        subprocess.run(["mount", self.device.node, "mnt"], check=True)
        self.addCleanup(subprocess.run, ["umount", "mnt"])
        self.refuses(*self.yes("a.raw", self.device.node), code=13, says=(self.device.node, "mounted on", "umount"))

    def test_the_file_under_a_loop_device(self):
        self.refuses("convert", "-n", "a.raw", "disk.img", code=13, says="under the loop device")
        self.untouched()

    def test_a_read_only_device(self):
        self.device.detach()
        self.device = LoopDevice(self, self.disk, read_only=True)
        self.refuses(*self.yes("a.raw", self.device.node), code=12, says="read-only")
        self.untouched()

    def test_the_source_and_what_it_is_a_part_of(self):
        part, = self.device.partition("4M")
        self.remember(self.disk)
        for source, target in ((self.device.node, self.device.node), (part, self.device.node), (self.device.node, part)):
            self.refuses(*self.yes("-f", "raw", source, target), code=2, says="source")
        self.untouched()


class PartitionTest(DeviceTest):
    def test_a_partition_beside_a_mounted_one_is_written_and_nothing_else(self):
        mounted, free = self.device.partition("1M", "4M")
        subprocess.run(["mke2fs", "-q", "-F", mounted], check=True)
        start = int(pathlib.Path(f"/sys/class/block/{free.removeprefix('/dev/')}/start").read_text()) * 512
        os.mkdir("mnt")
        subprocess.run(["mount", "-r", mounted, "mnt"], check=True)
        self.addCleanup(subprocess.run, ["umount", "mnt"], check=True)
        before = self.disk.read_bytes()
        done = self.refuses("convert", "--yes-erase", self.device.id, "a.raw", free, code=19, says="nothing was written")
        self.assertEqual(self.disk.read_bytes(), before)
        self.ours("convert", "--yes-erase", f"{free.removeprefix('/dev/')}:{4 * MIB}", "a.raw", free)
        image = pathlib.Path("a.raw").read_bytes()
        self.assertEqual(self.disk.read_bytes(), before[:start] + image + before[start + len(image):])


@unittest.skipUnless(POSSIBLE, NEEDS)
class OrdinaryUserTest(DeviceTest):
    """Whoever may open the device may write it; what needs more rights is told."""

    def as_nobody(self, *words, code=0):
        os.chmod(".", 0o755)
        os.chmod(self.device.node, 0o666)
        return self.ours(*words, code=code, user=65534, group=65534, extra_groups=[])

    def tearDown(self):
        os.chmod(self.device.node, 0o600)

    def test_a_device_is_written_without_root(self):
        done = self.as_nobody(*self.yes("a.raw", self.device.node))
        self.assertEqual(done.stderr, "")
        self.holds()

    def test_partitions_are_not_read_anew_and_that_is_said(self):
        self.device.partition("4M")
        done = self.as_nobody(*self.yes("a.raw", self.device.node))
        self.assertIn("needs root", done.stderr)
        self.holds()

    def test_what_may_not_be_opened_is_not_written(self):
        os.chmod(".", 0o755)
        os.chmod(self.device.node, 0o644)
        self.ours(*self.yes("a.raw", self.device.node), code=12, user=65534, group=65534, extra_groups=[])
        self.untouched()


class SectorTest(DeviceTest):
    def image_for(self, sector, label="gpt", size=8 * MIB):
        """An image with a partition table for sectors of that size."""
        path = self.data(f"for-{sector}.raw", size=size)
        device = LoopDevice(self, path, sector)
        device.partition("2M", label=label)
        device.detach()
        return path

    def test_an_image_for_other_sectors_is_refused(self):
        for image_sector, device_sector in ((512, 4096), (4096, 512)):
            image = self.image_for(image_sector)
            self.device.detach()
            self.device = LoopDevice(self, self.disk, device_sector)
            self.refuses(*self.yes(image, self.device.node), code=19,
                         says=("GPT", f"{image_sector} bytes", f"{device_sector}", "--allow-sector-mismatch"))
            self.untouched()
        self.ours(*self.yes("--allow-sector-mismatch", image, self.device.node))
        self.holds(image)

    def test_an_mbr_that_can_only_be_for_512_is_refused_on_4096(self):
        image = self.image_for(512, "dos", 4 * MIB)
        self.device.detach()
        self.device = LoopDevice(self, self.disk, 4096)
        self.refuses(*self.yes(image, self.device.node), code=19, says="MBR")
        self.untouched()

    def test_images_for_its_own_sectors_are_written(self):
        for sector in (512, 4096):
            image = self.image_for(sector)
            self.device.detach()
            self.device = LoopDevice(self, self.disk, sector)
            self.assertEqual(self.ours(*self.yes("-q", image, self.device.node)).stderr, "")
            self.holds(image)

    def test_it_is_said_that_the_backup_table_is_not_at_the_end(self):
        image = self.image_for(512, size=4 * MIB)
        done = self.ours(*self.yes(image, self.device.node))
        self.assertIn(f"sgdisk -e {self.device.node}", done.stderr)
        self.holds(image)

    def test_the_table_is_found_inside_a_qcow2_image(self):
        self.qemu("convert", "-c", "-O", "qcow2", "-o", "cluster_size=2M", self.image_for(512), "x.qcow2")
        self.device.detach()
        self.device = LoopDevice(self, self.disk, 4096)
        self.refuses(*self.yes("x.qcow2", self.device.node), code=19, says="GPT")
        self.untouched()


class ResultTest(DeviceTest):
    def test_json_tells_how_well_it_was_written(self):
        for words, grade in (([], "read-back"), (["--no-verify"], "written"), (["-t", "unsafe"], "handed-over")):
            with self.subTest(grade):
                lines = self.ours(*self.yes("--progress=json", *words, "a.raw", self.device.node)).stdout.splitlines()
                last = json.loads(lines[-1])
                self.assertEqual((last["phase"], last["result"]["grade"]), ("done", grade))
                self.assertEqual(last["result"].get("cache-left"), "backing-file" if grade == "read-back" else None)
                self.assertEqual(last["verified"], 4 * MIB if grade == "read-back" else 0)

    def test_a_loop_device_past_the_page_cache_leaves_only_its_own(self):
        done = subprocess.run(["losetup", "--direct-io=on", self.device.node], capture_output=True)
        if done.returncode:
            self.skipTest("the file system of the backing file has no direct I/O")
        lines = self.ours(*self.yes("--progress=json", "a.raw", self.device.node)).stdout.splitlines()
        self.assertEqual(json.loads(lines[-1])["result"]["cache-left"], "device")

    def test_partitions_that_are_gone_are_said(self):
        self.device.partition("4M")
        done = self.ours(*self.yes("a.raw", self.device.node))
        # As the kernel takes it: it looked again, or does not look on this device.
        still_there = os.path.exists(f"/sys/class/block/{self.device.name}p1")
        self.assertEqual("old partitions" in done.stderr, still_there, done.stderr)

    def test_a_medium_that_takes_no_more_is_no_success(self):
        os.mkdir("small")
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1M", "none", "small"], check=True)
        self.addCleanup(subprocess.run, ["umount", "small"])
        self.device = LoopDevice(self, self.data("small/disk.img", size=8 * MIB))
        self.data("full.raw", (0, 8 * MIB))
        # Told by the write that meets it, or of what the page cache took by the flush.
        for cache, code in (("none", 14), ("writeback", 10)):
            self.refuses(*self.yes("-t", cache, "full.raw", self.device.node), code=code,
                         says=(self.device.node, "dmesg"))


class FromDeviceTest(DeviceTest):
    def test_a_device_becomes_a_sparse_verified_image(self):
        self.data("disk.img", (MIB, MIB), size=8 * MIB)
        done = self.ours("convert", "--verify", "-f", "raw", "-O", "qcow2", self.device.node, "x.qcow2")
        self.assertEqual(done.stderr, "")
        self.qemu("compare", "-f", "raw", "disk.img", "x.qcow2")
        self.assertLess(os.path.getsize("x.qcow2"), 3 * MIB)

    def test_a_source_that_is_mounted_for_writing_is_warned_about(self):
        subprocess.run(["mke2fs", "-q", "-F", self.device.node], check=True)
        os.mkdir("mnt")
        for option, warned in (("rw", True), ("ro", False)):
            subprocess.run(["mount", "-o", option, self.device.node, "mnt"], check=True)
            try:
                done = self.ours("convert", "-f", "raw", "-O", "qcow2", self.device.node, "x.qcow2")
            finally:
                subprocess.run(["umount", "mnt"], check=True)
            self.assertEqual("may change while it is read" in done.stderr, warned, done.stderr)

    def test_a_medium_that_cannot_be_read_is_told_with_the_offset_and_nothing_is_left(self):
        before = sorted(os.listdir())
        os.truncate("disk.img", MIB)  # the device keeps its size, and has nothing behind the first MiB
        done = self.refuses("convert", "-f", "raw", "-O", "raw", "-T", "none", self.device.node, "x.raw", code=10,
                            says=(f"cannot read '{self.device.node}' at byte ", "dmesg"))
        self.assertGreaterEqual(int(done.stderr.split("at byte ")[1].split()[0]), MIB)
        self.assertEqual(sorted(os.listdir()), before)


if __name__ == "__main__":
    unittest.main()
