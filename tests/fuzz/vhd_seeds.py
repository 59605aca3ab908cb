#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the seeds in tests/fuzz/corpus/vhd_map and vhdx_map: small images, made by hand. Checksums are left out: the
targets make them.

Run it as `python3 tests/fuzz/vhd_seeds.py` after changing what the targets take.
"""

import pathlib
import struct
import uuid

CORPUS = pathlib.Path(__file__).parent / "corpus"
MEBIBYTE = 1 << 20


def put(image, at, form, *values):
    struct.pack_into(form, image, at, *values)


def vhd_footer(kind, size, creator=b"win "):
    footer = bytearray(512)
    put(footer, 0, ">8sIIQI4sII", b"conectix", 2, 0x10000, 512 if kind != 2 else 2**64 - 1, 1, creator, 0x50003, 0)
    put(footer, 40, ">QQHBBI", size, size, size // 512 // 68, 4, 17, kind)
    return footer


def vhd(kind, size, block_size, blocks, name="", creator=b"win "):
    """blocks: index -> the bitmap's first bytes."""
    entries = -(-size // block_size)
    header = bytearray(1024)
    put(header, 0, ">8sQQIII", b"cxsparse", 2**64 - 1, 1536, 0x10000, entries, block_size)
    body = vhd_footer(kind, size, creator) + header + b"\xff" * (-(-entries * 4 // 512) * 512)
    for index, bits in blocks.items():
        put(body, 1536 + index * 4, ">I", len(body) // 512)
        body += bits.ljust(-(-block_size // 4096 // 512) * 512, b"\0") + bytes([index + 1]) * block_size
    if name:
        put(body, 512 + 576, ">4sIIIQ", b"W2ru", 512, len(name) * 2, 0, len(body))
        body += name.encode("utf-16-le").ljust(512, b"\0")
    return bytes(body + vhd_footer(kind, size, creator))


def guid(text):
    return uuid.UUID(text).bytes_le


def vhdx(size=4 * MEBIBYTE, bat=(), bitmap_entry=0, sector=512, parent=None, log=b"", log_id=bytes(16), tail=b"",
         block_size=MEBIBYTE, file_mebibytes=7):
    """The parts of vhdx_map_fuzz.cpp, in its order."""
    head = lambda number: struct.pack("<4sIQ16s16s16sHHIQ", b"head", 0, number, bytes(16), bytes(16), log_id, 0, 1,
                                      MEBIBYTE, MEBIBYTE)
    regions = struct.pack("<4sIII", b"regi", 0, 2, 0)
    for region, at in (("2dc27766-f623-4200-9d64-115e9bfd4a08", 2), ("8b7ca206-4790-4b9a-b8fe-575f050f886e", 3)):
        regions += struct.pack("<16sQII", guid(region), at * MEBIBYTE, MEBIBYTE, 1)
    items = [("caa16737-fa36-4d43-b3b6-33f0aa44e76b", struct.pack("<II", block_size, 2 if parent else 0)),
             ("2fa54224-cd1b-4876-b211-5dbed83bf4b8", struct.pack("<Q", size)),
             ("8141bf1d-a96f-4709-ba47-f233a8faab5f", struct.pack("<I", sector)),
             ("cda348c7-445d-4471-9cc9-e9885251c556", struct.pack("<I", 4096))]
    if parent:
        words = [word.encode("utf-16-le") for word in ("relative_path", parent)]
        items.append(("a8d35f2d-b30b-454d-abf7-d3d84834ab0c",
                      bytes(18) + struct.pack("<HIIHH", 1, 32, 32 + len(words[0]), *map(len, words)) + b"".join(words)))
    table, values = struct.pack("<8sHH20x", b"metadata", 0, len(items)), b""
    for item, value in items:
        table += struct.pack("<16sIIII", guid(item), 65536 + len(values), len(value), 4, 0)
        values += value
    parts = [(b"vhdxfile", 8), (head(1), 80), (head(2), 80), (regions, 112), (regions, 112), (log, 16384),
             (struct.pack(f"<{len(bat)}Q", *bat), 256), (struct.pack("<Q", bitmap_entry), 16), (table, 256), (values, 1024)]
    return bytes([file_mebibytes]) + b"".join(part.ljust(size, b"\0") for part, size in parts) + tail


def log_entry(number, tail, writes, log_id):
    """writes: (offset, 4096 bytes), or (offset, how many zeroes)."""
    head = struct.pack("<4sIIIQII16sQQ", b"loge", 0, 4096 * (1 + sum(isinstance(what, bytes) for _, what in writes)), tail,
                       number, len(writes), 0, log_id, 0, 0)
    sectors = b""
    for to, what in writes:
        if isinstance(what, bytes):
            head += struct.pack("<4s4s8sQQ", b"desc", what[-4:], what[:8], to, number)
            sectors += struct.pack("<4sI", b"data", number >> 32) + what[8:-4] + struct.pack("<I", number & 0xffffffff)
        else:
            head += struct.pack("<4sIQQQ", b"zero", 0, what, to, number)
    return head.ljust(4096, b"\0") + sectors


def main():
    full = b"\xff"
    seeds = {
        "vhd_map": {
            "dynamic": b"\0" + vhd(3, 5 * 4096, 4096, {0: full, 3: b"\xa5"}),
            "differencing": b"\0" + vhd(4, 3 * 4096, 4096, {1: b"\x7e"}, name=".\\base.vhd"),
            "fixed": b"\0" + bytes(1024) + vhd_footer(2, 1024),
            "geometry": b"\0" + vhd(3, 40 * 512 * 68, 65536, {0: full * 16}, creator=b"vpc "),
            "blocks": b"\1" + vhd(3, 16 << 20, 2 << 20, {}),
            "short": b"\0" + vhd(3, 4096, 4096, {0: full})[:-1],
        },
        "vhdx_map": {
            "dynamic": vhdx(bat=(4 * MEBIBYTE | 6, 2, 3, 5 * MEBIBYTE | 6)),
            "differencing": vhdx(bat=(4 * MEBIBYTE | 7, 0, 6 * MEBIBYTE | 6), bitmap_entry=5 * MEBIBYTE | 6, parent=".\\b",
                                 tail=bytes(MEBIBYTE // 64)),
            "sectors": vhdx(bat=(4 * MEBIBYTE | 6,), sector=4096),
            "large": vhdx(size=1 << 40, block_size=256 * MEBIBYTE),
            "log": vhdx(log=log_entry(1, 0, [(2 * MEBIBYTE, struct.pack("<Q", 4 * MEBIBYTE | 6).ljust(4096, b"\0")),
                                             (4 * MEBIBYTE, 8192)], b"l" * 16) +
                        log_entry(2, 0, [(4 * MEBIBYTE + 4096, b"x" * 4096)], b"l" * 16), log_id=b"l" * 16),
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
