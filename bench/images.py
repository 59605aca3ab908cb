# SPDX-License-Identifier: GPL-3.0-or-later
"""The images the tables work on. Every one comes out the same byte for byte whenever it is made (the tree of real
files excepted, which follows what is installed)."""

import array
import os
import pathlib
import random
import shutil
import struct
import subprocess

MIB, GIB = 1 << 20, 1 << 30
CLUSTER = 64 << 10


def text_pool(rng, size):
    """Words of a made-up language, the common ones common: shrinks to about a third, like text and code"""
    words = ["".join(rng.choices("etaoinshrdlucmfw_(){};=", k=rng.randint(2, 10))) for _ in range(4096)]
    weights = [1 / (rank + 8) for rank in range(len(words))]
    return " ".join(rng.choices(words, weights, k=size // 6)).encode()[:size].ljust(size, b"\n")


def mixed_raw(path, size):
    """A disk in use: about 40 % text, 40 % of what does not shrink, 10 % holes, 10 % written zeros, in runs of 4 KiB
    to 4 MiB. Each 64 KiB of data begins with its own offset, so that data in a wrong place is a wrong byte."""
    rng = random.Random(2018)
    pools = [text_pool(rng, 8 * MIB), rng.randbytes(8 * MIB)]
    with open(path, "wb") as file:
        at = 0
        while at < size:
            length = min(rng.randint(1, 1024) * 4096, size - at)
            kind = rng.random()
            if kind >= 0.8:
                if kind < 0.9:
                    file.seek(at)
                    file.write(bytes(length))
            else:
                pool = pools[kind < 0.4]
                begin = rng.randrange(len(pool) - length)
                data = bytearray(pool[begin : begin + length])
                for piece in range(0, length, CLUSTER):
                    struct.pack_into(">Q", data, piece, at + piece + 1)
                file.seek(at)
                file.write(data)
            at += length
        file.truncate(size)


def sparse_raw(path, size, step=4 * MIB):
    """64 KiB of data every `step`, the rest a hole"""
    pool = random.Random(7).randbytes(MIB)
    with open(path, "wb") as file:
        for at in range(0, size, step):
            begin = (at // step * 4099) % (len(pool) - CLUSTER)
            file.seek(at)
            file.write(struct.pack(">Q", at + 1) + pool[begin : begin + CLUSTER - 8])
        file.truncate(size)


def data_raw(path, size):
    """Data and nothing else"""
    pool = random.Random(11).randbytes(16 * MIB)
    with open(path, "wb") as file:
        for at in range(0, size, MIB):
            begin = (at // MIB * 65521) % (len(pool) - MIB)
            file.write(struct.pack(">Q", at + 1) + pool[begin : begin + MIB - 8])


def real_raw(path, size):
    """An ext4 file system with `size` bytes of this machine's /usr/lib in it: programs, libraries, their data"""
    tree = pathlib.Path(f"{path}.tree")
    taken = 0
    for folder, folders, files in os.walk("/usr/lib"):
        folders.sort()
        for name in sorted(files):
            source = os.path.join(folder, name)
            if os.path.islink(source) or not os.path.isfile(source):
                continue
            length = os.path.getsize(source)
            if taken + length > size or length > size // 4:
                continue
            target = tree / os.path.relpath(source, "/usr/lib")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            os.utime(target, (0, 0))
            taken += length
    uuid = "6a3f2d1c-0000-4000-8000-000000000018"
    subprocess.run(
        ["mke2fs", "-q", "-t", "ext4", "-F", "-U", uuid, "-E", f"hash_seed={uuid},root_owner=0:0", "-d", tree, path,
         str(size * 3 // 2 // 1024)],
        check=True, env={**os.environ, "SOURCE_DATE_EPOCH": "0"})
    shutil.rmtree(tree)


def big_endian(values):
    table = array.array("Q", values)
    table.byteswap()
    return table.tobytes()


class Qcow2:
    """Metadata of a version 3 image without snapshots: header, refcount table, refcount blocks, L1, L2 tables, data"""

    def __init__(self, size, cluster, data_clusters):
        self.size, self.cluster = size, cluster
        self.guest_clusters = -(-size // cluster)
        self.entries = cluster // 8
        self.tables = -(-self.guest_clusters // self.entries)
        l1_clusters = -(-self.tables * 8 // cluster)
        blocks = 1
        while True:
            first = 1 + 1 + blocks + l1_clusters + self.tables
            needed = -(-(first + data_clusters) // (cluster // 2))
            if needed <= blocks:
                break
            blocks = needed
        self.blocks, self.data, self.total = blocks, first, first + data_clusters
        self.l1 = 2 + blocks
        self.l2 = self.l1 + l1_clusters

    def write(self, file, l2_tables):
        """l2_tables: the bytes of each table in turn"""
        bits = self.cluster.bit_length() - 1
        file.write(struct.pack(">IIQIIQIIQQIIQQQQII", 0x514649FB, 3, 0, 0, bits, self.size, 0, self.tables,
                               self.l1 * self.cluster, self.cluster, 1, 0, 0, 0, 0, 0, 4, 104))
        file.seek(self.cluster)
        file.write(big_endian((2 + i) * self.cluster for i in range(self.blocks)))
        file.seek(2 * self.cluster)
        file.write(b"\0\1" * self.total)
        file.seek(self.l1 * self.cluster)
        file.write(big_endian((self.l2 + i) * self.cluster | 1 << 63 for i in range(self.tables)))
        for i, table in enumerate(l2_tables):
            file.seek((self.l2 + i) * self.cluster)
            file.write(table)
        file.truncate(self.total * self.cluster)


def zero_clusters_qcow2(path, size):
    """All metadata, no data: every L2 table there is, every 2 MiB cluster says "reads as zeros" """
    image = Qcow2(size, 2 * MIB, 0)
    table = b"\0\0\0\0\0\0\0\1" * image.entries
    with open(path, "wb") as file:
        image.write(file, (table for _ in range(image.tables)))


ORDERS = ("seq", "reverse", "part-rand", "rand")


def fragmented_qcow2(path, size, order):
    """Full of data, clusters of 64 KiB whose places in the file are: in order; last first; shuffled inside each MiB;
    shuffled. The guest's disk is the same in all four."""
    rng = random.Random(7)
    count = size // CLUSTER
    place = list(range(count))                 # guest cluster -> data cluster of the file
    if order == "reverse":
        place.reverse()
    elif order == "rand":
        rng.shuffle(place)
    elif order == "part-rand":
        for begin in range(0, count, 16):
            piece = place[begin : begin + 16]
            rng.shuffle(piece)
            place[begin : begin + 16] = piece
    image = Qcow2(size, CLUSTER, count)
    flagged = [(image.data + p) * CLUSTER | 1 << 63 for p in place]
    at_place = [0] * count
    for guest, p in enumerate(place):
        at_place[p] = guest
    pool = random.Random(8).randbytes(4 * MIB)
    with open(path, "wb") as file:
        entries = image.entries
        image.write(file, (big_endian(flagged[i : i + entries]) for i in range(0, count, entries)))
        file.seek(image.data * CLUSTER)
        for guest in at_place:
            begin = guest * 8191 % (len(pool) - CLUSTER)
            file.write(struct.pack(">Q", guest + 1) + pool[begin : begin + CLUSTER - 8])


def by_qemu(source, source_format, target, *options, target_format="qcow2"):
    """The image as qemu-img writes it: what people's images are"""
    order = ["-W", "-m", "16"] if target_format == "qcow2" else []
    task = ["-f", source_format, "-O", target_format, *options, source, target]
    subprocess.run(["qemu-img", "convert", *order, *task], check=True)


def empty_qcow2(path, size):
    subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", path, str(size)], check=True)
