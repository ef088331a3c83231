# SPDX-License-Identifier: Apache-2.0
"""The sessions of the tutorials: what their pages let a reader write and run, and what they say comes out.

A page has files (``` blocks with title="NAME") and sessions (```console blocks: commands behind "$ ", each followed by
its output). In outputs ``...`` stands for any text in a line, and alone in a line for any lines: wall times, versions,
folders. A block below the comment <!-- full --> runs only where long tests run.

Usage: sessions.py [--screenshots] PAGE... runs pages with the polyloom that is on PATH, and writes into them what is
printed now; lines that still hold stay as they are. --screenshots also takes docs/figures/tutorials/NAME.png of the
report that the page's picture shows: <!-- screenshot: FOLDER/report.html: HEADING, HEIGHT --> stands before it.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
BLOCK = re.compile(r"^(<!-- full -->\n)?```(\w+)(?: title=\"(\S+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOT = re.compile(r"<!-- screenshot: (\S+): (.+), (\d+) -->")
#: Reports are pages of this width.
WIDTH = 1180


@dataclass
class Block:
    """A file that the reader writes (``name``), or a session."""

    kind: str
    name: str
    text: str
    full: bool
    begin: int  #: of its text in the page


def blocks(page: str) -> Iterator[Block]:
    """Blocks that a test follows, in order."""
    for match in BLOCK.finditer(page):
        if match[3] or match[2] == "console":
            yield Block(match[2], match[3] or "", match[4], bool(match[1]), match.start(4))


def commands(session: str) -> list[tuple[str, str]]:
    """Commands of a session with their outputs."""
    parts = re.split(r"^\$ ", session, flags=re.MULTILINE)
    assert not parts[0], f"a session begins with a command: {session}"
    return [(command, output) for command, _, output in (part.partition("\n") for part in parts[1:])]


def pattern(expected: str) -> re.Pattern[str]:
    """What an output matches."""
    lines = []
    for line in expected.splitlines():
        lines.append(r"(?:.*\n)*?" if line == "..." else ".*?".join(map(re.escape, line.split("..."))) + r"\n")
    return re.compile("".join(lines))


def run(command: str, folder: Path, environment: Mapping[str, str]) -> tuple[str, int]:
    """What a terminal shows, and the exit status."""
    done = subprocess.run(
        command, shell=True, cwd=folder, env={**environment, "POLYLOOM_PROGRESS": "off"}, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, timeout=900, check=False,
    )  # fmt: skip
    text = "\n".join(line.rstrip() for line in done.stdout.splitlines())
    return f"{text}\n" if text else "", done.returncode


def _renewed(expected: str, found: str, folder: Path) -> str:
    """The output as it is now, with those lines of the page that still hold."""
    if pattern(expected).fullmatch(found):
        return expected
    old, new = expected.splitlines(), found.replace(str(folder), "...").splitlines()
    if len(old) == len(new):
        pairs = zip(old, new, found.splitlines(), strict=True)
        new = [a if pattern(a).fullmatch(f"{whole}\n") else b for a, b, whole in pairs]
    return "".join(f"{line}\n" for line in new)


def renew(path: Path, screenshots: bool) -> None:
    """Run a page and write what is printed into it."""
    page = path.read_text(encoding="utf-8")
    parts, at = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for block in blocks(page):
            if block.name:
                (folder / block.name).write_text(block.text, encoding="utf-8")
                continue
            text = ""
            for command, expected in commands(block.text):
                found, status = run(command, folder, os.environ)
                print(f"{path.name}: {command}", flush=True)
                if status != 0:
                    sys.exit(f"{path}: status {status}, nothing is written: {found}")
                text += f"$ {command}\n{_renewed(expected, found, folder)}"
            parts += [page[at : block.begin], text]
            at = block.begin + len(block.text)
        path.write_text("".join([*parts, page[at:]]), encoding="utf-8")
        shown = SHOT.search(page)
        if screenshots and shown:
            picture = ROOT / "docs" / "figures" / "tutorials" / f"{path.stem}.png"
            screenshot(folder / shown[1], shown[2], int(shown[3]), picture)


def screenshot(page: Path, heading: str, height: int, picture: Path) -> None:
    """What stands below a heading of a page, by a browser without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": WIDTH, "height": 6000}, color_scheme="light")
        tab.goto(page.as_uri())
        box = tab.get_by_role("heading", name=heading, exact=True).bounding_box()
        assert box is not None, f"{page}: no heading {heading}"
        tab.screenshot(path=picture, clip={"x": 0, "y": box["y"] - 12, "width": WIDTH, "height": height})
        browser.close()


def main() -> int:
    """Renew pages; the exit status."""
    parser = argparse.ArgumentParser(description="Runs the sessions of tutorials and writes their outputs anew.")
    parser.add_argument("--screenshots", action="store_true", help="take the pictures of reports, too")
    parser.add_argument("page", nargs="*", type=Path, default=PAGES)
    arguments = parser.parse_args()
    for page in arguments.page:
        renew(page, arguments.screenshots)
    return 0


if __name__ == "__main__":
    sys.exit(main())
