# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the module of cases that the file `cases` names (further lines: parts of names, to run fewer), and tells the host
one line a case."""

import importlib
import pathlib
import time
import traceback
import unittest

from host import tell


def name_of(case):
    return f"{type(case).__name__}.{case.id().rpartition('.')[2].removeprefix('test_')}"


def flatten(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from flatten(test)
        else:
            yield test


def explain(error):
    """Where in our own files it was raised, and how that ended."""
    for frame in traceback.extract_tb(error[2]):
        if frame.filename.startswith("/payload/"):
            tell(f"|   {frame.filename.removeprefix('/payload/')}:{frame.lineno}: {frame.line}")
    for line in "".join(traceback.format_exception_only(error[1])).splitlines():
        tell("|   " + line)


class Lines(unittest.TestResult):
    def startTest(self, test):
        super().startTest(test)
        test.began = time.monotonic()

    def addSuccess(self, test):
        detail = getattr(test, "detail", "")
        tell(f"ok {name_of(test)}: {detail}{', ' if detail else ''}{time.monotonic() - test.began:.1f} s")

    def fails(self, test, error):
        tell(f"FAILED {name_of(test)}: {(str(error[1]).strip() or error[0].__name__).splitlines()[0]}")
        explain(error)

    def addFailure(self, test, error):
        self.fails(test, error)

    def addError(self, test, error):
        # What a class set up for all its cases failed: each of them failed.
        if isinstance(test, unittest.TestCase):
            self.fails(test, error)
        else:
            explain(error)


def main():
    name, *only = pathlib.Path("/payload/cases").read_text().splitlines()
    cases = [case for case in flatten(unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(name)))
             if not only or any(part in name_of(case) for part in only)]
    for case in cases:
        tell(f"plan {name_of(case)}")
    unittest.TestSuite(cases).run(Lines())


try:
    main()
except BaseException as problem:
    explain((type(problem), problem, problem.__traceback__))
    raise
