# SPDX-License-Identifier: GPL-3.0-or-later
"""disklathe serve, word by word: replies in every dialect, what is refused and how."""

import os
import struct
import threading
import unittest

from command import MIB, CommandTest
from nbd_client import *

SIMPLE, STRUCTURES, EXTENSIONS = {}, {"structured": True}, {"extended": True}


class ProtocolTest(CommandTest):
    needs = ()

    def setUp(self):
        super().setUp()
        # 1 MiB of data, 1 MiB hole, 1 MiB data, hole to 4 MiB + 1000
        self.data("a.raw", (0, MIB), (2 * MIB, MIB), size=4 * MIB + 1000)
        with open("a.raw", "rb") as file:
            self.content = file.read()
        self.size = len(self.content)


class Transmission(ProtocolTest):
    def setUp(self):
        super().setUp()
        server = serving("-f", "raw", "a.raw")
        self.process, self.uri = server.__enter__()
        self.addCleanup(server.__exit__, None, None, None)

    def client(self, **options):
        client = Client(self.uri)
        self.addCleanup(client.socket.close)
        return client.go(**options)

    def test_reads_tell_holes_unless_they_must_not(self):
        for form in (STRUCTURES, EXTENSIONS):
            client = self.client(**form)
            self.assertEqual(client.read(MIB // 2, 2 * MIB), self.content[MIB // 2:MIB // 2 + 2 * MIB])
            self.assertEqual([hole for _, _, hole in client.chunks], [False, True, False])
            self.assertEqual(client.read(MIB // 2, 2 * MIB, DF), self.content[MIB // 2:MIB // 2 + 2 * MIB])
            self.assertEqual(client.chunks, [(MIB // 2, 2 * MIB, False)])
            self.assertEqual(client.read(MIB, MIB), bytes(MIB))
            self.assertEqual(client.chunks, [(MIB, MIB, True)])
        self.assertEqual(self.client().read(MIB // 2, 2 * MIB), self.content[MIB // 2:MIB // 2 + 2 * MIB])

    def test_flags_of_the_export(self):
        always = 1 | 2 | 4 | 8 | 256 | 1024  # flags, read-only, flush, FUA, several connections, cache
        self.assertEqual((self.client().flags, self.client(structured=True).flags), (always, always | 128))
        self.assertEqual(self.client().size, self.size)

    def test_block_status_of_every_form(self):
        expected = [(MIB, 0), (MIB, 3), (MIB, 0), (MIB + 1000, 3)]
        for form in (STRUCTURES, EXTENSIONS):
            client = self.client(contexts=["base:allocation", "qemu:allocation-depth"], **form)
            found = client.status(0, self.size)
            self.assertEqual(found["base:allocation"], expected)
            self.assertEqual(found["qemu:allocation-depth"], [(MIB, 1), (MIB, 0), (MIB, 1), (MIB + 1000, 0)])
            self.assertEqual(client.status(MIB + 5, 100)["base:allocation"], [(100, 3)])
            self.assertEqual(client.status(MIB - 5, 2 * MIB, REQ_ONE)["base:allocation"], [(5, 0)])
            self.assertEqual(client.status(0, self.size, REQ_ONE)["base:allocation"], [(MIB, 0)])

    def test_one_context_of_two(self):
        client = self.client(structured=True, contexts=["qemu:allocation-depth", "x:y"])
        self.assertEqual(list(client.status(MIB, 5)), ["qemu:allocation-depth"])

    def test_contexts_are_listed(self):
        with Client(self.uri) as client:
            client.hello().replies(STRUCTURED)
            both = {"base:allocation", "qemu:allocation-depth"}
            self.assertEqual(set(client.meta(LIST_META, "")), both)
            self.assertEqual(set(client.meta(LIST_META, "", "base:")), {"base:allocation"})
            self.assertEqual(set(client.meta(LIST_META, "", "qemu:", "base:allocation")), both)
            self.assertEqual(set(client.meta(LIST_META, "", "other:")), set())
            self.assertEqual(set(client.meta(SET_META, "", "base:")), set())

    def test_contexts_need_their_export(self):
        with Client(self.uri) as client:
            client.hello().replies(STRUCTURED)
            client.structured = True
            client.contexts = client.meta(SET_META, "", "base:allocation")
            with self.assertRaises(Refused):
                client.meta(SET_META, "another", "base:allocation")  # and what was selected is gone
            client.go(hello=False)
            self.assertEqual(client.call(BLOCK_STATUS, 0, 512), EINVAL)

    def test_what_makes_no_sense_is_answered_and_the_next_is_served(self):
        cases = (
            (EINVAL, dict(command=READ, offset=self.size - 5, length=6)),
            (EINVAL, dict(command=READ, offset=1 << 63, length=512)),
            (EINVAL, dict(command=READ, offset=(1 << 64) - 512, length=1024)),
            (EINVAL, dict(command=READ, offset=0, length=0)),
            (EINVAL, dict(command=99)),
            (EINVAL, dict(command=READ, length=512, flags=0x8000)),
            (EINVAL, dict(command=READ, length=512, flags=NO_HOLE)),
            (EINVAL, dict(command=BLOCK_STATUS, length=512)),
            (EINVAL, dict(command=CACHE, offset=self.size, length=1)),
            (EPERM, dict(command=WRITE, length=512, payload=bytes(512))),
            (EPERM, dict(command=TRIM, length=512)),
            (EPERM, dict(command=WRITE_ZEROES, length=512)),
            (0, dict(command=FLUSH)),
            (0, dict(command=CACHE, length=4096)),
        )
        for form in (SIMPLE, STRUCTURES, EXTENSIONS):
            client = self.client(**form)
            for expected, request in cases:
                with self.subTest(form=form, **{**request, "payload": 0}):
                    flags = request.get("flags", 0)
                    if request["command"] == WRITE and client.extended:
                        flags |= PAYLOAD
                    self.assertEqual(client.call(**{**request, "flags": flags}), expected)
                    self.assertEqual(client.read(5, 7), self.content[5:12])
            too_large = EINVAL if form is SIMPLE else EOVERFLOW
            self.assertEqual(client.call(READ, 0, (32 << 20) + 1), EINVAL)  # past the end comes first
        with open("a.raw", "r+b") as file:
            file.truncate(self.size)

    def test_large_requests_have_a_bound(self):
        self.data("large.raw", (0, 5), size=80 * MIB)
        with serving("-f", "raw", "large.raw") as (_, uri):
            for form, error in ((SIMPLE, EINVAL), (STRUCTURES, EOVERFLOW)):
                with Client(uri) as client:
                    client.go(**form)
                    self.assertEqual(len(client.read(0, 32 * MIB)), 32 * MIB)
                    self.assertEqual(client.call(READ, 0, 32 * MIB + 1), error)
                    self.assertEqual(client.call(WRITE, 0, 33 * MIB, payload=bytes(33 * MIB)), EPERM)
                    self.assertEqual(client.call(CACHE, 0, 80 * MIB), 0)
                    client.request(WRITE, 0, 65 * MIB)
                    self.assertTrue(client.closed_by_server())

    def test_payloads_nobody_asked_for_are_read_past(self):
        client = self.client(extended=True)
        self.assertEqual(client.call(FLUSH, 0, 1000, PAYLOAD, b"x" * 1000), EINVAL)
        self.assertEqual(client.call(WRITE, 0, 512, 0, bytes(512)), EPERM)  # as QEMU sends it, without its flag
        self.assertEqual(client.read(5, 7), self.content[5:12])
        client.request(FLUSH, 0, 1 << 40, PAYLOAD)
        self.assertTrue(client.closed_by_server())

    def test_wrong_magic_ends_it(self):
        for form in (SIMPLE, EXTENSIONS):
            client = self.client(**form)
            client.request(READ, 0, 512, magic=0x25609514)
            self.assertTrue(client.closed_by_server())

    def test_disconnect_after_what_is_in_flight(self):
        client = self.client()
        cookie = client.request(READ, 0, MIB)
        client.request(DISC)
        self.assertEqual(client.read_reply(cookie, 0, MIB), self.content[:MIB])
        self.assertTrue(client.closed_by_server())

    def test_many_requests_in_one_packet(self):
        client = self.client(structured=True)
        places = [(n * 4001, 4096) for n in range(2000) if n * 4001 + 4096 <= self.size]
        packet = b"".join(struct.pack(">IHHQQI", 0x25609513, 0, READ, n, at, size) for n, (at, size) in enumerate(places))
        threading.Thread(target=client.send, args=(packet,), daemon=True).start()
        for n, (at, size) in enumerate(places):
            self.assertEqual(client.read_reply(n, at, size), self.content[at:at + size])

    def test_export_name_is_served(self):
        for flags, zeroes in ((3, 0), (1, 124)):
            with Client(self.uri) as client:
                client.hello(flags).option(EXPORT_NAME)
                size, _ = struct.unpack(">QH", client.receive(10))
                self.assertEqual((size, client.receive(zeroes)), (self.size, bytes(zeroes)))
                self.assertEqual(client.read(3, 9), self.content[3:12])
        with Client(self.uri) as client:
            client.hello().option(EXPORT_NAME, b"nope")
            self.assertTrue(client.closed_by_server())

    def test_no_reply_waits_for_what_does_not_follow(self):
        """The kernel holds back for 200 ms what more was promised after."""
        with serving("--tcp", "0", "-f", "raw", "a.raw") as (_, uri):
            for form in ({}, {"structured": True}):
                with Client(uri) as client:
                    client.go(**form)
                    for length in (1000, (256 << 10) + 1000, MIB + 512, MIB + 30000):
                        times = []
                        for _ in range(6):
                            began = time.monotonic()
                            client.read(0, length)
                            times.append(time.monotonic() - began)
                        # All but one, as others are in the way here too.
                        self.assertLess(sorted(times)[4], 0.15, (form, length, times))

    def test_a_file_that_shrinks_under_a_reader_is_an_error(self):
        client = self.client(structured=True)
        os.truncate("a.raw", 2 * MIB + 4096)
        got = client.read(2 * MIB, MIB)
        self.assertEqual(got, EIO)
        self.assertEqual(client.read(5, 7), self.content[5:12])
        # A simple reply whose header is sent can say so only by not coming to its end, wherever the file ends now.
        for end in (2 * MIB + 4096, 2 * MIB, MIB):
            os.truncate("a.raw", end)
            simple = self.client()
            cookie = simple.request(READ, 2 * MIB, MIB)
            with self.subTest(end=end), self.assertRaises((EOFError, ConnectionError)):
                if simple.read_reply(cookie, 2 * MIB, MIB) == EIO:
                    raise EOFError


if __name__ == "__main__":
    unittest.main()
