# SPDX-License-Identifier: GPL-3.0-or-later
# LABELS: slow
# TIMEOUT: 300
"""docs/example builds against an installed Disklathe, from a folder that knows nothing of the sources, and runs."""

import os
import pathlib
import re
import subprocess
import tempfile

source = pathlib.Path(os.environ["DISKLATHE_SOURCE_DIR"])
build = pathlib.Path(os.environ["DISKLATHE_BUILD_DIR"])


def run(*command):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


with tempfile.TemporaryDirectory(prefix="disklathe-installed-") as folder:
    prefix, out = pathlib.Path(folder, "prefix"), pathlib.Path(folder, "out")
    run("cmake", "--install", build, "--prefix", prefix)
    assert (prefix / "include/disklathe/core/base/version.h").is_file(), "the headers are not installed"
    run("cp", "-r", source / "docs/example", folder)
    sanitizers = re.search(r"^DISKLATHE_SANITIZE:\w+=(.+)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)
    flags = [f"-DCMAKE_CXX_FLAGS=-fsanitize={sanitizers[1]}"] if sanitizers else []
    run("cmake", "-G", "Ninja", "-S", pathlib.Path(folder, "example"), "-B", out, f"-DCMAKE_PREFIX_PATH={prefix}", *flags)
    run("cmake", "--build", out)
    said = run(out / "example")
    assert re.match(r"built with Disklathe \d+\.\d+", said), said
