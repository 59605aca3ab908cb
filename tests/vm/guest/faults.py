# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices that fail, stall, fill up, go away, or cannot be written at all: the right sentence and exit code."""

import glob
import os
import pathlib
import re
import struct
import time
import zlib

import block
from block import MiB
from host import tell
from product import (EXIT_BUSY, EXIT_IO, EXIT_NO_SPACE, EXIT_PERMISSION, EXIT_REFUSED, EXIT_UNSUPPORTED, EXIT_USAGE,
                     EXIT_VANISHED, SAMPLE, SAMPLE_QCOW2, SAMPLE_RAW, Case, Terminal, id_of, onto, start)

SECTORS = len(SAMPLE) // 512


class BadSectors(Case):
    """Each kernel driver reports media errors in a way of its own (EIO, ENODATA, EREMOTEIO)."""

    def reading_stops(self, node, at):
        self.refuses("convert", "-f", "raw", node, "/tmp/never.raw", code=EXIT_IO, says=[node, "read"])
        self.assertFalse(os.path.exists("/tmp/never.raw"))
        self.assert_names_place(at)

    def writing_stops(self, node, at):
        self.refuses(*onto(SAMPLE_QCOW2, node, "-S", "0"), code=EXIT_IO, says=[node, "write"])
        self.assert_names_place(at)

    def assert_names_place(self, at):
        """The place that the sentence names is the request's that met the bad sector."""
        said = int(self.detail.partition("at byte ")[2].split()[0])
        self.assertLessEqual(said, at)
        self.assertGreater(said + 2 * MiB, at)

    def test_disk_that_cannot_read(self):
        self.reading_stops(block.disk("unreadable"), 10000 * 512)

    def test_disk_that_cannot_write(self):
        self.writing_stops(block.disk("unwritable"), 10000 * 512)

    def test_null_blk(self):
        node = block.null_blk("bad", size=64, badblocks="+10000-10007")
        self.reading_stops(node, 10000 * 512)
        self.writing_stops(node, 10000 * 512)

    def test_scsi_medium_error(self):
        node = block.scsi_debug(dev_size_mb=64, delay=0, opts=2, medium_error_start=10000, medium_error_count=8)
        self.reading_stops(node, 10000 * 512)

    def test_dm_error(self):
        spare = block.disk("spare")
        node = block.device_mapper("holed", f"0 10000 linear {spare} 0", "10000 8 error",
                                   f"10008 {SECTORS - 10008} linear {spare} 10008")
        try:
            self.reading_stops(node, 10000 * 512)
            self.writing_stops(node, 10000 * 512)
        finally:
            block.remove_device_mapper("holed")


class Slow(Case):
    def test_each_request_delayed(self):
        spare = block.disk("spare")
        node = block.device_mapper("late", f"0 {SECTORS} delay {spare} 0 100")
        try:
            self.ours(*onto(SAMPLE_QCOW2, node))
            self.assert_holds(node, SAMPLE)
        finally:
            block.remove_device_mapper("late")

    def test_stall_in_the_middle(self):
        """Nothing is answered for a while, which is told; then everything goes on."""
        spare = block.disk("spare")
        block.write(spare, bytes(16 * MiB))
        node = block.device_mapper("stalls", f"0 {SECTORS} delay {spare} 0 50")
        try:
            words = onto(SAMPLE_QCOW2, node)
            before = block.completed(spare)[1]
            talk = Terminal(*words[:1], "-p", *words[1:])
            block.wait_for(lambda: block.completed(spare)[1] > before + 2, "it did not begin to write")
            block.call("dmsetup", "suspend", "--nolockfs", "--noflush", "stalls")
            talk.wait_for("no answer for ", seconds=30)
            self.detail = re.search(r"writing[^\r]*no answer[^\r]*", talk.seen)[0].strip()
            self.assertIsNone(talk.program.poll(), "it ended while the device stood still")
            block.call("dmsetup", "resume", "--noudevsync", "stalls")
            self.assertEqual(talk.end(), 0, talk.seen)
            self.assert_holds(node, SAMPLE)
        finally:
            block.remove_device_mapper("stalls")


class Full(Case):
    def test_thin_volume_without_room_behind_it(self):
        """4 MiB of data for a volume of 16 MiB."""
        spare = block.disk("spare")
        block.write(spare, bytes(4096))
        tables = block.device_mapper("thin-tables", f"0 8192 linear {spare} 0")
        data = block.device_mapper("thin-data", f"0 8192 linear {spare} 8192")
        block.device_mapper("pool", f"0 8192 thin-pool {tables} {data} 128 0 1 error_if_no_space")
        block.call("dmsetup", "message", "pool", "0", "create_thin 0")
        node = block.device_mapper("thin", f"0 {SECTORS} thin /dev/mapper/pool 0")
        try:
            self.refuses(*onto(SAMPLE_QCOW2, node), code=EXIT_NO_SPACE, says=[node, "space"])
        finally:
            for name in ("thin", "pool", "thin-data", "thin-tables"):
                block.remove_device_mapper(name)

    def test_image_larger_than_the_device(self):
        node = block.null_blk("small", size=8)
        block.write(node, b"\xa5" * (8 * MiB))
        self.refuses(*onto(SAMPLE_QCOW2, node), code=EXIT_NO_SPACE, says=[node, f"{8 * MiB} bytes are missing"])
        self.assert_holds(node, b"\xa5" * (8 * MiB))


class Pulled(Case):
    def pulled(self, name):
        node = block.disk(name)
        before = block.completed(node)[1]
        process = start(*onto(SAMPLE_QCOW2, node, "-S", "0"))
        block.wait_for(lambda: block.completed(node)[1] > before, "it did not begin to write")
        tell(f"unplug {name}")
        began = time.monotonic()
        output, errors = process.communicate(timeout=90)
        self.detail = errors.splitlines()[-1].removeprefix("disklathe: ") + f" ({time.monotonic() - began:.1f} s)"
        self.assertEqual(process.returncode, EXIT_VANISHED, output + errors)
        self.assertIn("went away", errors)

    def test_scsi_disk_while_written(self):
        self.pulled("pulled-scsi")

    def test_virtio_disk_while_written(self):
        self.pulled("pulled-virtio")


class TurnsReadOnly(Case):
    """In the middle of writing."""

    def begun(self, node, counted):
        before = block.completed(counted)[1]
        process = start(*onto(SAMPLE_QCOW2, node, "-S", "0"))
        block.wait_for(lambda: block.completed(counted)[1] > before, "it did not begin to write")
        return process

    def ends(self, process, code, says):
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, code, output + errors)
        self.assertIn(says, errors)
        self.detail = errors.splitlines()[-1].removeprefix("disklathe: ")

    def test_mapping_that_is_loaded_read_only(self):
        spare = block.disk("spare")
        node = block.device_mapper("turns", f"0 {SECTORS} delay {spare} 0 100")
        try:
            process = self.begun(node, spare)
            block.call("dmsetup", "suspend", "--nolockfs", "--noflush", "turns")
            block.call("dmsetup", "reload", "--readonly", "turns", text=f"0 {SECTORS} delay {spare} 0 100\n")
            block.call("dmsetup", "resume", "--noudevsync", "turns")
            self.ends(process, EXIT_PERMISSION, "the device has become read-only")
        finally:
            block.remove_device_mapper("turns")

    def test_disk_that_the_kernel_is_told_to_protect(self):
        node = block.disk("slow")
        process = self.begun(node, node)
        block.call("blockdev", "--setro", node)
        try:
            self.ends(process, EXIT_PERMISSION, "the device has become read-only")
        finally:
            block.call("blockdev", "--setrw", node)

    def test_disk_that_protects_itself(self):
        """The kernel sees it only in the answers to the writes."""
        node = block.scsi_debug(dev_size_mb=64, delay=0, ndelay=200_000_000)
        # Whoever looks at all disks would wait for it as well.
        self.addCleanup(block.call, "modprobe", "-r", "scsi_debug")
        process = self.begun(node, node)
        pathlib.Path("/sys/module/scsi_debug/parameters/wp").write_text("1")
        self.ends(process, EXIT_PERMISSION, "read-only")


def gpt(sector, size):
    """The first sectors of a disk with an empty partition table."""
    entries, last = bytes(128 * 128), size // sector - 1
    used = -(-len(entries) // sector)
    header = struct.pack("<8sIIIIQQQQ16sQIII", b"EFI PART", 0x10000, 92, 0, 0, 1, last, 2 + used, last - 1 - used,
                         b"disklathe-test..", 2, 128, 128, zlib.crc32(entries))
    header = header[:16] + struct.pack("<I", zlib.crc32(header)) + header[20:]
    protective = bytes(446) + struct.pack("<B3sB3sII", 0, b"\0\2\0", 0xEE, b"\xff" * 3, 1, last) + bytes(48) + b"\x55\xaa"
    return protective.ljust(sector, b"\0") + header.ljust(sector, b"\0") + entries


class WrongSectors(Case):
    """Images whose partition table is made for sectors of another size."""

    def refused_and_then_told_to(self, node, made_for, has):
        image = f"/tmp/gpt{made_for}.raw"
        content = gpt(made_for, 8 * MiB)
        with open(image, "wb") as file:
            file.write(content)
            file.truncate(8 * MiB)
        block.write(node, b"\xa5" * (8 * MiB))
        self.refuses(*onto(image, node, "-f", "raw"), code=EXIT_REFUSED,
                     says=[node, "GPT", f"sectors of {made_for} bytes", f"have {has}", "--allow-sector-mismatch"])
        self.assert_holds(node, b"\xa5" * (8 * MiB))
        self.ours(*onto(image, node, "-f", "raw", "--allow-sector-mismatch"))
        self.assert_holds(node, content)

    def test_512_on_4096(self):
        self.refused_and_then_told_to(block.disk("native4k"), 512, 4096)

    def test_4096_on_512(self):
        self.refused_and_then_told_to(block.disk("spare"), 4096, 512)


class Replaced(Case):
    """What has the name of the chosen disk when its ID is typed is another one."""

    def replaced(self, **parameters):
        node = block.scsi_debug(dev_size_mb=64, delay=0)
        talk = Terminal("convert", SAMPLE_RAW, node)
        talk.wait_for("to overwrite it: ")
        asked = id_of(node)
        self.assertEqual(block.scsi_debug(dev_size_mb=64, delay=0, **parameters), node, "it has another name")
        before = block.completed(node)[1]
        talk.type(f"{asked}\n")
        self.assertEqual(talk.end(), EXIT_REFUSED, talk.seen)
        self.assertIn("nothing was written", talk.seen)
        self.assertEqual(block.completed(node)[1], before, "writes that the kernel has seen")
        self.detail = talk.seen.splitlines()[-1].removeprefix("disklathe: ")

    def test_unplugged_and_plugged_in_again(self):
        self.replaced()

    def test_another_disk_with_another_serial_number(self):
        self.replaced(vpd_use_hostno=0)


class NotWritable(Case):
    def test_read_only_disk(self):
        self.refuses(*onto(SAMPLE_QCOW2, block.disk("readonly")), code=EXIT_PERMISSION, says=["read-only"])

    def test_read_only_disk_is_read(self):
        self.ours("convert", "-f", "raw", block.disk("readonly"), "/tmp/empty.raw")
        self.assert_holds("/tmp/empty.raw", bytes(MiB))
        os.remove("/tmp/empty.raw")

    def test_scsi_generic_node(self):
        block.disk("unreadable")
        node = sorted(glob.glob("/dev/sg*"))[0]
        self.refuses("convert", SAMPLE_QCOW2, node, code=EXIT_USAGE, says=[node, "block device"])

    def test_the_systems_own_disk(self):
        root = os.stat("/").st_dev
        part = os.path.basename(os.path.realpath(f"/sys/dev/block/{os.major(root)}:{os.minor(root)}"))
        whole = os.path.basename(os.path.dirname(os.path.realpath(f"/sys/class/block/{part}")))
        for node in (f"/dev/{part}", f"/dev/{whole}"):
            self.refuses(*onto(SAMPLE_QCOW2, node), code=EXIT_BUSY, says=[node])

    def test_mounted_disk(self):
        node = block.disk("spare")
        block.call("mke2fs", "-q", "-F", node)
        pathlib.Path("/tmp/mounted").mkdir(exist_ok=True)
        block.call("mount", "-t", "ext4", node, "/tmp/mounted")
        try:
            self.refuses(*onto(SAMPLE_QCOW2, node), code=EXIT_BUSY, says=[node, "mounted on /tmp/mounted", "umount"])
        finally:
            block.call("umount", "/tmp/mounted")


class Zoned(Case):
    """Zones of 4 MiB; the first ones may be conventional."""

    def make(self, name, conventional):
        return block.null_blk(name, size=64, zoned=1, zone_size=4, zone_nr_conv=conventional)

    def test_sequential_zones_are_refused(self):
        node = self.make("zones", 0)
        self.refuses("zero", "--yes-erase", id_of(node), node, code=EXIT_UNSUPPORTED, says=[node, "byte 0 on", "zone"])
        self.refuses(*onto(SAMPLE_QCOW2, node), code=EXIT_UNSUPPORTED, says=[node, "byte 0 on", "zone"])
        self.assertEqual(block.completed(node)[1], 0, "writes that the kernel has seen")

    def test_an_image_that_reaches_sequential_zones_is_refused(self):
        node = self.make("zones3", 3)
        self.refuses(*onto(SAMPLE_QCOW2, node), code=EXIT_UNSUPPORTED, says=[node, f"byte {12 * MiB} on", "zone"])
        self.assertEqual(block.completed(node)[1], 0, "writes that the kernel has seen")

    def test_conventional_zones_are_written(self):
        node = self.make("zones4", 4)
        self.ours(*onto(SAMPLE_QCOW2, node))
        self.assert_holds(node, SAMPLE)

    def test_zoned_device_is_read(self):
        node = self.make("zones_read", 4)
        block.write(node, SAMPLE)
        self.ours("convert", "-f", "raw", node, "/tmp/zoned.raw")
        self.assert_holds("/tmp/zoned.raw", SAMPLE)
        os.remove("/tmp/zoned.raw")
