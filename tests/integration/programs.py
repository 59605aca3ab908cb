# SPDX-License-Identifier: GPL-3.0-or-later
"""How the integration tests run programs: each command is remembered, so that a failure prints what leads to it."""

import dataclasses
import json
import os
import pathlib
import resource
import shlex
import signal
import subprocess
import tempfile
import time

DISKLATHE = os.environ.get("DISKLATHE", "disklathe")
SANITIZED = any(os.environ.get("DISKLATHE_BUILD_DIR", "").endswith(preset) for preset in ("asan", "tsan"))
MEBIBYTE = 1 << 20


@dataclasses.dataclass
class Done:
    code: int  # as a shell would see it: 128 + the signal's number for one that was killed
    out: str
    err: str
    seconds: float
    peak_rss: int  # bytes

    @property
    def crashed(self):
        return "Sanitizer" in self.err or self.code in (128 + s for s in (
            signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGKILL))


class Wrong(AssertionError):
    """What a program did was not what it should have done."""


class NotJudged(Exception):
    """Nothing can be said of a round: why. The program that is asked for its opinion took too long for one, say."""


class Work:
    """A folder to work in, the programs run in it, and what was typed so far."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.typed = []

    def path(self, name):
        return self.folder / name

    def run(self, *command, timeout=60, memory=None, **options):
        """Runs a command in the folder to its end. memory: of its address space, bytes."""
        command = [str(word) for word in command]
        self.typed.append(shlex.join(command))
        if memory:
            options["preexec_fn"] = lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        options.setdefault("stdin", subprocess.DEVNULL)
        began = time.monotonic()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = subprocess.Popen(command, cwd=self.folder, stdout=out, stderr=err, **options)
            status, usage = wait(process, timeout)
            if status is None:
                if command[0].startswith("qemu-"):
                    raise NotJudged(f"no answer from: {self.typed[-1]}")
                raise self.wrong(f"still running after {timeout} s")
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read().decode(errors="replace"))
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
        process.returncode = code
        return Done(code, *texts, time.monotonic() - began, usage.ru_maxrss * 1024)

    def must(self, *command, code=0, **options):
        """Runs a command that has to end with this code."""
        done = self.run(*command, **options)
        if done.code != code:
            raise self.wrong(f"ended with {done.code}, not {code}\n{done.out}{done.err}")
        return done

    def ours(self, *arguments, **options):
        """Disklathe, which may fail but never crash."""
        done = self.run(DISKLATHE, *arguments, **options)
        if done.crashed:
            raise self.wrong(f"crashed: {done.code}\n{done.out}{done.err}")
        return done

    def json(self, *command):
        return json.loads(self.must(*command).out)

    def wrong(self, what):
        return Wrong("\n".join([what, f"in {self.folder}, after:", *("  " + line for line in self.typed)]))


def wait(process, timeout):
    """The status and rusage of a child; (None, None) when it had to be killed."""
    deadline = time.monotonic() + timeout
    pause = 0.001
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            return status, usage
        if time.monotonic() > deadline:
            process.kill()
            os.wait4(process.pid, 0)
            return None, None
        time.sleep(pause)
        pause = min(pause * 1.5, 0.02)
