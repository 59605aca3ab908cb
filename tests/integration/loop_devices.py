# SPDX-License-Identifier: GPL-3.0-or-later
"""Loop devices of a test's own: the only block devices that tests write to."""

import fcntl
import os
import pathlib
import subprocess
import unittest

POSSIBLE = os.geteuid() == 0 and os.path.exists("/dev/loop-control")
NEEDS = "no loop devices here: needs root and /dev/loop-control"


class LoopDevice:
    """A device over a file, detached when the test is over."""

    def __init__(self, test, backing, sector=512, read_only=False):
        self.sector = sector
        self.backing = pathlib.Path(backing).absolute()
        words = ["losetup", "-f", "--show", "-b", str(sector), *(["-r"] if read_only else []), str(self.backing)]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            raise unittest.SkipTest(f"no loop device: {done.stderr.strip()}")
        self.node = done.stdout.strip()
        self.attached = True
        test.addCleanup(self.detach)

    @property
    def name(self):
        return self.node.removeprefix("/dev/")

    @property
    def id(self):
        return f"{self.name}:{self.backing.stat().st_size}"

    def detach(self):
        if not self.attached:
            return  # the number may be another test's by now
        self.attached = False
        subprocess.run(["partx", "-d", self.node], capture_output=True)
        subprocess.run(["losetup", "-d", self.node], capture_output=True)

    def replace(self, backing):
        """Another file under the same name, as a stick that is pulled out and another put in."""
        self.detach()
        done = subprocess.run(["losetup", "-b", str(self.sector), self.node, str(backing)], capture_output=True, text=True)
        if done.returncode:
            raise unittest.SkipTest(f"another program took {self.node}: {done.stderr.strip()}")
        self.attached = True

    def follow_size(self):
        """Takes over the size of the file; of an emptied one, it is as if the device was gone but for its node."""
        with open(self.node, "rb") as node:
            fcntl.ioctl(node, 0x4C07)  # LOOP_SET_CAPACITY

    def partition(self, *parts, label="gpt"):
        """Makes partitions of these sizes, and nodes for them: not every kernel reads partition tables itself."""
        script = f"label: {label}\n" + "".join(f",{size}\n" for size in parts)
        subprocess.run(["sfdisk", "-q", "--no-tell-kernel", self.node], input=script, text=True, check=True)
        subprocess.run(["partx", "-u", self.node], check=True)
        return [f"{self.node}p{index + 1}" for index in range(len(parts))]
