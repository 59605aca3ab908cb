# SPDX-License-Identifier: GPL-3.0-or-later
# LABELS: slow
# TIMEOUT: 180
"""disklathe serve and clients that mean harm: it answers or drops them, the others are served, its memory stays bounded."""

import contextlib
import json
import os
import signal
import socket
import struct
import tempfile
import time
import unittest

from command import MIB, CommandTest
from nbd_client import *
from programs import SANITIZED


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
            for option in (EXPORT_NAME, ABORT, LIST, STARTTLS, INFO, GO, STRUCTURED, LIST_META, SET_META, EXTENDED, 0, 77, 0xFFFFFFFF):
                self.assertTrue(dropped(b"IHAVEOPT" + struct.pack(">II", option, 0xFFFFFFFF)))
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

    def conversations(self):
        """What clients of each dialect say, up to a write that has all its payload."""
        for dialect in (None, STRUCTURED, EXTENDED):
            said = struct.pack(">I", 3)
            options = [(GO, struct.pack(">IH", 0, 0))]
            if dialect:
                options[:0] = [(dialect, b""), (SET_META, Client.text("") + struct.pack(">I", 1) + Client.text("base:allocation"))]
            for option, data in options:
                said += b"IHAVEOPT" + struct.pack(">II", option, len(data)) + data
            extended = dialect == EXTENDED
            form, magic = (">IHHQQQ", 0x21E41C71) if extended else (">IHHQQI", 0x25609513)
            for command, flags, length, payload in ((READ, 0, MIB, b""), (WRITE, PAYLOAD if extended else 0, 512, bytes(512)),
                                                    *([(BLOCK_STATUS, 0, MIB, b"")] if dialect else []), (FLUSH, 0, 0, b"")):
                said += struct.pack(form, magic, flags, command, len(said), 0, length) + payload
            yield said

    def test_gone_at_every_byte(self):
        for words in ((), ("--tcp", "0"), ("--rw",), ("--rw", "-t", "none")):
            path = os.path.join(self.disk_folder(), "b.raw")
            self.data(path, (0, MIB), size=4 * MIB)
            with self.subTest(words=words), serving("-f", "raw", *words, path) as (process, uri):
                idle = memory_of(process)[1]  # threads
                for conversation in self.conversations():
                    for length in range(len(conversation) + 1):
                        with self.patiently(uri) as client:
                            with contextlib.suppress(ConnectionError):
                                client.send(conversation[:length])
                            if length % 3 == 0:
                                client.socket.shutdown(socket.SHUT_WR)
                            if length % 2 == 0:
                                # Those that were before it may have all places still.
                                with contextlib.suppress(EOFError, ConnectionError):
                                    client.receive(18)
                            if length % 5 == 0:  # a reset, over TCP
                                client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                wait_until(lambda: self.clients_of(process) == [])
                with Client(uri) as client, open(path, "rb") as file:
                    file.seek(1000)
                    self.assertEqual(client.go().read(1000, 7), file.read(7))
                # Threads that have a ring stay, for the next clients.
                if "none" not in words:
                    self.no_thread_is_left(process, idle)

    def no_thread_is_left(self, process, idle):
        """Of hundreds of clients; a sanitizer may have one of its own, which begins with the first."""
        wait_until(lambda: memory_of(process)[1] <= idle + SANITIZED)

    def clients_of(self, process):
        told = self.ours("serve", "--status", "--output", "json", str(process.pid)).stdout
        return json.loads(told)["servers"][0]["clients"]

    def test_the_rings_of_clients_that_left_serve_others(self):
        """A server that has locked itself in cannot make any, and threads would do the work instead."""
        self.large_disk()
        with serving("-f", "raw", "-t", "none", "large.raw") as (process, uri):
            for _ in range(300):
                with Client(uri) as client:
                    client.go().read(4096, 4096)
            wait_until(lambda: self.clients_of(process) == [])
            threads = memory_of(process)[1]
            with Client(uri) as client:
                client.go()
                for number in range(64):
                    client.request(READ, number * MIB, 65536)
                client.receive(64 * (16 + 65536))
                self.assertLessEqual(memory_of(process)[1], threads + 1)

    def test_gone_at_every_part_of_a_reply(self):
        with serving("-f", "raw", "a.raw") as (process, uri):
            idle = memory_of(process)[1]
            for form in ({}, {"structured": True}, {"extended": True}):
                for taken in [*range(60), 4096, 65536, MIB - 1, MIB]:
                    with Client(uri) as client:
                        client.go(**form).request(READ, 0, MIB)
                        client.receive(taken)
            self.served(uri)
            self.no_thread_is_left(process, idle)

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

    def within_bounds(self, process, connections):
        resident = 0 if SANITIZED else memory_of(process)[0]  # sanitizers take memory of their own
        self.assertLess(resident, 64 * MIB + connections * 40 * MIB)
        return resident

    def flood(self, ask, *words):
        """Clients that ask for as much as they can, and take nothing: what it holds for them, and who is served besides."""
        with serving("-f", "raw", *words, "large.raw") as (process, uri):
            clients = [Client(uri).go(structured=True, contexts=["base:allocation"]) for _ in range(4)]
            for client in clients:
                client.socket.setblocking(False)
                with contextlib.suppress(BlockingIOError):
                    for number in range(20000):
                        ask(client, number)
            for _ in range(10):
                time.sleep(0.1)
                self.within_bounds(process, len(clients))
            with Client(uri) as client:
                with open("large.raw", "rb") as file:
                    file.seek(MIB)
                    self.assertTrue(client.go().read(MIB, MIB) == file.read(MIB))
            began = time.monotonic()
            process.send_signal(signal.SIGTERM)  # with the clients on it
            self.assertEqual(process.wait(15), 0)
            self.assertLess(time.monotonic() - began, 10)
            for client in clients:
                client.socket.close()

    FLOODS = {
        "large reads": lambda client, number: client.request(READ, (number % 16) * MIB, 24 * MIB),
        "largest reads": lambda client, number: client.request(READ, 0, 32 * MIB, DF),
        "reads of one byte": lambda client, number: client.request(READ, number, 1),
        "maps": lambda client, number: client.request(BLOCK_STATUS, 0, 80 * MIB),
        "writes": lambda client, number: client.request(WRITE, 0, 32768, payload=bytes(32768)),
        "refused writes": lambda client, number: client.request(WRITE, 1 << 40, 32768, payload=bytes(32768)),
        "zeroes and flushes": lambda client, number: client.request(*((WRITE_ZEROES, 0, 512) if number % 2 else (FLUSH,))),
    }

    def large_disk(self):
        os.chdir(self.disk_folder())
        self.data("large.raw", (0, 80 * MIB), size=80 * MIB)

    def test_floods_from_the_page_cache(self):
        self.large_disk()
        for name, ask in self.FLOODS.items():
            for words in ((), ("--tcp", "0"), ("--rw",)):
                with self.subTest(flood=name, words=words):
                    self.flood(ask, *words)

    def test_floods_of_direct_io(self):
        self.large_disk()
        for name, ask in self.FLOODS.items():
            for words in (("-t", "none"), ("-t", "none", "--rw")):
                with self.subTest(flood=name, words=words):
                    self.flood(ask, *words)

    def test_memory_is_bounded_while_all_places_are_busy(self):
        """Every connection with as much under way as it is let have."""
        self.large_disk()
        for words in ((), ("-t", "none")):
            with self.subTest(words=words), serving("-f", "raw", "--max-connections", "24", *words, "large.raw") as (process, uri):
                clients = [Client(uri).go() for _ in range(24)]
                for client in clients:
                    client.socket.setblocking(False)
                    with contextlib.suppress(BlockingIOError):
                        for number in range(200):
                            client.request(READ, number % 40 * MIB, 32 * MIB)
                for _ in range(10):
                    time.sleep(0.1)
                    resident = self.within_bounds(process, len(clients))
                self.assertLess(resident, 64 * MIB + len(clients) * 12 * MIB)
                print(f"{words}: {resident >> 20} MiB for {len(clients)} connections", flush=True)
                for client in clients:
                    client.socket.close()

    def disk_folder(self):
        folder = tempfile.TemporaryDirectory(dir="/var/tmp")
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, self.before)
        return folder.name


if __name__ == "__main__":
    unittest.main()
