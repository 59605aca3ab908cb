# SPDX-License-Identifier: GPL-3.0-or-later
"""What must hold where the kernel neither splits requests nor keeps two users apart."""

import contextlib
import glob
import json
import os
import pathlib
import re

import block
from block import KiB, MiB
from host import tell
from product import SAMPLE, SAMPLE_QCOW2, SAMPLE_RAW, Case, id_of, start

EXIT_IO, EXIT_BUSY, EXIT_VANISHED, EXIT_REFUSED = 10, 13, 15, 19
TRACING = pathlib.Path("/sys/kernel/tracing")


def generic(node):
    """The /dev/sgN of a disk"""
    name, = os.listdir(block.sysfs(node) / "device/scsi_generic")
    return f"/dev/{name}"


@contextlib.contextmanager
def commands():
    """[(operation, blocks, segments)]: the reads and writes that reach SCSI disks meanwhile"""
    if not (TRACING / "events").exists():
        block.call("mount", "-t", "tracefs", "none", TRACING)
    (TRACING / "trace").write_text("")
    enable = TRACING / "events/scsi/scsi_dispatch_cmd_start/enable"
    enable.write_text("1")
    found = []
    try:
        yield found
    finally:
        enable.write_text("0")
        for match in re.finditer(r"data_sgl=(\d+).*?cmnd=\((READ|WRITE)_16 lba=\d+ txlen=(\d+)",
                                 (TRACING / "trace").read_text()):
            found.append((match[2].lower(), int(match[3]), int(match[1])))


def onto(source, node, *words):
    return "convert", "--passthrough", "--yes-erase", id_of(node), *words, source, generic(node)


class Disks:
    """Images onto a disk and off it, in commands that it takes"""

    def setUp(self):
        self.node = block.disk(self.name)

    def check_commands(self, found, operation):
        mine = [(blocks, segments) for what, blocks, segments in found if what == operation]
        self.assertTrue(mine, f"no {operation} command was seen")
        most = block.number(self.node, "queue/max_hw_sectors_kb") * KiB
        if self.largest:
            most = min(most, self.largest)
        largest = max(blocks for blocks, _ in mine) * block.number(self.node, "queue/logical_block_size")
        segments = max(segments for _, segments in mine)
        self.assertLessEqual(largest, most)
        self.assertLessEqual(largest, block.number(self.node, "queue/max_segments") * block.PAGE)
        self.assertLessEqual(segments, block.number(self.node, "queue/max_segments"))
        self.detail = f"{len(mine)} commands of up to {largest // KiB} KiB in {segments} segments"

    def test_image_onto_it(self):
        block.write(self.node, os.urandom(len(SAMPLE)))
        with commands() as found:
            done = self.ours(*onto(SAMPLE_QCOW2, self.node))
        self.assertIn("read back", done.stdout)
        self.check_commands(found, "write")
        self.assert_holds(self.node, SAMPLE)

    def test_image_off_it(self):
        block.write(self.node, SAMPLE)
        with commands() as found:
            self.ours("convert", "--passthrough", "-f", "raw", generic(self.node), "/tmp/off.raw")
        self.check_commands(found, "read")
        self.assert_holds("/tmp/off.raw", SAMPLE)
        os.remove("/tmp/off.raw")

    def test_what_waits_in_the_page_cache_is_read_too(self):
        block.write(self.node, bytes(MiB))
        with open(self.node, "r+b", buffering=0) as file:
            file.write(SAMPLE[:64 * KiB])
            self.ours("convert", "--passthrough", "-f", "raw", generic(self.node), "/tmp/off.raw")
        self.assert_holds("/tmp/off.raw", SAMPLE[:64 * KiB])
        os.remove("/tmp/off.raw")

    def test_sweep(self):
        report = self.json("sweep", "--passthrough", "--seconds", "0.2", "--sizes", "4k,64k,1M", generic(self.node))
        self.assertTrue(all(point["bytes_per_second"] > 0 for point in report["points"]))
        self.detail = json.dumps(report["knee"])


class Emulated512(Disks, Case):
    name, largest = "emulated512", None


class Native4K(Disks, Case):
    name, largest = "native4k", 128 * KiB


class Refusals(Case):
    def test_nothing_is_written_without_the_id(self):
        node = block.disk("emulated512")
        block.write(node, SAMPLE)
        self.refuses("convert", "--passthrough", SAMPLE_RAW, generic(node), code=EXIT_REFUSED, says=["--yes-erase"])
        self.refuses("convert", "--passthrough", "--yes-erase", "another", SAMPLE_RAW, generic(node), code=EXIT_REFUSED,
                     says=["another"])
        self.refuses("sweep", "--passthrough", "--write", generic(node), code=EXIT_REFUSED, says=["--yes-erase"])
        self.assert_holds(node, SAMPLE)

    def test_mounted_disk(self):
        node = block.disk("emulated512")
        block.call("mke2fs", "-q", "-F", node)
        pathlib.Path("/tmp/mounted").mkdir(exist_ok=True)
        block.call("mount", "-t", "ext4", node, "/tmp/mounted")
        try:
            self.refuses(*onto(SAMPLE_QCOW2, node), code=EXIT_BUSY, says=["mounted on /tmp/mounted"])
        finally:
            block.call("umount", "/tmp/mounted")

    def test_onto_itself(self):
        node = block.disk("emulated512")
        done = self.ours("convert", "--passthrough", "-f", "raw", "--yes-erase", id_of(node), generic(node), generic(node),
                         code=2)
        self.detail = done.stderr.splitlines()[-1]

    def test_read_only_disk(self):
        self.refuses(*onto(SAMPLE_QCOW2, block.disk("readonly")), code=12, says=["read-only"])


class Faults(Case):
    def test_bad_sector(self):
        node = block.disk("unreadable")
        self.refuses("convert", "--passthrough", "-f", "raw", generic(node), "/tmp/off.raw", code=EXIT_IO,
                     says=[generic(node), "byte", "sense"])
        self.assertFalse(os.path.exists("/tmp/off.raw"))

    def test_unplugged_while_written(self):
        node = block.disk("pulled")
        with commands() as found:
            process = start(*onto(SAMPLE_QCOW2, node, "-S", "0"))
            block.wait_for(lambda: "WRITE_16" in (TRACING / "trace").read_text(), "it did not begin to write")
            tell("unplug pulled")
            _, errors = process.communicate(timeout=120)
        self.detail = errors.splitlines()[-1].removeprefix("disklathe: ")
        self.assertEqual(process.returncode, EXIT_VANISHED, errors)
        self.assertTrue(found)
        self.assertFalse(glob.glob("/tmp/off*"))
