# SPDX-License-Identifier: GPL-3.0-or-later
"""Who converts, how, and how it is checked that the result is right"""

import json
import os
import subprocess

from harness import Contender

OUT_OF_ORDER = ["-W", "-m", "16"]
IN_MEMORY = "in memory"
CACHED = "in the page cache"
SYNCED = "on the medium"
CANNOT_CHECK = 63    # what qemu-img check ends with for formats it cannot check


def convert(program, name, folder, source, formats, *options, role="peer", durable=IN_MEMORY):
    """formats: (of the source, of the target); the target is a new file in `folder`"""
    target = folder / f"{name.replace(' ', '')}.out"
    command = [program, "convert", "-f", formats[0], "-O", formats[1], *options, source, target]
    return Contender(name, command, role, target, durable)


def rivals(bench, folder, source, formats, *options, durable=IN_MEMORY):
    """disklathe; qemu-img in order and out of order, with the same options"""
    task = (folder, source, formats, *options)
    return [
        convert(bench.program, "disklathe", *task, role="ours", durable=durable),
        convert("qemu-img", "qemu-img", *task, durable=durable),
        convert("qemu-img", "qemu-img -W -m 16", *task, *OUT_OF_ORDER, durable=durable),
    ]


def nbdcopy(folder, source, source_format, *options, durable=IN_MEMORY):
    """To a raw file; a format is read by qemu-nbd"""
    target = folder / "nbdcopy.out"
    if source_format != "raw":
        source = ["--", "[", "qemu-nbd", "--read-only", "-f", source_format, source, "]"]
    else:
        source = [source]
    return Contender("nbdcopy", ["nbdcopy", *options, *source, target], "peer", target, durable)


def cp(folder, source, *options, durable=IN_MEMORY, sync=False):
    name = " ".join(["cp", *options, *(["+ sync"] if sync else [])])
    target = folder / f"{name.replace(' ', '')}.out"
    command = ["cp", *options, source, target]
    if sync:
        command = ["sh", "-c", '"$@" && for last; do :; done && sync "$last"', "sh", *command]
    return Contender(name, command, "peer", target, durable)


def sums(bench, source, source_format, digest):
    """disklathe checksum, and the same by the programs' own, of a raw file and of what qemu-img or nbdcopy make of an
    image on the way. Both digests: one program after the other, or together behind a tee."""
    options = [] if digest == "both" else ["--digest", digest]
    programs = ["sha256sum", "xxh128sum"] if digest == "both" else [f"{digest}sum"]
    ours = Contender("disklathe", [bench.program, "checksum", "-f", source_format, *options, source], "ours")

    def shell(name, script):
        return Contender(name, ["bash", "-c", script, "bash", source])

    if source_format == "raw":
        together = shell("together", "".join(f"{program} <$1 & " for program in programs) + "wait")
        return [ours, together] if len(programs) > 1 else [ours, shell(programs[0], f"{programs[0]} <$1")]
    reading = f'nbdcopy -- [ qemu-nbd --read-only -f {source_format} "$1" ] -'
    if len(programs) > 1:
        return [ours, shell("nbdcopy | tee", f"{reading} | tee >({programs[1]}) | {programs[0]}")]
    return [ours, shell("nbdcopy |", f"{reading} | {programs[0]}")]


def runner_floor():
    return Contender("floor: true", ["true"], "floor")


# ---- checks: functions that say what is wrong with our output, or nothing


def said(done):
    return (done.stdout + done.stderr).strip()


def run(*command):
    return subprocess.run(command, text=True, capture_output=True)


def equal(source, formats, contender):
    """The guest's disk is the source's, a raw image is exactly as long as that, others are clean where qemu-img can
    tell."""

    def check():
        target = contender.output
        compare = run("qemu-img", "compare", "-f", formats[0], "-F", formats[1], source, target)
        if compare.returncode:
            return f"not the source: {said(compare)}"
        if formats[1] == "raw":
            length = raw_length(source, formats[0])
            return None if target.stat().st_size == length else f"{target.stat().st_size} bytes long, not {length}"
        clean = run("qemu-img", "check", "-q", "-f", formats[1], target)
        return None if clean.returncode in (0, CANNOT_CHECK) else f"qemu-img check: {said(clean)}"

    return check


def raw_length(source, source_format):
    if source_format == "raw":
        return source.stat().st_size
    return json.loads(run("qemu-img", "info", "-f", source_format, "--output=json", source).stdout)["virtual-size"]


def equal_on_device(source, device, size):
    def check():
        done = run("cmp", "-n", str(size), source, device)
        return None if done.returncode == 0 else f"not the source: {said(done)}"

    return check


def all_zeros(contender, size, most=1 << 20):
    """For what is too large to read: as long as it should be, and a hole but for at most `most` bytes of zeros"""

    def check():
        with open(contender.output, "rb") as file:
            fd = file.fileno()
            status = os.fstat(fd)
            if status.st_size != size:
                return f"{status.st_size} bytes long, not {size}"
            if status.st_blocks * 512 > most:
                return f"{status.st_blocks * 512} bytes allocated for nothing but zeros"
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
