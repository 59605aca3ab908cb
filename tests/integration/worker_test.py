# SPDX-License-Identifier: GPL-3.0-or-later
# TIMEOUT: 180
"""convert --worker: what a worker makes is what this process makes, and ends as it ends."""

import hashlib
import json
import os
import pathlib
import signal
import subprocess
import time
import unittest

from command import DISKLATHE, MIB, CommandTest
from loop_devices import NEEDS, POSSIBLE, LoopDevice


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def children_of(pid):
    done = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True)
    return [int(word) for word in done.stdout.split()]


def runs(pid):
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


class WorkerTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.data("a.raw", (0, 70000), (3 * MIB, 300000), (9 * MIB - 777, 777), size=9 * MIB)
        self.qemu("convert", "-O", "qcow2", "a.raw", "a.qcow2")

    def both(self, *words, code=0, target="x", **keywords):
        """The same conversion in this process and in a worker; what is in the targets is the same, if they are there."""
        results = []
        for where in ([], ["--worker"]):
            pathlib.Path(target).unlink(missing_ok=True)
            done = self.ours("convert", *where, *words, code=code, **keywords)
            results.append((done, digest(target) if os.path.exists(target) else None))
        (here, content), (there, same) = results
        self.assertEqual(content, same)
        self.assertEqual(content is not None, code == 0)
        return here, there

    def test_every_option_gives_the_same(self):
        for words in ([], ["-c"], ["-c", "-o", "compression_type=zstd"], ["-S", "0"], ["-t", "none"], ["-t", "directsync"],
                      ["-t", "unsafe", "-T", "none"], ["-o", "cluster_size=4k"], ["-o", "preallocation=full"],
                      ["-o", "preallocation=metadata"], ["-f", "qcow2", "-c", "--level", "9"]):
            with self.subTest(words):
                self.both("--verify", "-O", "qcow2", *words, "a.qcow2", "x")
                self.qemu("compare", "a.raw", "x")
        self.both("--verify", "-O", "raw", "a.qcow2", "x")

    def test_direct_io_on_a_disk_gives_the_same(self):
        folder = self.folder_on_disk()
        source, target = f"{folder}/a.qcow2", f"{folder}/x"
        self.qemu("convert", "-O", "qcow2", "a.raw", source)
        self.both("--verify", "-T", "none", "-t", "none", "-O", "raw", source, target, target=target)

    def folder_on_disk(self):
        done = subprocess.run(["mktemp", "-d", "/var/tmp/disklathe-test-XXXXXX"], capture_output=True, text=True, check=True)
        folder = done.stdout.strip()
        self.addCleanup(subprocess.run, ["rm", "-rf", folder])
        return folder

    def test_an_external_data_file_is_written_too(self):
        for where in ([], ["--worker"]):
            self.ours("convert", *where, "--verify", "-O", "qcow2", "-o", "data_file=x.data,data_file_raw=on", "a.qcow2", "x")
            self.qemu("compare", "a.raw", "x")
            self.assertEqual(digest("x.data"), digest("a.raw"))
            self.ours("convert", *where, "-O", "raw", "--data-file=allow", "x", "y")
            self.assertEqual(digest("y"), digest("a.raw"))
            self.refuses("convert", *where, "-O", "raw", "x", "y", code=19, says="--data-file allow")

    def test_a_chain_is_opened_by_the_same_policy(self):
        os.mkdir("elsewhere")
        for folder, name in (("elsewhere", "base"), (".", "base")):
            self.qemu("convert", "-O", "qcow2", "a.raw", f"{folder}/{name}")
        for base, words, code in (("base", [], 0), ("base", ["--backing", "deny"], 19),
                                  (os.path.abspath("elsewhere/base"), [], 0), ("/etc/passwd", [], 19),
                                  (os.path.abspath("elsewhere/base"), ["--backing", "deny"], 19)):
            with self.subTest((base, words)):
                format_name = "raw" if base == "/etc/passwd" else "qcow2"
                pathlib.Path("top.qcow2").unlink(missing_ok=True)
                self.qemu("create", "-q", "-u", "-f", "qcow2", "-b", base, "-F", format_name, "top.qcow2", "9M")
                here, there = self.both("--verify", "-O", "raw", *words, "top.qcow2", "x", code=code)
                if code:
                    self.assertEqual(here.stderr, there.stderr)

    def test_a_target_on_a_backing_file_is_verified(self):
        self.qemu("create", "-q", "-f", "qcow2", "-b", "a.qcow2", "-F", "qcow2", "top.qcow2", "9M")
        subprocess.run(["qemu-io", "-c", "write -P 9 1M 100k", "top.qcow2"], check=True, stdout=subprocess.DEVNULL)
        self.both("--verify", "-O", "qcow2", "-B", "a.raw", "-F", "raw", "top.qcow2", "x")
        self.qemu("compare", "top.qcow2", "x")

    def test_streams_are_decoded_there(self):
        for program, name in (("gzip", "gz"), ("bzip2", "bz2"), ("xz", "xz"), ("zstd", "zst")):
            with open(f"a.raw.{name}", "wb") as out:
                subprocess.run([program, "-c", "a.raw"], stdout=out, check=True)
            with self.subTest(name):
                self.both("--verify", "-O", "raw", f"a.raw.{name}", "x")
                self.assertEqual(digest("x"), digest("a.raw"))
        with self.subTest("standard input"):
            pathlib.Path("x").unlink()
            with open("a.raw.gz", "rb") as stored:
                self.ours("convert", "--worker", "--verify", "-O", "qcow2", "--size", "9M", "-", "x", stdin=stored)
            self.qemu("compare", "a.raw", "x")
            cat = subprocess.Popen(["cat", "a.raw.gz"], stdout=subprocess.PIPE)
            self.ours("convert", "--worker", "-O", "raw", "-", "y", stdin=cat.stdout)
            cat.stdout.close()
            cat.wait()
            self.assertEqual(digest("y"), digest("a.raw"))

    def test_what_is_wrong_is_said_in_the_same_words(self):
        damaged = bytearray(pathlib.Path("a.qcow2").read_bytes())
        damaged[40:48] = b"\xff" * 8  # where the L1 table is
        pathlib.Path("damaged.qcow2").write_bytes(damaged)
        for words, code in ((["damaged.qcow2"], 17), (["-f", "qcow2", "a.raw"], 17), (["missing"], 11),
                            (["-l", "never", "a.qcow2"], 11)):
            with self.subTest(words):
                here, there = self.both("-O", "raw", *words, "x", code=code)
                self.assertEqual(here.stderr, there.stderr)

    def test_an_existing_file_that_is_too_small_is_not_touched(self):
        self.data("small", (0, MIB))
        before = digest("small")
        self.refuses("convert", "--worker", "-n", "a.qcow2", "small", code=14, says=f"{8 * MIB} are missing")
        self.assertEqual(digest("small"), before)
        self.data("large", (0, 10 * MIB))
        self.ours("convert", "--worker", "--verify", "-n", "a.qcow2", "large")
        self.assertEqual(pathlib.Path("large").read_bytes()[:9 * MIB], pathlib.Path("a.raw").read_bytes())

    def test_progress_and_warnings_come_through(self):
        done = self.ours("convert", "--worker", "--verify", "--progress=json", "-O", "raw", "a.qcow2", "x")
        last = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual((last["phase"], last["percent"]), ("done", 100))
        pathlib.Path("a.bin").write_bytes(pathlib.Path("a.qcow2").read_bytes())
        here, there = self.both("-O", "raw", "a.bin", "x")
        self.assertIn("guessed", here.stderr)
        self.assertEqual(here.stderr, there.stderr)

    def start_long(self):
        """A conversion that would go on for long, with its worker running."""
        with open("long.raw", "wb") as file:
            file.truncate(1 << 40)
        process = subprocess.Popen([DISKLATHE, "convert", "--worker", "-S", "0", "-f", "raw", "-O", "raw", "long.raw", "x"],
                                   stderr=subprocess.PIPE, text=True)
        for _ in range(100):
            workers = children_of(process.pid)
            if workers:
                time.sleep(0.2)
                return process, workers[0]
            time.sleep(0.02)
        self.fail("no worker was started")

    def test_a_signal_stops_both(self):
        process, worker = self.start_long()
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(5), 130)
        self.assertLess(time.monotonic() - began, 0.5)
        self.assertFalse(runs(worker))
        self.assertFalse(os.path.exists("x"))
        process.stderr.close()

    def test_a_worker_without_its_client_ends(self):
        process, worker = self.start_long()
        process.kill()
        began = time.monotonic()
        process.wait(5)
        while runs(worker) and time.monotonic() < began + 5:
            time.sleep(0.002)
        seconds = time.monotonic() - began
        print(f"kill -9 of the client: the worker was gone after {seconds * 1000:.0f} ms")
        self.assertLess(seconds, 0.5)
        self.assertEqual(sorted(os.listdir(".")), ["a.qcow2", "a.raw", "long.raw"])
        process.stderr.close()

    def test_a_worker_that_dies_is_an_error_and_leaves_nothing(self):
        process, worker = self.start_long()
        os.kill(worker, signal.SIGKILL)
        _, said = process.communicate(timeout=5)
        self.assertEqual(process.returncode, 21)
        self.assertIn("SIGKILL", said)
        self.assertFalse(os.path.exists("x"))

    @unittest.skipUnless(POSSIBLE, NEEDS)
    def test_a_device_is_written_and_read_back(self):
        backing = self.data("disk", (0, 16 * MIB))
        loop = LoopDevice(self, backing)
        done = self.ours("convert", "--worker", "--yes-erase", loop.id, "a.qcow2", loop.node)
        self.assertIn("read back and found the same", done.stdout)
        loop.detach()
        self.assertEqual(pathlib.Path(backing).read_bytes()[:9 * MIB], pathlib.Path("a.raw").read_bytes())
        self.data("small", (0, MIB))
        small = LoopDevice(self, "small")
        before = digest("small")
        self.refuses("convert", "--worker", "--yes-erase", small.id, "a.qcow2", small.node, code=14, says="are missing")
        self.assertEqual(digest("small"), before)


if __name__ == "__main__":
    unittest.main()
