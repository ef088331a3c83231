# SPDX-License-Identifier: Apache-2.0
"""Words that the project no longer uses: the table of docs/glossary.md, "Retired words", held against every file.

Input: tracked files. Output: a line for each place with such a word, and what to say; exit status 1 if there is one. A
name is an identifier of several parts (``answer_valid``, ``AnswerQueue``), text is everything, comments included.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import rooms

ROOT = Path(__file__).resolve().parent.parent
GLOSSARY = "docs/glossary.md"
#: They quote the words, or what was measured under them.
EXCEPT = (GLOSSARY, "CHANGELOG.md", "bench/results/", "docs/results/", "scripts/words.py", "tests/house/test_words.py")
SUFFIXES = {".sv", ".svh", ".cc", ".h", ".c", ".py", ".md", ".toml", ".f", ".cmake", ".sh", ".S"}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")


@dataclass(frozen=True)
class Word:
    """A retired word, what is said instead, and where it is refused."""

    instead: str
    where: str

    def is_refused(self, file: str, parts: int) -> bool:
        """In an identifier of so many parts in this file; a word of a sentence has one."""
        if "text" in self.where:
            return True
        if parts == 1 or "names" not in self.where:
            return False
        return "SystemVerilog" not in self.where or file.endswith((".sv", ".svh"))


def retired(text: str) -> dict[str, Word]:
    """The words of the glossary's table that lint refuses somewhere."""
    table = text.split("## Retired words")[1]
    rows = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("| ")]
    words = {}
    for was, instead, where in ([cell.strip() for cell in row] for row in rows[2:]):
        if where:
            words.update({word: Word(instead, where) for word in re.sub(r"\(.*?\)", "", was).replace(",", " ").split()})
    return words


def found(words: dict[str, Word], file: str, text: str) -> Iterator[str]:
    """Lines of a file's faults."""
    for number, line in enumerate(text.splitlines(), 1):
        for name in _NAME.findall(line):
            parts = [part.lower() for part in _PART.findall(name)]
            for part in parts:
                if (word := words.get(part)) and word.is_refused(file, len(parts)):
                    yield f"{file}:{number}: {name}: '{part}' is retired, say: {word.instead} ({GLOSSARY})"


def main() -> None:
    """Lines on standard error."""
    words = retired((ROOT / GLOSSARY).read_text(encoding="utf-8"))
    faults = []
    for name in rooms.there():
        if Path(name).suffix in SUFFIXES and not name.startswith(EXCEPT):
            faults += found(words, name, (ROOT / name).read_text(encoding="utf-8", errors="replace"))
    for fault in faults:
        print(fault, file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
