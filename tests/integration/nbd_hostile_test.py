# SPDX-License-Identifier: GPL-3.0-or-later
# LABELS: slow
# TIMEOUT: 180
"""disklathe serve and clients that mean harm: it answers or drops them, the others are served, its memory stays bounded."""

import contextlib
import os
import signal
import socket
import struct
import tempfile
import time
import unittest

from command import MIB, CommandTest
from nbd_client import *


class Hostile(CommandTest):
    needs = ()

    def setUp(self):
        super().setUp()
        self.data("a.raw", (0, MIB), (2 * MIB, MIB), size=4 * MIB + 1000)
        with open("a.raw", "rb") as file:
            self.content = file.read()

    def test_handshakes_of_all_sorts(self):
        with serving("-f", "raw", "a.raw") as (process, uri):
            def refused(option, data=b"", length=None):
                with Client(uri) as client:
                    client.hello().option(option, data, length)
                    return client.reply()[0]

            def dropped(*packets, hello=True):
                with Client(uri) as client:
                    if hello:
                        client.hello()
                    for packet in packets:
                        client.send(packet)
                    return client.closed_by_server()

            option = b"IHAVEOPT" + struct.pack(">II", LIST, 0)
            self.assertEqual(refused(LIST, b"x"), INVALID)
            self.assertEqual(refused(77, b"xyz"), UNSUPPORTED)
            self.assertEqual(refused(STARTTLS), POLICY)
            self.assertEqual(refused(GO, b""), INVALID)
            self.assertEqual(refused(GO, struct.pack(">I", 0xFFFFFFFF)), INVALID)
            self.assertEqual(refused(GO, struct.pack(">IH", 0, 9)), INVALID)
            self.assertEqual(refused(GO, struct.pack(">IHB", 0, 0, 1)), INVALID)
            self.assertEqual(refused(GO, struct.pack(">I3sH", 3, b"xyz", 0)), UNKNOWN)
            self.assertEqual(refused(STRUCTURED, b"x"), INVALID)
            self.assertEqual(refused(SET_META, struct.pack(">II", 0, 0)), INVALID)  # no structured replies
            self.assertEqual(refused(LIST, bytes(40000)), TOO_BIG)
            self.assertTrue(dropped(b"IHAVEOPT" + struct.pack(">II", LIST, 0xFFFFFFFF)))
            self.assertTrue(dropped(b"IHAVEOPT" + struct.pack(">II", LIST, 2 << 20)))
            self.assertTrue(dropped(b"GET / HTTP/1.0\r\n\r\n"))
            self.assertTrue(dropped(struct.pack(">I", 0xFFFFFFFF), hello=False))
            self.assertTrue(dropped(b"IHAVEOPT" + struct.pack(">II", EXPORT_NAME, 5000)))
            with Client(uri) as client:  # no end of options
                client.hello()
                with self.assertRaises((EOFError, ConnectionError)):
                    for _ in range(3000):
                        client.replies(STRUCTURED)
            with Client(uri) as client:  # aborts politely
                client.hello()
                self.assertEqual(client.replies(ABORT), [])
                self.assertTrue(client.closed_by_server())
            self.served(uri)

    def served(self, uri):
        with Client(uri) as client:
            self.assertEqual(client.go().read(5, 7), self.content[5:12])

    def test_gone_at_every_byte(self):
        with serving("-f", "raw", "a.raw") as (process, uri):
            idle = memory_of(process)[1]  # threads: a sanitizer has one of its own
            conversation = struct.pack(">I", 3)
            for option, data in ((STRUCTURED, b""), (SET_META, Client.text("") + struct.pack(">I", 1) + Client.text("base:allocation")),
                                 (GO, struct.pack(">IH", 0, 0))):
                conversation += b"IHAVEOPT" + struct.pack(">II", option, len(data)) + data
            conversation += struct.pack(">IHHQQI", 0x25609513, 0, READ, 1, 0, MIB)
            conversation += struct.pack(">IHHQQI", 0x25609513, 0, WRITE, 2, 0, 4096) + bytes(4096)
            for length in [*range(220), 300, 2000, len(conversation)]:
                with Client(uri) as client:
                    client.send(conversation[:length])
                    if length % 3 == 0:
                        client.socket.shutdown(socket.SHUT_WR)
                    if length % 2 == 0:
                        client.receive(18)
            self.served(uri)
            wait_until(lambda: memory_of(process)[1] == idle)

    def test_slow_handshakes_by_the_hundred_hold_nobody_up(self):
        with serving("-f", "raw", "--max-connections", "40", "a.raw") as (process, uri):
            with Client(uri) as served:
                served.go()
                silent = [self.patiently(uri) for _ in range(300)]
                with self.patiently(uri) as client:
                    self.assertEqual(client.go().read(5, 7), self.content[5:12])
                self.assertEqual(served.read(5, 7), self.content[5:12])
                self.assertLessEqual(memory_of(process)[1], 45)
                for client in silent:
                    client.socket.close()

    def patiently(self, uri):
        while True:  # the kernel queues only so many
            with contextlib.suppress(BlockingIOError):
                return Client(uri)

    def test_silent_handshakes_end(self):
        with serving("-f", "raw", "a.raw") as (_, uri), Client(uri) as client, Client(uri) as dripping:
            began = time.monotonic()
            client.receive(18)
            for byte in struct.pack(">I", 3) + b"IHAVEOPT" * 20:
                try:
                    dripping.send(bytes([byte]))
                except OSError:
                    break
                time.sleep(0.2)
            self.assertTrue(client.closed_by_server())
            self.assertTrue(dripping.closed_by_server())
            self.assertLess(time.monotonic() - began, 25)

    def test_all_places_taken(self):
        with serving("-f", "raw", "--max-connections", "2", "a.raw") as (_, uri):
            with Client(uri) as one, Client(uri) as two:
                one.go(), two.go()
                with Client(uri) as three:
                    self.assertTrue(three.closed_by_server())
                self.assertEqual(one.read(5, 7), self.content[5:12])
            wait_until(lambda: self.accepted(uri))

    def accepted(self, uri):
        try:
            self.served(uri)
            return True
        except (OSError, EOFError):
            return False

    def flood(self, *words):
        """Clients that ask for much and take nothing."""
        self.data("large.raw", (0, 40 * MIB), size=80 * MIB)
        with serving("-f", "raw", *words, "large.raw") as (process, uri):
            idle, _ = memory_of(process)
            clients = [Client(uri).go(structured=True) for _ in range(4)]
            for client in clients:
                client.socket.setblocking(False)
                try:
                    for number in range(2000):
                        client.request(READ, (number % 16) * MIB, 24 * MIB)
                except BlockingIOError:
                    pass
            time.sleep(0.5)
            grown = memory_of(process)[0] - idle
            self.assertLess(grown, 64 * MIB + len(clients) * 40 * MIB)
            with Client(uri) as client:
                with open("large.raw", "rb") as file:
                    self.assertTrue(client.go().read(0, MIB) == file.read(MIB))
            began = time.monotonic()
            process.send_signal(signal.SIGTERM)  # with the clients on it
            self.assertEqual(process.wait(15), 0)
            self.assertLess(time.monotonic() - began, 10)
            for client in clients:
                client.socket.close()

    def test_floods_from_the_page_cache(self):
        self.flood()
        self.flood("--tcp", "0")

    def test_floods_of_direct_io(self):
        os.chdir(self.disk_folder())
        self.flood("-t", "none")

    def disk_folder(self):
        folder = tempfile.TemporaryDirectory(dir="/var/tmp")
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, self.before)
        return folder.name

    def test_no_leak_over_thousands_of_connections(self):
        with serving("-f", "raw", "a.raw") as (process, uri):
            idle = memory_of(process)[1]

            def batch(count):
                for _ in range(count):
                    with Client(uri) as client:
                        client.go(structured=True).read(0, 100000)
                wait_until(lambda: memory_of(process)[1] == idle)
                return memory_of(process)[0], len(os.listdir(f"/proc/{process.pid}/fd"))

            memory, files = batch(300)
            after_memory, after_files = batch(1500)
            self.assertEqual(after_files, files)
            self.assertLess(after_memory, memory + 2 * MIB)


if __name__ == "__main__":
    unittest.main()
