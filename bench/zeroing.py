# SPDX-License-Identifier: GPL-3.0-or-later
"""An image with holes onto devices that are full of old data: what must become zero there, against qemu-img"""

import contextlib
import os
import subprocess

import machine
from contenders import SYNCED, equal_on_device
from convert import fill_holes
from harness import Case, Contender, Goal
from machine import KIB, MIB, size_text
from sweep import zram_device

# bytes of a hole, and of the data after it: 5, 50 and 95 percent data
CELLS = ((4 * KIB, 76 * KIB), (64 * KIB, 4 * KIB), (64 * KIB, 64 * KIB), (MIB, MIB), (16 * MIB, 860 * KIB),
         (16 * MIB, 16 * MIB))
SIZE = 512 * MIB
SMALL = 4 * KIB


def make_image(path, hole, data):
    content = os.urandom(data)
    with open(path, "wb") as file:
        for at in range(hole, SIZE, hole + data):
            file.seek(at)
            file.write(content[: SIZE - at])
        file.truncate(SIZE)


def cells(bench, folder, name, target, settle, erase):
    """erase: the words by which our program may write to it. The floor: starting, and looking at all devices."""
    image, small = folder / "holes.raw", folder / "small.raw"
    small.write_bytes(os.urandom(SMALL))
    for hole, data in CELLS[2:4] if bench.quick else CELLS:
        make_image(image, hole, data)

        def onto(name, program, role, source, *options):
            command = [program, "convert", "-n", "-f", "raw", "-O", "raw", "-t", "none", *options, source, target]
            return Contender(name, command, role, None, SYNCED)

        floor = f"floor: disklathe, {size_text(SMALL)}"
        contenders = [onto(floor, bench.program, "floor", small, "-q", *erase),
                      onto("qemu-img", "qemu-img", "peer", image),
                      onto("disklathe", bench.program, "ours", image, "-q", *erase)]
        share = f"{data / (hole + data) * 100:.0f} % data, holes of {size_text(hole)}"
        bench.case(Case(f"{name}: {share}", contenders, Goal(1.05), Goal(1.0), equal_on_device(image, target, SIZE),
                        before=settle))


def old_file(path):
    path.touch()
    os.truncate(path, SIZE)
    fill_holes(path)


def on_device(bench, name, ram, disk, direct):
    backing = disk / "device"
    old_file(backing)
    with machine.loop_device(backing, direct=direct) as target:
        cells(bench, ram, name, target, lambda: fill_holes(backing),
              ["--no-verify", "--yes-erase", f"{target.name}:{SIZE}"])


def loop(bench):
    """A loop device over a file on the disk, whose own page cache answers first"""
    with bench.folder("ram", SIZE) as ram, bench.folder("disk", SIZE) as disk:
        on_device(bench, f"loop device on {machine.file_system(disk)}", ram, disk, direct=False)


def loop_direct(bench):
    """The same past the page cache"""
    with bench.folder("ram", SIZE) as ram, bench.folder("disk", SIZE) as disk:
        on_device(bench, f"loop device on {machine.file_system(disk)}, direct", ram, disk, direct=True)


def zram(bench):
    """A device in memory"""
    with bench.folder("ram", 3 * SIZE) as ram, zram_device(SIZE) as target:

        def settle():
            with open(target, "r+b", buffering=0) as file:
                for _ in range(SIZE // MIB):
                    file.write(b"\xa5" * MIB)
                os.fsync(file.fileno())

        cells(bench, ram, "zram", target, settle, ["--no-verify", "--yes-erase", f"{target.name}:{SIZE}"])


@contextlib.contextmanager
def mounted_ext4(device, folder):
    subprocess.run(["mke2fs", "-q", "-F", "-t", "ext4", device], check=True)
    folder.mkdir()
    subprocess.run(["mount", "-t", "ext4", device, folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def file(bench):
    """An existing file of a file system on a loop device"""
    with bench.folder("ram", SIZE) as ram, bench.folder("disk", 3 * SIZE) as disk:
        backing = disk / "device"
        backing.touch()
        os.truncate(backing, 2 * SIZE)
        with machine.loop_device(backing) as device, mounted_ext4(device, disk / "mounted") as folder:
            target = folder / "file"
            old_file(target)
            cells(bench, ram, "file on ext4 on a loop device", target, lambda: fill_holes(target), [])


GROUPS = (loop, loop_direct, zram, file)
