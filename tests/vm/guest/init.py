#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The guest's first process: mounts what every Linux has, finds the disk called `payload`, and runs its main.py."""

import glob
import os
import runpy
import subprocess
import sys
import time
import traceback

FILE_SYSTEMS = (("proc", "/proc"), ("sysfs", "/sys"), ("devtmpfs", "/dev"), ("tmpfs", "/tmp"), ("tmpfs", "/run"))
MODULES = ("virtio_blk", "virtio_scsi", "sd_mod", "sg", "configfs")


def call(*words):
    subprocess.run(words, check=True)


def start():
    os.environ.update(PATH="/usr/sbin:/usr/bin", HOME="/tmp", LC_ALL="C.UTF-8")
    for kind, place in FILE_SYSTEMS:
        if not os.path.ismount(place):
            call("mount", "-t", kind, kind, place)
    call("modprobe", "-a", *MODULES)
    call("mount", "-t", "configfs", "configfs", "/sys/kernel/config")
    payload = next(path for path in glob.glob("/sys/block/*/serial") if open(path).read().strip() == "payload")
    call("mount", "-t", "ext4", "-o", "ro", "/dev/" + payload.split("/")[3], "/payload")
    sys.path.insert(0, "/payload")
    runpy.run_path("/payload/main.py", run_name="__main__")


try:
    start()
except BaseException:  # a first process that ends is a kernel panic, which says less
    traceback.print_exc()
sys.stdout.flush()
sys.stderr.flush()
with open("/proc/sysrq-trigger", "w") as trigger:
    trigger.write("o")
time.sleep(60)
