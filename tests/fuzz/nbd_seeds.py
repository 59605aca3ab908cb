#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the seeds of corpus/nbd_server: whole conversations in every dialect."""

import pathlib
import struct


def option(kind, data=b""):
    return b"IHAVEOPT" + struct.pack(">II", kind, len(data)) + data


def text(value):
    return struct.pack(">I", len(value)) + value


HELLO, GO = struct.pack(">I", 3), option(7, text(b"") + struct.pack(">HH", 1, 3))
META = option(10, text(b"") + struct.pack(">I", 2) + text(b"base:allocation") + text(b"qemu:allocation-depth"))


def requests(extended):
    def request(kind, offset=0, length=0, flags=0, payload=b""):
        head = struct.pack(">I", 0x21E41C71 if extended else 0x25609513) + struct.pack(">HHQQ", flags, kind, kind + 1, offset)
        return head + struct.pack(">Q" if extended else ">I", length) + payload

    return b"".join([
        request(0, 0, 4096), request(0, 10, 200000, 4), request(0, 4096 * 3, 4096), request(0, 1 << 20, 200),
        request(7, 0, 65536), request(7, 5, 9000, 8), request(5, 0, 4096), request(3), request(99),
        request(1, 100, 5, 32 if extended else 0, b"hello"), request(6, 0, 8192, 18), request(4, 0, 8192, 1), request(2)])


SEEDS = {
    "simple": HELLO + GO + requests(False),
    "name": HELLO + option(1) + requests(False),
    "structured": HELLO + option(8) + META + GO + requests(False),
    "extended": HELLO + option(11) + META + GO + requests(True),
    "options": HELLO + option(3) + option(6, text(b"other") + struct.pack(">H", 0)) + option(9, text(b"") + struct.pack(">I", 0))
               + option(5) + option(77, bytes(40000)) + option(2),
}

folder = pathlib.Path(__file__).parent / "corpus" / "nbd_server"
for name, conversation in SEEDS.items():
    for mode in range(4):
        (folder / f"seed-{name}-{mode}").write_bytes(bytes([mode]) + conversation)
