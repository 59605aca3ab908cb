# SPDX-License-Identifier: GPL-3.0-or-later
# TIMEOUT: 180
"""What goes wrong around a conversion: it ends with its own code and a clear sentence, and nothing is lost or left."""

import os
import pathlib
import random
import resource
import signal
import subprocess
import time
import unittest

from command import DISKLATHE, MIB, CommandTest

OLD = b"the old one"


class FailureTest(CommandTest):
    def setUp(self):
        super().setUp()
        self.data("a.raw", (0, 6 * MIB), (8 * MIB, 5000), size=12 * MIB)
        self.qemu("convert", "-f", "raw", "-O", "qcow2", "a.raw", "a.qcow2")

    def start(self, *words, **keywords):
        """A conversion that lasts: compressed as hard as can be."""
        return subprocess.Popen([DISKLATHE, "convert", "-c", "--level", "12", "-O", "qcow2", *words],
                                stderr=subprocess.PIPE, text=True, **keywords)

    def hold(self, program, target):
        """Stops it where it has its target open and is not done."""
        descriptors = f"/proc/{program.pid}/fd"
        for _ in range(2000):
            self.assertIsNone(program.poll(), "over before it could be held")
            names = []
            for descriptor in os.listdir(descriptors):
                try:
                    names.append(os.readlink(f"{descriptors}/{descriptor}"))
                except FileNotFoundError:
                    pass
            if any(name.startswith(os.path.abspath(target)) for name in names):
                program.send_signal(signal.SIGSTOP)
                return
            time.sleep(0.001)
        self.fail("never opened its target")

    def let_go(self, program, code, *says):
        program.send_signal(signal.SIGCONT)
        _, errors = program.communicate(timeout=60)
        self.assertEqual(program.returncode, code, errors)
        for part in says:
            self.assertIn(part, errors)

    def kept(self, path="x.qcow2", content=OLD):
        self.assertEqual(pathlib.Path(path).read_bytes(), content)


class TargetTest(FailureTest):
    def test_killed_at_any_instant_it_leaves_the_old_file_or_the_new_one(self):
        """Nothing else either, but for the instant in which the complete file changes its name."""
        self.data("small.raw", (0, MIB))
        whole = 0
        for _ in range(25):
            pathlib.Path("x.qcow2").write_bytes(OLD)
            program = subprocess.Popen([DISKLATHE, "convert", "-q", "-O", "qcow2", "small.raw", "x.qcow2"])
            time.sleep(random.random() * 0.02)
            program.kill()
            program.wait()
            if pathlib.Path("x.qcow2").read_bytes() != OLD:
                whole += 1
                self.same("small.raw", "x.qcow2")
            left = set(os.listdir()) - {"a.raw", "a.qcow2", "small.raw", "x.qcow2"}
            for name in left:
                self.assertRegex(name, r"^\.x\.qcow2\.disklathe-")
                self.same("small.raw", name)
                os.unlink(name)
        print(f"killed 25 times, {whole} were done")

    def test_its_folder_is_removed(self):
        os.mkdir("folder")
        program = self.start("a.raw", "folder/x.qcow2")
        self.hold(program, "folder")
        os.rmdir("folder")
        self.let_go(program, 11, "'folder/x.qcow2'", "no such file")

    def test_its_folder_is_moved_and_another_has_the_name(self):
        os.mkdir("folder")
        program = self.start("a.raw", "folder/x.qcow2")
        self.hold(program, "folder")
        os.rename("folder", "moved")
        os.mkdir("folder")
        self.let_go(program, 15, "'folder/x.qcow2' went away", "moved")
        self.same("a.raw", "moved/x.qcow2")

    def test_another_file_gets_its_name_meanwhile(self):
        program = self.start("a.raw", "x.qcow2")
        self.hold(program, "./#")  # a file without a name: the target
        pathlib.Path("x.qcow2").write_bytes(OLD)
        self.let_go(program, 19, "'x.qcow2'", "appeared")
        self.kept()
        self.assertEqual(sorted(os.listdir()), ["a.qcow2", "a.raw", "x.qcow2"])

    def test_an_existing_target_is_deleted_meanwhile(self):
        self.data("x.raw", (0, 64 * MIB))
        self.data("long.raw", (0, 64 * MIB))
        program = subprocess.Popen([DISKLATHE, "convert", "-n", "-t", "directsync", "-O", "raw", "long.raw", "x.raw"],
                                   stderr=subprocess.PIPE, text=True)
        self.hold(program, "x.raw")
        os.unlink("x.raw")
        self.let_go(program, 15, "'x.raw' went away", "deleted")

    def test_the_place_is_full_at_any_byte(self):
        """On file systems from far too small to large enough."""
        if os.geteuid() != 0:
            self.skipTest("needs root to mount")
        os.mkdir("small")
        ended = set()
        for words in (["-O", "raw"], ["-O", "qcow2"], ["-O", "qcow2", "-c"], ["-O", "qcow2", "-o", "preallocation=full"],
                      ["-O", "qcow2", "-t", "none", "-o", "cluster_size=4096"]):
            for kibibytes in (64, 1024, 5000, 6100, 6200, 6400, 13000):
                with self.subTest(f"{words} {kibibytes} KiB"):
                    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kibibytes}k", "none", "small"], check=True)
                    try:
                        pathlib.Path("small/x").write_bytes(OLD)
                        done = subprocess.run([DISKLATHE, "convert", "-q", *words, "a.raw", "small/x"], text=True,
                                              capture_output=True)
                        ended.add(done.returncode)
                        if done.returncode:
                            self.assertEqual(done.returncode, 14, done.stderr)
                            self.assertIn("small/x", done.stderr)
                            self.assertIn("free", done.stderr)
                            self.kept("small/x")
                        else:
                            self.qemu("compare", "-f", "raw", "-F", words[1], "a.raw", "small/x")
                        self.assertEqual(os.listdir("small"), ["x"])
                    finally:
                        subprocess.run(["umount", "small"], check=True)
        self.assertEqual(ended, {0, 14})

    def test_a_file_may_not_grow_that_large(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2 * MIB, 2 * MIB))
        for words in (["-O", "raw"], ["-O", "qcow2"], ["-O", "qcow2", "-c"]):
            with self.subTest(words):
                pathlib.Path("x.qcow2").write_bytes(OLD)
                self.refuses("convert", "-q", *words, "a.raw", "x.qcow2", code=14, says=("too large", "ulimit -f"),
                             preexec_fn=limit)
                self.kept()

    def test_a_file_system_that_is_read_only(self):
        if os.geteuid() != 0:
            self.skipTest("needs root to mount")
        os.mkdir("locked")
        subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "none", "locked"], check=True)
        self.addCleanup(subprocess.run, ["umount", "locked"])
        self.refuses("convert", "a.qcow2", "locked/x.raw", code=12, says=("'locked'", "read-only"))

    def test_an_old_file_one_may_not_write_to(self):
        if os.geteuid() != 0:
            self.skipTest("needs root to become somebody else")
        os.chmod(".", 0o777)
        pathlib.Path("x.raw").write_bytes(OLD)
        for mode, words in ((0o644, []), (0o644, ["-n"])):
            os.chmod("x.raw", mode)
            done = self.run_program("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", DISKLATHE, "convert",
                                    *words, "-O", "raw", "a.qcow2", "x.raw", code=12)
            self.assertIn("permission denied", done.stderr)
            self.kept("x.raw")

    def test_the_owner_and_the_permissions_of_the_old_file_stay(self):
        pathlib.Path("x.raw").write_bytes(OLD)
        os.chmod("x.raw", 0o600)
        self.ours("convert", "-q", "a.qcow2", "x.raw")
        self.assertEqual(os.stat("x.raw").st_mode & 0o777, 0o600)

    def test_a_link_stays_one_and_leads_to_the_new_file(self):
        pathlib.Path("real.raw").write_bytes(OLD)
        os.symlink("real.raw", "x.raw")
        self.ours("convert", "-q", "a.qcow2", "x.raw")
        self.assertTrue(os.path.islink("x.raw"))
        self.assertEqual(pathlib.Path("real.raw").read_bytes(), pathlib.Path("a.raw").read_bytes())

    def test_one_that_a_virtual_machine_writes_to_is_not_replaced(self):
        self.qemu("create", "-q", "-f", "qcow2", "x.qcow2", "12M")
        served = subprocess.Popen(["qemu-nbd", "-t", "-f", "qcow2", "-k", os.path.abspath("socket"), "x.qcow2"])
        self.addCleanup(served.wait)
        self.addCleanup(served.terminate)
        while not os.path.exists("socket"):
            self.assertIsNone(served.poll())
            time.sleep(0.01)
        inode = os.stat("x.qcow2").st_ino
        self.refuses("convert", "-O", "qcow2", "a.raw", "x.qcow2", code=13, says=("'x.qcow2'", "writes to it"))
        self.refuses("create", "-f", "qcow2", "x.qcow2", "1G", code=13, says=("'x.qcow2'", "writes to it"))
        self.refuses("convert", "-O", "qcow2", "-o", "data_file=x.qcow2", "a.raw", "y.qcow2", code=13, says="writes to it")
        self.refuses("convert", "-q", "-O", "raw", "x.qcow2", "y.raw", code=13, says=("'x.qcow2'", "-U"))
        self.assertEqual(os.stat("x.qcow2").st_ino, inode)

    def test_one_under_a_loop_device_is_not_replaced(self):
        if os.geteuid() != 0 or not os.path.exists("/dev/loop-control"):
            self.skipTest("needs root and loop devices")
        self.data("x.raw", (0, MIB))
        done = subprocess.run(["losetup", "--find", "--show", "x.raw"], capture_output=True, text=True)
        if done.returncode:
            self.skipTest(f"no loop device: {done.stderr.strip()}")
        self.addCleanup(subprocess.run, ["losetup", "-d", done.stdout.strip()], check=False)
        self.refuses("convert", "-O", "raw", "a.qcow2", "x.raw", code=13, says=("'x.raw'", "losetup -d"))

    def test_an_image_does_not_stand_on_itself(self):
        before = pathlib.Path("a.qcow2").read_bytes()
        os.link("a.qcow2", "twin.qcow2")
        for backing in ("a.qcow2", "./a.qcow2", "twin.qcow2"):
            for words in (("convert", "-O", "qcow2", "-B", backing, "-F", "qcow2", "a.raw", "a.qcow2"),
                          ("create", "-f", "qcow2", "-b", backing, "-F", "qcow2", "a.qcow2"),
                          ("create", "-f", "qcow2", "-u", "-b", backing, "-F", "qcow2", "a.qcow2", "1M")):
                self.refuses(*words, code=2, says="stand on itself")
        self.kept("a.qcow2", before)

    def test_the_data_file_is_neither_the_image_nor_the_source(self):
        before = pathlib.Path("a.raw").read_bytes()
        self.refuses("convert", "-O", "qcow2", "-o", "data_file=x.qcow2", "a.raw", "x.qcow2", code=2, says="one file")
        self.refuses("create", "-f", "qcow2", "-o", "data_file=x.qcow2", "x.qcow2", "1M", code=2, says="one file")
        self.refuses("convert", "-O", "qcow2", "-o", "data_file=a.raw", "a.raw", "x.qcow2", code=2, says="source")
        self.kept("a.raw", before)
        self.assertEqual(sorted(os.listdir()), ["a.qcow2", "a.raw"])


class SourceTest(FailureTest):
    def test_what_is_no_disk_is_called_by_its_name(self):
        os.mkdir("folder")
        for source, code, says in (("folder", 2, "folder"), ("/dev/zero", 2, "character device"),
                                   ("missing", 11, "'missing'"), ("a.raw/x", 11, "'a.raw/x'")):
            with self.subTest(source):
                self.refuses("convert", source, "x.raw", code=code, says=says)
                self.assertFalse(os.path.exists("x.raw"))

    def test_one_that_may_not_be_read(self):
        if os.geteuid() != 0:
            self.skipTest("needs root to become somebody else")
        os.chmod(".", 0o777)
        os.chmod("a.raw", 0o600)
        done = self.run_program("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", DISKLATHE, "convert",
                                "a.raw", "x.raw", code=12)
        self.assertIn("'a.raw'", done.stderr)
        self.assertFalse(os.path.exists("x.raw"))

    def test_its_backing_file_is_cut_off_meanwhile(self):
        self.qemu("create", "-q", "-f", "qcow2", "-b", "a.raw", "-F", "raw", "top.qcow2")
        program = self.start("top.qcow2", "x.qcow2")
        self.hold(program, "./#")  # a file without a name: the target
        os.truncate("a.raw", MIB)
        self.let_go(program, 16, "'a.raw'", "changed")
        self.assertFalse(os.path.exists("x.qcow2"))


class StreamsTest(FailureTest):
    """Standard streams that are closed, full or left by their reader."""

    def test_closed_streams_never_become_files(self):
        for closed in ("<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"):
            for words in ("", "-p", "--progress=json --verify"):
                with self.subTest(f"{words} {closed}"):
                    done = subprocess.run(["bash", "-c", f'"$0" convert {words} -O qcow2 a.raw x.qcow2 {closed}',
                                           DISKLATHE], capture_output=True, text=True)
                    # What was to be printed and could not be is told by the exit code.
                    self.assertEqual(done.returncode, 10 if words and ">&-" in closed.split() else 0, done.stderr)
                    self.same("a.raw", "x.qcow2")
                    self.qemu("check", "-q", "x.qcow2")
                    os.unlink("x.qcow2")

    def test_full_streams_stop_nothing(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([DISKLATHE, "convert", "--progress=json", "a.qcow2", "x.raw"], stdout=full,
                                  stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 10)
            self.assertIn("cannot write the output", done.stderr)
            self.same("a.qcow2", "x.raw")
            self.assertEqual(subprocess.run([DISKLATHE, "info", "missing"], stderr=full).returncode, 11)
            self.assertEqual(subprocess.run([DISKLATHE, "map", "--output=json", "a.qcow2"], stdout=full,
                                            stderr=full).returncode, 10)

    def test_a_reader_that_leaves_ends_it_quietly(self):
        commands = [f'write -P 7 {n * 131072} 65536' for n in range(2000)]
        self.qemu("create", "-q", "-f", "qcow2", "holes.qcow2", "1G")
        subprocess.run(["qemu-io", "-f", "qcow2", *(word for one in commands for word in ("-c", one)), "holes.qcow2"],
                       check=True, stdout=subprocess.DEVNULL)
        done = subprocess.run(["bash", "-c", '"$0" map --output=json holes.qcow2 | head -c 10; echo =${PIPESTATUS[0]}',
                               DISKLATHE], capture_output=True, text=True)
        self.assertIn(int(done.stdout.split("=")[1]), (10, 128 + signal.SIGPIPE))
        program = self.start("--progress=json", "a.raw", "x.qcow2", stdout=subprocess.PIPE)
        program.stdout.close()
        program.wait(60)
        if os.path.exists("x.qcow2"):
            self.same("a.raw", "x.qcow2")
        self.assertEqual(set(os.listdir()) - {"x.qcow2"}, {"a.raw", "a.qcow2", "holes.qcow2"})


class StopTest(FailureTest):
    def test_a_signal_while_it_verifies(self):
        self.data("long.raw", (0, 96 * MIB))
        program = subprocess.Popen([DISKLATHE, "convert", "--verify", "--progress=json", "-c", "-O", "qcow2", "long.raw",
                                    "x.qcow2"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(program.stdout.close)
        for line in program.stdout:
            if '"verify"' in line:
                break
        program.send_signal(signal.SIGINT)
        program.stdout.read()
        # It may have been at the very end.
        self.assertIn(program.wait(10), (0, 130))
        self.assertEqual(os.path.exists("x.qcow2"), program.returncode == 0)

    def test_one_that_was_ignored_from_the_start_stays_ignored(self):
        program = self.start("a.raw", "x.qcow2", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.hold(program, "./#")  # a file without a name: the target
        program.send_signal(signal.SIGHUP)
        self.let_go(program, 0)
        self.same("a.raw", "x.qcow2")

    def test_an_existing_target_that_was_stopped_is_said_to_be_incomplete(self):
        self.data("x.raw", (0, 64 * MIB))
        self.data("long.raw", (0, 64 * MIB))
        program = subprocess.Popen([DISKLATHE, "convert", "-n", "-t", "directsync", "-O", "raw", "long.raw", "x.raw"],
                                   stderr=subprocess.PIPE, text=True)
        self.hold(program, "x.raw")
        program.send_signal(signal.SIGTERM)
        self.let_go(program, 143, "stopped", "'x.raw' now holds a part")


if __name__ == "__main__":
    unittest.main()
