# SPDX-License-Identifier: GPL-3.0-or-later
"""`disklathe sweep` as a person and as a script types it."""

import contextlib
import csv
import io
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

DISKLATHE = os.environ["DISKLATHE"]
SHORT = ("--seconds", "0.02")


def run(*arguments, **more):
    return subprocess.run([DISKLATHE, "sweep", *map(str, arguments)], capture_output=True, text=True, timeout=50,
                          stdin=subprocess.DEVNULL, **more)


@contextlib.contextmanager
def loop_device(folder, megabytes=32):
    if os.geteuid() != 0 or not os.path.exists("/dev/loop-control"):
        raise unittest.SkipTest("no loop devices here: needs root and /dev/loop-control")
    backing = pathlib.Path(folder, "disk.raw")
    backing.write_bytes(os.urandom(1 << 20) * megabytes)
    node = subprocess.check_output(["losetup", "-f", "--show", backing], text=True).strip()
    try:
        yield node, backing
    finally:
        subprocess.run(["losetup", "-d", node], check=True)


class Sweep(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", "/var/tmp"))
        self.addCleanup(self.place.cleanup)
        self.folder = pathlib.Path(self.place.name)

    def file(self, megabytes=32):
        path = self.folder / "file.raw"
        path.write_bytes(os.urandom(1 << 20) * megabytes)
        return path

    def test_a_file_is_read_with_each_size(self):
        path = self.file()
        before = path.read_bytes()
        result = run(*SHORT, "--output=json", path)
        self.assertEqual(result.returncode, 0, result.stderr)
        report = json.loads(result.stdout)
        self.assertEqual([point["size"] for point in report["points"]], [4096 << i for i in range(13)])
        for point in report["points"]:
            self.assertGreater(point["bytes_per_second"], 0)
            self.assertGreaterEqual(point["p99_ns"], point["p50_ns"])
        self.assertIn(report["knee"], [point["size"] for point in report["points"]])
        self.assertEqual(path.read_bytes(), before)
        self.assertIn("nothing is written", result.stderr)

    def test_time_and_bytes_are_said_first(self):
        first = run("--seconds", "0.05", "--sizes", "4k,1M", self.file()).stdout.splitlines()[0]
        self.assertRegex(first, r"^reading all 32 MiB .*, 2 sizes, 0.05 s each: 0.1 s")

    def test_requests_that_do_not_fit_are_left_out_unless_asked_for(self):
        path = self.file(1)
        report = json.loads(run(*SHORT, "--output=json", path).stdout)
        self.assertEqual(report["points"][-1]["size"], 1 << 20)
        self.assertEqual(run(*SHORT, "--sizes", "4k,2M", path).returncode, 2)

    def test_many_in_flight(self):
        result = run(*SHORT, "--depth", "8", "--sizes", "4k,64k", "--output=csv", self.file())
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = list(csv.DictReader(io.StringIO(result.stdout)))
        self.assertEqual([row["size"] for row in rows], ["4096", "65536"])

    def test_writing_leaves_nothing_behind(self):
        result = run(*SHORT, "--write", "--size", "16M", self.folder / "scratch")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_file_that_is_there_is_never_written(self):
        path = self.file(4)
        before = path.read_bytes()
        for option in ("--write", "--alignment", "--preset=2015"):
            result = run(*SHORT, option, path)
            self.assertEqual(result.returncode, 19, option)
            self.assertEqual(path.read_bytes(), before)

    def test_the_preset_writes_its_three_sizes(self):
        result = run("--preset", "2015", "--size", "16M", "--output=json", self.folder / "scratch")
        report = json.loads(result.stdout)
        self.assertEqual([(p["size"], p["requests"] * p["size"] >> 20) for p in report["points"]],
                         [(1 << 20, 20), (2 << 20, 20), (4 << 20, 20)])   # five rounds, each at least a fifth
        self.assertEqual((report["mode"], report["depth"]), ("write", 1))

    def test_two_runs_are_saved_and_compared(self):
        path, names = self.file(), [self.folder / "a.json", self.folder / "b.json"]
        for name in names:
            result = run(*SHORT, "--sizes", "64k,1M", "-o", name, path)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("MB/S", result.stdout)
        result = run("--compare", *names)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len([line for line in result.stdout.splitlines() if " %" in line]), 2)
        self.assertEqual(run("--compare", names[0], path).returncode, 17)
        self.assertEqual(run("--compare", names[0]).returncode, 2)

    def test_the_alignment_of_memory(self):
        result = run("--alignment", "--count", "200", "--size", "4M", "--output=json", self.folder / "scratch")
        self.assertEqual(result.returncode, 0, result.stderr)
        report = json.loads(result.stdout)
        self.assertEqual([(r["alignment"], r["writes"]) for r in report["runs"]], [(512, 200), (4096, 200)])
        limits = json.loads(subprocess.check_output([DISKLATHE, "limits", "--output=json", self.file(1)]))
        if (limits["limits"]["min-memory-alignment"]["value"] or 512) <= 512:
            self.assertEqual([r["bounces"] for r in report["runs"]], [0, 0])
        self.assertGreater(report["ratio"], 0)

    def test_holes_are_said(self):
        path = self.folder / "sparse.raw"
        path.touch()
        os.truncate(path, 64 << 20)
        self.assertIn("holes", run(*SHORT, "--sizes", "1M", path).stderr)

    def test_a_device_is_written_only_when_its_id_is_said(self):
        with loop_device(self.folder) as (node, backing):
            before = backing.read_bytes()
            options = (*SHORT, "--write", "--sizes", "64k", "--size", "8M")
            refused = run(*options, node)
            self.assertEqual(refused.returncode, 19)
            self.assertEqual(backing.read_bytes(), before)
            name = f"{node.removeprefix('/dev/')}:{32 << 20}"
            result = run(*options, "--yes-erase", name, node)
            self.assertEqual(result.returncode, 0, result.stderr)
            after = backing.read_bytes()
            self.assertNotEqual(after[:8 << 20], before[:8 << 20])
            self.assertEqual(after[8 << 20:], before[8 << 20:])   # no more than was said

    def test_the_splitting_is_set_back_after_the_end_a_signal_and_a_kill(self):
        with loop_device(self.folder) as (node, _backing):
            queue = pathlib.Path("/sys/block", node.removeprefix("/dev/"), "queue/max_sectors_kb")
            if not os.access(queue, os.W_OK):
                self.skipTest("/sys may not be written here")
            before = queue.read_text()
            result = run(*SHORT, "--max-sectors", "64", "--sizes", "1M", "--output=json", node)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(json.loads(result.stdout)["max_sectors_kb"], 64)
            self.assertEqual(queue.read_text(), before)
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
                with subprocess.Popen([DISKLATHE, "sweep", "--max-sectors", "64", "--seconds", "20", node],
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                    self.until(lambda: queue.read_text() == "64\n")
                    process.send_signal(number)
                    # Before the program watches for signals, one ends it by itself: a shell says 128 + number as well.
                    self.assertIn(process.wait(10), (-number, 128 + number))
                self.until(lambda: queue.read_text() == before)

    def until(self, true):
        for _ in range(500):
            if true():
                return
            time.sleep(0.01)
        self.fail("it did not come to that within 5 s")

    def test_mistakes_are_usage_errors(self):
        path = self.file(1)
        for words in (["--sizes", "1000"], ["--sizes", "4k,,8k"], ["--seconds", "x"], ["--seconds", "0"],
                      ["--depth", "0"], ["--preset", "2016"], ["--size", "2M"], ["--passthrough"],
                      ["--passthrough", "--write"], ["--passthrough", "--depth", "2"]):
            self.assertEqual(run(*words, path).returncode, 2, words)


if __name__ == "__main__":
    unittest.main()
