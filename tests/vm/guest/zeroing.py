# SPDX-License-Identifier: GPL-3.0-or-later
"""An image with holes onto devices that price zeroing differently: the right bytes, and no slower than qemu-img."""

import os
import subprocess
import time

import block
from block import KiB, MiB
from product import ENVIRONMENT, PROGRAM, Case, onto

SIZE = 16 * MiB
IMAGE, SMALL = "/tmp/holes.raw", "/tmp/small.raw"
CELLS = {  # bytes of a hole, and of the data after it: 5, 50 and 95 percent data
    "4K_holes_95": (4 * KiB, 76 * KiB), "64K_holes_5": (64 * KiB, 4 * KiB), "64K_holes_50": (64 * KiB, 64 * KiB),
    "1M_holes_50": (1 * MiB, 1 * MiB),
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
    def by_us(self, image):
        return timed([PROGRAM, *onto(image, self.node, "-f", "raw", "--no-verify")], env=ENVIRONMENT)

    def by_qemu_img(self, image):
        return timed(["qemu-img", "convert", "-n", "-f", "raw", "-O", "raw", "-t", "none", image, self.node])

    def setUp(self):
        self.node = block.disk(type(self).__name__.lower())
        make_image(SMALL, 0, 4096, 4096)
        block.write(self.node, b"\xa5" * SIZE)
        # Requests of 64 KiB, so that writing, too, has a price that the device and not the emulation sets.
        (block.sysfs(self.node) / "queue/max_sectors_kb").write_text("64" if self.writes_small else "1024")

    def tearDown(self):
        (block.sysfs(self.node) / "queue/max_sectors_kb").write_text("1024")

    def compare(self, hole, data):
        content = make_image(IMAGE, hole, data, SIZE)
        starts, times = ([], []), ([], [])
        for _ in range(TRIES):
            for convert, start, taken in zip((self.by_us, self.by_qemu_img), starts, times):
                # To start and to look at all devices takes half a second in the emulation; that is not compared.
                start += [convert(SMALL), convert(SMALL)]
                time.sleep(0.2)  # the device's short-time allowance is whole again
                taken.append(convert(IMAGE))
                self.assert_holds(self.node, content)
            ours, theirs = (min(taken) - min(start) for start, taken in zip(starts, times))
            if ours <= ALLOWED * theirs + BLUR:
                break
        self.detail = f"{ours:.2f} s, qemu-img {theirs:.2f} s"
        self.assertLessEqual(ours, ALLOWED * theirs + BLUR, self.detail)


for name, (hole, data) in CELLS.items():
    setattr(PricedZeroing, f"test_{name}", lambda self, hole=hole, data=data: self.compare(hole, data))


class Slow(PricedZeroing, Case):
    writes_small = False


class Equal(PricedZeroing, Case):
    writes_small = False


class Fast10(PricedZeroing, Case):
    writes_small = True


class Fast100(PricedZeroing, Case):
    writes_small = True
