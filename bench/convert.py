# SPDX-License-Identifier: GPL-3.0-or-later
"""`disklathe convert` against qemu-img, nbdcopy and cp"""

import contextlib
import os
import pathlib
import subprocess

import images
import machine
from contenders import CACHED, OUT_OF_ORDER, SYNCED
from contenders import all_zeros, convert, cp, equal, equal_on_device, nbdcopy, rivals, runner_floor
from harness import Case, Contender, Goal
from machine import GIB, MIB, TIB, Unavailable, size_text

RAW_RAW, QCOW2_RAW, RAW_QCOW2 = ("raw", "raw"), ("qcow2", "raw"), ("raw", "qcow2")
DIRECT = ["-t", "none", "-T", "none"]


def allocated(path):
    return path.stat().st_blocks * 512


def write_floor(bench, folder, size):
    target = folder / "floor.out"
    return bench.floor("write as much", "write", target, size, os.cpu_count(), "cached", output=target)


def sparse(bench):
    """Empty qcow2 images: what starting and reading metadata takes"""
    with bench.folder("ram", 64 * MIB) as folder:
        for name, size in (("100 G", 100 * GIB), ("1 T", TIB)):
            source = folder / "source.qcow2"
            images.empty_qcow2(source, size)
            ours, *peers = rivals(bench, folder, source, QCOW2_RAW)
            peers += [nbdcopy(folder, source, "qcow2"), runner_floor()]
            check = equal(source, QCOW2_RAW, ours)
            name = f"sparse {name} qcow2 -> raw"
            bench.case(Case(name, [ours, *peers], Goal(0.12), Goal(0.09), check, more_rounds=3))


def memory(bench):
    """A disk in use, all in tmpfs"""
    size = GIB // 2 if bench.quick else GIB
    with bench.folder("ram", 5 * size) as folder:
        raw, qcow2 = folder / "source.raw", folder / "source.qcow2"
        images.mixed_raw(raw, size)
        images.by_qemu(raw, "raw", qcow2)
        label = f"{size_text(size)} mixed, tmpfs"
        floors = [
            bench.floor("read it", "read", qcow2, os.cpu_count(), "cached"),
            write_floor(bench, folder, allocated(raw)),
        ]

        ours, *peers = rivals(bench, folder, raw, RAW_RAW)
        peers += [nbdcopy(folder, raw, "raw"), cp(folder, raw), cp(folder, raw, "--sparse=always"), *floors]
        check = equal(raw, RAW_RAW, ours)
        bench.case(Case(f"raw -> raw, {label}", [ours, *peers], Goal(0.93), Goal(0.80), check, fills=size))

        ours, *peers = rivals(bench, folder, qcow2, QCOW2_RAW)
        peers += [nbdcopy(folder, qcow2, "qcow2"), *floors]
        check = equal(qcow2, QCOW2_RAW, ours)
        bench.case(Case(f"qcow2 -> raw, {label}", [ours, *peers], Goal(0.77), Goal(0.70), check, fills=size))

        ours, *peers = rivals(bench, folder, raw, RAW_QCOW2)
        check = equal(raw, RAW_QCOW2, ours)
        bench.case(Case(f"raw -> qcow2, {label}", [ours, *peers, *floors], Goal(0.88), Goal(0.75), check, fills=size))


def compressed_read(bench):
    """Compressed qcow2 images, as qemu-img makes them, to raw"""
    size = GIB // 4 if bench.quick else GIB
    with bench.folder("ram", 4 * size) as folder:
        raw, qcow2 = folder / "source.raw", folder / "source.qcow2"
        images.mixed_raw(raw, size)
        for codec, hold, aim in (("zlib", 0.46, 0.40), ("zstd", 0.57, 0.50)):
            images.by_qemu(raw, "raw", qcow2, "-c", "-o", f"compression_type={codec}")
            ours, *peers = rivals(bench, folder, qcow2, QCOW2_RAW)
            peers += [nbdcopy(folder, qcow2, "qcow2"), write_floor(bench, folder, allocated(raw))]
            name = f"qcow2 {codec} -> raw, {size_text(size)} mixed, tmpfs"
            bench.case(Case(name, [ours, *peers], Goal(hold), Goal(aim), equal(qcow2, QCOW2_RAW, ours), fills=size))


def compressed_write(bench):
    """Real data to compressed qcow2"""
    size = 64 * MIB if bench.quick else 256 * MIB
    with bench.folder("ram", 6 * size) as folder:
        raw = folder / "source.raw"
        images.real_raw(raw, size)
        for codec, hold, aim in (("zlib", 0.25, 0.18), ("zstd", 0.73, 0.60)):
            ours, *peers = rivals(bench, folder, raw, RAW_QCOW2, "-c", "-o", f"compression_type={codec}")
            name = f"raw -> qcow2 -c {codec}, {size_text(size)} of /usr/lib, tmpfs"
            check = equal(raw, RAW_QCOW2, ours)
            bench.case(Case(name, [ours, *peers], Goal(hold), Goal(aim), check, not_larger="qemu-img",
                            fills=size))


def direct(bench):
    """Past the page cache, on the disk"""
    size = GIB // 2 if bench.quick else GIB
    with bench.folder("disk", 3 * size) as folder:
        raw, out = folder / "source.raw", folder / "floor.out"
        images.mixed_raw(raw, size)
        machine.forget(raw)
        ours, *peers = rivals(bench, folder, raw, RAW_RAW, *DIRECT, durable=SYNCED)
        peers += [
            bench.floor("read it", "read", raw, 8, "direct"),
            bench.floor("write as much, sync", "write", out, allocated(raw), 8, "direct", output=out),
        ]
        name = f"direct raw -> raw, {size_text(size)} mixed, {machine.file_system(folder)}"
        bench.case(Case(name, [ours, *peers], Goal(1.00, cpu=0.6), Goal(0.90), equal(raw, RAW_RAW, ours)))


def fragmented(bench):
    """The four images of clusters in and out of order, read past the page cache from a fast device"""
    size = GIB // 4 if bench.quick else 4 * GIB if bench.full else GIB
    with bench.folder("ram", 5 * size) as folder, contextlib.ExitStack() as devices:
        cases = []
        for order in images.ORDERS:
            source, place = folder / f"{order}.qcow2", folder / order
            place.mkdir()
            images.fragmented_qcow2(source, size, order)
            device = devices.enter_context(machine.loop_device(source, read_only=True))
            contenders = rivals(bench, place, device, QCOW2_RAW, "-T", "none")
            name = f"fragmented {order}, {size_text(size)}, loop on tmpfs direct -> tmpfs"
            check = equal(source, QCOW2_RAW, contenders[0])
            if order == "seq":
                cases.append(Case(name, contenders, check=check, fills=size))
            else:
                hold, aim = Goal(0.60, own=1.10), Goal(0.50, own=1.05)
                cases.append(Case(name, contenders, hold, aim, check, own=cases[0].name, fills=size))
        bench.case(*cases)


def fragmented_disk(bench):
    """The worst of the four on a disk, past the page cache both ways"""
    size = GIB // 4 if bench.quick else 4 * GIB if bench.full else GIB
    with bench.folder("disk", 3 * size) as folder:
        source = folder / "source.qcow2"
        images.fragmented_qcow2(source, size, "rand")
        machine.forget(source)
        contenders = rivals(bench, folder, source, QCOW2_RAW, *DIRECT, durable=SYNCED)
        name = f"fragmented rand, {size_text(size)}, direct -> direct, {machine.file_system(folder)}"
        bench.case(Case(name, contenders, Goal(0.75), Goal(0.65), equal(source, QCOW2_RAW, contenders[0])))


def fill_holes(backing):
    """Makes the device what it was: full of old data everywhere"""
    junk = b"\xa5" * MIB
    with open(backing, "r+b", buffering=0) as file:
        fd = file.fileno()
        size, at = os.fstat(fd).st_size, 0
        while at < size and (at := os.lseek(fd, at, os.SEEK_HOLE)) < size:
            try:
                end = os.lseek(fd, at, os.SEEK_DATA)
            except OSError:
                end = size
            while at < end:
                at += os.pwrite(fd, junk[: end - at], at)
    machine.forget(backing)


def device(bench):
    """An image onto a block device that is full of old data"""
    size = GIB // 2 if bench.quick else GIB
    with bench.folder("ram", size) as ram, bench.folder("disk", 2 * size) as disk:
        raw, backing = ram / "source.raw", disk / "device"
        images.mixed_raw(raw, size)
        backing.touch()
        os.truncate(backing, size)
        fill_holes(backing)
        with machine.loop_device(backing) as target:

            def onto_device(name, program, *options, role="peer"):
                command = [program, "convert", "-n", "-f", "raw", "-O", "raw", *options, raw, target]
                if role == "ours":
                    # The others do not read back.
                    command[2:2] = ["--no-verify", "-q", "--yes-erase", f"{pathlib.Path(target).name}:{size}"]
                return Contender(name, command, role, None, SYNCED)

            contenders = [
                onto_device("qemu-img", "qemu-img"),
                onto_device("qemu-img -t none", "qemu-img", "-t", "none"),
                onto_device("qemu-img -t none -W -m 16", "qemu-img", "-t", "none", *OUT_OF_ORDER),
                Contender("nbdcopy", ["nbdcopy", raw, target], "peer", None, SYNCED),
                onto_device("disklathe", bench.program, role="ours"),  # the last: what it wrote is what is checked
            ]
            name = f"raw {size_text(size)} mixed, tmpfs -> loop device on {machine.file_system(disk)}"
            check = equal_on_device(raw, target, size)
            bench.case(Case(name, contenders, Goal(0.83), Goal(0.75), check, before=lambda: fill_holes(backing)))


def buffered(bench):
    """Through the page cache, on the disk; the source is in the cache"""
    size = GIB // 2 if bench.quick else GIB
    with bench.folder("disk", 3 * size) as folder:
        raw = folder / "source.raw"
        images.mixed_raw(raw, size)
        disk = machine.file_system(folder)
        label = f"{size_text(size)} mixed, {disk} -> {disk}"

        def settle():
            subprocess.run(["sync", "-f", folder], check=True)
            machine.warm(raw)

        ours, *peers = rivals(bench, folder, raw, RAW_RAW, "-t", "unsafe", durable=CACHED)
        peers += [
            nbdcopy(folder, raw, "raw", durable=CACHED),
            cp(folder, raw, durable=CACHED),
            cp(folder, raw, "--sparse=always", durable=CACHED),
            bench.floor("read it", "read", raw, os.cpu_count(), "cached"),
            write_floor(bench, folder, allocated(raw)),
        ]
        check = equal(raw, RAW_RAW, ours)
        name = f"buffered raw -> raw without sync, {label}"
        bench.case(Case(name, [ours, *peers], Goal(0.65), Goal(0.55), check, before=settle, fills=size))

        ours = convert(bench.program, "disklathe", folder, raw, RAW_RAW, role="ours", durable=SYNCED)
        _, *peers = rivals(bench, folder, raw, RAW_RAW, "-t", "writeback", durable=SYNCED)
        peers += [
            nbdcopy(folder, raw, "raw", "--flush", durable=SYNCED),
            cp(folder, raw, durable=SYNCED, sync=True),
        ]
        check = equal(raw, RAW_RAW, ours)
        name = f"buffered raw -> raw with sync, {label}"
        bench.case(Case(name, [ours, *peers], Goal(0.65), Goal(0.55), check, before=settle, fills=size))


def series(bench, name, place, need, sizes, formats, make, check, fills=lambda _size: 0):
    """The same task at growing sizes, by our program alone"""
    try:
        with bench.folder(place, need) as folder:
            cases = []
            for size in sizes:
                source, room = folder / f"{size}.source", folder / str(size)
                room.mkdir()
                make(source, size)
                ours = convert(bench.program, "disklathe", room, source, formats, role="ours")
                cases.append((size, Case(f"{name}, {size_text(size)}", [ours], check=check(source, ours, size),
                                         fills=fills(size))))
            bench.growth(name, cases)
    except Unavailable as lack:
        bench.skip(name, lack)


def growth(bench):
    """Twice the image, twice the time; and the same memory"""
    if bench.quick:
        return

    def same(source, ours, _size):
        return equal(source, RAW_RAW, ours)

    def zeros(_source, ours, size):
        return all_zeros(ours, size)

    place, sizes = ("disk", [GIB, 4 * GIB, 16 * GIB]) if bench.full else ("ram", [GIB, 2 * GIB, 4 * GIB])
    need = sum(sizes) + sizes[-1]
    series(bench, "growth, full raw -> raw", place, need, sizes, RAW_RAW, images.data_raw, same, lambda size: size)
    sizes = [GIB, 4 * GIB, 16 * GIB]
    series(bench, "growth, sparse raw -> raw, tmpfs", "ram", GIB, sizes, RAW_RAW, images.sparse_raw, same)
    sizes = [TIB, 4 * TIB, 16 * TIB, 64 * TIB]
    name = "growth, qcow2 with all its metadata and no data -> raw, tmpfs"
    series(bench, name, "ram", GIB // 2, sizes, QCOW2_RAW, images.zero_clusters_qcow2, zeros)


GROUPS = (
    sparse,
    memory,
    compressed_read,
    compressed_write,
    direct,
    fragmented,
    fragmented_disk,
    device,
    buffered,
    growth,
)
