# SPDX-License-Identifier: GPL-3.0-or-later
# LABELS: slow
# TIMEOUT: 1200
"""Hundreds of images of the formats other programs use, other ones every time."""

import os
import random
import sys

from format_rounds import run_rounds

if __name__ == "__main__":
    os.environ.setdefault("DISKLATHE_SEED", str(random.SystemRandom().randrange(10**9)))
    sys.exit(run_rounds(rounds=400, seconds=900))
