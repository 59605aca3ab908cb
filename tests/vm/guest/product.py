# SPDX-License-Identifier: GPL-3.0-or-later
"""The program under test, and what cases share about it."""

import json
import os
import subprocess
import unittest

import block

PROGRAM = "/payload/disklathe"
ENVIRONMENT = {**os.environ, "LD_LIBRARY_PATH": "/payload/lib"}
SAMPLE_RAW, SAMPLE_QCOW2 = "/payload/sample.raw", "/payload/sample.qcow2"
SAMPLE = open(SAMPLE_RAW, "rb").read()

# app/cli/exit_codes.h
EXIT_USAGE, EXIT_IO, EXIT_PERMISSION, EXIT_BUSY, EXIT_NO_SPACE, EXIT_VANISHED, EXIT_UNSUPPORTED = 2, 10, 12, 13, 14, 15, 18


def start(*words):
    return subprocess.Popen([PROGRAM, *map(str, words)], env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(*words, seconds=120):
    process = start(*words)
    output, errors = process.communicate(timeout=seconds)
    return subprocess.CompletedProcess(words, process.returncode, output, errors)


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

    def json(self, *words):
        return json.loads(self.ours(*words, "--output=json").stdout)

    def assert_holds(self, node, content, at=0):
        difference = block.first_difference(block.read(node, len(content), at), content)
        self.assertIsNone(difference, f"{node} differs from what it should hold at byte {difference}")
