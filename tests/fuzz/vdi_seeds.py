#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the seeds in tests/fuzz/corpus/vdi_map: the heads of small images by qemu-img.

Run it as `./dev shell -- python3 tests/fuzz/vdi_seeds.py` after changing what the target takes.
"""

import pathlib
import struct
import subprocess
import tempfile

CORPUS = pathlib.Path(__file__).parent / "corpus" / "vdi_map"


def main():
    CORPUS.mkdir(parents=True, exist_ok=True)
    for old in CORPUS.glob("seed-*"):
        old.unlink()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "image"
        for name, options, size in ("dynamic", "static=off", "5M"), ("fixed", "static=on", "3M"), ("empty", "static=off", "0"):
            subprocess.run(["qemu-img", "create", "-q", "-f", "vdi", "-o", options, path, size], check=True)
            if name == "dynamic":
                subprocess.run(["qemu-io", "-f", "vdi", "-c", "write -P 1 2M 2M", "-c", "write 0 1", path], check=True,
                               stdout=subprocess.DEVNULL)
            head = path.read_bytes()[:1024]
            (CORPUS / f"seed-{name}").write_bytes(b"\4" + head)
            if name == "dynamic":
                small = bytearray(head)  # blocks of 512 bytes with as many before each
                struct.pack_into("<QII", small, 368, 5 * 512, 512, 512)
                (CORPUS / "seed-extra").write_bytes(b"\1" + small)


if __name__ == "__main__":
    main()
