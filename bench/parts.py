# SPDX-License-Identifier: GPL-3.0-or-later
"""What every run has part in: starting, a worker's launch, looking for zeroes, and compressing at each level"""

import subprocess

import images
from contenders import equal
from harness import Case, Contender, Goal
from machine import KIB, MIB

STARTS_WITHIN = 0.002   # seconds
WORKER_STARTS_WITHIN = 0.060
ZLIB_LEVELS = ZSTD_LEVELS = range(1, 13)


def verbs_of(program):
    """From its help: two blanks, the verb, what it does"""
    said = subprocess.run([program, "--help"], text=True, capture_output=True, check=True).stdout
    listed = [line.split()[0] for line in said.splitlines() if line.startswith("  ") and len(line.split()) > 1]
    return [word for word in listed
            if word.isalpha() and subprocess.run([program, word, "--help"], capture_output=True).returncode == 0]


def start(bench):
    """Each verb, up to its help"""
    floor = Contender("floor: true", ["true"], "floor")
    for verb in verbs_of(bench.program):
        bench.case(Case(f"disklathe {verb} --help", [floor, Contender("disklathe", [bench.program, verb, "--help"], "ours")],
                        Goal(seconds=STARTS_WITHIN), Goal(seconds=STARTS_WITHIN), more_rounds=3))


def worker(bench):
    """A small conversion by the process itself, and by a sandboxed worker as the window launches them"""
    with bench.folder("ram", 4 * MIB) as folder:
        small, out = folder / "small.raw", folder / "out"
        images.data_raw(small, 64 * KIB)
        for how, words, limit in (("itself", [], None), ("by a worker", ["--worker"], WORKER_STARTS_WITHIN)):
            goal = Goal(seconds=limit)
            command = [bench.program, "convert", "-q", *words, "-f", "raw", "-O", "raw", small, out]
            bench.case(Case(f"64 KiB raw -> raw, {how}", [Contender("disklathe", command, "ours", out)], goal, goal,
                            equal(small, ("raw", "raw"), Contender("disklathe", command, "ours", out)), more_rounds=3))


def scan(bench):
    """Bytes looked at for zeroes against bytes read by memcpy: in the cache of the processor, and in memory"""
    for what, size, times in (("256 KiB, in the cache", 256 * KIB, 80_000), ("12 MiB, in memory", 12 * MIB, 640)):
        contenders = [Contender("all_zero", [bench.tools["scan"], "zeroes", size, times], "ours"),
                      Contender("memcpy", [bench.tools["scan"], "copy", size, times])]
        bench.case(Case(f"looking for zeroes, {what}", contenders, Goal(1.10), Goal(1.0)))


def levels(bench):
    """-c at each level: not larger than what qemu-img makes"""
    size = 64 * MIB
    with bench.folder("ram", 4 * size) as folder:
        raw = folder / "source.raw"
        images.real_raw(raw, size)
        for kind, numbers in (("zlib", ZLIB_LEVELS), ("zstd", ZSTD_LEVELS)):
            for level in numbers:
                ours, peers = folder / "ours.qcow2", folder / "peer.qcow2"
                options = ["-f", "raw", "-O", "qcow2", "-c", "-o", f"compression_type={kind}"]
                contenders = [
                    Contender("disklathe", [bench.program, "convert", "-q", *options, "--level", level, raw, ours], "ours", ours),
                    Contender("qemu-img", ["qemu-img", "convert", *options, raw, peers], "peer", peers)]
                bench.case(Case(f"-c {kind} --level {level}", contenders,
                                check=equal(raw, ("raw", "qcow2"), contenders[0]), not_larger="qemu-img"))


GROUPS = (start, worker, scan, levels)
QUICK = (start, scan)
