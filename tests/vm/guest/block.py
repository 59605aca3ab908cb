# SPDX-License-Identifier: GPL-3.0-or-later
"""The guest's block devices: finding them, making more, and reading and counting what happens on them."""

import ctypes
import glob
import mmap
import os
import pathlib
import struct
import subprocess
import time

PAGE = 4096
KiB, MiB = 1 << 10, 1 << 20


def call(*words, text=None):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, input=text)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, words))}: exit code {done.returncode}: {done.stderr}")
    return done.stdout.strip()


def wait_for(condition, what, seconds=30):
    end = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > end:
            raise RuntimeError(f"after {seconds} s: {what}")
        time.sleep(0.05)
    return found


# ------------------------------------------------------------------------------------------ finding and making


def serial_of(entry):
    for attribute in ("serial", "device/serial"):
        if (entry / attribute).exists():
            return (entry / attribute).read_text().strip()
    page = entry / "device/vpd_pg80"
    return page.read_bytes()[4:].strip(b"\0 ").decode() if page.exists() else ""


def disk(serial):
    """The node of the disk that the machine was given under that name."""
    def find():
        return next((f"/dev/{entry.name}" for entry in pathlib.Path("/sys/block").iterdir()
                     if serial_of(entry) == serial), None)
    return wait_for(find, f"no disk called {serial}")


def null_blk(name, **attributes):
    """A device of the kernel's null_blk with these attributes of its configfs folder; in memory."""
    call("modprobe", "null_blk", "nr_devices=0")
    folder = pathlib.Path("/sys/kernel/config/nullb", name)
    folder.mkdir()
    for attribute, value in {"memory_backed": 1, **attributes, "power": 1}.items():
        (folder / attribute).write_text(str(value))
    return f"/dev/{name}"


def scsi_debug(**parameters):
    """The kernel's emulated SCSI disk; its parameters are global, so there is one at a time."""
    subprocess.run(["modprobe", "-r", "scsi_debug"], capture_output=True)
    call("modprobe", "scsi_debug", *(f"{name}={value}" for name, value in parameters.items()))

    def find():
        return next((f"/dev/{model.split('/')[3]}" for model in glob.glob("/sys/block/sd*/device/model")
                     if open(model).read().startswith("scsi_debug") and os.path.exists(f"/dev/{model.split('/')[3]}")),
                    None)
    return wait_for(find, "no scsi_debug disk")


def device_mapper(name, *lines):
    call("modprobe", "-a", "dm-mod", "dm-delay", "dm-thin-pool")
    call("dmsetup", "create", "--noudevsync", "--noudevrules", name, text="\n".join(lines) + "\n")
    call("dmsetup", "mknodes", name)
    return os.path.realpath(f"/dev/mapper/{name}")


def remove_device_mapper(name):
    call("dmsetup", "remove", "--noudevsync", "--noudevrules", "--retry", name)


def loop(size, sector=512):
    call("modprobe", "loop")
    file = f"/tmp/loop-{time.monotonic_ns()}"
    with open(file, "wb") as made:
        made.truncate(size)
    return call("losetup", "-f", "--show", "-b", sector, file)


def zram(size):
    call("modprobe", "zram", "num_devices=1")
    pathlib.Path("/sys/block/zram0/disksize").write_text(str(size))
    return "/dev/zram0"


# ------------------------------------------------------------------------------------------ reading and counting


def sysfs(node):
    return pathlib.Path("/sys/class/block", os.path.basename(node))


def attribute(node, name):
    return (sysfs(node) / name).read_text().strip()


def number(node, name):
    return int(attribute(node, name))


def size_of(node):
    return number(node, "size") * 512


def write(node, content, at=0):
    """Onto the medium."""
    with open(node, "r+b", buffering=0) as file:
        file.seek(at)
        written = 0
        while written < len(content):
            written += file.write(content[written:written + MiB])
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def read(node, length, at=0):
    """From the medium."""
    with open(node, "rb", buffering=0) as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        file.seek(at)
        parts = []
        while length > 0 and (part := file.read(min(length, MiB))):
            parts.append(part)
            length -= len(part)
        return b"".join(parts)


def first_difference(a, b):
    """Where two byte strings differ first; nothing when they are the same."""
    if a == b:
        return None
    for at in range(0, min(len(a), len(b)), PAGE):
        if a[at:at + PAGE] != b[at:at + PAGE]:
            return next(at + i for i, (x, y) in enumerate(zip(a[at:at + PAGE], b[at:at + PAGE])) if x != y)
    return min(len(a), len(b))


class PhysicalMemory:
    """Memory of which it is known how it lies: in one physical piece (at most one huge page), or each page apart."""

    def __init__(self):
        pathlib.Path("/proc/sys/vm/nr_hugepages").write_text("1")
        self.whole = mmap.mmap(-1, 2 * MiB, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000)  # MAP_HUGETLB
        self.pages = mmap.mmap(-1, 8 * MiB, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self.pages.madvise(mmap.MADV_NOHUGEPAGE)
        for at in range(0, len(self.pages), PAGE):
            self.pages[at] = 1
        self.whole[0] = 1
        start = ctypes.addressof(ctypes.c_char.from_buffer(self.pages))
        with open("/proc/self/pagemap", "rb") as pagemap:
            pagemap.seek(start // PAGE * 8)
            entries = struct.unpack(f"{len(self.pages) // PAGE}Q", pagemap.read(len(self.pages) // PAGE * 8))
        frames = [(entry & (1 << 55) - 1, at * PAGE) for at, entry in enumerate(entries)]
        # From the highest frame down no page begins where the one before it ends.
        self.apart = [at for _, at in sorted(frames, reverse=True)]

    def contiguous(self, length):
        return [memoryview(self.whole)[:length]]

    def scattered(self, length):
        view = memoryview(self.pages)
        return [view[at:at + min(PAGE, length - i * PAGE)]
                for i, at in enumerate(self.apart[:(length + PAGE - 1) // PAGE])]


def completed(node):
    """Reads and writes that the kernel has completed on it (Documentation/block/stat.rst)."""
    fields = attribute(node, "stat").split()
    return int(fields[0]), int(fields[4])


def completed_at_rest(node):
    # A command is counted a moment after what waited for it was woken.
    last = None
    while last != (now := completed(node)):
        last = now
        time.sleep(0.01)
    return now


def commands_of(node, buffers, at, writing=False):
    """Makes one direct request and returns how many commands it became."""
    file = os.open(node, (os.O_RDWR if writing else os.O_RDONLY) | os.O_DIRECT)
    try:
        before = completed_at_rest(node)
        moved = (os.pwritev if writing else os.preadv)(file, buffers, at)
        after = completed_at_rest(node)
    finally:
        os.close(file)
    if moved != sum(map(len, buffers)):
        raise RuntimeError(f"{node}: {moved} bytes moved at {at}")
    return after[writing] - before[writing]
