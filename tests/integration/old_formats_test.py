# SPDX-License-Identifier: GPL-3.0-or-later
# TIMEOUT: 240
"""Random images in the formats that are only read (qcow, QED, Parallels), made by qemu-img: both see the same. And what
they name, and what they hold that is not read.

DISKLATHE_ROUNDS: how many images (otherwise as many as begin within 12 s). DISKLATHE_SEED: those of an earlier run.
"""

import os
import pathlib
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import foreign_images_test  # noqa: E402
from differential_test import as_the_image_says, in_sectors, lengths_in_sectors  # noqa: E402
from programs import DISKLATHE, MEBIBYTE, Work  # noqa: E402
from rounds import play_rounds  # noqa: E402

SECTOR = 512
OPTIONS = {
    "qcow": {},
    "qed": {"cluster_size": [4096, 65536, 2 * MEBIBYTE], "table_size": [2, 4]},  # QEMU opens none of 1, and few of more
    "parallels": {"cluster_size": [SECTOR, 63 * SECTOR, 252 << 10, 65536, MEBIBYTE]},
}
ALLOW = ["--backing", "allow"]  # what is in the folder; of a chain nobody says what format the middle has


def to_old_kind(image):
    """A Parallels disk of qemu-img's kind made into one of the older: its table counts in sectors."""
    content = bytearray(image.read_bytes())
    cluster_sectors, entries = struct.unpack_from("<II", content, 28)
    table = [entry * cluster_sectors for entry in struct.unpack_from(f"<{entries}I", content, 64)]
    struct.pack_into(f"<{entries}I", content, 64, *table)
    content[:16] = b"WithoutFreeSpace"
    image.write_bytes(content)


class Round(foreign_images_test.Round):
    def run(self):
        self.format = self.chance.choice(list(OPTIONS))
        self.size = self.chance.choice([1, 511, 512, 65536, MEBIBYTE, MEBIBYTE + 512, 33 * MEBIBYTE,
                                        self.chance.randrange(1, 6 * MEBIBYTE), self.chance.randrange(1, 40 * MEBIBYTE)])
        image = self.overlay() if self.format != "parallels" and self.often(0.4) else self.standalone()
        if self.format == "parallels" and self.often(0.5):
            to_old_kind(self.work.path(image))
        self.same(image)
        self.reads(image)
        if self.often(0.5):
            self.damage(image)

    def disk(self, path, size):
        guest = bytearray(size)
        for _ in range(self.chance.randrange(0, 12)):
            at, from_ = self.chance.randrange(size), self.chance.randrange(len(self.pool))
            part = self.pool[from_:from_ + self.chance.choice([1, 512, 70000, 1500000])][:size - at]
            guest[at:at + len(part)] = part
        self.work.path(path).write_bytes(guest)
        return path

    def options(self):
        chosen = {name: self.chance.choice(values) for name, values in OPTIONS[self.format].items() if self.often(0.7)}
        return self.as_o(chosen) if chosen else []

    def standalone(self):
        image = f"image.{self.format}"
        convert = ["-f", "raw", "-O", self.format, *self.options(), self.disk("disk.raw", self.size), image]
        # qemu-img does not compress every last cluster that is short.
        if self.format != "qcow" or self.often(0.5) or self.work.run("qemu-img", "convert", "-c", *convert).code:
            self.work.must("qemu-img", "convert", *convert)
        self.scribble(image)
        return image

    def overlay(self):
        """On a disk that is shorter, or longer; perhaps on one more of its own kind."""
        below = in_sectors(self.chance.choice([self.size, self.size, max(1, self.size // 2), self.size + 70000]))
        base, base_format = self.disk("base.raw", below), "raw"
        for name in ["middle", "image"] if self.often(0.3) else ["image"]:
            image = f"{name}.{self.format}"
            self.work.must("qemu-img", "create", "-q", "-f", self.format, *self.options(), "-b", base, "-F", base_format,
                           image, self.size)
            self.scribble(image)
            base, base_format = image, self.format
        return image

    def same(self, image):
        for verb in "info", "map":
            arguments = ["--output=json", "-f", self.format, image]
            ours = self.work.json(DISKLATHE, verb, *ALLOW, *arguments)
            theirs = self.work.json("qemu-img", verb, *arguments)
            if verb == "map":
                ours, theirs = as_the_image_says(ours), as_the_image_says(theirs)
            else:
                ours, theirs = lengths_in_sectors(ours), lengths_in_sectors(theirs)
                if self.format == "parallels":  # of which QEMU does not tell these
                    del ours["cluster-size"], ours["dirty-flag"]
            if ours != theirs:
                raise self.work.wrong(f"{verb}:\nours   {ours}\ntheirs {theirs}")

    def reads(self, image):
        self.work.must("qemu-img", "convert", "-f", self.format, "-O", "raw", image, "theirs.raw")
        self.work.must(DISKLATHE, "convert", "-q", *ALLOW, *(["-f", self.format] if self.often(0.5) else []), "-O", "raw",
                       *self.chance.choice([[], ["-T", "none"], ["--verify"]]), image, "ours.raw")
        self.work.must("cmp", "theirs.raw", "ours.raw")
        self.work.must(DISKLATHE, "compare", *ALLOW, "-f", self.format, "-F", "raw", image, "theirs.raw")

    def damage(self, image):
        """What is read of a damaged image, if it is read, is what QEMU reads of it."""
        content = bytearray(self.work.path(image).read_bytes())
        for _ in range(self.chance.choice([1, 1, 3])):
            at = self.chance.choice([0, 0, 512, 4096, 65536]) + self.chance.randrange(600)
            at = min(at, len(content) - 1)
            content[at] ^= 1 << self.chance.randrange(8)
        self.work.path(image).write_bytes(content)
        # Far larger disks cost qemu-img minutes.
        info = self.work.run(DISKLATHE, "info", "--output=json", "-f", self.format, image)
        if info.code or self.work.json(DISKLATHE, "info", "--output=json", "-f", self.format, image)["virtual-size"] > 1 << 30:
            return
        ours = self.work.ours("convert", "-q", *ALLOW, "-f", self.format, "-O", "raw", image, "ours.raw")
        theirs = self.work.run("qemu-img", "convert", "-f", self.format, "-O", "raw", image, "theirs.raw")
        if not ours.code and not theirs.code:
            self.work.must("cmp", "theirs.raw", "ours.raw")


class OldFormatsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="disklathe-old-")
        self.addCleanup(folder.cleanup)
        self.work = Work(folder.name)
        self.work.path("inside").mkdir()

    def make(self, format, image, *words, size="3M"):
        self.work.must("qemu-img", "create", "-q", "-f", format, *words, image, size)
        self.work.must("qemu-io", "-f", format, "-c", "write -q -P 5 70k 100k", image)

    def test_they_are_not_written(self):
        self.work.path("disk.raw").write_bytes(bytes(512))
        for format in OPTIONS:
            done = self.work.ours("convert", "-q", "-f", "raw", "-O", format, "disk.raw", "out")
            self.assertEqual(done.code, 18, done.err)
            self.assertIn(format, done.err)
            self.assertFalse(self.work.path("out").exists())
            done = self.work.ours("create", "-q", "-f", format, "out", "1M")
            self.assertEqual(done.code, 18, done.err)

    def test_they_are_not_checked(self):
        for format in OPTIONS:
            self.make(format, "image")
            done = self.work.must(DISKLATHE, "check", "-f", format, "image", code=63)
            self.assertIn(f"not supported for {format} images", done.err)

    def test_a_name_that_contradicts_the_content_is_said(self):
        for format, name in ("qcow", "image.qcow2"), ("qed", "image.qcow"), ("parallels", "image.vdi"):
            self.make(format, name)
            done = self.work.must(DISKLATHE, "info", name)
            self.assertIn(f"looks like {format};", done.err)
        for format, name in ("qcow", "image.qcow"), ("qed", "image.qed"), ("parallels", "image.hdd"):
            self.make(format, name)
            done = self.work.must(DISKLATHE, "info", name)
            self.assertEqual(done.err, "")

    def test_what_an_encrypted_image_holds_is_not_read(self):
        self.work.must("qemu-img", "create", "-q", "-f", "qcow", "--object", "secret,id=key,data=open", "-o",
                       "encrypt.format=aes,encrypt.key-secret=key", "image.qcow", "1M")
        self.work.must("qemu-io", "--object", "secret,id=key,data=open", "-c", "write -q -P 5 0 4k", "--image-opts",
                       "driver=qcow,encrypt.key-secret=key,file.filename=image.qcow")
        self.assertTrue(self.work.json(DISKLATHE, "info", "--output=json", "image.qcow")["encrypted"])
        done = self.work.must(DISKLATHE, "convert", "-q", "-O", "raw", "image.qcow", "out", code=18)
        self.assertIn("encrypted", done.err)
        self.assertFalse(self.work.path("out").exists())

    def test_backing_files_elsewhere_are_told_and_not_opened(self):
        self.work.path("base.raw").write_bytes(b"b" * MEBIBYTE)
        for format in "qcow", "qed":
            image = f"inside/image.{format}"
            self.make(format, image, "-b", "../base.raw", "-F", "raw")
            done = self.work.must(DISKLATHE, "convert", "-q", "-O", "raw", image, "out.raw", code=19)
            self.assertIn("../base.raw", done.err)
            self.assertFalse(self.work.path("out.raw").exists())
            self.assertEqual(self.work.json(DISKLATHE, "info", "--output=json", image)["backing-filename"], "../base.raw")
            self.work.must(DISKLATHE, "convert", "-q", "--backing", "allow", "-O", "raw", image, "out.raw")
            self.work.must("qemu-img", "compare", "-f", format, "-F", "raw", image, "out.raw")
            self.work.path("out.raw").unlink()

    def test_an_image_is_no_backing_file_of_itself(self):
        for format in "qcow", "qed":
            self.work.must("qemu-img", "create", "-q", "-f", format, "-u", "-b", "image", "-F", format, "made", "3M")
            self.work.path("made").rename(self.work.path("image"))
            self.work.must(DISKLATHE, "map", *ALLOW, "-f", format, "image", code=17)

    def test_an_image_that_was_not_closed_is_read_with_a_warning(self):
        for format, at, value in ("qed", 16, 2), ("parallels", 44, 0x746F6E59):
            self.make(format, "image")
            with open(self.work.path("image"), "r+b") as file:
                file.seek(at)
                file.write(struct.pack("<I", value))
            done = self.work.must(DISKLATHE, "convert", "-q", "-f", format, "-O", "raw", "image", "out.raw")
            self.assertIn("not closed properly", done.err)
            self.assertTrue(self.work.json(DISKLATHE, "info", "--output=json", "-f", format, "image")["dirty-flag"])
            self.work.must("qemu-img", "compare", "-f", format, "-F", "raw", "image", "out.raw")

    def test_features_and_versions_nobody_knows_are_named(self):
        for format, at, value, said in (("qed", 16, b"\x10", "features 0x10"), ("parallels", 16, b"\x03", "version 3"),
                                        ("qcow", 7, b"\x09", "version 9")):
            self.make(format, "image")
            with open(self.work.path("image"), "r+b") as file:
                file.seek(at)
                file.write(value)
            done = self.work.must(DISKLATHE, "info", "-f", format, "image", code=18)
            self.assertIn(said, done.err)


def rounds():
    return play_rounds(lambda chance, work, number: Round(chance, work).run(), "old", 1000, seconds=12)


if __name__ == "__main__":
    if code := rounds():
        sys.exit(code)
    unittest.main()
