# SPDX-License-Identifier: GPL-3.0-or-later
# TIMEOUT: 240
"""Images that were damaged or made to do harm: the program says what is wrong, in little time and memory, and goes.

DISKLATHE_ROUNDS: how many images with random damage (otherwise 120, or as many as begin within 10 s); DISKLATHE_SEED:
those of an earlier run.
"""

import os
import pathlib
import random
import struct
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from programs import DISKLATHE, MEBIBYTE, SANITIZED, Work  # noqa: E402

DOCUMENTED = {0, 1, 2, *range(10, 21)}  # exit codes
CORRUPT, UNSUPPORTED, REFUSED = 17, 18, 19
SECONDS = 20 * int(os.environ.get("DISKLATHE_PATIENCE", 1))  # for one command, on a busy machine
ADDRESS_SPACE = None if SANITIZED else 1 << 30
PEAK_RSS = 64 * MEBIBYTE

# Offsets in the header (QEMU: docs/interop/qcow2.rst).
VERSION, BACKING_OFFSET, BACKING_SIZE, CLUSTER_BITS, SIZE, CRYPT = 4, 8, 16, 20, 24, 32
L1_SIZE, L1_OFFSET, REFCOUNT_OFFSET, REFCOUNT_CLUSTERS = 36, 40, 48, 56
SNAPSHOTS, SNAPSHOTS_OFFSET, INCOMPATIBLE, REFCOUNT_ORDER, HEADER_LENGTH = 60, 64, 72, 96, 100
COPIED, COMPRESSED = 1 << 63, 1 << 62


class HostileTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="disklathe-hostile-",
                                             dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
        self.addCleanup(folder.cleanup)
        self.work = Work(folder.name)

    def make(self, name="image.qcow2", size="1M", options="cluster_size=4096", commands=("write -P 7 0 100k",)):
        self.work.must("qemu-img", "create", "-q", "-f", "qcow2", "-o", options, name, size)
        for command in commands:
            if command.startswith("snapshot "):
                self.work.must("qemu-img", "snapshot", "-c", command.split()[1], name)
            else:
                self.work.must("qemu-io", "-f", "qcow2", "-c", command, name)
        return bytearray(self.work.path(name).read_bytes())

    def put(self, image, at, form, value):
        struct.pack_into(">" + form, image, at, value)

    def get(self, image, at, form):
        return struct.unpack_from(">" + form, image, at)[0]

    def survives(self, *arguments, codes=DOCUMENTED):
        """The command ends by itself, soon, small, with a code and a sentence that are documented."""
        del self.work.typed[:-20]
        done = self.work.ours(*arguments, timeout=SECONDS, memory=ADDRESS_SPACE)
        if done.code not in codes:
            raise self.work.wrong(f"ended with {done.code}\n{done.err}")
        if not SANITIZED and done.peak_rss > PEAK_RSS:
            raise self.work.wrong(f"took {done.peak_rss >> 20} MiB of memory")
        if done.code > 1:
            self.assertTrue(done.err.splitlines() and done.err.splitlines()[-1].startswith("disklathe: "), done.err)
        return done

    def all_verbs(self, name="image.qcow2", codes=DOCUMENTED, verbs=("info", "map", "measure", "convert", "compare")):
        """What each verb ended with; convert leaves nothing behind when it fails."""
        ended = {}
        for verb in verbs:
            if verb == "convert":
                before = sorted(os.listdir(self.work.folder))
                done = self.survives("convert", "-q", "-f", "qcow2", "-O", "raw", "-t", "unsafe", name, "out.raw",
                                     codes=codes)
                if done.code == 0:
                    os.unlink(self.work.path("out.raw"))
                self.assertEqual(sorted(os.listdir(self.work.folder)), before)
            elif verb == "compare":
                done = self.survives("compare", "-q", "-f", "qcow2", "-F", "qcow2", name, name, codes={0, 1, 2, 3, 4})
            else:
                done = self.survives(verb, "-f", "qcow2", "--output=json", *(["-O", "qcow2"] if verb == "measure" else []),
                                     name, codes=codes)
            ended[verb] = done
        return ended

    def refused(self, image, *says, codes=(CORRUPT, UNSUPPORTED), verbs=("map", "convert"), name="image.qcow2"):
        self.work.path(name).write_bytes(image)
        for verb, done in self.all_verbs(name, verbs=verbs).items():
            self.assertIn(done.code, codes, f"{verb}: {done.err}")
            for word in says:
                self.assertIn(word, done.err)

    # -- numbers that are too large

    def test_header_fields_that_cannot_be(self):
        good = self.make()
        everything = ("info", "map", "measure", "convert")
        for name, at, form, value, verbs in (
                ("version 1", VERSION, "I", 1, everything), ("version 4", VERSION, "I", 4, everything),
                ("clusters of 1 byte", CLUSTER_BITS, "I", 0, everything), ("clusters of 256", CLUSTER_BITS, "I", 8, everything),
                ("clusters of 4 MiB", CLUSTER_BITS, "I", 22, everything), ("clusters of 2^63", CLUSTER_BITS, "I", 63, everything),
                ("clusters of 2^(2^32)", CLUSTER_BITS, "I", 0xffffffff, everything),
                ("a disk of 2^64 - 1", SIZE, "Q", 2**64 - 1, everything), ("a disk of 2^63", SIZE, "Q", 2**63, everything),
                ("a disk beyond its L1 table", SIZE, "Q", 2**50, everything),
                ("an L1 table of 32 GiB", L1_SIZE, "I", 0xffffffff, everything),
                ("an L1 table of 64 MiB", L1_SIZE, "I", 8 << 20, everything),
                ("an L1 table behind the end", L1_OFFSET, "Q", 1 << 40, everything),
                ("an L1 table at the end of all", L1_OFFSET, "Q", 2**64 - 4096, everything),
                ("an L1 table between clusters", L1_OFFSET, "Q", 4097, everything),
                ("a backing name of 4 GiB", BACKING_SIZE, "I", 0xffffffff, ()),
                ("an unknown cipher", CRYPT, "I", 77, everything),
                ("a header of 4 GiB", HEADER_LENGTH, "I", 0xffffffff, everything),
                ("a header of 8 bytes", HEADER_LENGTH, "I", 8, everything),
                ("refcounts of 2^200 bits", REFCOUNT_ORDER, "I", 200, everything),
                ("unknown features", INCOMPATIBLE, "Q", 1 << 40, everything)):
            with self.subTest(name):
                image = bytearray(good)
                self.put(image, at, form, value)
                self.refused(image, verbs=verbs, codes=(CORRUPT, UNSUPPORTED))

    def test_snapshot_tables_that_cannot_be(self):
        good = self.make(commands=("write -P 7 0 100k", "snapshot one"))
        table = self.get(good, SNAPSHOTS_OFFSET, "Q")
        for name, at, form, value in (("2^32 - 1 snapshots", SNAPSHOTS, "I", 0xffffffff),
                                      ("a table behind the end", SNAPSHOTS_OFFSET, "Q", 1 << 50),
                                      ("a table at the end of all", SNAPSHOTS_OFFSET, "Q", 2**64 - 8),
                                      ("a name of 64 KiB", table + 14, "H", 0xffff),
                                      ("4 GiB of extra data", table + 36, "I", 0xffffffff)):
            with self.subTest(name):
                image = bytearray(good)
                self.put(image, at, form, value)
                self.work.path("image.qcow2").write_bytes(image)
                self.all_verbs()
        for name, at, form, value in (("L1 table of 32 GiB", table + 8, "I", 0xffffffff),
                                      ("L1 table behind the end", table, "Q", 1 << 50)):
            with self.subTest(name):
                image = bytearray(good)
                self.put(image, at, form, value)
                self.work.path("image.qcow2").write_bytes(image)
                done = self.survives("convert", "-q", "-l", "one", "-O", "raw", "image.qcow2", "x.raw")
                self.assertIn(done.code, (CORRUPT, UNSUPPORTED), done.err)

    def test_header_extensions_that_cannot_be(self):
        good = self.make()
        start = self.get(good, HEADER_LENGTH, "I")
        for kind in (0xE2792ACA, 0x6803f857, 0x23852875, 0x0537be77, 0x44415441, 0x12345678):
            for length in (0xffffffff, 0xfffffff8, 65536, 4096 - start):
                with self.subTest(f"{kind:x} of {length} bytes"):
                    image = bytearray(good)
                    self.put(image, start, "I", kind)
                    self.put(image, start + 4, "I", length)
                    self.work.path("image.qcow2").write_bytes(image)
                    self.all_verbs(verbs=("info", "map"))

    # -- offsets that lead elsewhere

    def test_table_entries_that_lead_elsewhere(self):
        good = self.make()
        l1 = self.get(good, L1_OFFSET, "Q")
        l2 = self.get(good, l1, "Q") & ~COPIED
        for name, at, value in (("an L2 table behind the end", l1, COPIED | 1 << 40),
                                ("an L2 table between clusters", l1, COPIED | (l2 + 512)),
                                ("an L2 table at the end of all", l1, COPIED | 0x00fffffffffff000),
                                ("reserved bits of L1", l1, COPIED | l2 | 1 << 60),
                                ("data behind the end", l2, COPIED | 1 << 40),
                                ("data between clusters", l2, COPIED | 0x5200),
                                ("data at the end of all", l2, COPIED | 0x00fffffffffff000),
                                ("reserved bits of L2", l2, COPIED | 0x5000 | 2),
                                ("compressed behind the end", l2, COMPRESSED | 1 << 40),
                                ("compressed at 0", l2, COMPRESSED)):
            with self.subTest(name):
                image = bytearray(good)
                self.put(image, at, "Q", value)
                self.refused(image)

    def test_overlaps_give_some_bytes_and_no_harm(self):
        good = self.make()
        l1 = self.get(good, L1_OFFSET, "Q")
        l2 = self.get(good, l1, "Q") & ~COPIED
        data = self.get(good, l2, "Q") & ~COPIED
        for name, at, value in (("the L1 table as L2", l1, COPIED | l1), ("L2 as its own data", l2, COPIED | l2),
                                ("data twice", l2 + 8, COPIED | data), ("L1 as data", l2, COPIED | l1),
                                ("data as an L2 table", l1, COPIED | data),
                                ("plain bytes as compressed", l2, COMPRESSED | data),
                                ("an L2 table as compressed", l2, COMPRESSED | 15 << 58 | l2)):
            with self.subTest(name):
                image = bytearray(good)
                self.put(image, at, "Q", value)
                self.work.path("image.qcow2").write_bytes(image)
                self.all_verbs()

    def test_a_disk_of_tebibytes_from_one_table(self):
        """All L1 entries name the same L2 table, of which every other cluster is there: 4 TiB with 2^25 runs."""
        size = 1 << 38 if SANITIZED else 4 << 40
        self.work.must("qemu-img", "create", "-q", "-f", "qcow2", "image.qcow2", size)
        self.work.must("qemu-io", "-c", "write -P 7 0 64k", "image.qcow2")
        image = bytearray(self.work.path("image.qcow2").read_bytes())
        l1 = self.get(image, L1_OFFSET, "Q")
        l2 = self.get(image, l1, "Q")
        data = self.get(image, l2 & ~COPIED, "Q")
        for index in range(size >> 29):
            self.put(image, l1 + 8 * index, "Q", l2)
        for index in range(0, 8192, 2):
            self.put(image, (l2 & ~COPIED) + 8 * index, "Q", data)
        self.work.path("image.qcow2").write_bytes(image)
        self.all_verbs(verbs=("info", "measure"), codes={0})
        # map would print 2^25 lines; a part of them is enough to see that it remembers none.
        self.survives("map", "-s", "200G", "-l", "20G", "--output=json", "image.qcow2", codes={0})

    # -- chains

    def chain(self, *names):
        """Each stands on the next."""
        for name, backing in zip(names, names[1:]):
            self.work.must("qemu-img", "create", "-q", "-f", "qcow2", "-u", "-b", "./" + backing, "-F", "qcow2", name,
                           "1M")

    def test_chains_that_bite_their_tail(self):
        self.chain("a", "a")
        self.chain("b", "c", "d", "b")
        os.symlink("e", self.work.path("f"))
        self.chain("e", "f")
        for name in "abe":
            with self.subTest(name):
                for verb, done in self.all_verbs(name, verbs=("map", "convert", "measure")).items():
                    self.assertEqual(done.code, CORRUPT, verb)
                    self.assertIn("already part of this image", done.err)
                self.assertIn("circle", self.survives("info", "--backing-chain", name, codes={CORRUPT}).err)

    def test_chains_that_are_too_long(self):
        self.chain("0", "1")
        template = bytearray(self.work.path("0").read_bytes())
        where = self.get(template, BACKING_OFFSET, "Q")
        self.put(template, BACKING_SIZE, "I", 5)
        for number in range(250):
            template[where:where + 5] = b"./%03d" % (number + 1)
            self.work.path("%03d" % number).write_bytes(template)
        self.work.must("qemu-img", "create", "-q", "-f", "qcow2", "250", "1M")
        for verb, done in self.all_verbs("000", verbs=("map", "convert", "measure")).items():
            self.assertEqual(done.code, UNSUPPORTED, verb)
            self.assertIn("200", done.err)
        self.all_verbs("060", codes={0}, verbs=("map", "convert"))

    def test_names_in_an_image_do_not_lead_to_secrets(self):
        secret = self.work.path("secret")
        secret.write_text("root:x\n" * 100)
        os.mkdir(self.work.path("images"))
        for name in (str(secret), "../secret", "/dev/zero", "/proc/self/mem", "/etc/passwd", "json:{\"driver\":\"file\"}",
                     "nbd://127.0.0.1:1/", "fat:/etc", "ssh://host/x", "images/../../secret", "//etc/passwd", "."):
            with self.subTest(name):
                self.work.must("qemu-img", "create", "-q", "-f", "qcow2", "-u", "-b", name, "-F", "raw",
                               "images/image.qcow2", "1M")
                done = self.survives("convert", "-q", "-O", "raw", "images/image.qcow2", "images/out.raw")
                self.assertIn(done.code, (2, 11, 18, REFUSED), done.err)
                self.assertEqual(os.listdir(self.work.path("images")), ["image.qcow2"])

    # -- damage

    def test_cut_off_at_every_sector(self):
        whole = bytes(self.make(size="64k", options="cluster_size=512",
                                commands=("write -P 7 0 5k", "snapshot one", "write -c -s image.qcow2 8k 512")))
        for length in range(0, len(whole), 512):
            self.work.path("image.qcow2").write_bytes(whole[:length])
            self.all_verbs(verbs=("map", "convert"))
        for length in range(0, 200, 9):
            self.work.path("image.qcow2").write_bytes(whole[:length])
            self.all_verbs(verbs=("info",))

    def test_random_damage(self):
        asked = os.environ.get("DISKLATHE_ROUNDS")
        rounds, seconds = (int(asked), float("inf")) if asked else (120, 10)
        seed = int(os.environ.get("DISKLATHE_SEED", random.SystemRandom().randrange(10**9)))
        print(f"random damage from seed {seed} on", flush=True)
        commands = ("write -s pool 0 40k", "snapshot one", "write -c -s pool 64k 16k", "write -z 128k 16k",
                    "write -s pool 200000 3000", "discard 4k 16k", "write -P 3 900k 64k")
        self.work.path("pool").write_bytes(random.Random(seed).randbytes(8192) + b"text " * 20000)
        images = [self.make(f"good{number}", "1M", options, commands) for number, options in
                  enumerate(("cluster_size=512", "cluster_size=4096,compression_type=zstd",
                             "cluster_size=16384,extended_l2=on", "cluster_size=16384,compat=0.10",
                             "cluster_size=1024,refcount_bits=64"))]
        began = time.monotonic()
        for number in range(seed, seed + rounds):
            if time.monotonic() - began > seconds:
                break
            chance = random.Random(number)
            image = bytearray(chance.choice(images))
            tables = [0, self.get(image, L1_OFFSET, "Q"), self.get(image, self.get(image, L1_OFFSET, "Q"), "Q") & ~COPIED,
                      self.get(image, SNAPSHOTS_OFFSET, "Q")]
            for _ in range(chance.choice([1, 1, 2, 5, 50])):
                at = chance.choice(tables) + chance.randrange(chance.choice([8, 112, 600]))
                if chance.random() < 0.2:
                    at = chance.randrange(len(image))
                at = min(at, len(image) - 1)
                image[at] = chance.choice([image[at] ^ 1 << chance.randrange(8), chance.randrange(256), 0, 255])
            if chance.random() < 0.1:
                del image[chance.randrange(len(image)):]
            self.work.path("image.qcow2").write_bytes(image)
            with self.subTest(seed=number):
                self.all_verbs(verbs=("map", "convert"))
                if chance.random() < 0.3:
                    self.all_verbs(verbs=("info", "measure", "compare"))
                    self.survives("convert", "-q", "-f", "qcow2", "-l", "one", "-O", "qcow2", "-c", "image.qcow2", "x.qcow2")
                    self.work.path("x.qcow2").unlink(missing_ok=True)


if __name__ == "__main__":
    unittest.main()
