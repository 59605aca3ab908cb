# SPDX-License-Identifier: GPL-3.0-or-later
"""A throw-away machine with a chosen set of disks, emulated by QEMU, that runs one module of cases as root.

Emulation (TCG) is always used, so that every host sees the same: good for right and wrong and for ratios, not for
absolute speed. The guest writes lines: `plan NAME` for each case, `ok NAME: detail` or `FAILED NAME: detail` as each
ends, lines that begin with `|` to explain, and `unplug DISK` when it wants a disk to be pulled out.

Stopped by a signal, the machine and its folder go with it; killed, only the machine does.
"""

import dataclasses
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import guest_image

HERE = pathlib.Path(__file__).resolve().parent
MiB = 1 << 20
MEMORY = 1024   # MiB
TIMEOUT = 460   # seconds for the whole guest; on a quiet machine it takes half
# On a busy host the guest misjudges its time stamp counter, by a factor of two at times: hpet is the host's time.
KERNEL_WORDS = ("console=ttyS0", "root=PARTUUID=4c444b44-01", "rootwait", "ro", "init=/init", "panic=-1", "quiet",
                "nokaslr", "mitigations=off", "tsc=unstable", "clocksource=hpet")


@dataclasses.dataclass(frozen=True)
class Disk:
    name: str            # its serial number, by which the guest finds it
    device: str          # QEMU's device with its properties: "scsi-hd,logical_block_size=4096"
    size: int = 64 * MiB
    layer: str = ""      # a block driver over its file, which it calls {file}: "blkdebug,image={file},..."
    objects: tuple = ()  # what that needs: "throttle-group,id=slow,x-bps-write=1000000"
    read_only: bool = False


def disk_arguments(disk, image, port):
    file = f"file-{disk.name}"
    node = f"layer-{disk.name}" if disk.layer else file
    words = ["-blockdev", f"driver=file,filename={image},node-name={file},discard=unmap,"
             f"read-only={'on' if disk.read_only else 'off'}"]
    for made in disk.objects:
        words += ["-object", made]
    if disk.layer:
        words += ["-blockdev", f"driver={disk.layer.format(file=file)},node-name={node}"]
    device = f"{disk.device},id={disk.name},serial={disk.name},drive={node}"
    if not disk.device.startswith(("scsi-", "ide-")):
        # A port of its own: only there the chipset lets a running machine's PCI device go.
        words += ["-device", f"pcie-root-port,id=port{port},chassis={port}"]
        device += f",bus=port{port}"
    return words + ["-device", device]


def arguments(guest, folder, disks):
    # Both processors in one thread: in two, code that the kernel changes while it runs is at times seen half changed.
    words = ["setpriv", "--pdeathsig", "KILL", "qemu-system-x86_64", "-machine", "q35", "-accel", "tcg,thread=single", "-cpu", "max", "-smp", "2",
             "-m", str(MEMORY), "-nodefaults", "-display", "none", "-no-reboot",
             "-kernel", guest / "kernel", "-append", " ".join(KERNEL_WORDS),
             "-serial", f"file:{folder}/console",
             "-qmp", f"unix:{folder}/qmp,server=on,wait=off",
             "-device", "virtio-serial-pci", "-chardev", f"socket,id=lines,path={folder}/lines",
             "-device", "virtserialport,chardev=lines,name=lines", "-device", "virtio-scsi-pci",
             "-blockdev", f"driver=file,filename={guest}/root.img,node-name=root,read-only=on",
             "-device", "nvme,serial=root,drive=root",
             "-blockdev", f"driver=file,filename={folder}/payload.img,node-name=payload,read-only=on",
             "-device", "virtio-blk-pci,serial=payload,drive=payload"]
    for port, disk in enumerate(disks, 1):
        image = folder / f"{disk.name}.img"
        with open(image, "wb") as file:
            file.truncate(disk.size)
        words += disk_arguments(disk, image, port)
    return [str(word) for word in words]


def make_samples(folder):
    """sample.raw: 16 MiB of runs of data and zeroes; sample.qcow2: the same, a part of it compressed."""
    dice = random.Random(1)
    content = bytearray()
    while len(content) < 16 * MiB:
        run = dice.choice((4096, 8192, 65536, 262144, 1 * MiB))
        content += dice.choice((bytes(run), dice.randbytes(run), (b"disklathe " * (run // 10 + 1))[:run]))
    (folder / "sample.raw").write_bytes(content[:16 * MiB])
    raw, image = folder / "sample.raw", folder / "sample.qcow2"
    guest_image.call("qemu-img", "convert", "-f", "raw", "-O", "qcow2", "-c", raw, image)
    guest_image.call("qemu-io", "-f", "qcow2", "-c", f"write -s {raw} 0 6M", image)


def make_payload(folder, cases):
    content = folder / "payload"
    shutil.copytree(HERE / "guest", content)
    (content / "lib").mkdir()
    program = pathlib.Path(os.environ["DISKLATHE"])
    guest_image.call("strip", "--strip-debug", "-o", content / "disklathe", program)
    for library in guest_image.libraries_of(program, program.with_name("disklathe-worker")):
        shutil.copy2(library, content / "lib")
    # Beside a worker the program has it do what it would do by itself otherwise: so it is there a second time. A worker
    # has no environment, and where its libraries are has to be said by what starts it.
    pair = content / "with-worker"
    pair.mkdir()
    os.link(content / "disklathe", pair / "disklathe")
    guest_image.call("strip", "--strip-debug", "-o", pair / "worker", program.with_name("disklathe-worker"))
    (pair / "disklathe-worker").write_text(f"#!/usr/bin/python3\nimport os, sys\nos.execve('/payload/{pair.name}/worker', sys.argv, "
                                           "{'LD_LIBRARY_PATH': '/payload/lib'})\n")
    (pair / "disklathe-worker").chmod(0o755)
    (content / "cases").write_text("\n".join([cases, *sys.argv[1:]]))
    make_samples(content)
    guest_image.make_file_system(content, folder / "payload.img")


class Machine:
    """Runs until the guest ends by itself, or the time is over; the context's end always ends it."""

    def __init__(self, guest, folder, disks):
        self.folder = folder
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(folder / "lines"))
        self.listener.listen(1)
        self.listener.settimeout(60)
        with open(folder / "qemu", "wb") as log:
            self.process = subprocess.Popen(arguments(guest, folder, disks), stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=subprocess.STDOUT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.listener.close()

    def lines(self):
        """What the guest writes, as it comes. Ends with the guest."""
        try:
            connection, _ = self.listener.accept()
        except TimeoutError:
            return
        end, rest = time.monotonic() + TIMEOUT, b""
        with connection:
            while True:
                connection.settimeout(max(end - time.monotonic(), 0.01))
                try:
                    part = connection.recv(65536)
                except TimeoutError:
                    yield f"| the guest was stopped after {TIMEOUT} s"
                    return
                if not part:
                    return
                *whole, rest = (rest + part).split(b"\n")
                yield from (line.decode(errors="replace") for line in whole)

    def unplug(self, disk):
        with socket.socket(socket.AF_UNIX) as monitor:
            monitor.connect(str(self.folder / "qmp"))
            stream = monitor.makefile("rw")
            for command in ({"execute": "qmp_capabilities"}, {"execute": "device_del", "arguments": {"id": disk}}):
                stream.write(json.dumps(command) + "\n")
                stream.flush()
            while "error" not in (answer := json.loads(stream.readline())) and answer.get("return") is None:
                pass
            answer = json.loads(stream.readline())
            if "error" in answer:
                print(f"vm: device_del {disk}: {answer['error']['desc']}", flush=True)

    def last_words(self):
        for name in ("qemu", "console"):
            path = self.folder / name
            if path.exists() and (text := path.read_text(errors="replace").strip()):
                yield f"--- the end of {name}:\n" + "\n".join(text.splitlines()[-40:])


def run_cases(cases, disks):
    """Boots, shows what the guest's module `cases` says, and ends this program: 0 when every planned case was ok.

    With arguments, this program runs only the cases with one of them in their names."""
    if os.uname().machine != "x86_64":
        print("vm: skipped: the guest is made for x86-64")
        sys.exit(77)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    planned, ended, failed = [], set(), 0
    with tempfile.TemporaryDirectory(prefix="disklathe-vm-") as name:
        folder = pathlib.Path(name)
        try:
            guest = guest_image.guest_image()
            with guest_image.step("packing the programs and samples"):
                make_payload(folder, cases)
        except guest_image.CannotMake as problem:
            sys.exit(f"vm: {problem}")
        began = time.monotonic()
        with Machine(guest, folder, disks) as machine:
            for line in machine.lines():
                word, _, rest = line.partition(" ")
                case = rest.partition(":")[0]
                if word == "plan":
                    planned.append(rest)
                elif word == "unplug":
                    machine.unplug(rest)
                else:
                    print(line, flush=True)
                    ended |= {case} if word in ("ok", "FAILED") else set()
                    failed += word == "FAILED"
            missing = [case for case in planned if case not in ended]
            if missing or not planned:
                print(*machine.last_words(), sep="\n")
            for case in missing:
                print(f"FAILED {case}: the guest ended before it did")
        print(f"vm: {len(ended)} of {len(planned)} cases ended, {failed} failed, "
              f"{time.monotonic() - began:.1f} s in the guest", flush=True)
    sys.exit(1 if failed or missing or not planned else 0)
