# SPDX-License-Identifier: GPL-3.0-or-later
"""/dev/nbdN served by the program under test."""

import contextlib
import os
import pathlib
import signal
import time

import block
from block import MiB
from product import EXIT_BUSY, EXIT_USAGE, SAMPLE, SAMPLE_QCOW2, Case, id_of, start

EXIT_NOT_FOUND = 11
MOUNT = pathlib.Path("/tmp/mounted")


def server_of(node):
    try:
        return int((block.sysfs(node) / "pid").read_text())
    except FileNotFoundError:
        return None


@contextlib.contextmanager
def mounted(node, *options):
    MOUNT.mkdir(exist_ok=True)
    block.call("mount", *options, node, MOUNT)
    try:
        yield MOUNT
    finally:
        block.call("umount", MOUNT)


def empty_image(size=64 * MiB):
    path = f"/tmp/image-{time.monotonic_ns()}.raw"
    with open(path, "wb") as file:
        file.truncate(size)
    return path


class KernelClient(Case):
    def setUp(self):
        block.call("modprobe", "-a", "nbd", "loop")  # what a machine's start does where they are wanted


class Attached(KernelClient):
    def attach(self, *words):
        self.node = self.ours("attach", *words).stdout.strip()
        self.assertRegex(self.node, r"^/dev/nbd\d+$")
        return self.node

    def tearDown(self):
        node = getattr(self, "node", None)
        if node and server_of(node):
            self.ours("detach", node)

    def file_system_lives(self, node, back):
        """A file system made on it, filled, and looked at from the other side. back: where its bytes are then."""
        block.call("mke2fs", "-q", "-F", "-t", "ext4", node)
        content = {f"file{n}": os.urandom(n * 100_003) for n in range(12)}
        with mounted(node) as folder:
            for name, data in content.items():
                (folder / name).write_bytes(data)
            for name in list(content)[::3]:
                (folder / name).unlink()
                del content[name]
            os.sync()
        block.call("e2fsck", "-f", "-n", node)
        self.ours("detach", node)
        self.assertIsNone(server_of(node))
        block.call("e2fsck", "-f", "-n", back)
        with mounted(back, *(["-o", "loop,ro"] if os.path.isfile(back) else ["-o", "ro"])) as folder:
            for name, data in content.items():
                self.assertEqual((folder / name).read_bytes(), data)

    def test_an_image_is_read(self):
        node = self.attach(SAMPLE_QCOW2)
        self.assertEqual(block.size_of(node), len(SAMPLE))
        self.assertEqual(block.attribute(node, "ro"), "1")
        self.assert_holds(node, SAMPLE)

    def test_a_file_system_on_a_raw_image(self):
        image = empty_image()
        self.file_system_lives(self.attach("--rw", "-f", "raw", image), image)

    def test_a_file_system_with_direct_io_and_one_connection(self):
        node = block.disk("plain")
        words = "--rw", "-f", "raw", "-t", "none", "--connections", "1", "--yes-erase", id_of(node), node
        self.file_system_lives(self.attach(*words), node)

    def test_sectors_are_those_of_the_disk(self):
        node = block.disk("native4k")
        attached = self.attach("--rw", "-f", "raw", "--yes-erase", id_of(node), node)
        self.assertEqual(block.number(attached, "queue/logical_block_size"), 4096)
        self.file_system_lives(attached, node)

    def test_what_is_trimmed_leaves_the_image(self):
        image = empty_image()
        node = self.attach("--rw", "-f", "raw", image)
        block.write(node, os.urandom(32 * MiB))
        before = os.stat(image).st_blocks
        block.call("blkdiscard", "--offset", 0, "--length", 32 * MiB, node)
        self.assertLess(os.stat(image).st_blocks, before // 4)
        block.call("blkdiscard", "--zeroout", "--offset", 0, "--length", 32 * MiB, node)
        self.assert_holds(node, bytes(32 * MiB))

    def test_a_snapshot_of_a_part(self):
        node = self.attach("--offset", "1M", "--length", "2M", SAMPLE_QCOW2)
        self.assertEqual(block.size_of(node), 2 * MiB)
        self.assert_holds(node, SAMPLE[MiB:3 * MiB])

    def test_the_device_that_is_named_and_no_other(self):
        node = self.attach(SAMPLE_QCOW2, "/dev/nbd7")
        self.assertEqual(node, "/dev/nbd7")
        self.refuses("attach", SAMPLE_QCOW2, "/dev/nbd7", code=EXIT_BUSY, says=["/dev/nbd7"])
        self.refuses("attach", SAMPLE_QCOW2, "/dev/vda", code=EXIT_USAGE, says=["/dev/vda", "no network block device"])
        self.assert_holds(node, SAMPLE)

    def test_what_is_mounted_is_not_detached(self):
        image = empty_image()
        node = self.attach("--rw", "-f", "raw", image)
        block.call("mke2fs", "-q", "-F", "-t", "ext4", node)
        with mounted(node) as folder:
            self.refuses("detach", node, code=EXIT_BUSY, says=[node, "umount"])
            os.kill(server_of(node), signal.SIGTERM)  # it says no to that as well
            time.sleep(1)
            (folder / "still").write_bytes(b"here")
            os.sync()
        self.ours("detach", node)
        self.refuses("detach", node, code=EXIT_NOT_FOUND, says=["nothing is attached"])

    def test_in_the_foreground_a_signal_detaches(self):
        process = start("attach", "--foreground", SAMPLE_QCOW2)
        node = process.stdout.readline().strip()
        self.assert_holds(node, SAMPLE)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(30), 0)
        self.assertIsNone(server_of(node))

    def test_a_server_that_is_killed_leaves_errors_not_hangs(self):
        node = self.attach("--timeout", "5", SAMPLE_QCOW2)
        os.kill(server_of(node), signal.SIGKILL)
        began = time.monotonic()
        with self.assertRaises(OSError):
            block.read(node, MiB)
        self.detail = f"an error after {time.monotonic() - began:.1f} s"
        self.ours("detach", node)
        self.assertIsNone(server_of(node))


class NbdClient(KernelClient):
    """Debian's nbd-client, which speaks the handshake and hands the socket to the kernel."""

    NODE = "/dev/nbd9"

    @contextlib.contextmanager
    def connected(self, *serve, options=()):
        server = start("serve", *serve)
        server.stdout.readline()
        try:
            block.call("nbd-client", "-unix", "/tmp/served", self.NODE, *options)
            try:
                yield server
            finally:
                block.call("nbd-client", "-d", self.NODE)
        finally:
            if server.poll() is None:
                server.terminate()
            server.wait(30)

    def test_it_makes_mounts_and_checks_a_file_system(self):
        image = empty_image()
        for options in ((), ("-C", "3"), ("-b", "4096"), ("-timeout", "20")):
            with self.connected("--rw", "-f", "raw", "--socket", "/tmp/served", image, options=options):
                block.call("mke2fs", "-q", "-F", "-t", "ext4", self.NODE)
                data = os.urandom(5 * MiB)
                with mounted(self.NODE) as folder:
                    (folder / "data").write_bytes(data)
                with mounted(self.NODE) as folder:
                    self.assertEqual((folder / "data").read_bytes(), data)
                block.call("e2fsck", "-f", "-n", self.NODE)
            block.call("e2fsck", "-f", "-n", image)

    def test_a_server_that_stalls_runs_into_its_timeout(self):
        with self.connected("-f", "raw", "--socket", "/tmp/served", "/payload/sample.raw", options=("-timeout", "3")) as server:
            server.send_signal(signal.SIGSTOP)
            began = time.monotonic()
            with self.assertRaises(OSError):
                block.read(self.NODE, MiB)
            took = time.monotonic() - began
            self.detail = f"an error after {took:.1f} s"
            self.assertLess(took, 60)
            server.send_signal(signal.SIGCONT)
