# SPDX-License-Identifier: GPL-3.0-or-later
# TIMEOUT: 180
"""`disklathe checksum`: the digests that sha256sum and xxh128sum print of a raw file that holds the same."""

import json
import os
import shlex
import subprocess
import unittest

from command import DISKLATHE, MIB, CommandTest

FORMATS = {
    "a.qcow2": ["-O", "qcow2"],
    "c.qcow2": ["-O", "qcow2", "-c"],
    "a.vmdk": ["-O", "vmdk"],
    "s.vmdk": ["-O", "vmdk", "-o", "subformat=streamOptimized"],
    "f.vmdk": ["-O", "vmdk", "-o", "subformat=twoGbMaxExtentFlat"],
    "a.vdi": ["-O", "vdi"],
    "a.vhd": ["-O", "vpc", "-o", "force_size=on"],
    "a.vhdx": ["-O", "vhdx"],
}


class ChecksumTest(CommandTest):
    needs = ("qemu-img", "qemu-io", "qemu-nbd", "sha256sum", "xxh128sum", "gzip", "bzip2", "xz", "zstd")

    def setUp(self):
        super().setUp()
        self.data("a.raw", (0, 70000), (3 * MIB, 300000), (9 * MIB - 777, 777), size=9 * MIB)

    def expected(self, raw):
        """[sha256, xxh128] as the programs print them"""
        return [self.run_program(program, raw).stdout.split()[0] for program in ("sha256sum", "xxh128sum")]

    def digests(self, *words, **keywords):
        """The same from ours, of one image; and that both kinds of output say them."""
        (found,) = json.loads(self.ours("checksum", "--output=json", *words, **keywords).stdout)
        return [found["sha256"], found["xxh128"]]

    def test_all_formats_hold_the_same(self):
        expected = self.expected("a.raw")
        self.assertEqual(self.digests("a.raw"), expected)
        for name, options in FORMATS.items():
            with self.subTest(name):
                self.qemu("convert", "-f", "raw", *options, "a.raw", name)
                self.assertEqual(self.digests(name), expected)
                self.assertEqual(self.digests("-T", "none", name), expected)

    def test_what_people_read(self):
        sha256, xxh128 = self.expected("a.raw")
        both = f"sha256 {sha256}  a.raw\nxxh128 {xxh128}  a.raw\n"
        self.assertEqual(self.ours("checksum", "-f", "raw", "a.raw").stdout, both)
        self.assertEqual(self.ours("checksum", "-f", "raw", "--digest=sha256", "a.raw").stdout, both.splitlines(True)[0])
        self.assertEqual(self.ours("checksum", "-f", "raw", "--digest", "xxh128", "a.raw").stdout,
                         both.splitlines(True)[1])

    def test_what_scripts_read(self):
        sha256, xxh128 = self.expected("a.raw")
        os.mkdir("b")
        self.data("b/\x1b]0;x.raw", size=0)
        done = self.ours("checksum", "-f", "raw", "--output=json", "a.raw", "b/\x1b]0;x.raw")
        first, second = json.loads(done.stdout)
        self.assertEqual(first, {"filename": "a.raw", "virtual-size": 9 * MIB, "sha256": sha256, "xxh128": xxh128})
        self.assertEqual(second["filename"], "b/\x1b]0;x.raw")
        self.assertEqual([second["sha256"], second["xxh128"]], self.expected("b/\x1b]0;x.raw"))
        self.assertNotIn("\x1b", self.ours("checksum", "-f", "raw", "b/\x1b]0;x.raw").stdout)

    def test_sizes_that_are_no_multiple_of_anything(self):
        for size in (0, 1, 511, 513, 65537, MIB - 1, 4 * MIB + 1):
            with self.subTest(size):
                self.data("odd.raw", (0, min(size, 5000)), size=size)
                self.assertEqual(self.digests("-f", "raw", "odd.raw"), self.expected("odd.raw"))
        # The rest of a backing file's last cluster is not the disk's.
        self.data("base.raw", (0, 3 * MIB), size=3 * MIB)
        self.qemu("create", "-f", "qcow2", "-b", "base.raw", "-F", "raw", "top.qcow2", str(2 * MIB + 512))
        self.qemu("convert", "-O", "raw", "top.qcow2", "top.raw")
        self.assertEqual(self.digests("top.qcow2"), self.expected("top.raw"))

    def test_a_snapshot_has_its_own(self):
        self.qemu("convert", "-O", "qcow2", "a.raw", "a.qcow2")
        self.qemu("snapshot", "-c", "before", "a.qcow2")
        self.run_program("qemu-io", "-c", "write -P 7 1M 64k", "a.qcow2")
        before = self.expected("a.raw")
        self.assertNotEqual(self.digests("a.qcow2"), before)
        self.assertEqual(self.digests("-l", "before", "a.qcow2"), before)
        self.assertEqual(self.digests("-l", "snapshot.name=before", "a.qcow2"), before)
        self.refuses("checksum", "-l", "other", "a.qcow2", code=11, says="'a.qcow2'")

    def test_streams_are_decoded(self):
        expected = self.expected("a.raw")
        for name, program in {"gz": "gzip", "bz2": "bzip2", "xz": "xz", "zst": "zstd -q"}.items():
            self.run_program("sh", "-c", f"{program} <a.raw >a.raw.{name}")
            with self.subTest(name):
                self.assertEqual(self.digests(f"a.raw.{name}"), expected)
                self.assertEqual(self.digests("-f", "raw", f"a.raw.{name}"), self.expected(f"a.raw.{name}"))
                with open(f"a.raw.{name}", "rb") as file:
                    self.assertEqual(self.digests("-", stdin=file), expected)
        piped = f"cat a.raw | {shlex.join([DISKLATHE, 'checksum', '--digest=sha256', '-'])}"
        self.assertEqual(self.run_program("sh", "-c", piped).stdout, f"sha256 {expected[0]}  -\n")
        self.refuses("checksum", "-l", "s", "a.raw.gz", code=2, says="a stream has none")

    def test_a_stream_that_is_damaged_or_no_disk_has_none(self):
        self.qemu("convert", "-O", "qcow2", "a.raw", "a.qcow2")
        self.run_program("sh", "-c", "gzip <a.qcow2 >q.gz; gzip <a.raw | head -c 5000 >cut.gz; "
                                     "xz --check=crc32 <a.raw >more.xz; (gzip <a.raw; echo rest) >rest.gz")
        self.refuses("checksum", "q.gz", code=18, says="qcow2")
        self.refuses("checksum", "cut.gz", code=17, says="'cut.gz'")
        done = self.ours("checksum", "--output=json", "rest.gz")
        self.assertIn("was left out", done.stderr)
        self.assertEqual(json.loads(done.stdout)[0]["sha256"], self.expected("a.raw")[0])

    def test_an_export_is_read_as_an_image_is(self):
        self.qemu("convert", "-O", "qcow2", "a.raw", "a.qcow2")
        with subprocess.Popen(["qemu-nbd", "-r", "-f", "qcow2", "-k", f"{self.folder}/socket", "-t", "a.qcow2"]) as server:
            try:
                while not os.path.exists("socket"):
                    self.assertIsNone(server.poll())
                uri = f"nbd+unix:///?socket={self.folder}/socket"
                self.assertEqual(self.digests("-f", "raw", uri), self.expected("a.raw"))
            finally:
                server.terminate()

    def test_one_that_fails_does_not_stop_the_others(self):
        with open("bad.qcow2", "wb") as file:
            file.write(b"QFI\xfb" + b"\xff" * 1000)
        done = self.ours("checksum", "-f", "raw", "a.raw", "missing", "a.raw", code=11)
        self.assertEqual(len(done.stdout.splitlines()), 4)
        self.assertIn("'missing'", done.stderr)
        self.assertEqual(len(json.loads(self.ours("checksum", "-f", "raw", "--output=json", "missing", "a.raw",
                                                  code=11).stdout)), 1)
        self.assertNotEqual(self.run_anyway("checksum", "bad.qcow2"), 0)
        self.refuses("checksum", "-f", "nonsense", "a.raw", code=2, says="'nonsense'")
        self.refuses("checksum", code=2, says="one image or more")
        self.refuses("checksum", "--digest=md5", "a.raw", code=2, says="'md5'")

    def run_anyway(self, *words):
        return subprocess.run([DISKLATHE, *words], capture_output=True).returncode

    def test_a_file_that_the_image_names_is_opened_by_the_rule(self):
        os.mkdir("elsewhere")
        os.rename("a.raw", "elsewhere/base.raw")
        self.qemu("create", "-f", "qcow2", "-b", "elsewhere/../elsewhere/base.raw", "-F", "raw", "in.qcow2")
        self.assertEqual(self.digests("in.qcow2"), self.expected("elsewhere/base.raw"))
        self.qemu("create", "-f", "qcow2", "-b", "../elsewhere/base.raw", "-F", "raw", "elsewhere/out.qcow2")
        os.mkdir("sub")
        os.rename("elsewhere/out.qcow2", "sub/out.qcow2")
        self.refuses("checksum", "sub/out.qcow2", code=19, says="--backing allow")
        self.assertEqual(self.digests("--backing=allow", "sub/out.qcow2"), self.expected("elsewhere/base.raw"))

    def test_progress_ends_with_the_digests(self):
        lines = [json.loads(line) for line in self.ours("checksum", "--progress=json", "a.raw", "a.raw").stdout.splitlines()]
        results = [line["result"] for line in lines if "result" in line]
        self.assertEqual(len(results), 2)
        self.assertEqual([results[0]["sha256"], results[0]["xxh128"]], self.expected("a.raw"))
        self.assertEqual(lines[-1]["phase"], "done")
        self.assertEqual(lines[-1]["percent"], 100)

    def test_holes_cost_no_reading(self):
        with open("sparse.raw", "wb") as file:
            file.truncate(256 * MIB)
            file.seek(100 * MIB)
            file.write(b"x" * 5000)
        before = f"{DISKLATHE} checksum -f raw --digest=xxh128 sparse.raw"
        done = self.run_program("strace", "-f", "-qq", "-e", "trace=preadv,preadv2,pread64", "sh", "-c", before)
        read = sum(int(line.rsplit("= ", 1)[1]) for line in done.stderr.splitlines()
                   if "= " in line and line.rsplit("= ", 1)[1].isdigit())
        self.assertLess(read, MIB)


if __name__ == "__main__":
    unittest.main()
