# SPDX-License-Identifier: GPL-3.0-or-later
# TIMEOUT: 180
"""The benchmark itself: it may not praise a program that is wrong, and leaves nothing behind."""

import os
import pathlib
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

TOP = pathlib.Path(os.environ["DISKLATHE_SOURCE_DIR"])
sys.dont_write_bytecode = True
sys.path.insert(0, str(TOP / "bench"))

import harness  # noqa: E402

FAKE = """#!/bin/sh
[ "$1" = --version ] && { echo a stand-in; exit; }
for target; do :; done
"""


class Bench(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.base = pathlib.Path(self.folder.name)
        (self.base / "ram").mkdir()
        (self.base / "disk").mkdir()

    def command(self, script, *arguments):
        program = self.base / "stand-in"
        program.write_text(FAKE + script)
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return [sys.executable, TOP / "bench/run", "--program", program, "--ram", self.base / "ram", "--scratch",
                self.base / "disk", "--rounds", "1", *arguments]

    def bench(self, script, *arguments):
        return subprocess.run(self.command(script, *arguments), text=True, capture_output=True)

    def left(self):
        return [path for place in ("ram", "disk") for path in (self.base / place).iterdir()]

    def test_a_right_output_passes(self):
        done = self.bench('exec qemu-img "$@"\n', "convert.sparse")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("sparse 1 T qcow2 -> raw", done.stdout)
        self.assertEqual(self.left(), [])

    def test_a_wrong_byte_fails_it(self):
        script = 'qemu-img "$@" && printf x | dd of="$target" bs=1 seek=5000 conv=notrunc status=none\n'
        done = self.bench(script, "convert.sparse")
        self.assertEqual(done.returncode, 1)
        self.assertIn("not the source", done.stdout)
        self.assertEqual(self.left(), [])

    def test_a_wrong_length_fails_it(self):
        done = self.bench('qemu-img "$@" && truncate -s +512 "$target"\n', "convert.sparse")
        self.assertEqual(done.returncode, 1)
        self.assertIn("bytes long, not", done.stdout)

    def test_no_output_fails_it(self):
        done = self.bench("exit 0\n", "convert.sparse")
        self.assertEqual(done.returncode, 1)
        self.assertIn("made no output", done.stdout)

    def test_what_is_to_hold_fails_quick_when_lost_by_far(self):
        script = 'sleep 0.5; exec qemu-img "$@"\n'
        self.assertEqual(self.bench(script, "convert.sparse").returncode, 0)
        done = self.bench(script, "--quick", "convert.sparse")
        self.assertEqual(done.returncode, 1)
        self.assertIn("to hold 0.12", done.stdout)

    def test_stopped_it_leaves_nothing_behind(self):
        process = subprocess.Popen(self.command("exec sleep 60\n", "convert.sparse"), stdout=subprocess.DEVNULL)
        while not any(path.name.endswith(".qcow2") for path in (self.base / "ram").rglob("*")):
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(10), 128 + signal.SIGTERM)
        self.assertEqual(self.left(), [])

    def test_what_a_killed_one_left_goes_at_the_next_start(self):
        process = subprocess.Popen(self.command("exec sleep 60\n", "convert.sparse"), stdout=subprocess.DEVNULL)
        while not any(path.name.endswith(".qcow2") for path in (self.base / "ram").rglob("*")):
            time.sleep(0.02)
        process.kill()
        process.wait()
        self.assertNotEqual(self.left(), [])
        self.bench('exec qemu-img "$@"\n', "convert.sparse")
        self.assertEqual(self.left(), [])


class Figures(unittest.TestCase):
    def result(self, walls, **case):
        contenders = [harness.Contender(name, [], "ours" if name == "ours" else "peer") for name in walls]
        result = harness.Result(harness.Case("case", contenders, **case), 1)
        for name, values in walls.items():
            result.runs[name] = [harness.Run(wall, wall, 0.0, 8_000_000, 100) for wall in values]
        return result

    def test_the_ratio_is_of_medians_to_the_best_peer(self):
        result = self.result({"ours": [1.0, 9.0, 1.0], "slow": [4.0, 4.0, 4.0], "quick": [2.0, 2.0, 0.1]})
        self.assertEqual(result.best().name, "quick")
        self.assertAlmostEqual(result.ratio(), 0.5)

    def test_an_output_larger_than_the_named_peers_fails_at_any_size_of_the_bench(self):
        result = self.result({"ours": [1.0], "other": [2.0]}, not_larger="other")
        result.runs["ours"][0].size = 101
        bench = harness.Bench(None, None, {}, rounds=1)
        bench.results.append(result)
        self.assertIn("may not be larger", bench.failures()[0])

    def test_a_straight_line_fits_wholly_and_a_bend_does_not(self):
        points = lambda times: [(size, self.result({"ours": [t]})) for size, t in zip((1, 4, 16), times)]
        self.assertAlmostEqual(harness.Growth("line", points((2.0, 8.0, 32.0))).line()[2], 1.0)
        self.assertLess(harness.Growth("bend", points((1.0, 16.0, 17.0))).line()[2], harness.R2_HOLD)


unittest.main()
