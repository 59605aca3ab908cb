#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the seeds in tests/fuzz/corpus/vmdk_*: small images by qemu-img, descriptors, and single grains.

Run it as `./dev shell -- python3 tests/fuzz/vmdk_seeds.py` after changing what the targets take.
"""

import pathlib
import struct
import subprocess
import tempfile
import zlib

CORPUS = pathlib.Path(__file__).parent / "corpus"
SECTOR = 512


def header(version, flags, capacity, grain, directory, algorithm=0):
    fields = struct.pack("<4sIIQQQQIQQQ?4sH", b"KDMV", version, flags, capacity, grain, 1, 1, 4, 0, directory, 8,
                         False, b"\n \r\n", algorithm)
    return fields.ljust(SECTOR, b"\0")


def sparse():
    """Grains of one sector, tables of four entries: every kind of entry in 4 KiB."""
    text = b'version=1\nCID=5\nparentCID=ffffffff\ncreateType="monolithicSparse"\n'.ljust(SECTOR, b"\0")
    directory = struct.pack("<III", 3, 0, 4).ljust(SECTOR, b"\0")
    tables = [struct.pack("<IIII", *entries).ljust(SECTOR, b"\0") for entries in ((8, 9, 0, 1), (11, 10, 8, 0))]
    return header(1, 5, 12, 1, 2) + text + directory + b"".join(tables) + bytes(3 * SECTOR) + b"x" * 2048


def grain(sector, content):
    data = zlib.compress(content)
    data = struct.pack("<QI", sector, len(data)) + data
    return data + bytes(-len(data) % SECTOR)


def marker(value, kind):
    return struct.pack("<QII", value, 0, kind).ljust(SECTOR, b"\0")


def stream():
    text = b'version=1\nCID=5\nparentCID=ffffffff\ncreateType="streamOptimized"\n'.ljust(SECTOR, b"\0")
    image = header(3, 0x30001, 3, 1, 2**64 - 1, 1) + text
    entries = []
    for number in range(3):
        entries.append(len(image) // SECTOR)
        image += grain(number, bytes([number]) * SECTOR)
    image += marker(1, 1)
    table = len(image) // SECTOR
    image += struct.pack("<IIII", *entries, 0).ljust(SECTOR, b"\0") + marker(1, 2)
    directory = len(image) // SECTOR
    image += struct.pack("<I", table).ljust(SECTOR, b"\0") + marker(1, 3)
    return image + header(3, 0x30001, 3, 1, directory, 1) + marker(0, 0)


def esx():
    """A COWD extent has no descriptor, and is no image alone."""
    return struct.pack("<4sIIIIII", b"COWD", 1, 3, 8, 1, 4, 1).ljust(8 * SECTOR, b"\0")


def main():
    for target in ("vmdk_descriptor", "vmdk_map", "vmdk_grain"):
        (CORPUS / target).mkdir(parents=True, exist_ok=True)
        for old in (CORPUS / target).glob("seed-*"):
            old.unlink()
    with tempfile.TemporaryDirectory() as folder:
        for name in ("monolithicFlat", "twoGbMaxExtentSparse", "twoGbMaxExtentFlat"):
            path = pathlib.Path(folder) / "disk.vmdk"
            subprocess.run(["qemu-img", "create", "-q", "-f", "vmdk", "-o", f"subformat={name}", path, "5G"], check=True)
            (CORPUS / "vmdk_descriptor" / f"seed-{name}").write_bytes(path.read_bytes())
    (CORPUS / "vmdk_descriptor" / "seed-esx").write_bytes(
        b'# Disk DescriptorFile\nversion=3\nencoding="UTF-8"\nCID=fffffffe\nparentCID=12\nisNativeSnapshot="no"\n'
        b'createType="vmfsSparse"\nparentFileNameHint="base.vmdk"\n# Extent description\n'
        b'RW 63 ZERO\nRW 8 VMFSSPARSE "disk-delta.vmdk"\nRW 9 VMFS "disk-flat.vmdk"\nRDONLY 9 FLAT "disk-flat.vmdk" 9\n'
        b'changeTrackPath="disk-ctk.vmdk"\nddb.adapterType = "lsilogic"\n')
    for name, image in ("sparse", sparse()), ("stream", stream()), ("esx", esx()):
        (CORPUS / "vmdk_map" / f"seed-{name}").write_bytes(b"\0" + image)
    (CORPUS / "vmdk_map" / "seed-room").write_bytes(b"\2" + sparse()[:6 * SECTOR])
    (CORPUS / "vmdk_grain" / "seed-text").write_bytes(b"\1" + grain(5, b"a grain of a disk " * 50))
    (CORPUS / "vmdk_grain" / "seed-short").write_bytes(b"\3" + grain(5, b"short"))


if __name__ == "__main__":
    main()
