# SPDX-License-Identifier: GPL-3.0-or-later
# LABELS: slow
# TIMEOUT: 180
"""http:// and https:// as sources: images by parts, streams from front to back, connections that break, servers that lie."""

import gzip
import json
import os
import signal
import subprocess
import time
import unittest

import nbd_tls_test
from command import DISKLATHE, MIB, CommandTest
from nbd_client import serving
from web_server import web_server


class WebTest(CommandTest):
    def setUp(self):
        super().setUp()
        context = web_server()
        self.site, self.address = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        self.data("a.raw", (0, 70000), (3 * MIB, 200000), (9 * MIB, 9 * MIB + 5), size=24 * MIB)
        self.content = self.put("a.raw")

    def put(self, name):
        with open(name, "rb") as file:
            self.site.files["/" + name] = file.read()
        return self.site.files["/" + name]

    def url(self, name):
        return f"{self.address}/{name}"

    def copies(self, url, *words):
        self.ours("convert", "-q", "-O", "raw", *words, url, "copied")
        with open("copied", "rb") as file:
            self.assertTrue(file.read() == self.content)
        os.unlink("copied")

    def fails(self, url, *words, code, says):
        self.refuses("convert", "-q", "-O", "raw", *words, url, "copied", code=code, says=says)
        self.assertFalse(os.path.exists("copied"))


class Images(WebTest):
    def test_raw_and_qcow2_are_converted(self):
        self.copies(self.url("a.raw"), "-f", "raw")
        self.qemu("convert", "-O", "qcow2", "-c", "a.raw", "a.qcow2")
        self.put("a.qcow2")
        self.copies(self.url("a.qcow2"))
        self.copies(self.url("a.qcow2?token=x.y"), "-f", "qcow2")
        self.ours("convert", "-q", "-O", "qcow2", "--verify", self.url("a.qcow2"), "b.qcow2")
        self.same("a.raw", "b.qcow2")
        self.assertTrue(all(request[2] for request in self.site.requests))  # parts, and nothing else

    def test_only_what_is_needed_is_fetched(self):
        self.data("big.raw", (0, MIB), (200 * MIB, MIB), size=256 * MIB)
        self.qemu("convert", "-O", "qcow2", "-o", "preallocation=full", "big.raw", "big.qcow2")
        self.qemu("convert", "-O", "qcow2", "big.raw", "small.qcow2")
        self.put("big.qcow2"), self.put("small.qcow2")
        self.site.sent = 0
        info = json.loads(self.ours("info", "--output=json", self.url("big.qcow2")).stdout)
        self.assertEqual((info["format"], info["virtual-size"]), ("qcow2", 256 * MIB))
        self.ours("map", "--output=json", self.url("big.qcow2"))
        self.assertLess(self.site.sent, 2 * MIB)
        self.site.sent = 0
        self.ours("convert", "-q", "-O", "raw", self.url("small.qcow2"), "copied")
        self.same("big.raw", "copied")
        self.assertLess(self.site.sent, 2 * os.stat("small.qcow2").st_size)

    def test_other_verbs_take_it(self):
        self.qemu("convert", "-O", "qcow2", "a.raw", "a.qcow2")
        self.put("a.qcow2")
        self.assertIn("identical", self.ours("compare", self.url("a.qcow2"), "a.raw").stdout)
        self.ours("check", self.url("a.qcow2"))
        self.ours("measure", "-O", "qcow2", self.url("a.qcow2"))
        with serving(self.url("a.qcow2")) as (_, uri):
            self.qemu("compare", "-f", "raw", "-F", "raw", uri, "a.raw")

    def test_it_is_read_only(self):
        self.refuses("convert", "a.raw", self.url("b.raw"), code=2, says="not written to")

    def test_an_empty_file_and_one_byte(self):
        for size in (0, 1, 511, 65536, 65537):
            self.data("small.raw", (0, size), size=size)
            content = self.put("small.raw")
            with self.subTest(size=size):
                self.ours("convert", "-q", "-f", "raw", "-O", "raw", self.url("small.raw"), "copied")
                with open("copied", "rb") as file:
                    self.assertEqual(file.read(), content)

    def test_names_in_images_are_no_addresses(self):
        self.qemu("create", "-q", "-u", "-f", "qcow2", "-b", self.url("a.raw"), "-F", "raw", "evil.qcow2", "24M")
        done = subprocess.run([DISKLATHE, "convert", "-O", "raw", "evil.qcow2", "copied"], capture_output=True, text=True, timeout=30)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(self.site.requests, [])


class Streams(WebTest):
    def test_compressed_images(self):
        with open("a.raw.gz", "wb") as file:
            file.write(gzip.compress(self.content, 1))
        self.run_program("xz", "-k", "-0", "a.raw")
        self.put("a.raw.gz"), self.put("a.raw.xz")
        for ranges in (True, False):
            self.site.ranges = ranges
            for name in ("a.raw.gz", "a.raw.xz"):
                with self.subTest(ranges=ranges, name=name):
                    self.copies(self.url(name))
        self.site.ranges = True
        self.site.break_after, self.site.breaks = 300_000, 4
        self.copies(self.url("a.raw.gz"))

    def test_a_server_without_parts(self):
        self.site.ranges = False
        for chunked in (False, True):
            self.site.chunked = chunked
            with self.subTest(chunked=chunked):
                self.copies(self.url("a.raw"))
                self.copies(self.url("a.raw"), "-f", "raw")
        self.qemu("convert", "-O", "qcow2", "a.raw", "a.qcow2")
        self.put("a.qcow2")
        self.fails(self.url("a.qcow2"), "-f", "qcow2", code=18, says="front to back")
        self.fails(self.url("a.qcow2"), code=18, says="qcow2 image")
        self.refuses("map", "-f", "raw", self.url("a.raw"), code=18, says="front to back")
        # Broken off, it cannot be gone on with.
        self.site.chunked = False
        self.site.break_after, self.site.breaks = 5 * MIB, -1
        self.fails(self.url("a.raw"), code=15, says=("went away", self.address))
        self.site.chunked = True
        self.fails(self.url("a.raw"), code=15, says="went away")


class Breaks(WebTest):
    def test_what_breaks_off_is_gone_on_with(self):
        self.qemu("convert", "-O", "qcow2", "a.raw", "a.qcow2")
        self.put("a.qcow2")
        for after, breaks in ((0, 3), (1, 4), (100_000, 20), (300_000, -1)):
            for name in ("a.raw", "a.qcow2"):
                with self.subTest(after=after, name=name):
                    self.site.break_after, self.site.breaks = after, breaks
                    self.copies(self.url(name), "-f", name.split(".")[1])

    def test_short_parts_are_put_together(self):
        self.site.lie = "half"
        self.copies(self.url("a.raw"), "-f", "raw")

    def test_errors_that_pass(self):
        for status in (503, 500, 429):
            self.site.failures, self.site.failure = 3, status
            self.copies(self.url("a.raw"), "-f", "raw")

    def test_errors_that_do_not(self):
        for status, code, says in ((404, 11, "404"), (403, 12, "403"), (401, 12, "401"), (418, 10, "418"), (503, 10, "503")):
            self.site.failures, self.site.failure = -1, status
            with self.subTest(status=status):
                self.fails(self.url("a.raw"), "-f", "raw", code=code, says=(says, self.address))
        self.site.failures = 0
        self.fails(self.url("missing"), code=11, says="missing")

    def test_a_server_that_dies_for_good(self):
        self.site.break_after, self.site.breaks = 0, -1
        self.fails(self.url("a.raw"), "-f", "raw", code=15, says="went away")
        self.fails("http://127.0.0.1:1/a.raw", code=15, says="127.0.0.1")
        self.fails("http://name.invalid/a.raw", code=11, says="name.invalid")

    def test_waiting_can_be_interrupted(self):
        self.site.delay = 20
        process = subprocess.Popen([DISKLATHE, "convert", "-q", "-O", "raw", self.url("a.raw"), "copied"], stderr=subprocess.PIPE)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(5), 130)
        process.stderr.close()
        self.assertFalse(os.path.exists("copied"))


class Changes(WebTest):
    def test_a_file_that_changes_meanwhile(self):
        other = bytes(1000) + os.urandom(len(self.content) - 1000)

        def change(number):
            if number == 6:
                self.site.files["/a.raw"] = other

        for etags, dates, weak in ((True, True, False), (True, False, False), (False, True, False), (True, True, True), (True, False, True)):
            with self.subTest(etags=etags, dates=dates, weak=weak):
                self.site.etags, self.site.dates, self.site.weak = etags, dates, weak
                self.site.files["/a.raw"], self.site.requests = self.content, []
                self.site.change = change
                self.fails(self.url("a.raw"), "-f", "raw", code=16, says=("changed", "another file"))

    def test_a_file_that_becomes_another_size_without_tags(self):
        for size in (23 * MIB, 25 * MIB, 70000):
            def change(number, size=size):
                if number == 4:
                    self.site.files["/a.raw"] = bytes(size)

            with self.subTest(size=size):
                self.site.etags = self.site.dates = False
                self.site.files["/a.raw"], self.site.requests = self.content, []
                self.site.change = change
                self.fails(self.url("a.raw"), "-f", "raw", code=16, says="changed")

    def test_a_stream_that_changes_between_its_parts(self):
        with open("a.raw.gz", "wb") as file:
            file.write(gzip.compress(self.content, 1))
        first = self.put("a.raw.gz")
        self.site.break_after, self.site.breaks = 300_000, -1

        def change(number):
            if number == 5:
                self.site.files["/a.raw.gz"] = first[:-1] + b"\0"

        self.site.change = change
        self.fails(self.url("a.raw.gz"), code=16, says="another file")


class Lies(WebTest):
    def test_no_wrong_byte_comes_of_a_lie(self):
        for lie, code in (("other place", 10), ("other bytes, other place", 10), ("larger", 16), ("more", 10), ("no range", 10),
                          ("garbage", 10), ("encoded", 18), ("all", 10)):
            self.site.lie = lie
            with self.subTest(lie=lie):
                self.fails(self.url("a.raw"), "-f", "raw", code=code, says=self.address)

    def test_a_length_that_is_never_reached(self):
        self.site.lie = "longer than it is"
        self.fails(self.url("a.raw"), "-f", "raw", code=15, says="bytes missing")

    def test_redirections(self):
        self.site.moved = {"/old": "/older", "/older": "/a.raw", "/loop": "/loop", "/file": "file:///etc/passwd", "/ftp": "ftp://127.0.0.1/x"}
        self.copies(self.url("old"), "-f", "raw")
        self.fails(self.url("loop"), code=2, says="loop")
        for name in ("file", "ftp"):
            self.fails(self.url(name), code=2, says=name)

    def test_passwords_are_not_shown(self):
        url = self.url("missing").replace("http://", "http://me:secret@")
        done = self.ours("convert", "-O", "raw", url, "copied", code=11)
        self.assertNotIn("secret", done.stderr)
        self.assertIn("***@", done.stderr)


class Secure(nbd_tls_test.TlsTest):
    def test_https_is_verified(self):
        pki = self.certificates()
        with web_server((f"{pki}/server-cert.pem", f"{pki}/server-key.pem")) as (site, address):
            site.files["/a.raw"] = self.content
            site.moved["/away"] = "http://127.0.0.1:1/"
            self.refuses("convert", "-f", "raw", "-O", "raw", f"{address}/a.raw", "copied", code=12, says=address)
            trusting = {**os.environ, "CURL_CA_BUNDLE": f"{pki}/ca-cert.pem"}
            self.ours("convert", "-q", "-f", "raw", "-O", "raw", f"{address}/a.raw", "copied", env=trusting)
            with open("copied", "rb") as file:
                self.assertTrue(file.read() == self.content)
            # Not out of TLS again.
            self.refuses("convert", "-f", "raw", "-O", "raw", f"{address}/away", "other", code=2, says="away", env=trusting)


if __name__ == "__main__":
    unittest.main()
