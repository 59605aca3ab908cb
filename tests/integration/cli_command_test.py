# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds for every verb: help, exit codes, sentences, and output that a script can read."""

import json
import os
import pathlib
import pty
import re
import subprocess
import unittest

from command import DISKLATHE, MIB, CommandTest

VERBS = ("checksum", "compare", "convert", "create", "info", "map", "measure", "zero")


class CommandLineTest(CommandTest):
    def test_help_of_everything_fits_a_screen(self):
        for verb in ([], *([verb] for verb in VERBS)):
            with self.subTest(verb):
                lines = self.ours(*verb, "--help").stdout.splitlines()
                self.assertLessEqual(len(lines), 24)
                self.assertLessEqual(max(map(len, lines)), 90)

    def test_help_lists_the_verbs(self):
        text = self.ours("--help").stdout
        for verb in VERBS:
            self.assertIn(f"\n  {verb} ", text)

    def test_help_of_a_verb_can_be_asked_for_in_words(self):
        self.assertEqual(self.ours("help", "convert").stdout, self.ours("convert", "--help").stdout)
        self.refuses("help", "transmogrify", code=2, says="there is no verb 'transmogrify'")

    def test_version_is_one_line(self):
        self.assertRegex(self.ours("--version").stdout, r"^disklathe \d+\.\d+\.\d+\n$")

    def test_a_wrong_command_line_is_2(self):
        self.refuses(code=2, says="a verb is missing")
        self.refuses("transmogrify", code=2, says="there is no verb 'transmogrify'")
        for verb in VERBS:
            self.refuses(verb, "--bogus", code=2, says=f"disklathe {verb} --help")
        self.refuses("info", code=2, says="one image file")
        self.refuses("info", "a", "b", code=2, says="'b'")
        self.refuses("convert", "a", code=2, says="a source and a target")
        self.refuses("convert", "a", "b", "c", code=2, says="not joined")
        self.refuses("map", "--output=xml", "a", code=2, says="'xml'")
        self.refuses("map", "-s", "1Q", "a", code=2, says="'1Q'")
        self.refuses("measure", code=2, says="--size")
        self.refuses("create", "x.raw", "8E", code=2, says="'8E'")
        self.refuses("convert", "a", "", code=2, says="a name is empty")
        self.refuses("convert", "a", "-", code=2, says="./-")
        self.assertEqual(os.listdir(), [])

    def test_what_cannot_be_opened_has_its_own_code(self):
        self.refuses("info", "missing", code=11, says=("'missing'", "no such file"))
        self.refuses("info", ".", code=2, says="folder")
        self.data("a.raw", (0, 4096))
        self.refuses("info", "-f", "nonsense", "a.raw", code=2, says=("'nonsense'", "qcow2"))
        self.refuses("convert", "-f", "nonsense", "a.raw", "b", code=2, says=("'nonsense'", "qcow2"))
        self.refuses("info", "-f", "qcow2", "a.raw", code=17, says="'a.raw'")
        self.refuses("devices", "a.raw", code=11, says="no disk of that name")

    def test_a_snapshot_that_is_not_there_is_no_missing_file(self):
        self.qemu("create", "-q", "-f", "qcow2", "a.qcow2", "1M")
        done = self.refuses("convert", "-l", "monday", "a.qcow2", "b.raw", code=11, says='"monday"')
        self.assertNotIn("folder", done.stderr)

    @unittest.skipIf(os.geteuid() == 0 and not os.path.exists("/usr/bin/setpriv"), "root may do anything")
    def test_what_one_may_not_read_is_said(self):
        self.data("a.raw", (0, 4096))
        os.chmod("a.raw", 0)
        os.chmod(".", 0o755)
        drop = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        done = self.run_program(*drop, DISKLATHE, "info", "a.raw", code=12)
        self.assertIn("permission denied", done.stderr)

    def test_output_that_did_not_arrive_is_no_success(self):
        self.data("a.raw", (0, 4096))
        with open("/dev/full", "w") as full:
            done = subprocess.run([DISKLATHE, "info", "a.raw"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 10)
        self.assertIn("cannot write the output", done.stderr)

    def test_a_guessed_format_is_said_and_a_named_one_is_not(self):
        self.data("disk", (0, 4096))
        self.assertIn("warning: the format of 'disk' was guessed", self.ours("info", "disk").stderr)
        self.assertEqual(self.ours("info", "-f", "raw", "disk").stderr, "")
        self.ours("create", "-q", "-f", "qcow2", "guest.qcow2", "1M")
        os.rename("guest.qcow2", "guest.img")
        self.assertIn("is called .img but looks like qcow2", self.ours("info", "guest.img").stderr)

    def test_names_that_steer_terminals_are_shown_as_escapes(self):
        self.refuses("info", "a\x1b[2J\n", code=11, says=r"a\x1b[2J\x0a")

    def test_names_inside_images_steer_no_terminal_either(self):
        self.data("a\x1b[2J", (0, 4096), size=MIB)
        self.qemu("create", "-q", "-f", "qcow2", "-b", "a\x1b[2J", "-F", "raw", "a.qcow2")
        self.qemu("snapshot", "-c", "b\x1b[2J", "a.qcow2")
        for verb in ("info", "map"):
            shown = self.ours(verb, "a.qcow2").stdout
            self.assertIn(r"a\x1b[2J", shown)
            self.assertNotIn("\x1b", shown)
        self.assertIn(r"b\x1b[2J", self.ours("info", "a.qcow2").stdout)

    def test_quiet_silences_the_progress_line_but_not_its_objects(self):
        self.data("a.raw", (0, 4096))
        self.assertEqual(self.ours("convert", "-p", "-q", "a.raw", "b.raw").stdout, "")
        self.assertIn('"phase":"done"', self.ours("convert", "--progress=json", "-q", "a.raw", "b.raw").stdout)


class CompareTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.data("a.raw", (0, 100000), size=4 * MIB)
        self.qemu("convert", "-O", "qcow2", "a.raw", "a.qcow2")

    def both(self, *words, code):
        ours = self.ours("compare", *words, code=code)
        theirs = self.qemu("compare", *words, code=code)
        # qemu-img gives the sector, this program the byte.
        exact = re.sub(r"offset (\d+)", lambda m: f"offset {int(m[1]) // 512 * 512}", ours.stdout)
        self.assertEqual(exact, theirs.stdout)

    def test_same_and_different_end_as_with_qemu_img(self):
        self.both("a.raw", "a.qcow2", code=0)
        self.both("-q", "a.raw", "a.qcow2", code=0)
        with open("a.raw", "r+b") as file:
            file.seek(3 * MIB + 77)
            file.write(b"x")
        self.both("a.raw", "a.qcow2", code=1)
        self.both("-q", "a.raw", "a.qcow2", code=1)

    def test_sizes_count_only_when_strict_or_not_zero(self):
        os.truncate("a.raw", 5 * MIB)
        self.both("a.raw", "a.qcow2", code=0)
        self.both("-s", "a.raw", "a.qcow2", code=1)
        self.both("-s", "a.raw", "a.qcow2", code=1)
        with open("a.raw", "r+b") as file:
            file.seek(4 * MIB + 5000)
            file.write(b"x")
        self.both("a.qcow2", "a.raw", code=1)

    def test_strict_also_means_holding_the_same(self):
        self.both("-s", "a.raw", "a.qcow2", code=1)
        self.both("-s", "a.raw", "a.raw", code=0)
        self.qemu("convert", "-O", "qcow2", "a.raw", "b.qcow2")
        self.both("-s", "a.qcow2", "b.qcow2", code=0)
        subprocess.run(["qemu-io", "-c", "write -z 3M 64k", "b.qcow2"], check=True, stdout=subprocess.DEVNULL)
        for run in (self.ours, self.qemu):  # not at the same offset: qemu-img sees a difference in how runs are cut
            run("compare", "-s", "a.qcow2", "b.qcow2", code=1)
        self.both("a.qcow2", "b.qcow2", code=0)

    def test_formats_are_taken_at_their_word(self):
        self.both("-f", "raw", "-F", "raw", "a.raw", "a.qcow2", code=1)

    def test_what_cannot_be_opened_is_2(self):
        self.ours("compare", "a.raw", "missing", code=2)
        self.ours("compare", "-f", "qcow2", "a.raw", "a.qcow2", code=2)

    def test_what_cannot_be_mapped_is_3(self):
        with open("a.qcow2", "r+b") as file:
            file.seek(0x30000)  # the L2 table's place, see the next line
            table = int.from_bytes(self.l1_entry(), "big") & 0x00FFFFFFFFFFFE00
            file.seek(table)
            file.write((0x8000000000000000 | (1 << 50)).to_bytes(8, "big"))
        self.ours("compare", "a.raw", "a.qcow2", code=3)

    def l1_entry(self):
        with open("a.qcow2", "rb") as file:
            file.seek(40)
            file.seek(int.from_bytes(file.read(8), "big"))
            return file.read(8)


class CreateTest(CommandTest):
    def test_images_are_what_qemu_img_makes_of_the_same_words(self):
        for words in (["-f", "raw", "1.5M"], ["-f", "qcow2", "10G"], ["-f", "qcow2", "-o", "cluster_size=2M", "1T"],
                      ["-f", "qcow2", "-o", "compat=0.10", "5M"], ["-f", "qcow2", "-o", "extended_l2=on", "7M"],
                      ["-f", "qcow2", "-o", "lazy_refcounts=on,refcount_bits=8,compression_type=zstd", "1G"],
                      ["-f", "qcow2", "-o", "preallocation=metadata", "20M"],
                      ["-f", "qcow2", "-o", "size=3M"], ["-f", "raw", "-o", "preallocation=full", "1M"]):
            with self.subTest(words):
                size = [] if "size=3M" in words else words[-1:]
                options = words[:-1] if size else words
                self.ours("create", "-q", *options, "ours", *size)
                self.qemu("create", "-q", *options, "theirs", *size)
                self.assertEqual(self.info(words[1], "ours"), self.info(words[1], "theirs"))
                self.qemu("compare", "ours", "theirs")
                if words[1] == "qcow2":
                    self.qemu("check", "-q", "ours")

    def info(self, image_format, name):
        """Without names, and without where tables lie and so how large the file is: each program's own business."""
        info = json.loads(self.qemu("info", "--output=json", "-f", image_format, name).stdout)
        for key in ("children", "filename", "actual-size"):
            del info[key]
        return info

    def test_a_backing_file_gives_the_size_and_is_looked_at(self):
        self.data("base.raw", (0, 4096), size=3 * MIB)
        self.ours("create", "-q", "-f", "qcow2", "-b", "base.raw", "-F", "raw", "top.qcow2")
        self.qemu("compare", "-s", "base.raw", "top.qcow2")
        self.refuses("create", "-f", "qcow2", "-b", "missing", "-F", "raw", "x.qcow2", "1M", code=11, says="'missing'")
        self.ours("create", "-q", "-u", "-f", "qcow2", "-b", "missing", "-F", "raw", "y.qcow2", "1M")
        self.refuses("create", "-f", "qcow2", "-b", "base.raw", "x.qcow2", code=2, says="-F")
        self.assertFalse(os.path.exists("x.qcow2"))

    def test_a_backing_file_is_looked_for_beside_the_image(self):
        os.mkdir("below")
        self.data("below/base.raw", (0, 4096), size=MIB)
        self.ours("create", "-q", "-f", "qcow2", "-b", "base.raw", "-F", "raw", "below/top.qcow2")
        self.qemu("compare", "-s", "below/base.raw", "below/top.qcow2")

    def test_a_wrong_option_leaves_the_old_file_alone(self):
        self.data("old.qcow2", (0, 4096))
        before = pathlib.Path("old.qcow2").read_bytes()
        for words in (["-o", "colour=red"], ["-o", "cluster_size=1000"], ["-o", "lazy_refcounts=maybe"]):
            self.refuses("create", "-f", "qcow2", *words, "old.qcow2", "1M", code=2, says="")
        self.assertEqual(pathlib.Path("old.qcow2").read_bytes(), before)
        self.assertEqual(os.listdir(), ["old.qcow2"])

    def test_option_lists_are_shown_without_a_file(self):
        for verb in ("create", "measure", "convert"):
            letter = "-f" if verb == "create" else "-O"
            self.assertIn("cluster_size", self.ours(verb, letter, "qcow2", "-o", "help").stdout)

    def test_the_name_decides_what_it_becomes_and_that_is_said(self):
        self.assertIn("will be qcow2", self.ours("create", "a.qcow2", "1M").stderr)
        self.assertEqual(self.ours("create", "-q", "b.qcow2", "1M").stderr, "")
        self.assertIn("its name says qcow2", self.ours("create", "-f", "raw", "c.qcow2", "1M").stderr)


class LockTest(CommandTest):
    def test_what_a_virtual_machine_writes_to_is_left_alone_unless_shared(self):
        self.qemu("create", "-q", "-f", "qcow2", "a.qcow2", "1M")
        machine = subprocess.Popen(["qemu-io", "-f", "qcow2", "a.qcow2"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
        try:
            machine.stdin.write("write 0 64k\n")
            machine.stdin.flush()
            machine.stdout.readline()
            self.refuses("info", "a.qcow2", code=13, says=("'a.qcow2'", "-U"))
            self.ours("info", "-U", "a.qcow2")
        finally:
            machine.stdin.close()
            machine.wait()
            machine.stdout.close()
        self.ours("info", "a.qcow2")


class ChainTest(CommandTest):
    def setUp(self):
        super().setUp()
        os.mkdir("images")
        os.mkdir("images/below")
        os.mkdir("elsewhere")
        self.data("elsewhere/base.raw", (0, 4096), size=MIB)
        self.data("images/below/base.raw", (0, 4096), size=MIB)
        for name, backing in (("out", "../elsewhere/base.raw"), ("in", "below/base.raw"), ("gone", "missing.raw")):
            self.qemu("create", "-q", "-u", "-f", "qcow2", "-b", backing, "-F", "raw", f"images/{name}.qcow2", "1M")

    def test_a_backing_file_outside_the_folder_is_refused_and_the_way_is_told(self):
        for verb in ("map", "measure"):
            self.refuses(verb, "images/out.qcow2", code=19, says=("elsewhere/base.raw", "--backing allow"))
            self.ours(verb, "--backing", "allow", "images/out.qcow2")
        self.assertEqual(self.ours("info", "--backing-chain", "images/out.qcow2", code=19).stderr.count("--backing"), 1)

    def test_a_link_out_of_the_folder_leads_outside(self):
        os.symlink("../../elsewhere/base.raw", "images/below/link.raw")
        self.qemu("create", "-q", "-u", "-f", "qcow2", "-b", "below/link.raw", "-F", "raw", "images/sly.qcow2", "1M")
        self.refuses("map", "images/sly.qcow2", code=19, says="--backing allow")

    def test_one_below_the_folder_is_opened_unless_denied(self):
        self.ours("map", "images/in.qcow2")
        self.refuses("map", "--backing=deny", "images/in.qcow2", code=19, says="--backing deny")

    def test_one_named_on_the_command_line_is_opened(self):
        self.ours("compare", "images/out.qcow2", "elsewhere/base.raw")

    def test_without_a_terminal_a_question_is_a_no(self):
        self.refuses("map", "--backing=ask", "images/out.qcow2", code=19, says="--backing", stdin=subprocess.DEVNULL)

    def test_with_a_terminal_the_answer_counts(self):
        for answer, code in ((b"y\n", 0), (b"n\n", 19)):
            mine, theirs = pty.openpty()
            program = subprocess.Popen([DISKLATHE, "map", "--backing=ask", "images/out.qcow2"], stdin=theirs,
                                       stderr=theirs, stdout=subprocess.DEVNULL)
            os.close(theirs)
            asked = b""
            while b"[y/N]" not in asked:
                asked += os.read(mine, 1000)
            os.write(mine, answer)
            self.assertEqual(program.wait(10), code)
            os.close(mine)

    def test_one_that_is_missing_is_named(self):
        self.refuses("map", "images/gone.qcow2", code=11, says="images/missing.raw")
        os.chdir("images")
        self.refuses("map", "gone.qcow2", code=11, says="'missing.raw'")

    def test_info_does_not_open_what_an_image_names(self):
        self.ours("info", "images/gone.qcow2")
        self.ours("info", "images/out.qcow2")

    def test_a_chain_that_bites_its_tail_is_damage(self):
        self.qemu("create", "-q", "-u", "-f", "qcow2", "-b", "b.qcow2", "-F", "qcow2", "a.qcow2", "1M")
        self.qemu("create", "-q", "-u", "-f", "qcow2", "-b", "a.qcow2", "-F", "qcow2", "b.qcow2", "1M")
        self.ours("info", "-b", "a.qcow2", code=17)
        self.ours("map", "a.qcow2", code=17)

    def test_an_external_data_file_is_opened_only_when_allowed(self):
        self.qemu("create", "-q", "-f", "qcow2", "-o", "data_file=data.bin", "x.qcow2", "1M")
        self.refuses("map", "x.qcow2", code=19, says=("data.bin", "--data-file allow"))
        self.ours("map", "--data-file=allow", "x.qcow2")
        self.ours("info", "x.qcow2")


if __name__ == "__main__":
    unittest.main()
