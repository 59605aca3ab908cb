# SPDX-License-Identifier: GPL-3.0-or-later
# LABELS: vm serial
# TIMEOUT: 480
"""Devices whose zeroing is slower than their writing, equal, and 10 and 100 times as fast: right, and never behind."""

from machine import Disk, run_cases


def priced(name, most_zeroed, limit):
    """most_zeroed: KiB that one write-zeroes command of the device takes; limit: what the device does a second."""
    return Disk(name, f"virtio-blk-pci,request-merging=off,max-write-zeroes-sectors={most_zeroed * 2}",
                layer=f"throttle,throttle-group=group-{name},file={{file}}",
                objects=(f"throttle-group,id=group-{name},{limit}",))


run_cases("zeroing", [
    priced("slow", 64, "x-iops-write=80"),
    priced("equal", 64, "x-bps-write=10485760"),
    priced("fast10", 640, "x-iops-write=80"),
    priced("fast100", 6400, "x-iops-write=80"),
])
