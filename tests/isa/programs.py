# SPDX-License-Identifier: Apache-2.0
"""Sources of the directed tests. Output: name -> assembler text, in the form of riscv_test.h. Command: write them.

Usage: python -m tests.isa.programs FOLDER    (FOLDER/NAME.S)
Operands and results stand in tables in memory, so a test's code is a loop over its table: test n is row n - 2. What
does not suit a table (jumps, every register, CSRs) is code that is written out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from tests.isa import control, floats, integer

PROLOGUE = '#include "riscv_test.h"\n{kind}\nRVTEST_CODE_BEGIN\n'
EPILOGUE = "pass: RVTEST_PASS\nfail: RVTEST_FAIL\nRVTEST_CODE_END\n.data\nRVTEST_DATA_BEGIN\n.align 2\n"
END = "RVTEST_DATA_END\n"


def program(code: str, data: str = "", floating: bool = False) -> str:
    """A whole source."""
    kind = "RVTEST_RV32UF" if floating else "RVTEST_RV32U"
    return PROLOGUE.format(kind=kind) + code + EPILOGUE + data + END


def table(rows: list[tuple[int, ...]]) -> str:
    """Rows of words, at `table`."""
    lines = ["  .word " + ", ".join(f"{word & 0xFFFFFFFF:#x}" for word in row) for row in rows]
    return "table:\n" + "\n".join(lines) + "\nend_of_table: .word 0\n"


def loop(body: str, words: int) -> str:
    """Runs `body` for each row of the table; s0 points at it."""
    return (
        f"  la s0, table\n  la s1, end_of_table\n  li TESTNUM, 2\nagain:\n{body}"
        f"  addi TESTNUM, TESTNUM, 1\n  addi s0, s0, {4 * words}\n  bne s0, s1, again\n  j pass\n"
    )


def of_register_form(name: str) -> str:
    """a op b, with the result also written over either operand."""
    rows: list[tuple[int, ...]] = [(a, b, integer.REGISTER[name](a, b)) for a, b in integer.pairs(name)]
    load = "  lw a0, 0(s0)\n  lw a1, 4(s0)\n  lw a3, 8(s0)\n"
    body = (
        f"{load}  {name} a2, a0, a1\n  bne a2, a3, fail\n"
        f"  mv a4, a0\n  {name} a4, a4, a1\n  bne a4, a3, fail\n"
        f"  mv a4, a1\n  {name} a4, a0, a4\n  bne a4, a3, fail\n  {name} x0, a0, a1\n  bne x0, zero, fail\n"
    )
    return program(loop(body, 3), table(rows))


def of_immediate_form(name: str) -> str:
    """a op constant: one operation a constant in each turn, results side by side in the row."""
    base, constants = integer.IMMEDIATE[name]
    operands = sorted({a for a, _ in integer.pairs(name)})
    rows = [(a, *(integer.REGISTER[base](a, constant & 0xFFFFFFFF) for constant in constants)) for a in operands]
    body = "  lw a0, 0(s0)\n"
    for i, constant in enumerate(constants):
        body += f"  {name} a1, a0, {constant}\n  lw a2, {4 * (i + 1)}(s0)\n  bne a1, a2, fail\n"
    return program(loop(body, 1 + len(constants)), table(rows))


def of_branch(name: str) -> str:
    """Taken or not as the row says, forwards and backwards."""
    rows: list[tuple[int, ...]] = [(a, b, int(integer.BRANCHES[name](a, b))) for a, b in integer.pairs(name)]
    body = (
        "  lw a0, 0(s0)\n  lw a1, 4(s0)\n  lw a3, 8(s0)\n  li a2, 0\n  li a4, 0\n"
        f"  {name} a0, a1, 1f\n  j 2f\n"
        "3: addi a4, a4, 1\n  j 4f\n"
        "1: addi a2, a2, 1\n"
        f"  {name} a0, a1, 3b\n"
        "2:\n4: bne a2, a3, fail\n  bne a4, a3, fail\n"
    )
    return program(loop(body, 3), table(rows))


def of_floating_form(name: str) -> str:
    """Result and flags; the rounding mode is that of fcsr, whose flags are cleared before."""
    mnemonic, operands = floats.FORMS[name]
    registers = {"f": ("fa0", "fa1", "fa2", "fa3"), "x": ("a0", "a1", "a2", "a3")}
    used = [registers[kind][i] for i, kind in enumerate(operands)]
    body = "  lw t0, 12(s0)\n  slli t0, t0, 5\n  csrw fcsr, t0\n"
    for i, (kind, register) in enumerate(zip(operands[1:], used[1:], strict=True)):
        body += f"  {'flw' if kind == 'f' else 'lw'} {register}, {4 * i}(s0)\n"
    body += f"  {mnemonic} {', '.join(used)}\n"
    body += "  fmv.x.w t1, fa0\n" if operands[0] == "f" else "  mv t1, a0\n"
    body += "  lw t2, 16(s0)\n  bne t1, t2, fail\n  csrr t3, fflags\n  lw t4, 20(s0)\n  bne t3, t4, fail\n"
    return program(loop(body, 6), table(list(floats.rows(name))), floating=True)


def all_programs() -> Iterator[tuple[str, str]]:
    """Every source, in order of name groups."""
    for name in integer.REGISTER:
        yield name, of_register_form(name)
    for name in integer.IMMEDIATE:
        yield name, of_immediate_form(name)
    for name in integer.BRANCHES:
        yield name, of_branch(name)
    for name in floats.FORMS:
        yield name, of_floating_form(name)
    for name, (code, data, floating) in control.written_out().items():
        yield name, program(code, data, floating)


def main() -> None:
    """Write all sources into a folder."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in all_programs():
        (folder / f"{name}.S").write_text(text)


if __name__ == "__main__":
    main()
