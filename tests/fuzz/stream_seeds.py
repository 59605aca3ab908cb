#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the seeds in tests/fuzz/corpus/stream: small streams by the compressions' own programs.

Run it as `./dev shell -- python3 tests/fuzz/stream_seeds.py` after changing what the target takes.
"""

import pathlib
import subprocess

CORPUS = pathlib.Path(__file__).parent / "corpus" / "stream"
TEXT = b"".join(b"%d bottles\n" % index for index in range(300)) + bytes(3000)

COMMANDS = {
    "gz": "gzip -9", "gz-stored": "gzip -1", "bz2": "bzip2 -1", "xz": "xz -0", "xz-blocks": "xz -T2 -0 --block-size=1KiB",
    "xz-x86": "xz --x86 --lzma2=preset=0", "zst": "zstd -q -3", "zst-sized": f"zstd -q -19 --stream-size={len(TEXT)}",
}


def run(command, text):
    return subprocess.run(["sh", "-c", command], input=text, stdout=subprocess.PIPE, check=True).stdout


def main():
    CORPUS.mkdir(parents=True, exist_ok=True)
    made = {name: run(command, TEXT) for name, command in COMMANDS.items()}
    made["gz-members"] = run("gzip", TEXT[:100]) + run("gzip", TEXT[100:200]) + bytes(20)
    made["gz-tail"] = run("gzip", TEXT[:100]) + b"tail"
    made["xz-streams"] = run("xz -0", TEXT[:100]) + bytes(4) + run("xz -0", TEXT[100:200])
    made["zst-frames"] = (b"\x50\x2a\x4d\x18\x02\0\0\0ab" + run("zstd -q --stream-size=100", TEXT[:100]) +
                          run("zstd -q --stream-size=100", TEXT[100:200]))
    for name, stored in made.items():
        (CORPUS / f"seed-{name}").write_bytes(b"\0" + stored)


if __name__ == "__main__":
    main()
