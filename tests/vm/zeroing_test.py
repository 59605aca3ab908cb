# SPDX-License-Identifier: GPL-3.0-or-later
# LABELS: vm serial
# TIMEOUT: 480
"""Devices whose zeroing is slower than their writing, equal, and 10 and 100 times as fast: right, and never behind;
SCSI and NVMe disks among them."""

from machine import Disk, run_cases


def limited(name, device, limit):
    """limit: what the device does a second"""
    return Disk(name, device, layer=f"throttle,throttle-group=group-{name},file={{file}}",
                objects=(f"throttle-group,id=group-{name},{limit}",))


def priced(name, most_zeroed, limit):
    """most_zeroed: KiB that one write-zeroes command of the device takes"""
    return limited(name, f"virtio-blk-pci,request-merging=off,max-write-zeroes-sectors={most_zeroed * 2}", limit)


run_cases("zeroing", [
    priced("slow", 64, "x-iops-write=80"),
    priced("equal", 64, "x-bps-write=10485760"),
    priced("fast10", 640, "x-iops-write=80"),
    priced("fast100", 6400, "x-iops-write=80"),
    limited("scsi-quick", "scsi-hd", "x-iops-write=80"),
    limited("scsi-slow", "scsi-hd", "x-iops-write=80"),
    limited("nvme-quick", "nvme", "x-iops-write=80"),
    limited("nvme-equal", "nvme,mdts=1", "x-iops-write=640"),
])
