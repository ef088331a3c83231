# SPDX-License-Identifier: Apache-2.0
# Covers: the run record and the report page in a real browser. Leaves out: how it looks (see it yourself).
from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Done

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
