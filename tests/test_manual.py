# SPDX-License-Identifier: Apache-2.0
# Covers: what the manual says against the rest of the tree: targets of links, headers that pages are made of, figures
# in running text and tables of results against bench/results, every bench on the page of how numbers are measured.
# Leaves out: the site itself (make docs is strict), anchors of links, the tutorials (test_tutorials.py).
from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "scripts" / "manual"))
sys.path.insert(0, str(ROOT))  # before scripts/ of another test, which has a bench, too
import benches
import headers

from bench.common import tables

PAGES = sorted((ROOT / "docs").rglob("*.md"))
#: A figure in running text, whose comment names the result and the target that it is of.
FIGURE = re.compile(r"(\d[\d.]*)( %)?[^\d<\n]{0,4}<!-- ([\w-]+): (.+?) -->")


def results(name: str) -> dict[str, Any]:
    found = json.loads((ROOT / "bench" / "results" / f"{name}.json").read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT / "docs")))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$|`[^`\n]*`(?!\])", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    targets = re.findall(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)", text)
    made = {"benches.md"}  # while the site is built
    lost = [t for t in targets if not re.match(r"https?:", t) and t not in made and not (page.parent / t).exists()]
    assert lost == []


def test_public_headers_are_there() -> None:
    assert [header.path for header in headers.HEADERS if not (ROOT / header.path).is_file()] == []


@pytest.mark.parametrize("name", ["which-machine.md", "limits.md"])
def test_figures_in_running_text_are_those_of_the_results(name: str) -> None:
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    found = FIGURE.findall(text)
    assert len(found) == text.count("<!-- ") > 0
    for shown, percent, result, what in found:
        ours = {entry["what"]: entry["ours"] for entry in results(result)["targets"]}
        assert what in ours, f"{result}.json has no target {what}"
        value = ours[what] * (100 if percent else 1)
        margin = 0.5000001 * 10 ** -len(shown.partition(".")[2])
        assert abs(float(shown) - value) <= margin, f"{name}: {shown} of {result}: {what} is {value}"


def test_tables_of_pages_are_those_of_the_results() -> None:
    seen = 0
    for page in sorted((ROOT / "docs" / "results").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        for command in re.findall(r"python -m bench\.common\.pages (.*) --page (\S+)", text):
            assert ROOT / command[1] == page
            for name in command[0].split():
                assert tables.table(name, results(name)) in text, f"{page.name}: draw {name} again"
                seen += 1
    assert seen > 10


def test_each_bench_is_on_the_page_that_says_how_numbers_are_measured() -> None:
    rows = (ROOT / "docs" / "results" / "measuring.md").read_text(encoding="utf-8").partition("## By bench")[2]
    named = re.findall(r"^\| ([\w-]+) \|", rows, re.MULTILINE)
    there = {path.parent.name for path in (ROOT / "bench").glob("*/bench.py")}
    assert sorted(set(named) - {"bench", "---"}) == sorted(there)


def test_the_page_of_all_benches_has_their_targets() -> None:
    page = benches.page(ROOT)
    for entry in results("noc")["targets"]:
        assert f"| {entry['what']} |" in page
    assert page.count("\n## ") == len(list((ROOT / "bench").glob("*/bench.py")))
