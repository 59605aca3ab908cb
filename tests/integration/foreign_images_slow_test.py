# SPDX-License-Identifier: GPL-3.0-or-later
# LABELS: slow
# TIMEOUT: 3600
"""The images in the formats of other programs, by the hundred."""

import os
import sys

import foreign_images_test

os.environ.setdefault("DISKLATHE_ROUNDS", "500")
sys.exit(foreign_images_test.rounds())
