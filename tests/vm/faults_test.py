# SPDX-License-Identifier: GPL-3.0-or-later
# LABELS: vm serial
# TIMEOUT: 480
"""Devices that fail, stall, fill up, go away, or cannot be written at all: the right sentence and exit code."""

from machine import Disk, run_cases

run_cases("faults", [
    Disk("unreadable", "scsi-hd,rerror=report,werror=report",
         layer="blkdebug,image={file},inject-error.0.event=none,inject-error.0.iotype=read,inject-error.0.errno=5,"
               "inject-error.0.sector=10000,inject-error.0.once=off,inject-error.0.immediately=off"),
    Disk("unwritable", "virtio-blk-pci,rerror=report,werror=report",
         layer="blkdebug,image={file},inject-error.0.event=none,inject-error.0.iotype=write,inject-error.0.errno=5,"
               "inject-error.0.sector=10000,inject-error.0.once=off,inject-error.0.immediately=off"),
    Disk("pulled-scsi", "scsi-hd", layer="throttle,throttle-group=slow-scsi,file={file}",
         objects=("throttle-group,id=slow-scsi,x-bps-write=4000000",)),
    Disk("pulled-virtio", "virtio-blk-pci", layer="throttle,throttle-group=slow-virtio,file={file}",
         objects=("throttle-group,id=slow-virtio,x-bps-write=4000000",)),
    Disk("readonly", "virtio-blk-pci", read_only=True),
    Disk("slow", "virtio-blk-pci", layer="throttle,throttle-group=slow-slow,file={file}",
         objects=("throttle-group,id=slow-slow,x-bps-write=4000000",)),
    Disk("spare", "virtio-blk-pci"),
    Disk("native4k", "scsi-hd,logical_block_size=4096,physical_block_size=4096"),
])
