# SPDX-License-Identifier: GPL-3.0-or-later
# LABELS: slow
# TIMEOUT: 120
"""nbd:// and nbd+unix:// as sources and targets: of qemu-nbd, of nbdkit, of ourselves, and of servers that mean harm."""

import contextlib
import json
import os
import signal
import socket
import struct
import subprocess
import threading
import time
import unittest

from command import DISKLATHE, MIB, CommandTest
from nbd_client import serving, wait_until
from programs import SANITIZED


class RemoteTest(CommandTest):
    needs = ("qemu-nbd", "nbdkit", "qemu-img")

    def content(self, path):
        with open(path, "rb") as file:
            return file.read()

    @contextlib.contextmanager
    def peer(self, *words):
        """Another's server at a socket of its own: its URI."""
        path = os.path.abspath("peer.sock")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        at = ["-k", path] if words[0] == "qemu-nbd" else ["-f", "-U", path]
        server = subprocess.Popen([words[0], *at, *words[1:]], stderr=subprocess.DEVNULL)
        try:
            wait_until(lambda: os.path.exists(path))
            yield f"nbd+unix:///?socket={path}", server
        finally:
            server.kill()
            server.wait()


class Sources(RemoteTest):
    def setUp(self):
        super().setUp()
        self.data("a.raw", (0, 70000), (3 * MIB, 200000), (20 * MIB, 9 * MIB + 5), size=40 * MIB)
        self.servers = [("qemu-nbd", "-r", "-t", "-e", "8", "-f", "raw", "a.raw"), ("qemu-nbd", "-r", "-t", "-f", "raw", "a.raw"),
                        ("nbdkit", "-r", "file", "a.raw"), ("nbdkit", "-r", "--no-mc", "--no-sr", "file", "a.raw"),
                        ("nbdkit", "-r", "--filter=blocksize-policy", "file", "a.raw", "blocksize-minimum=4096",
                         "blocksize-preferred=4096", "blocksize-maximum=65536", "blocksize-error-policy=error")]

    def test_every_server_is_read(self):
        for words in self.servers:
            with self.subTest(server=words), self.peer(*words) as (uri, _):
                self.ours("convert", "-q", "-O", "raw", uri, "copied")
                self.assertTrue(self.content("copied") == self.content("a.raw"))
                self.assertLess(os.stat("copied").st_blocks * 512, 12 * MIB)
                self.ours("convert", "-q", "-O", "qcow2", "--verify", uri, "copied.qcow2")
                self.same("a.raw", "copied.qcow2")
                self.assertIn("identical", self.ours("compare", uri, "a.raw").stdout)
                self.assertIn("40 MiB", self.ours("info", uri).stdout)

    def test_ourselves_over_tcp_and_unix(self):
        for place in ((), ("--tcp", "0")):
            with self.subTest(place=place), serving("-f", "raw", "--export", "a name=a.raw", *place) as (_, uri):
                self.ours("convert", "-q", "-O", "raw", uri, "copied")
                self.assertTrue(self.content("copied") == self.content("a.raw"))
                ours = json.loads(self.ours("map", "--output=json", "-f", "raw", uri).stdout)
                local = json.loads(self.ours("map", "--output=json", "-f", "raw", "a.raw").stdout)
                kept = lambda entries: [(entry["start"], entry["length"], entry["zero"]) for entry in entries]
                self.assertEqual(kept(ours), kept(local))

    def test_an_image_behind_a_server(self):
        self.qemu("convert", "-O", "qcow2", "a.raw", "a.qcow2")
        with serving("-f", "raw", "a.qcow2") as (_, uri):
            self.ours("convert", "-q", "-f", "qcow2", "-O", "raw", uri, "copied")
            self.assertTrue(self.content("copied") == self.content("a.raw"))

    def test_a_sparse_terabyte_takes_no_time(self):
        self.qemu("create", "-q", "-f", "qcow2", "big.qcow2", "1T")
        with serving("big.qcow2") as (_, uri):
            began = time.monotonic()
            self.ours("convert", "-q", "-O", "raw", uri, "copied")
            self.assertLess(time.monotonic() - began, 10)
        self.assertEqual((os.stat("copied").st_size, os.stat("copied").st_blocks), (1 << 40, 0))

    def test_names_in_images_are_no_addresses(self):
        with serving("-f", "raw", "a.raw") as (_, uri):
            for name in (uri, "nbd:unix:x"):
                self.qemu("create", "-q", "-u", "-f", "qcow2", "-b", name, "-F", "raw", "evil.qcow2", "40M")
                for words in (("convert", "-O", "raw", "evil.qcow2", "copied"), ("info", "-b", "evil.qcow2")):
                    done = subprocess.run([DISKLATHE, *words], capture_output=True, text=True, timeout=30)
                    self.assertNotEqual(done.returncode, 0, words)
                self.assertFalse(os.path.exists("copied"))

    def test_nobody_there(self):
        self.refuses("convert", "-O", "raw", "nbd+unix:///?socket=/nowhere", "copied", code=11, says="nowhere")
        self.refuses("info", "nbd://127.0.0.1:1/", code=10, says="nbd://127.0.0.1:1/")
        with serving("-f", "raw", "a.raw") as (_, uri):
            self.refuses("info", uri.replace(":///", ":///other"), code=11, says="other")

    def test_a_server_that_dies_leaves_no_target(self):
        for words in (("nbdkit", "-r", "--filter=delay", "file", "a.raw", "delay-read=3"), ("nbdkit", "-r", "--filter=delay",
                      "--no-mc", "file", "a.raw", "delay-read=3")):
            with self.subTest(words=words), self.peer(*words) as (uri, server):
                work = subprocess.Popen([DISKLATHE, "convert", "-q", "-O", "raw", uri, "copied"], stderr=subprocess.PIPE, text=True)
                time.sleep(2 if SANITIZED else 0.5)  # it is connected by then
                server.kill()
                _, said = work.communicate(timeout=30)
                self.assertEqual(work.returncode, 15, said)
                self.assertIn("went away", said)
                self.assertFalse(os.path.exists("copied"))

    def test_errors_of_the_server_are_told_with_their_place(self):
        with self.peer("nbdkit", "-r", "--filter=error", "file", "a.raw", "error-pread=EIO", "error-pread-rate=100%") as (uri, _):
            self.refuses("convert", "-O", "raw", uri, "copied", code=10, says=("cannot read", "at byte 0"))
            self.assertFalse(os.path.exists("copied"))


class Targets(RemoteTest):
    def setUp(self):
        super().setUp()
        self.data("a.raw", (0, 70000), (3 * MIB, 200000), (20 * MIB, 9 * MIB + 5), size=40 * MIB)

    def dirty(self, path):
        with open(path, "wb") as file:
            file.write(b"\xee" * 40 * MIB)

    def test_every_server_is_written(self):
        self.qemu("convert", "-O", "qcow2", "-c", "a.raw", "a.qcow2")
        for words in (("qemu-nbd", "-t", "-e", "8", "-f", "raw", "t.raw"), ("nbdkit", "file", "t.raw"),
                      ("nbdkit", "--no-mc", "--filter=nozero", "file", "t.raw"),
                      ("nbdkit", "--filter=blocksize-policy", "file", "t.raw", "blocksize-minimum=4096",
                       "blocksize-preferred=4096", "blocksize-maximum=65536", "blocksize-error-policy=error")):
            self.dirty("t.raw")
            with self.subTest(server=words), self.peer(*words) as (uri, server):
                self.ours("convert", "-q", "-n", "--verify", "a.qcow2", uri)
                server.send_signal(signal.SIGTERM)
                server.wait(10)
                self.assertTrue(self.content("t.raw") == self.content("a.raw"))

    def test_what_a_server_serves_is_zeroed(self):
        for words in (("qemu-nbd", "-t", "-e", "8", "-f", "raw", "t.raw"), ("nbdkit", "file", "t.raw"),
                      ("nbdkit", "--no-mc", "--filter=nozero", "file", "t.raw"),
                      ("nbdkit", "--filter=blocksize-policy", "file", "t.raw", "blocksize-minimum=4096",
                       "blocksize-preferred=4096", "blocksize-maximum=65536", "blocksize-error-policy=error")):
            self.dirty("t.raw")
            with self.subTest(server=words), self.peer(*words) as (uri, _):
                self.ours("zero", "-q", "--range", "1M+7M", uri)
                self.assertTrue(self.content("t.raw") == b"\xee" * MIB + bytes(7 * MIB) + b"\xee" * 32 * MIB)
                self.assertIn("proven", self.ours("zero", "--verify", uri).stdout)
                self.assertTrue(self.content("t.raw") == bytes(40 * MIB))

    def test_a_server_with_one_place_is_zeroed(self):
        self.dirty("t.raw")
        with self.peer("qemu-nbd", "-t", "-f", "raw", "t.raw") as (uri, _):
            self.ours("zero", "-q", uri)
        self.assertTrue(self.content("t.raw") == bytes(40 * MIB))
        for words in (("--max-connections", "1"), ("--max-connections", "2"), ("--once",)):
            self.dirty("t.raw")
            with self.subTest(words=words), serving("--rw", "-f", "raw", *words, "t.raw") as (_, uri):
                self.ours("zero", "-q", uri)
                self.assertTrue(self.content("t.raw") == bytes(40 * MIB))

    def test_what_a_server_serves_is_discarded(self):
        self.dirty("t.raw")
        with serving("--rw", "-f", "raw", "t.raw") as (_, uri):
            self.assertIn("discarded", self.ours("zero", "--method", "discard", uri).stdout)
        self.assertEqual(os.stat("t.raw").st_blocks, 0)
        with self.peer("nbdkit", "eval", "get_size=echo 1M", "pread=head -c $3 /dev/zero", "pwrite=cat >/dev/null") as (uri, _):
            self.refuses("zero", "--method", "discard", uri, code=18, says="does not take")

    def test_what_is_not_zeroed(self):
        self.qemu("create", "-q", "-f", "qcow2", "i.qcow2", "1M")
        before = self.content("i.qcow2")
        with serving("--rw", "-f", "raw", "i.qcow2") as (_, uri):
            self.refuses("zero", uri, code=19, says="qcow2 image")
        with serving("-f", "raw", "i.qcow2") as (_, uri):
            self.refuses("zero", "-f", "raw", uri, code=12, says="reading only")
        self.assertTrue(self.content("i.qcow2") == before)
        self.refuses("zero", "http://127.0.0.1:1/x", code=18, says="not written to")

    def test_our_own_server_is_written_and_gets_its_holes(self):
        self.dirty("t.raw")
        with serving("--rw", "t.raw") as (_, uri):
            self.ours("convert", "-q", "a.raw", uri)
        self.assertTrue(self.content("t.raw") == self.content("a.raw"))
        self.assertLess(os.stat("t.raw").st_blocks * 512, 12 * MIB)

    def test_what_cannot_be_written_is_said_before(self):
        self.dirty("t.raw")
        with serving("t.raw") as (_, uri):
            self.refuses("convert", "a.raw", uri, code=12, says="reading only")
        self.data("small.raw", (0, MIB), size=2 * MIB)
        with serving("--rw", "small.raw") as (_, uri):
            self.refuses("convert", "a.raw", uri, code=14, says="bytes are missing")
            self.refuses("convert", "-O", "qcow2", "small.raw", uri, code=2, says="raw")
        self.assertEqual(self.content("t.raw"), b"\xee" * 40 * MIB)

    def test_a_server_without_flush_is_said_to_have_none(self):
        self.data("b.raw", (0, MIB), size=2 * MIB)
        with open("t.raw", "wb") as file:
            file.truncate(2 * MIB)
        dd = "of=t.raw conv=notrunc oflag=seek_bytes,count_bytes"
        script = ("eval", "get_size=echo 2097152", "pread=dd if=t.raw iflag=skip_bytes,count_bytes,fullblock skip=$4 count=$3 2>/dev/null",
                  f"pwrite=dd {dd.replace(',count_bytes', '')} iflag=fullblock bs=65536 seek=$4 2>/dev/null", "can_write=exit 0")
        flushes = ("can_flush=exit 0", "flush=exit 0")
        for extra, flushed in ((("can_flush=exit 3",), False), (flushes, True)):
            with self.subTest(flushed=flushed), self.peer("nbdkit", *script, *extra) as (uri, _):
                done = self.ours("convert", "-f", "raw", "--progress=json", "b.raw", uri)
                result = json.loads(done.stdout.splitlines()[-1])["result"]
                said = "not flushed: the server has no flush"
                self.assertEqual((result["flushed"], said in done.stderr), (flushed, not flushed))
                self.assertEqual(result.get("not-flushed"), None if flushed else "the server has no flush")
                self.assertTrue(self.content("t.raw") == self.content("b.raw"))
        with serving("--rw", "-f", "raw", "t.raw") as (_, uri):
            done = self.ours("convert", "-q", "-f", "raw", "-t", "unsafe", "b.raw", uri)
            self.assertIn("not flushed: -t unsafe", done.stderr)

    def test_a_server_that_dies_while_it_is_written_to(self):
        self.dirty("t.raw")
        with self.peer("nbdkit", "--filter=delay", "file", "t.raw", "delay-write=3") as (uri, server):
            work = subprocess.Popen([DISKLATHE, "convert", "-q", "a.raw", uri], stderr=subprocess.PIPE, text=True)
            time.sleep(0.5)
            server.kill()
            _, said = work.communicate(timeout=30)
            self.assertEqual(work.returncode, 15, said)
            self.assertIn("a part of the image", said)


class Hostile(CommandTest):
    """Servers that lie. Nothing but an error may come of it."""

    needs = ()

    def against(self, talk, *words):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind("evil.sock")
        listener.listen()

        def serve():
            while True:
                try:
                    client, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=self.guarded, args=(talk, client), daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        try:
            return subprocess.run([DISKLATHE, *(word.format("nbd+unix:///?socket=evil.sock") for word in words)],
                                  capture_output=True, text=True, timeout=30)
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()
            os.unlink("evil.sock")

    @staticmethod
    def guarded(talk, client):
        with contextlib.suppress(OSError, EOFError, struct.error), client:
            talk(client)

    @staticmethod
    def take(client, count):
        data = b""
        while len(data) < count:
            part = client.recv(count - len(data))
            if not part:
                raise EOFError
            data += part
        return data

    def greet(self, client, size, flags=1 | 2, sizes=None):
        client.sendall(b"NBDMAGICIHAVEOPT\x00\x03")
        self.take(client, 4)
        while True:
            _, option, length = struct.unpack(">8sII", self.take(client, 16))
            self.take(client, length)

            def reply(kind, data=b""):
                client.sendall(struct.pack(">QIII", 0x3E889045565A9, option, kind, len(data)) + data)

            if option == 7:
                reply(3, struct.pack(">HQH", 0, size, flags))
                if sizes:
                    reply(3, struct.pack(">HIII", 3, *sizes))
                reply(1)
                return
            if option == 8:
                reply(1)
            elif option == 10:
                reply(4, struct.pack(">I", 1) + b"base:allocation")
                reply(1)
            else:
                reply(0x80000001)

    def refused(self, talk):
        done = self.against(talk, "convert", "-q", "-f", "raw", "-O", "raw", "{}", "copied")
        self.assertNotIn(done.returncode, (0, -6, -11, 134, 139), done.stderr)
        self.assertTrue(done.stderr.startswith("disklathe: "), done.stderr)
        self.assertFalse(os.path.exists("copied"))

    def test_sizes_that_make_no_sense(self):
        for size, sizes in (((1 << 64) - 1, None), (1 << 63, None), (MIB + 1, (512, 4096, 32 * MIB)), (MIB, (0, 0, 0)),
                            (MIB, (3, 4096, 32 * MIB)), (MIB, (1 << 31, 1 << 31, 1 << 31))):
            with self.subTest(size=size, sizes=sizes):
                self.refused(lambda client, size=size, sizes=sizes: self.greet(client, size, sizes=sizes))

    def test_maps_that_make_no_sense(self):
        def talk(entries):
            def answer(client):
                self.greet(client, 64 * MIB)
                while True:
                    _, _, kind, cookie, _, length = struct.unpack(">IHHQQI", self.take(client, 28))
                    if kind == 7:
                        payload = struct.pack(">I", 1) + b"".join(struct.pack(">II", *entry) for entry in entries)
                        client.sendall(struct.pack(">IHHQI", 0x668E33EF, 1, 5, cookie, len(payload)) + payload)
                    else:
                        client.sendall(struct.pack(">IHHQIIH", 0x668E33EF, 1, 0x8001, cookie, 6, 5, 0))

            return answer

        for entries in ([], [(0, 0)], [(0, 3), (0, 3)], [(0xFFFFFFFF, 0)] * 9, [(512, 0), (0, 0)]):
            with self.subTest(entries=entries):
                self.refused(talk(entries))

    def test_replies_that_nobody_asked_for(self):
        def talk(noise):
            def answer(client):
                self.greet(client, 64 * MIB, flags=1 | 2 | 256)
                self.take(client, 28)
                client.sendall(noise)
                time.sleep(0.2)

            return answer

        for noise in (bytes(100), struct.pack(">IIQ", 0x67446698, 0, 0xDEAD), b"\xff" * 4096,
                      struct.pack(">IHHQI", 0x668E33EF, 1, 1, 1, 0xFFFFFFFF)):
            with self.subTest(noise=noise[:20]):
                self.refused(talk(noise))

    def test_silence_can_be_interrupted(self):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind("mute.sock")
        listener.listen()
        work = subprocess.Popen([DISKLATHE, "convert", "-q", "-O", "raw", "nbd+unix:///?socket=mute.sock", "copied"],
                                stderr=subprocess.PIPE, text=True)
        time.sleep(0.5)
        work.send_signal(signal.SIGINT)
        self.assertEqual(work.wait(20), 130)
        work.stderr.close()
        listener.close()
        self.assertFalse(os.path.exists("copied"))


class Loading(CommandTest):
    needs = ("readelf",)

    def test_the_command_does_not_load_what_only_addresses_need(self):
        needed = self.run_program("readelf", "-d", DISKLATHE).stdout
        for library in ("libnbd", "libgnutls", "libcurl"):
            self.assertNotIn(library, needed)


class Verbs(RemoteTest):
    def test_each_reads_what_a_server_serves_or_says_why_not(self):
        self.data("a.raw", (0, 70000), (MIB, MIB), size=3 * MIB)
        self.qemu("convert", "-O", "qcow2", "a.raw", "a.qcow2")
        with serving("-f", "raw", "--export", "=a.raw", "--export", "q=a.qcow2") as (_, uri):
            image = uri.replace(":///", ":///q")
            self.assertIn("raw", self.ours("info", uri).stdout)
            self.assertIn("qcow2", self.ours("info", image).stdout)
            self.assertIn("0x100000", self.ours("map", uri).stdout)
            self.assertIn("No errors", self.ours("check", "-f", "qcow2", image).stdout)
            self.assertEqual(self.ours("checksum", uri).stdout.replace(uri, "a.raw"), self.ours("checksum", "a.raw").stdout)
            self.assertIn("identical", self.ours("compare", "-F", "qcow2", uri, image).stdout)
            self.assertIn("required size", self.ours("measure", "-O", "qcow2", uri).stdout)
            self.assertIn("3145728", self.ours("serve", uri, "--run", 'nbdinfo --size "$uri"').stdout)
            self.refuses("limits", uri, code=18, says="of this machine")
            self.refuses("sweep", uri, code=18, says="of this machine")
            self.refuses("create", "-f", "raw", uri, "1M", code=18, says="there already")
            self.refuses("create", "-f", "qcow2", "-b", uri, "-F", "raw", "new.qcow2", code=18, says="files")
            self.assertFalse(os.path.exists("new.qcow2"))


if __name__ == "__main__":
    unittest.main()
