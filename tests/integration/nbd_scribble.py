# SPDX-License-Identifier: GPL-3.0-or-later
"""NBD clients that write by chance, several at a time, and know what the disk has to hold."""

import random
import subprocess
import threading
import time

from command import DISKLATHE
from nbd_client import *

SECTOR = 512
GRAIN = 96 << 10  # of the disk, to each client in turn: neighbours share clusters of most sizes


def parts_of(number, clients, size):
    return [(at, min(GRAIN, size - at)) for at in range(number * GRAIN, size, clients * GRAIN)]


def scribble_together(uri, model, clients, rounds, seed=0):
    """Writes, zeroes and trims through as many connections, the model alongside. Returns what went wrong."""
    failures = []

    def scribble(number):
        choose = random.Random(seed * 1000 + number)
        parts = parts_of(number, clients, len(model))
        form = ({}, {"structured": True}, {"extended": True})[number % 3]
        try:
            with Client(uri) as client:
                client.go(**form)
                payload = PAYLOAD if client.extended else 0
                for _ in range(rounds):
                    start, room = choose.choice(parts)
                    at = start + choose.choice([0, 512, 4096, 65536, choose.randrange(room)]) % room
                    length = min(choose.choice([1, 512, 4096, 65536, 90001]), start + room - at)
                    kind = choose.random()
                    if kind < 0.6:
                        data = choose.randbytes(length)
                        error = client.call(WRITE, at, length, payload | choose.choice([0, 0, 0, 0, 0, FUA]), data)
                    elif kind < 0.8:
                        data = bytes(length)
                        error = client.call(WRITE_ZEROES, at, length, choose.choice([0, 0, NO_HOLE]))
                    elif kind < 0.9:
                        error = client.call(TRIM, at, length)
                        data = client.read(at, length)
                        if any(now not in (0, then) for now, then in zip(data, model[at:at + length])):
                            failures.append((number, "a trim left other bytes", at, length))
                    else:
                        error, data = client.call(FLUSH), model[at:at + length]
                    model[at:at + length] = data
                    if error or client.read(at, length) != data:
                        failures.append((number, at, length, error))
                        return
        except Exception as error:  # pylint: disable=broad-except
            failures.append((number, repr(error)))

    threads = [threading.Thread(target=scribble, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failures


class Killed:
    """A server that is killed while clients write to it, each to its own parts, and note what was flushed."""

    def __init__(self, image, model, clients, seed, words=("--rw",)):
        self.image, self.model, self.clients, self.seed, self.words = image, bytes(model), clients, seed, words
        self.flushes = 0
        self.requests = 0
        # Of each sector what it may hold: what it held at the last flush, and what was written to it since.
        self.maybe = {}
        self.lock = threading.Lock()

    def run(self, after):
        process = subprocess.Popen([DISKLATHE, "serve", *self.words, self.image], stdout=subprocess.PIPE, text=True)
        uri = process.stdout.readline().strip()
        threads = [threading.Thread(target=self.write, args=(uri, number)) for number in range(self.clients)]
        for thread in threads:
            thread.start()
        time.sleep(after)
        process.kill()
        process.wait()
        process.stdout.close()
        for thread in threads:
            thread.join()

    def write(self, uri, number):
        choose = random.Random(self.seed * 1000 + number)
        parts = parts_of(number, self.clients, len(self.model))
        own, last, since = {}, {}, set()
        try:
            with Client(uri) as client:
                client.go()
                for serial in range(1 << 30):
                    self.requests += 1
                    start, room = choose.choice(parts)
                    first = start // SECTOR + choose.randrange(room // SECTOR)
                    count = min(choose.choice([1, 8, 32, 128]), start // SECTOR + room // SECTOR - first)
                    kind = choose.random()
                    stamp = struct.pack(">Q", (self.seed << 48 | number << 40 | serial) + 1) * (SECTOR // 8)
                    if kind > 0.9:
                        if client.call(FLUSH):
                            return
                        for sector in since:
                            own[sector] = {last[sector]}
                        since.clear()
                        self.flushes += 1
                        continue
                    value = stamp if kind < 0.65 else bytes(SECTOR)
                    for sector in range(first, first + count):
                        own.setdefault(sector, {self.model[sector * SECTOR:(sector + 1) * SECTOR]}).add(value)
                        last[sector] = value
                        since.add(sector)
                    flags = choose.choice([0, 0, 0, FUA])
                    if kind < 0.65:
                        error = client.call(WRITE, first * SECTOR, count * SECTOR, flags, stamp * count)
                    else:
                        error = client.call(WRITE_ZEROES, first * SECTOR, count * SECTOR, flags)
                    if error:
                        return
                    if flags:
                        for sector in range(first, first + count):
                            own[sector] = {value}
                            since.discard(sector)
        except (OSError, EOFError):
            pass
        finally:
            with self.lock:
                self.maybe.update(own)

    def wrong(self, content):
        """Sectors that hold what they cannot hold."""
        bad = [sector for sector, values in self.maybe.items()
               if content[sector * SECTOR:(sector + 1) * SECTOR] not in values]
        rest = bytearray(content)
        then = bytearray(self.model)
        for sector in self.maybe:
            rest[sector * SECTOR:(sector + 1) * SECTOR] = then[sector * SECTOR:(sector + 1) * SECTOR] = bytes(SECTOR)
        return bad + ([] if rest == then else ["a sector that nobody has written to"])
