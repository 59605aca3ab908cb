# SPDX-License-Identifier: GPL-3.0-or-later
# TIMEOUT: 240
"""Random images, each looked at and converted by Disklathe and by qemu-img: they must agree.

DISKLATHE_ROUNDS: how many images (otherwise 12, or as many as begin within 15 s). DISKLATHE_SEED: the images of an
earlier run, whose seed it printed.
"""

import difflib
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from programs import DISKLATHE, NotJudged  # noqa: E402
from random_images import Generator, SECTOR  # noqa: E402
from rounds import play_rounds  # noqa: E402

# What is only qemu-img's is taken out before both are compared:
# - measure's "bitmaps": persistent bitmaps are not copied, so they take no room.
# - Sectors: QEMU counts disks and files in whole sectors. Disklathe tells their lengths, and keeps that of a raw disk.
# - The map's guesses: see as_the_image_says.


def in_sectors(size):
    return -(-size // SECTOR) * SECTOR


def lengths_in_sectors(info):
    if isinstance(info, list):
        return [lengths_in_sectors(value) for value in info]
    if not isinstance(info, dict):
        return info
    return {key: in_sectors(value) if key == "virtual-size" else lengths_in_sectors(value)
            for key, value in info.items()}


def cut_at(end, entries):
    return [{**entry, "length": min(entry["length"], end - entry["start"])} for entry in entries if entry["start"] < end]


def as_the_image_says(entries):
    """qemu-img's map without what it adds by a guess: where an image's file has far fewer blocks than the image says it
    uses, it takes the image for a preallocated one and looks for holes in the file (qcow2_detect_metadata_preallocation
    in QEMU's block/qcow2-refcount.c); such entries are data and zero at once."""
    merged = []
    for entry in entries:
        guessed = entry["data"] and entry["zero"]
        entry = {**entry, "zero": False} if guessed else dict(entry)
        last = merged[-1] if merged else None
        same = lambda key: last.get(key) == entry.get(key)
        if last and all(map(same, ("depth", "present", "zero", "data", "compressed"))) and (
                last["offset"] + last["length"] == entry["offset"] if "offset" in entry and "offset" in last
                else same("offset")):
            last["length"] += entry["length"]
        else:
            merged.append(entry)
    return merged


class Round:
    def __init__(self, chance, work):
        self.chance = chance
        self.work = work
        self.generator = Generator(chance, work)

    def often(self, probability):
        return self.chance.random() < probability

    def run(self):
        self.guessed = False  # whether qemu-img looked for holes, see as_the_image_says
        image = self.generator.chain()
        for layer in image.chain:
            if layer.format == "qcow2" and self.work.run("qemu-img", "check", "-f", "qcow2", layer.path).code == 2:
                raise NotJudged(f"qemu-io damaged {layer.path}")  # rare: there is nothing to read alike
        self.look(image)
        for number in range(3):
            self.convert(image, f"target{number}")
        if image.snapshots:
            self.convert_snapshot(image)
        if image.backing and self.often(0.7):
            self.convert_onto_backing(image)

    # -- looking

    def look(self, image):
        self.same("info", ["-f", image.format, *self.chance.choice([[], ["--backing-chain"]])], image)
        self.same("map", ["-f", image.format], image)
        if image.size > SECTOR:
            start = self.chance.randrange(image.size // SECTOR) * SECTOR
            self.same("map", ["-f", image.format, "-s", start, "-l", self.chance.choice([SECTOR, 100000 // 512 * 512])],
                      image)
        self.same("measure", ["-f", image.format, "-O", self.chance.choice(["raw", "qcow2"])], image)
        options = self.target_options(image.size)
        options.pop("data_file", None)
        self.same("measure", ["-f", image.format, "-O", "qcow2", *self.as_o(options)], image)

    def same(self, verb, arguments, image):
        files = ["--output=json", *arguments, image.path]
        theirs = self.work.run("qemu-img", verb, *files)
        ours = self.work.ours(verb, *self.data_file(image, verb), *files)
        if bool(theirs.code) != bool(ours.code):
            raise self.work.wrong(f"{verb}: {ours.code}, qemu-img: {theirs.code}\n{ours.err}{theirs.err}")
        if theirs.code:
            return
        ours, theirs = json.loads(ours.out), json.loads(theirs.out)
        if verb == "map":
            self.guessed |= any(entry["data"] and entry["zero"] for entry in theirs)
            if image.format == "raw" and image.size:
                theirs = cut_at(image.size, theirs)
        if verb == "measure":
            if self.guessed:
                ours["required"] = theirs["required"]
            if arguments[arguments.index("-O") + 1] == "raw":
                ours = {key: in_sectors(size) for key, size in ours.items()}
        if verb != "info" and any(layer.format == "raw" and layer.size % SECTOR for layer in image.chain[1:]):
            return  # QEMU puts zeroes of its own behind the end of that layer
        self.same_json(verb, ours, theirs)

    def same_json(self, verb, ours, theirs):
        if verb == "info":
            ours = lengths_in_sectors(ours)
        if verb == "measure":
            theirs.pop("bitmaps", None)
        if verb == "map":
            theirs = as_the_image_says(theirs)
        if ours != theirs:
            lines = lambda value: (list(map(json.dumps, value)) if verb == "map" else
                                   json.dumps(value, indent=1, sort_keys=True).splitlines())
            different = difflib.unified_diff(lines(theirs), lines(ours), "qemu-img", "disklathe", lineterm="", n=1)
            raise self.work.wrong("\n".join([f"{verb}:", *different]))

    @staticmethod
    def data_file(image, verb="convert"):
        return ["--data-file", "allow"] if image.data_files and verb != "info" else []

    # -- converting

    def target_options(self, size):
        options = {}
        cluster = self.chance.choice([512, 4096, 65536, 65536, 65536, 2097152])
        if size > 1 << 33:
            cluster = self.chance.choice([65536, 2097152])
        options["cluster_size"] = cluster
        if self.often(0.1):
            options["compat"] = "0.10"
            return options
        if cluster >= 16384 and self.often(0.3):
            options["extended_l2"] = "on"
        if self.often(0.3):
            options["refcount_bits"] = self.chance.choice([1, 2, 4, 8, 16, 32, 64])
        if self.often(0.2):
            options["lazy_refcounts"] = "on"
        if self.often(0.4):
            options["compression_type"] = self.chance.choice(["zlib", "zstd"])
        if self.often(0.2) and size < 8 << 20:
            options["preallocation"] = self.chance.choice(["metadata", "falloc", "full"])
        return options

    @staticmethod
    def as_o(options):
        return ["-o", ",".join(f"{name}={value}" for name, value in options.items())] if options else []

    def common(self, image):
        arguments = self.data_file(image)
        if self.often(0.5):
            arguments += ["-f", image.format]
        if self.often(0.5):
            # Below a page runs are not looked for: what is written then is larger, not other.
            arguments += ["-S", self.chance.choice(["0", "512", "1k", "4k", "64k", "1M"])]
            if arguments[-1] == "0" and image.size > 64 << 20:
                arguments = arguments[:-2]
        for option in "-t", "-T":
            if self.often(0.4):
                arguments += [option, self.chance.choice(["none", "writeback", "directsync", "unsafe"])]
        if self.often(0.4):
            arguments += ["--verify"]
        return arguments

    def convert(self, image, name):
        kind = self.chance.choice(["raw", "raw", "existing", "qcow2", "qcow2", "qcow2", "compressed", "compressed"])
        format = "raw" if kind in ("raw", "existing") else "qcow2"
        target = f"{name}.{format}"
        arguments = self.common(image)
        if kind == "existing":
            if image.size > 64 << 20:
                return
            # Other bytes are there already, and have to go. Sometimes they are zeroes, and that is said.
            zeroed = self.often(0.3)
            size = self.raw_size(image)
            content = bytes(size) if zeroed else self.chance.randbytes(size)
            self.work.path(target).write_bytes(content)
            arguments += ["-n", *(["--target-is-zero"] if zeroed else [])]
        elif kind == "raw":
            if self.often(0.3) and image.size < 16 << 20:
                arguments += ["-o", "preallocation=" + self.chance.choice(["falloc", "full"])]
        else:
            options = self.target_options(image.size)
            if kind == "compressed":
                arguments += ["-c"]
                if self.often(0.3):
                    arguments += ["--level", self.chance.choice(["1", "9", "12"])]
                options.pop("preallocation", None)
            elif "compat" not in options and self.often(0.2):
                options["data_file"] = target + ".data"
                if self.often(0.5):
                    options["data_file_raw"] = "on"
            arguments += self.as_o(options)
        self.work.must(DISKLATHE, "convert", "-q", *arguments, "-O", format, image.path, target)
        self.check(image, target, format)

    def check(self, image, target, format, source=None):
        """The target holds what the source does, is whole, and looks the same to both programs."""
        source = source or (image.path, image.format)
        data_file = ["--data-file", "allow"]
        self.work.must("qemu-img", "compare", "-f", source[1], "-F", format, source[0], target)
        if format == "raw" and self.work.path(target).stat().st_size != self.raw_size(image):
            raise self.work.wrong(f"{target} has {self.work.path(target).stat().st_size} bytes")
        if format != "raw":
            self.work.must("qemu-img", "check", "-q", "-f", format, target)
        ours = self.work.ours("compare", "-f", source[1], "-F", format, *data_file, source[0], target)
        if ours.code:
            raise self.work.wrong(f"compare of equal images: {ours.code}\n{ours.out}{ours.err}")
        if format != "raw":
            for verb in "info", "map":
                self.same_json(verb, self.work.json(DISKLATHE, verb, *(data_file if verb == "map" else []), "--output=json",
                                                    "-f", format, target),
                               self.work.json("qemu-img", verb, "--output=json", "-f", format, target))
        self.compare_changed(image, target, format, source)

    @staticmethod
    def raw_size(image):
        return image.size if image.format == "raw" else in_sectors(image.size)

    def compare_changed(self, image, target, format, source):
        """Something else is in the target now, or perhaps not: both programs have to say the same."""
        if not image.size or self.often(0.5):
            return
        at = self.chance.randrange(image.size)
        length = min(self.chance.choice([1, 512, 70000]), image.size - at)
        command = self.chance.choice([f"write -q -P 0 {at} {length}", f"write -q -P 199 {at} {length}"])
        self.work.must("qemu-io", "-f", format, "-c", command, target)
        if self.often(0.2):
            self.work.must("qemu-img", "resize", "-q", "--shrink", "-f", format, target,
                           self.chance.choice([-(-image.size // SECTOR) + 5, image.size // SECTOR // 2 + 1]) * SECTOR)
        files = ["-f", source[1], "-F", format, source[0], target]
        if self.often(0.5):
            files = ["-f", format, "-F", source[1], target, source[0]]
        if self.often(0.2):
            files.insert(0, "-s")
        theirs = self.work.run("qemu-img", "compare", *files)
        ours = self.work.ours("compare", "--data-file", "allow", *files)
        if "block status" in theirs.out:
            return  # for qemu-img that is also whether it is compressed, and what it guesses of files with holes
        # qemu-img tells the sector that differs, Disklathe the byte.
        to_sector = lambda text: re.sub(r"offset (\d+)", lambda m: f"offset {int(m[1]) // SECTOR * SECTOR}", text)
        if ours.code != theirs.code or to_sector(ours.out) != to_sector(theirs.out):
            raise self.work.wrong(f"compare: ours {ours.code} {ours.out}{ours.err}\n"
                                  f"qemu-img's {theirs.code} {theirs.out}{theirs.err}")

    def convert_snapshot(self, image):
        name = self.chance.choice(image.snapshots)
        self.work.must("qemu-img", "convert", "-f", "qcow2", "-l", name, "-O", "qcow2", image.path, "state.qcow2")
        target = "ours.raw" if image.size < 64 << 20 and self.often(0.3) else "ours.qcow2"
        format = target.rpartition(".")[2]
        self.work.must(DISKLATHE, "convert", "-q", *self.common(image), "-l", name, "-O", format, image.path, target)
        self.check(image, target, format, ("state.qcow2", "qcow2"))

    def convert_onto_backing(self, image):
        """The target stands on what the source stands on."""
        options = self.target_options(image.size)
        if "extended_l2" not in options:
            options.pop("preallocation", None)
        arguments = [*self.common(image), *self.as_o(options), "-B", image.backing.path, "-F", image.backing.format]
        if self.often(0.3) and "preallocation" not in options:
            arguments += ["-c"]
        self.work.must(DISKLATHE, "convert", "-q", *arguments, "-O", "qcow2", image.path, "overlay.qcow2")
        self.thin(image, "overlay.qcow2", options["cluster_size"])
        self.check(image, "overlay.qcow2", "qcow2")

    def thin(self, image, overlay, cluster):
        """No cluster of the overlay is there unless the source's own layer has something in it."""
        held, wanted = ([range(entry["start"] // cluster, -(-(entry["start"] + entry["length"]) // cluster))
                         for entry in self.work.json("qemu-img", "map", "--output=json", "-f", "qcow2", path)
                         if entry["depth"] == 0 and entry["present"]] for path in (overlay, image.path))
        for run in held:
            rest = run.start
            for source in wanted:
                if source.start <= rest < source.stop:
                    rest = source.stop
            if rest < run.stop:
                raise self.work.wrong(f"cluster {rest} of the overlay is there, and is not in {image.path}")


def main():
    return play_rounds(lambda chance, work, number: Round(chance, work).run(), "differential", 12)


if __name__ == "__main__":
    sys.exit(main())
