# SPDX-License-Identifier: GPL-3.0-or-later
"""The line to the host (../machine.py says what it understands)."""

import glob
import pathlib


def open_port():
    for name in glob.glob("/sys/class/virtio-ports/*/name"):
        if pathlib.Path(name).read_text().strip() == "lines":
            return open("/dev/" + name.split("/")[4], "w", buffering=1)
    raise RuntimeError("the host gave no port for lines")


PORT = open_port()


def tell(line):
    PORT.write(line + "\n")
