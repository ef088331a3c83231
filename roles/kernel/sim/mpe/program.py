#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The engine's program for its model: program.inc from the SystemVerilog that assembles it (polyloom_mpe_program).

Usage: program.py [--check]

Writes OUTPUT, or with --check fails if it says something else. slang evaluates the packages, as it does when they are
elaborated, so the program stands in one place.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pyslang

HERE = Path(__file__).resolve().parent
RTL = HERE.parents[1] / "rtl"
OUTPUT = HERE / "program.inc"
PACKAGE = "polyloom_mpe_isa_pkg"
HEAD = """\
// SPDX-License-Identifier: Apache-2.0
// Made by roles/kernel/sim/mpe/program.py from roles/kernel/rtl/polyloom_mpe_program*.sv; do not edit.
"""


def program() -> tuple[list[int], dict[str, int]]:
    """Instructions as instruction_t has its bits, and the numbers that the model shares with them."""
    compilation = pyslang.ast.Compilation()
    for word in (RTL / "mpe.f").read_text().split():
        if word.startswith("polyloom_mpe") and (word.endswith("_pkg.sv") or word == "polyloom_mpe_program.sv"):
            compilation.addSyntaxTree(pyslang.syntax.SyntaxTree.fromFile(str(RTL / word)))
    (top,) = compilation.getRoot().topInstances
    isa = compilation.getPackage(PACKAGE)
    numbers = {name: int(isa.find(name).value.value) for name in ("PROGRAM_WORDS", "DATA_WORDS")}
    bits = sum(int(isa.find(name).value.value) for name in ("DENSE_BITS", "SPARSE_BITS"))
    text = int(top.body.find("TEXT").value.value)
    mask = (1 << bits) - 1
    words = [text >> bits * at & mask for at in range(numbers["PROGRAM_WORDS"])]
    while words[-1] == 0:
        words.pop()
    return words, numbers


def content() -> str:
    """What the file says."""
    words, _ = program()
    lines = [", ".join(f"0x{word:015x}" for word in words[at : at + 6]) for at in range(0, len(words), 6)]
    return HEAD + ",\n".join(lines) + "\n"


def main() -> int:
    """Write or check; returns the exit status."""
    text = content()
    if sys.argv[1:] == ["--check"]:
        if OUTPUT.read_text() == text:
            return 0
        print(f"{OUTPUT}: not what {RTL} has; run {Path(__file__).name}", file=sys.stderr)
        return 1
    OUTPUT.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
