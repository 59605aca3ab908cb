# SPDX-License-Identifier: GPL-3.0-or-later
"""What a desktop looks for is as its validators want it, and goes where it looks."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["DISKLATHE_SOURCE_DIR"]) / "packaging"
BUILD = pathlib.Path(os.environ["DISKLATHE_BUILD_DIR"])


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False)


class Packaging(unittest.TestCase):
    def test_desktop_file(self):
        result = run("desktop-file-validate", str(SOURCE / "org.disklathe.Disklathe.desktop"))
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)

    def test_metainfo(self):
        # There is no homepage yet, and none is invented.
        result = run("appstreamcli", "validate", "--no-net", "--override=url-homepage-missing=info",
                     str(SOURCE / "org.disklathe.Disklathe.metainfo.xml"))
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_installed_where_a_desktop_looks(self):
        if not (BUILD / "bin" / "disklathe-gui").exists():
            self.skipTest("built without the window")
        with tempfile.TemporaryDirectory() as root:
            environment = {**os.environ, "DESTDIR": root}
            result = subprocess.run(["cmake", "--install", str(BUILD), "--prefix", "/usr", "--component", "gui"],
                                    capture_output=True, text=True, env=environment, check=False)
            self.assertEqual(result.returncode, 0, result.stderr)
            for name in ("bin/disklathe-gui", "share/applications/org.disklathe.Disklathe.desktop",
                         "share/metainfo/org.disklathe.Disklathe.metainfo.xml",
                         "share/icons/hicolor/scalable/apps/org.disklathe.Disklathe.svg",
                         "share/knotifications6/disklathe.notifyrc"):
                self.assertTrue((pathlib.Path(root) / "usr" / name).is_file(), name)


if __name__ == "__main__":
    missing = [program for program in ("desktop-file-validate", "appstreamcli") if not shutil.which(program)]
    if missing:
        print("skipped: not installed here:", *missing)
        sys.exit(77)
    unittest.main()
