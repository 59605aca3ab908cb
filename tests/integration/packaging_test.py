# SPDX-License-Identifier: GPL-3.0-or-later
"""What a desktop, D-Bus and polkit look for is as they want it, and goes where they look."""

import configparser
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

ACTIONS = pathlib.Path(os.environ["DISKLATHE_SOURCE_DIR"]) / "helper" / "org.disklathe.helper.actions"
BUILD = pathlib.Path(os.environ["DISKLATHE_BUILD_DIR"])
LANG = "{http://www.w3.org/XML/1998/namespace}lang"


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False)


def ini(path):
    """Of the .desktop kind: keys as they are written, no interpolation."""
    parser = configparser.RawConfigParser(delimiters=("=",), strict=True)
    parser.optionxform = str
    parser.read_string("\n".join(line for line in path.read_text().splitlines() if not line.startswith("#")))
    return parser


class Installed(unittest.TestCase):
    """All of it, below a folder of its own (DESTDIR)."""

    @classmethod
    def setUpClass(cls):
        if not (BUILD / "bin" / "disklathe-gui").exists():
            raise unittest.SkipTest("built without the window")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = pathlib.Path(folder.name)
        for component in ("gui", "runtime", "Disklathe"):
            result = subprocess.run(["cmake", "--install", str(BUILD), "--prefix", "/usr", "--component", component],
                                    capture_output=True, text=True, env={**os.environ, "DESTDIR": folder.name},
                                    check=False)
            if result.returncode != 0:
                raise AssertionError(result.stderr)
        cls.usr = cls.root / "usr"

    def one(self, pattern):
        """The one installed file that is called so."""
        found = [path for path in self.root.rglob(pattern) if path.is_file()]
        self.assertEqual(len(found), 1, f"{pattern}: {found}")
        return found[0]

    def test_the_files_are_where_a_desktop_looks(self):
        for name in ("bin/disklathe-gui", "bin/disklathe", "share/applications/org.disklathe.Disklathe.desktop",
                     "share/metainfo/org.disklathe.Disklathe.metainfo.xml",
                     "share/icons/hicolor/scalable/apps/org.disklathe.Disklathe.svg",
                     "share/knotifications6/disklathe.notifyrc", "libexec/disklathe/disklathe-worker",
                     "libexec/disklathe/disklathe-opener", "libexec/disklathe/disklathe-authorize",
                     "share/dbus-1/system-services/org.disklathe.helper.service",
                     "share/dbus-1/system.d/org.disklathe.helper.conf",
                     "share/polkit-1/actions/org.disklathe.helper.policy"):
            self.assertTrue((self.usr / name).is_file(), f"{name} is not in {sorted(self.root.rglob('*'))}")

    def test_desktop_file(self):
        path = self.one("*.desktop")
        result = run("desktop-file-validate", str(path))
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
        entry = ini(path)["Desktop Entry"]
        self.assertTrue((self.usr / "bin" / entry["Exec"].split()[0]).is_file())
        self.assertTrue(self.one(entry["Icon"] + ".svg"))
        self.assertIn("application/x-qemu-disk", entry["MimeType"].split(";"))

    def test_metainfo(self):
        path = self.one("*.metainfo.xml")
        # There is no homepage yet, and none is invented.
        result = run("appstreamcli", "validate", "--no-net", "--override=url-homepage-missing=info", str(path))
        self.assertEqual(result.returncode, 0, result.stdout)
        metainfo = xml.parse(path).getroot()
        self.assertTrue(self.one(metainfo.findtext("launchable")))
        for binary in metainfo.iter("binary"):
            self.assertTrue((self.usr / "bin" / binary.text).is_file(), binary.text)

    def test_icon(self):
        icon = xml.parse(self.one("org.disklathe.Disklathe.svg")).getroot()
        self.assertEqual(icon.tag, "{http://www.w3.org/2000/svg}svg")

    def test_notifications(self):
        events = ini(self.one("disklathe.notifyrc"))
        self.assertTrue(self.one(events["Global"]["DesktopEntry"] + ".desktop"))
        for event in ("jobDone", "jobFailed"):
            self.assertEqual(events[f"Event/{event}"]["Action"], "Popup")

    def test_dbus_starts_the_helper_as_root(self):
        service = ini(self.one("org.disklathe.helper.service"))["D-BUS Service"]
        self.assertEqual((service["Name"], service["User"]), ("org.disklathe.helper", "root"))
        self.assertEqual(pathlib.Path(service["Exec"]).name, self.one("disklathe-helper").name)

    def test_only_root_has_the_helpers_name(self):
        rules = xml.parse(self.one("org.disklathe.helper.conf")).getroot()
        self.assertEqual(rules.tag, "busconfig")
        owners = [policy.attrib for policy in rules.iter("policy")
                  for allow in policy.iter("allow") if allow.get("own") == "org.disklathe.helper"]
        self.assertEqual(owners, [{"user": "root"}])
        self.assertTrue(any(allow.get("send_destination") == "org.disklathe.helper" for allow in rules.iter("allow")))

    def test_polkit_asks_in_two_languages(self):
        policy = xml.parse(self.one("org.disklathe.helper.policy")).getroot()
        self.assertEqual(policy.tag, "policyconfig")
        actions = {action.get("id"): action for action in policy.iter("action")}
        asked = {section for section in ini(ACTIONS).sections() if section != "Domain"}
        self.assertEqual(set(actions), asked)
        self.assertIn("org.disklathe.helper.convert", asked)
        for name, action in actions.items():
            for tag in ("description", "message"):
                said = {text.get(LANG, "en"): text.text for text in action.iter(tag)}
                self.assertEqual(set(said), {"en", "de"}, name)
                self.assertTrue(all(text and text.strip() for text in said.values()), name)
            # Nobody who is not at the desk, and nobody without being asked.
            self.assertEqual(action.findtext("defaults/allow_inactive"), "no", name)
            self.assertIn(action.findtext("defaults/allow_active"), ("auth_admin", "auth_admin_keep"), name)
        self.assertTrue(self.one(policy.findtext("icon_name") + ".svg"))


if __name__ == "__main__":
    missing = [program for program in ("desktop-file-validate", "appstreamcli") if not shutil.which(program)]
    if missing:
        print("skipped: not installed here:", *missing)
        sys.exit(77)
    unittest.main()
