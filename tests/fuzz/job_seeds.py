# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes corpus/job_message: one message of each kind, as CBOR, and some in frames. Run after the protocol changed."""

import pathlib
import struct

CORPUS = pathlib.Path(__file__).parent / "corpus/job_message"


def head(major, value):
    if value < 24:
        return bytes([major << 5 | value])
    for detail, form, bits in ((24, ">B", 8), (25, ">H", 16), (26, ">I", 32), (27, ">Q", 64)):
        if value < 1 << bits:
            return bytes([major << 5 | detail]) + struct.pack(form, value)


def cbor(value):
    if isinstance(value, bool):
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, int):
        return head(0, value)
    if isinstance(value, float):
        return b"\xfb" + struct.pack(">d", value)
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(cbor, value))
    return head(5, len(value)) + b"".join(cbor(key) + cbor(value[key]) for key in sorted(value))


def given(role, writable=False):
    return {"role": role, "name": "/a/b", "writable": writable, "cache": "auto", "direct": True,
            "device": ["7:0", "5", "4096", "0", "serial", "wwn"] if writable else [], "granted": False}


RANGE = {"at": 0, "length": 4096}
WORKS = {
    "inspect": {"format": "qcow2", "snapshot": "", "chain": True, "most_window": 1 << 27},
    "map": {"format": "", "snapshot": "s", "range": RANGE, "file_holes": False},
    "convert": {"source_format": "", "snapshot": "", "format": "qcow2", "options": {"cluster_size": "64k"},
                "compress": True, "level": 3, "backing_file": "", "backing_format": "", "existing": False,
                "target_is_zero": False, "sparse_size": 4096, "verify": True, "durable": True, "size": 1 << 20,
                "most_window": 1 << 27},
    "zero": {"ranges": [RANGE], "method": "punch", "discard": False, "verify": False, "seed": 1},
    "compare": {"source_format": "", "source_snapshot": "", "other_format": "raw", "strict": True, "limit": 1 << 40},
    "sweep": {"sizes": [4096, 65536], "write": True, "lay_out": True, "depth": 1, "area": 1 << 20,
              "nanoseconds_per_size": 10**9, "bytes_per_size": 1 << 63, "rounds": 5},
    "checksum": {"format": "qcow2", "snapshot": "s", "sha256": True, "xxh128": True, "most_window": 1 << 27},
    "export": {"format": "raw", "snapshot": "", "name": "n", "description": "d", "writable": True, "changes": False,
               "part": RANGE, "partition": 1, "connections": 64, "idle_seconds": 5, "once": True},
}
ERROR = {"kind": "io", "operation": "read", "subject": "a", "offset": 5, "os_error": 5, "cause": "c"}
REFERENCE = {"kind": "backing", "name": "b", "format": "raw", "by_guess": False, "identities": ["u"]}
FACTS = {"cluster_size": 65536, "encrypted": False, "snapshots": [
    {"id": "1", "name": "s", "disk_size": 1, "vm_state_size": 0, "date_seconds": 1, "date_nanoseconds": 0,
     "vm_clock_nanoseconds": 0, "icount": 0}], "specific": [
         {"key": "a", "members": [{"key": "", "flag": True}, {"key": "n", "number": 5}, {"key": "t", "text": "x"}]}],
         "warnings": ["w"], "identity": "u"}
LAYER = {"name": "a", "format": "qcow2", "probed": True, "virtual_size": 1, "file_size": 1, "allocated": 1,
         "block_device": False, "facts": FACTS, "references": [REFERENCE]}
POINT = {"size": 4096, "requests": 1, "seconds": 0.5, "rate": 1e9, "p50": 1, "p99": 2, "user_seconds": 0.0,
         "system_seconds": 0.0}
OUTCOMES = {
    "inspect": {"layers": [LAYER], "partitions": {"kind": "gpt", "sector_size": 512, "backup_at": 512}},
    "map": {"virtual_size": 5},
    "convert": {"disk_size": 5, "verified": True, "garbage_at": 4},
    "zero": {"commanded": 1, "written": 2, "found": 3, "command": "write-zeroes", "discarded": 0, "all_read": True,
             "nonzero_at": 1},
    "compare": {"source_size": 1, "other_size": 2, "differs_at": 0},
    "sweep": {"points": [POINT]},
    "checksum": {"size": 5, "sha256": "0a" * 32, "xxh128": ""},
    "export": {},
}
STREAM = {"format": "gz", "description": "gzip", "file_size": 5, "content": "a tar archive"}
READING = {"phase": "write", "total": 9, "total_known": True, "input": 0, "input_total": 0, "waits_for_input": False,
           "submitted": 1,
           "completed": 1, "zeroed": 0, "skipped": 0, "flushed": 0, "verified": 0, "request_size": 4096,
           "request_reason": "settled"}
ENTRY = {"kind": "data", "guest": RANGE, "file": 1, "host": RANGE, "layer": 0}


def messages():
    for kind, work in WORKS.items():
        files = [given("source"), given("target", True)]
        if kind == "export":
            files.append({**given("listener"), "direct": False})
        spec = {"kind": kind, "files": files, "work": work}
        yield f"start-{kind}", {"start": {"version": 1, "spec": spec}}
    yield "attached", {"attached": {"spec": spec}}
    for word in ("go", "stop", "keep", "taken"):
        yield word, {word: {}}
    yield "answer-yes", {"answer": {"id": 1, "direct": True, "cache": "none"}}
    yield "answer-no", {"answer": {"id": 1, "direct": False, "cache": "auto", "refusal": ERROR}}
    yield "hello", {"hello": {"version": 1, "program": "0.1", "kind": "zero", "layers": [
        {"name": "seccomp", "on": True, "detail": "d"}]}}
    yield "progress", {"progress": READING}
    yield "note", {"note": {"kind": "image-warning", "subject": "a", "text": "t", "offset": 0}}
    yield "question", {"question": {"id": 1, "image": "a", "reference": REFERENCE, "path": "/b"}}
    yield "piece", {"piece": {"entries": [ENTRY, ENTRY]}}
    for kind, result in OUTCOMES.items():
        yield f"done-{kind}", {"done": {"outcome": {"kind": kind, "result": result}}}
    yield "done-stream", {"done": {"outcome": {"kind": "inspect", "result": {"layers": [], "stream": STREAM}}}}
    yield "failed", {"failed": {"error": ERROR}}


def main():
    CORPUS.mkdir(parents=True, exist_ok=True)
    frames = b""
    for name, message in messages():
        body = cbor(message)
        (CORPUS / f"seed-{name}").write_bytes(body)
        if name in ("go", "progress", "answer-no"):
            frames += struct.pack("<IBxxx", len(body), 0) + body
    (CORPUS / "seed-frames").write_bytes(frames)


main()
