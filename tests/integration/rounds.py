# SPDX-License-Identifier: GPL-3.0-or-later
"""Rounds by chance, each with a seed of its own, so that any can be played again."""

import os
import random
import tempfile
import time

from programs import NotJudged, Work, Wrong


def play_rounds(play, name, rounds, seconds=15, again=""):
    """play(chance, work, number) until `rounds` or `seconds` are over; what to exit with. The same few rounds every time;
    other ones when DISKLATHE_ROUNDS asks for so many, from DISKLATHE_SEED on. again: what else is to be set for a round."""
    asked = os.environ.get("DISKLATHE_ROUNDS")
    if asked:
        rounds, seconds = int(asked), float("inf")
    seed = int(os.environ.get("DISKLATHE_SEED", random.SystemRandom().randrange(10**9) if asked else 1))
    print(f"{rounds} images from seed {seed} on", flush=True)
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    began, done, failures = time.monotonic(), 0, []
    while done < rounds and time.monotonic() - began < seconds and len(failures) < 5:
        number = seed + done
        done += 1
        with tempfile.TemporaryDirectory(prefix=f"disklathe-{name}-", dir=base) as folder:
            try:
                play(random.Random(number), Work(folder), number)
            except NotJudged as why:
                print(f"DISKLATHE_SEED={number}: not judged, {why}")
            except Wrong as wrong:
                failures.append(number)
                print(f"\nDISKLATHE_SEED={number} DISKLATHE_ROUNDS=1{again}:\n{wrong}", flush=True)
    print(f"{done} images in {time.monotonic() - began:.1f} s, {len(failures)} wrong: {failures}", flush=True)
    return 1 if failures else 0
