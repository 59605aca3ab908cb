# SPDX-License-Identifier: GPL-3.0-or-later
"""The verbs that look at devices, as a person and as a script types them."""

import contextlib
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

DISKLATHE = os.environ["DISKLATHE"]


def run(*arguments, **more):
    return subprocess.run([DISKLATHE, *map(str, arguments)], capture_output=True, text=True, timeout=30, **more)


def as_nobody(*arguments):
    return run(*arguments, user=65534, group=65534, extra_groups=[]) if os.geteuid() == 0 else run(*arguments)


@contextlib.contextmanager
def loop_device(megabytes=32, sector=512):
    """A loop device of its own; skips the test where there can be none."""
    if os.geteuid() != 0 or not os.path.exists("/dev/loop-control"):
        raise unittest.SkipTest("no loop devices here: needs root and /dev/loop-control")
    with tempfile.TemporaryDirectory() as folder:
        backing = pathlib.Path(folder, "disk.raw")
        with open(backing, "wb") as file:
            file.truncate(megabytes << 20)
        node = subprocess.check_output(["losetup", "-f", "--show", "-b", str(sector), backing], text=True).strip()
        try:
            yield node
        finally:
            subprocess.run(["losetup", "-d", node], check=True)


class Devices(unittest.TestCase):
    def devices(self, *arguments):
        result = run("devices", "--output=json", *arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads(result.stdout)["devices"]

    def test_a_loop_device_is_listed_with_its_id(self):
        with loop_device() as node:
            name = node.removeprefix("/dev/")
            device, = self.devices(node)
            self.assertEqual(device["id"], f"{name}:{32 << 20}")
            self.assertEqual((device["bus"], device["size"]), ("loop", 32 << 20))
            self.assertFalse(device["usage"]["system"] or device["usage"]["in-use"])
            line = run("devices", node).stdout.splitlines()[1]
            self.assertTrue(line.startswith(name) and device["id"] in line, line)

    def test_what_is_mounted_says_where_and_how_to_release_it(self):
        with loop_device() as node, tempfile.TemporaryDirectory() as place:
            subprocess.run(["mke2fs", "-q", "-F", "-L", "a label", node], check=True)
            mounted = subprocess.run(["mount", "-t", "ext4", node, place], capture_output=True, text=True)
            if mounted.returncode:
                self.skipTest("this place allows no mounts: " + mounted.stderr)
            try:
                device, = self.devices(node)
                text = run("devices", node).stdout
                refused = run("convert", "-f", "raw", DISKLATHE, node)
            finally:
                subprocess.run(["umount", place], check=True)
            hold = device["usage"]["holds"][0]
            self.assertEqual((hold["kind"], hold["by"], hold["release"]), ("mount", place, "umount " + place))
            self.assertEqual(device["content"]["label"], "a label")
            self.assertIn(f"mounted on {place}", text)
            self.assertEqual(refused.returncode, 13)
            self.assertIn("umount " + place, refused.stderr)

    def test_the_systems_disk_is_marked(self):
        number = os.stat("/").st_dev
        if os.major(number) == 0:
            self.skipTest("/ is on no block device of its own")
        mine = f"{os.major(number)}:{os.minor(number)}"
        for disk in self.devices():
            for node in [disk, *disk["partitions"]]:
                if node["number"] == mine:
                    self.assertTrue(node["usage"]["system"] and disk["usage"]["system"])
                    return
        self.fail("the device of / is not listed")

    def test_no_rights_are_needed_to_look(self):
        result = as_nobody("devices", "-a", "--output=json")
        self.assertEqual(result.returncode, 0, result.stderr)
        everything = {device["name"] for device in self.devices("-a")}
        self.assertLessEqual({device["name"] for device in json.loads(result.stdout)["devices"]}, everything)

    def test_unset_devices_are_listed_only_on_request(self):
        self.assertTrue(all(device["size"] for device in self.devices() if device["bus"] == "loop"))

    def test_an_unknown_device_is_an_error(self):
        self.assertEqual(run("devices", "/dev/nothing-of-that-name").returncode, 11)


class Limits(unittest.TestCase):
    def limits(self, *arguments):
        result = run("limits", "--output=json", *arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads(result.stdout)

    def test_each_limit_has_a_value_a_source_and_a_sentence(self):
        with loop_device(sector=4096) as node:
            limits = self.limits(node)["limits"]
            self.assertEqual(limits["logical-block"], {**limits["logical-block"], "value": 4096, "source": "ioctl", "unit": "bytes"})
            queue = pathlib.Path("/sys/block", node.removeprefix("/dev/"), "queue")
            self.assertEqual(limits["max-transfer"]["value"], int((queue / "max_sectors_kb").read_text()) * 1024)
            self.assertEqual(limits["max-segments"]["value"], int((queue / "max_segments").read_text()))
            for key, limit in limits.items():
                self.assertRegex(limit["consequence"], r"^[A-Z\"].*\.$", key)

    def test_not_reported_is_not_zero(self):
        with loop_device() as node:
            self.assertIsNone(self.limits(node)["limits"]["optimal-io"]["value"])
            self.assertIn("not reported", run("limits", node).stdout)

    def test_what_is_no_disk_of_its_own_says_nothing_of_itself(self):
        with loop_device() as node:
            self.assertNotIn("identified", self.limits(node))
            limits = self.limits("--ask", node)
            self.assertIsNone(limits["identified"])
            self.assertNotIn("disk-max-transfer", limits["limits"])
            self.assertIn("says nothing of itself", run("limits", "--ask", node).stdout)

    def test_without_rights_sysfs_still_tells(self):
        with loop_device() as node:
            result = as_nobody("limits", "--output=json", node)
            self.assertEqual(result.returncode, 0, result.stderr)
            limits = json.loads(result.stdout)
            self.assertFalse(limits["opened"])
            self.assertEqual(limits["limits"]["logical-block"]["value"], 512)
            self.assertIsNone(limits["limits"]["min-memory-alignment"]["value"])

    def test_the_shape_of_a_request(self):
        with loop_device() as node:
            shape = self.limits(node, "--request", "1280K@64k")["request"]
            self.assertEqual((shape["offset"], shape["length"]), (65536, 1310720))
            self.assertLessEqual(shape["contiguous"]["commands"], shape["scattered"]["commands"])
            self.assertEqual(len(shape["scattered"]["splits"]), shape["scattered"]["commands"] - 1)
            self.assertEqual(shape["read-modify-write"], [])
            self.assertIn("split at byte", run("limits", "-r", "8M", node).stdout)

    def test_a_request_that_cannot_be_made_is_a_usage_error(self):
        with loop_device() as node:
            for request in ("1M@100", "100", "0", "x", "1M@", "3G"):
                self.assertEqual(run("limits", "--request", request, node).returncode, 2, request)

    def test_a_file_has_limits_too(self):
        limits = self.limits(DISKLATHE)
        self.assertFalse(limits["device"])
        self.assertEqual(limits["size"], os.path.getsize(DISKLATHE))
        self.assertNotIn("max-discard", limits["limits"])

    def test_what_is_neither_device_nor_file_is_refused(self):
        self.assertEqual(run("limits", "/dev/null").returncode, 2)
        self.assertEqual(run("limits", "/nowhere").returncode, 11)


if __name__ == "__main__":
    unittest.main()
