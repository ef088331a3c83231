# SPDX-License-Identifier: Apache-2.0
# Covers: the run record; every number of the report page against the record's CSV files, computed here, on links and
# cache lines of other sizes; the trace's supersteps; the page in a real browser. Leaves out: how it looks.
from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

import pytest
from conftest import ROOT, Done

Polyloom = Callable[..., Done]


@pytest.fixture
def record(polyloom: Polyloom, tmp_path: Path) -> Path:
    folder = tmp_path / "record"
    done = polyloom("run", "pagerank", "--generate", "kronecker:8:8", "--cluster", "laptop", "--run-dir", folder)
    assert done.status == 0, done.err
    assert f"report: {folder}/report.html" in done.out
    return folder


def test_record_says_what_ran(record: Path) -> None:
    run = json.loads((record / "run.json").read_text())
    assert run["status"] == "finished"
    assert run["simulated_seconds"] > 0
    assert run["wall_seconds"] > 0
    assert "780 ns" in json.dumps(run["cluster"])
    result = json.loads((record / "result.json").read_text())
    assert result["vertices"] == 256
    names = [line.split(",")[0] for line in (record / "counters.csv").read_text().splitlines()[1:]]
    assert "fpga.1.0.tile.3.core.2.instret" in names


def test_page_in_a_browser(record: Path) -> None:
    playwright = pytest.importorskip("playwright.sync_api")
    page_path = record / "report.html"
    assert not re.search(r"(src|href)=.https?:", page_path.read_text())
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page()
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(page_path.as_uri())
        heads = page.locator("h2").all_inner_texts()
        tiles = page.locator('svg[aria-label="cluster"] rect').count()
        steps = page.locator('svg[aria-label="supersteps"] rect').count()
        browser.close()
    assert problems == []
    assert {"Result", "Paper's counters", "Cluster", "Time line"} <= set(heads)
    assert tiles == 8
    assert steps >= 20


def test_report_again(polyloom: Polyloom, record: Path) -> None:
    (record / "report.html").unlink()
    done = polyloom("report", record)
    assert done.status == 0
    assert (record / "report.html").is_file()


def test_report_of_something_else(polyloom: Polyloom, tmp_path: Path) -> None:
    done = polyloom("report", tmp_path)
    assert done.status == 1
    assert "run.json" in done.err


@dataclass(frozen=True)
class Parts:
    """What differs between the clusters whose pages are checked."""

    gbps: int
    line_bytes: int


class Page(HTMLParser):
    """The text of a page: rows of its tables by section, titles of its drawings by name, everything else as words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: dict[str, list[list[str]]] = {}
        self.titles: dict[str, list[str]] = {}
        self.words = ""
        self._section = self._drawing = self._tag = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._tag = tag
        if tag == "svg":
            self._drawing = dict(attrs).get("aria-label") or ""
        elif tag == "tr":
            self.rows.setdefault(self._section, []).append([])
        elif tag == "td":
            self.rows[self._section][-1].append("")

    def handle_data(self, data: str) -> None:
        if self._tag == "h2":
            self._section = data
        elif self._tag == "td":
            self.rows[self._section][-1][-1] += data
        elif self._tag == "title" and self._drawing:
            self.titles.setdefault(self._drawing, []).append(data)
        self.words += data

    def handle_endtag(self, tag: str) -> None:
        self._tag = ""

    def facts(self, section: str) -> dict[str, str]:
        """Rows of two cells."""
        return {row[0]: row[1] for row in self.rows[section] if len(row) == 2}


SCALE = {"T": 1e12, "G": 1e9, "M": 1e6, "k": 1e3, "": 1.0, "m": 1e-3, "µ": 1e-6, "n": 1e-9, "p": 1e-12}


def number(text: str) -> float:
    """``35.1 MB/s`` as bytes a second, ``3.6%`` as 0.036, ``1,234`` as it is."""
    if text.endswith("%"):
        return float(text[:-1]) / 100
    value, _, unit = text.replace(",", "").partition(" ")
    match = re.fullmatch(r"([TGMkmµnp]?)(s|B/s|bit|bit/s)?", unit)
    assert match, text
    return float(value) * SCALE[match[1]]


def close(value: float) -> object:
    """The page shows three digits, or a tenth of a per cent."""
    return pytest.approx(value, rel=0.006, abs=0.0006 if 0 < value < 1 else 0)


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def total(counters: dict[str, int], *ends: str) -> int:
    """Counters of boards whose names end so; digits between dots count as any."""
    found = 0
    for name, value in counters.items():
        bare = ".".join(part for part in name.split(".") if not part.isdigit())
        found += value if name.startswith("fpga.") and any(bare.endswith(end) for end in ends) else 0
    return found


@pytest.fixture(params=[Parts(10, 32), Parts(1, 64)], ids=lambda parts: f"{parts.gbps}-{parts.line_bytes}")
def traced(request: pytest.FixtureRequest, polyloom: Polyloom, tmp_path: Path) -> tuple[Parts, Path]:
    parts = request.param
    text = (ROOT / "clusters" / "laptop.toml").read_text()
    text = text.replace('rate = "10 Gb/s"', f'rate = "{parts.gbps} Gb/s"') + f"line_bytes = {parts.line_bytes}\n"
    cluster, folder = tmp_path / "cluster.toml", tmp_path / "record"
    cluster.write_text(text)
    graph = ("--generate", "kronecker:8:8", "--iterations", 5, "--combine", "off")
    done = polyloom("run", "pagerank", *graph, "--cluster", cluster, "--run-dir", folder, "--trace")
    assert done.status == 0, done.err
    return parts, folder


def test_numbers_of_the_page(traced: tuple[Parts, Path]) -> None:
    parts, folder = traced
    page = Page((folder / "report.html").read_text())
    run, result = (json.loads((folder / name).read_text()) for name in ("run.json", "result.json"))
    counters = {row["name"]: int(row["value"]) for row in read_csv(folder / "counters.csv")}

    facts = page.facts("Result")
    assert number(facts["Simulated time of the run"]) == close(run["simulated_ps"] / 1e12)
    assert number(facts["Wall-clock time of the run"]) == close(run["wall_seconds"])
    assert number(facts["load wall time"]) == close(result["load_wall_seconds"])
    assert (facts["vertices"], facts["edges"], facts["iterations"]) == ("256", "2048", "5")
    best = [row for row in page.rows["Result"] if len(row) == 3]
    assert [(int(rank), name) for rank, name, _ in best] == list(enumerate((v["name"] for v in result["top"]), 1))
    assert [float(value) for *_, value in best] == pytest.approx([v["value"] for v in result["top"]], rel=1e-5)

    metrics = page.facts("Paper's counters")
    whole = run["simulated_ps"] / 1e12
    phases = run.get("phases", {"compute_seconds": whole, "collect_seconds": 0})
    working = phases["compute_seconds"] + phases["collect_seconds"]
    instructions = total(counters, "core.instret")
    lines = total(counters, "dram.reads", "dram.writes", "sram.reads", "sram.writes")
    hits, misses = total(counters, "cache.hits"), total(counters, "cache.misses")
    words = total(counters, "east.items_sent", "west.items_sent")
    assert {name: number(value) for name, value in metrics.items()} == {
        "Compute time (simulated)" if "phases" in run else "Time (simulated)": close(phases["compute_seconds"]),
        "Data cache hit rate": close(hits / (hits + misses)),
        "Off-chip memory": close(lines * parts.line_bytes / working),
        "CPU utilisation": close(instructions * whole / working / (instructions + total(counters, "core.idle_cycles"))),
        "NoC messages": close(total(counters, "mailbox.sent_flits") * 16 / working),
        "Inter-board messages": close(words * 8 / working),
    }

    bits = counters["link.fpga.0.0->fpga.1.0.bits"] + counters["link.fpga.1.0->fpga.0.0.bits"]
    share = bits / working / (2e9 * parts.gbps)
    [[link, sent, rate, load]] = [row for row in page.rows["Links"] if row]
    assert link == "fpga.0.0 - fpga.1.0"
    assert [number(sent), number(rate), number(load)] == [close(bits), parts.gbps * 1e9, close(share)]
    drawn, *tiles = page.titles["cluster"]
    assert drawn == f"0,0 to 1,0: {sent}, {load} of {rate} each way"
    work: Counter[str] = Counter()
    for name, value in counters.items():
        if match := re.fullmatch(r"fpga\.(\d)\.(\d)\.tile\.(\d)\.core\.\d\.instret", name):
            work[f"board {match[1]},{match[2]} tile {match[3]}"] += value
    assert sorted(tiles) == sorted(f"{tile}: {value:,} instructions" for tile, value in work.items())
    cores = sorted(value for name, value in counters.items() if name.endswith(".instret"))
    assert f"executed {cores[-1]:,} instructions, the median core {cores[(len(cores) - 1) // 2]:,}" in page.words

    counted = {name: int(value.replace(",", "")) for name, value in page.facts("Counters").items()}
    assert counted["fpga.*.*.tile.*.core.*.instret"] == instructions
    assert sum(counted.values()) == sum(counters.values())


def test_supersteps_of_page_and_trace(traced: tuple[Parts, Path]) -> None:
    _, folder = traced
    page = Page((folder / "report.html").read_text())
    counters = {row["name"]: int(row["value"]) for row in read_csv(folder / "counters.csv")}
    rows = read_csv(folder / "supersteps.csv")
    boards = sorted({row["board"] for row in rows})
    assert boards == ["fpga.0.0", "fpga.1.0"]
    columns = ("end_ps", "instructions_in_step", "message_hops_in_step")
    by_board = {b: [tuple(int(row[c]) for c in columns) for row in rows if row["board"] == b] for b in boards}
    for board, of_board in by_board.items():
        # Steps add up to what the board did; a little comes after the last barrier.
        own = {name: value for name, value in counters.items() if name.startswith(board)}
        did, hops = total(own, "core.instret"), total(own, "noc.message_hops")
        assert 0.95 * did < sum(step[1] for step in of_board) <= did
        assert 0.9 * hops < sum(step[2] for step in of_board) <= hops
    ends = [max(at) for at in zip(*([step[0] for step in by_board[b]] for b in boards), strict=True)]
    assert len(ends) == 6  # of five iterations the first lies in step 0, and the last step collects
    shown = page.rows["Time line"][1:]
    for step in range(1, len(ends)):
        instructions, hops = (sum(by_board[b][step][column] for b in boards) for column in (1, 2))
        row = shown[step - 1]
        assert number(row[1]) == close((ends[step] - ends[step - 1]) / 1e12)
        assert row[0] == str(step)
        assert row[2:] == [f"{instructions:,}", f"{hops:,}"]
        title = page.titles["supersteps"][step - 1]
        assert title == f"superstep {step}: {row[1]}, {row[2]} instructions, {row[3]} message hops"
    # An iteration is like the other: only a running total could grow.
    work = [int(row[2].replace(",", "")) for row in shown[1:4]]
    assert max(work) < 1.05 * min(work)

    events = json.loads((folder / "trace.json").read_text())["traceEvents"]
    names = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
    for board in boards:
        mine = [event for event in events if names.get(event["pid"]) == board]
        drawn = {event["name"]: event for event in mine if event["ph"] == "X" and "superstep" in event["name"]}
        assert len(drawn) == len(ends)
        begin = 0.0
        for step, (end, instructions, _) in enumerate(by_board[board]):
            event = drawn[f"superstep {step}"]
            assert (event["ts"], event["ts"] + event["dur"]) == pytest.approx((begin, end / 1e6))
            graph = [e for e in mine if e["ph"] == "C" and "instructions" in e["name"] and e["ts"] == event["ts"]]
            assert [e["args"]["value"] for e in graph] == [instructions]
            begin = end / 1e6


def test_profile_of_the_page(traced: tuple[Parts, Path]) -> None:
    _, folder = traced
    counted = sum(int(row["count"]) for row in read_csv(folder / "profile.csv"))
    rows = {row[0]: row for row in Page((folder / "report.html").read_text()).rows["Profile by handler"] if row}
    assert {"softswitch", "handler recv", "handler step"} <= set(rows)
    shown = sum(int(row[1].replace(",", "")) for row in rows.values())
    assert 0.99 * counted < shown <= counted  # what is less than a thousandth is left out
    for row in rows.values():
        assert number(row[2]) == close(int(row[1].replace(",", "")) / counted)


def test_native_run_says_what_is_not_there(polyloom: Polyloom, tmp_path: Path) -> None:
    folder = tmp_path / "record"
    done = polyloom("run", "pagerank", "--generate", "grid:8:8", "--on", "native", "--run-dir", folder)
    assert done.status == 0, done.err
    page = Page((folder / "report.html").read_text())
    assert "the run was native" in page.words
    assert "simulated" not in " ".join(page.facts("Result"))
