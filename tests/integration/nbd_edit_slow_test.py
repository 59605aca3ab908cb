# SPDX-License-Identifier: GPL-3.0-or-later
# LABELS: slow
# TIMEOUT: 300
"""An hour of bad luck in a minute: images that are served, written to, killed and served again."""

import os
import random
import subprocess
import time
import unittest

from command import MIB
from nbd_client import *
from nbd_edit_test import EditTest
from nbd_scribble import Killed, scribble_together

SECONDS = float(os.environ.get("DISKLATHE_TORTURE_SECONDS", "60"))
KINDS = (("", True, True), ("cluster_size=4k", True, True), ("cluster_size=512,refcount_bits=64", False, True),
         ("compat=0.10", True, True), ("extended_l2=on", True, True), ("cluster_size=2M", True, False),
         ("cluster_size=16k,compression_type=zstd", False, True), ("preallocation=metadata", False, False),
         ("refcount_bits=1", True, False))
RAW = len(KINDS)  # after as many rounds comes one with a raw file


class Torture(EditTest):
    needs = ("qemu-img", "qemu-io")

    def test_what_was_flushed_survives_again_and_again(self):
        seed = int(os.environ.get("DISKLATHE_SEED", time.time()))
        choose, rounds, end = random.Random(seed), 0, time.monotonic() + SECONDS
        self.kills = self.requests = self.flushes = 0
        while time.monotonic() < end or rounds <= RAW:
            if rounds % (RAW + 1) == RAW:
                with self.subTest(seed=seed, round=rounds, options="raw"):
                    self.life_of_raw(choose)
                rounds += 1
                continue
            options, backing, snapshot = KINDS[rounds % (RAW + 1)]
            for name in ("one.raw", "a.qcow2"):
                if os.path.exists(name):
                    os.remove(name)
            model = self.image(options, size=choose.choice([12, 24, 48]) * MIB, backing=backing, snapshot=snapshot)
            with self.subTest(seed=seed, round=rounds, options=options):
                self.one_life(choose, model)
            rounds += 1
        print(f"{rounds} images, {self.kills} kills, {self.requests} requests, {self.flushes} flushes, seed {seed}")

    def kill(self, image, model, choose, *words):
        killed = Killed(image, model, clients=choose.randrange(1, 5), seed=choose.randrange(1 << 15), words=("--rw", *words))
        killed.run(after=choose.choice([0.05, 0.2, 0.5]) + choose.random() * 0.4)
        self.kills += 1
        self.requests += killed.requests
        self.flushes += killed.flushes
        return killed

    def life_of_raw(self, choose):
        model = bytearray(choose.randbytes(choose.choice([12, 24, 48]) * MIB))
        with open("a.raw", "wb") as file:
            file.write(model)
        for session in range(4):
            killed = self.kill("a.raw", model, choose, "-f", "raw", "-t", choose.choice(["auto", "none", "directsync"]))
            content = self.content("a.raw")
            self.assertEqual(killed.wrong(content), [])
            model = bytearray(content)
        os.remove("a.raw")

    def one_life(self, choose, model):
        """The image is killed several times, its leaks are repaired now and then, and in the end it is closed well."""
        cache = choose.choice(["auto", "none", "directsync"])
        for session in range(4):
            killed = self.kill("a.qcow2", model, choose, "-t", cache)
            if choose.random() < 0.5:
                check = subprocess.run(["qemu-img", "check", "-r", "leaks", "a.qcow2"], capture_output=True, text=True)
            else:
                check = subprocess.run(["qemu-img", "check", "a.qcow2"], capture_output=True, text=True)
            self.assertIn(check.returncode, (0, 3), check.stdout + check.stderr)
            self.qemu("convert", "-O", "raw", "a.qcow2", "after.raw")
            content = self.content("after.raw")
            self.assertEqual(killed.wrong(content), [])
            model = bytearray(content)
            if os.path.exists("one.raw"):
                self.qemu("convert", "-l", "one", "-O", "raw", "a.qcow2", "one.after.raw")
                self.assertTrue(self.content("one.after.raw") == self.content("one.raw"))
        self.run_program("qemu-img", "check", "-q", "-r", "leaks", "a.qcow2")
        with serving("--rw", "-t", cache, "a.qcow2") as (_, uri):
            self.assertEqual(scribble_together(uri, model, clients=3, rounds=30, seed=choose.randrange(1 << 20)), [])
        self.holds(model)


if __name__ == "__main__":
    unittest.main()
