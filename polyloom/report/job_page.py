# SPDX-License-Identifier: Apache-2.0
"""An MPI job on the report page: its bottleneck, its ranks over time, its ranks as a table. Output: inline SVG, HTML.

Up to SHOWN ranks are drawn one by one, with the critical path; of more, how many of them do what, and the extremes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from html import escape
from itertools import pairwise

from polyloom.base.record import RunRecord
from polyloom.report import job_bottleneck, waits
from polyloom.report.format import COLOURS, quantity
from polyloom.report.waits import Call, Job, Rank

SHOWN = 32
LINES = 20  # of the program, the hottest ones
EXTREMES = 8  # of more: so many that waited longest, and least
LEFT, WIDTH, BAR, GAP, AREA = 80, 820, 16, 6, 160
#: A rank's calls are drawn one by one up to so many; else columns of time, by what took most of each.
SINGLE, COLUMNS = 300, 273
STEPS = 2000  # of the critical path that are drawn
COMPUTES, OTHER = COLOURS[2], COLOURS[7]
_WAITS = [colour for colour in COLOURS if colour not in {COMPUTES, OTHER}]
PERCENTILES = (0, 10, 50, 90, 100)


def sections(run: RunRecord) -> list[tuple[str, str]]:
    """Heads and what stands under them; none if no rank left its history."""
    job = waits.read(run)
    if job is None:
        return []
    known = not job_bottleneck.silent(run, job)
    found = [
        ("What the job waited for", bottleneck(run, job)),
        ("Ranks over time", timeline(job, known)),
        ("Ranks", table(job)),
        ("Cycles of FPGA ranks by source line", lines(run)),
    ]
    return [(head, text) for head, text in found if text]


def bottleneck(run: RunRecord, job: Job) -> str:
    """The sentence, and what the critical path is made of."""
    text = job_bottleneck.sentence(run, job)
    if not text:
        return (
            f"<p class=note>{job_bottleneck.silent(run, job):,} ranks have left no history of what they waited for, so "
            "what held the job up is not known. FPGAs in RTL keep none (--on sim, the same to the cycle, does), nor do CPU "
            "ranks that did not end well.</p>"
        )
    net = job_bottleneck.network(run, job)
    parts = job_bottleneck.parts(waits.critical_path(job), net.lost > 0)
    whole = sum(parts.values()) or 1
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td class=n>{_time(part)}</td><td class=n>{part / whole:.1%}</td></tr>"
        for name, part in parts.items()
    )
    return (
        f"<p>{escape(text)}</p><table><tr><th>critical path</th><th class=n>time</th><th class=n>share</th></tr>{rows}"
        "</table><p class=note>The critical path is what decided when the job ended: back from the last rank's end, "
        "through what each rank did, to the sender (or receiver) of every message that had to be waited for.</p>"
    )


def timeline(job: Job, known: bool) -> str:
    """Ranks over time; ``known``: all of them left their histories, so there is a critical path."""
    sums: dict[str, int] = defaultdict(int)
    for wait in job.waits:
        sums[wait.call] += wait.time
    order = [call for call, time in sorted(sums.items(), key=lambda item: -item[1]) if time]
    colours = dict(zip(order, _WAITS, strict=False))
    parts, y = [], 0
    if len(job.ranks) > SHOWN:
        parts.append(_area(job, colours))
        y = AREA + 2 * GAP
    shown = chosen(job)
    places = {rank.number: y + n * (BAR + GAP) for n, rank in enumerate(shown)}
    for rank in shown:
        top = places[rank.number]
        parts.append(_text(LEFT - 6, top + BAR - 4, f"rank {rank.number}", "end"))
        parts += _bar(job, rank, top, colours)
    if known:
        parts += _path(job, places)
    y += len(shown) * (BAR + GAP)
    parts += _axis(job, y)
    entries = [("computes", COMPUTES), *colours.items()]
    if len(order) > len(colours):
        entries.append(("other calls", OTHER))
    legend = " ".join(
        f'<svg width="12" height="12"><rect width="12" height="12" fill="{colour}"/></svg> {escape(name)}&ensp;'
        for name, colour in entries
    )
    drawing = (
        f'<svg viewBox="0 0 {LEFT + WIDTH + 10} {y + 22}" width="{LEFT + WIDTH + 10}" role="img" aria-label="ranks" '
        f'font-size="11" fill="currentColor">{"".join(parts)}</svg>'
    )
    return f"{drawing}<p class=note>{legend}</p><p class=note>{escape(_note(job, shown, known))}</p>"


def table(job: Job) -> str:
    """What each rank did, or of many ranks the extremes."""
    for_them = waits.late(job)
    by_rank: dict[int, list[waits.Wait]] = defaultdict(list)
    for wait in job.waits:
        by_rank[wait.rank].append(wait)
    heads = ["rank", "", "ran", "computed", "of it DRAM", "waited", "most in", "most for", "others waited for it"]
    heads += ["sent", "bytes", "received", "bytes"]
    rows = []
    for rank in chosen(job):
        own = by_rank[rank.number]
        peer, _ = waits.most((_peer(wait.peer, job), wait.time) for wait in own)
        cells = [str(rank.number), "FPGA" if rank.fpga else "CPU", _time(rank.end - rank.begin), _time(rank.computed)]
        cells += [_time(rank.dram), _time(rank.waited), waits.most((wait.call, wait.time) for wait in own)[0], peer]
        cells.append(_time(sum(for_them.get(rank.number, {}).values())))
        cells += [f"{n:,}" for n in (rank.sent, rank.sent_bytes, rank.received, rank.received_bytes)]
        rows.append(_row("td", [cell.replace(" ", "\u00a0") for cell in cells]))
    return f"{_percentiles(job)}<table>{_row('th', heads)}{''.join(rows)}</table>"


def lines(run: RunRecord) -> str:
    """The hottest lines of the program; empty if the job did not count them (mpirun --explain)."""
    kinds = {"computes": COMPUTES, "engine": _WAITS[0], "dram": _WAITS[1], "shared": OTHER}
    rows = run.table("mpi_lines", ("line", *kinds), ("file",))
    whole = sum(row[kind] for row in rows for kind in kinds)
    if not whole:
        return ""
    parts = [_row("th", ["line", "share", "cycles", "computes", "waits for MPI", "DRAM", "block RAM", ""])]
    for row in rows[:LINES]:
        total, x, bar = sum(row[kind] for kind in kinds), 0.0, []
        for kind, colour in kinds.items():
            width = 200 * row[kind] / whole
            bar.append(f'<rect x="{x:.1f}" width="{width:.1f}" height="10" fill="{colour}"/>')
            x += width
        place = f"{row['file'].rpartition('/')[2]}:{row['line']}" if row["file"] else "start and end"
        cells = [place, f"{total / whole:.1%}", f"{total:,}", *(f"{row[kind]:,}" for kind in kinds)]
        text = "".join(f"<td class=n>{escape(cell)}</td>" for cell in cells)
        parts.append(f'<tr>{text}<td><svg width="200" height="10">{"".join(bar)}</svg></td></tr>')
    note = f"{whole:,} cycles of all FPGA ranks together, from their start to their end; the {LINES} hottest lines."
    return f"<table>{''.join(parts)}</table><p class=note>{note}</p>"


def chosen(job: Job) -> list[Rank]:
    """The ranks that are shown: all, or those that waited longest and least, by share of their time."""
    ranks = list(job.ranks.values())
    if len(ranks) <= SHOWN:
        return ranks
    by_share = sorted(ranks, key=lambda rank: (_waited(rank), rank.number))
    return sorted([*by_share[:EXTREMES], *by_share[-EXTREMES:]], key=lambda rank: rank.number)


def _waited(rank: Rank) -> float:
    return rank.waited / (rank.end - rank.begin) if rank.end > rank.begin else 0.0


def _percentiles(job: Job) -> str:
    if len(job.ranks) <= SHOWN:
        return ""
    shares = sorted(map(_waited, job.ranks.values()))
    cells = [f"{shares[round(p / 100 * (len(shares) - 1))]:.1%}" for p in PERCENTILES]
    heads = ["percentile of ranks", *(f"{p} %" for p in PERCENTILES)]
    return (
        f"<table>{_row('th', heads)}{_row('td', ['waited, of their time', *cells])}</table>"
        f"<p class=note>Of {len(job.ranks):,} ranks, those that waited longest and least.</p>"
    )


def _row(tag: str, cells: Iterable[str]) -> str:
    return "<tr>" + "".join(f"<{tag} class=n>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"


def _time(ps: int) -> str:
    return quantity(ps / 1e12, "s")


def _peer(peer: int, job: Job) -> str:
    if peer in {waits.ANY, waits.OTHERS}:
        return "several ranks"
    return f"rank {peer}" if peer in job.ranks or peer < max(job.ranks) else "the manager"


def _note(job: Job, shown: list[Rank], known: bool) -> str:
    span = job.known_until - job.begin
    text = f"Simulated time; {_time(span)} from when all ranks had begun."
    if not job.complete:
        text += f" The first calls only: all of the job took {_time(job.end - job.begin)}."
    if len(shown) < len(job.ranks):
        text += f" Above: what part of the {len(job.ranks):,} ranks do what. Bars: those that waited longest and least."
    if known:
        text += " Black: the critical path, from rank to rank along the messages that were waited for."
    return f"{text} Hover for numbers."


def _x(job: Job, at: float) -> float:
    span = job.known_until - job.begin or 1
    return LEFT + WIDTH * min(max((at - job.begin) / span, 0.0), 1.0)


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _axis(job: Job, y: int) -> Iterator[str]:
    span = job.known_until - job.begin
    for n in range(6):
        x = LEFT + WIDTH * n / 5
        yield f'<path d="M{x} 0L{x} {y}" stroke="currentColor" stroke-opacity="0.15"/>'
        yield _text(x, y + 14, _time(span * n // 5), "start" if n == 0 else "middle" if n < 5 else "end")


def _rect(x: float, end: float, y: float, height: float, fill: str, title: str) -> str:
    return (
        f'<rect x="{x:.2f}" y="{y:.1f}" width="{max(end - x, 0.3):.2f}" height="{height:.1f}" fill="{fill}">'
        f"<title>{escape(title)}</title></rect>"
    )


def _bar(job: Job, rank: Rank, y: int, colours: dict[str, str]) -> Iterator[str]:
    until = min(rank.end, job.known_until)
    title = f"rank {rank.number} computed {_time(rank.computed)}, waited {_time(rank.waited)}"
    yield _rect(_x(job, rank.begin), _x(job, until), y, BAR, COMPUTES, title)
    calls = [call for call in job.calls[rank.number] if call.end > max(call.begin, job.begin) and call.begin < until]
    if len(calls) <= SINGLE:
        for call, cause in zip(job.calls[rank.number], job.causes[rank.number], strict=True):
            if call.end > max(call.begin, job.begin) and call.begin < until:
                text = f"rank {rank.number}, {call.call}: {_time(call.end - call.begin)}"
                if call.kind != "start":
                    text += f" for {_peer(call.peer, job)}"
                if cause is not None:
                    ready = cause.posted if call.sends else cause.sent
                    text += f", {cause.bytes:,} bytes"
                    if ready is not None and ready > call.begin:
                        text += f", {_time(min(ready, call.end) - call.begin)} of it before that rank began to " + (
                            "receive" if call.sends else "send"
                        )
                yield _rect(_x(job, call.begin), _x(job, call.end), y, BAR, colours.get(call.call, OTHER), text)
        return
    columns = _columns(job, [(call.call, call) for call in calls])
    width = WIDTH / COLUMNS
    step = (job.known_until - job.begin) / COLUMNS
    for n in range(COLUMNS):
        taken = {name: line[n] for name, line in columns.items() if line[n] > 0}
        if taken:
            name = max(taken, key=lambda name: taken[name])
            share = min(1.0, sum(taken.values()) / step)
            x = LEFT + n * width
            yield _rect(
                x,
                x + width,
                y + BAR * (1 - share),
                BAR * share,
                colours.get(name, OTHER),
                f"waited {share:.0%}, {name}",
            )


def _columns(job: Job, named: Iterable[tuple[str, Call]]) -> dict[str, list[float]]:
    """Of each name, the time that its calls took in each of COLUMNS equal parts of the time."""
    step = (job.known_until - job.begin) / COLUMNS or 1.0
    ends: dict[str, list[float]] = defaultdict(lambda: [0.0] * (COLUMNS + 1))
    whole: dict[str, list[int]] = defaultdict(lambda: [0] * (COLUMNS + 1))
    for name, call in named:
        first, last = (max(min(at, job.known_until) - job.begin, 0) / step for at in (call.begin, call.end))
        if first >= last:
            continue
        a, b = int(first), int(last)
        if a == b:
            ends[name][a] += (last - first) * step
        else:
            ends[name][a] += (a + 1 - first) * step
            ends[name][b] += (last - b) * step
            whole[name][a + 1] += 1
            whole[name][b] -= 1
    result = {}
    for name, line in ends.items():
        through, total = 0, []
        for n in range(COLUMNS):
            through += whole[name][n]
            total.append(line[n] + through * step)
        result[name] = total
    return result


def _area(job: Job, colours: dict[str, str]) -> str:
    """What part of the ranks computes, waits in which call, or does not run, in each column of time."""
    calls = ((colours.get(call.call, OTHER), call) for own in job.calls.values() for call in own)
    columns = _columns(job, calls)
    runs = [("runs", Call(rank.begin, rank.end, "", "", False, 0, 0, 0, 0, False, 0)) for rank in job.ranks.values()]
    running = _columns(job, runs)["runs"]
    full = (job.known_until - job.begin) / COLUMNS * len(job.ranks) or 1.0
    waiting = [sum(line[n] for line in columns.values()) for n in range(COLUMNS)]
    computing = [max(a - b, 0.0) for a, b in zip(running, waiting, strict=True)]
    base = [0.0] * COLUMNS
    parts = [_text(LEFT - 6, 12, "all ranks", "end"), _text(LEFT - 6, AREA, "none", "end")]
    order = [COMPUTES, *(c for c in [*colours.values(), OTHER] if c in columns)]
    names = {COMPUTES: "computes", OTHER: "other calls"} | {colour: call for call, colour in colours.items()}
    for colour in order:
        line = computing if colour == COMPUTES else columns[colour]
        top = [a + b for a, b in zip(base, line, strict=True)]
        edge = [(LEFT + WIDTH * (n + half) / COLUMNS, n) for n in range(COLUMNS) for half in (0, 1)]
        points = [f"{x:.1f},{AREA * (1 - min(top[n] / full, 1)):.1f}" for x, n in edge]
        points += [f"{x:.1f},{AREA * (1 - min(base[n] / full, 1)):.1f}" for x, n in reversed(edge)]
        share = sum(line) / (full * COLUMNS)
        title = f"{names[colour]}: {share:.1%} of all ranks' time"
        parts.append(f'<polygon points="{" ".join(points)}" fill="{colour}"><title>{escape(title)}</title></polygon>')
        base = top
    return "".join(parts)


def _path(job: Job, places: dict[int, int]) -> Iterator[str]:
    """The critical path where its ranks are shown."""
    path = waits.critical_path(job)
    for before, step in pairwise([None, *path[-STEPS:]]):
        assert step is not None
        moves = before is not None and before.rank != step.rank
        origin = step.source if step.what == "message" and moves else step.rank
        if step.rank not in places or origin not in places:
            continue
        y1, y2 = places[origin] + BAR, places[step.rank] + BAR
        x1, x2 = _x(job, step.begin), _x(job, step.end)
        text = f"critical path: {step.what}, {_time(step.end - step.begin)}"
        if step.what == "message":
            text += f", {step.bytes:,} bytes, rank {origin} to {step.rank}" if moves else f", {step.bytes:,} bytes"
        yield (
            f'<path d="M{x1:.2f} {y1 + 1}L{x2:.2f} {y2 + 1}" stroke="currentColor" stroke-width="2" fill="none">'
            f"<title>{escape(text)}</title></path>"
        )
