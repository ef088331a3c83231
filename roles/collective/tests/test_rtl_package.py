# SPDX-License-Identifier: Apache-2.0
"""The numbers of polyloom_collective_pkg.sv are those of program.h.

Covers: every enumerator and constant that both name. Leaves out: the layout of an instruction, which rtl_engine.cc
tests by running programs.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOM = Path(__file__).resolve().parents[1]


def snake(name: str) -> str:
    """`kFromNone`, `pulse_only`, `bad_program` -> FROM_NONE, PULSE_ONLY, BAD_PROGRAM."""
    name = re.sub(r"^k(?=[A-Z])", "", name)
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).upper()


def c_enum(text: str, name: str) -> dict[str, int]:
    body = re.search(rf"enum (?:class )?{name}[^{{]*\{{(.*?)\n?\}};", text, re.S)
    assert body, name
    code = re.sub(r"//[^\n]*", "", body.group(1))
    return {snake(k): int(v, 0) for k, v in re.findall(r"(\w+)\s*=\s*(0x[0-9a-fA-F]+|\d+)", code)}


def sv_number(text: str) -> int:
    width_base = re.fullmatch(r"\d*'([hd])([0-9a-f]+)", text)
    return int(width_base.group(2), 16 if width_base.group(1) == "h" else 10) if width_base else int(text)


def sv_numbers() -> dict[str, int]:
    text = (ROOM / "rtl/polyloom_collective_pkg.sv").read_text()
    found = re.findall(r"\b([A-Z][A-Z0-9_]*)\s*=\s*(\d*'[hd][0-9a-f]+|\d+)\b", text)
    return {name: sv_number(value) for name, value in found}


def test_package_repeats_program_h() -> None:
    header = (ROOM / "program.h").read_text()
    sv = sv_numbers()
    groups = {"OP": "Op", "FLAG": "Flag", "CONTROL": "LaneControl", "FAULT": "Fault"}
    compared = 0
    for prefix, enum in groups.items():
        ours = {k[len(prefix) + 1 :]: v for k, v in sv.items() if k.startswith(prefix + "_")}
        want = c_enum(header, enum)
        assert want
        for name, value in want.items():
            assert ours.pop(name) == value, f"{enum}::{name}"
            compared += 1
        assert set(ours) <= {"NONE", "MARK"}, f"numbers of no {enum}: {ours}"
    registers = re.search(r"namespace reg \{(.*?)\}", header, re.S)
    assert registers
    code = re.sub(r"//[^\n]*", "", registers.group(1))
    for name, value in re.findall(r"uint32_t (\w+) =\s*(0x[0-9a-fA-F]+|\d+)", code):
        want_name = "MARKS" if name == "marks" else "REG_" + name.upper()
        assert sv[want_name] == int(value, 0), name
        compared += 1
    for name in ("kFromRead", "kFromLane", "kFromOperator", "kFromNone"):
        match = re.search(rf"{name} = (0x[0-9a-f]+)", header)
        assert match and sv[snake(name)] == int(match.group(1), 16), name
        compared += 1
    for name in ("kBeatBytes", "kBeatWords", "kInstructionWords"):
        match = re.search(rf"{name} = (\d+)", header)
        assert match and sv[snake(name)] == int(match.group(1)), name
        compared += 1
    assert compared > 40
