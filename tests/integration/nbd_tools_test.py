# SPDX-License-Identifier: GPL-3.0-or-later
# LABELS: slow
# TIMEOUT: 180
"""Other programs as clients of disklathe serve: nbdinfo, nbdcopy, qemu-img, qemu-io, fio, and nbdsh for each command and flag."""

import json
import os
import re
import subprocess
import textwrap
import unittest

from command import MIB, CommandTest
from nbd_client import serving


class ToolsTest(CommandTest):
    def content(self, path):
        with open(path, "rb") as file:
            return file.read()


class NbdInfo(ToolsTest):
    needs = ("nbdinfo",)

    def test_lists_maps_and_sizes(self):
        self.data("a.raw", (0, MIB), (2 * MIB, MIB), size=4 * MIB)
        self.data("b.raw", (0, 5), size=MIB)
        with serving("-f", "raw", "--export", "one=a.raw", "--export", "two=b.raw") as (_, uri):
            listed = self.run_program("nbdinfo", "--list", uri).stdout
            self.assertEqual(re.findall(r'export="(\w+)"', listed), ["one", "two"])
            self.assertEqual(self.run_program("nbdinfo", "--size", uri).stdout, f"{4 * MIB}\n")
            rows = [line.split() for line in self.run_program("nbdinfo", "--map", uri).stdout.splitlines()]
            self.assertEqual([(int(row[0]), int(row[1]), int(row[2])) for row in rows],
                             [(0, MIB, 0), (MIB, MIB, 3), (2 * MIB, MIB, 0), (3 * MIB, MIB, 3)])
            entries = json.loads(self.run_program("nbdinfo", "--map", "--json", uri).stdout)
            self.assertEqual([(entry["offset"], entry["length"], entry["type"]) for entry in entries],
                             [(0, MIB, 0), (MIB, MIB, 3), (2 * MIB, MIB, 0), (3 * MIB, MIB, 3)])
            depth = json.loads(self.run_program("nbdinfo", "--map=qemu:allocation-depth", "--json", uri).stdout)
            self.assertEqual([entry["type"] for entry in depth], [1, 0, 1, 0])
            totals = self.run_program("nbdinfo", "--map", "--totals", uri).stdout
            self.assertIn("50.0%", totals)
            for question, answer in (("read only", 0), ("multi-conn", 0), ("flush", 0), ("fua", 0), ("df", 0), ("cache", 0),
                                     ("trim", 2), ("zero", 2), ("fast-zero", 2)):
                word = ["--is", "read-only"] if question == "read only" else ["--can", question]
                self.run_program("nbdinfo", *word, uri, code=answer)
        with serving("--rw", "-f", "raw", "a.raw") as (_, uri):
            for question in ("write", "trim", "zero", "fast-zero", "flush", "fua", "structured-reply", "extended-headers"):
                with self.subTest(can=question):
                    # libnbd before 1.18 has no extended headers to ask for.
                    done = subprocess.run(["nbdinfo", "--can", question, uri], capture_output=True, text=True)
                    if question != "extended-headers" or done.returncode < 100:
                        self.assertEqual(done.returncode, 0, done.stderr)


class Copies(ToolsTest):
    needs = ("nbdcopy", "qemu-img", "qemu-io")

    def test_nbdcopy_between_two_of_ours(self):
        self.data("a.raw", (0, 70000), (3 * MIB, 200000), (6 * MIB, MIB + 5), size=9 * MIB)
        self.qemu("convert", "-O", "qcow2", "a.raw", "a.qcow2")
        with open("b.raw", "wb") as file:
            file.write(b"\xee" * 9 * MIB)
        for options in ([], ["--connections=1"], ["--requests=1"], ["--synchronous"], ["--request-size=4096"], ["--no-extents"]):
            with self.subTest(options=options), serving("--tcp", "0", "a.qcow2") as (_, source), \
                    serving("--rw", "-f", "raw", "b.raw") as (_, target):
                self.run_program("nbdcopy", *options, "--flush", source, target)
                self.assertTrue(self.content("a.raw") == self.content("b.raw"))
                with open("b.raw", "r+b") as file:
                    file.write(b"\xee" * 9 * MIB)

    def test_qemu_img_reads_and_writes(self):
        self.data("a.raw", (0, 70000), (3 * MIB, 200000), size=9 * MIB)
        with open("b.raw", "wb") as file:
            file.write(b"\xee" * 9 * MIB)
        with serving("--rw", "-f", "raw", "b.raw") as (_, uri):
            self.qemu("convert", "-n", "-f", "raw", "-O", "raw", "-W", "-m", "8", "a.raw", uri)
            self.qemu("compare", "-f", "raw", "-F", "raw", "a.raw", uri)
            info = json.loads(self.qemu("info", "--output=json", "-f", "raw", uri).stdout)
            self.assertEqual(info["virtual-size"], 9 * MIB)
            ours = json.loads(self.qemu("map", "--output=json", "-f", "raw", uri).stdout)
        plain = json.loads(self.qemu("map", "--output=json", "-f", "raw", "b.raw").stdout)
        zero = lambda entries: [(entry["start"], entry["length"]) for entry in entries if entry["zero"]]
        self.assertEqual(zero(ours), zero(plain))
        self.assertTrue(self.content("a.raw") == self.content("b.raw"))

    def test_qemu_io_each_command(self):
        with open("a.raw", "wb") as file:
            file.write(b"\x11" * 4 * MIB)
        commands = ["write -P 0x22 4096 8192", "read -P 0x22 4096 8192", "read -P 0x11 0 4096", "write -z 65536 65536",
                    "read -P 0 65536 65536", "write -z -u 1M 1M", "read -P 0 1M 1M", "discard 2M 64k", "flush",
                    "write -f -P 0x33 3M 512", "read -P 0x33 3M 512", "aio_write -P 0x44 3M 1M", "aio_flush", "read -P 0x44 3M 1M",
                    "writev -P 0x55 1000 24 1000", "readv -P 0x55 1000 24 1000", "map"]
        for cache in ("writeback", "none", "writethrough"):
            for place in ((), ("--tcp", "0")):
                with self.subTest(cache=cache, place=place), serving("--rw", "-f", "raw", *place, "a.raw") as (_, uri):
                    done = self.run_program("qemu-io", "-t", cache, "-f", "raw", *sum((["-c", one] for one in commands), []), uri)
                    self.assertNotIn("Pattern verification failed", done.stdout)
                    self.assertNotIn("rror", done.stdout)
                    failed = self.run_program("qemu-io", "-r", "-f", "raw", "-c", "write 0 512", uri, code=1)
                    self.assertIn("read-only", failed.stdout + failed.stderr)
                with open("a.raw", "r+b") as file:
                    file.write(b"\x11" * 4 * MIB)


class Fio(ToolsTest):
    needs = ("fio",)

    def test_what_fio_writes_it_reads_back(self):
        if "nbd" not in self.run_program("fio", "--enghelp").stdout.split():
            self.skipTest("this fio has no engine for NBD")
        with open("a.raw", "wb") as file:
            file.truncate(32 * MIB)
        for place in ((), ("--tcp", "0")):
            with self.subTest(place=place), serving("--rw", "-f", "raw", *place, "a.raw") as (_, uri):
                for kind, size in (("randwrite", "4k"), ("write", "1m"), ("randrw", "16k")):
                    done = self.run_program("fio", "--name=job", "--ioengine=nbd", f"--uri={uri}", f"--rw={kind}", f"--bs={size}",
                                            "--iodepth=16", "--size=32m", "--verify=crc32c", "--verify_fatal=1", "--fsync=64",
                                            "--output-format=json", "--randseed=7")
                    report = json.loads(done.stdout[done.stdout.index("{"):])
                    self.assertEqual(report["jobs"][0]["error"], 0)
                    self.assertGreater(report["jobs"][0]["read"]["total_ios"], 0)


class NbdSh(ToolsTest):
    needs = ("nbdsh",)

    def script(self, text, *serve):
        """Runs it with `h` connected to a writable export of 4 MiB of 0x11, with base:allocation."""
        with open("a.raw", "wb") as file:
            file.write(b"\x11" * 4 * MIB)
        with serving("--rw", "-f", "raw", *serve, "a.raw") as (_, uri):
            self.run_program("nbdsh", "--base-allocation", "-u", uri, "-c", textwrap.dedent(text), env={**os.environ, "uri": uri})

    def test_every_command_and_flag(self):
        for place in ((), ("--tcp", "0")):
            self.script("""
                MIB = 1 << 20
                assert (h.get_size(), h.is_read_only()) == (4 * MIB, False)
                for can in (h.can_flush, h.can_fua, h.can_trim, h.can_zero, h.can_fast_zero, h.can_df, h.can_cache, h.can_multi_conn):
                    assert can()
                assert h.get_structured_replies_negotiated()
                assert [h.get_block_size(n) for n in (nbd.SIZE_MINIMUM, nbd.SIZE_PREFERRED, nbd.SIZE_MAXIMUM)] == [1, 4096, 32 * MIB]

                # write, with and without FUA, and read, with and without DF
                for flags in (0, nbd.CMD_FLAG_FUA):
                    h.pwrite(b"hello", 1000, flags)
                    assert h.pread(9, 998) == b"\\x11\\x11hello\\x11\\x11"
                    assert h.pread(9, 998, ) == h.pread_structured(9, 998, lambda *_: None, nbd.CMD_FLAG_DF)

                # zero: FUA, NO_HOLE, FAST_ZERO
                for flags in (0, nbd.CMD_FLAG_FUA, nbd.CMD_FLAG_NO_HOLE, nbd.CMD_FLAG_FUA | nbd.CMD_FLAG_NO_HOLE):
                    h.pwrite(b"\\x22" * 65536, MIB)
                    h.zero(65536, MIB, flags)
                    assert h.pread(65536, MIB) == bytes(65536)
                try:
                    h.zero(65536, 2 * MIB, nbd.CMD_FLAG_FAST_ZERO)
                    assert h.pread(65536, 2 * MIB) == bytes(65536)
                except nbd.Error as error:
                    assert error.errno == "ENOTSUP", error
                    assert h.pread(65536, 2 * MIB) == b"\\x11" * 65536

                # trim, cache, flush
                h.trim(65536, 3 * MIB)
                h.trim(65536, 3 * MIB, nbd.CMD_FLAG_FUA)
                h.cache(MIB, 0)
                h.flush()

                # block status, with and without REQ_ONE, 32 and 64 bits
                def extents(flags, ask):
                    found = []
                    def take(context, offset, entries, error):
                        assert context == "base:allocation"
                        found.extend(entries)
                    ask(4 * MIB, 0, take, flags)
                    return found
                assert len(extents(0, h.block_status)) >= 6
                assert len(extents(nbd.CMD_FLAG_REQ_ONE, h.block_status)) == 2
                assert extents(0, h.block_status_64)[0][1] == 0

                # what must not be: past the end, nothing, too much, unknown flags
                h.set_strict_mode(0)
                def refused(expected, call, *words):
                    try:
                        call(*words)
                    except nbd.Error as error:
                        assert error.errno == expected, (error.errno, expected, words)
                        return
                    raise AssertionError(f"{words} was not refused")
                refused("EINVAL", h.pread, 512, 4 * MIB)
                refused("EINVAL", h.pread, 512, 4 * MIB - 100)
                refused("EINVAL", h.pread, 0, 0)
                refused("ENOSPC", h.pwrite, bytes(512), 4 * MIB - 100)
                refused("ENOSPC", h.zero, 512, 4 * MIB - 100)
                refused("EINVAL", h.trim, 512, 4 * MIB - 100)
                refused("EINVAL", h.trim, 0, 0)
                refused("EINVAL", h.trim, 512, 0, nbd.CMD_FLAG_REQ_ONE)
                refused("EINVAL", h.cache, 512, 4 * MIB)
                refused("EINVAL", h.flush, nbd.CMD_FLAG_DF)
                assert h.pread(5, 1000) == b"hello"
                h.shutdown()
            """, *place)

    def test_many_at_once_and_several_connections(self):
        self.script("""
            import os
            MIB = 1 << 20
            buffers = [nbd.Buffer.from_bytearray(bytearray([n]) * 4096) for n in range(64)]
            for n, buffer in enumerate(buffers):
                h.aio_pwrite(buffer, n * 4096)
            while h.aio_in_flight() > 0:
                h.poll(-1)
            h.flush()
            other = nbd.NBD()
            other.connect_uri(os.environ["uri"])
            for n in range(64):
                assert other.pread(4096, n * 4096) == bytes([n]) * 4096
            other.shutdown()
        """)

    def test_dialects_and_ways_of_opening(self):
        self.script("""
            import os
            uri = os.environ["uri"]
            def connected(**options):
                other = nbd.NBD()
                other.set_request_structured_replies(options.get("structured", True))
                if hasattr(other, "set_request_extended_headers"):
                    other.set_request_extended_headers(options.get("extended", True))
                other.set_request_block_size(options.get("sizes", True))
                other.set_handshake_flags(options.get("flags", nbd.HANDSHAKE_FLAG_FIXED_NEWSTYLE | nbd.HANDSHAKE_FLAG_NO_ZEROES))
                other.set_opt_mode(options.get("opt", False))
                other.connect_uri(uri)
                return other
            for options in ({}, {"structured": False, "extended": False}, {"extended": False}, {"sizes": False},
                            {"flags": nbd.HANDSHAKE_FLAG_FIXED_NEWSTYLE}):
                other = connected(**options)
                assert other.pread(100, 5000) == b"\\x11" * 100, options
                assert other.get_structured_replies_negotiated() == options.get("structured", True), options
                other.shutdown()
            other = connected(opt=True)
            names = []
            assert other.opt_list(lambda name, description: names.append(name) or 0) == 1 and names == [""]
            other.opt_info()
            assert other.get_size() == 4 << 20
            contexts = []
            other.opt_list_meta_context_queries([], lambda name: contexts.append(name) or 0)
            assert "base:allocation" in contexts and "qemu:allocation-depth" in contexts, contexts
            other.set_export_name("missing")
            try:
                other.opt_go()
                raise AssertionError("an export that is not there was opened")
            except nbd.Error:
                pass
            other.set_export_name("")
            other.opt_go()
            assert other.pread(5, 0) == b"\\x11" * 5
            other.shutdown()
            other = connected(opt=True)
            other.opt_abort()
        """)


if __name__ == "__main__":
    unittest.main()
