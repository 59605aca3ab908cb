# SPDX-License-Identifier: GPL-3.0-or-later
# TIMEOUT: 240
"""Random images in the formats of other programs (VDI, VMDK), made by qemu-img and by Disklathe: both see the same, and so
does 7-Zip. And what images name besides themselves is opened by the rule of names inside images.

DISKLATHE_ROUNDS: how many images (otherwise as many as begin within 15 s). DISKLATHE_SEED: those of an earlier run.
"""

import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from differential_test import as_the_image_says, in_sectors, lengths_in_sectors  # noqa: E402
from programs import DISKLATHE, MEBIBYTE, NotJudged, Work  # noqa: E402
from rounds import play_rounds  # noqa: E402

SPARSE, STREAM = "monolithicSparse", "streamOptimized"
SPLIT = ["monolithicFlat", "twoGbMaxExtentSparse", "twoGbMaxExtentFlat"]
OURS = {"vdi": [{"static": "off"}, {"static": "on"}],
        "vmdk": [{"subformat": SPARSE}, {"subformat": STREAM}, {"subformat": STREAM, "adapter_type": "lsilogic"},
                 {"subformat": SPARSE, "compat6": "on"}, {"subformat": SPARSE, "hwversion": "9", "adapter_type": "buslogic"}]}
THEIRS = {"vdi": OURS["vdi"],
          "vmdk": [*OURS["vmdk"], *({"subformat": name} for name in SPLIT),
                   {"subformat": SPARSE, "zeroed_grain": "on"}, {"subformat": "twoGbMaxExtentSparse", "zeroed_grain": "on"}]}


class Round:
    def __init__(self, chance, work):
        self.chance = chance
        self.work = work
        self.pool = b"".join(chance.choice([chance.randbytes(n), bytes(n), b"some text " * (n // 10)])
                             for n in (chance.choice([512, 4096, 5000, 65536, 100000]) for _ in range(40)))

    def often(self, probability):
        return self.chance.random() < probability

    def run(self):
        self.format = self.chance.choice(list(THEIRS))
        self.size = self.chance.choice([1, 511, 512, 65536, MEBIBYTE, MEBIBYTE + 512, 33 * MEBIBYTE,
                                        self.chance.randrange(1, 6 * MEBIBYTE), self.chance.randrange(1, 40 * MEBIBYTE)])
        guest = bytearray(self.size)
        for _ in range(self.chance.randrange(0, 12)):
            at = self.chance.randrange(self.size)
            from_ = self.chance.randrange(len(self.pool))
            part = self.pool[from_:from_ + self.chance.choice([1, 512, 70000, 1500000])][:self.size - at]
            guest[at:at + len(part)] = part
        self.work.path("guest.raw").write_bytes(guest)
        self.read_theirs()
        self.read_ours()

    def as_o(self, options):
        return ["-o", ",".join(f"{name}={value}" for name, value in options.items())]

    def read_theirs(self):
        options = self.chance.choice(THEIRS[self.format])
        image = f"theirs.{self.format}"
        self.work.must("qemu-img", "convert", "-f", "raw", "-O", self.format, *self.as_o(options), "guest.raw", image)
        if options.get("subformat") != STREAM:
            self.scribble(image)
            self.work.must("qemu-img", "convert", "-f", self.format, "-O", "raw", image, "guest.raw")
        self.same(image)
        self.work.must(DISKLATHE, "check", "-q", "-f", self.format, image)
        self.work.must(DISKLATHE, "compare", "-f", self.format, "-F", "raw", image, "guest.raw")
        self.work.must(DISKLATHE, "convert", "-q", *(["-f", self.format] if self.often(0.5) else []), "-O", "raw",
                       *self.chance.choice([[], ["-T", "none"], ["--verify"]]), image, "ours.raw")
        self.work.must("qemu-img", "compare", "-f", "raw", "-F", "raw", "guest.raw", "ours.raw")

    def scribble(self, image):
        """Writes that come in any order, so that blocks lie in any order."""
        size = in_sectors(self.size)
        commands = []
        for _ in range(self.chance.randrange(0, 10)):
            at = self.chance.randrange(size) // 512 * 512
            length = min(self.chance.choice([512, 65536, 300 * 512]), size - at)
            commands += ["-c", f"write -q {self.chance.choice(['-P 0', '-P 7', '-P 201', '-z'])} {at} {length}"]
        # Its Parallels driver gives one block two places now and then, and then refuses its own image.
        if commands and self.work.run("qemu-io", "-f", self.format, *commands, image).code:
            raise NotJudged(f"qemu-io cannot write to its own {image}")

    def read_ours(self):
        options = self.chance.choice(OURS[self.format])
        image = f"ours.{self.format}"
        compress = []
        if options.get("subformat") == STREAM:
            compress = self.chance.choice([[], ["-c"], ["-c", "--level", "1"], ["-c", "--level", "12"]])
        self.work.must(DISKLATHE, "convert", "-q", "-f", "raw", "-O", self.format, *self.as_o(options), *compress,
                       *self.chance.choice([[], ["-t", "none"], ["--verify"], ["-S", "0"]]), "guest.raw", image)
        self.work.must("qemu-img", "check", "-q", "-f", self.format, image)
        self.work.must(DISKLATHE, "check", "-q", "-f", self.format, image)
        self.work.must("qemu-img", "compare", "-f", "raw", "-F", self.format, "guest.raw", image)
        self.work.must(DISKLATHE, "compare", "-f", "raw", "-F", self.format, "guest.raw", image)
        self.same(image)
        self.work.must("7z", "x", "-y", "-oseven", image)
        (seen,) = self.work.path("seven").iterdir()
        self.work.must("qemu-img", "compare", "-f", "raw", "-F", "raw", "guest.raw", seen)
        seen.unlink()

    def same(self, image):
        for verb in "info", "map":
            arguments = [verb, "--output=json", "-f", self.format, image]
            ours, theirs = self.work.json(DISKLATHE, *arguments), self.work.json("qemu-img", *arguments)
            if verb == "map":
                ours, theirs = as_the_image_says(ours), as_the_image_says(theirs)
            else:
                ours, theirs = lengths_in_sectors(ours), lengths_in_sectors(theirs)
            if ours != theirs:
                raise self.work.wrong(f"{verb}:\nours   {ours}\ntheirs {theirs}")


class NamesTest(unittest.TestCase):
    """What images name."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="disklathe-names-")
        self.addCleanup(folder.cleanup)
        self.work = Work(folder.name)
        self.work.path("inside").mkdir()

    def make(self, subformat, name="inside/disk.vmdk", *backing):
        self.work.must("qemu-img", "create", "-q", "-f", "vmdk", "-o", f"subformat={subformat}", *backing, name, "3M")
        self.work.must("qemu-io", "-f", "vmdk", "-c", "write -q -P 5 70k 100k", name)

    def outside(self, subformat):
        """Its extent is in another folder."""
        self.make(subformat)
        (extent,) = (path for path in self.work.path("inside").iterdir() if path.name != "disk.vmdk")
        extent.rename(self.work.path(extent.name))
        descriptor = self.work.path("inside/disk.vmdk")
        descriptor.write_text(descriptor.read_text().replace(extent.name, f"../{extent.name}"))

    def test_extents_beside_the_image_are_opened(self):
        for subformat in SPLIT:
            self.make(subformat)
            self.work.must("qemu-img", "convert", "-O", "raw", "inside/disk.vmdk", "theirs.raw")
            self.work.must(DISKLATHE, "compare", "-f", "vmdk", "-F", "raw", "inside/disk.vmdk", "theirs.raw")

    def test_extents_elsewhere_are_told_and_not_opened(self):
        for subformat in SPLIT:
            self.outside(subformat)
            for verb in ["convert", "-q", "-O", "raw"], ["map"]:
                done = self.work.must(DISKLATHE, *verb, "inside/disk.vmdk", *(["out.raw"] if "-O" in verb else []), code=19)
                self.assertIn("../disk-", done.err)
            self.assertFalse(self.work.path("out.raw").exists())
            done = self.work.must(DISKLATHE, "info", "inside/disk.vmdk")
            self.assertIn("../disk-", done.err + done.out)
            self.assertIn("virtual size: 3 MiB", done.out)
            self.work.must(DISKLATHE, "convert", "-q", "--backing", "allow", "-O", "raw", "inside/disk.vmdk", "out.raw")
            self.work.must("qemu-img", "compare", "-f", "vmdk", "-F", "raw", "inside/disk.vmdk", "out.raw")
            for left in [*self.work.path("inside").iterdir(), self.work.path("out.raw")]:
                left.unlink()

    def test_devices_are_no_extents_unless_allowed(self):
        self.work.path("disk.vmdk").write_text(
            '# Disk DescriptorFile\nversion=1\nCID=1\nparentCID=ffffffff\ncreateType="fullDevice"\nRW 1 FLAT "/dev/zero" 0\n')
        self.work.must(DISKLATHE, "map", "disk.vmdk", code=19)

    def test_protocols_are_no_extents(self):
        for name in "nbd://host/x", "json:{}":
            self.work.path("disk.vmdk").write_text(
                f'version=1\nCID=1\nparentCID=ffffffff\ncreateType="vmfs"\nRW 1 FLAT "{name}" 0\n')
            self.work.must(DISKLATHE, "map", "--backing", "allow", "disk.vmdk", code=18)

    def test_an_image_is_no_extent_of_itself(self):
        self.work.path("disk.vmdk").write_text(
            'version=1\nCID=1\nparentCID=ffffffff\ncreateType="vmfs"\nRW 1 FLAT "disk.vmdk" 0\n')
        self.work.must(DISKLATHE, "map", "disk.vmdk", code=17)

    def test_a_missing_extent_is_named(self):
        self.make("monolithicFlat")
        self.work.path("inside/disk-flat.vmdk").unlink()
        done = self.work.must(DISKLATHE, "map", "inside/disk.vmdk", code=11)
        self.assertIn("disk-flat.vmdk", done.err)

    def test_an_extent_that_was_cut_is_damaged(self):
        for subformat in SPLIT:
            self.make(subformat)
            (extent,) = (path for path in self.work.path("inside").iterdir() if path.name != "disk.vmdk")
            os.truncate(extent, 66000)
            done = self.work.must(DISKLATHE, "convert", "-q", "-O", "raw", "inside/disk.vmdk", "out.raw", code=17)
            self.assertIn("disk.vmdk", done.err)
            for left in self.work.path("inside").iterdir():
                left.unlink()

    def test_one_extent_alone_is_no_disk(self):
        self.work.must("qemu-img", "create", "-q", "-f", "vmdk", "-o", "subformat=twoGbMaxExtentSparse", "disk.vmdk", "3M")
        extent = self.work.path("disk-s001.vmdk")
        image = bytearray(extent.read_bytes())
        image[28:44] = bytes(16)  # as VMware makes them: no place for a descriptor
        extent.write_bytes(image)
        done = self.work.must(DISKLATHE, "info", "disk-s001.vmdk", code=18)
        self.assertIn("descriptor", done.err)

    def test_parents_are_followed_as_backing_files_are(self):
        self.make(SPARSE, "inside/base.vmdk")
        self.make(SPARSE, "inside/top.vmdk", "-b", "base.vmdk", "-F", "vmdk")
        self.work.must("qemu-io", "-f", "vmdk", "-c", "write -q -P 9 1M 64k", "inside/top.vmdk")
        self.work.must("qemu-img", "convert", "-O", "raw", "inside/top.vmdk", "theirs.raw")
        self.work.must(DISKLATHE, "compare", "-f", "vmdk", "-F", "raw", "inside/top.vmdk", "theirs.raw")
        for arguments in ["info", "-b"], ["map"]:
            ours = self.work.json(DISKLATHE, *arguments, "--output=json", "inside/top.vmdk")
            theirs = self.work.json("qemu-img", arguments[0], *(["--backing-chain"] if "-b" in arguments else []),
                                    "--output=json", "inside/top.vmdk")
            if "map" in arguments:
                self.assertEqual(ours, as_the_image_says(theirs))
            else:
                self.assertEqual([layer["backing-filename"] for layer in ours if "backing-filename" in layer], ["base.vmdk"])
                self.assertEqual([layer["format-specific"] for layer in ours], [layer["format-specific"] for layer in theirs])
        self.work.must(DISKLATHE, "map", "--backing", "deny", "inside/top.vmdk", code=19)
        # Written to since, the parent is another disk.
        self.work.must("qemu-io", "-f", "vmdk", "-c", "write -q -P 1 0 1", "inside/base.vmdk")
        self.work.must(DISKLATHE, "map", "inside/top.vmdk", code=17)

    def test_check_finds_what_does_not_lie_inside_its_file(self):
        for format, size, damage in (("vdi", "3M", (516, 0x77)), ("vdi", "3M", (388, 9)), ("vmdk", "3M", None)):
            image = f"disk.{format}"
            self.work.must("qemu-img", "create", "-q", "-f", format, image, size)
            self.work.must("qemu-io", "-f", format, "-c", "write -q -P 5 70k 100k", "-c", "write -q -P 6 1M 64k", image)
            if damage:
                with open(self.work.path(image), "r+b") as file:
                    file.seek(damage[0])
                    file.write(bytes([damage[1], 0, 0, 0]))
            else:
                os.truncate(self.work.path(image), 130000)
            self.work.must(DISKLATHE, "check", image, code=2)
            self.assertIn(self.work.run("qemu-img", "check", image).code, (1, 2))

    def test_encrypted_disks_are_named(self):
        self.work.path("disk.vmdk").write_text(
            'version=4\nCID=1\nparentCID=ffffffff\ncreateType="monolithicFlat"\nencryption.keySafe="vmware:key"\n'
            'RW 1 FLAT "disk-flat.vmdk" 0\n')
        done = self.work.must(DISKLATHE, "info", "-f", "vmdk", "disk.vmdk", code=18)
        self.assertIn("encrypted", done.err)


def rounds():
    return play_rounds(lambda chance, work, number: Round(chance, work).run(), "foreign", 1000)


if __name__ == "__main__":
    if code := rounds():
        sys.exit(code)
    unittest.main()
