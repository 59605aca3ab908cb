# SPDX-License-Identifier: GPL-3.0-or-later
"""What must go right on each kind of device that works: images onto it and off it, and its limits."""

import os

import block
from block import KiB, MiB
from product import EXIT_UNSUPPORTED, SAMPLE, SAMPLE_QCOW2, WITH_WORKER, Case, id_of, onto

MEMORY = block.PhysicalMemory()

# What each is for: the rig is checked to have it before anything is concluded from it.
KINDS = {
    "Plain512": (lambda: block.disk("plain512"), {"logical_block_size": 512, "physical_block_size": 512}),
    "Optimal512e": (lambda: block.disk("optimal512e"), {"logical_block_size": 512, "physical_block_size": 4096,
                                                       "optimal_io_size": MiB}),
    "Native4K": (lambda: block.disk("native4k"), {"logical_block_size": 4096, "max_sectors_kb": 128}),
    "TinyTransfers": (lambda: block.disk("tiny"), {"max_hw_sectors_kb": 8}),
    "FewSegments": (lambda: block.disk("few"), {"max_segments": 6}),
    "NoZeroing": (lambda: block.disk("nozeroing"), {"write_zeroes_max_bytes": 0, "discard_max_bytes": 0}),
    "Loop4K": (lambda: block.loop(64 * MiB, 4096), {"logical_block_size": 4096}),
    "Zram": (lambda: block.zram(64 * MiB), {"logical_block_size": 4096}),
}

# Limits in the program's words, their attribute in sysfs, and that attribute's unit in bytes.
LIMITS = {
    "logical-block": ("logical_block_size", 1), "physical-block": ("physical_block_size", 1),
    "minimum-io": ("minimum_io_size", 1), "optimal-io": ("optimal_io_size", 1), "max-transfer": ("max_sectors_kb", KiB),
    "max-hardware-transfer": ("max_hw_sectors_kb", KiB), "max-segments": ("max_segments", 1),
    "max-segment-size": ("max_segment_size", 1), "max-discard": ("discard_max_bytes", 1),
    "discard-granularity": ("discard_granularity", 1), "max-write-zeroes": ("write_zeroes_max_bytes", 1),
}

# By QEMU's own properties of its disks: protocol, serial number, limits.
IDENTIFIED = {
    "Optimal512e": ("scsi", "optimal512e", {"disk-optimal-transfer": MiB, "disk-transfer-granularity": 4 * KiB,
                                            "disk-unmap": True, "disk-thin": True, "disk-rotation-rate": None}),
    "Native4K": ("scsi", "native4k", {"disk-max-transfer": 128 * KiB, "disk-unmap": True}),
    "Sata": ("ata", "sata", {"disk-unmap": True, "disk-rotation-rate": 7200}),
    "TinyTransfers": ("nvme", "tiny", {"disk-max-transfer": 8 * KiB, "disk-unmap": True, "disk-max-unmap-ranges": 255}),
}

REQUESTS = (4 * KiB, 0), (64 * KiB, 4 * KiB), (128 * KiB, 64 * KiB), (1 * MiB, 0), (1 * MiB, 20 * KiB), (2 * MiB, MiB)


class SaysOfItself:
    def test_says_of_itself_what_it_was_made_to_be(self):
        said = self.json("limits", "--ask", self.node, program=WITH_WORKER)
        protocol, serial, expected = IDENTIFIED.get(type(self).__name__, (None, None, {}))
        if not protocol:
            self.assertIsNone(said["identified"])
            return
        self.assertEqual((said["identified"]["protocol"], said["identified"]["serial"]), (protocol, serial))
        for key, value in {"disk-logical-block": block.number(self.node, "queue/logical_block_size"), **expected}.items():
            self.assertEqual((said["limits"][key]["value"], said["limits"][key]["source"]), (value, protocol), key)
        self.detail = " ".join(f"{key.removeprefix('disk-')}={limit['value']}" for key, limit in said["limits"].items()
                               if key.startswith("disk-") and limit["value"] is not None)


class EveryDevice(SaysOfItself):
    @classmethod
    def setUpClass(cls):
        make, cls.properties = KINDS[cls.__name__]
        cls.node = make()

    def test_is_what_it_is_for(self):
        self.detail = f"{self.node}"
        for name, value in self.properties.items():
            self.assertEqual(block.number(self.node, f"queue/{name}"), value, name)
            self.detail += f" {name}={value}"

    def test_limits_are_those_of_sysfs(self):
        limits = self.json("limits", self.node)["limits"]
        for key, (attribute, unit) in LIMITS.items():
            there = block.number(self.node, f"queue/{attribute}") * unit or None
            self.assertEqual(limits[key]["value"], there, f"{key}, {attribute}")

    def test_requests_become_as_many_commands_as_said(self):
        for length, at in REQUESTS:
            said = self.json("limits", self.node, "--request", f"{length}@{at}")["request"]
            for memory in ("contiguous", "scattered"):
                buffers = getattr(MEMORY, memory)(length)
                for writing in (False, True):
                    made = block.commands_of(self.node, buffers, at, writing)
                    self.assertEqual(made, said[memory]["commands"],
                                     f"{memory} {'write' if writing else 'read'} of {length} at {at}")
                self.detail += f" {length >> 10}K@{at >> 10}K:{made}"
        self.detail = self.detail.strip()

    def test_image_onto_it(self):
        block.write(self.node, b"\xa5" * (18 * MiB))
        self.ours(*onto(SAMPLE_QCOW2, self.node))
        self.assert_holds(self.node, SAMPLE)
        self.assert_holds(self.node, b"\xa5" * (2 * MiB), at=16 * MiB)

    def test_image_that_ends_inside_a_block(self):
        image = "/tmp/odd.raw"
        with open(image, "wb") as file:
            file.write(SAMPLE[:MiB + 512])
        block.write(self.node, b"\xa5" * (2 * MiB))
        self.ours(*onto(image, self.node, "-f", "raw"))
        self.assert_holds(self.node, SAMPLE[:MiB + 512] + b"\xa5" * 4096)

    def erase(self, *words, **keywords):
        return self.ours("zero", "--yes-erase", id_of(self.node), *words, self.node, **keywords)

    def test_zeroed_whole(self):
        block.write(self.node, b"\xa5" * (5 * MiB))
        self.detail = self.erase("--verify").stdout.strip().replace("\n", "; ")
        self.assertIn("proven", self.detail)
        self.assert_holds(self.node, bytes(block.size_of(self.node)))

    def test_zeroed_in_part(self):
        """Ranges that begin and end inside blocks; what is round them stays."""
        block.write(self.node, b"\xa5" * (4 * MiB))
        self.erase("--range", "1000+5000", "--range", "1M+1500001")
        expected = bytearray(b"\xa5" * (4 * MiB))
        expected[1000:6000] = bytes(5000)
        expected[MiB:MiB + 1500001] = bytes(1500001)
        self.assert_holds(self.node, bytes(expected))

    def test_zeroed_by_each_method(self):
        for method in ("buffers", "punch", "write-zeroes"):
            block.write(self.node, b"\xa5" * (3 * MiB))
            # Asked each time: a loop device withdraws the offer when the file behind it refuses.
            may = method == "buffers" or block.number(self.node, "queue/write_zeroes_max_bytes") > 0
            self.erase("--method", method, "--range", "1M+1M", code=0 if may else EXIT_UNSUPPORTED)
            self.assert_holds(self.node, b"\xa5" * MiB + (b"\0" if may else b"\xa5") * MiB + b"\xa5" * MiB)

    def test_device_to_image(self):
        block.write(self.node, SAMPLE)
        raw, qcow2 = "/tmp/off.raw", "/tmp/off.qcow2"
        self.ours("convert", "-f", "raw", "-O", "qcow2", "--verify", self.node, qcow2)
        self.ours("convert", "-f", "qcow2", "-O", "raw", qcow2, raw)
        self.assertLess(os.stat(raw).st_blocks * 512, len(SAMPLE) + 18 * MiB)
        self.assert_holds(raw, SAMPLE)
        block.call("qemu-img", "compare", "-f", "raw", "-F", "qcow2", self.node, qcow2)
        os.remove(raw)
        os.remove(qcow2)


for kind in KINDS:
    globals()[kind] = type(kind, (EveryDevice, Case), {})


class Sata(SaysOfItself, Case):
    """Another way of asking; what is read and written goes as with SCSI disks"""

    @classmethod
    def setUpClass(cls):
        block.call("modprobe", "ahci")
        cls.node = block.disk("sata")
