# SPDX-License-Identifier: GPL-3.0-or-later
"""clang-tidy over our sources and the headers they include: lint.py CACHE BUILD [FILE...]

A file that passed is not looked at again until it, a header of ours that it includes, its compiler command or
.clang-tidy changes. Needs a finished build: the headers are the ones the build recorded.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import time

TOP = pathlib.Path(__file__).resolve().parent.parent
TIDY = "clang-tidy-19"


def recorded_headers(build):
    """object file -> the files of ours it was made from"""
    headers, current = {}, None
    for line in subprocess.run(["ninja", "-C", build, "-t", "deps"], text=True, capture_output=True).stdout.splitlines():
        if line[:1].strip():
            current = headers.setdefault(line.split(":")[0], [])
        elif line.strip():
            path = os.path.normpath(os.path.join(build, line.strip()))
            if path.startswith(f"{TOP}/") and not path.startswith(f"{TOP}/build/") and os.path.isfile(path):
                current.append(path)
    return headers


def key_of(entry, headers, base):
    digest = hashlib.sha256(base)
    digest.update(entry["command"].replace(str(TOP), "").encode())
    for path in sorted({entry["file"], *headers.get(entry.get("output", ""), [])}):
        digest.update(path.replace(str(TOP), "").encode() + b"\0" + pathlib.Path(path).read_bytes() + b"\0")
    return digest.hexdigest()


def check(entry, build):
    run = subprocess.run([TIDY, "--quiet", "-p", build, entry["file"]], text=True, capture_output=True)
    # What is left on standard error of a clean run are counts of warnings in other people's headers.
    return run.returncode, (run.stdout + (run.stderr if run.returncode and not run.stdout.strip() else "")).strip()


def main():
    cache, build, wanted = pathlib.Path(sys.argv[1]), sys.argv[2], [str(pathlib.Path(f).resolve()) for f in sys.argv[3:]]
    cache.mkdir(parents=True, exist_ok=True)
    version = subprocess.run([TIDY, "--version"], capture_output=True).stdout
    base = version + b"".join(config.read_bytes() for config in (TOP / ".clang-tidy", TOP / "tests/.clang-tidy"))
    headers = recorded_headers(build)
    entries = {}
    for entry in json.loads(pathlib.Path(build, "compile_commands.json").read_text()):
        path = entry["file"]
        if path.startswith(f"{TOP}/") and not path.startswith(f"{TOP}/build/") and (path in wanted if wanted else not path.endswith("/pch.cpp")):
            entries.setdefault(path, entry)
    keys = {path: key_of(entry, headers, base) for path, entry in entries.items()}
    todo = [path for path in entries if not (cache / keys[path]).exists()]
    began, bad = time.monotonic(), 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {pool.submit(check, entries[path], build): path for path in todo}
        for done, job in enumerate(concurrent.futures.as_completed(jobs), 1):
            path, (status, said) = jobs[job], job.result()
            print(f"[{done}/{len(todo)}] {os.path.relpath(path, TOP)}", file=sys.stderr)
            if status == 0:
                (cache / keys[path]).touch()
            else:
                bad += 1
                print(said)
    for old in cache.iterdir():  # what no checkout has asked for in a month
        if time.time() - old.stat().st_mtime > 30 * 86400:
            old.unlink(missing_ok=True)
    print(f"lint: {len(entries)} files, {len(todo)} looked at, {bad} with findings, {time.monotonic() - began:.0f} s")
    return 1 if bad else 0


sys.exit(main())
