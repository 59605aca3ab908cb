# SPDX-License-Identifier: GPL-3.0-or-later
"""Images of the formats other programs use, by chance: what we read of theirs, and what others read of ours.

A row of FORMATS says what there is to choose from; a round takes one disk through one of them and back.
"""

import dataclasses
import os
import shutil

from programs import DISKLATHE
from rounds import play_rounds

KIBIBYTE, MEBIBYTE, GIBIBYTE = 1 << 10, 1 << 20, 1 << 30
SECTOR = 512


@dataclasses.dataclass
class Format:
    extension: str
    options: dict  # name -> the values to choose from, as qemu-img has them
    seven_zip: str = ""  # what 7-Zip calls it; empty: it does not read it
    seven_zip_unit: int = 1  # sizes that it takes are multiples of this
    checks: bool = False  # qemu-img has a check for it
    maps: bool = True  # qemu-img knows where things are in it
    grows: bool = False  # the disk may come out larger than what was asked for
    unlike: tuple = ()  # keys of info that are not compared
    works: staticmethod = lambda options, size: True  # which options go together


FORMATS = {
    "vpc": Format("vhd", {"subformat": ["dynamic", "fixed"], "force_size": ["on", "off"]}, seven_zip="VHD", grows=True),
    "vhdx": Format("vhdx", {"subformat": ["dynamic", "fixed"], "block_size": ["1M", "2M", "16M", "256M"],
                            "log_size": ["1M", "3M"], "block_state_zero": ["on", "off"]},
                   seven_zip="VHDX", seven_zip_unit=1024, checks=True, maps=False,
                   works=lambda options, size: "fixed" not in options.values() or options.get("block_size") != "256M"),
}


class FormatRound:
    def __init__(self, chance, work, name):
        self.chance, self.work, self.name = chance, work, name
        self.format = FORMATS[name]

    def often(self, probability):
        return self.chance.random() < probability

    def size(self):
        odd = self.chance.choice([0, 0, SECTOR, 3 * SECTOR, self.chance.randrange(4096)])
        kind = self.chance.choice(["tiny", "small", "small", "blocks", "large", "huge"])
        return {"tiny": self.chance.randrange(1, 9000), "small": self.chance.randrange(1, 64) * 64 * KIBIBYTE + odd,
                "blocks": self.chance.randrange(1, 12) * 2 * MEBIBYTE + odd,
                "large": self.chance.randrange(30, 300) * MEBIBYTE + odd,
                # Where qemu-img knows of no holes it takes 10 s for 100 GiB.
                "huge": self.chance.choice([3, 9, 130] if self.format.maps else [2]) * GIBIBYTE + odd}[kind]

    def disk(self, path, size):
        """A sparse raw disk with runs of noise, of one byte, and of text."""
        with open(self.work.path(path), "wb") as file:
            file.truncate(size)
            for _ in range(self.chance.choice([0, 1, 5, 30])):
                length = min(size, self.chance.choice([1, 100, SECTOR, 4096, 70000, 2 * MEBIBYTE, 3 * MEBIBYTE]))
                at = self.chance.randrange(size - length + 1)
                if self.often(0.6):
                    at = at // 4096 * 4096
                file.seek(at)
                file.write(self.chance.choice([self.chance.randbytes(length), bytes([self.chance.randrange(256)]) * length,
                                               (b"lathe " * (length // 6 + 1))[:length]]))
        return path

    def options(self, size):
        while True:
            chosen = {name: self.chance.choice(values) for name, values in self.format.options.items()
                      if self.often(0.5)}
            if chosen.get("subformat") == "fixed" and size > 40 * MEBIBYTE:
                continue
            if self.format.works(chosen, size):
                return ["-o", ",".join(f"{name}={value}" for name, value in chosen.items())] if chosen else []

    def run(self):
        size = self.size()
        raw = self.disk("disk.raw", size)
        theirs = f"theirs.{self.format.extension}"
        self.work.must("qemu-img", "convert", "-f", "raw", "-O", self.name, *self.options(size), raw, theirs)
        self.reads(raw, theirs)
        if self.often(0.5):
            self.change(theirs)
            self.work.must("qemu-img", "convert", "-f", self.name, "-O", "raw", theirs, "changed.raw")
            self.reads("changed.raw", theirs)
            raw = "changed.raw"
        ours = f"ours.{self.format.extension}"
        verify = ["--verify"] if self.often(0.3) else []
        cache = ["-t", self.chance.choice(["none", "writeback", "unsafe"])] if self.often(0.4) else []
        self.work.must(DISKLATHE, "convert", "-q", *verify, *cache, "-f", "raw", "-O", self.name, *self.options(size), raw, ours)
        self.is_right(raw, ours)
        if self.often(0.3):
            self.work.must(DISKLATHE, "convert", "-q", "-f", self.name, "-O", self.name, *self.options(size), theirs, ours)
            self.is_right(raw, ours)

    def reads(self, raw, image):
        """What qemu-img made is the disk it was made of, and looks the same."""
        self.work.must(DISKLATHE, "compare", "-q", "-f", "raw", "-F", self.name, raw, image)
        self.work.must(DISKLATHE, "convert", "-q", "-f", self.name, "-O", "raw", image, "back.raw")
        self.work.must("qemu-img", "compare", "-q", "-f", "raw", "-F", self.name, "back.raw", image)
        os.unlink(self.work.path("back.raw"))
        self.looks_the_same(image)

    def looks_the_same(self, image):
        for verb in ("info", "map") if self.format.maps else ("info",):
            ours, theirs = (self.work.json(program, verb, "--output=json", "-f", self.name, image)
                            for program in (DISKLATHE, "qemu-img"))
            if verb == "map":
                ours, theirs = self.without_file_holes(ours), self.without_file_holes(theirs)
            else:
                for answer in (ours, theirs):
                    for key in self.format.unlike:
                        answer.pop(key, None)
                    for child in answer["children"]:
                        child["info"]["virtual-size"] = -(-child["info"]["virtual-size"] // SECTOR) * SECTOR
            if ours != theirs:
                raise self.work.wrong(f"{verb} of {image}: ours\n{ours}\nqemu-img's\n{theirs}")

    @staticmethod
    def without_file_holes(entries):
        """qemu-img says of plain data where the image's file has a hole, that it is both data and zero."""
        merged = []
        for entry in entries:
            entry = dict(entry, zero=entry["zero"] and not entry["data"])
            if merged and all(merged[-1].get(key) == entry.get(key) for key in ("zero", "data", "present", "depth")):
                last = merged[-1]
                if "offset" not in entry or last["offset"] + last["length"] == entry["offset"]:
                    last["length"] += entry["length"]
                    continue
            merged.append(entry)
        return merged

    def change(self, image):
        """A guest writes to it."""
        size = self.work.json("qemu-img", "info", "--output=json", "-f", self.name, image)["virtual-size"]
        for _ in range(self.chance.randrange(1, 5)):
            length = min(size, self.chance.choice([512, 1024, 65536, 3 * MEBIBYTE]))
            at = self.chance.randrange(size - length + 1) // SECTOR * SECTOR
            self.work.must("qemu-io", "-f", self.name, "-c", f"write -q -P {self.chance.randrange(256)} {at} {length}", image)

    def is_right(self, raw, image):
        """What we wrote holds the disk for everybody who reads it."""
        compared = self.work.must("qemu-img", "compare", "-f", "raw", "-F", self.name, raw, image)
        size = -(-self.work.path(raw).stat().st_size // SECTOR) * SECTOR
        virtual = self.work.json("qemu-img", "info", "--output=json", "-f", self.name, image)["virtual-size"]
        if virtual != size and not (self.format.grows and virtual > size):
            raise self.work.wrong(f"{image} has {virtual} bytes, not {size}: {compared.out}")
        if self.format.checks:
            self.work.must("qemu-img", "check", "-q", "-f", self.name, image)
            self.work.must(DISKLATHE, "check", "-q", "-f", self.name, image)
        self.looks_the_same(image)
        if self.format.seven_zip and virtual < 64 * MEBIBYTE and virtual % self.format.seven_zip_unit == 0:
            self.seven_zip_reads(raw, image)

    def seven_zip_reads(self, raw, image):
        # -t: by the outer format alone, not what the disk holds.
        shutil.rmtree(self.work.path("out"), ignore_errors=True)
        self.work.must("7z", "x", "-y", f"-t{self.format.seven_zip}", "-oout", image)
        (extracted,) = self.work.path("out").iterdir()
        want = self.work.path(raw).stat().st_size
        with open(extracted, "rb") as a, open(self.work.path(raw), "rb") as b:
            same = a.read(want) == b.read() and not a.read().strip(b"\0")
        if not same:
            raise self.work.wrong(f"7-Zip reads something else from {image}")


def run_rounds(rounds, seconds, names=FORMATS):
    """Rounds through each of the formats by turns; what to exit with. DISKLATHE_FORMATS: which."""
    names = os.environ.get("DISKLATHE_FORMATS", ",".join(names)).split(",")
    return play_rounds(lambda chance, work, number: FormatRound(chance, work, names[number % len(names)]).run(), "formats",
                       rounds, seconds, again=f" DISKLATHE_FORMATS={','.join(names)}")
