# SPDX-License-Identifier: GPL-3.0-or-later
# TIMEOUT: 180
"""convert, through the program: what comes out, what is refused, and what is left when it does not end well."""

import json
import os
import pathlib
import pty
import resource
import signal
import subprocess
import time
import unittest

from command import DISKLATHE, MIB, CommandTest


class ConvertTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.data("a.raw", (0, 70000), (3 * MIB, 300000), (9 * MIB - 777, 777), size=9 * MIB)
        self.qemu("convert", "-O", "qcow2", "a.raw", "a.qcow2")

    def test_every_option_gives_what_qemu_img_reads_as_the_same(self):
        for words in ([], ["-c"], ["-c", "--level", "9"], ["-c", "-o", "compression_type=zstd"], ["-S", "0"],
                      ["-S", "64k"], ["-t", "none"], ["-t", "directsync"], ["-t", "unsafe", "-T", "none"],
                      ["-m", "4", "-W"], ["-o", "cluster_size=4k"], ["-o", "compat=0.10"], ["-o", "extended_l2=on"],
                      ["-o", "preallocation=metadata"], ["-o", "preallocation=full"], ["-f", "qcow2"],
                      ["-o", "data_file=x.data"], ["-o", "data_file=x.data,data_file_raw=on"]):
            with self.subTest(words):
                self.ours("convert", "--verify", "-O", "qcow2", *words, "a.qcow2", "x.qcow2")
                self.same("a.raw", "x.qcow2")
                self.qemu("check", "-q", "x.qcow2")
        self.ours("convert", "--verify", "-O", "raw", "x.qcow2", "x.raw", "--data-file=allow")
        self.same("a.raw", "x.raw")

    def test_holes_stay_holes_unless_told_otherwise(self):
        self.ours("convert", "-O", "raw", "a.qcow2", "sparse.raw")
        self.assertLess(os.stat("sparse.raw").st_blocks * 512, MIB)
        self.ours("convert", "-O", "raw", "-S", "0", "a.qcow2", "full.raw")
        self.assertGreaterEqual(os.stat("full.raw").st_blocks * 512, 9 * MIB)

    def test_a_snapshot_can_be_the_source(self):
        self.qemu("snapshot", "-c", "before", "a.qcow2")
        subprocess.run(["qemu-io", "-c", "write -P 9 0 1M", "a.qcow2"], check=True, stdout=subprocess.DEVNULL)
        for name in ("before", "1", "snapshot.name=before"):
            self.ours("convert", "-l", name, "-O", "raw", "a.qcow2", "x.raw")
            self.same("a.raw", "x.raw")
        self.refuses("convert", "-l", "never", "-O", "raw", "a.qcow2", "x.raw", code=11, says="never")

    def test_a_chain_becomes_one_image(self):
        self.qemu("create", "-q", "-f", "qcow2", "-b", "a.qcow2", "-F", "qcow2", "top.qcow2", "12M")
        subprocess.run(["qemu-io", "-c", "write -P 9 1M 100k", "-c", "write -z 3M 64k", "top.qcow2"], check=True,
                       stdout=subprocess.DEVNULL)
        self.ours("convert", "--verify", "-O", "qcow2", "top.qcow2", "x.qcow2")
        self.same("top.qcow2", "x.qcow2")
        self.assertNotIn("backing", self.qemu("info", "x.qcow2").stdout)

    def test_with_B_only_what_the_top_image_holds_is_copied(self):
        self.qemu("create", "-q", "-f", "qcow2", "-b", "a.qcow2", "-F", "qcow2", "top.qcow2", "9M")
        subprocess.run(["qemu-io", "-c", "write -P 9 1M 100k", "-c", "write -z 3M 64k", "top.qcow2"], check=True,
                       stdout=subprocess.DEVNULL)
        for words in ([], ["-c"], ["-o", "cluster_size=512k"], ["-o", "compat=0.10"], ["-o", "extended_l2=on"]):
            with self.subTest(words):
                self.ours("convert", "--verify", "-O", "qcow2", "-B", "a.raw", "-F", "raw", *words, "top.qcow2",
                          "x.qcow2")
                self.same("top.qcow2", "x.qcow2")
                self.qemu("check", "-q", "x.qcow2")
                held = sum(entry["length"] for entry in json.loads(self.qemu("map", "--output=json", "x.qcow2").stdout)
                           if entry["depth"] == 0 and entry["present"])
                self.assertLessEqual(held, 3 * MIB)
        self.refuses("convert", "-O", "qcow2", "-B", "a.raw", "top.qcow2", "y.qcow2", code=2, says="-F")
        self.refuses("convert", "-O", "qcow2", "-B", "missing", "-F", "raw", "top.qcow2", "y.qcow2", code=11,
                     says="'missing'")

    def test_verify_sees_that_another_backing_file_was_promised(self):
        self.qemu("create", "-q", "-f", "qcow2", "-b", "a.qcow2", "-F", "qcow2", "top.qcow2", "9M")
        self.data("other.raw", (0, 4096), size=9 * MIB)
        self.refuses("convert", "--verify", "-O", "qcow2", "-B", "other.raw", "-F", "raw", "top.qcow2", "x.qcow2",
                     code=20, says=("first at byte 0", "'x.qcow2'"))
        self.assertFalse(os.path.exists("x.qcow2"))

    def test_verify_reads_nothing_that_the_target_does_not_hold(self):
        self.data("huge.raw", (1 << 40, 70000), size=2 << 40)
        began = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.ours("convert", "--verify", "-f", "raw", "-O", "qcow2", "-o", "cluster_size=2M,preallocation=metadata",
                  "huge.raw", "x.qcow2")
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertLess(ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime, 5)

    def test_n_writes_into_what_is_there_and_leaves_the_rest(self):
        self.data("x.raw", (0, 10 * MIB))
        inode = os.stat("x.raw").st_ino
        tail = pathlib.Path("x.raw").read_bytes()[9 * MIB:]
        self.ours("convert", "-n", "--verify", "-O", "raw", "a.qcow2", "x.raw")
        self.assertEqual(os.stat("x.raw").st_ino, inode)
        self.assertEqual(pathlib.Path("x.raw").read_bytes(), pathlib.Path("a.raw").read_bytes() + tail)

    def test_n_refuses_what_is_too_small_before_a_byte_is_written(self):
        self.data("x.raw", (0, MIB))
        before = pathlib.Path("x.raw").read_bytes()
        self.refuses("convert", "-n", "a.qcow2", "x.raw", code=14, says=f"{8 * MIB} bytes are missing")
        self.assertEqual(pathlib.Path("x.raw").read_bytes(), before)
        self.refuses("convert", "-n", "a.qcow2", "missing.raw", code=11, says="'missing.raw'")
        self.refuses("convert", "-n", "-O", "qcow2", "a.raw", "x.raw", code=2, says="-n writes raw")

    def test_an_extension_decides_and_that_is_said(self):
        done = self.ours("convert", "a.raw", "x.qcow2")
        self.assertIn("will be qcow2", done.stderr)
        self.assertIn('"format": "qcow2"', self.qemu("info", "--output=json", "x.qcow2").stdout)
        self.ours("convert", "a.qcow2", "x.bin")
        self.qemu("compare", "-F", "raw", "a.qcow2", "x.bin")

    def test_raw_of_any_size_is_kept_to_the_byte(self):
        for size in (0, 1, 511, 513, MIB - 1):
            with self.subTest(size):
                self.data("odd.raw", *([(0, size)] if size > 1 else []), size=size)
                self.ours("convert", "--verify", "-f", "raw", "-O", "raw", "odd.raw", "x.raw")
                self.assertEqual(pathlib.Path("x.raw").read_bytes(), pathlib.Path("odd.raw").read_bytes())

    def test_targets_that_cannot_be_are_refused_and_nothing_is_left(self):
        before = sorted(os.listdir())
        content = pathlib.Path("a.raw").read_bytes()
        os.mkdir("folder")
        self.qemu("create", "-q", "-f", "qcow2", "-b", "a.raw", "-F", "raw", "top.qcow2", "9M")
        os.link("a.raw", "twin.raw")
        os.symlink("a.raw", "link.raw")
        for words, code, says in ((("a.qcow2", "folder"), 2, "folder"),
                                  (("a.qcow2", "nowhere/x.raw"), 11, "'nowhere'"),
                                  (("a.qcow2", "/dev/null"), 2, "neither a file nor a block device"),
                                  (("a.raw", "a.raw"), 2, "source"), (("a.raw", "./a.raw"), 2, "source"),
                                  (("a.raw", "twin.raw"), 2, "source"), (("a.raw", "link.raw"), 2, "source"),
                                  (("top.qcow2", "a.raw"), 2, "backing chain"),
                                  (("-n", "top.qcow2", "a.raw"), 2, "backing chain"),
                                  (("missing.qcow2", "x.raw"), 11, "'missing.qcow2'"),
                                  (("-O", "nonsense", "a.raw", "x"), 2, "nonsense"),
                                  (("-c", "-O", "raw", "a.raw", "x.raw"), 18, "raw"),
                                  (("-S", "3", "a.raw", "x.raw"), 2, "512"),
                                  (("-o", "size=3M", "a.raw", "x.raw"), 2, "size"),
                                  (("--target-is-zero", "a.raw", "x.raw"), 2, "-n")):
            with self.subTest(words):
                self.refuses("convert", *words, code=code, says=says)
        for name in ("top.qcow2", "twin.raw", "link.raw"):
            os.unlink(name)
        os.rmdir("folder")
        self.assertEqual(sorted(os.listdir()), before)
        self.assertEqual(pathlib.Path("a.raw").read_bytes(), content)

    @unittest.skipUnless(os.geteuid() == 0, "needs root to become somebody else")
    def test_a_folder_one_may_not_write_to(self):
        os.chmod(".", 0o755)
        done = self.run_program("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", DISKLATHE, "convert",
                                "-O", "raw", os.path.abspath("a.qcow2"), os.path.abspath("x.raw"), code=12)
        self.assertIn("permission denied", done.stderr)


class OutputTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.data("a.raw", (0, 2 * MIB), size=64 * MIB)

    def test_a_pipe_gets_no_control_characters(self):
        for words in ([], ["-p"], ["--progress=json"]):
            done = self.ours("convert", *words, "--verify", "-O", "qcow2", "a.raw", "x.qcow2")
            self.assertNotRegex(done.stdout + done.stderr, r"[\x00-\x09\x0b-\x1f\x7f]")
        self.assertEqual(self.ours("convert", "a.raw", "x.raw").stdout, "")

    def test_progress_as_json_is_an_object_a_line_and_ends_with_all_of_it(self):
        lines = self.ours("convert", "--progress=json", "--verify", "-O", "qcow2", "a.raw", "x.qcow2").stdout
        objects = [json.loads(line) for line in lines.splitlines()]
        self.assertEqual(objects[-1]["phase"], "done")
        self.assertEqual(objects[-1]["percent"], 100.0)
        self.assertEqual(objects[-1]["position"], 64 * MIB)
        self.assertEqual(objects[-1]["completed"] + objects[-1]["zeroed"], 64 * MIB)
        self.assertEqual(objects[-1]["submitted"], objects[-1]["completed"])
        self.assertEqual((objects[-1]["flushed"], objects[-1]["verified"]), (64 * MIB, 64 * MIB))
        done = self.ours("convert", "--progress=json", "a.raw", "nowhere/x.raw", code=11)
        self.assertEqual(json.loads(done.stdout.splitlines()[-1])["exit_code"], 11)

    def test_a_terminal_sees_one_line_that_says_how_it_went(self):
        mine, theirs = pty.openpty()
        program = subprocess.Popen([DISKLATHE, "convert", "-p", "--verify", "-O", "qcow2", "a.raw", "x.qcow2"],
                                   stdout=theirs, stderr=theirs)
        os.close(theirs)
        seen = b""
        try:
            while part := os.read(mine, 4096):
                seen += part
        except OSError:  # the program has closed its end
            pass
        os.close(mine)
        self.assertEqual(program.wait(10), 0)
        last = seen.decode().replace("\r\n", "\n").split("\r")[-1]
        self.assertRegex(last, r"^64 MiB in .*: 2 MiB written at .*/s, 62 MiB zero, verified\n$")
        self.assertEqual(seen.count(b"\n"), 1)


class StopTest(CommandTest):
    """Conversions that last, because much is compressed as hard as can be, and are disturbed."""

    SIZE = 192 * MIB

    def setUp(self):
        super().setUp()
        self.data("a.raw", (0, self.SIZE))
        pathlib.Path("x.qcow2").write_bytes(b"the old one")

    def start(self, *words):
        return subprocess.Popen([DISKLATHE, "convert", "-c", "-o", "compression_type=zlib", "--level", "12", "-O",
                                 "qcow2", *words, "a.raw", "x.qcow2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True)

    def stop_with(self, number):
        program = self.start()
        time.sleep(0.3)
        self.assertIsNone(program.poll(), "over before it could be stopped")
        began = time.monotonic()
        program.send_signal(number)
        output, errors = program.communicate(timeout=10)
        return program.returncode, time.monotonic() - began, errors

    def nothing_is_left(self):
        self.assertEqual(sorted(os.listdir()), ["a.raw", "x.qcow2"])
        self.assertEqual(pathlib.Path("x.qcow2").read_bytes(), b"the old one")

    def test_a_signal_stops_it_at_once_and_leaves_nothing(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            with self.subTest(number):
                ended, took, errors = self.stop_with(number)
                self.assertEqual(ended, code)
                self.assertLess(took, 0.3 if os.cpu_count() > os.getloadavg()[0] else 1.5)
                self.assertIn("stopped", errors)
                self.nothing_is_left()

    def test_kill_leaves_nothing_either(self):
        ended, _, _ = self.stop_with(signal.SIGKILL)
        self.assertEqual(ended, -signal.SIGKILL)
        self.nothing_is_left()

    def test_sigusr1_asks_how_far_it_is(self):
        program = self.start()
        time.sleep(0.3)
        program.send_signal(signal.SIGUSR1)
        time.sleep(0.1)
        program.send_signal(signal.SIGINT)
        self.assertRegex(program.communicate(timeout=10)[1], r"disklathe: writing +\d+\.\d%")

    def test_a_source_that_changes_is_noticed(self):
        program = self.start()
        time.sleep(0.3)
        with open("a.raw", "r+b") as file:
            file.seek(self.SIZE - MIB)
            file.write(b"changed")
        _, errors = program.communicate(timeout=60)
        self.assertEqual(program.returncode, 16, errors)
        self.assertIn("'a.raw' changed while it was being read", errors)
        self.nothing_is_left()

    def test_a_source_that_is_cut_off_is_noticed(self):
        program = self.start()
        time.sleep(0.3)
        os.truncate("a.raw", 4096)
        _, errors = program.communicate(timeout=60)
        self.assertEqual(program.returncode, 16, errors)
        self.nothing_is_left()


@unittest.skipUnless(os.geteuid() == 0, "needs root to mount")
class FullTest(CommandTest):
    def test_a_full_file_system_keeps_the_old_file_and_tells_what_is_free(self):
        self.data("a.raw", (0, 8 * MIB))
        os.mkdir("small")
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2M", "none", "small"], check=True)
        self.addCleanup(subprocess.run, ["umount", "small"])
        pathlib.Path("small/x.raw").write_bytes(b"the old one")
        self.refuses("convert", "-O", "raw", "a.raw", "small/x.raw", code=14, says=("small/x.raw", "more are needed", " free)"))
        self.assertEqual(os.listdir("small"), ["x.raw"])
        self.assertEqual(pathlib.Path("small/x.raw").read_bytes(), b"the old one")


if __name__ == "__main__":
    unittest.main()
