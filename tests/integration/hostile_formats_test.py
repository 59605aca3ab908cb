# SPDX-License-Identifier: GPL-3.0-or-later
# TIMEOUT: 240
"""Damaged images of the formats other programs use: what is wrong is said, in little time and memory.

DISKLATHE_ROUNDS: how many images with random damage (otherwise 60, or as many as begin within 10 s); DISKLATHE_SEED:
those of an earlier run. That every single cut and field is noticed is tested with the readers (tests/core/format).
"""

import os
import pathlib
import random
import resource
import struct
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from programs import MEBIBYTE, SANITIZED, Work  # noqa: E402

DOCUMENTED = {0, 1, 2, 3, *range(10, 21)}  # exit codes
SECONDS = 20 * int(os.environ.get("DISKLATHE_PATIENCE", 1))  # for one command, on a busy machine
IMAGES = {"vhd": ("vpc", ""), "fixed.vhd": ("vpc", "subformat=fixed"), "vhdx": ("vhdx", "block_size=1M"),
          "fixed.vhdx": ("vhdx", "subformat=fixed,block_size=1M"), "qcow": ("qcow", ""), "qed": ("qed", ""),
          "hds": ("parallels", "cluster_size=64k")}


class HostileFormatsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="disklathe-hostile-",
                                             dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
        self.addCleanup(folder.cleanup)
        self.work = Work(folder.name)

    def make(self, extension, size="3M"):
        format, options = IMAGES[extension]
        self.work.must("qemu-img", "create", "-q", "-f", format, *(["-o", options] if options else []), "made", size)
        self.work.must("qemu-io", "-f", format, "-c", "write -q -P 7 0 100k", "-c", "write -q -P 8 2M 1k", "made")
        return format, bytearray(self.work.path("made").read_bytes())

    def all_verbs(self, format, codes=DOCUMENTED):
        del self.work.typed[:-20]
        ended = {}
        for verb, words in {"info": ["--output=json"], "map": ["--output=json"], "check": ["-q"],
                            "convert": ["-q", "-t", "unsafe", "-O", "raw"]}.items():
            done = self.work.ours(verb, *words, "-f", format, "image", *(["out"] if verb == "convert" else []),
                                  timeout=SECONDS, memory=None if SANITIZED else 1 << 30)
            allowed = codes | {1, 2, 63} if verb == "check" else codes
            if done.code not in allowed:
                raise self.work.wrong(f"{verb} ended with {done.code}\n{done.err}")
            # A child's peak begins with what this process has.
            own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
            if not SANITIZED and done.peak_rss > max(64 * MEBIBYTE, own + MEBIBYTE):
                raise self.work.wrong(f"{verb} took {done.peak_rss >> 20} MiB of memory")
            if done.code and not done.err.splitlines()[-1].startswith("disklathe: "):
                raise self.work.wrong(f"{verb} says {done.err}")
            ended[verb] = done
        self.work.path("out").unlink(missing_ok=True)
        return ended

    def test_random_damage(self):
        asked = os.environ.get("DISKLATHE_ROUNDS")
        rounds, seconds = (int(asked), float("inf")) if asked else (60, 10)
        seed = int(os.environ.get("DISKLATHE_SEED", random.SystemRandom().randrange(10**9)))
        print(f"DISKLATHE_SEED={seed}", flush=True)
        made = {extension: self.make(extension) for extension in IMAGES}
        began = time.monotonic()
        for number in range(rounds):
            if time.monotonic() - began > seconds:
                break
            chance = random.Random(seed + number)
            extension = chance.choice(list(made))
            format, good = made[extension]
            image = bytearray(good)
            # Where structures are: the first sectors, the tables of qcow, QED and VHDX, the last sector.
            places = [0, len(image) - 512, 512, 1536, 4096, 65536, 192 << 10, 320 << 10, 2 << 20, 3 << 20, (3 << 20) + 65536]
            for _ in range(chance.choice([1, 1, 2, 8])):
                at = min(chance.choice(places) + chance.randrange(600), len(image) - 8)
                image[at:at + 8] = chance.choice([chance.randbytes(8), bytes(8), b"\xff" * 8, struct.pack(">Q", 1 << chance.randrange(64))])
            if chance.random() < 0.2:
                del image[chance.randrange(len(image)):]
            self.work.path("image").write_bytes(image)
            self.all_verbs(format)

    def test_cut_off_says_so(self):
        for extension in IMAGES:
            format, good = self.make(extension)
            for length in (0, 1, 511, 512, 4096, 65536, 65536 + 512, 1 << 20, 2 << 20, len(good) // 2, len(good) - 600):
                with self.subTest(f"{extension} cut to {length}"):
                    if length >= len(good) or (extension == "vhd" and length > len(good) // 2):
                        continue  # a dynamic VHD may lose its footer, and what its last block has behind the disk's end
                    self.work.path("image").write_bytes(good[:length])
                    done = self.all_verbs(format)["convert"]
                    self.assertEqual(done.code, 17, done.err)
                    self.assertIn("damaged", done.err)

    def test_another_format_is_named(self):
        for extension in ("vhd", "vhdx", "qcow", "qed", "hds"):
            _, good = self.make(extension)
            self.work.path("image").write_bytes(good)
            other = {"vhd": "vhdx", "qcow": "qed", "qed": "parallels", "hds": "qcow"}.get(extension, "vpc")
            done = self.work.ours("info", "-f", other, "image")
            self.assertEqual(done.code, 17, done.err)
            self.work.path("image.qcow2").write_bytes(good)
            done = self.work.ours("info", "image.qcow2")
            self.assertIn("looks like", done.err)


if __name__ == "__main__":
    unittest.main()
