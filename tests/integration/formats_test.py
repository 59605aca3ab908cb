# SPDX-License-Identifier: GPL-3.0-or-later
# TIMEOUT: 120
"""A few images of each format, the same every time: formats_slow_test.py has other ones."""

import sys

from format_rounds import run_rounds

if __name__ == "__main__":
    sys.exit(run_rounds(rounds=10, seconds=5))
