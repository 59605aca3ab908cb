# SPDX-License-Identifier: GPL-3.0-or-later
# LABELS: slow
# TIMEOUT: 3600
"""The images in the formats that are only read, by the hundred."""

import os
import sys

import old_formats_test

os.environ.setdefault("DISKLATHE_ROUNDS", "400")
sys.exit(old_formats_test.rounds())
