# SPDX-License-Identifier: GPL-3.0-or-later
"""disklathe serve --status and --revoke: who is there, what he has touched, and how he is sent away; and the way out."""

import json
import os
import signal
import subprocess
import tempfile
import time
import unittest

from command import DISKLATHE, MIB, CommandTest
from nbd_client import *


# Connects twice, waits to be sent away, and comes again: how many bytes it is greeted with then.
TWICE = """
import socket
def come():
    one = socket.socket(socket.AF_UNIX)
    one.connect("s")
    return one
first, second = come(), come()
first.recv(18), second.recv(18)
print(flush=True)
first.recv(1), second.recv(1)
try:
    print("gone", len(come().recv(18)))
except OSError:
    print("gone", 0)
"""


class StatusTest(CommandTest):
    needs = ()

    def setUp(self):
        super().setUp()
        # Not the user's own: other tests have servers there.
        os.mkdir("run")
        before = os.environ.get("XDG_RUNTIME_DIR")
        os.environ["XDG_RUNTIME_DIR"] = os.path.abspath("run")
        self.addCleanup(self.restore, before)
        self.data("a.raw", (0, MIB), (2 * MIB, MIB), size=4 * MIB)

    @staticmethod
    def restore(before):
        del os.environ["XDG_RUNTIME_DIR"]
        if before is not None:
            os.environ["XDG_RUNTIME_DIR"] = before

    def status(self, *which):
        """What the one server that is meant says."""
        servers = json.loads(self.ours("serve", "--status", "--output", "json", *which).stdout)["servers"]
        self.assertEqual(len(servers), 1)
        return servers[0]


class Status(StatusTest):
    def test_tells_exports_clients_and_what_they_touched(self):
        with serving("--rw", "-f", "raw", "--export", "disk=a.raw", "--socket", "s") as (process, uri):
            status = self.status()
            self.assertEqual((status["process"], status["clients"]), (process.pid, []))
            nobody = {"clients": 0, "requests": 0, "bytes-read": 0, "bytes-written": 0, "read": [], "written": []}
            self.assertEqual(status["exports"], [{"left": nobody, "name": "disk", "uri": uri, "image": "a.raw", "size": 4 * MIB, "writable": True}])
            with Client(uri) as reader, Client(uri) as writer, Client(uri) as undecided:
                reader.go("disk").read(0, 8192)
                reader.read(MIB, 4096)
                writer.go("disk").call(WRITE, 2 * MIB, 4096, 0, bytes(4096))
                writer.call(WRITE_ZEROES, 3 * MIB, MIB)
                undecided.hello()
                one, two, three = self.status()["clients"]
                self.assertEqual((one["export"], two["export"], three["export"]), ("disk", "disk", None))
                self.assertEqual((one["bytes-read"], one["bytes-written"], one["requests"]), (8192 + 4096, 0, 2))
                self.assertEqual(one["read"], [{"start": 0, "length": 8192}, {"start": MIB, "length": 4096}])
                self.assertEqual((two["bytes-written"], two["requests"]), (MIB + 4096, 2))
                self.assertEqual(two["written"], [{"start": 2 * MIB, "length": 4096}, {"start": 3 * MIB, "length": MIB}])
                self.assertIn(f"process {os.getpid()} of user {os.getuid()}", one["peer"])
                self.assertEqual(len({one["id"], two["id"], three["id"]}), 3)
            wait_until(lambda: self.status()["clients"] == [])
            said = self.ours("serve", "--status").stdout
            self.assertIn(uri, said)
            self.assertIn("no clients", said)

    def test_who_came_and_left_between_two_looks_is_counted(self):
        with serving("--rw", "-f", "raw", "--socket", "s", "a.raw") as (_, uri):
            for at in (0, MIB):
                with Client(uri) as client:
                    client.go().read(at, 8192)
                    client.call(WRITE, 2 * MIB + at, 4096, 0, bytes(4096))
            with Client(uri) as client:
                client.hello()  # leaves without an export: nobody's client
            wait_until(lambda: self.status()["clients"] == [])
            left = self.status()["exports"][0]["left"]
            self.assertEqual((left["clients"], left["requests"]), (2, 4))
            self.assertEqual((left["bytes-read"], left["bytes-written"]), (2 * 8192, 2 * 4096))
            self.assertEqual(left["read"], [{"start": at, "length": 8192} for at in (0, MIB)])
            self.assertEqual(left["written"], [{"start": 2 * MIB + at, "length": 4096} for at in (0, MIB)])
            self.assertIn("2 clients left: read 16 KiB", self.ours("serve", "--status").stdout)

    def test_rates_are_those_of_the_last_seconds(self):
        with serving("-f", "raw", "a.raw") as (_, uri), Client(uri) as client:
            client.go()
            end = time.monotonic() + 2.6
            while time.monotonic() < end:
                client.read(0, 65536)
                time.sleep(0.01)
            rate = self.status()["clients"][0]["read-rate"]
            self.assertGreater(rate, 65536 * 20)
            self.assertLess(rate, 65536 * 110)
            wait_until(lambda: self.status()["clients"][0]["read-rate"] == 0)

    def test_a_server_is_found_by_uri_socket_and_process(self):
        with serving("-f", "raw", "--socket", "one", "a.raw") as (first, first_uri), \
                serving("-f", "raw", "--tcp", "0", "a.raw") as (second, second_uri):
            for which, expected in ((first_uri, first), ("one", first), (str(first.pid), first), (second_uri, second)):
                self.assertEqual(self.status(which)["process"], expected.pid)
            with Client(second_uri) as client:
                client.go()
                self.assertRegex(self.status(second_uri)["clients"][0]["peer"], r"^127\.0\.0\.1:\d+$")
            self.refuses("serve", "--status", "nbd://nowhere", code=11, says="nbd://nowhere")
            self.refuses("serve", "--revoke", "1", code=2, says="say which one")
        self.assertIn("no server", self.ours("serve", "--status").stdout)
        self.assertEqual(os.listdir("run/disklathe"), [])

    def test_a_server_that_does_not_answer_is_named(self):
        with serving("-f", "raw", "a.raw") as (process, uri):
            process.send_signal(signal.SIGSTOP)
            try:
                self.refuses("serve", "--status", str(process.pid), code=10, says=("did not answer", str(process.pid)))
            finally:
                process.send_signal(signal.SIGCONT)

    def test_a_killed_server_leaves_nothing(self):
        marks = ("--socket", "s", "--pid-file", "pid", "--run", "echo $$ >command; exec sleep 60")
        process = subprocess.Popen([DISKLATHE, "serve", "-f", "raw", *marks, "a.raw"])
        wait_until(lambda: os.path.exists("command") and os.path.getsize("command") > 0 and os.path.exists("s"))
        process.kill()
        process.wait()
        wait_until(lambda: os.listdir("run/disklathe") == [] and not os.path.exists("s") and not os.path.exists("pid"))
        self.assertIn("no server", self.ours("serve", "--status").stdout)

    def test_a_socket_that_nobody_listens_at_is_no_server(self):
        os.makedirs("run/disklathe", mode=0o700)
        with socket.socket(socket.AF_UNIX) as left:
            left.bind("run/disklathe/serve-4194303")
        self.assertIn("no server", self.ours("serve", "--status").stdout)
        self.assertEqual(os.listdir("run/disklathe"), [])

    def test_who_asks_slowly_or_wrongly_holds_nobody_up(self):
        with serving("-f", "raw", "a.raw") as (process, uri):
            place = f"run/disklathe/serve-{process.pid}"
            self.assertEqual(os.stat(place).st_mode & 0o777, 0o600)
            for question in (b"", b"nonsense\n", b"x" * 100000, b"revoke\n", b"revoke 99999999999999999999\n", b"status"):
                with socket.socket(socket.AF_UNIX) as asker:
                    asker.settimeout(10)
                    asker.connect(place)
                    with contextlib.suppress(OSError):
                        asker.sendall(question)
                    if question.endswith(b"\n"):
                        self.assertIn(b"no such question" if question[:1] == b"n" or question == b"revoke\n" else b"false", asker.recv(1000))
                    with Client(uri) as client:
                        self.assertEqual(len(client.go().read(0, 4096)), 4096)

    def test_a_place_that_others_can_write_to_is_not_used(self):
        os.makedirs("run/disklathe")
        os.chmod("run/disklathe", 0o777)
        with serving("-f", "raw", "--pid-file", "pid", "a.raw") as (process, uri):
            with Client(uri) as client:
                client.go()
            process.terminate()
            self.assertIn("--status will not find this server", process.communicate()[1])


class Sealed(StatusTest):
    def layers(self, process):
        with open(f"/proc/{process.pid}/status") as file:
            fields = dict(line.split(":", 1) for line in file)
        return int(fields["NoNewPrivs"]), int(fields["Seccomp"])

    def test_a_server_is_locked_in(self):
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            path = self.data(os.path.join(folder, "a.raw"), (0, MIB), size=4 * MIB)
            for words in ((), ("--tcp", "0"), ("--rw",), ("--cow",), ("-t", "none"), ("-t", "none", "--rw", "--max-connections", "2")):
                with self.subTest(words=words), serving("-f", "raw", *words, path) as (process, uri), Client(uri) as client:
                    self.assertEqual(self.layers(process), (1, 2))
                    client.go(structured=True, contexts=["base:allocation"])
                    self.assertEqual(len(client.read(0, 2 * MIB)), 2 * MIB)
                    self.assertEqual(client.status(0, 4 * MIB)["base:allocation"][0], (MIB, 0))
                    if "--rw" in words or "--cow" in words:
                        for command in (WRITE_ZEROES, TRIM):
                            self.assertEqual(client.call(command, 0, 65536), 0)
                        self.assertEqual(client.call(WRITE, 0, 65536, FUA, b"x" * 65536), 0)
                        self.assertEqual(client.read(0, 65536), b"x" * 65536)

    def test_its_command_is_not(self):
        self.ours("serve", "-f", "raw", "--run", "grep -q 'Seccomp:.*0' /proc/self/status && echo here >there", "a.raw")
        self.assertTrue(os.path.exists("there"))


class Revoking(StatusTest):
    def test_a_client_is_sent_away_with_all_its_connections_and_the_others_stay(self):
        with serving("-f", "raw", "--socket", "s", "a.raw") as (process, uri), Client(uri) as staying:
            staying.go()
            other = subprocess.Popen(["python3", "-c", TWICE], stdout=subprocess.PIPE, text=True)
            other.stdout.readline()
            clients = self.status()["clients"]
            number = next(client["id"] for client in clients if f"process {other.pid} " in client["peer"])
            self.assertEqual(len(clients), 3)
            self.ours("serve", "--revoke", str(number))
            self.assertEqual(other.communicate(timeout=10)[0].split(), ["gone", "0"])
            wait_until(lambda: len(self.status()["clients"]) == 1)
            self.assertEqual(len(staying.read(0, 4096)), 4096)
            self.refuses("serve", "--revoke", str(number), code=11, says="none of that number")


class Draining(StatusTest):
    def test_what_is_under_way_is_answered_before_the_end(self):
        """A slow server's requests: SIGTERM comes while they wait."""
        with self.slow_disk() as remote, serving("-f", "raw", "--socket", "s", remote) as (process, uri):
            with Client(uri) as client:
                client.go()
                cookie = client.request(READ, 0, 4096)
                time.sleep(0.3)
                began = time.monotonic()
                process.send_signal(signal.SIGTERM)
                with open("a.raw", "rb") as file:
                    self.assertEqual(client.read_reply(cookie, 0, 4096), file.read(4096))
                self.assertTrue(client.closed_by_server())
            self.assertEqual(process.wait(10), 0)
            self.assertLess(time.monotonic() - began, 4)

    def test_who_takes_nothing_does_not_hold_up_the_end(self):
        with serving("-f", "raw", "a.raw") as (process, uri), Client(uri) as client:
            client.go().socket.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                for _ in range(2000):
                    client.request(READ, 0, 4 * MIB)
            began = time.monotonic()
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(15), 0)
            self.assertLess(time.monotonic() - began, 8)

    @contextlib.contextmanager
    def slow_disk(self):
        path = os.path.abspath("slow.sock")
        server = subprocess.Popen(["nbdkit", "-f", "-r", "-U", path, "--filter=delay", "file", "a.raw", "delay-read=1"])
        try:
            wait_until(lambda: os.path.exists(path))
            yield f"nbd+unix:///?socket={path}"
        finally:
            server.kill()
            server.wait()


if __name__ == "__main__":
    unittest.main()
