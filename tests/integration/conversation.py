# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person does at a terminal, where disklathe asks before it erases."""

import os
import pty
import select
import subprocess
import time

from command import DISKLATHE


class Conversation:
    """The program at a terminal: what it prints is waited for, and answered."""

    def __init__(self, *words):
        self.mine, theirs = pty.openpty()
        self.program = subprocess.Popen([DISKLATHE, *map(str, words)], stdin=theirs, stdout=theirs,
                                        stderr=theirs, start_new_session=True)
        os.close(theirs)
        self.seen = ""

    def wait_for(self, text, seconds=20):
        deadline = time.monotonic() + seconds
        while text not in self.seen:
            if not self._read(deadline):
                raise AssertionError(f"{text!r} did not come, but\n{self.seen}")

    def type(self, text):
        os.write(self.mine, text.encode())

    def end(self, seconds=30):
        deadline = time.monotonic() + seconds
        while self._read(deadline):
            pass
        code = self.program.wait(max(0.1, deadline - time.monotonic()))
        os.close(self.mine)
        return code

    def _read(self, deadline):
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([self.mine], [], [], left)[0]:
            return False
        try:
            part = os.read(self.mine, 4096)
        except OSError:  # the program has closed its end
            return False
        self.seen += part.decode(errors="replace").replace("\r\n", "\n")
        return bool(part)
