# SPDX-License-Identifier: Apache-2.0
"""SystemVerilog packages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby

from spec import collective as collective_spec
from spec import hub
from spec.csrs import CSRS
from spec.emit import MADE
from spec.operators import OPERATORS
from spec.rows import Constant, Enumeration, Enumerator, Register


def _package(name: str, about: str, lines: Iterable[str]) -> str:
    head = ["// SPDX-License-Identifier: Apache-2.0", f"// {name}: {about}", f"// How:          {MADE}"]
    head += ["// Source: docs/reference/registers.md.   Tests: those of the modules.", f"package {name};", ""]
    return "\n".join([*head, *(f"  {line}" if line else "" for line in lines), "", "endpackage", ""])


def csrs() -> str:
    """Numbers of the overlay's CSRs, and which there are."""
    lines = ["typedef enum logic [11:0] {"]
    lines += [f"  CSR_{csr.name.upper()} = 12'h{csr.number:03x}{',' if csr is not CSRS[-1] else ''}" for csr in CSRS]
    lines += ["} csr_e;", "", "// By page, the upper eight bits."]
    lines += ["function automatic logic csr_exists(input logic [11:0] number);", "  case (number[11:4])"]
    for page, rows in groupby(CSRS, lambda csr: csr.number >> 4):
        numbers = ", ".join(_runs([csr.number & 15 for csr in rows]))
        lines.append(f"    8'h{page:02x}:   return number[3:0] inside {{{numbers}}};")
    lines += ["    default: return 1'b0;", "  endcase", "endfunction"]
    return _package("polyloom_overlay_csrs_pkg", "control and status registers of a thread.", lines)


def _runs(numbers: list[int]) -> list[str]:
    """Of numbers of four bits: the runs without a gap, as ranges."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return [f"4'h{run[0]:x}" if len(run) == 1 else f"[4'h{run[0]:x} : 4'h{run[-1]:x}]" for run in runs]


def hub_registers() -> str:
    """The hub's registers and numbers."""
    lines = [*_enumeration(hub.PORTS), f"localparam int unsigned PORTS = {len(hub.PORTS.rows)};", ""]
    for rows, name, bits in ((hub.CAUSES, "cause_e", 4), (hub.DMA_ERRORS, "dma_error_e", 4)):
        lines += _typed(rows, name, bits)
    lines += [*_enumeration(hub.CONTROL), f"localparam int unsigned CONTROL_BITS = {len(hub.CONTROL.rows)};", ""]
    lines += [f"localparam int unsigned CAUSES = {len(hub.CAUSES.rows)};", ""]
    lines += [_constant(row) for row in hub.CONSTANTS]
    lines += ["", "// Registers, byte offsets.", *map(_offset, hub.REGISTERS)]
    return _package("polyloom_hub_registers_pkg", "registers and numbers of the hub.", lines)


def operators() -> str:
    """Numbers of operators."""
    names = [("NONE", 0), *((one.name.upper(), one.number) for one in OPERATORS)]
    *most, last = [f"  KIND_{name} = 8'd{number}" for name, number in names]
    lines = ["typedef enum logic [7:0] {", *(f"{line}," for line in most), last, "} kind_e;"]
    lines += ["", "// One more than the greatest.", f"localparam int unsigned KINDS = {max(n for _, n in names) + 1};"]
    return _package("polyloom_operator_kinds_pkg", "numbers of operators, as in `config` instructions.", lines)


def collective() -> str:
    """Programs of collective nodes, and the node's registers."""
    lines = [_constant(row) for row in collective_spec.CONSTANTS]
    lines += ["", *_typed(collective_spec.OPS, "op_e", 8)]
    lines += [
        f"localparam logic [7:0] FROM_{row.name.upper()} = 8'h{row.number:02x};" for row in collective_spec.SOURCES.rows
    ]
    lines += [
        "",
        *(f"localparam logic [7:0] FLAG_{row.name.upper()} = 8'd{row.number};" for row in collective_spec.FLAGS),
        "",
    ]
    lines += _typed(collective_spec.CONTROLS, "control_e", 8)
    none = Enumerator("none", 0, "no fault")
    lines += _typed(replace(collective_spec.FAULTS, rows=[none, *collective_spec.FAULTS.rows]), "fault_e", 8)
    lines += ["// Registers, offsets from the role's base."]
    lines += [
        f"localparam logic [11:0] REG_{row.name.upper()} = 12'h{row.offset:03x};" for row in collective_spec.REGISTERS
    ]
    return _package("polyloom_collective_encoding_pkg", "what programs of collective nodes are encoded in.", lines)


def _enumeration(rows: Enumeration) -> list[str]:
    return [f"localparam int unsigned {rows.prefix}{row.name.upper()} = {row.number};" for row in rows.rows]


def _typed(rows: Enumeration, name: str, bits: int) -> list[str]:
    names = [f"{rows.prefix}{row.name.upper()} = {bits}'d{row.number}" for row in rows.rows]
    return [
        f"typedef enum logic [{bits - 1}:0] {{",
        *(f"  {one}," for one in names[:-1]),
        f"  {names[-1]}",
        f"}} {name};",
        "",
    ]


def _constant(row: Constant) -> str:
    kind = f"logic [{row.bits - 1}:0]" if row.bits else "int unsigned"
    value = f"{row.bits}'h{row.number:x}" if row.bits else str(row.number)
    return f"localparam {kind} {row.name.upper()} = {value};  // {row.meaning}"


def _offset(row: Register) -> str:
    return f"localparam logic [15:0] REG_{row.name.upper()} = 16'h{row.offset:04x};"
