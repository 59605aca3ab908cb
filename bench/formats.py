# SPDX-License-Identifier: GPL-3.0-or-later
"""`disklathe convert` of formats other than qcow2 against qemu-img, and `disklathe checksum`"""

import subprocess

import images
from contenders import equal, rivals, sums
from harness import Case, Goal
from machine import GIB, MIB, Unavailable, size_text

PLAIN = Goal(0.90), Goal(0.80)
COMPRESSED = Goal(0.45), Goal(0.35)
STREAM = "streamOptimized"
# name, format, options of the image
WRITTEN = (
    ("vmdk monolithicSparse", "vmdk", "subformat=monolithicSparse"),
    ("vdi dynamic", "vdi", "static=off"),
    ("vdi fixed", "vdi", "static=on"),
    ("vhd dynamic", "vpc", "subformat=dynamic,force_size=on"),
    ("vhd fixed", "vpc", "subformat=fixed,force_size=on"),
    ("vhdx dynamic", "vhdx", "subformat=dynamic"),
)
READ_ONLY = (("qcow", "qcow", None), ("qed", "qed", None), ("parallels", "parallels", None))


def with_options(options):
    return ["-o", options] if options else []


def knows(bench, source, source_format):
    info = subprocess.run([bench.program, "info", "-f", source_format, source], capture_output=True)
    return info.returncode == 0


def read(bench):
    """Images in tmpfs, as qemu-img makes them, to raw"""
    size = GIB // 4 if bench.quick else GIB
    with bench.folder("ram", 4 * size) as folder:
        raw = folder / "source.raw"
        images.mixed_raw(raw, size)
        rows = [*WRITTEN, *READ_ONLY, (f"vmdk {STREAM}", "vmdk", f"subformat={STREAM}")]
        for name, image_format, options in rows:
            source = folder / "source.image"
            images.by_qemu(raw, "raw", source, *with_options(options), target_format=image_format)
            case = f"{name} -> raw, {size_text(size)} mixed, tmpfs"
            if knows(bench, source, image_format):
                formats = (image_format, "raw")
                ours, *peers = rivals(bench, folder, source, formats)
                hold, aim = COMPRESSED if STREAM in name else PLAIN
                bench.case(Case(case, [ours, *peers], hold, aim, equal(source, formats, ours)))
            else:
                bench.skip(case, Unavailable("it is not read"))
            source.unlink()


def write(bench):
    """Raw to images in tmpfs"""
    size = GIB // 4 if bench.quick else GIB
    with bench.folder("ram", 5 * size) as folder:
        raw = folder / "source.raw"
        images.mixed_raw(raw, size)
        for name, image_format, options in WRITTEN:
            formats = ("raw", image_format)
            ours, *peers = rivals(bench, folder, raw, formats, *with_options(options))
            case = f"raw -> {name}, {size_text(size)} mixed, tmpfs"
            bench.case(Case(case, [ours, *peers], *PLAIN, equal(raw, formats, ours)))


def write_compressed(bench):
    """Real data to a compressed stream"""
    size = 64 * MIB if bench.quick else 256 * MIB
    with bench.folder("ram", 6 * size) as folder:
        raw, formats = folder / "source.raw", ("raw", "vmdk")
        images.real_raw(raw, size)
        ours, *peers = rivals(bench, folder, raw, formats, "-o", f"subformat={STREAM}")
        case = f"raw -> vmdk {STREAM}, {size_text(size)} of /usr/lib, tmpfs"
        check = equal(raw, formats, ours)
        bench.case(Case(case, [ours, *peers], *COMPRESSED, check, not_larger="qemu-img"))


def checksum(bench):
    """Digests of a disk: the programs' own of the raw file, and of a qcow2 image what a shell would do"""
    size = GIB // 4 if bench.quick else GIB
    with bench.folder("ram", 3 * size) as folder:
        raw, qcow2 = folder / "source.raw", folder / "source.qcow2"
        images.mixed_raw(raw, size)
        images.by_qemu(raw, "raw", qcow2)
        for source, source_format in ((raw, "raw"), (qcow2, "qcow2")):
            for digest, hold in (("sha256", 1.0), ("xxh128", 1.0), ("both", 1.0)):
                contenders = sums(bench, source, source_format, digest)
                case = f"checksum of {source_format}, {digest}, {size_text(size)} mixed, tmpfs"
                bench.case(Case(case, contenders, Goal(hold), Goal(0.8)))


GROUPS = (read, write, write_compressed, checksum)
