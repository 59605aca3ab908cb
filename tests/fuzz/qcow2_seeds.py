#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the seeds in tests/fuzz/corpus/qcow2_*: small images by qemu-img, and single compressed clusters.

Run it as `./dev shell -- python3 tests/fuzz/qcow2_seeds.py` after changing what the targets take.
"""

import pathlib
import random
import struct
import subprocess
import tempfile
import zlib

CORPUS = pathlib.Path(__file__).parent / "corpus"


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def image(folder, name, options, commands=(), size="40k", after=()):
    """A qcow2 file's bytes; commands are qemu-io's, after are whole qemu-img commands with the path appended."""
    path = f"{folder}/{name}"
    run("qemu-img", "create", "-q", "-f", "qcow2", "-u", *options, path, size)
    for command in commands:
        run("qemu-io", "-f", "qcow2", "-c", command, path)
    for command in after:
        run(*command, path)
    return pathlib.Path(path).read_bytes()


def main():
    work = ["write -P 1 0 1k", "write -z 2k 2k", "write -P 2 5k 100", "write -c -P 3 8k 512", "discard 0 512"]
    with tempfile.TemporaryDirectory() as folder:
        small = ["-o", "cluster_size=512"]
        images = {
            "plain": image(folder, "plain", small, work),
            "v2": image(folder, "v2", ["-o", "cluster_size=512,compat=0.10"], work),
            "snapshot": image(folder, "snapshot", small, work[:1], after=[("qemu-img", "snapshot", "-c", "s")]),
            "backing": image(folder, "backing", [*small, "-b", "base", "-F", "raw"]),
            "narrow": image(folder, "narrow", ["-o", "cluster_size=512,refcount_bits=1,lazy_refcounts=on"]),
            "bitmap": image(folder, "bitmap", ["-o", "cluster_size=1k"], after=[]),
            "zstd": image(folder, "zstd", ["-o", "cluster_size=1k,compression_type=zstd"],
                          ["write -c -P 3 8k 1k"]),
        }
        run("qemu-img", "bitmap", "--add", f"{folder}/bitmap", "b")
        images["bitmap"] = pathlib.Path(f"{folder}/bitmap").read_bytes()
        wide = image(folder, "wide", ["-o", "cluster_size=16k,extended_l2=on"], ["write -P 1 0 512", "write -z 1k 1k"])
        run("qemu-img", "create", "-q", "-f", "qcow2", "-o", f"cluster_size=512,data_file={folder}/d",
            f"{folder}/data", "40k")
        run("qemu-io", "-f", "qcow2", "-c", "write -P 1 0 1k", f"{folder}/data")
        images["data"] = pathlib.Path(f"{folder}/data").read_bytes().replace(folder.encode(), b"x" * len(folder))

        sound = {name: content for name, content in images.items() if name not in ("backing", "data")}
        plain = [command for command in work if " -c " not in command]
        for name, options, commands in (("based", [*small, "-b", "base", "-F", "raw"], ()),
                                        ("data", ["-o", f"cluster_size=512,data_file={folder}/data"], plain),
                                        ("subclusters", ["-o", "cluster_size=16k,extended_l2=on"], plain)):
            made = image(folder, "sound", options, commands)
            sound[name] = made.replace(f"{folder}/data".encode(), b"x" * (len(folder) + 1) + b"data")
        taken = ["-o", "cluster_size=1k,refcount_bits=8"]
        sound["taken"] = image(folder, "taken", taken, plain, after=[("qemu-img", "snapshot", "-c", "s"),
                                                                  ("qemu-io", "-f", "qcow2", "-c", "write -P 9 3k 9k")])

    for target in ("qcow2_header", "qcow2_map", "qcow2_decode", "qcow2_edit"):
        (CORPUS / target).mkdir(parents=True, exist_ok=True)
        for old in (CORPUS / target).glob("seed-*"):
            old.unlink()
    for name, content in images.items():
        content = content.rstrip(b"\0")
        content += bytes(-len(content) % 512)
        (CORPUS / "qcow2_header" / f"seed-{name}").write_bytes(content)
        (CORPUS / "qcow2_map" / f"seed-{name}").write_bytes(b"\1" + content)
    rng = random.Random(5)
    for name, content in sound.items():
        operations = b"".join(struct.pack(">BIHB", rng.choice((0, 1, 3, 5, 6, 11, 64, 67)), rng.randrange(40 << 10),
                                          rng.choice((100, 511, 1023, 5000)), n + 1) for n in range(24))
        (CORPUS / "qcow2_edit" / f"seed-{name}").write_bytes(bytes([24]) + operations + content)
    # Cut after the tables' entries: what follows is zeroes (the first byte says how much).
    (CORPUS / "qcow2_map" / "seed-extended").write_bytes(b"\4" + wide.rstrip(b"\0")[:66000])

    text = b"a cluster of a guest's disk " * 40
    deflate = zlib.compressobj(9, zlib.DEFLATED, -12)
    (CORPUS / "qcow2_decode" / "seed-deflate").write_bytes(
        b"\1" + deflate.compress(text[:1024]) + deflate.flush())
    stored = struct.pack("<BHH", 1, 512, 0xFFFF ^ 512) + bytes(512)
    (CORPUS / "qcow2_decode" / "seed-stored").write_bytes(b"\0" + stored)
    zstd = subprocess.run(["zstd", "-q", "-c"], input=text[:1024], stdout=subprocess.PIPE, check=True).stdout
    (CORPUS / "qcow2_decode" / "seed-zstd").write_bytes(bytes([0x81]) + zstd)


if __name__ == "__main__":
    main()
