# SPDX-License-Identifier: GPL-3.0-or-later
"""`disklathe sweep` against fio: whether both say the same of the same device"""

import contextlib
import json
import os
import pathlib
import resource
import subprocess
import time

import machine
from harness import Agreement, Broken, status_line
from machine import KIB, MIB, Unavailable

SIZES = 4 * KIB, 64 * KIB, MIB, 4 * MIB
SIZE = 256 * MIB


def answer(*command):
    done = subprocess.run([*map(str, command)], text=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=120)
    if done.returncode:
        raise Broken(f"{command[0]}: {done.stderr.strip()[-300:]}")
    return json.loads(done.stdout)


def by_fio(target, size, seconds, depth, write):
    engine = ["--ioengine=sync"] if depth == 1 else ["--ioengine=io_uring", f"--iodepth={depth}"]
    job = answer("fio", "--name=sweep", "--output-format=json", f"--filename={target}", "--direct=1", "--thread", *engine,
                 f"--bs={size}", f"--rw={'write' if write else 'read'}", "--time_based", f"--runtime={int(seconds * 1000)}ms")
    return job["jobs"][0]["write" if write else "read"]["bw_bytes"]


def by_us(program, target, size, seconds, depth, write):
    erase = ["--write", "--yes-erase", f"{target.name}:{SIZE}"] if write else []
    point, = answer(program, "sweep", "--output=json", "--sizes", size, "--seconds", seconds, "--depth", depth, *erase,
                    target)["points"]
    # What it shows is a median, which a disturbance does not move; fio's figure is a mean.
    return point["size"] * point["requests"] / point["seconds"]


def by_bare_calls(bench, target, size, seconds, write):
    """The same requests by a loop of a few lines: what waits in them is the kernel"""
    done = subprocess.run([bench.tools["requests"], target, str(size), str(SIZE), str(seconds), "write" if write else "read"],
                          text=True, capture_output=True, check=True, timeout=120)
    return float(done.stdout)


def busy_and_own():
    """CPU seconds of the machine and of what this program started, and the time"""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return machine.busy_seconds(), used.ru_utime + used.ru_stime, time.monotonic()


def agree(bench, name, target, depth=1, write=False):
    """In rounds, so that what disturbs the machine disturbs all; who is first takes turns.

    Before each of them fio runs for a moment. On a loop device the kernel's threads choose the processor on which they
    and those whom they wake run by whom they served last: whoever follows fio is as fast as fio, and whoever follows a
    program with one busy thread by up to a third slower, be it fio, a bare loop of system calls, or ours.
    """
    seconds = 0.2 if bench.quick else 0.5
    agreement = Agreement(name)
    before = busy_and_own()
    contenders = [lambda size: by_us(bench.program, target, size, seconds, depth, write),
                  lambda size: by_fio(target, size, seconds, depth, write),
                  lambda size: by_bare_calls(bench, target, size, seconds, write) if depth == 1 else None]
    for size in SIZES:
        rounds = []
        for turn in range(bench.rounds):
            status_line(f"{name}: {machine.size_text(size)}, round {turn + 1} of {bench.rounds}")
            figures = [None] * len(contenders)
            for place in range(len(contenders)):
                which = (turn + place) % len(contenders)
                by_fio(target, size, seconds, depth, write)
                figures[which] = contenders[which](size)
            rounds.append(tuple(figures))
        agreement.rows.append((size, rounds))
    status_line("")
    busy, own, wall = (after - b for after, b in zip(busy_and_own(), before))
    bench.others.append((max(0.0, busy - own), wall))
    bench.agreement(agreement)


@contextlib.contextmanager
def zram_device(size):
    control = pathlib.Path("/sys/class/zram-control")
    try:
        number = (control / "hot_add").read_text().strip()
    except OSError as error:
        raise Unavailable(f"no zram: {error}") from None
    try:
        pathlib.Path(f"/sys/block/zram{number}/disksize").write_text(str(size))
        yield pathlib.Path(f"/dev/zram{number}")
    finally:
        (control / "hot_remove").write_text(number)


def fill(path):
    """With bytes that no device can compress; what was never written is not read from it at all"""
    with open(path, "r+b" if path.exists() else "wb", buffering=0) as file:
        for _ in range(SIZE // MIB):
            file.write(os.urandom(MIB))
        os.fsync(file.fileno())


def zram(bench):
    """A device that answers in the caller's own time: what the programs themselves cost"""
    with zram_device(SIZE) as device:
        fill(device)
        agree(bench, "read zram", device)


def loop(bench):
    """A loop device over tmpfs"""
    with bench.folder("ram", 2 * SIZE) as folder:
        backing = folder / "backing"
        fill(backing)
        with machine.loop_device(backing) as device:
            agree(bench, "read loop on tmpfs", device)
            agree(bench, "read loop on tmpfs, 8 in flight", device, depth=8)
            agree(bench, "write loop on tmpfs", device, write=True)


def file(bench):
    """A file on the disk"""
    with bench.folder("disk", 2 * SIZE) as folder:
        path = folder / "file"
        fill(path)
        machine.forget(path)
        agree(bench, f"read a file on {machine.file_system(folder)}", path)


GROUPS = (zram, loop, file)
