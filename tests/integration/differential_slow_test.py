# SPDX-License-Identifier: GPL-3.0-or-later
# LABELS: slow
# TIMEOUT: 3600
"""The differential test with hundreds of images."""

import os
import sys

import differential_test

os.environ.setdefault("DISKLATHE_ROUNDS", "300")
sys.exit(differential_test.main())
