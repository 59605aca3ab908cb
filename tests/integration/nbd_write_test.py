# SPDX-License-Identifier: GPL-3.0-or-later
# TIMEOUT: 120
"""disklathe serve --rw: what clients write is there, byte by byte, and nothing else is."""

import contextlib
import os
import random
import signal
import subprocess
import tempfile
import threading
import unittest

from command import DISKLATHE, MIB, CommandTest
from nbd_client import *
from zero_test import identity, loop_device


class WriteTest(CommandTest):
    needs = ()

    def content(self, path):
        with open(path, "rb") as file:
            return file.read()

    def blocks(self, path):
        return os.stat(path).st_blocks * 512

    def on_disk(self):
        """A folder on a file system that has direct I/O and unwritten extents."""
        folder = tempfile.TemporaryDirectory(dir="/var/tmp")
        self.addCleanup(folder.cleanup)
        return folder.name


class Files(WriteTest):
    needs = ("nbdcopy", "qemu-img", "qemu-io")

    def test_clients_copy_into_it(self):
        self.data("source.raw", (0, 70000), (3 * MIB, 200000), (6 * MIB, MIB + 5), size=9 * MIB)
        for copy in (["nbdcopy", "--flush", "source.raw", "{}"], ["nbdcopy", "--destination-is-zero", "source.raw", "{}"],
                     ["qemu-img", "convert", "-n", "-f", "raw", "-O", "raw", "source.raw", "{}"]):
            for folder in (".", self.on_disk()):
                for cache in ("auto", "none") if folder != "." else ("auto",):
                    with self.subTest(copy=copy[:2], folder=folder, cache=cache):
                        target = os.path.join(folder, "target.raw")
                        with open(target, "wb") as file:
                            file.write(b"" if "--destination-is-zero" in copy else b"\xff" * 9 * MIB)
                            file.truncate(9 * MIB)
                        with serving("--rw", "-f", "raw", "-t", cache, target) as (_, uri):
                            self.run_program(*(word.format(uri) for word in copy))
                        self.assertTrue(self.content(target) == self.content("source.raw"))
                        self.assertLess(self.blocks(target), 3 * MIB)

    def test_each_command(self):
        for folder in (".", self.on_disk()):
            path = os.path.join(folder, "a.raw")
            with open(path, "wb") as file:
                file.write(b"\x55" * 4 * MIB)
            with self.subTest(folder=folder), serving("--rw", "-f", "raw", path) as (_, uri):
                for form in ({}, {"structured": True}, {"extended": True}):
                    with Client(uri) as client:
                        client.go(**form)
                        self.assertEqual(client.flags & (2 | 4 | 8 | 32 | 64 | 2048), 4 | 8 | 32 | 64 | 2048)
                        payload = PAYLOAD if client.extended else 0
                        for flags in (0, FUA):
                            self.assertEqual(client.call(WRITE, 1000, 5, flags | payload, b"hello"), 0)
                            self.assertEqual(client.read(998, 9), b"\x55\x55hello\x55\x55")
                            self.assertEqual(client.call(WRITE_ZEROES, 1001, 3, flags), 0)
                            self.assertEqual(client.read(998, 9), b"\x55\x55h\0\0\0o\x55\x55")
                            self.assertEqual(client.call(WRITE_ZEROES, MIB, MIB, flags | NO_HOLE), 0)
                            self.assertEqual(client.read(MIB - 1, 2), b"\x55\0")
                            self.assertEqual(client.call(TRIM, 2 * MIB, MIB, flags), 0)
                            self.assertEqual(client.call(WRITE_ZEROES, 2 * MIB, MIB, flags | FAST_ZERO), 0)
                            self.assertEqual(client.read(2 * MIB, MIB), bytes(MIB))
                            self.assertEqual(client.call(FLUSH), 0)
                        for command in (WRITE, WRITE_ZEROES):
                            data = bytes(9) if command == WRITE else b""
                            flags = payload if command == WRITE else 0
                            self.assertEqual(client.call(command, 4 * MIB - 8, 9, flags, data), ENOSPC)
                        self.assertEqual(client.call(TRIM, 4 * MIB - 8, 9), EINVAL)
                        self.assertEqual(client.call(WRITE, 1000, 5, payload, b"\x55" * 5), 0)
            self.assertEqual(os.stat(path).st_size, 4 * MIB)
            # Zeroed without a hole, and with one.
            self.assertEqual(self.blocks(path), 3 * MIB)
            self.assertEqual(self.content(path), b"\x55" * MIB + bytes(2 * MIB) + b"\x55" * MIB)

    def test_block_status_follows_what_is_written(self):
        self.data("a.raw", (0, 5), size=8 * MIB)
        with serving("--rw", "-f", "raw", "a.raw") as (_, uri), Client(uri) as client, Client(uri) as other:
            client.go(structured=True, contexts=["base:allocation"])
            other.go()
            self.assertEqual(client.status(MIB, MIB)["base:allocation"], [(MIB, 3)])
            other.call(WRITE, MIB, MIB, 0, b"\x11" * MIB)
            self.assertEqual(client.status(MIB, MIB)["base:allocation"], [(MIB, 0)])
            self.assertEqual(client.read(MIB, MIB), b"\x11" * MIB)
            other.call(WRITE_ZEROES, MIB, MIB)
            self.assertEqual(client.status(MIB, MIB)["base:allocation"], [(MIB, 3)])

    def test_random_writes_of_several_clients_at_once(self):
        """Each client has its own stretches of the disk, interleaved with the others', and a model of what they hold."""
        for folder, cache in ((".", "auto"), (self.on_disk(), "auto"), (self.on_disk(), "none")):
            path = os.path.join(folder, "a.raw")
            seed = os.urandom(16 * MIB)
            with open(path, "wb") as file:
                file.write(seed)
            with self.subTest(folder=folder, cache=cache), serving("--rw", "-f", "raw", "-t", cache, path) as (_, uri):
                model, failures = bytearray(seed), []
                clients = [threading.Thread(target=self.scribble, args=(uri, number, model, failures)) for number in range(4)]
                for client in clients:
                    client.start()
                for client in clients:
                    client.join()
                self.assertEqual(failures, [])
            self.assertTrue(self.content(path) == bytes(model))

    def scribble(self, uri, number, model, failures):
        choose = random.Random(number)
        form = ({}, {"structured": True}, {"extended": True}, {"structured": True})[number]
        try:
            with Client(uri) as client:
                client.go(**form)
                for _ in range(150):
                    stretch = choose.randrange(16) * MIB + number * (MIB // 4)
                    start = choose.choice([0, 512, 4096, choose.randrange(MIB // 4 - 1)])
                    length = min(choose.choice([1, 512, 4096, 65536, 100001]), MIB // 4 - start)
                    at = stretch + start
                    if choose.random() < 0.7:
                        data = choose.randbytes(length)
                        flags = (PAYLOAD if client.extended else 0) | choose.choice([0, 0, 0, FUA])
                        error = client.call(WRITE, at, length, flags, data)
                    else:
                        data = bytes(length)
                        error = client.call(WRITE_ZEROES, at, length, choose.choice([0, NO_HOLE]))
                    model[at:at + length] = data
                    read = client.read(at, length)
                    if error or read != data:
                        failures.append((number, at, length, error))
                        return
        except Exception as error:  # pylint: disable=broad-except
            failures.append((number, repr(error)))

    def test_what_was_flushed_survives_kill(self):
        for attempt in range(5):
            path = os.path.join(self.on_disk(), "a.raw")
            with open(path, "wb") as file:
                file.truncate(16 * MIB)
            process = subprocess.Popen([DISKLATHE, "serve", "--rw", "-f", "raw", path], stdout=subprocess.PIPE, text=True)
            uri = process.stdout.readline().strip()
            flushed, stop = [], threading.Event()

            def write(client_number):
                with contextlib.suppress(OSError, EOFError), Client(uri) as client:
                    client.go()
                    for number in range(client_number, 4096, 2):
                        data = struct.pack(">Q", number + 1) * 512
                        if client.call(WRITE, number * 4096, 4096, FUA if number % 3 else 0, data):
                            return
                        if number % 3 == 0 and client.call(FLUSH):
                            return
                        flushed.append(number)

            writers = [threading.Thread(target=write, args=(number,)) for number in range(2)]
            for writer in writers:
                writer.start()
            time.sleep(0.05 + 0.05 * attempt)
            process.kill()
            process.wait()
            process.stdout.close()
            for writer in writers:
                writer.join()
            self.assertGreater(len(flushed), 0)
            with open(path, "rb") as file:
                for number in flushed:
                    file.seek(number * 4096)
                    self.assertEqual(file.read(4096), struct.pack(">Q", number + 1) * 512)

    def test_direct_writes_that_overlap_fail_nobodys_flush(self):
        """Parts of pages go through the page cache, and whole ones past it."""
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            path = os.path.join(folder, "d.raw")
            with open(path, "wb") as file:
                file.truncate(8 * MIB)
            with serving("--rw", "-f", "raw", "-t", "none", path) as (_, uri), Client(uri) as client:
                client.go()
                for number in range(100):
                    for at in (0, 512):
                        client.request(WRITE, at, MIB, payload=bytes([number, at // 512]) * (MIB // 2))
                    client.receive(32)
                    self.assertEqual(client.call(FLUSH), 0, number)

    def test_only_what_is_asked_for_may_be_written(self):
        self.data("a.raw", (0, MIB), size=4 * MIB)
        self.data("noname", (0, MIB), size=4 * MIB)
        before = self.content("a.raw")
        self.refuses("serve", "--rw", "noname", code=19, says="-f")
        self.qemu("create", "-q", "-f", "vdi", "a.vdi", "4M")
        self.refuses("serve", "--rw", "a.vdi", code=18, says="written in place")
        with serving("--rw", "a.raw") as (_, uri):
            self.refuses("serve", "--rw", "a.raw", code=13, says="a.raw")
            self.refuses("serve", "a.raw", code=13, says="a.raw")
        with serving("--rw", "--offset", "1M", "--length", "1M", "a.raw") as (_, uri), Client(uri) as client:
            client.go()
            self.assertEqual(client.call(WRITE, MIB - 1, 2, 0, b"xx"), ENOSPC)
            self.assertEqual(client.call(WRITE_ZEROES, 0, 2 * MIB), ENOSPC)
            self.assertEqual(client.call(WRITE, MIB - 1, 1, 0, b"x"), 0)
        self.assertTrue(self.content("a.raw") == before[:2 * MIB - 1] + b"x" + before[2 * MIB:])

    def test_a_full_file_system_is_no_space(self):
        if os.geteuid() != 0:
            self.skipTest("mounting a small tmpfs needs root")
        os.mkdir("small")
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2M", "tmpfs", "small"], capture_output=True)
        if mounted.returncode:
            self.skipTest(f"no tmpfs can be mounted here: {mounted.stderr}")
        try:
            with open("small/a.raw", "wb") as file:
                file.truncate(8 * MIB)
            with serving("--rw", "small/a.raw") as (_, uri), Client(uri) as client:
                client.go()
                self.assertEqual(client.call(WRITE, 0, 4 * MIB, 0, b"x" * 4 * MIB), ENOSPC)
                self.assertEqual(client.call(WRITE_ZEROES, 0, 8 * MIB), 0)
                self.assertEqual(client.call(WRITE, 0, MIB, 0, b"x" * MIB), 0)
                self.assertEqual(client.read(0, MIB), b"x" * MIB)
        finally:
            subprocess.run(["umount", "small"], check=True)


class Devices(WriteTest):
    def device(self, sector):
        backing = os.path.join(self.on_disk(), "disk")
        with open(backing, "wb") as file:
            file.write(b"\xa5" * 16 * MIB)
        return loop_device(backing, sector)

    def test_a_device_is_served_by_its_id_only(self):
        with self.device(512) as node:
            self.refuses("serve", "--rw", node, "-f", "raw", code=19, says=(node, "nothing was written"))
            self.refuses("serve", "--rw", "--yes-erase", "x", node, "-f", "raw", code=19, says="nothing was written")
            with serving(node, "-f", "raw") as (_, uri), Client(uri) as client:
                client.go()
                self.assertEqual(client.call(WRITE, 0, 512, 0, bytes(512)), EPERM)

    @contextlib.contextmanager
    def read_by_others(self, node):
        """Programs that look at every disk keep old pages of it in the cache when they read at the wrong moment"""
        readers = [subprocess.Popen(["sh", "-c", f"while :; do dd if={node} of=/dev/null bs={size} status=none; done"],
                                    start_new_session=True) for size in ("64k", "4k")]
        try:
            yield
        finally:
            for reader in readers:
                os.killpg(reader.pid, signal.SIGKILL)
                reader.wait()

    def test_any_alignment_while_others_read_the_device(self):
        self.any_alignment(4096, lambda node: self.read_by_others(node))

    def test_any_alignment_on_sectors_of_any_size(self):
        for sector in (512, 4096):
            with self.subTest(sector=sector):
                self.any_alignment(sector, lambda node: contextlib.nullcontext())

    def any_alignment(self, sector, beside):
        with self.device(sector) as node:
            model = bytearray(b"\xa5" * 16 * MIB)
            served = serving("--rw", "-f", "raw", "--yes-erase", identity(node), node)
            with beside(node), served as (_, uri), Client(uri) as client:
                client.go(structured=True)
                self.assertEqual(client.block_sizes, (sector, 4096, 32 * MIB))
                choose = random.Random(sector)
                for _ in range(200):
                    at = choose.choice([choose.randrange(16 * MIB), choose.randrange(4096) * 4096])
                    length = min(choose.choice([1, 512, 4096, 65536, 3000000]), 16 * MIB - at)
                    kind = choose.randrange(4)
                    data = choose.randbytes(length) if kind < 2 else bytes(length)
                    if kind < 2:
                        error = client.call(WRITE, at, length, choose.choice([0, FUA]), data)
                    else:
                        error = client.call(WRITE_ZEROES, at, length, choose.choice([0, NO_HOLE]))
                    self.assertEqual(error, 0)
                    model[at:at + length] = data
                    self.assertTrue(client.read(at, length) == data)
                self.assertIn(client.call(WRITE_ZEROES, 0, MIB, FAST_ZERO), (0, ENOTSUP))
                model[:MIB] = client.read(0, MIB)
                self.assertEqual(client.call(FLUSH), 0)
                # A trim may leave anything there, and touches nothing else.
                self.assertEqual(client.call(TRIM, 4 * MIB + 100, MIB), 0)
                model[4 * MIB + 100:5 * MIB + 100] = client.read(4 * MIB + 100, MIB)
            with open(node, "rb") as device:
                os.posix_fadvise(device.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            self.assertTrue(self.content(node) == bytes(model))


if __name__ == "__main__":
    unittest.main()
