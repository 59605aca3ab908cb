# SPDX-License-Identifier: GPL-3.0-or-later
# LABELS: vm serial
# TIMEOUT: 480
"""SCSI disks read and written by commands of the program's own (--passthrough), which nobody splits or guards for it."""

from machine import Disk, run_cases

run_cases("passthrough", [
    Disk("emulated512", "scsi-hd,logical_block_size=512,physical_block_size=4096"),
    Disk("native4k", "scsi-hd,logical_block_size=4096,physical_block_size=4096,max_io_size=131072"),
    Disk("unreadable", "scsi-hd,rerror=report,werror=report",
         layer="blkdebug,image={file},inject-error.0.event=none,inject-error.0.iotype=read,inject-error.0.errno=5,"
               "inject-error.0.sector=10000,inject-error.0.once=off,inject-error.0.immediately=off"),
    Disk("readonly", "scsi-hd", read_only=True),
    Disk("pulled", "scsi-hd", layer="throttle,throttle-group=slow,file={file}",
         objects=("throttle-group,id=slow,x-bps-write=4000000",)),
])
