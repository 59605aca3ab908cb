# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the module of cases that the file `cases` names, and tells the host one line a case."""

import glob
import importlib
import pathlib
import time
import traceback
import unittest


def open_lines():
    for name in glob.glob("/sys/class/virtio-ports/*/name"):
        if pathlib.Path(name).read_text().strip() == "lines":
            return open("/dev/" + name.split("/")[4], "w", buffering=1)
    raise RuntimeError("the host gave no port for lines")


LINES = open_lines()


def tell(line):
    LINES.write(line + "\n")


def name_of(case):
    return f"{type(case).__name__}.{case.id().rpartition('.')[2].removeprefix('test_')}"


def flatten(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from flatten(test)
        else:
            yield test


class Lines(unittest.TestResult):
    def startTest(self, test):
        super().startTest(test)
        test.began = time.monotonic()

    def addSuccess(self, test):
        detail = getattr(test, "detail", "")
        tell(f"ok {name_of(test)}: {detail}{', ' if detail else ''}{time.monotonic() - test.began:.1f} s")

    def fails(self, test, error):
        told = traceback.format_exception(*error)
        tell(f"FAILED {name_of(test)}: {str(error[1]).strip().splitlines()[0] if str(error[1]).strip() else error[0]}")
        for line in "".join(told).splitlines():
            tell("|   " + line)

    def addFailure(self, test, error):
        self.fails(test, error)

    def addError(self, test, error):
        # What a class set up for all its cases failed: each of them failed.
        if isinstance(test, unittest.TestCase):
            self.fails(test, error)
        else:
            for line in traceback.format_exception(*error):
                tell("| " + line.rstrip().replace("\n", "\n| "))


def main():
    module = importlib.import_module(pathlib.Path("/payload/cases").read_text())
    cases = list(flatten(unittest.defaultTestLoader.loadTestsFromModule(module)))
    for case in cases:
        tell(f"plan {name_of(case)}")
    unittest.TestSuite(cases).run(Lines())
    LINES.close()


try:
    main()
except BaseException:
    tell("| " + traceback.format_exc().rstrip().replace("\n", "\n| "))
    raise
