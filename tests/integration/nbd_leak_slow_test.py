# SPDX-License-Identifier: GPL-3.0-or-later
# LABELS: slow
# TIMEOUT: 600
"""disklathe serve after ten thousand clients that ended in every way: no memory, descriptor or thread more than after the
first hundreds."""

import contextlib
import os
import struct
import tempfile
import time
import unittest

import nbd_tls_test
from command import MIB, CommandTest
from nbd_client import *
from programs import SANITIZED

SETTLED, ALL = 1000, 10_000
SLACK = 2 * MIB  # of memory that comes and goes


def state_of(process):
    memory, threads = memory_of(process)
    memory = 0 if SANITIZED else memory  # sanitizers take some of their own
    return memory, threads, len(os.listdir(f"/proc/{process.pid}/fd"))


class Leaks(CommandTest):
    needs = ()

    def setUp(self):
        super().setUp()
        self.data("a.raw", (0, MIB), (2 * MIB, MIB), size=4 * MIB)

    def visit(self, uri, number):
        """One client, and one of the ways in which clients go."""
        with Client(uri) as client:
            way = number % 10
            if way == 0:
                return  # at once
            if way == 1:
                client.hello().send(b"IHAVEOPT\0\0")  # within an option
                return
            if way == 2:
                client.hello().replies(ABORT)
                return
            form = ({}, {"structured": True}, {"extended": True})[number % 3]
            client.go(**form, contexts=["base:allocation"] if form else ())
            if way == 3:
                client.request(READ, 0, MIB)  # and does not take it
            elif way == 4:
                client.request(WRITE, 0, 4096, payload=b"x" * 1000)  # within a payload
            elif way == 5:
                client.request(READ, 0, 512, magic=0x12345678)
                assert client.closed_by_server()
            elif way == 6:
                client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # a reset, over TCP
                client.request(READ, 0, 65536)
            elif way == 7 and form:
                client.status(0, 4 * MIB)
                client.disconnect()
            else:
                assert len(client.read(0, 65536)) == 65536
                client.disconnect()

    def visited(self, *words, staying=0, count=ALL):
        """staying: threads that have served somebody and wait for the next"""
        with serving("-f", "raw", *words) as (process, uri):
            idle = memory_of(process)[1] + staying
            with contextlib.ExitStack() as together:
                for _ in range(staying):
                    together.enter_context(Client(uri)).go()
            for number in range(SETTLED):
                self.visit(uri, number)
            wait_until(lambda: memory_of(process)[1] == idle, 30)
            time.sleep(0.5)
            before = state_of(process)
            for number in range(SETTLED, count):
                self.visit(uri, number)
            wait_until(lambda: state_of(process)[1:] == before[1:], 30)  # or there is a leak
            after = state_of(process)
            print(f"{' '.join(words)}: memory, threads, descriptors {before} -> {after}", flush=True)
            self.assertLess(after[0], before[0] + SLACK)

    def test_from_the_page_cache(self):
        self.visited("a.raw")

    def test_over_tcp_to_write(self):
        self.visited("--rw", "--tcp", "0", "a.raw")

    def test_by_direct_io(self):
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            path = self.data(os.path.join(folder, "a.raw"), (0, MIB), (2 * MIB, MIB), size=4 * MIB)
            self.visited("--rw", "-t", "none", "--max-connections", "64", path, staying=64)


class TlsLeaks(nbd_tls_test.TlsTest):
    def test_handshakes_of_tls(self):
        pki = self.certificates()
        with serving("-f", "raw", "--tls-certificates", pki, "a.raw") as (process, uri):
            idle = state_of(process)[1:]
            plain = uri.replace("nbds+", "nbd+")
            query = f"tls-certificates={self.client_folder(pki, False)}&tls-hostname=localhost"

            def visit(count):
                for number in range(count):
                    with Client(plain) as client:
                        client.hello().option(STARTTLS)
                        client.reply()
                        client.send((b"", b"\x16\x03\x01\x00\x05hello", b"GET /\r\n\r\n")[number % 3])
                    if number % 50 == 0:
                        self.copied(f"{uri}&{query}")
                wait_until(lambda: state_of(process)[1:] == idle, 30)
                return state_of(process)

            before, after = visit(300), visit(1500)
            print(f"TLS: memory, threads, descriptors {before} -> {after}", flush=True)
            self.assertLess(after[0], before[0] + SLACK)


if __name__ == "__main__":
    unittest.main()
