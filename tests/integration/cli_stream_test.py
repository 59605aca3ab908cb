# SPDX-License-Identifier: GPL-3.0-or-later
# TIMEOUT: 180
"""Sources that can only be read forward: compressed images and standard input, through the program."""

import json
import os
import pty
import shlex
import signal
import subprocess
import time
import unittest

from command import DISKLATHE, MIB, CommandTest

COMPRESSIONS = {"gz": "gzip", "bz2": "bzip2", "xz": "xz -T2 --block-size=1MiB", "zst": "zstd -q"}


class StreamTest(CommandTest):
    needs = ("qemu-img", "gzip", "bzip2", "xz", "zstd", "tar")

    def setUp(self):
        super().setUp()
        self.data("a.raw", (0, 70000), (3 * MIB, 300000), (9 * MIB - 777, 777), size=9 * MIB)

    def compressed(self, *formats, source="a.raw"):
        for name in formats or COMPRESSIONS:
            self.run_program("sh", "-c", f"{COMPRESSIONS[name]} <{source} >{source}.{name}")
            yield f"{source}.{name}"

    def piped(self, source, *words, code=0):
        """disklathe WORDS with the file coming through a pipe; "-" among the words is where."""
        command = f"cat {shlex.quote(source)} | {DISKLATHE} {shlex.join(words)}"
        return self.run_program("sh", "-c", command, code=code)

    def nothing_left(self, *names):
        for name in names:
            self.assertFalse(os.path.exists(name))
        self.assertEqual([name for name in os.listdir() if name.startswith(".")], [])

    def test_compressed_images_become_raw_and_qcow2(self):
        for name in self.compressed():
            with self.subTest(name):
                self.ours("convert", "--verify", name, "x.raw")
                self.run_program("cmp", "a.raw", "x.raw")
                self.assertLess(os.stat("x.raw").st_blocks * 512, MIB)
                self.ours("convert", "--verify", "-c", "-O", "qcow2", name, "x.qcow2")
                self.same("a.raw", "x.qcow2")
                self.qemu("check", "-q", "x.qcow2")

    def test_they_may_come_on_standard_input(self):
        for name in [*self.compressed(), "a.raw"]:
            with self.subTest(name):
                self.piped(name, "convert", "--verify", "-", "x.raw")
                self.run_program("cmp", "a.raw", "x.raw")
                with open(name, "rb") as file:
                    self.ours("convert", "-O", "qcow2", "-", "y.qcow2", stdin=file)
                self.same("a.raw", "y.qcow2")

    def test_or_through_a_pipe_with_a_name(self):
        os.mkfifo("pipe")
        (name,) = self.compressed("xz")
        with subprocess.Popen(["sh", "-c", f"sleep 0.2; cat {name} >pipe"]):
            self.ours("convert", "pipe", "x.raw")
        self.run_program("cmp", "a.raw", "x.raw")

    def test_the_name_does_not_matter(self):
        (name,) = self.compressed("zst")
        os.rename(name, "disk.img")
        self.ours("convert", "disk.img", "x.raw")
        self.run_program("cmp", "a.raw", "x.raw")
        os.rename("a.raw", "b.raw.gz")
        self.ours("convert", "b.raw.gz", "y.raw")
        self.run_program("cmp", "b.raw.gz", "y.raw")

    def test_f_raw_takes_the_stored_bytes(self):
        (name,) = self.compressed("gz")
        self.ours("convert", "-f", "raw", name, "x.raw")
        self.run_program("cmp", name, "x.raw")
        self.piped(name, "convert", "-f", "raw", "-", "x.raw")
        self.run_program("cmp", name, "x.raw")

    def test_a_pipe_needs_size_for_a_format_that_must_know_it(self):
        for name in self.compressed("gz", "xz"):
            done = self.piped(name, "convert", "-O", "qcow2", "-", "x.qcow2", code=2)
            self.assertIn("--size", done.stderr)
            self.nothing_left("x.qcow2")
            self.piped(name, "convert", "--verify", "-O", "qcow2", "--size", "9M", "-", "x.qcow2")
            self.same("a.raw", "x.qcow2")
            self.piped(name, "convert", "--verify", "-O", "qcow2", "--size", "12M", "-", "y.qcow2")
            self.assertEqual(json.loads(self.ours("info", "--output=json", "y.qcow2").stdout)["virtual-size"], 12 * MIB)
            self.same("a.raw", "y.qcow2")
            done = self.piped(name, "convert", "-O", "qcow2", "--size", "8M", "-", "z.qcow2", code=14)
            self.nothing_left("z.qcow2")
            os.unlink("x.qcow2")
        self.refuses("convert", "--size", "8M", "a.raw.xz", "z.raw", code=2, says="--size")
        self.refuses("convert", "--size", "9M", "a.raw", "z.raw", code=2, says="--size")

    def test_a_target_that_is_too_small_is_refused_before_a_byte_where_the_size_is_known(self):
        for name in self.compressed("xz", "gz"):
            with open("target", "wb") as file:
                file.write(b"x" * 4 * MIB)
            known = name.endswith("xz")
            done = self.ours("convert", "-n", "-O", "raw", name, "target", code=14)
            with open("target", "rb") as file:
                self.assertEqual(file.read() == b"x" * 4 * MIB, known)
            self.assertIn("bytes are missing" if known else f"at byte {4 * MIB}", done.stderr)

    def test_a_larger_target_keeps_what_lies_behind(self):
        (name,) = self.compressed("gz")
        with open("target", "wb") as file:
            file.write(b"x" * 10 * MIB)
        self.ours("convert", "--verify", "-n", "-O", "raw", name, "target")
        with open("target", "rb") as file, open("a.raw", "rb") as source:
            self.assertEqual(file.read(), source.read() + b"x" * MIB)

    def test_damage_is_named_with_its_place_and_leaves_nothing(self):
        for name in self.compressed():
            with open(name, "rb") as file:
                whole = file.read()
            for part in (whole[:-1], whole[:len(whole) // 2], whole[:40], whole[:1000] + b"????????" + whole[1008:]):
                with open("bad", "wb") as file:
                    file.write(part)
                with self.subTest(name, length=len(part)):
                    self.refuses("convert", "-O", "raw", "bad", "x.raw", code=17, says=("'bad'", "at byte"))
                    self.nothing_left("x.raw")
                    self.refuses("convert", "-O", "qcow2", "bad", "x.qcow2", code=17, says="'bad'")
                    self.nothing_left("x.qcow2")
                    done = self.piped("bad", "convert", "-", "x.raw", code=17)
                    self.assertIn("'standard input'", done.stderr)
                    self.nothing_left("x.raw")

    def test_what_follows_gzip_data_is_left_out_with_a_warning(self):
        (name,) = self.compressed("gz")
        with open(name, "ab") as file:
            file.write(b"signature")
        done = self.ours("convert", "--verify", name, "x.raw")
        self.run_program("cmp", "a.raw", "x.raw")
        self.assertIn("warning", done.stderr)

    def test_a_compressed_image_that_is_no_raw_one_is_not_written_as_if(self):
        self.qemu("convert", "-O", "qcow2", "a.raw", "b.qcow2")
        self.run_program("tar", "cf", "b.tar", "a.raw")
        self.run_program("gzip", "-k", "a.raw")
        for source, what in (("b.qcow2", "qcow2"), ("b.tar", "tar archive"), ("a.raw.gz", "gzip")):
            for name in self.compressed(source=source):
                with self.subTest(name):
                    self.refuses("convert", "-O", "raw", name, "x.raw", code=18, says=(what, "-dk"))
                    self.nothing_left("x.raw")
                    forced = name.rsplit(".", 1)[1]
                    self.ours("convert", "-f", forced, "-O", "raw", name, "x.raw")
                    self.run_program("cmp", source, "x.raw")
                    os.unlink("x.raw")
            if source != "a.raw.gz":
                done = self.piped(source, "convert", "-", "x.raw", code=18)
                self.assertIn(what, done.stderr)
        self.piped("b.qcow2", "convert", "-f", "qcow2", "-", "x.raw", code=18)
        self.nothing_left("x.raw")

    def test_other_verbs_do_not_take_compressed_bytes_for_a_disk(self):
        (name,) = self.compressed("xz")
        self.refuses("map", name, code=18, says="convert")
        self.refuses("measure", "-O", "qcow2", name, code=18, says="convert")
        self.assertEqual(subprocess.run([DISKLATHE, "compare", "a.raw", name], capture_output=True).returncode, 2)
        self.ours("map", "-f", "raw", name)

    def test_info_says_what_it_is(self):
        for name in self.compressed():
            form = name.rsplit(".", 1)[1]
            shown = json.loads(self.ours("info", "--output=json", name).stdout)
            self.assertEqual(shown["format"], form)
            self.assertTrue(shown["compressed"])
            self.assertEqual(shown["file-size"], os.stat(name).st_size)
            self.assertEqual(shown.get("virtual-size"), 9 * MIB if form == "xz" else None)
            self.assertIn(f"file format: {form} (", self.ours("info", name).stdout)
        self.qemu("convert", "-O", "qcow2", "a.raw", "b.qcow2")
        (name,) = self.compressed("gz", source="b.qcow2")
        self.assertIn("qcow2", json.loads(self.ours("info", "--output=json", name).stdout)["content"])

    def progress(self, done):
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(lines[-1]["phase"], "done")
        self.assertEqual(lines[-1]["percent"], 100)
        self.assertEqual(lines[-1]["total"], 9 * MIB)
        self.assertEqual(lines[-1]["position"], 9 * MIB)
        return lines

    def test_progress_says_what_its_percentage_is_of(self):
        slow = f"(head -c 100000; sleep 0.5; cat) <a.raw.gz | {DISKLATHE} convert --progress=json"
        list(self.compressed("gz", "xz"))
        self.progress(self.ours("convert", "--progress=json", "a.raw.xz", "x.raw"))
        lines = self.progress(self.run_program("sh", "-c", f"{slow} - x.raw"))
        waiting = [line for line in lines if line["phase"] == "write" and line["total"] is None]
        self.assertTrue(waiting)
        self.assertTrue(all(line["percent"] is None for line in waiting))
        lines = self.progress(self.ours("convert", "--progress=json", "-O", "qcow2", "a.raw.gz", "x.qcow2"))
        for line in lines:
            if line["phase"] == "measure":
                self.assertEqual(line["percent_of"], "compressed input")
                self.assertLessEqual(line["percent"], 99.9)

    def test_the_percentage_is_of_the_compressed_input_while_nobody_knows_the_size(self):
        self.data("b.raw", (0, 24 * MIB))
        (name,) = self.compressed("bz2", source="b.raw")
        stored = os.stat(name).st_size
        done = self.ours("convert", "--progress=json", name, "x.raw")
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        known = [line for line in lines if line["phase"] == "write" and line["total"] is None]
        self.assertTrue(known)
        for line in known:
            self.assertEqual((line["percent_of"], line["input_total"]), ("compressed input", stored))
            self.assertAlmostEqual(line["percent"], min(line["input"] / stored * 100, 99.9), delta=0.11)
        self.assertEqual(sorted(line["percent"] for line in known), [line["percent"] for line in known])

    def test_a_pipe_that_stands_still_is_told(self):
        started = [(phase, target, subprocess.Popen(
            ["sh", "-c", f"({slow}) <a.raw | {DISKLATHE} convert --progress=json - {target}"], stdout=subprocess.PIPE, text=True))
            for phase, target, slow in (("prepare", "x.raw", "sleep 6.5; cat"),
                                        ("write", "y.raw", "head -c 100000; sleep 6.5; cat"))]
        for phase, target, program in started:
            with self.subTest(phase), program:
                still = [line for line in map(json.loads, program.stdout) if "stalled_seconds" in line]
                self.assertEqual({(line["phase"], line["stalled_for"]) for line in still}, {(phase, "input")})
                self.assertEqual(program.wait(30), 0)
                self.run_program("cmp", "a.raw", target)

    def interrupted(self, process, sent, code):
        began = time.monotonic()
        process.send_signal(sent)
        self.assertEqual(process.wait(10), code)
        self.assertLess(time.monotonic() - began, 2)
        self.nothing_left("x.raw", "x.qcow2")

    def test_a_signal_is_heard_while_a_pipe_is_silent(self):
        (name,) = self.compressed("gz")
        with open(name, "rb") as file:
            whole = file.read()
        for words in (["-", "x.raw"], ["-O", "qcow2", "--size", "9M", "-", "x.qcow2"]):
            for sent, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
                for given in (b"", whole[:-10]):
                    with self.subTest(words, sent=sent, given=len(given)):
                        with subprocess.Popen([DISKLATHE, "convert", *words], stdin=subprocess.PIPE,
                                              stderr=subprocess.PIPE) as process:
                            process.stdin.write(given)
                            process.stdin.flush()
                            time.sleep(0.3)
                            self.interrupted(process, sent, code)

    def test_a_terminal_is_no_image(self):
        primary, secondary = pty.openpty()
        try:
            self.refuses("convert", "-", "x.raw", code=2, says="terminal", stdin=secondary)
        finally:
            os.close(primary)
            os.close(secondary)

    def test_source_and_target_are_not_one_file(self):
        (name,) = self.compressed("gz")
        self.refuses("convert", "-O", "raw", name, name, code=2, says="source")
        with open(name, "rb") as file:
            self.refuses("convert", "-O", "raw", "-", name, code=2, says="source", stdin=file)

    def test_too_much_memory_is_not_taken_unasked(self):
        self.run_program("sh", "-c", "zstd -q --long=28 <a.raw >a.zst; xz -k --lzma2=dict=192MiB <a.raw >a.xz")
        for name in ("a.zst", "a.xz"):
            self.refuses("convert", name, "x.raw", code=19, says="--max-window")
            self.ours("convert", "--max-window", "256M", name, "x.raw")
            self.run_program("cmp", "a.raw", "x.raw")


if __name__ == "__main__":
    unittest.main()
