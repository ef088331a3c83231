#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The engine's program and the names of its numbers, for its model: program.h from roles/mpi/rtl.

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
OUTPUT = HERE / "program.h"
#: Numbers that the model shares, by package.
NUMBERS = {
    "isa": "PROGRAM_WORDS DATA_WORDS DENSE_BITS SPARSE_BITS FIRST_POINTER F_SEND F_MANAGE F_SWEEP F_RESPONSE F_STOP",
    "": "STORE_WORDS MAX_PAYLOAD MPI_PORT MANAGEMENT_PORT COUNTERS N_FRAMES_IN N_FRAMES_OUT N_BAD N_FOREIGN N_FULL",
}
#: Its enumerations of polyloom_mpe_isa_pkg, and their names there.
ENUMS = {
    "Output": "output_e",
    "Input": "input_e",
    "Condition": "cond_e",
    "Event": "event_e",
    "Operation": "alu_e",
    "From": "from_e",
    "Part": "part_e",
    "Access": "access_e",
}
HEAD = """\
// SPDX-License-Identifier: Apache-2.0
// Made by roles/mpi/sim/mpe/program.py from roles/mpi/rtl/polyloom_mpe_*.sv; do not edit.
#pragma once

#include <cstdint>

namespace polyloom::mpi::mpe {

// clang-format off
"""
TAIL = """
};

}  // namespace polyloom::mpi::mpe
"""


def program() -> tuple[list[int], dict[str, int], dict[str, dict[str, int]]]:
    """Instructions as instruction_t has its bits, and the numbers and enumerations that the model shares with them."""
    compilation = pyslang.ast.Compilation()
    for word in (RTL / "mpe.f").read_text().split():
        if word.startswith("polyloom_mpe") and (word.endswith("_pkg.sv") or word == "polyloom_mpe_program.sv"):
            compilation.addSyntaxTree(pyslang.syntax.SyntaxTree.fromFile(str(RTL / word)))
    errors = [d for d in compilation.getAllDiagnostics() if d.isError()]
    assert not errors, pyslang.DiagnosticEngine.reportAll(compilation.sourceManager, errors)
    (top,) = compilation.getRoot().topInstances
    numbers = {}
    for package, names in NUMBERS.items():
        scope = compilation.getPackage("_".join(filter(None, ["polyloom_mpe", package, "pkg"])))
        numbers |= {name: int(scope.find(name).value.value) for name in names.split()}
    isa = compilation.getPackage("polyloom_mpe_isa_pkg")
    enums = {
        name: {value.name: int(value.value.value) for value in isa.find(theirs).targetType.type.canonicalType}
        for name, theirs in ENUMS.items()
    }
    bits = numbers["DENSE_BITS"] + numbers["SPARSE_BITS"]
    text = int(top.body.find("TEXT").value.value)
    words = [text >> bits * at & (1 << bits) - 1 for at in range(numbers["PROGRAM_WORDS"])]
    while words[-1] == 0:
        words.pop()
    return words, numbers, enums


def content() -> str:
    """What the file says."""
    words, numbers, enums = program()
    constants = [f"constexpr unsigned k{name.title().replace('_', '')} = {value};\n" for name, value in numbers.items()]
    lines = [", ".join(f"0x{word:015x}" for word in words[at : at + 5]) for at in range(0, len(words), 5)]
    array = "constexpr std::uint64_t kProgram[] = {\n    " + ",\n    ".join(lines)
    for name, values in enums.items():
        listed = ",\n  ".join(f"{value} = {number}" for value, number in values.items())
        constants.append(f"enum {name} : std::uint8_t {{\n  {listed}\n}};\n")
    return HEAD + "".join(constants) + array + TAIL


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
