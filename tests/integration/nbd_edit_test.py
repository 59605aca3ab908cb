# SPDX-License-Identifier: GPL-3.0-or-later
# TIMEOUT: 180
"""disklathe serve --rw of qcow2 images, and --cow of any: what clients write is there, and nothing else is."""

import contextlib
import json
import os
import random
import shutil
import subprocess
import tempfile
import unittest

from command import DISKLATHE, MIB, CommandTest
from nbd_client import *
from nbd_scribble import Killed, scribble_together
from programs import SANITIZED
from zero_test import identity, loop_device


@contextlib.contextmanager
def working_in(base):
    """A folder there, which is the working directory meanwhile."""
    before, folder = os.getcwd(), tempfile.mkdtemp(prefix="disklathe-test-", dir=base)
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
        shutil.rmtree(folder)


class EditTest(CommandTest):
    needs = ("qemu-img", "qemu-io", "nbdcopy")

    def content(self, path):
        with open(path, "rb") as file:
            return file.read()

    def image(self, options="", size=16 * MIB, backing=True, snapshot=True):
        """An image with data, zeroes and holes; its guest's disk is returned."""
        more = ["-o", options] if options else []
        if backing:
            self.data("base.raw", (0, 3 * MIB), (5 * MIB, 2 * MIB + 77), size=size - MIB)
            more += ["-b", "base.raw", "-F", "raw"]
        self.qemu("create", "-q", "-f", "qcow2", *more, "a.qcow2", str(size))
        self.run_program("qemu-io", "-f", "qcow2", "-c", "write -P 1 1M 700k", "-c", "write -z 4M 300k", "-c",
                         "write -P 2 9M 64k", "a.qcow2")
        if snapshot:
            self.qemu("snapshot", "-c", "one", "a.qcow2")
            self.run_program("qemu-io", "-f", "qcow2", "-c", "write -P 3 1M 100k", "a.qcow2")
            self.qemu("convert", "-l", "one", "-O", "raw", "a.qcow2", "one.raw")
        self.qemu("convert", "-O", "raw", "a.qcow2", "before.raw")
        return bytearray(self.content("before.raw"))

    def holds(self, model, image="a.qcow2", leaks=False):
        done = subprocess.run(["qemu-img", "check", image], capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 3) if leaks else (0,), done.stdout + done.stderr)
        self.qemu("convert", "-O", "raw", image, "after.raw")
        self.assertTrue(self.content("after.raw") == bytes(model))
        if os.path.exists("one.raw"):
            self.qemu("convert", "-l", "one", "-O", "raw", image, "one.after.raw")
            self.assertTrue(self.content("one.after.raw") == self.content("one.raw"))


class Written(EditTest):
    def test_several_clients_at_once(self):
        for options, backing, snapshot in (("", True, True), ("cluster_size=4k", False, True), ("compat=0.10", True, True),
                                           ("extended_l2=on", True, False)):
            for cache in ("auto", "none"):
                folder = "/var/tmp" if cache == "none" else self.folder
                with self.subTest(options=options, cache=cache), working_in(folder):
                    model = self.image(options, backing=backing, snapshot=snapshot)
                    with serving("--rw", "-t", cache, "a.qcow2") as (_, uri):
                        self.assertEqual(scribble_together(uri, model, clients=4, rounds=60), [])
                    self.holds(model)

    def test_tools_copy_into_it(self):
        self.data("source.raw", (0, 70000), (3 * MIB, 200000), (6 * MIB, MIB + 5), size=10 * MIB)
        source = self.content("source.raw")
        for copy in (["nbdcopy", "--flush", "source.raw", "{}"], ["nbdcopy", "--allocated", "source.raw", "{}"],
                     ["qemu-img", "convert", "-n", "-f", "raw", "-O", "raw", "source.raw", "{}"]):
            with self.subTest(copy=copy[:2]):
                model = self.image(size=10 * MIB)
                with serving("--rw", "a.qcow2") as (_, uri):
                    self.run_program(*(word.format(uri) for word in copy))
                model[:] = source
                self.holds(model)

    @unittest.skipUnless(shutil.which("fio"), "fio is not installed")
    def test_fio_finds_what_it_wrote(self):
        for options in ("cluster_size=4k", "extended_l2=on"):
            with self.subTest(options=options):
                self.image(options, size=32 * MIB)
                with serving("--rw", "a.qcow2") as (_, uri):
                    self.run_program("fio", "--name=job", "--ioengine=nbd", f"--uri={uri}", "--rw=randrw", "--bsrange=512-128k",
                                     "--bs_unaligned=1", "--size=31m", "--iodepth=16", "--verify=crc32c",
                                     "--verify_fatal=1", "--fsync=50", "--randseed=7")
                    self.run_program("qemu-img", "bench", "-q", "-w", "-f", "raw", "-c", "300", "-d", "32", "-s", "65536",
                                     "-S", "77824", "--flush-interval=40", uri)
                self.qemu("check", "-q", "a.qcow2")
                self.qemu("convert", "-l", "one", "-O", "raw", "a.qcow2", "one.after.raw")
                self.assertTrue(self.content("one.after.raw") == self.content("one.raw"))

    @unittest.skipIf(SANITIZED, "sanitizers take memory of their own")
    def test_memory_does_not_follow_the_disk(self):
        choose = random.Random(5)
        self.qemu("create", "-q", "-f", "qcow2", "big.qcow2", "4T")
        with serving("--rw", "big.qcow2") as (process, uri), Client(uri) as client:
            client.go(extended=True)
            for _ in range(3000):
                at = choose.randrange(1 << 30) * 4096
                self.assertEqual(client.call(WRITE, at, 4096, PAYLOAD, b"x" * 4096), 0)
            self.assertEqual(client.call(WRITE_ZEROES, 0, 4 << 40), 0)
            self.assertLess(memory_of(process)[0], 64 * MIB)
        self.qemu("check", "-q", "big.qcow2")

    def test_room_is_used_again_without_a_flush(self):
        self.qemu("create", "-q", "-f", "qcow2", "a.qcow2", "384M")
        with serving("--rw", "a.qcow2") as (_, uri), Client(uri) as client:
            client.go()
            for number in range(300):
                self.assertEqual(client.call(WRITE, 0, MIB, payload=b"x" * MIB), 0)
                self.assertEqual(client.call((TRIM, WRITE_ZEROES)[number % 2], 0, MIB), 0)
            self.assertLess(os.stat("a.qcow2").st_size, 100 * MIB)

    def test_each_command(self):
        model = self.image()
        with serving("--rw", "a.qcow2") as (_, uri), Client(uri) as client:
            client.go(extended=True, contexts=["base:allocation", "qemu:allocation-depth"])
            self.assertEqual(client.flags & (2 | 4 | 8 | 32 | 64 | 256 | 2048), 4 | 8 | 32 | 64 | 256 | 2048)
            for flags in (0, FUA):
                self.assertEqual(client.call(WRITE, 1000, 5, flags | PAYLOAD, b"hello"), 0)
                model[1000:1005] = b"hello"
                self.assertEqual(client.call(WRITE_ZEROES, 5 * MIB + 3, MIB, flags | FAST_ZERO), 0)
                self.assertEqual(client.call(WRITE_ZEROES, 7 * MIB, MIB, flags | NO_HOLE), 0)
                model[5 * MIB + 3:6 * MIB + 3] = model[7 * MIB:8 * MIB] = bytes(MIB)
                self.assertEqual(client.call(TRIM, 9 * MIB, MIB, flags), 0)
                model[9 * MIB:10 * MIB] = bytes(MIB)
                self.assertTrue(client.read(0, 16 * MIB) == bytes(model))
            self.assertEqual(client.call(WRITE_ZEROES, 7 * MIB, MIB, NO_HOLE | FAST_ZERO), ENOTSUP)
            status = client.status(7 * MIB, MIB)
            self.assertEqual(status["base:allocation"], [(MIB, 0)])
            self.assertEqual(status["qemu:allocation-depth"], [(MIB, 1)])
            self.assertEqual(client.status(9 * MIB, MIB)["base:allocation"], [(MIB, 3)])
            self.assertEqual(client.call(WRITE, 16 * MIB - 2, 3, PAYLOAD, b"xxx"), ENOSPC)
        self.holds(model)

    def test_a_part_of_it(self):
        model = self.image()
        with serving("--rw", "--offset", "1M", "--length", "2M", "a.qcow2") as (_, uri), Client(uri) as client:
            client.go()
            self.assertEqual(client.call(WRITE, 100, 4, 0, b"part"), 0)
            self.assertEqual(client.read(0, 2 * MIB)[:104], bytes(model[MIB:MIB + 100]) + b"part")
        model[MIB + 100:MIB + 104] = b"part"
        self.holds(model)

    def test_data_files(self):
        for raw in ("off", "on"):
            with self.subTest(raw=raw):
                self.qemu("create", "-q", "-f", "qcow2", "-o", f"data_file=d.raw,data_file_raw={raw}", "d.qcow2", "16M")
                self.refuses("serve", "--rw", "d.qcow2", code=19, says="--data-file allow")
                model = bytearray(16 * MIB)
                with serving("--rw", "--data-file", "allow", "d.qcow2") as (_, uri):
                    self.assertEqual(scribble_together(uri, model, clients=3, rounds=40), [])
                self.holds(model, "d.qcow2")
                if raw == "on":
                    self.assertTrue(self.content("d.raw") == bytes(model))

    def test_what_is_not_written_to_is_named(self):
        self.image()
        secret = ["--object", "secret,id=s,data=x", "-o", "encrypt.format=luks,encrypt.key-secret=s,encrypt.iter-time=10"]
        self.qemu("create", "-q", "-f", "qcow2", *secret, "e.qcow2", "4M")
        self.refuses("serve", "--rw", "e.qcow2", code=18, says=("e.qcow2", "encrypted"))
        self.refuses("serve", "--rw", "-l", "one", "a.qcow2", code=19, says="snapshot")
        self.refuses("serve", "--rw", "--cow", "a.qcow2", code=2, says="--cow")
        with open("a.qcow2", "r+b") as file:
            file.seek(72)
            file.write((2).to_bytes(8, "big"))
        self.refuses("serve", "--rw", "a.qcow2", code=19, says=("a.qcow2", "marked as corrupt"))
        self.qemu("create", "-q", "-f", "vmdk", "a.vmdk", "4M")
        self.refuses("serve", "--rw", "a.vmdk", code=18, says="written in place")

    def test_it_is_ours_alone_while_it_is_served(self):
        model = self.image()
        with serving("--rw", "a.qcow2") as (_, _uri):
            self.refuses("serve", "--rw", "a.qcow2", code=13, says="a.qcow2")
            self.refuses("convert", "a.qcow2", "b.raw", code=13, says="a.qcow2")
            done = subprocess.run(["qemu-io", "-f", "qcow2", "-c", "write 0 1", "a.qcow2"], capture_output=True, text=True)
            self.assertIn("lock", done.stderr)
        self.holds(model)

    def test_bitmaps_are_told_of(self):
        model = self.image(snapshot=False)
        self.qemu("bitmap", "--add", "a.qcow2", "daily")
        process = subprocess.Popen([DISKLATHE, "serve", "--rw", "a.qcow2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        uri = process.stdout.readline().strip()
        with Client(uri) as client:
            client.go()
            self.assertEqual(client.call(WRITE, 0, 3, 0, b"abc"), 0)
        process.terminate()
        self.assertIn("'daily'", process.communicate()[1])
        model[:3] = b"abc"
        self.holds(model, leaks=True)  # the bitmap's clusters


    def test_a_device_that_holds_one(self):
        model = self.image(backing=False)
        with working_in("/var/tmp"):
            size = os.stat(self.folder + "/a.qcow2").st_size
            shutil.copy(self.folder + "/a.qcow2", "disk")
            os.truncate("disk", size + 12 * MIB)
            with loop_device(os.path.abspath("disk"), 512) as node:
                with serving("--rw", "-f", "qcow2", "--yes-erase", identity(node), node) as (_, uri):
                    self.assertEqual(scribble_together(uri, model, clients=3, rounds=40), [])
                self.holds(model, node)
                # It cannot grow. What fits is kept, and space that is given up can be used again.
                with serving("--rw", "-f", "qcow2", "--yes-erase", identity(node), node) as (_, uri), Client(uri) as client:
                    client.go()
                    errors = {client.call(WRITE, at, MIB, 0, b"f" * MIB) for at in range(0, 16 * MIB, MIB)}
                    self.assertIn(errors, ({0, ENOSPC}, {0}))
                    for command in (TRIM, FLUSH, FLUSH):
                        self.assertEqual(client.call(command, 0, 16 * MIB if command == TRIM else 0), 0)
                    self.assertEqual(client.call(WRITE, MIB, MIB, 0, b"g" * MIB), 0)
                self.holds(bytes(MIB) + b"g" * MIB + bytes(14 * MIB), node)

    def test_a_full_file_system_is_no_space(self):
        if os.geteuid() != 0:
            self.skipTest("mounting a small tmpfs needs root")
        os.mkdir("small")
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4M", "tmpfs", "small"], capture_output=True)
        if mounted.returncode:
            self.skipTest(f"no tmpfs can be mounted here: {mounted.stderr}")
        try:
            self.qemu("create", "-q", "-f", "qcow2", "small/a.qcow2", "16M")
            with serving("--rw", "small/a.qcow2") as (_, uri), Client(uri) as client:
                client.go()
                self.assertEqual(client.call(WRITE, 0, 2 * MIB, 0, b"x" * 2 * MIB), 0)
                self.assertEqual(client.call(WRITE, 4 * MIB, 8 * MIB, 0, b"y" * 8 * MIB), ENOSPC)
                self.assertEqual(client.call(TRIM, 4 * MIB, 8 * MIB), 0)
                self.assertEqual(client.call(FLUSH), 0)
                self.assertEqual(client.call(WRITE, 6 * MIB, MIB, 0, b"z" * MIB), 0)
                self.assertTrue(client.read(0, 2 * MIB) == b"x" * 2 * MIB)
            model = bytearray(16 * MIB)
            model[:2 * MIB], model[6 * MIB:7 * MIB] = b"x" * 2 * MIB, b"z" * MIB
            self.holds(model, "small/a.qcow2")
        finally:
            subprocess.run(["umount", "small"], check=True)


class Durable(EditTest):
    def test_what_was_flushed_survives_kill(self):
        for attempt in range(4):
            with self.subTest(attempt=attempt):
                options = ("", "cluster_size=4k", "extended_l2=on", "compat=0.10")[attempt]
                model = self.image(options)
                killed = Killed("a.qcow2", model, clients=3, seed=attempt)
                killed.run(after=0.2 + 0.15 * attempt)
                self.assertGreater(killed.flushes, 0)
                check = subprocess.run(["qemu-img", "check", "a.qcow2"], capture_output=True, text=True)
                self.assertIn(check.returncode, (0, 3), check.stdout + check.stderr)
                self.qemu("convert", "-O", "raw", "a.qcow2", "after.raw")
                self.assertEqual(killed.wrong(self.content("after.raw")), [])


class Bitmaps(EditTest):
    needs = ("qemu-img", "qemu-io", "qemu-nbd", "nbdinfo")

    def test_they_are_told_as_qemu_tells_them(self):
        for options in ("cluster_size=64k", "cluster_size=512"):
            with self.subTest(options=options):
                self.qemu("create", "-q", "-f", "qcow2", "-o", options, "b.qcow2", "64M")
                self.qemu("bitmap", "--add", "--enable", "b.qcow2", "fine", "-g", "512")
                self.run_program("qemu-io", "-f", "qcow2", "-c", "write 5M 9M", "-c", "write 1k 512", "b.qcow2")
                self.qemu("bitmap", "--add", "--enable", "b.qcow2", "coarse", "-g", "1M")
                self.run_program("qemu-io", "-f", "qcow2", "-c", "write 40M 5k", "-c", "write 63M 1M", "b.qcow2")
                with serving("b.qcow2") as (_, uri):
                    listed = self.run_program("nbdinfo", "--json", uri).stdout
                    for name in ("fine", "coarse"):
                        context = "qemu:dirty-bitmap:" + name
                        self.assertIn(context, listed)
                        ours = self.run_program("nbdinfo", "--map=" + context, "--json", uri).stdout
                        self.qemu_nbd = ["qemu-nbd", "-r", "-f", "qcow2", "-B", name, "-k", self.folder + "/q", "b.qcow2"]
                        theirs = self.map_by_qemu(context)
                        self.assertEqual(self.merged(ours), self.merged(theirs))
                with serving("--rw", "b.qcow2") as (_, uri):
                    self.assertNotIn("dirty-bitmap", self.run_program("nbdinfo", "--json", uri).stdout)

    def map_by_qemu(self, context):
        server = subprocess.Popen(self.qemu_nbd)
        try:
            wait_until(lambda: os.path.exists("q"))
            return self.run_program("nbdinfo", "--map=" + context, "--json", f"nbd+unix:///?socket={self.folder}/q").stdout
        finally:
            server.terminate()
            server.wait()

    @staticmethod
    def merged(text):
        runs = []
        for entry in json.loads(text):
            if runs and runs[-1][2] == entry["type"]:
                runs[-1][1] += entry["length"]
            else:
                runs.append([entry["offset"], entry["length"], entry["type"]])
        return runs


class Layered(EditTest):
    def test_the_image_stays_what_it_is_whatever_its_format(self):
        self.data("source.raw", (0, 70000), (3 * MIB, 200000), (6 * MIB, MIB), size=9 * MIB)
        for name in ("raw", "qcow2", "vmdk", "vdi", "vhdx"):
            with self.subTest(format=name):
                self.qemu("convert", "-O", name, "source.raw", "image")
                before, model = self.content("image"), bytearray(self.content("source.raw"))
                with serving("--cow", "-f", name, "image") as (_, uri):
                    self.assertEqual(scribble_together(uri, model, clients=3, rounds=40), [])
                    with Client(uri) as client:
                        client.go()
                        self.assertTrue(client.read(0, 9 * MIB) == bytes(model))
                self.assertTrue(self.content("image") == before)

    def test_also_of_a_snapshot(self):
        self.image()
        model = bytearray(self.content("one.raw"))
        with serving("--cow", "-l", "one", "a.qcow2") as (_, uri):
            self.assertEqual(scribble_together(uri, model, clients=2, rounds=30), [])

    def test_it_says_where_the_layer_lies_and_leaves_nothing(self):
        self.data("a.raw", (0, MIB), size=4 * MIB)
        os.mkdir("here")
        done = self.ours("serve", "--cow", "-f", "raw", "--run", "nbdcopy --flush a.raw $uri; find here -type f", "a.raw",
                         env={**os.environ, "TMPDIR": "here"})
        self.assertIn("'here' (up to 4 MiB", done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(os.listdir("here"), [])


if __name__ == "__main__":
    unittest.main()
