# SPDX-License-Identifier: GPL-3.0-or-later
# LABELS: slow
# TIMEOUT: 180
"""A client verb whose server, network or own process ends in the middle: a clear sentence, and no target of that name."""

import contextlib
import os
import signal
import socket
import subprocess
import threading
import time
import unittest

from command import DISKLATHE, MIB, CommandTest
from nbd_client import server_socket, serving

SIZE = 24 * MIB


class Network:
    """Between a client and a server: passes so many bytes of the server's on, then does what `way` says to all connections."""

    def __init__(self, uri, way, after):
        self.server, self.way, self.left = server_socket(uri), way, after
        self.sockets, self.over, self.ended, self.lock = [], threading.Event(), threading.Event(), threading.Lock()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind("net.sock")
        self.listener.listen()
        threading.Thread(target=self.accept, daemon=True).start()
        self.uri = f"nbd+unix:///?socket={os.path.abspath('net.sock')}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.cut()
        self.ended.set()
        for one in self.sockets:
            one.close()
        os.unlink("net.sock")

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                server = socket.socket(self.server[0])
                server.connect(self.server[1])
                self.sockets += [client, server]
                threading.Thread(target=self.pump, args=(client, server, False), daemon=True).start()
                threading.Thread(target=self.pump, args=(server, client, True), daemon=True).start()

    def pump(self, source, sink, counted):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if counted:
                    with self.lock:
                        data = data[:self.left]
                        self.left -= len(data)
                        ended = self.left == 0
                    sink.sendall(data)
                    if ended:
                        self.over.set()
                        if self.way == "dropped":
                            self.cut()
                        else:
                            self.ended.wait(60)  # silent
                        return
                else:
                    sink.sendall(data)

    def cut(self):
        for one in self.sockets:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


class LostTest(CommandTest):
    needs = ()

    def setUp(self):
        super().setUp()
        self.data("a.raw", (0, SIZE), size=SIZE)

    def clear(self, done, code=15):
        """What it said is one sentence that names the connection, and nothing is left."""
        last = done.stderr.splitlines()[-1] if done.stderr else ""
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertTrue(last.startswith("disklathe: "), done.stderr)
        self.assertIn("went away", last)
        self.assertIn("nbd+unix://", last)

    def finish(self, process, seconds=30):
        output, errors = process.communicate(timeout=seconds)
        return subprocess.CompletedProcess(process.args, process.returncode, output, errors)

    @staticmethod
    def start(*words):
        return subprocess.Popen([DISKLATHE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


# What reads an export, to its end or long enough to be met in the middle. {} is its URI.
READERS = {
    "convert": ("convert", "-q", "-f", "raw", "-O", "raw", "{}", "made"),
    "convert to qcow2": ("convert", "-q", "-f", "raw", "-O", "qcow2", "-c", "{}", "made"),
    "convert --verify": ("convert", "-q", "-f", "raw", "-O", "raw", "--verify", "{}", "made"),
    "checksum": ("checksum", "-f", "raw", "{}"),
    "compare": ("compare", "-f", "raw", "-F", "raw", "{}", "a.raw"),
}


class Readers(LostTest):
    def test_the_network_drops_in_the_middle(self):
        for name, words in READERS.items():
            for after in (0, 18, 100, 5 * MIB, SIZE - 100):
                with self.subTest(verb=name, after=after), serving("-f", "raw", "a.raw") as (_, uri), Network(uri, "dropped", after or 1) as net:
                    done = self.finish(self.start(*(word.format(net.uri) for word in words)))
                    if after > 4096:
                        self.clear(done, 4 if name == "compare" else 15)
                    else:  # it was not open yet: which words libnbd has for that is its own
                        self.assertNotIn(done.returncode, (0, 1), done.stderr)
                        self.assertIn("nbd+unix://", done.stderr)
                    self.assertFalse(os.path.exists("made"))

    def test_a_server_that_is_killed_in_the_middle(self):
        for name, words in READERS.items():
            with self.subTest(verb=name), serving("-f", "raw", "a.raw") as (server, uri), Network(uri, "silent", 5 * MIB) as net:
                process = self.start(*(word.format(net.uri) for word in words))
                net.over.wait(20)
                server.kill()
                server.wait()
                server.returncode = 0
                net.cut()
                self.clear(self.finish(process), 4 if name == "compare" else 15)
                self.assertFalse(os.path.exists("made"))

    def test_an_existing_target_stays_what_it_was(self):
        with open("made", "w") as file:
            file.write("precious")
        with serving("-f", "raw", "a.raw") as (_, uri), Network(uri, "dropped", 5 * MIB) as net:
            self.clear(self.finish(self.start("convert", "-q", "-f", "raw", "-O", "raw", net.uri, "made")))
        with open("made") as file:
            self.assertEqual(file.read(), "precious")

    def test_a_client_that_is_ended_in_the_middle_leaves_nothing(self):
        for name, words in READERS.items():
            for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
                with self.subTest(verb=name, signal=number), serving("-f", "raw", "a.raw") as (_, uri), Network(uri, "silent", 5 * MIB) as net:
                    process = self.start(*(word.format(net.uri) for word in words))
                    net.over.wait(20)
                    began = time.monotonic()
                    process.send_signal(number)
                    done = self.finish(process, 10)
                    self.assertLess(time.monotonic() - began, 2)
                    self.assertNotEqual(done.returncode, 0)
                    self.assertFalse(os.path.exists("made"))

    def test_short_verbs_too(self):
        for words in (("info", "{}"), ("map", "-f", "raw", "{}"), ("measure", "-f", "raw", "-O", "qcow2", "{}"), ("check", "{}"),
                      ("serve", "-f", "raw", "--once", "{}")):
            for after in (1, 18, 60):
                with self.subTest(verb=words[0], after=after), serving("-f", "raw", "a.raw") as (_, uri), Network(uri, "dropped", after) as net:
                    done = self.finish(self.start(*(word.format(net.uri) for word in words)))
                    self.assertNotEqual(done.returncode, 0)
                    self.assertTrue(done.stderr.startswith("disklathe: "), done.stderr)
                    self.assertIn("nbd+unix://", done.stderr)


class Writers(LostTest):
    def setUp(self):
        super().setUp()
        with open("t.raw", "wb") as file:
            file.truncate(SIZE)

    def test_the_network_drops_while_it_is_written_to(self):
        for words in (("convert", "-q", "-f", "raw", "a.raw", "{}"), ("convert", "-q", "-f", "raw", "--verify", "a.raw", "{}")):
            # Bytes of the server's: replies to writes are short, what is read back is long.
            for after in (1000, 5 * MIB) if "--verify" in words else (600, 1000):
                with self.subTest(words=words, after=after), serving("--rw", "-f", "raw", "t.raw") as (_, uri), \
                        Network(uri, "dropped", after) as net:
                    done = self.finish(self.start(*(word.format(net.uri) for word in words)))
                    self.clear(done)
                    if after < MIB:
                        self.assertIn("a part of the image", done.stderr)

    def test_the_network_drops_while_it_is_zeroed(self):
        for after in (1, 18, 700):
            with self.subTest(after=after), serving("--rw", "-f", "raw", "t.raw") as (_, uri), Network(uri, "dropped", after) as net:
                done = self.finish(self.start("zero", "-f", "raw", "--method", "buffers", net.uri))
                self.assertIn("nbd+unix://", done.stderr)
                self.assertEqual(done.stdout, "")
                self.assertNotEqual(done.returncode, 0)
                if after > 100:
                    self.clear(done)

    def test_silence_while_it_is_written_to_can_be_interrupted(self):
        with serving("--rw", "-f", "raw", "t.raw") as (_, uri), Network(uri, "silent", 800) as net:
            process = self.start("convert", "-q", "-f", "raw", "a.raw", net.uri)
            net.over.wait(20)
            time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            self.assertEqual(self.finish(process, 5).returncode, 130)

    def test_a_disk_that_is_served_on_is_lost(self):
        """A server of ours whose own source is another server: its clients are told of an error, and it stays."""
        with serving("-f", "raw", "a.raw") as (_, uri), Network(uri, "dropped", 5 * MIB) as net, \
                serving("-f", "raw", net.uri) as (between, second):
            done = self.finish(self.start("convert", "-q", "-f", "raw", "-O", "raw", second, "made"))
            self.assertEqual(done.returncode, 10, done.stderr)
            self.assertFalse(os.path.exists("made"))
            self.assertIsNone(between.poll())


if __name__ == "__main__":
    unittest.main()
