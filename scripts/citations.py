# SPDX-License-Identifier: Apache-2.0
"""Finds citations that lead nowhere: ``python scripts/citations.py`` reads all files that git knows.

Output: a line for each, exit status 1 if there is one. What is checked:

    pages     docs/X.md or X/README.md, named in any file, exists: from the root, or from a folder around the file
    sections  ``docs/design.md, section 4.1`` and ``docs/sources/tinsel.md, 3.3``, also as a link of a page, name the
              number of a heading there
    links     what a page links to exists, and has a heading for what follows a #

A citation may go on in the next line of a comment. Names with a part in capitals, as in X/README.md, stand for others.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import rooms

ROOT = Path(__file__).resolve().parent.parent
#: Measurements, pictures, and the test whose examples are wrong on purpose.
LEFT_OUT = ("bench/results/", "docs/figures/", "tests/house/test_citations.py")
#: White space, or the end of a line and what begins a comment in the next one.
_GAP = r"(?:[ \t]*\n[ \t]*(?:///<|///|//|#|\*)?[ \t]*|[ ])"
_PAGE = re.compile(r"(?<![\w./:-])(?:\.\./)*((?:[\w.-]+/)+[\w.-]+\.md)\b")
_NUMBER = r"\d+(?:\.\d+)*"
#: A page whose sections are cited, and their numbers behind it.
_NUMBERS = rf"{_GAP}(?:sections?{_GAP})?({_NUMBER}(?:(?:,{_GAP}|{_GAP}and{_GAP}|{_GAP}to{_GAP}){_NUMBER}\b)*)"
_SECTION = re.compile(rf"(docs/(?:design|sources/\w+)\.md),{_NUMBERS}")
_LINK_SECTION = re.compile(rf"\]\(([\w./-]*(?:design|sources/\w+|tinsel|mpi|collectives|hub)\.md)\),{_NUMBERS}")
_HEADING = re.compile(r"^#+ +(.+?) *#*$", re.MULTILINE)
_LINK = re.compile(r"\]\(([^()\s]+)\)")
_FENCE = re.compile(r"^( *)```.*?^\1```", re.MULTILINE | re.DOTALL)


def _headings(page: Path) -> list[str]:
    return _HEADING.findall(_blank(page.read_text()))


def _blank(text: str) -> str:
    """A page without its blocks of code; lines keep their numbers."""
    return _FENCE.sub(lambda found: "\n" * found[0].count("\n"), text)


def sections(page: Path) -> set[str]:
    """Numbers that headings begin with."""
    return {found[1] for title in _headings(page) if (found := re.match(rf"({_NUMBER})\.? ", title))}


def anchors(page: Path) -> set[str]:
    """What may follow a # in a link to the page, by the rules of GitHub."""
    seen: dict[str, int] = {}
    found = set()
    for title in _headings(page):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).replace("`", "")
        name = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        found.add(f"{name}-{seen[name]}" if name in seen else name)
        seen[name] = seen.get(name, 0) + 1
    return found


def _in_root(root: Path, file: Path, name: str) -> bool:
    return any((folder / name).exists() for folder in (root, *file.parents) if folder.is_relative_to(root))


def _missing_sections(page: Path, numbers: str) -> list[str]:
    return [number for number in re.findall(_NUMBER, numbers) if number not in sections(page)]


def problems(root: Path, names: Sequence[str]) -> Iterator[str]:
    """What is wrong in these files, a line each."""
    for name in names:
        file = root / name
        if name.startswith(LEFT_OUT) or not file.is_file():
            continue
        try:
            text = file.read_text()
        except UnicodeDecodeError:
            continue
        yield from (f"{name}:{text.count(chr(10), 0, at) + 1}: {what}" for at, what in _in_text(root, file, text))


def _in_text(root: Path, file: Path, text: str) -> Iterator[tuple[int, str]]:
    for found in _PAGE.finditer(text):
        page = found[1]
        if not page.startswith("docs/") and not page.endswith("/README.md"):
            continue
        stands_for_others = any(
            part.isupper() for part in page.removesuffix("/README.md").removesuffix(".md").split("/")
        )
        if not stands_for_others and not _in_root(root, file, page):
            yield found.start(), f"there is no page {page}"
    for found in _SECTION.finditer(text):
        if (root / found[1]).exists():
            for number in _missing_sections(root / found[1], found[2]):
                yield found.start(), f"{found[1]} has no section {number}"
    if file.suffix == ".md":
        yield from _in_page(file, _blank(text))


def _in_page(file: Path, text: str) -> Iterator[tuple[int, str]]:
    for found in _LINK.finditer(text):
        target, _, anchor = found[1].partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        page = file.parent / target if target else file
        if not page.exists():
            yield found.start(), f"the link to {found[1]} leads nowhere"
        elif anchor and page.suffix == ".md" and anchor not in anchors(page):
            yield found.start(), f"{target or file.name} has no heading for #{anchor}"
    for found in _LINK_SECTION.finditer(text):
        page = file.parent / found[1]
        if page.exists():
            for number in _missing_sections(page, found[2]):
                yield found.start(), f"{found[1]} has no section {number}"


def main() -> int:
    """Of the whole tree: a page that moves is cited by files that did not change."""
    wrong = list(problems(ROOT, rooms.there()))
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
