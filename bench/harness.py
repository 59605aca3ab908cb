# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases, their measurement and their verdicts.

A case is one task done by several contenders. They take turns (A B C A B C ...), so that what disturbs the machine
disturbs all of them; medians are compared. Ratios are ours to the best peer: wall time to the quickest, CPU seconds
to the most frugal. What our program made is compared with the source after the measured runs.
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

import machine

TIMEOUT = 900        # seconds for one run
RSS_HOLD, RSS_AIM = 24, 12   # MB, any case
TOLERANCE = 1.15     # how far --quick lets a ratio be off: short runs scatter
R2_HOLD = 0.99


@dataclasses.dataclass(frozen=True)
class Goal:
    """Ratios not to exceed. `own`: to our own time in the case named by Case.own"""

    wall: float | None = None
    cpu: float | None = None
    own: float | None = None


@dataclasses.dataclass
class Contender:
    name: str
    command: list
    role: str = "peer"                      # ours, peer, floor
    output: pathlib.Path | None = None      # a file it makes anew: removed before and after each run
    durable: str = ""                       # where the data is when it ends


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
    note: str = ""


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


class Result:
    """What the runs of one case say"""

    def __init__(self, case, runs, dropped, wrong, rounds):
        self.case, self.runs, self.dropped, self.wrong, self.rounds = case, runs, dropped, wrong, rounds
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
        """[(what, measured, hold, aim)], smaller is better"""
        rows = []
        for what in ("wall", "cpu", "own"):
            hold = getattr(self.case.hold, what)
            if hold is not None and self.ratio(what) is not None:
                rows.append((what, self.ratio(what), hold, getattr(self.case.aim, what) or hold))
        if self.ours:
            rows.append(("rss", self.rss(self.ours) / 1e6, RSS_HOLD, RSS_AIM))
        peer = next((c for c in self.of("peer") if c.name == self.case.not_larger), None)
        if peer and self.ours:
            rows.append(("size", self.size(self.ours) / self.size(peer), 1.0, 1.0))
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


class Bench:
    """What a table is run with: programs, folders, rounds, and where results go"""

    def __init__(self, scratch, program, tools, *, rounds, quick=False, full=False):
        self.scratch, self.program, self.tools = scratch, program, tools
        self.rounds, self.quick, self.full = rounds, quick, full
        self.results, self.growths, self.skipped = [], [], []
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
        command = [self.tools["runner"], str(write_end), program, *map(str, contender.command[1:])]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              pass_fds=(write_end,), start_new_session=True) as process:
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
        self.others.append((max(0.0, busy - user - system), wall))
        if contender.output and not contender.output.exists():
            raise Broken("made no output")
        size = contender.output.stat().st_size if contender.output else None
        return Run(wall, user, system, int(fields[3]) * 1024, size)

    def race(self, cases):
        """Runs the cases' contenders in turns and returns their results in the same order."""
        rounds = self.rounds * max(case.more_rounds for case in cases)
        runs = {case.name: {} for case in cases}
        dropped = {case.name: {} for case in cases}
        try:
            for turn in range(rounds):
                for case in cases:
                    for contender in case.contenders:
                        if contender.name in dropped[case.name]:
                            continue
                        if sys.stderr.isatty():
                            print(f"\r\033[K{case.name}: round {turn + 1} of {rounds}, {contender.name}", end="", file=sys.stderr)
                        self._one(case, contender, runs[case.name], dropped[case.name], keep=turn + 1 == rounds)
            results = []
            for case in cases:
                ours = next((c for c in case.contenders if c.role == "ours"), None)
                wrong = None
                if ours and ours.name in dropped[case.name]:
                    wrong = dropped[case.name][ours.name]
                elif ours and case.check:
                    wrong = case.check()
                results.append(Result(case, runs[case.name], dropped[case.name], wrong, rounds))
        finally:
            if sys.stderr.isatty():
                print("\r\033[K", end="", file=sys.stderr)
            for case in cases:
                for contender in case.contenders:
                    if contender.output:
                        contender.output.unlink(missing_ok=True)
        for result in results:
            result.reference = next((r for r in results if r.case.name == result.case.own), None)
        return results

    def _one(self, case, contender, runs, dropped, keep):
        if contender.output:
            contender.output.unlink(missing_ok=True)
        if case.before:
            case.before()
        try:
            runs.setdefault(contender.name, []).append(self.measure(contender))
        except Broken as broken:
            runs.pop(contender.name, None)
            dropped[contender.name] = str(broken)
        if contender.output and not (keep and contender.role == "ours"):
            contender.output.unlink(missing_ok=True)

    # ---- what tables call

    def case(self, *cases):
        """Measures cases (several: in one race) and prints each."""
        for result in self.race(cases):
            self.results.append(result)
            print(case_text(result), flush=True)

    def growth(self, name, cases):
        """cases: [(bytes, Case)]"""
        results = self.race([case for _, case in cases])
        growth = Growth(name, [(size, result) for (size, _), result in zip(cases, results)])
        self.growths.append(growth)
        print(growth_text(growth), flush=True)

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
            for what, measured, hold, _ in result.verdicts():
                if what == "size" and measured > hold:
                    rows.append(f"{result.case.name}: the output is {measured:.4f} of {result.case.not_larger}'s; it may not be larger")
                elif self.quick and measured > hold * TOLERANCE:
                    rows.append(f"{result.case.name}: {what} {measured:.2f}, to hold {hold:.2f}")
        return rows


# ---- text

def verdict_text(measured, hold, aim):
    if measured <= aim:
        return "aim reached"
    return "held" if measured <= hold else f"missed by {(measured / hold - 1) * 100:.0f} %"


NAMES = {"wall": "wall", "cpu": "CPU", "own": "to our sequential", "rss": "RSS MB", "size": "size"}


def table_text(rows):
    """Aligned columns; the first to the left, the others to the right"""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [cell.ljust(width) if i == 0 else cell.rjust(width) for i, (cell, width) in enumerate(zip(row, widths))]
        lines.append("  " + "  ".join(cells).rstrip())
    return "\n".join(lines)


def rounds_text(result):
    return f"{result.rounds} round{'s' if result.rounds != 1 else ''}"


def contender_rows(result):
    rows = [("", "median s", "min", "max", "CPU s", "RSS MB", "output", "the data then is")]
    order = {"floor": 0, "ours": 1, "peer": 2}
    for c in sorted(result.case.contenders, key=lambda c: order[c.role]):
        if c.name in result.dropped:
            continue
        walls = [run.wall for run in result.runs[c.name]]
        size = result.size(c)
        rows.append((c.name, f"{statistics.median(walls):.4f}", f"{min(walls):.4f}", f"{max(walls):.4f}",
                     f"{result.median(c, 'cpu'):.3f}", f"{result.rss(c) / 1e6:.1f}", "" if size is None else f"{size}", c.durable))
    return rows


def case_text(result):
    case = result.case
    lines = [f"{case.name}  ({rounds_text(result)}){': ' + case.note if case.note else ''}", table_text(contender_rows(result))]
    lines += [f"  {name}: not measured: {why}" for name, why in result.dropped.items()]
    best = result.best()
    for what, measured, hold, aim in result.verdicts():
        of = f" of {best.name}" if what == "wall" and best else ""
        digits = 4 if what == "size" else 2
        lines.append(f"  {NAMES[what]} {measured:.{digits}f}{of}; hold {hold:.2f}, aim {aim:.2f}: {verdict_text(measured, hold, aim)}")
    if result.wrong:
        lines.append(f"  WRONG: {result.wrong}")
    return "\n".join(lines) + "\n"


def growth_text(growth):
    rows = [("", "median s", "min", "max", "CPU s", "RSS MB", "ms a GiB")]
    for size, result in growth.points:
        if not result.ours:
            return f"{growth.name}\n  WRONG: {result.wrong}\n"
        walls = [run.wall for run in result.runs[result.ours.name]]
        wall = statistics.median(walls)
        rows.append((machine.size_text(size), f"{wall:.4f}", f"{min(walls):.4f}", f"{max(walls):.4f}",
                     f"{result.median(result.ours, 'cpu'):.3f}", f"{result.rss(result.ours) / 1e6:.1f}",
                     f"{wall * 1000 / (size / machine.GIB):.4g}"))
    base, slope, fit = growth.line()
    wrong = "".join(f"\n  WRONG: {result.wrong}" for _, result in growth.points if result.wrong)
    return (f"{growth.name}  ({rounds_text(growth.points[0][1])})\n{table_text(rows)}\n"
            f"  {base * 1000:.2f} ms + {slope * machine.GIB * 1000:.4g} ms a GiB, R^2 {fit:.4f}; "
            f"hold {R2_HOLD}: {'held' if fit >= R2_HOLD else 'missed'}{wrong}\n")


def summary_rows(bench):
    rows = [("case", "ours s", "best peer s", "best peer", "wall", "hold", "aim", "CPU", "RSS MB", "verdict")]
    for result in bench.results:
        best, ours = result.best(), result.ours
        if result.wrong or not ours:
            rows.append((result.case.name, *[""] * 8, f"WRONG: {result.wrong}" if ours or result.wrong else "ours not measured"))
            continue
        verdicts = {what: (measured, hold, aim) for what, measured, hold, aim in result.verdicts()}
        number = lambda value: "" if value is None else f"{value:.2f}"
        says = []
        for what, (measured, hold, aim) in verdicts.items():
            if what == "wall":
                says.insert(0, verdict_text(measured, hold, aim))
            elif what in ("own", "size"):
                says.append(f"{NAMES[what]} {measured:.{4 if what == 'size' else 2}f} {verdict_text(measured, hold, aim)}")
            elif measured > hold:
                says.append(f"{NAMES[what]} {measured:.2f} {verdict_text(measured, hold, aim)}")
        rows.append((result.case.name, f"{result.median(ours):.4f}", f"{result.median(best):.4f}" if best else "",
                     best.name if best else "", number(result.ratio()), number(result.case.hold.wall), number(result.case.aim.wall),
                     number(result.ratio("cpu")), f"{result.rss(ours) / 1e6:.1f}", "; ".join(says)))
    return rows


def markdown(bench, facts):
    """The summary, then everything"""
    lines = [f"- {name}: {value}" for name, value in facts] + [""]
    if bench.results:
        head, *rows = summary_rows(bench)
        lines += [f"| {' | '.join(head)} |", "|---|" + "---:|" * 2 + "---|" + "---:|" * 5 + "---|"]
        lines += [f"| {' | '.join(row)} |" for row in rows] + [""]
    lines += ["```text"]
    lines += [case_text(result) for result in bench.results] + [growth_text(growth) for growth in bench.growths]
    lines += [f"{what}: skipped: {why}" for what, why in bench.skipped]
    return "\n".join(lines).rstrip() + "\n```\n"
