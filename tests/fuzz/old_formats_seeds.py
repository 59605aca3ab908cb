#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the seeds in tests/fuzz/corpus/qcow_map, qed_map and parallels_map: small images, made by hand.

Run it as `python3 tests/fuzz/old_formats_seeds.py` after changing what the targets take.
"""

import pathlib
import struct
import zlib

CORPUS = pathlib.Path(__file__).parent / "corpus"
COMPRESSED = 1 << 63


def table(entries, form, size):
    """entries: index -> value."""
    count = size // struct.calcsize(form)
    return b"".join(struct.pack(form, entries.get(i, 0)) for i in range(count))


def qcow(size, l1, l2, cluster_bits=9, l2_bits=6, crypt=0, backing=b"", tail=b""):
    """Header and L1 table in the first 512 bytes, the L2 table behind them, then clusters."""
    name_at = 256 if backing else 0
    head = struct.pack(">4sIQIIQBBHIQ", b"QFI\xfb", 1, name_at, len(backing), 0, size, cluster_bits, l2_bits, 0, crypt, 48)
    head += table(l1, ">Q", 208)
    return (head + backing).ljust(512, b"\0") + table(l2, ">Q", 8 << l2_bits) + tail


def deflated(content):
    stream = zlib.compressobj(9, zlib.DEFLATED, -12)
    return stream.compress(content) + stream.flush()


def qed(size, l1, l2, table_size=1, features=0, backing=b"", tail=b""):
    """Clusters of 4096 bytes: header, L1 table, L2 table, data."""
    head = struct.pack("<4sIIIQQQQQII", b"QED\0", 4096, table_size, 1, features, 0, 0, 4096, size, 64, len(backing))
    return (head + backing).ljust(4096, b"\0") + table(l1, "<Q", 4096 * table_size) + table(l2, "<Q", 4096 * table_size) + tail


def parallels(magic, sectors, cluster_sectors, entries, in_use=0, flags=0, extension=0, tail=b""):
    count = -(-sectors // cluster_sectors)
    head = struct.pack("<16sIIIIIQIIIQ", magic, 2, 16, 8, cluster_sectors, count, sectors, in_use, cluster_sectors, flags,
                       extension)
    return (head + table(entries, "<I", 4 * count)).ljust(cluster_sectors * 512, b"\0") + tail


def main():
    packed = deflated(b"lathe " * 85 + b"  ")
    seeds = {
        "qcow_map": {
            "plain": b"\0" + qcow(65536, {0: 512}, {0: 1024, 1: 1536, 5: 2048}, tail=bytes(1536)),
            "compressed": b"\0" + qcow(65536, {0: 512, 1: 512}, {0: COMPRESSED | len(packed) << 54 | 1029, 2: 512},
                                       tail=b"12345" + packed),
            "backing": b"\0" + qcow(33000, {0: 512}, {3: 1024}, backing=b"base.img", tail=bytes(512)),
            "encrypted": b"\0" + qcow(32768, {0: 512}, {3: 1024}, crypt=1, tail=bytes(512)),
            "large": b"\3" + qcow(26 << 25, {0: 512, 20: 512}, {0: 1 << 20, 60: 2 << 20}, cluster_bits=16, l2_bits=9),
        },
        "qed_map": {
            "plain": b"\0" + qed(4 << 20, {0: 8192}, {0: 12288, 1: 1, 5: 16384}, tail=bytes(8192)),
            "backing": b"\0" + qed(3 << 20, {0: 8192, 1: 8192}, {9: 12288}, features=7, backing=b"base.img", tail=bytes(4096)),
            "room": b"\2" + qed(1 << 30, {i: 12288 for i in range(64)}, {i: (5 + i) << 12 for i in range(200)}, table_size=2),
        },
        "parallels_map": {
            "sectors": b"\0" + parallels(b"WithoutFreeSpace", 20, 3, {0: 3, 1: 7, 6: 10}, tail=bytes(5000)),
            "clusters": b"\0" + parallels(b"WithouFreSpacExt", 12, 3, {0: 3, 1: 4, 3: 1}, in_use=0x312e3276, tail=bytes(6144)),
            "open": b"\4" + parallels(b"WithouFreSpacExt", 8 * 2048, 2048, {2: 1, 3: 2, 7: 4}, in_use=0x746f6e59, flags=1,
                                      extension=4096)[:4096],
        },
    }
    for target, images in seeds.items():
        (CORPUS / target).mkdir(parents=True, exist_ok=True)
        for old in (CORPUS / target).glob("seed-*"):
            old.unlink()
        for name, content in images.items():
            (CORPUS / target / f"seed-{name}").write_bytes(content)


if __name__ == "__main__":
    main()
