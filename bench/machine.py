# SPDX-License-Identifier: GPL-3.0-or-later
"""The machine a benchmark runs on: what it is, its scratch folders and loop devices, and that all of these go again."""

import contextlib
import fcntl
import os
import pathlib
import platform
import re
import shutil
import subprocess
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent
MARK = "disklathe-bench-"
KIB, MIB, GIB, TIB = 1 << 10, 1 << 20, 1 << 30, 1 << 40


class Unavailable(Exception):
    """What a case needs is not to be had on this machine; the text says what and is shown."""


def output_of(*command):
    try:
        done = subprocess.run(command, text=True, capture_output=True, timeout=60)
        return done.stdout.strip() if done.returncode == 0 else ""
    except (OSError, subprocess.TimeoutExpired):
        return ""


def size_text(size):
    for unit, name in ((TIB, "TiB"), (GIB, "GiB"), (MIB, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size / unit:.4g} {name}"
    return f"{size} B"


def file_system(folder):
    return output_of("stat", "-f", "-c", "%T", str(folder)).replace("ext2/ext3", "ext4") or "unknown"


def load():
    return " ".join(pathlib.Path("/proc/loadavg").read_text().split()[:3])


def busy_seconds():
    """CPU seconds that all of the machine has worked since it started"""
    fields = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, fields[:8])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid):
    """That a process has worked since it started"""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_rss(pid):
    """Bytes"""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"^VmHWM:\s*(\d+) kB", status, re.M)[1]) * 1024


def description(program, folders):
    """[(what, value)]: what has to be known to compare figures with other figures"""
    cpuinfo = pathlib.Path("/proc/cpuinfo").read_text()
    cpu = re.search(r"^model name\s*:\s*(.*)$", cpuinfo, re.M)
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    commit = output_of("git", "-C", str(TOP), "describe", "--always", "--dirty") or "no commit"

    def version(*command):
        return (output_of(*command).splitlines() or ["not installed"])[0]

    return [
        ("CPU", f"{cpu[1] if cpu else platform.machine()}, {os.cpu_count()} cores"),
        ("memory", size_text(memory)),
        ("kernel", platform.release()),
        ("virtual machine", "yes" if "hypervisor" in cpuinfo else "no"),
        ("disklathe", f"{version(program, '--version')} ({commit})"),
        ("qemu-img", version("qemu-img", "--version").removeprefix("qemu-img version ")),
        ("nbdcopy", version("nbdcopy", "--version").removeprefix("nbdcopy ")),
        ("cp", version("cp", "--version").removeprefix("cp ")),
        *((f"{name} scratch", file_system(path)) for name, path in folders.items()),
        ("load at the start", load()),
    ]


def in_use(path):
    """Whether the bench that made this scratch folder still lives: it holds a lock as long as it does."""
    try:
        with open(path / ".lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return False
    except BlockingIOError:
        return True
    except OSError:
        return False


def detach_below(folder):
    for line in output_of("losetup", "--list", "--noheadings", "--raw", "--output", "NAME,BACK-FILE").splitlines():
        device, _, backing = line.partition(" ")
        if backing.startswith(f"{folder}/"):
            subprocess.run(["losetup", "--detach", device], check=False)


class Scratch:
    """One folder in memory and one on a disk, for as long as the bench lives. Whatever was left behind by a bench that
    was killed goes at the start of the next one."""

    def __init__(self, ram, disk):
        self.folders, self.locks = {}, []
        for name, base in (("ram", ram), ("disk", disk)):
            base.mkdir(parents=True, exist_ok=True)
            for old in base.glob(f"{MARK}*"):
                if not in_use(old):
                    self._remove(old)
            path = pathlib.Path(tempfile.mkdtemp(prefix=MARK, dir=base))
            self.locks.append(open(path / ".lock", "w"))
            fcntl.flock(self.locks[-1], fcntl.LOCK_EX)
            self.folders[name] = path

    @staticmethod
    def _remove(path):
        detach_below(path)
        shutil.rmtree(path, ignore_errors=True)

    def close(self):
        for path in self.folders.values():
            self._remove(path)

    @contextlib.contextmanager
    def folder(self, name, need):
        """A folder of a group of cases, removed with all that is in it; `need`: bytes it may grow to"""
        base = self.folders[name]
        free = shutil.disk_usage(base).free
        if file_system(base) == "tmpfs":
            available = re.search(r"^MemAvailable:\s*(\d+)", pathlib.Path("/proc/meminfo").read_text(), re.M)
            free = min(free, int(available[1]) * 1024 - GIB)
        if free < need:
            raise Unavailable(f"{base.parent} has {size_text(max(free, 0))} free, {size_text(need)} are needed")
        path = pathlib.Path(tempfile.mkdtemp(dir=base))
        try:
            yield path
        finally:
            self._remove(path)


@contextlib.contextmanager
def loop_device(file, *, read_only=False, direct=True):
    """The file as a block device; direct: its own I/O goes past the page cache"""
    command = ["losetup", "--find", "--show", f"--direct-io={'on' if direct else 'off'}", *(["--read-only"] if read_only else []), str(file)]
    done = subprocess.run(command, text=True, capture_output=True)
    if done.returncode:
        raise Unavailable(f"no loop device: {done.stderr.strip()}")
    device = done.stdout.strip()
    try:
        yield pathlib.Path(device)
    finally:
        subprocess.run(["losetup", "--detach", device], check=False)


def forget(file):
    """Written to the medium, and out of the page cache"""
    fd = os.open(file, os.O_RDONLY)
    try:
        os.fsync(fd)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(fd)


def warm(file):
    """Into the page cache"""
    with open(file, "rb", buffering=0) as stream:
        while stream.read(4 * MIB):
            pass
