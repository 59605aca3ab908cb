# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices that price zeroing differently: an image with holes onto them has the right bytes and takes no longer than
with qemu-img, and `zero` takes the cheaper of their command and writing."""

import json
import os
import subprocess
import time

import block
from block import KiB, MiB
from product import ENVIRONMENT, PROGRAM, Case, id_of, onto

IMAGE, SMALL = "/tmp/holes.raw", "/tmp/small.raw"
CELLS = {  # bytes of a hole, of the data after it (5, 50 and 95 percent), and of the image
    "4K_holes_95": (4 * KiB, 76 * KiB, 16 * MiB), "64K_holes_5": (64 * KiB, 4 * KiB, 16 * MiB),
    "64K_holes_50": (64 * KiB, 64 * KiB, 16 * MiB), "1M_holes_50": (1 * MiB, 1 * MiB, 16 * MiB),
    "16M_holes_5": (16 * MiB, 860 * KiB, 32 * MiB), "16M_holes_50": (16 * MiB, 16 * MiB, 32 * MiB),
}
ALLOWED = 1.05  # of qemu-img's time
BLUR = 0.05     # seconds that starting up differs by
TRIES = 4       # the host may have been busy with something else


def make_image(path, hole, data, size):
    content = os.urandom(data)
    with open(path, "wb") as file:
        for at in range(hole, size, hole + data):
            file.seek(at)
            file.write(content[:size - at])
        file.truncate(size)
    with open(path, "rb") as file:
        return file.read()


def timed(words, **keywords):
    began = time.monotonic()
    subprocess.run(words, check=True, capture_output=True, **keywords)
    return time.monotonic() - began


class PricedZeroing:
    @classmethod
    def setUpClass(cls):
        cls.node = block.disk(cls.__name__.lower())
        make_image(SMALL, 0, 4096, 4096)
        # To start and to look at all devices takes half a second in the emulation; that is not compared.
        cls.starts = [min(convert(SMALL) for _ in range(3)) for convert in (cls.by_us, cls.by_qemu_img)]

    @classmethod
    def by_us(cls, image):
        return timed([PROGRAM, *onto(image, cls.node, "-f", "raw", "--no-verify")], env=ENVIRONMENT)

    @classmethod
    def by_qemu_img(cls, image):
        return timed(["qemu-img", "convert", "-n", "-f", "raw", "-O", "raw", "-t", "none", image, cls.node])

    def compare(self, hole, data, size):
        content = make_image(IMAGE, hole, data, size)
        largest = block.sysfs(self.node) / "queue/max_sectors_kb"
        largest.write_text("1024")
        block.write(self.node, b"\xa5" * size)
        # Requests of 64 KiB, so that writing, too, has a price that the device and not the emulation sets.
        if self.writes_small:
            largest.write_text("64")
        times = [], []
        for _ in range(TRIES):
            for convert, taken in zip((self.by_us, self.by_qemu_img), times):
                time.sleep(0.2)  # the device's short-time allowance is whole again
                taken.append(convert(IMAGE))
                self.assert_holds(self.node, content)
            ours, theirs = (min(taken) - start for taken, start in zip(times, self.starts))
            if ours <= ALLOWED * theirs + BLUR:
                break
        self.detail = f"{ours:.2f} s, qemu-img {theirs:.2f} s"
        self.assertLessEqual(ours, ALLOWED * theirs + BLUR, self.detail)


for name, cell in CELLS.items():
    setattr(PricedZeroing, f"test_{name}", lambda self, cell=cell: self.compare(*cell))


class Slow(PricedZeroing, Case):
    writes_small = False


class Equal(PricedZeroing, Case):
    writes_small = False


class Fast10(PricedZeroing, Case):
    writes_small = True


class Fast100(PricedZeroing, Case):
    writes_small = True


class Choice(Case):
    """`zero` by itself, and told to do one thing: by itself it takes the better one, when it has tried both."""

    ALLOWED, BLUR = 1.25, 0.1
    SIZE = 16 * MiB
    TRIED = 2 * MiB  # of the dearer one

    def timed_zero(self, node, method):
        largest = block.sysfs(node) / "queue/max_sectors_kb"
        largest.write_text(str(block.number(node, "queue/max_hw_sectors_kb")))
        block.write(node, b"\xa5" * self.SIZE)
        largest.write_text(str(self.write_kib))
        words = ["zero", "--yes-erase", id_of(node), "--method", method, "--progress=json"]
        began = time.monotonic()
        self.ours(*words, "--range", "0+4096", node)
        start = time.monotonic() - began
        time.sleep(0.2)  # the device's short-time allowance is whole again
        began = time.monotonic()
        done = json.loads(self.ours(*words, "--range", f"0+{self.SIZE}", node).stdout.splitlines()[-1])
        seconds = max(0, time.monotonic() - began - start)
        self.assert_holds(node, bytes(self.SIZE))
        return seconds, done

    def check(self, name, write_kib, cheaper=None):
        node = block.disk(name)
        self.write_kib = write_kib
        command, _ = self.timed_zero(node, "punch")
        writing, _ = self.timed_zero(node, "buffers")
        better, dearer = min(command, writing), max(command, writing)
        allowed = self.ALLOWED * (better + dearer * self.TRIED / self.SIZE) + self.BLUR
        for _ in range(TRIES):
            seconds, done = self.timed_zero(node, "auto")
            if seconds <= allowed:
                break
        self.detail = (f"by command {command:.2f} s, by writing {writing:.2f} s, by itself {seconds:.2f} s with "
                       f"{done['commanded'] / self.SIZE:.0%} by command; a command takes at most "
                       f"{block.number(node, 'queue/write_zeroes_max_bytes') // KiB} KiB, a write {write_kib} KiB")
        self.assertLessEqual(seconds, allowed, self.detail)
        if cheaper:
            self.assertGreaterEqual(done[cheaper], self.SIZE - self.TRIED, self.detail)

    def test_scsi_disk_with_quick_zeroing(self):
        self.check("scsi-quick", 64, "commanded")

    def test_scsi_disk_with_slow_zeroing(self):
        node = block.disk("scsi-slow")
        limit, = (block.sysfs(node) / "device/scsi_disk").glob("*/max_write_same_blocks")
        limit.write_text("128")
        self.check("scsi-slow", 1024, "written")

    def test_nvme_disk_with_quick_zeroing(self):
        self.check("nvme-quick", 64, "commanded")

    def test_nvme_disk_with_equal_zeroing(self):
        self.check("nvme-equal", 8)
