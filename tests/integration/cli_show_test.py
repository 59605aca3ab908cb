# SPDX-License-Identifier: GPL-3.0-or-later
"""info, map and measure say of an image what qemu-img says of it."""

import json
import os
import subprocess
import unittest

from command import CommandTest, MIB

# What differs from qemu-img on purpose; everything else must be equal, keys and values.
#   file sizes:   qemu-img rounds the length of a file, and the size of a raw image, up to whole sectors
#   offsets:      of what an image says it does not hold: qemu-img gives some for extended L2 entries, and splits at them
#   bitmaps:      of measure: the size of persistent bitmaps, which only qemu has
ROUNDED_TO_SECTORS = ("virtual-size",)
QEMU_ONLY = ("bitmaps",)


def normalised(value):
    if isinstance(value, dict):
        return {
            key: -(-part // 512) * 512 if key in ROUNDED_TO_SECTORS else normalised(part)
            for key, part in value.items()
            if key not in QEMU_ONLY
        }
    return [normalised(part) for part in value] if isinstance(value, list) else value


class ShowTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.data("base.raw", (0, 70000), (3 * MIB, 200000), size=5 * MIB)
        self.data("small.raw", (MIB, 65536), size=2 * MIB)
        self.data("odd.raw", (0, 1000), size=10001)
        open("empty.raw", "wb").close()
        made = {
            "plain.qcow2": [],
            "old.qcow2": ["-o", "compat=0.10"],
            "tiny.qcow2": ["-o", "cluster_size=512"],
            "huge.qcow2": ["-o", "cluster_size=2M"],
            "extended.qcow2": ["-o", "extended_l2=on,refcount_bits=1"],
            "lazy.qcow2": ["-o", "lazy_refcounts=on,refcount_bits=64"],
            "zlib.qcow2": ["-c"],
            "zstd.qcow2": ["-c", "-o", "compression_type=zstd"],
            "falloc.qcow2": ["-o", "preallocation=falloc"],
        }
        for name, options in made.items():
            self.qemu("convert", "-O", "qcow2", *options, "base.raw", name)
        self.qemu("create", "-q", "-f", "qcow2", "-o", "data_file=data.bin,data_file_raw=on", "external.qcow2", "4M")
        self.write("external.qcow2", "write -P 7 1M 64k")
        self.qemu("create", "-q", "-f", "qcow2", "-b", "small.raw", "-F", "raw", "middle.qcow2", "4M")
        self.write("middle.qcow2", "write -P 1 0 64k", "write -z 3M 64k")
        self.qemu("create", "-q", "-f", "qcow2", "-b", "middle.qcow2", "-F", "qcow2", "top.qcow2", "6M")
        self.write("top.qcow2", "write -P 2 512k 300k", "write -z 128k 64k", "discard 5M 64k")
        self.qemu("create", "-q", "-f", "qcow2", "snapshots.qcow2", "8M")
        for number in range(3):
            self.write("snapshots.qcow2", f"write -P {number + 1} {number}M 1M")
            self.qemu("snapshot", "-c", f"state {number}", "snapshots.qcow2")
        self.images = sorted(name for name in os.listdir() if name != "data.bin")

    def write(self, image, *commands):
        words = [word for command in commands for word in ("-c", command)]
        subprocess.run(["qemu-io", "-f", "qcow2", *words, image], check=True, stdout=subprocess.DEVNULL)

    def both(self, *words, ours_only=()):
        ours = json.loads(self.ours(*words, *ours_only).stdout)
        return normalised(ours), normalised(json.loads(self.qemu(*words).stdout))

    def test_info_is_the_same(self):
        for image in self.images:
            with self.subTest(image):
                self.assertEqual(*self.both("info", "--output=json", image))

    def test_info_of_a_whole_chain_is_the_same(self):
        for image in ("top.qcow2", "base.raw"):
            with self.subTest(image):
                self.assertEqual(*self.both("info", "--output=json", "--backing-chain", image))

    def test_info_for_people_is_the_same_line_by_line(self):
        for image in self.images:
            if image == "odd.raw":
                continue
            with self.subTest(image):
                ours, theirs = (run("info", image).stdout.splitlines() for run in (self.ours, self.qemu))
                rounded = lambda lines: [line for line in lines if not line.startswith("    file length")]
                self.assertEqual(rounded(ours), rounded(theirs))

    def test_map_is_the_same(self):
        for image in self.images:
            with self.subTest(image):
                ours_only = ["--data-file=allow"] if image == "external.qcow2" else []
                ours, theirs = self.both("map", "--output=json", image, ours_only=ours_only)
                self.assertEqual(self.merged(self.clipped(ours, image)), self.merged(self.clipped(theirs, image)))

    def test_map_of_a_part_is_the_same(self):
        for start, length in (("1M", "1M"), ("70000", "100"), ("5M", "10M"), ("600k", "4M")):
            with self.subTest(f"{start} {length}"):
                self.assertEqual(*self.both("map", "--output=json", "-s", start, "-l", length, "top.qcow2"))

    def test_map_past_the_end_is_the_same(self):
        self.assertEqual(*self.both("map", "--output=json", "-s", "1G", "top.qcow2"))

    def test_map_for_people_tells_the_same(self):
        for image in ("base.raw", "top.qcow2", "plain.qcow2"):
            with self.subTest(image):
                self.assertEqual(self.ours("map", image).stdout, self.qemu("map", image).stdout)

    def test_compressed_clusters_have_no_place_in_the_table(self):
        self.ours("map", "zlib.qcow2", code=1)

    def test_measure_is_the_same(self):
        for image in self.images:
            for target in (["-O", "raw"], ["-O", "qcow2"], ["-O", "qcow2", "-o", "cluster_size=4k"],
                           ["-O", "qcow2", "-o", "extended_l2=on"], ["-O", "qcow2", "-o", "preallocation=full"],
                           ["-O", "qcow2", "-o", "compat=0.10,refcount_bits=16"]):
                if image == "odd.raw" and target[1] == "raw":
                    continue  # exact to the byte here
                with self.subTest(f"{image} {target}"):
                    ours_only = ["--data-file=allow"] if image == "external.qcow2" else []
                    self.assertEqual(*self.both("measure", "--output=json", *target, image, ours_only=ours_only))

    def test_measure_of_a_size_is_the_same(self):
        for size in ("0", "1", "1000", "1G", "1.5T", "0x100000", "100k"):
            for target in (["-O", "raw"], ["-O", "qcow2"], ["-O", "qcow2", "-o", "cluster_size=2M"]):
                with self.subTest(f"{size} {target}"):
                    if target[1] == "raw" and size in ("1", "1000"):
                        continue
                    self.assertEqual(*self.both("measure", "--output=json", *target, "--size", size))

    def test_measure_of_a_snapshot_is_the_same(self):
        for name in ("state 0", "2", "snapshot.id=3", "snapshot.name=state 1"):
            with self.subTest(name):
                self.assertEqual(*self.both("measure", "--output=json", "-O", "qcow2", "-l", name, "snapshots.qcow2"))

    def test_measure_keeps_its_word(self):
        for image in ("base.raw", "top.qcow2"):
            measured = json.loads(self.ours("measure", "--output=json", "-O", "qcow2", image).stdout)
            self.ours("convert", "-q", "-O", "qcow2", image, "made.qcow2")
            self.assertLessEqual(os.path.getsize("made.qcow2"), measured["required"])

    @staticmethod
    def merged(entries):
        out = []
        for entry in entries:
            if not entry["present"]:
                entry.pop("offset", None)
            same = lambda a, b: {**a, "start": 0, "length": 0} == {**b, "start": 0, "length": 0}
            if out and not entry["present"] and same(out[-1], entry):
                out[-1]["length"] += entry["length"]
            else:
                out.append(entry)
        return out

    @staticmethod
    def clipped(entries, image):
        """qemu-img shows a raw image of odd size up to a whole sector."""
        if image != "odd.raw":
            return entries
        kept = [dict(entry, length=min(entry["length"], 10001 - entry["start"])) for entry in entries]
        return [entry for entry in kept if entry["length"] > 0]


if __name__ == "__main__":
    unittest.main()
