#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the guest boots: Debian's cloud kernel, and a root file system of this environment's own programs.

Made once and kept in the cache folder under a name that says what it was made of. Run by itself it only makes that.
"""

import contextlib
import fcntl
import hashlib
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import time

PROGRAMS = ("python3", "mount", "umount", "modprobe", "losetup", "dmsetup", "blockdev", "blkdiscard", "mke2fs", "e2fsck", "nbd-client",
            "qemu-img")
KERNEL = "linux-image-cloud-amd64"
SPARE = 16 << 20  # bytes of the root file system for its own tables

HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "disklathe"


class CannotMake(Exception):
    """A sentence for the person who runs the tests."""


@contextlib.contextmanager
def step(what):
    """Says what is done, and how long it took."""
    print(f"vm: {what} ...", file=sys.stderr, flush=True)
    began = time.monotonic()
    yield
    print(f"vm: {what}: {time.monotonic() - began:.1f} s", file=sys.stderr, flush=True)


def call(*words, **keywords):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **keywords)
    if done.returncode:
        raise CannotMake(f"{' '.join(map(str, words))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def which(program):
    path = shutil.which(program, path="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
    if not path:
        raise CannotMake(f"{program} is not installed here: run the tests through ./dev")
    return pathlib.Path(path)


def libraries_of(*files):
    """The shared libraries that programs or libraries are started with, the loader among them."""
    found = set()
    for file in files:
        done = subprocess.run(["ldd", file], capture_output=True, text=True)
        found.update(word for word in done.stdout.split() if word.startswith("/"))
    return sorted(map(pathlib.Path, found))


def copy_file(source, root):
    """Into the same place under `root`, /bin and /lib being links into /usr there as here."""
    path = str(source)
    target = root / (path if path.startswith("/usr/") else "/usr" + path).lstrip("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        shutil.copy2(source, target)


def make_file_system(folder, image, offset=0):
    """An ext4 file system of the folder's content in the file `image`, from `offset` on."""
    content = sum(path.lstat().st_size + 4096 for path in folder.rglob("*"))
    size = (content + content // 8 + SPARE) >> 20 << 20
    with open(image, "wb") as file:
        file.truncate(offset + size)
    call("mke2fs", "-q", "-F", "-t", "ext4", "-O", "^has_journal", "-m", "0", "-E", f"offset={offset}",
         "-d", folder, image, f"{size >> 10}k", env={**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"})


def add_partition_table(image):
    """An MBR by which the kernel finds its root (PARTUUID=4c444b44-01), in whatever order it finds disks."""
    start, sectors = 2048, (os.path.getsize(image) >> 9) - 2048
    entry = struct.pack("<B3sB3sII", 0, b"", 0x83, b"", start, sectors)
    with open(image, "r+b") as file:
        file.seek(440)
        file.write(struct.pack("<I2x16s48x2s", 0x4C444B44, entry, b"\x55\xaa"))


def download_kernel(folder):
    """Unpacks Debian's current cloud kernel into folder/kernel, with apt's state kept apart from the system's."""
    lists, archive = folder / "lists", folder / "archive"
    for made in (lists / "partial", archive / "archives/partial"):
        made.mkdir(parents=True)
    apart = ["-o", f"Dir::State::Lists={lists}", "-o", f"Dir::Cache={archive}", "-o", "APT::Sandbox::User=root",
             "-o", "Acquire::Languages=none", "-q"]
    call("apt-get", *apart, "update")
    depends = call("apt-cache", *apart, "depends", KERNEL)
    package = next((line.split()[1] for line in depends.splitlines() if "Depends: linux-image-" in line), None)
    if not package:
        raise CannotMake(f"no {KERNEL} among this environment's packages (the rig is made for amd64)")
    call("apt-get", *apart, "download", package, cwd=folder)
    call("dpkg-deb", "-x", next(folder.glob("*.deb")), folder / "kernel")
    return folder / "kernel"


def unpack_kernel(bzimage, target):
    """The bare kernel inside a bzImage (Documentation/arch/x86/boot.rst): emulated, unpacking takes seconds."""
    image = bzimage.read_bytes()
    setup_sectors = image[0x1F1]
    offset, length = struct.unpack_from("<II", image, 0x248)
    start = (setup_sectors + 1) * 512 + offset
    done = subprocess.run(["zstd", "-dcq"], input=image[start:start + length], capture_output=True)
    # Its last four bytes are the unpacked size, which zstd takes for trailing rubbish.
    target.write_bytes(done.stdout if done.stdout.startswith(b"\x7fELF") else image)


def copy_programs(root):
    for folder in ("usr/bin", "usr/sbin", "usr/lib", "usr/lib64", "proc", "sys", "dev", "tmp", "run", "etc", "payload"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    for link in ("bin", "sbin", "lib", "lib64"):
        (root / link).symlink_to(f"usr/{link}")
    programs = [which(program) for program in PROGRAMS]
    library = pathlib.Path(call("python3", "-c", "import os; print(os.path.dirname(os.__file__))").strip())
    shutil.copytree(library, root / library.relative_to("/"), symlinks=True,
                    ignore=shutil.ignore_patterns("test", "idlelib", "ensurepip", "config-3*", "turtledemo", "tkinter"))
    for file in [*programs, *libraries_of(*programs, *library.glob("lib-dynload/*.so"))]:
        copy_file(file, root)
    shutil.copy2(HERE / "guest/init.py", root / "init")
    (root / "init").chmod(0o755)


def make(target):
    with tempfile.TemporaryDirectory(dir=CACHE, prefix="guest.tmp-") as name:
        folder = pathlib.Path(name)
        root, result = folder / "root", folder / "result"
        result.mkdir()
        with step("downloading Debian's cloud kernel (40 MB)"):
            kernel = download_kernel(folder)
        with step("collecting the guest's programs and modules"):
            copy_programs(root)
            shutil.copytree(kernel / "usr/lib/modules", root / "usr/lib/modules")
            release = next((root / "usr/lib/modules").iterdir()).name
            call(which("depmod"), "-b", root, release)
            unpack_kernel(kernel / f"boot/vmlinuz-{release}", result / "kernel")
        with step("making the guest's root file system"):
            make_file_system(root, result / "root.img", offset=1 << 20)
            add_partition_table(result / "root.img")
        os.rename(result, target)


def unused(folder):
    return time.time() - folder.stat().st_mtime > 30 * 24 * 3600


def guest_image():
    """The folder with `kernel` and `root.img`; made now when it is not there."""
    made_of = hashlib.sha256(pathlib.Path(__file__).read_bytes() + (HERE / "guest/init.py").read_bytes())
    for program in PROGRAMS:
        path = which(program).resolve()
        made_of.update(f"{path} {path.stat().st_size} {path.stat().st_mtime}\n".encode())
    target = CACHE / f"guest-{made_of.hexdigest()[:12]}"
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / "guest.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            for old in [*CACHE.glob("guest.tmp-*"), *filter(unused, CACHE.glob("guest-*"))]:
                shutil.rmtree(old)
            make(target)
        os.utime(target)
    return target


if __name__ == "__main__":
    try:
        guest_image()
    except CannotMake as problem:
        sys.exit(f"vm: {problem}")
