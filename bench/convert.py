# SPDX-License-Identifier: GPL-3.0-or-later
"""`disklathe convert` against qemu-img, nbdcopy and cp"""

import contextlib
import os
import shutil
import subprocess

import images
import machine
from harness import Case, Contender, Goal
from machine import GIB, MIB, TIB, Unavailable

OUT_OF_ORDER = ["-W", "-m", "16"]
IN_MEMORY = "in memory"
CACHED = "in the page cache"
SYNCED = "on the medium"


# ---- contenders

def convert(program, name, folder, source, source_format, target_format, *options, role="peer", durable=IN_MEMORY):
    target = folder / f"{name.replace(' ', '')}.out"
    return Contender(name, [program, "convert", "-f", source_format, "-O", target_format, *options, source, target], role,
                     target, durable)


def rivals(bench, folder, source, source_format, target_format, *options, durable=IN_MEMORY):
    """disklathe and qemu-img, in order and out of order, with the same options"""
    task = (folder, source, source_format, target_format, *options)
    return [convert(bench.program, "disklathe", *task, role="ours", durable=durable),
            convert("qemu-img", "qemu-img", *task, durable=durable),
            convert("qemu-img", "qemu-img -W -m 16", *task, *OUT_OF_ORDER, durable=durable)]


def nbdcopy(folder, source, source_format, *options, durable=IN_MEMORY):
    target = folder / "nbdcopy.out"
    left = [source] if source_format == "raw" else ["--", "[", "qemu-nbd", "--read-only", "-f", source_format, source, "]"]
    return Contender("nbdcopy", ["nbdcopy", *options, *left, target], "peer", target, durable)


def cp(folder, source, *options, durable=IN_MEMORY, sync=False):
    name = " ".join(["cp", *options, *(["+ sync"] if sync else [])])
    target = folder / f"{name.replace(' ', '')}.out"
    command = ["cp", *options, source, target]
    if sync:
        command = ["sh", "-c", '"$@" && for last; do :; done && sync "$last"', "sh", *command]
    return Contender(name, command, "peer", target, durable)


def runner_floor():
    return Contender("floor: true", ["true"], "floor")


# ---- checks

def equal(source, source_format, contender, target_format):
    """A check of our output: the guest's disk is the source's; a raw image is as long as that; a qcow2 image is clean."""
    def check():
        target = contender.output
        compare = subprocess.run(["qemu-img", "compare", "-f", source_format, "-F", target_format, source, target],
                                 text=True, capture_output=True)
        if compare.returncode:
            return f"not the source: {(compare.stdout + compare.stderr).strip()}"
        if target_format == "raw":
            length = raw_length(source, source_format)
            return None if target.stat().st_size == length else f"{target.stat().st_size} bytes long, not {length}"
        clean = subprocess.run(["qemu-img", "check", "-q", target], text=True, capture_output=True)
        return None if clean.returncode == 0 else f"qemu-img check: {(clean.stdout + clean.stderr).strip()}"
    return check


def raw_length(source, source_format):
    if source_format == "raw":
        return source.stat().st_size
    with open(source, "rb") as file:   # QCOW2 specification, header: size of the guest's disk, big-endian, at 24
        return int.from_bytes(file.read(32)[24:32])


def all_zeros(contender, size, most=MIB):
    """A check for what is too large to read: as long as it should be, and a hole but for at most `most` bytes of zeros"""
    def check():
        with open(contender.output, "rb") as file:
            fd = file.fileno()
            if os.fstat(fd).st_size != size:
                return f"{os.fstat(fd).st_size} bytes long, not {size}"
            if allocated(contender.output) > most:
                return f"{allocated(contender.output)} bytes allocated for nothing but zeros"
            at = 0
            while True:
                try:
                    at = os.lseek(fd, at, os.SEEK_DATA)
                except OSError:
                    return None
                end = os.lseek(fd, at, os.SEEK_HOLE)
                if any(os.pread(fd, end - at, at)):
                    return f"something else than zeros between {at} and {end}"
                at = end
    return check


def allocated(path):
    return path.stat().st_blocks * 512


# ---- the table, a group of cases a function

def sparse(bench):
    """Empty qcow2 images: what starting and reading metadata takes"""
    with bench.folder("ram", 64 * MIB) as folder:
        for name, size in (("100 G", 100 * GIB), ("1 T", TIB)):
            source = folder / "source.qcow2"
            images.empty_qcow2(source, size)
            contenders = rivals(bench, folder, source, "qcow2", "raw")
            bench.case(Case(f"sparse {name} qcow2 -> raw", [*contenders, nbdcopy(folder, source, "qcow2"), runner_floor()],
                            Goal(0.12), Goal(0.09), equal(source, "qcow2", contenders[0], "raw"), more_rounds=3))


def memory(bench):
    """A disk in use, all in tmpfs"""
    size = GIB // 2 if bench.quick else GIB
    with bench.folder("ram", 5 * size) as folder:
        raw, qcow2 = folder / "source.raw", folder / "source.qcow2"
        images.mixed_raw(raw, size)
        images.by_qemu(raw, "raw", qcow2)
        label = f"{machine.size_text(size)} mixed, tmpfs"
        floor_file = folder / "floor.out"
        floors = [bench.floor("write as much", "write", floor_file, allocated(raw), os.cpu_count(), "cached", output=floor_file),
                  bench.floor("read it", "read", qcow2, os.cpu_count(), "cached")]

        ours, *peers = rivals(bench, folder, raw, "raw", "raw")
        peers += [nbdcopy(folder, raw, "raw"), cp(folder, raw), cp(folder, raw, "--sparse=always")]
        bench.case(Case(f"raw -> raw, {label}", [ours, *peers, *floors], Goal(0.93), Goal(0.80), equal(raw, "raw", ours, "raw")))

        ours, *peers = rivals(bench, folder, qcow2, "qcow2", "raw")
        bench.case(Case(f"qcow2 -> raw, {label}", [ours, *peers, nbdcopy(folder, qcow2, "qcow2"), *floors],
                        Goal(0.77), Goal(0.70), equal(qcow2, "qcow2", ours, "raw")))

        ours, *peers = rivals(bench, folder, raw, "raw", "qcow2")
        bench.case(Case(f"raw -> qcow2, {label}", [ours, *peers, *floors], Goal(0.88), Goal(0.75), equal(raw, "raw", ours, "qcow2")))


def compressed_read(bench):
    """Compressed qcow2 images, as qemu-img makes them, to raw"""
    size = GIB // 4 if bench.quick else GIB
    with bench.folder("ram", 4 * size) as folder:
        raw, qcow2, floor_file = folder / "source.raw", folder / "source.qcow2", folder / "floor.out"
        images.mixed_raw(raw, size)
        for codec, hold, aim in (("zlib", 0.46, 0.40), ("zstd", 0.57, 0.50)):
            images.by_qemu(raw, "raw", qcow2, "-c", "-o", f"compression_type={codec}")
            ours, *peers = rivals(bench, folder, qcow2, "qcow2", "raw")
            floor = bench.floor("write as much", "write", floor_file, allocated(raw), os.cpu_count(), "cached", output=floor_file)
            bench.case(Case(f"qcow2 {codec} -> raw, {machine.size_text(size)} mixed, tmpfs",
                            [ours, *peers, nbdcopy(folder, qcow2, "qcow2"), floor], Goal(hold), Goal(aim),
                            equal(qcow2, "qcow2", ours, "raw")))


def compressed_write(bench):
    """Real data to compressed qcow2"""
    size = 64 * MIB if bench.quick else 256 * MIB
    with bench.folder("ram", 6 * size) as folder:
        raw = folder / "source.raw"
        images.real_raw(raw, size)
        for codec, hold, aim in (("zlib", 0.25, 0.18), ("zstd", 0.73, 0.60)):
            ours, *peers = rivals(bench, folder, raw, "raw", "qcow2", "-c", "-o", f"compression_type={codec}")
            bench.case(Case(f"raw -> qcow2 -c {codec}, {machine.size_text(size)} of /usr/lib, tmpfs", [ours, *peers],
                            Goal(hold), Goal(aim), equal(raw, "raw", ours, "qcow2"),
                            not_larger="qemu-img"))


DIRECT = ["-t", "none", "-T", "none"]


def direct(bench):
    """Past the page cache, on the disk"""
    size = GIB // 2 if bench.quick else GIB
    with bench.folder("disk", 3 * size) as folder:
        raw, floor_file = folder / "source.raw", folder / "floor.out"
        images.mixed_raw(raw, size)
        machine.forget(raw)
        ours, *peers = rivals(bench, folder, raw, "raw", "raw", *DIRECT, durable=SYNCED)
        floors = [bench.floor("read it", "read", raw, 8, "direct"),
                  bench.floor("write as much, sync", "write", floor_file, allocated(raw), 8, "direct", output=floor_file)]
        bench.case(Case(f"direct raw -> raw, {machine.size_text(size)} mixed, {machine.file_system(folder)}", [ours, *peers, *floors],
                        Goal(1.00, cpu=0.6), Goal(0.90), equal(raw, "raw", ours, "raw")))


def fragmented(bench):
    """The four images of clusters in and out of order, read past the page cache from a fast device"""
    size = GIB // 4 if bench.quick else 4 * GIB if bench.full else GIB
    with bench.folder("ram", 6 * size + GIB) as folder, contextlib.ExitStack() as devices:
        cases = []
        for order in images.ORDERS:
            source, place = folder / f"{order}.qcow2", folder / order
            place.mkdir()
            images.fragmented_qcow2(source, size, order)
            device = devices.enter_context(machine.loop_device(source, read_only=True))
            ours, *peers = rivals(bench, place, device, "qcow2", "raw", "-T", "none")
            own = {} if order == "seq" else {"own": 1.10}
            own_aim = {} if order == "seq" else {"own": 1.05}
            wall, wall_aim = (None, None) if order == "seq" else (0.60, 0.50)
            cases.append(Case(f"fragmented {order}, {machine.size_text(size)}, loop on tmpfs direct -> tmpfs", [ours, *peers],
                              Goal(wall, **own), Goal(wall_aim, **own_aim), equal(source, "qcow2", ours, "raw"),
                              own=cases[0].name if cases else None))
        bench.case(*cases)


def fragmented_disk(bench):
    """The worst of the four on a disk, past the page cache both ways"""
    size = GIB // 4 if bench.quick else 4 * GIB if bench.full else GIB
    with bench.folder("disk", 3 * size) as folder:
        source = folder / "source.qcow2"
        images.fragmented_qcow2(source, size, "rand")
        machine.forget(source)
        ours, *peers = rivals(bench, folder, source, "qcow2", "raw", *DIRECT, durable=SYNCED)
        bench.case(Case(f"fragmented rand, {machine.size_text(size)}, direct -> direct, {machine.file_system(folder)}", [ours, *peers],
                        Goal(0.75), Goal(0.65), equal(source, "qcow2", ours, "raw")))


def fill_holes(backing):
    """Makes the device what it was: full of old data everywhere"""
    junk = b"\xA5" * MIB
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
            task = ["convert", "-n", "-f", "raw", "-O", "raw"]
            contenders = [
                Contender("disklathe", [bench.program, *task, raw, target], "ours", None, SYNCED),
                Contender("qemu-img", ["qemu-img", *task, raw, target], "peer", None, SYNCED),
                Contender("qemu-img -t none", ["qemu-img", *task, "-t", "none", raw, target], "peer", None, SYNCED),
                Contender("qemu-img -t none -W -m 16", ["qemu-img", *task, "-t", "none", *OUT_OF_ORDER, raw, target], "peer", None, SYNCED),
                Contender("nbdcopy", ["nbdcopy", raw, target], "peer", None, SYNCED)]

            def check():
                done = subprocess.run(["cmp", "-n", str(size), raw, target], text=True, capture_output=True)
                return None if done.returncode == 0 else f"not the source: {(done.stdout + done.stderr).strip()}"

            # Ours comes last in each round: what is checked afterwards is what it wrote.
            bench.case(Case(f"raw {machine.size_text(size)} mixed, tmpfs -> loop device on {machine.file_system(disk)}",
                            [*contenders[1:], contenders[0]], Goal(0.83), Goal(0.75), check, before=lambda: fill_holes(backing)))


def buffered(bench):
    """Through the page cache, on the disk; the source is in the cache"""
    size = GIB // 2 if bench.quick else GIB
    with bench.folder("disk", 3 * size) as folder:
        raw = folder / "source.raw"
        images.mixed_raw(raw, size)
        machine.forget(raw)
        label = f"{machine.size_text(size)} mixed, {machine.file_system(folder)} -> {machine.file_system(folder)}"
        settle = lambda: (subprocess.run(["sync", "-f", folder], check=True), machine.warm(raw))

        ours, *peers = rivals(bench, folder, raw, "raw", "raw", "-t", "unsafe", durable=CACHED)
        peers += [nbdcopy(folder, raw, "raw", durable=CACHED), cp(folder, raw, durable=CACHED),
                  cp(folder, raw, "--sparse=always", durable=CACHED)]
        bench.case(Case(f"buffered raw -> raw without sync, {label}", [ours, *peers], Goal(0.65), Goal(0.55),
                        equal(raw, "raw", ours, "raw"), before=settle))

        ours = convert(bench.program, "disklathe", folder, raw, "raw", "raw", role="ours", durable=SYNCED)
        _, *peers = rivals(bench, folder, raw, "raw", "raw", "-t", "writeback", durable=SYNCED)
        peers += [nbdcopy(folder, raw, "raw", "--flush", durable=SYNCED), cp(folder, raw, sync=True, durable=SYNCED)]
        bench.case(Case(f"buffered raw -> raw with sync, {label}", [ours, *peers], Goal(0.65), Goal(0.55),
                        equal(raw, "raw", ours, "raw"), before=settle))


def growth(bench):
    """Twice the image, twice the time; and the same memory"""
    if bench.quick:
        return
    ours = lambda folder, source, kind: [convert(bench.program, "disklathe", folder, source, kind, "raw", role="ours")]

    def series(name, place, need, sizes, make, kind, check):
        try:
            with bench.folder(place, need) as folder:
                cases = []
                for size in sizes:
                    source, room = folder / f"{size}.source", folder / str(size)
                    room.mkdir()
                    make(source, size)
                    contenders = ours(room, source, kind)
                    cases.append((size, Case(f"{name}, {machine.size_text(size)}", contenders, check=check(source, contenders[0], size))))
                bench.growth(name, cases)
        except Unavailable as lack:
            bench.skip(name, lack)

    same_raw = lambda source, contender, size: equal(source, "raw", contender, "raw")
    sizes = [GIB, 4 * GIB, 16 * GIB] if bench.full else [GIB, 2 * GIB, 4 * GIB]
    series("growth, full raw -> raw", "disk" if bench.full else "ram", 2 * sum(sizes), sizes, images.data_raw, "raw", same_raw)
    sizes = [GIB, 4 * GIB, 16 * GIB]
    series("growth, sparse raw -> raw, tmpfs", "ram", sum(sizes) // 20, sizes, images.sparse_raw, "raw", same_raw)
    sizes = [TIB, 4 * TIB, 16 * TIB, 64 * TIB]
    series("growth, qcow2 with all its metadata and no data -> raw, tmpfs", "ram", GIB // 2, sizes, images.zero_clusters_qcow2, "qcow2",
           lambda source, contender, size: all_zeros(contender, size))


GROUPS = (sparse, memory, compressed_read, compressed_write, direct, fragmented, fragmented_disk, device, buffered, growth)
