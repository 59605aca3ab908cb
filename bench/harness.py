# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases, their measurement and their verdicts.

A case is one task done by several contenders. They take turns (A B C A B C ...), so that what disturbs the machine
disturbs all of them; medians are compared. Ratios are ours to the best peer: wall time to the quickest, CPU seconds
to the most frugal. What our program made in its last run is compared with the source.
"""

import dataclasses
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
from collections.abc import Callable
from typing import NamedTuple

import machine
import report

TIMEOUT = 900        # seconds for one run
RSS_HOLD, RSS_AIM = 24, 12   # MB, any case
TOLERANCE = 1.15     # how far --quick lets a ratio be off: short runs scatter
R2_HOLD = 0.99
AGREE_HOLD = 0.03    # how far two programs may differ about the same thing


@dataclasses.dataclass(frozen=True)
class Goal:
    """Ratios not to exceed. `own`: to our own time in the case named by Case.own. `seconds`: our time, no ratio"""

    wall: float | None = None
    cpu: float | None = None
    own: float | None = None
    seconds: float | None = None


@dataclasses.dataclass
class Contender:
    name: str
    command: list
    role: str = "peer"                      # ours, peer, floor
    output: pathlib.Path | None = None      # a file it makes anew: removed before and after each run
    durable: str = ""                       # where the data is when it ends
    server: subprocess.Popen | None = None  # that it asks: counted with it


@dataclasses.dataclass
class Case:
    name: str
    contenders: list[Contender]
    hold: Goal = Goal()
    aim: Goal = Goal()
    check: Callable[[], str | None] | None = None    # what is wrong with our output
    before: Callable[[], None] | None = None         # before each run, not measured
    own: str | None = None                           # the case of the same race that `own` is a ratio to
    not_larger: str | None = None                    # the peer whose output ours may not be larger than
    more_rounds: int = 1
    fills: int = 0                                   # bytes of the page cache that a run takes anew


@dataclasses.dataclass
class Run:
    wall: float
    user: float
    system: float
    rss: int          # bytes
    size: int | None = None   # of the output

    @property
    def cpu(self):
        return self.user + self.system


class Broken(Exception):
    """A program failed; the text says how."""


class Verdict(NamedTuple):
    """What was measured against what it should not exceed"""

    what: str          # wall, cpu, own: ratios; seconds; rss: MB; size: ratio
    measured: float
    hold: float
    aim: float

    def __str__(self):
        if self.measured <= self.aim:
            return "aim reached"
        return "held" if self.measured <= self.hold else f"missed by {(self.measured / self.hold - 1) * 100:.1f} %"


class Result:
    """What the runs of one case say"""

    def __init__(self, case, rounds):
        self.case, self.rounds = case, rounds
        self.runs = {}           # contender's name -> runs
        self.dropped = {}        # contender's name -> why it was not measured
        self.wrong = None        # what is wrong with ours
        self.reference = None    # Result of case.own

    def of(self, role):
        return [c for c in self.case.contenders if c.role == role and self.runs.get(c.name)]

    @property
    def ours(self):
        return next(iter(self.of("ours")), None)

    def median(self, contender, value="wall"):
        return statistics.median(getattr(run, value) for run in self.runs[contender.name])

    def rss(self, contender):
        return max(run.rss for run in self.runs[contender.name])

    def size(self, contender):
        return self.runs[contender.name][-1].size

    def best(self, value="wall"):
        peers = self.of("peer")
        return min(peers, key=lambda peer: self.median(peer, value)) if peers else None

    def ratio(self, value="wall"):
        """ours / best peer, or None where one of them is missing"""
        if value == "own":
            if not self.reference or not self.reference.ours or not self.ours:
                return None
            return self.median(self.ours) / self.reference.median(self.reference.ours)
        best = self.best(value)
        return self.median(self.ours, value) / max(self.median(best, value), 1e-6) if self.ours and best else None

    def verdicts(self):
        rows = []
        for what in ("wall", "cpu", "own"):
            hold = getattr(self.case.hold, what)
            if hold is not None and self.ratio(what) is not None:
                rows.append(Verdict(what, self.ratio(what), hold, getattr(self.case.aim, what) or hold))
        if self.ours and self.case.hold.seconds is not None:
            hold = self.case.hold.seconds
            rows.append(Verdict("seconds", self.median(self.ours), hold, self.case.aim.seconds or hold))
        if self.ours:
            rows.append(Verdict("rss", self.rss(self.ours) / 1e6, RSS_HOLD, RSS_AIM))
        peer = next((c for c in self.of("peer") if c.name == self.case.not_larger), None)
        if peer and self.ours:
            rows.append(Verdict("size", self.size(self.ours) / self.size(peer), 1.0, 1.0))
        return rows


@dataclasses.dataclass
class Growth:
    """How our time follows the size of the task"""

    name: str
    points: list[tuple[int, Result]]     # bytes, result

    def line(self):
        """(seconds at size 0, seconds a byte, R^2) of the best straight line through the medians"""
        x = [size for size, _ in self.points]
        y = [result.median(result.ours) for _, result in self.points]
        slope, base = statistics.linear_regression(x, y)
        mean = statistics.fmean(y)
        total = sum((v - mean) ** 2 for v in y)
        rest = sum((v - base - slope * u) ** 2 for u, v in zip(x, y))
        return base, slope, 1 - rest / total if total else 1.0


@dataclasses.dataclass
class Agreement:
    """What two programs say of the same thing, which should be the same"""

    name: str
    # (size, [(ours, theirs, bare)]); bare: what the system calls alone give, None where that was not measured
    rows: list[tuple[int, list[tuple[float, float, float | None]]]] = dataclasses.field(default_factory=list)

    @staticmethod
    def ratio(rounds):
        """Of the rounds' ratios the median: each round was measured in one go"""
        return statistics.median(ours / theirs for ours, theirs, _ in rounds)

    @staticmethod
    def ratio_to_bare(rounds):
        return statistics.median(ours / bare for ours, _, bare in rounds) if rounds[0][2] else None


def status_line(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr)


class Bench:
    """What a table is run with: programs, folders, rounds, and where results go"""

    def __init__(self, scratch, program, tools, *, rounds, quick=False, full=False):
        self.scratch, self.program, self.tools = scratch, program, tools
        self.rounds, self.quick, self.full = rounds, quick, full
        self.results, self.growths, self.agreements, self.skipped = [], [], [], []
        self.others = []     # CPU seconds used by others, seconds measured

    def folder(self, name, need):
        return self.scratch.folder(name, need)

    def floor(self, name, *arguments, output=None):
        return Contender(f"floor: {name}", [self.tools["floor"], *arguments], "floor", output)

    # ---- measuring

    def measure(self, contender):
        program = shutil.which(str(contender.command[0]))
        if program is None:
            raise Broken(f"{contender.command[0]} is not installed")
        read_end, write_end = os.pipe()
        busy = machine.busy_seconds()
        served = machine.cpu_seconds(contender.server.pid) if contender.server else 0
        command = [self.tools["runner"], str(write_end), program, *map(str, contender.command[1:])]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              pass_fds=(write_end,), process_group=0) as process:
            os.close(write_end)
            try:
                _, errors = process.communicate(timeout=TIMEOUT)
            except subprocess.TimeoutExpired:
                raise Broken(f"did not end within {TIMEOUT} s") from None
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
        busy = machine.busy_seconds() - busy
        with open(read_end) as report:
            fields = report.read().split()
        if len(fields) != 5:
            raise Broken("the runner reported nothing")
        wall, user, system = map(float, fields[:3])
        if int(fields[4]):
            raise Broken(f"status {fields[4]}: {errors.decode(errors='replace').strip()[-300:]}")
        peak = int(fields[3]) * 1024
        if contender.server:
            if contender.server.poll() is not None:
                raise Broken(f"the server ended with {contender.server.returncode}")
            system += machine.cpu_seconds(contender.server.pid) - served
            peak = machine.peak_rss(contender.server.pid)
        self.others.append((max(0.0, busy - user - system), wall))
        if contender.output and not contender.output.exists():
            raise Broken("made no output")
        size = contender.output.stat().st_size if contender.output else None
        return Run(wall, user, system, peak, size)

    def race(self, cases):
        """Runs the cases' contenders in turns and returns their results in the same order."""
        rounds = self.rounds * max(case.more_rounds for case in cases)
        results = [Result(case, rounds) for case in cases]
        for result in results:
            result.reference = next((r for r in results if r.case.name == result.case.own), None)
        for turn in range(rounds):
            for result in results:
                for contender in result.case.contenders:
                    if contender.name not in result.dropped:
                        status_line(f"{result.case.name}: round {turn + 1} of {rounds}, {contender.name}")
                        self.take_turn(result, contender, last=turn + 1 == rounds)
        status_line("")
        return results

    def take_turn(self, result, contender, last):
        """One run; after the last of ours its output is checked."""
        if contender.output:
            contender.output.unlink(missing_ok=True)
        if result.case.before:
            result.case.before()
        if result.case.fills:
            subprocess.run([self.tools["memory"], str(result.case.fills)], check=True)
        try:
            result.runs.setdefault(contender.name, []).append(self.measure(contender))
            if last and contender.role == "ours" and result.case.check:
                result.wrong = result.case.check()
        except Broken as broken:
            result.runs.pop(contender.name, None)
            result.dropped[contender.name] = str(broken)
            if contender.role == "ours":
                result.wrong = str(broken)
        finally:
            if contender.output:
                contender.output.unlink(missing_ok=True)

    # ---- what tables call

    def case(self, *cases):
        """Measures cases (several: in one race) and prints each."""
        for result in self.race(cases):
            self.results.append(result)
            print(report.case_text(result), flush=True)

    def growth(self, name, cases):
        """cases: [(bytes, Case)]"""
        results = self.race([case for _, case in cases])
        growth = Growth(name, [(size, result) for (size, _), result in zip(cases, results)])
        self.growths.append(growth)
        print(report.growth_text(growth, R2_HOLD), flush=True)

    def agreement(self, agreement):
        self.agreements.append(agreement)
        print(report.agreement_text(agreement, AGREE_HOLD), flush=True)

    def skip(self, what, why):
        self.skipped.append((what, why))
        print(f"{what}: skipped: {why}\n", flush=True)

    def other_load(self):
        """Of what the machine could do while something was measured, the part that others used"""
        wall = sum(wall for _, wall in self.others)
        return sum(cpu for cpu, _ in self.others) / (wall * (os.cpu_count() or 1)) if wall else 0.0

    def failures(self):
        """Sentences: what makes this bench fail"""
        rows = []
        for result in self.results + [r for growth in self.growths for _, r in growth.points]:
            if result.wrong:
                rows.append(f"{result.case.name}: {result.wrong}")
                continue
            for what, measured, hold, _aim in result.verdicts():
                if what == "size" and measured > hold:
                    allowed = result.case.not_larger
                    rows.append(f"{result.case.name}: output {measured:.4f} of {allowed}'s, it may not be larger")
                elif self.quick and measured > hold * TOLERANCE:
                    rows.append(f"{result.case.name}: {what} {measured:.4g}, to hold {hold:.4g}")
        for agreement in self.agreements:
            for size, rounds in agreement.rows:
                ratio = agreement.ratio(rounds)
                if self.quick and not 1 / TOLERANCE <= ratio <= TOLERANCE:
                    rows.append(f"{agreement.name}, {machine.size_text(size)}: {ratio:.2f} of the other's figure")
        return rows
