# SPDX-License-Identifier: GPL-3.0-or-later
"""`disklathe serve` against qemu-nbd and nbdkit, and nbd:// as a source against qemu-img and nbdcopy

A server runs for a whole case; its CPU seconds during a run count with the client's, and the peak RSS is the server's.
"""

import contextlib
import signal
import socket
import subprocess
import time

import images
import machine
from contenders import equal
from harness import Broken, Case, Contender, Goal
from machine import GIB, MIB, TIB, Unavailable, size_text

STARTS_WITHIN = 10  # seconds
NAMES = "disklathe", "qemu-nbd", "nbdkit"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Servers:
    """The three servers over one image, each at a place of its own"""

    def __init__(self, bench, folder, stack):
        self.bench, self.folder, self.stack = bench, folder, stack

    def start(self, name, command, socket_path=None, port=None):
        for word in command:
            if word in ("qemu-nbd", "nbdkit") and not machine.output_of("which", word):
                raise Unavailable(f"{word} is not installed")
        errors = open(self.folder / f"{name}.err", "w+")
        server = subprocess.Popen([*map(str, command)], stdout=subprocess.DEVNULL, stderr=errors)
        self.stack.callback(self.stop, server)
        deadline = time.monotonic() + STARTS_WITHIN
        while not self.answers(socket_path, port):
            if server.poll() is not None or time.monotonic() > deadline:
                errors.seek(0)
                raise Broken(f"{name} did not start: {errors.read()[-300:]}")
            time.sleep(0.01)
        uri = f"nbd+unix:///?socket={socket_path}" if socket_path else f"nbd://127.0.0.1:{port}"
        return server, uri

    @staticmethod
    def answers(socket_path, port):
        try:
            with socket.socket(socket.AF_UNIX if socket_path else socket.AF_INET) as probe:
                probe.connect(str(socket_path) if socket_path else ("127.0.0.1", port))
                return probe.recv(1) == b"N"
        except OSError:
            return False

    @staticmethod
    def stop(server):
        server.send_signal(signal.SIGTERM)
        try:
            server.wait(10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()

    def all(self, image, form, tcp=False, direct=False, write=False, names=NAMES):
        """{name: (process, URI)}"""
        found = {}
        for name in names:
            path = None if tcp else self.folder / f"{name}-{len(list(self.folder.iterdir()))}.sock"
            port = free_port() if tcp else None
            if name == "disklathe":
                place = ["--tcp", f"127.0.0.1:{port}"] if tcp else ["--socket", path]
                command = [self.bench.program, "serve", "-f", form, *place, *(["--rw"] if write else []),
                           *(["-t", "none"] if direct else []), image]
            elif name == "qemu-nbd":
                place = ["-b", "127.0.0.1", "-p", port] if tcp else ["-k", path]
                command = ["qemu-nbd", *place, "-t", "-e", "16", "-f", form, *([] if write else ["-r"]),
                           *(["--cache=none", "--aio=native"] if direct else []), image]
            else:
                place = ["-i", "127.0.0.1", "-p", port] if tcp else ["-U", path]
                command = ["nbdkit", "-f", *place, *([] if write else ["-r"]),
                           *(["--filter=qcow2dec"] if form == "qcow2" else []), "file", image]
            found[name] = self.start(name, command, path, port)
        return found


def through(servers, program, command_of, output=None):
    """A contender for each server: `program` asks it. command_of: from a URI to the command"""
    return [Contender(f"{name}, {program}", command_of(uri), "ours" if name == "disklathe" else "peer",
                      output, server=server) for name, (server, uri) in servers.items()]


def without_nbdkit(servers):
    """Its qcow2 filter does not get on with qemu-img: it asserts, or never answers"""
    return {name: server for name, server in servers.items() if name != "nbdkit"}


def to_nothing(uri):
    return ["nbdcopy", uri, "null:"]


def fio(jobs, seconds_of_work):
    def command_of(uri):
        return ["fio", "--name=j", "--ioengine=nbd", f"--uri={uri}", "--rw=randread", "--bs=4k", "--iodepth=32",
                f"--numjobs={jobs}", "--size=512m", f"--io_size={seconds_of_work}m", "--norandommap", "--randrepeat=0",
                "--group_reporting", "--output=/dev/null"]

    return command_of


@contextlib.contextmanager
def room(bench, kind, need):
    with bench.folder(kind, need) as folder, contextlib.ExitStack() as stack:
        yield folder, Servers(bench, folder, stack)


def read(bench):
    """What the page cache holds, over Unix sockets and TCP"""
    size = GIB // 2 if bench.quick else GIB
    with room(bench, "ram", 5 * size) as (folder, servers):
        raw, out = folder / "source.raw", folder / "out"
        images.mixed_raw(raw, size)
        label = f"{size_text(size)} mixed, tmpfs"
        for tcp, null, convert in ((False, Goal(0.50, cpu=0.55), Goal(0.66)), (True, Goal(0.75), Goal(0.80))):
            way = "TCP" if tcp else "Unix"
            aims = (Goal(0.70), Goal(0.75)) if tcp else (Goal(0.42, cpu=0.45), Goal(0.60))
            up = servers.all(raw, "raw", tcp)
            bench.case(Case(f"NBD {way}, nbdcopy to null, {label}", through(up, "nbdcopy", to_nothing), null, aims[0]))
            contenders = through(up, "qemu-img", lambda uri: ["qemu-img", "convert", "-f", "raw", "-O", "raw", uri, out], out)
            bench.case(Case(f"NBD {way}, qemu-img convert, {label}", contenders, convert, aims[1],
                            equal(raw, ("raw", "raw"), contenders[0])))
            if not tcp:
                contenders = through(up, "nbdcopy", lambda uri: ["nbdcopy", uri, out], out)
                bench.case(Case(f"NBD Unix, nbdcopy to a file, {label}", contenders, Goal(0.70), Goal(0.65),
                                equal(raw, ("raw", "raw"), contenders[0])))


def qcow2(bench):
    """A qcow2 image, decoded by the server"""
    size = GIB // 2 if bench.quick else GIB
    with room(bench, "ram", 5 * size) as (folder, servers):
        raw, image, out = folder / "source.raw", folder / "source.qcow2", folder / "out"
        images.mixed_raw(raw, size)
        images.by_qemu(raw, "raw", image)
        up = servers.all(image, "qcow2")
        contenders = through(up, "nbdcopy", lambda uri: ["nbdcopy", uri, out], out)
        bench.case(Case(f"NBD Unix, qcow2, nbdcopy to a file, {size_text(size)} mixed, tmpfs", contenders, Goal(0.80), Goal(0.70),
                        equal(image, ("qcow2", "raw"), contenders[0])))


def random(bench):
    """4 KiB here and there, 32 in flight: in goals of time, 1.35 and 1.6 times the requests a second"""
    size = GIB // 2
    with room(bench, "ram", 2 * size) as (folder, servers):
        raw = folder / "source.raw"
        images.data_raw(raw, size)
        up = servers.all(raw, "raw")
        amount = 200 if bench.quick else 400
        for jobs in (1, 2):
            bench.case(Case(f"NBD Unix, fio 4K random QD32, {jobs} job{'s' if jobs > 1 else ''}",
                            through(up, "fio", fio(jobs, amount // jobs)), Goal(1 / 1.35), Goal(1 / 1.6)))


def device(bench):
    """A preallocated qcow2 image on a loop device, past the page cache"""
    size = GIB // 2 if bench.quick else GIB
    with room(bench, "ram", 4 * size) as (folder, servers):
        raw, image, backing, out = (folder / name for name in ("source.raw", "source.qcow2", "backing", "out"))
        images.data_raw(raw, size)
        images.by_qemu(raw, "raw", image, "-o", "preallocation=full")
        with open(backing, "wb") as file:
            file.truncate(image.stat().st_size + MIB)
        subprocess.run(["dd", f"if={image}", f"of={backing}", "bs=1M", "conv=notrunc", "status=none"], check=True)
        image.unlink()
        with machine.loop_device(backing, read_only=True) as node, contextlib.ExitStack() as stack:
            # nbdkit reads devices through the page cache, where they then are: that is another task.
            up = Servers(bench, folder, stack).all(node, "qcow2", direct=True, names=NAMES[:2])
            bench.case(Case("NBD Unix, preallocated qcow2 on a loop device, nbdcopy", through(up, "nbdcopy", to_nothing),
                            Goal(0.70), Goal(0.60)))
            contenders = through(up, "qemu-img",
                                 lambda uri: ["qemu-img", "convert", "-f", "raw", "-O", "raw", uri, out], out)
            bench.case(Case("NBD Unix, preallocated qcow2 on a loop device, qemu-img", contenders, Goal(0.55), Goal(0.45),
                            equal(raw, ("raw", "raw"), contenders[0])))


def sparse(bench):
    """Empty images, as in 2019: 23.8 s where a device's largest transfer reached the client, 0.109 s where it did not"""
    with room(bench, "ram", 64 * MIB) as (folder, _):
        for name, size in (("100 G", 100 * GIB), ("1 T", TIB)):
            image, out = folder / f"{size}.qcow2", folder / "out"
            images.empty_qcow2(image, size)
            with contextlib.ExitStack() as stack:
                up = Servers(bench, folder, stack).all(image, "qcow2")
                contenders = through(up, "nbdcopy", lambda uri: ["nbdcopy", uri, out], out)
                contenders += through(without_nbdkit(up), "qemu-img",
                                      lambda uri: ["qemu-img", "convert", "-f", "raw", "-O", "raw", uri, out], out)
                ours = [c for c in contenders if c.role == "ours"]
                for one in ours:
                    others = [c for c in contenders if c.role == "peer" and c.command[0] == one.command[0]]
                    bench.case(Case(f"NBD Unix, sparse {name} qcow2, {one.command[0]} to raw", [one, *others],
                                    Goal(0.60), Goal(0.40), more_rounds=2))


def write(bench):
    """Into a file of the server's"""
    size = GIB // 2
    with room(bench, "ram", 6 * size) as (folder, _):
        data, nothing = folder / "data.raw", folder / "zeroes.raw"
        images.data_raw(data, size)
        subprocess.run(["truncate", "-s", str(size), nothing], check=True)
        for what, source, hold, aim in (("data", data, 1.0, 0.9), ("zeroes", nothing, 0.33, 0.25)):
            with contextlib.ExitStack() as stack:
                up = {}
                for name in NAMES:
                    target = folder / f"{name}.target.raw"
                    subprocess.run(["cp", data, target], check=True)
                    place = folder / f"{what}-{name}"
                    place.mkdir()
                    up |= Servers(bench, place, stack).all(target, "raw", write=True, names=[name])
                copy = ["nbdcopy", *(["--allocated"] if what == "data" else [])]
                bench.case(Case(f"NBD Unix, nbdcopy writes {size_text(size)} of {what}",
                                through(up, "nbdcopy", lambda uri: [*copy, source, uri]), Goal(hold), Goal(aim)))


def client(bench):
    """From qemu-nbd to a file: disklathe, qemu-img, nbdcopy"""
    size = GIB // 2 if bench.quick else GIB
    with room(bench, "ram", 5 * size) as (folder, servers):
        raw = folder / "source.raw"
        images.mixed_raw(raw, size)
        path = folder / "qemu.sock"
        server, uri = servers.start("qemu-nbd", ["qemu-nbd", "-r", "-t", "-e", "16", "-f", "raw", "-k", path, raw], path)

        def out(name):
            return folder / f"{name}.out"

        contenders = [
            Contender("disklathe", [bench.program, "convert", "-f", "raw", "-O", "raw", uri, out("ours")], "ours", out("ours")),
            Contender("qemu-img", ["qemu-img", "convert", "-f", "raw", "-O", "raw", uri, out("qemu")], "peer", out("qemu")),
            Contender("nbdcopy", ["nbdcopy", uri, out("copy")], "peer", out("copy")),
        ]
        bench.case(Case(f"from qemu-nbd to a file, {size_text(size)} mixed, tmpfs", contenders, Goal(1.0), Goal(0.85),
                        equal(raw, ("raw", "raw"), contenders[0])))
        assert server.poll() is None, "qemu-nbd ended"


GROUPS = (read, qcow2, random, device, sparse, write, client)
QUICK = (sparse, client)
