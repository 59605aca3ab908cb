#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the seeds of corpus/http_head: heads of answers, parts, addresses."""

import pathlib

SEEDS = {
    "part": b"bytes 100-299/1000",
    "unknown": b"bytes 0-0/*",
    "address": b"https://me:word@host/path?x=@#y",
    "whole": b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nETag: \"a\"\r\nLast-Modified: Mon, 30 Nov 2026 10:00:00 GMT\r\n\r\n",
    "led": b"HTTP/1.1 302 Found\r\nLocation: /b\r\n\r\nHTTP/2 206\r\ncontent-range: bytes 0-99/1000\r\netag: W/\"b\"\r\n"
           b"content-encoding: gzip\r\n\r\n",
    "short": b"HTTP/1.1 416 x\r\nContent-Range: bytes */0\r\n\r\n",
}

folder = pathlib.Path(__file__).parent / "corpus" / "http_head"
for name, said in SEEDS.items():
    (folder / f"seed-{name}").write_bytes(said)
