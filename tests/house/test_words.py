# SPDX-License-Identifier: Apache-2.0
# Covers: scripts/words.py: which parts of names and which words of text it refuses, from the glossary's table; that the
# tree has none. Leaves out: sentences that need a second reading.
from __future__ import annotations

import subprocess
import sys

import pytest
from conftest import ROOT

sys.path.append(str(ROOT / "scripts"))
import words

TABLE = """## Retired words

| was | is now | refused in |
| --- | --- | --- |
| answer, answers | response | names |
| ask | request | names of SystemVerilog |
| rim (of a board) | periphery | text, names |
| room | folder | |
"""


@pytest.mark.parametrize(
    ("file", "text", "refused"),
    [
        ("a.cc", "int answer_valid = 0;", ["answer_valid"]),
        ("a.h", "class AnswerQueue;", ["AnswerQueue"]),
        ("a.py", "ANSWERS_Q = 1", ["ANSWERS_Q"]),
        ("a.sv", "logic ask_valid_o;  // ask", ["ask_valid_o"]),
        ("a.py", "ask_valid = 1", []),
        ("a.md", "the rim", ["rim"]),
        ("a.h", "trim(prime, rims)", []),
        ("a.py", "# the answer to a room", []),
        ("a.py", "room_of(masks)", []),
    ],
)
def test_what_is_refused(file: str, text: str, refused: list[str]) -> None:
    faults = list(words.found(words.retired(TABLE), file, f"\n{text}\n"))
    assert [fault.split(": ")[1] for fault in faults] == refused
    assert all(fault.startswith(f"{file}:2: ") for fault in faults)


def test_a_fault_says_what_to_say_instead() -> None:
    [fault] = words.found(words.retired(TABLE), "a.cc", "the rim")
    assert fault == "a.cc:1: rim: 'rim' is retired, say: periphery (docs/glossary.md)"


def test_the_tree_has_none() -> None:
    done = subprocess.run([sys.executable, ROOT / "scripts" / "words.py"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
