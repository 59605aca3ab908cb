# SPDX-License-Identifier: GPL-3.0-or-later
"""Images that qemu-img and qemu-io make by chance: formats, options, chains, snapshots, patterns."""

import dataclasses

KIBIBYTE, MEBIBYTE, GIBIBYTE, TEBIBYTE = 1 << 10, 1 << 20, 1 << 30, 1 << 40
SECTOR = 512
MOST_L1_ENTRIES = 8192  # qemu-img takes a millisecond for each


@dataclasses.dataclass
class Layer:
    path: str
    format: str
    size: int  # of the guest's disk, bytes, as asked
    cluster: int = SECTOR
    options: dict = dataclasses.field(default_factory=dict)
    backing: "Layer | None" = None
    snapshots: list = dataclasses.field(default_factory=list)  # names

    @property
    def chain(self):
        return [self, *(self.backing.chain if self.backing else [])]

    @property
    def has_data_file(self):
        return "data_file" in self.options

    @property
    def data_files(self):
        return [layer.options["data_file"] for layer in self.chain if layer.has_data_file]


class Generator:
    def __init__(self, chance, work):
        self.chance = chance  # random.Random
        self.work = work
        self.made = 0
        # What random data is written from: noise, text-like stretches that compress, and zeroes between.
        pool = b"".join(chance.choice([chance.randbytes(n), bytes(n), bytes([chance.randrange(256)]) * n])
                        for n in (chance.choice([512, 4096, 5000, 65536]) for _ in range(24)))
        work.path("pool").write_bytes(pool)

    def often(self, probability):
        return self.chance.random() < probability

    def chain(self):
        """The top layer of a new image."""
        top = None
        for _ in range(self.chance.choice([1, 1, 2, 2, 3, 4])):
            top = self.layer(top)
        return top

    def layer(self, backing):
        self.made += 1
        raw = backing is None and self.often(0.3)
        layer = Layer(f"image{self.made}.{'raw' if raw else 'qcow2'}", "raw" if raw else "qcow2", 0, backing=backing)
        if raw:
            layer.options = {"preallocation": self.chance.choice(["off", "off", "off", "falloc", "full"])}
        else:
            layer.options = self.qcow2_options(layer.path, bool(backing))
            layer.cluster = int(layer.options["cluster_size"])
        layer.size = self.size(layer)
        if layer.options.get("preallocation", "off") != "off" and layer.size > 4 * MEBIBYTE:
            del layer.options["preallocation"]
        command = ["qemu-img", "create", "-q", "-f", layer.format]
        if layer.options:
            command += ["-o", ",".join(f"{name}={value}" for name, value in layer.options.items())]
        if backing:
            command += ["-b", backing.path, "-F", backing.format]
        self.work.must(*command, layer.path, layer.size)
        if layer.size:
            self.fill(layer)
        if raw:
            layer.size = self.work.path(layer.path).stat().st_size  # qemu-io writes whole sectors
        return layer

    def qcow2_options(self, path, backed):
        options = {}
        cluster = self.chance.choice([512, 1024, 4096, 16384, 65536, 65536, 262144, 2097152])
        if self.often(0.15):
            options["compat"] = "0.10"
        else:
            if cluster >= 16384 and self.often(0.4):
                options["extended_l2"] = "on"
            if self.often(0.3):
                options["refcount_bits"] = self.chance.choice([1, 2, 4, 8, 16, 32, 64])
            if self.often(0.2):
                options["lazy_refcounts"] = "on"
            if self.often(0.4):
                options["compression_type"] = "zstd"
            if self.often(0.15):
                options["data_file"] = path + ".data"
                if not backed and self.often(0.5):
                    options["data_file_raw"] = "on"
        options["cluster_size"] = cluster
        if self.often(0.2) and (not backed or "extended_l2" in options):
            options["preallocation"] = self.chance.choice(["metadata", "falloc", "full"])
        return options

    def size(self, layer):
        most = MOST_L1_ENTRIES * layer.cluster * layer.cluster // 16 if layer.format == "qcow2" else 3 * TEBIBYTE
        if layer.backing and 0 < layer.backing.size <= most and self.often(0.4):
            return layer.backing.size
        kind = self.chance.choice(["empty", "tiny", "small", "small", "small", "small", "clusters", "huge"])
        odd = self.chance.choice([0, 0, SECTOR, 7 * SECTOR, self.chance.randrange(4096)])
        if kind == "empty":
            return 0
        if kind == "tiny":
            return self.chance.randrange(1, 9000)
        if kind == "clusters":
            return min(layer.cluster * self.chance.randrange(1, 40), 6 * MEBIBYTE)
        if kind == "huge" and "preallocation" not in layer.options:
            return min(self.chance.choice([5 * GIBIBYTE, TEBIBYTE, 7 * TEBIBYTE]) + odd, most)
        return self.chance.randrange(1, 48) * 64 * KIBIBYTE + odd

    def fill(self, layer):
        rounds = 1
        snapshots = layer.format == "qcow2" and not layer.has_data_file and self.often(0.3)
        if layer.options.get("refcount_bits", 16) == 1:
            snapshots = False  # a cluster cannot be in two states
        if snapshots:
            rounds += self.chance.choice([1, 1, 2])
        for number in range(rounds):
            self.write(layer)
            if number + 1 < rounds:
                name = f"state{number}"
                if self.work.run("qemu-img", "snapshot", "-c", name, layer.path).code == 0:  # refcounts may be too narrow
                    layer.snapshots.append(name)

    def write(self, layer):
        command = ["qemu-io", "-f", layer.format, "-d", self.chance.choice(["unmap", "ignore"])]
        places = self.places(layer)
        for _ in range(self.chance.randrange(0, 14)):
            command += ["-c", self.operation(layer, places)]
        if self.often(0.1):
            command.insert(1, "-n")  # past the page cache
        if "-c" in command:
            self.work.run(*command, layer.path)  # a compressed write to what is allocated is refused; the rest is done

    def places(self, layer):
        """Where it happens: a few neighbourhoods, so that writes meet."""
        far = [self.chance.randrange(layer.size) for _ in range(2)]
        return [0, *far, max(0, layer.size - self.chance.randrange(1, 3 * layer.cluster + 2))]

    def span(self, layer, places, grain, longest):
        at = self.chance.choice(places) + self.chance.randrange(-longest, longest)
        at = max(0, min(at, layer.size - 1)) // grain * grain
        length = self.chance.choice([grain, self.chance.randrange(1, longest + 1)])
        length = min(-(-length // grain) * grain, layer.size - at)
        return at, length

    def operation(self, layer, places):
        kind = self.chance.choice(["pattern", "pattern", "noise", "noise", "zero", "unmap", "discard", "compressed"])
        longest = min(max(4 * layer.cluster, 64 * KIBIBYTE), MEBIBYTE)
        if kind == "compressed" and (layer.format == "raw" or layer.has_data_file):
            kind = "noise"
        if kind == "compressed":
            at, length = self.span(layer, places, layer.cluster, layer.cluster * self.chance.choice([1, 1, 4]))
            length = -(-length // SECTOR) * SECTOR  # its last sector may hang over the end
            return f"write -q -c -s pool {at} {length}"
        grain = self.chance.choice([1, SECTOR, 4096, layer.cluster])
        at, length = self.span(layer, places, grain, longest)
        if kind == "pattern":
            return f"write -q -P {self.chance.choice([0, 1, 85, 255])} {at} {length}"
        if kind == "noise":
            return f"write -q -s pool {at} {length}"
        if kind == "zero":
            return f"write -q -z {at} {length}"
        if kind == "unmap":
            return f"write -q -z -u {at} {length}"
        return f"discard -q {at} {length}"
