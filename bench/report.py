# SPDX-License-Identifier: GPL-3.0-or-later
"""Results as text: a block a case, a summary, Markdown"""

import statistics

import machine

NAMES = {"wall": "wall", "cpu": "CPU", "own": "to our sequential", "rss": "RSS MB", "size": "size",
         "seconds": "seconds"}


def table_text(rows):
    """Aligned columns; the first to the left, the others to the right"""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for first, *others in rows:
        cells = [first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(others, widths[1:]))]
        lines.append("  " + "  ".join(cells).rstrip())
    return "\n".join(lines)


def rounds_text(result):
    return f"{result.rounds} round{'s' if result.rounds != 1 else ''}"


def figures(result, contender):
    """median, min, max, CPU seconds, peak RSS"""
    walls = [run.wall for run in result.runs[contender.name]]
    return (f"{statistics.median(walls):.4f}", f"{min(walls):.4f}", f"{max(walls):.4f}",
            f"{result.median(contender, 'cpu'):.3f}", f"{result.rss(contender) / 1e6:.1f}")


HEAD = ("", "median s", "min", "max", "CPU s", "RSS MB")


def contender_rows(result):
    rows = [(*HEAD, "output", "the data then is")]
    for contender in (*result.of("floor"), *result.of("ours"), *result.of("peer")):
        size = result.size(contender)
        rows.append((contender.name, *figures(result, contender), "" if size is None else f"{size}", contender.durable))
    return rows


def measured_text(verdict):
    digits = {"size": 4, "rss": 1, "seconds": 4}.get(verdict.what, 2)
    return f"{NAMES[verdict.what]} {verdict.measured:.{digits}f}"


def case_text(result):
    lines = [f"{result.case.name}  ({rounds_text(result)})", table_text(contender_rows(result))]
    lines += [f"  {name}: not measured: {why}" for name, why in result.dropped.items()]
    for verdict in result.verdicts():
        of = f" of {result.best().name}" if verdict.what == "wall" else ""
        lines.append(f"  {measured_text(verdict)}{of}; hold {verdict.hold:.4g}, aim {verdict.aim:.4g}: {verdict}")
    if result.wrong:
        lines.append(f"  WRONG: {result.wrong}")
    return "\n".join(lines) + "\n"


def growth_text(growth, hold):
    results = [result for _, result in growth.points]
    wrong = "".join(f"\n  WRONG: {result.wrong}" for result in results if result.wrong)
    if not all(result.ours for result in results):
        return f"{growth.name}{wrong}\n"
    rows = [(*HEAD, "ms a GiB")]
    for size, result in growth.points:
        per_gib = result.median(result.ours) * 1000 / (size / machine.GIB)
        rows.append((machine.size_text(size), *figures(result, result.ours), f"{per_gib:.4g}"))
    base, slope, fit = growth.line()
    return (f"{growth.name}  ({rounds_text(results[0])})\n{table_text(rows)}\n"
            f"  {base * 1000:.2f} ms + {slope * machine.GIB * 1000:.4g} ms a GiB, R^2 {fit:.4f}; "
            f"hold {hold}: {'held' if fit >= hold else 'missed'}{wrong}\n")


def agreement_text(agreement, hold):
    rows = [("", "ours MB/s", "theirs MB/s", "bare MB/s", "ours/bare", "ours/theirs", "min", "max", "")]

    def middle(figures):
        return "" if None in figures else f"{statistics.median(figures) / 1e6:.1f}"

    for size, rounds in agreement.rows:
        ratios = [ours / theirs for ours, theirs, _ in rounds]
        ratio, to_bare = agreement.ratio(rounds), agreement.ratio_to_bare(rounds)
        rows.append((machine.size_text(size), *(middle(figures) for figures in zip(*rounds)),
                     f"{to_bare:.3f}" if to_bare else "", f"{ratio:.3f}", f"{min(ratios):.2f}", f"{max(ratios):.2f}",
                     "agree" if abs(ratio - 1) <= hold else f"differ by more than {hold:.0%}"))
    return f"{agreement.name}  ({len(agreement.rows[0][1])} rounds)\n{table_text(rows)}\n"


def summary_row(result):
    best, ours = result.best(), result.ours
    if result.wrong or not ours:
        return (result.case.name, *[""] * 8, f"WRONG: {result.wrong}")
    says = []
    for verdict in result.verdicts():
        if verdict.what == "wall":
            says.append(str(verdict))
        elif verdict.what in ("own", "size", "seconds") or verdict.measured > verdict.hold:
            says.append(f"{measured_text(verdict)} {verdict}")

    def number(value):
        return "" if value is None else f"{value:.2f}"

    return (result.case.name, f"{result.median(ours):.4f}", f"{result.median(best):.4f}" if best else "",
            best.name if best else "", number(result.ratio()), number(result.case.hold.wall),
            number(result.case.aim.wall), number(result.ratio("cpu")), f"{result.rss(ours) / 1e6:.1f}", "; ".join(says))


def summary_rows(bench):
    head = ("case", "ours s", "best peer s", "best peer", "wall", "hold", "aim", "CPU", "RSS MB", "verdict")
    return [head, *(summary_row(result) for result in bench.results)]


def markdown(bench, facts, r2_hold, agree_hold):
    """The machine, the summary, then everything"""
    lines = [f"- {name}: {value}" for name, value in facts] + [""]
    if bench.results:
        head, *rows = summary_rows(bench)
        lines += [f"| {' | '.join(head)} |", "|---|" + "---:|" * 2 + "---|" + "---:|" * 5 + "---|"]
        lines += [f"| {' | '.join(row)} |" for row in rows] + [""]
    lines += ["```text"]
    lines += [case_text(result) for result in bench.results]
    lines += [growth_text(growth, r2_hold) for growth in bench.growths]
    lines += [agreement_text(agreement, agree_hold) for agreement in bench.agreements]
    lines += [f"{what}: skipped: {why}" for what, why in bench.skipped]
    return "\n".join(lines).rstrip() + "\n```\n"
