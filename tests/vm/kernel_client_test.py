# SPDX-License-Identifier: GPL-3.0-or-later
# LABELS: vm serial
# TIMEOUT: 480
"""The kernel as the client of our server: attach and detach, and nbd-client; file systems made, mounted and checked on it."""

from machine import Disk, run_cases

run_cases("kernel_client", [
    Disk("plain", "virtio-blk-pci"),
    Disk("native4k", "scsi-hd,logical_block_size=4096,physical_block_size=4096"),
])
