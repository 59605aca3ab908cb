# SPDX-License-Identifier: GPL-3.0-or-later
"""The program under test, and what cases share about it."""

import json
import os
import pathlib
import pty
import select
import subprocess
import time
import unittest

import block

PROGRAM = "/payload/disklathe"
WITH_WORKER = "/payload/with-worker/disklathe"  # the same, where it finds a worker
ENVIRONMENT = {**os.environ, "LD_LIBRARY_PATH": "/payload/lib"}
SAMPLE_RAW, SAMPLE_QCOW2 = "/payload/sample.raw", "/payload/sample.qcow2"
SAMPLE = open(SAMPLE_RAW, "rb").read()

# app/cli/exit_codes.h
EXIT_USAGE, EXIT_IO, EXIT_PERMISSION, EXIT_BUSY, EXIT_NO_SPACE, EXIT_VANISHED, EXIT_UNSUPPORTED = 2, 10, 12, 13, 14, 15, 18
EXIT_REFUSED = 19


def start(*words, program=PROGRAM):
    return subprocess.Popen([program, *map(str, words)], env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(*words, seconds=120, program=PROGRAM):
    process = start(*words, program=program)
    output, errors = process.communicate(timeout=seconds)
    return subprocess.CompletedProcess(words, process.returncode, output, errors)


class Terminal:
    """The program at a terminal: what it shows is waited for, and answered."""

    def __init__(self, *words):
        if not os.path.ismount("/dev/pts"):
            pathlib.Path("/dev/pts").mkdir(exist_ok=True)
            block.call("mount", "-t", "devpts", "-o", "ptmxmode=666", "devpts", "/dev/pts")
        self.mine, theirs = pty.openpty()
        self.program = subprocess.Popen([PROGRAM, *map(str, words)], env=ENVIRONMENT, stdin=theirs, stdout=theirs,
                                        stderr=theirs, start_new_session=True)
        os.close(theirs)
        self.seen = ""

    def wait_for(self, text, seconds=60):
        end = time.monotonic() + seconds
        while text not in self.seen:
            if not self.read(end):
                raise RuntimeError(f"{text!r} did not come, but {self.seen!r}")

    def type(self, text):
        os.write(self.mine, text.encode())

    def end(self, seconds=60):
        """Its exit code."""
        end = time.monotonic() + seconds
        while self.read(end):
            pass
        os.close(self.mine)
        return self.program.wait(max(0.1, end - time.monotonic()))

    def read(self, end):
        if not select.select([self.mine], [], [], max(0, end - time.monotonic()))[0]:
            return False
        try:
            part = os.read(self.mine, 4096)
        except OSError:  # the program has closed its end
            return False
        self.seen += part.decode(errors="replace")
        return bool(part)


def id_of(node):
    return json.loads(run("devices", "--output=json", node).stdout)["devices"][0]["id"]


def onto(source, node, *words):
    """The words that write an image onto a device."""
    return "convert", "--yes-erase", id_of(node), *words, source, node


class Case(unittest.TestCase):
    detail = ""

    def ours(self, *words, code=0, **keywords):
        done = run(*words, **keywords)
        self.assertEqual(done.returncode, code, f"disklathe {' '.join(map(str, words))}: exit code {done.returncode}: "
                         f"{done.stdout}{done.stderr}")
        return done

    def refuses(self, *words, code, says):
        """That exit code, and one sentence with each of `says` in it."""
        done = self.ours(*words, code=code)
        sentence = done.stderr.splitlines()[-1] if done.stderr else ""
        for part in says:
            self.assertIn(part, sentence)
        self.detail = sentence.removeprefix("disklathe: ")
        return done

    def json(self, *words, **keywords):
        return json.loads(self.ours(*words, "--output=json", **keywords).stdout)

    def assert_holds(self, node, content, at=0):
        difference = block.first_difference(block.read(node, len(content), at), content)
        self.assertIsNone(difference, f"{node} differs from what it should hold at byte {difference}")
