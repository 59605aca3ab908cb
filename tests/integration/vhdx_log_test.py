# SPDX-License-Identifier: GPL-3.0-or-later
"""VHDX images with a log that was left behind: read as QEMU reads them once it has replayed it; the file stays as it is."""

import pathlib
import shutil
import struct
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from command import CommandTest, MIB  # noqa: E402

PAGE = 4096
LOG_AT, LOG_ID = MIB, b"the log's own id"
HEADERS = (64 << 10, 128 << 10)


def crc32c(data):
    if not hasattr(crc32c, "table"):
        crc32c.table = []
        for byte in range(256):
            for _ in range(8):
                byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
            crc32c.table.append(byte)
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ crc32c.table[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def with_checksum(data):
    data = bytearray(data)
    struct.pack_into("<I", data, 4, 0)
    struct.pack_into("<I", data, 4, crc32c(data))
    return data


def log_entry(number, tail, pages, size):
    """pages: (offset, bytes of a page)."""
    descriptors, sectors = b"", b""
    for at, page in pages:
        if page == bytes(PAGE):
            descriptors += struct.pack("<4sIQQQ", b"zero", 0, PAGE, at, number)
        else:
            descriptors += struct.pack("<4s4s8sQQ", b"desc", page[-4:], page[:8], at, number)
            sectors += struct.pack("<4sI", b"data", number >> 32) + page[8:-4] + struct.pack("<I", number & 0xFFFFFFFF)
    room = -(-(64 + len(descriptors)) // PAGE) * PAGE
    head = struct.pack("<4sIIIQII16sQQ", b"loge", 0, room + len(sectors), tail, number, len(pages), 0, LOG_ID, size, size)
    return with_checksum((head + descriptors).ljust(room, b"\0") + sectors)


class VhdxLogTest(CommandTest):
    def image_with_log(self, entries, start):
        """An image whose last changes to its tables are in its log only, `entries` pages a log entry."""
        self.qemu("create", "-q", "-f", "vhdx", "-o", "block_size=1M", "image.vhdx", "64M")
        write = lambda *commands: subprocess.run(
            ["qemu-io", "-f", "vhdx", *(word for command in commands for word in ("-c", command)), "image.vhdx"],
            check=True, stdout=subprocess.DEVNULL)
        write("write -P 1 0 2M", "write -P 2 40M 70k")
        before = bytearray(pathlib.Path("image.vhdx").read_bytes())
        write("write -P 3 1M 2M", "write -P 4 50M 3M", "write -P 5 40M 4k")
        image = bytearray(pathlib.Path("image.vhdx").read_bytes())
        # The tables as they were; blocks were written in place.
        changed = [at for at in range(LOG_AT + MIB, 4 * MIB, PAGE) if image[at:at + PAGE] != before[at:at + PAGE]]
        self.assertTrue(changed)
        pages = [(at, bytes(image[at:at + PAGE])) for at in changed]
        for at in changed:
            image[at:at + PAGE] = before[at:at + PAGE]
        where, number = start, 7
        for first in range(0, len(pages), entries):
            entry = log_entry(number, start, pages[first:first + entries], len(image))
            for at in range(0, len(entry), PAGE):
                place = LOG_AT + (where + at) % MIB
                image[place:place + PAGE] = entry[at:at + PAGE]
            where = (where + len(entry)) % MIB
            number += 1
        for at in HEADERS:
            header = image[at:at + PAGE]
            header[48:64] = LOG_ID
            image[at:at + PAGE] = with_checksum(header)
        pathlib.Path("image.vhdx").write_bytes(image)
        return bytes(image)

    def test_reads_what_qemu_replays(self):
        for entries, start in ((1, 0), (64, 0), (1, 512 << 10), (64, MIB - PAGE)):
            with self.subTest(f"{entries} pages an entry from {start} on"):
                image = self.image_with_log(entries, start)
                self.assertIn("log", self.ours("info", "image.vhdx").stderr)
                self.ours("convert", "-q", "-O", "raw", "image.vhdx", "ours.raw")
                self.ours("check", "-q", "image.vhdx")
                self.assertEqual(pathlib.Path("image.vhdx").read_bytes(), image)
                shutil.copy("image.vhdx", "replayed.vhdx")
                self.qemu("check", "-q", "-r", "all", "-f", "vhdx", "replayed.vhdx")
                self.qemu("compare", "-f", "raw", "-F", "vhdx", "ours.raw", "replayed.vhdx")
                with open("ours.raw", "rb") as raw:
                    raw.seek(51 * MIB)
                    self.assertEqual(raw.read(4), b"\4" * 4)  # not as it was before


if __name__ == "__main__":
    unittest.main()
