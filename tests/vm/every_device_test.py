# SPDX-License-Identifier: GPL-3.0-or-later
# LABELS: vm serial
# TIMEOUT: 480
"""Images onto and off each kind of device, its limits, and what requests become on it."""

from machine import Disk, run_cases

run_cases("every_device", [
    Disk("plain512", "virtio-blk-pci,logical_block_size=512,physical_block_size=512"),
    Disk("optimal512e", "scsi-hd,logical_block_size=512,physical_block_size=4096,min_io_size=4096,opt_io_size=1048576"),
    Disk("native4k", "scsi-hd,logical_block_size=4096,physical_block_size=4096,max_io_size=131072"),
    Disk("tiny", "nvme,mdts=1"),
    Disk("few", "virtio-blk-pci,queue-size=8"),
    Disk("sata", "ide-hd,rotation_rate=7200"),
    Disk("nozeroing", "virtio-blk-pci,write-zeroes=off,discard=off"),
])
