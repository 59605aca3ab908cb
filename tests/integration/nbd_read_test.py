# SPDX-License-Identifier: GPL-3.0-or-later
"""disklathe serve to read: what clients of all sorts are told and get is what the image holds."""

import json
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import unittest

from command import MIB, CommandTest
from nbd_client import *


class ReadTest(CommandTest):
    needs = ("qemu-img", "qemu-io", "nbdinfo", "nbdcopy")

    def content(self, path):
        with open(path, "rb") as file:
            return file.read()

    def sample(self):
        """A sparse raw image, and the same as qcow2 of several sorts."""
        self.data("a.raw", (0, 70000), (3 * MIB, 200000), (6 * MIB, MIB + 5), size=9 * MIB)
        for name, options in {"a.qcow2": [], "c.qcow2": ["-c"], "p.qcow2": ["-o", "preallocation=metadata"]}.items():
            self.qemu("convert", "-O", "qcow2", *options, "a.raw", name)
        self.qemu("create", "-q", "-f", "qcow2", "-b", "a.qcow2", "-F", "qcow2", "top.qcow2")
        self.run_program("qemu-io", "-c", "write -P 9 1M 300k", "-c", "write -z 3M 64k", "top.qcow2")
        return ("a.raw", "a.qcow2", "c.qcow2", "p.qcow2", "top.qcow2")


class Interoperation(ReadTest):
    def test_every_client_reads_every_image(self):
        for image in self.sample():
            self.qemu("convert", "-O", "raw", image, "expected")
            for place in ((), ("--tcp", "0")):
                with self.subTest(image=image, place=place), serving("-f", image.split(".")[1], *place, image) as (_, uri):
                    info = json.loads(self.run_program("nbdinfo", "--json", uri).stdout)
                    export = info["exports"][0]
                    self.assertEqual((info["protocol"], export["export-size"], export["is_read_only"]),
                                     ("newstyle-fixed", 9 * MIB, True))
                    self.assertEqual((export["block_size_minimum"], export["block_size_preferred"], export["block_size_maximum"]),
                                     (1, 4096, 32 * MIB))
                    self.assertTrue(export["can_multi_conn"] and export["can_df"] and export["can_cache"])
                    self.run_program("nbdcopy", uri, "copied")
                    self.same_bytes("copied", "expected")
                    self.run_program("nbdcopy", "--no-extents", uri, "copied")
                    self.same_bytes("copied", "expected")
                    self.qemu("convert", "-f", "raw", "-O", "raw", uri, "converted")
                    self.same_bytes("converted", "expected")
                    self.qemu("compare", "-f", "raw", "-F", "raw", uri, "expected")

    def same_bytes(self, a, b):
        self.assertTrue(self.content(a) == self.content(b), f"{a} and {b} differ")

    def test_the_map_knows_all_zeroes_that_qemu_knows(self):
        for image in self.sample():
            self.qemu("convert", "-O", "raw", image, "expected")
            content = self.content("expected")
            with self.subTest(image=image), serving("-f", image.split(".")[1], image) as (_, uri):
                told = self.zero_ranges(json.loads(self.run_program("nbdinfo", "--map", "--json", uri).stdout))
                for start, end in told:
                    self.assertFalse(any(content[start:end]), f"[{start}, {end}) is not zero")
                for start, end in self.zero_ranges(self.qemu_nbd_map(image)):
                    self.assertTrue(any(a <= start and end <= b for a, b in told), f"[{start}, {end}) of {told}")

    def qemu_nbd_map(self, image):
        path = os.path.abspath("qemu.sock")
        server = subprocess.Popen(["qemu-nbd", "-r", "-f", image.split(".")[1], "-k", path, image])
        try:
            wait_until(lambda: os.path.exists(path))
            return json.loads(self.run_program("nbdinfo", "--map", "--json", f"nbd+unix:///?socket={path}").stdout)
        finally:
            server.wait(10)

    @staticmethod
    def zero_ranges(entries):
        """[start, end) of what is told to read as zero, put together; servers may cut it as they like."""
        found = []
        for entry in entries:
            if not entry["type"] & 2:
                continue
            start, end = entry["offset"], entry["offset"] + entry["length"]
            if found and found[-1][1] == start:
                start = found.pop()[0]
            found.append((start, end))
        return found

    def test_lists_and_serves_several_exports(self):
        self.sample()
        with serving("--export", "raw one=a.raw", "--export", "two=top.qcow2") as (process, uri):
            self.assertIn("raw%20one", uri)
            listed = json.loads(self.run_program("nbdinfo", "--list", "--json", uri).stdout)
            self.assertEqual([entry["export-name"] for entry in listed["exports"]], ["raw one", "two"])
            self.run_program("nbdcopy", uri, "copied")
            self.same_bytes("copied", "a.raw")
            with Client(uri) as client, self.assertRaises(Refused) as refused:
                client.go("")
            self.assertEqual(refused.exception.reply, UNKNOWN)

    def test_a_part_of_a_disk_and_a_snapshot(self):
        self.sample()
        with serving("--offset", "3M", "--length", "100001", "-f", "raw", "a.raw") as (_, uri):
            self.run_program("nbdcopy", uri, "copied")
            self.assertEqual(self.content("copied"), self.content("a.raw")[3 * MIB:3 * MIB + 100001])
        self.qemu("snapshot", "-c", "before", "a.qcow2")
        self.run_program("qemu-io", "-c", "write -P 3 0 2M", "a.qcow2")
        with serving("--snapshot", "before", "a.qcow2") as (_, uri):
            self.run_program("nbdcopy", uri, "copied")
            self.same_bytes("copied", "a.raw")
        self.refuses("serve", "--offset", "10M", "-f", "raw", "a.raw", code=2, says="do not lie inside")

    def test_one_partition(self):
        if not shutil.which("sfdisk"):
            self.skipTest("not installed: sfdisk")
        for label in ("gpt", "dos"):
            self.data("disk.raw", (2 * MIB, 3 * MIB), size=8 * MIB)
            self.run_program("sfdisk", "-q", "disk.raw", input=f"label: {label}\nstart=2048, size=2048\nstart=4096, size=6144\n")
            self.qemu("convert", "-O", "qcow2", "-f", "raw", "disk.raw", "disk.qcow2")
            with serving("--partition", "2", "disk.qcow2") as (_, uri):
                self.run_program("nbdcopy", uri, "copied")
                self.assertEqual(self.content("copied"), self.content("disk.raw")[2 * MIB:5 * MIB])
            self.refuses("serve", "--partition", "3", "disk.qcow2", code=11, says="no partition 3")
        self.refuses("serve", "--partition", "1", "--offset", "5", "disk.qcow2", code=2, says="excludes")

    def test_direct_io_and_odd_sizes(self):
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            path = os.path.join(folder, "odd.raw")
            self.data(path, (0, 300000), (5 * MIB, 2 * MIB + 777))
            with serving("-t", "none", "-f", "raw", path) as (_, uri):
                self.run_program("nbdcopy", uri, "copied")
                self.same_bytes("copied", path)
                self.random_reads(uri, self.content(path))
            self.qemu("convert", "-O", "qcow2", "-f", "raw", path, path + ".qcow2")
            self.qemu("convert", "-O", "raw", path + ".qcow2", "expected")
            with serving("-t", "none", path + ".qcow2") as (_, uri):
                self.run_program("nbdcopy", uri, "copied")
                self.same_bytes("copied", "expected")
                self.random_reads(uri, self.content("expected"))

    def test_random_reads_of_any_alignment(self):
        for image in self.sample():
            self.qemu("convert", "-O", "raw", image, "expected")
            for place in ((), ("--tcp", "0")):
                with self.subTest(image=image, place=place), serving("-f", image.split(".")[1], *place, image) as (_, uri):
                    self.random_reads(uri, self.content("expected"))

    def random_reads(self, uri, expected):
        """In every dialect, many in flight, in whatever order they are answered."""
        choose = random.Random(7)
        for form in ({}, {"structured": True}, {"extended": True}):
            with Client(uri) as client:
                client.go(**form)
                for _ in range(120):
                    offset = choose.randrange(len(expected))
                    length = min(choose.choice([1, 511, 4096, 16384, 70001, 300000, 3000000]), len(expected) - offset)
                    flags = DF if client.structured and choose.random() < 0.3 else 0
                    got = client.read(offset, length, flags)
                    self.assertTrue(got == expected[offset:offset + length], f"{form} {offset} {length} {flags}")
                    if flags:
                        self.assertLessEqual(len(client.chunks), 1)


class Ending(ReadTest):
    needs = ("nbdinfo", "nbdcopy")

    def test_run_hands_its_exit_code_on(self):
        self.data("a.raw", (0, 70000), size=MIB)
        done = self.ours("serve", "-f", "raw", "--run", 'nbdcopy "$uri" copied && exit 7', "a.raw", code=7)
        self.assertEqual((self.content("copied"), done.stdout), (self.content("a.raw"), ""))

    def test_run_is_ended_with_the_server(self):
        self.data("a.raw", (0, 70000), size=MIB)
        process = subprocess.Popen([DISKLATHE, "serve", "-f", "raw", "--run", "echo up; exec sleep 60", "a.raw"],
                                   stdout=subprocess.PIPE, text=True)
        self.assertEqual(process.stdout.readline(), "up\n")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(10), 128 + signal.SIGTERM)
        process.stdout.close()

    def test_once_ends_with_the_client(self):
        self.data("a.raw", (0, 70000), size=MIB)
        with serving("-f", "raw", "--once", "a.raw") as (process, uri):
            self.run_program("nbdinfo", "--list", uri)  # uses no export
            self.run_program("nbdcopy", uri, "copied")
            self.assertEqual(process.wait(10), 0)

    def test_its_socket_goes_with_it_and_is_not_stolen(self):
        self.data("a.raw", (0, 70000), size=MIB)
        with serving("-f", "raw", "--socket", "s", "--pid-file", "pid", "a.raw") as (process, _):
            self.assertEqual(os.stat("s").st_mode & 0o777, 0o600)
            self.assertEqual(int(self.content("pid")), process.pid)
            self.refuses("serve", "-f", "raw", "--socket", "s", "a.raw", code=13, says="in use")
        self.assertEqual((os.path.exists("s"), os.path.exists("pid")), (False, False))
        abandoned = socket.socket(socket.AF_UNIX)
        abandoned.bind("s")
        abandoned.close()
        with serving("-f", "raw", "--socket", "s", "a.raw"):
            pass
        open("file", "w").close()
        self.refuses("serve", "-f", "raw", "--socket", "file", "a.raw", code=13, says="file")
        self.assertTrue(os.path.exists("file"))

    def test_expires_and_sends_idle_clients_away(self):
        self.data("a.raw", (0, 70000), size=MIB)
        with serving("-f", "raw", "--expires", "1", "a.raw") as (process, _):
            self.assertEqual(process.wait(10), 0)
        with serving("-f", "raw", "--idle-timeout", "1", "a.raw") as (_, uri), Client(uri) as client:
            client.go()
            self.assertTrue(client.closed_by_server())

    def test_sockets_of_a_service_manager(self):
        self.data("a.raw", (0, 70000), size=MIB)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind("activated")
        listener.listen()
        script = 'exec 3<&"$1"; LISTEN_PID=$$ LISTEN_FDS=1 exec "$2" serve -f raw --once a.raw'
        process = subprocess.Popen(["bash", "-c", script, "bash", str(listener.fileno()), DISKLATHE],
                                   pass_fds=[listener.fileno()], stdout=subprocess.PIPE, text=True)
        self.assertIn("activated", process.stdout.readline())
        self.run_program("nbdcopy", "nbd+unix:///?socket=activated", "copied")
        self.assertEqual(process.wait(10), 0)
        process.stdout.close()
        listener.close()
        self.assertEqual(self.content("copied"), self.content("a.raw"))

    def test_only_files_that_were_allowed_by_name_are_opened(self):
        os.mkdir("elsewhere")
        for name in ("allowed", "other"):
            self.qemu("create", "-q", "-f", "qcow2", f"elsewhere/{name}.qcow2", "1M")
        self.qemu("create", "-q", "-f", "qcow2", "-F", "qcow2", "-b", "elsewhere/allowed.qcow2", "top.qcow2")
        words = ("--backing", "deny", "--allow-file", "elsewhere/allowed.qcow2")
        with serving(*words, "top.qcow2") as (_, uri):
            self.assertEqual(self.qemu("info", uri).returncode, 0)
        self.refuses("serve", "--backing", "deny", "top.qcow2", code=19, says="--backing deny was given")
        # What was allowed has come to name another file since.
        self.qemu("rebase", "-u", "-F", "qcow2", "-b", "other.qcow2", "elsewhere/allowed.qcow2")
        self.refuses("serve", *words, "top.qcow2", code=19, says="elsewhere/other.qcow2")

    def test_what_cannot_be_served_is_said(self):
        self.refuses("serve", "missing", code=11, says="missing")
        self.refuses("serve", code=2, says="an image is missing")
        self.refuses("serve", "--export", "a", code=2, says="NAME=IMAGE")
        self.refuses("serve", "--tcp", "x", "missing", code=11, says="missing")
        self.data("a.raw", (0, 70000), size=MIB)
        self.refuses("serve", "-f", "raw", "--tcp", "x", "a.raw", code=2, says="ADDRESS")


if __name__ == "__main__":
    unittest.main()
