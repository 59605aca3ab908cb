# SPDX-License-Identifier: GPL-3.0-or-later
"""An NBD client that says exactly what a test wants said, and a server of ours to say it to."""

import contextlib
import os
import select
import signal
import socket
import struct
import subprocess
import time

from command import DISKLATHE

READ, WRITE, DISC, FLUSH, TRIM, CACHE, WRITE_ZEROES, BLOCK_STATUS = range(8)
FUA, NO_HOLE, DF, REQ_ONE, FAST_ZERO, PAYLOAD = 1, 2, 4, 8, 16, 32
EXPORT_NAME, ABORT, LIST, STARTTLS, INFO, GO = 1, 2, 3, 5, 6, 7
STRUCTURED, LIST_META, SET_META, EXTENDED = 8, 9, 10, 11
ACK, SERVER, REP_INFO, META = 1, 2, 3, 4
UNSUPPORTED, POLICY, INVALID, TLS_REQUIRED, UNKNOWN, TOO_BIG = (0x80000000 + n for n in (1, 2, 3, 5, 6, 9))
EPERM, EIO, EINVAL, ENOSPC, EOVERFLOW, ENOTSUP = 1, 5, 22, 28, 75, 95


@contextlib.contextmanager
def serving(*words, stdin=None, wait=10):
    """A server in the background: (its process, its first URI). Ended with SIGTERM, and asked how that went."""
    process = subprocess.Popen([DISKLATHE, "serve", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        ready, _, _ = select.select([process.stdout], [], [], wait)
        uri = process.stdout.readline().strip() if ready else ""
        if not uri:
            process.kill()
            raise AssertionError(f"the server did not come up: {process.stderr.read()}")
        yield process, uri
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        code = process.wait(20)
        assert code == 0, f"the server ended with {code}: {process.stderr.read()}"
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        process.stdout.close()
        process.stderr.close()


def server_socket(uri):
    from urllib.parse import parse_qs, unquote, urlparse

    parts = urlparse(uri)
    if parts.scheme == "nbd+unix":
        return socket.AF_UNIX, parse_qs(parts.query)["socket"][0]
    return socket.AF_INET, (parts.hostname, parts.port)


class Refused(Exception):
    def __init__(self, reply):
        super().__init__(hex(reply))
        self.reply = reply


class Client:
    """One connection. Replies are taken apart without mercy: anything unexpected is an AssertionError."""

    def __init__(self, uri, timeout=20):
        family, address = server_socket(uri)
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.socket.settimeout(timeout)
        try:
            self.socket.connect(address)
        except OSError:
            self.socket.close()
            raise
        self.extended = self.structured = False
        self.cookie = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def receive(self, count):
        parts = bytearray()
        while len(parts) < count:
            part = self.socket.recv(min(count - len(parts), 1 << 20))
            if not part:
                raise EOFError(f"after {len(parts)} of {count} bytes")
            parts += part
        return bytes(parts)

    def send(self, data):
        self.socket.sendall(data)

    def closed_by_server(self):
        """Whatever comes before its end is read past."""
        try:
            while self.socket.recv(4096):
                pass
        except TimeoutError:
            return False
        except ConnectionError:
            pass
        return True

    # The handshake

    def hello(self, flags=3):
        greeting = self.receive(18)
        assert greeting == b"NBDMAGICIHAVEOPT\x00\x03", greeting
        self.send(struct.pack(">I", flags))
        return self

    def option(self, option, data=b"", length=None):
        self.send(b"IHAVEOPT" + struct.pack(">II", option, len(data) if length is None else length) + data)

    def reply(self, option=None):
        magic, told, kind, length = struct.unpack(">QIII", self.receive(20))
        assert magic == 0x3E889045565A9 and (option is None or told == option), (hex(magic), told)
        return kind, self.receive(length)

    def replies(self, option, data=b""):
        """All replies to one option, up to its last."""
        self.option(option, data)
        found = []
        while True:
            kind, payload = self.reply(option)
            if kind >> 31:
                raise Refused(kind)
            if kind == ACK:
                return found
            found.append((kind, payload))

    @staticmethod
    def text(text):
        return struct.pack(">I", len(text)) + text.encode()

    def meta(self, option, name, *queries):
        data = self.text(name) + struct.pack(">I", len(queries)) + b"".join(map(self.text, queries))
        return {payload[4:].decode(): struct.unpack(">I", payload[:4])[0] for _, payload in self.replies(option, data)}

    def go(self, name="", structured=False, extended=False, contexts=(), option=GO, hello=True):
        if hello:
            self.hello()
        if structured:
            self.replies(STRUCTURED)
            self.structured = True
        if extended:
            self.replies(EXTENDED)
            self.structured = self.extended = True
        self.contexts = self.meta(SET_META, name, *contexts) if contexts else {}
        infos = self.replies(option, self.text(name) + struct.pack(">HH", 1, 3))
        for _, payload in infos:
            kind, = struct.unpack(">H", payload[:2])
            if kind == 0:
                self.size, self.flags = struct.unpack(">QH", payload[2:])
            if kind == 3:
                self.block_sizes = struct.unpack(">III", payload[2:])
        return self

    # Transmission

    def request(self, command, offset=0, length=0, flags=0, payload=b"", magic=None):
        self.cookie += 1
        form = ">IHHQQQ" if self.extended else ">IHHQQI"
        magic = magic or (0x21E41C71 if self.extended else 0x25609513)
        self.send(struct.pack(form, magic, flags, command, self.cookie, offset, length) + payload)
        return self.cookie

    def chunk(self):
        """One message: (cookie, flags, type, payload); a simple reply has type None and its error as payload."""
        magic, = struct.unpack(">I", self.receive(4))
        if magic == 0x67446698:
            assert not self.extended
            error, cookie = struct.unpack(">IQ", self.receive(12))
            return cookie, 1, None, error
        if self.extended:
            assert magic == 0x6E8A278C, hex(magic)
            flags, kind, cookie, _, length = struct.unpack(">HHQQQ", self.receive(28))
        else:
            assert self.structured and magic == 0x668E33EF, hex(magic)
            flags, kind, cookie, length = struct.unpack(">HHQI", self.receive(16))
        assert length <= (32 << 20) + 64, length
        return cookie, flags, kind, self.receive(length)

    def result(self, cookie):
        """The error of a reply without a payload."""
        told, flags, kind, payload = self.chunk()
        assert told == cookie and flags & 1, (told, cookie, flags)
        if kind is None:
            return payload
        if kind == 0:
            return 0
        assert kind == 0x8001, kind
        return struct.unpack(">I", payload[:4])[0]

    def call(self, command, offset=0, length=0, flags=0, payload=b""):
        return self.result(self.request(command, offset, length, flags, payload))

    def read(self, offset, length, flags=0):
        """The bytes, or the error as a number. self.chunks: how they came, [(offset, length, is a hole)]."""
        return self.read_reply(self.request(READ, offset, length, flags), offset, length)

    def read_reply(self, cookie, offset, length):
        self.chunks = []
        if not self.structured:
            told, _, _, error = self.chunk()
            assert told == cookie
            return error or self.receive(length)
        content, error, missing = bytearray(b"\xaa" * length), 0, length
        while True:
            told, flags, kind, payload = self.chunk()
            assert told == cookie, (told, cookie)
            if kind in (1, 2):
                at, = struct.unpack(">Q", payload[:8])
                size = len(payload) - 8 if kind == 1 else struct.unpack(">I", payload[8:])[0]
                assert size > 0 and offset <= at and at + size <= offset + length, (at, size)
                content[at - offset:at - offset + size] = payload[8:] if kind == 1 else bytes(size)
                self.chunks.append((at, size, kind == 2))
                missing -= size
            elif kind == 0x8001:
                error, = struct.unpack(">I", payload[:4])
            else:
                assert kind == 0 and flags & 1 and not payload, kind
            if flags & 1:
                assert error or missing == 0, f"{missing} bytes did not come"
                return error or bytes(content)

    def status(self, offset, length, flags=0):
        """{context: [(length, value)]}, or the error as a number."""
        cookie = self.request(BLOCK_STATUS, offset, length, flags)
        names = {number: name for name, number in self.contexts.items()}
        found = {}
        while True:
            told, flags, kind, payload = self.chunk()
            assert told == cookie
            if kind == 0x8001:
                return struct.unpack(">I", payload[:4])[0]
            if kind == 6:
                number, count = struct.unpack(">II", payload[:8])
                assert len(payload) == 8 + count * 16
                entries = list(struct.iter_unpack(">QQ", payload[8:]))
            else:
                assert kind == 5, kind
                number, = struct.unpack(">I", payload[:4])
                entries = list(struct.iter_unpack(">II", payload[4:]))
            found[names[number]] = entries
            if flags & 1:
                assert found.keys() == self.contexts.keys()
                return found

    def disconnect(self):
        self.request(DISC)
        assert self.closed_by_server()


def memory_of(process):
    """(resident bytes, threads); without those that the kernel has for rings."""
    with open(f"/proc/{process.pid}/statm") as file:
        resident = int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    names = []
    for task in os.listdir(f"/proc/{process.pid}/task"):
        with contextlib.suppress(OSError), open(f"/proc/{process.pid}/task/{task}/comm") as file:
            names.append(file.read())
    return resident, sum(not name.startswith("iou-") for name in names)


def wait_until(condition, seconds=10):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come to be in time"
        time.sleep(0.02)
