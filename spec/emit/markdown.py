# SPDX-License-Identifier: Apache-2.0
"""Pages of the manual."""

from __future__ import annotations

from collections.abc import Iterable

from spec import collective, hub
from spec.csrs import CSRS
from spec.emit import MADE
from spec.environment import VARIABLES
from spec.keys import TABLES
from spec.memory_map import MEMORY_MAP
from spec.rows import Boolean, Choice, Constant, Enumeration, Integer, Key, KeyTable, Names, Other, Quantity, Register


def _page(title: str, text: str, parts: Iterable[str]) -> str:
    return "\n".join([f"# {title}", "", f"<!-- {MADE} -->", "", text, "", *parts]).rstrip() + "\n"


def _table(head: list[str], rows: Iterable[list[str]]) -> list[str]:
    escaped = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *escaped)] + [""]


def environment() -> str:
    """docs/reference/environment.md."""
    parts: list[str] = []
    for group in VARIABLES:
        parts += [f"## {group.title}", "", *([group.text, ""] if group.text else [])]
        rows = [[f"`{v.name}`", v.values, v.default, v.meaning] for v in group.rows]
        parts += _table(["variable", "values", "where it is unset", "what it does"], rows)
    text = (
        "Every environment variable that the project reads. An empty one is as good as unset. An option of a command "
        "goes before it."
    )
    return _page("Environment variables", text, parts)


def keys() -> str:
    """docs/reference/keys.md."""
    parts: list[str] = []
    for table in TABLES:
        parts += [f"## {_title(table)}", "", table.text, ""]
        head, rows = (
            ["key", "values", "default", "meaning"],
            [[f"`{k.name}`", _values(k), _default(k), k.meaning] for k in table.keys],
        )
        if any(key.rtl for key in table.keys):
            head.append("RTL")
            rows = [[*row, f"`{key.rtl}`" if key.rtl else ""] for row, key in zip(rows, table.keys, strict=True)]
        parts += _table(head, rows)
    text = (
        "Every key of a cluster file, by table ([clusters.md](../guides/clusters.md) says what a cluster is). "
        'Quantities are texts with a unit: `"250 MHz"`, `"10 Gb/s"`, `"780 ns"`, `"2 GiB"`. '
        "`polyloom cluster show NAME` prints all values that hold."
    )
    return _page("Keys of cluster files", text, parts)


def registers() -> str:
    """docs/reference/registers.md."""
    rows = [[f"`{csr.number:#05x}`", f"`{csr.name}`", csr.access, csr.meaning] for csr in CSRS]
    parts = ["## An overlay thread's CSRs", ""]
    parts += ["Numbers and effects are those of Tinsel 0.8; an instruction on any other number is illegal.", ""]
    parts += _table(["number", "name", "access", "meaning"], rows)
    parts += ["## An overlay thread's addresses", ""]
    rows = [[f"`{m.first:#010x}`", f"`{m.end - 1:#010x}`", m.meaning] for m in MEMORY_MAP]
    parts += _table(["from", "to", "meaning"], rows)
    parts += ["## A hub's registers", "", _HUB, ""]
    rows = [[f"`{r.offset:#06x}`", f"`{r.name}`", r.access, _register(r)] for r in hub.REGISTERS]
    parts += _table(["offset", "name", "access", "meaning"], rows)
    for values in (hub.PORTS, hub.COUNTERS, hub.CAUSES, hub.LANES, hub.CONTROL, hub.DMA_ERRORS):
        parts += _enumeration(values)
    parts += _constants(hub.CONSTANTS)
    parts += ["## A collective node's registers", "", "Numbers of registers behind the shell's.", ""]
    rows = [[f"`{r.offset:#05x}`", f"`{r.name}`", r.access, _register(r)] for r in collective.REGISTERS]
    parts += _table(["number", "name", "access", "meaning"], rows)
    for values in (collective.OPS, collective.SOURCES, collective.CONTROLS, collective.FAULTS):
        parts += _enumeration(values)
    parts += ["### Flags", ""]
    parts += _table(
        ["number", "name", "meaning"], [[str(f.number), f"`{f.name}`", f.meaning] for f in collective.FLAGS]
    )
    parts += _constants(collective.CONSTANTS)
    return _page(
        "Registers",
        "What programs read and write: overlay threads by CSR instructions, hosts and hubs by packets.",
        parts,
    )


_HUB = (
    "By a write from anywhere to an offset of the hub's unit below 64 KiB, of a multiple of 8 bytes and aligned to it: "
    "word i goes to offset + 8 i, after all earlier writes to on-board memory are acknowledged. A write to an offset "
    "without a register, or to a read-only one, is a fault `refused`, and nothing else happens. A read of 8 aligned "
    "bytes from port N is answered; one that cannot be (another unit's, unaligned, of another length, no such "
    "register) by a poisoned completion of 8 bytes of ones."
)


def _enumeration(values: Enumeration) -> list[str]:
    rows = [[str(v.number), f"`{v.name}`", v.meaning] for v in values.rows]
    return [f"### `{values.name}`", "", values.text, "", *_table(["number", "name", "meaning"], rows)]


def _constants(constants: list[Constant]) -> list[str]:
    rows = [[f"`{c.name}`", f"{c.number:#x}" if c.bits else f"{c.number:,}", c.meaning] for c in constants]
    return ["### Numbers", "", *_table(["name", "number", "meaning"], rows)]


def _register(register: Register) -> str:
    fields = [
        f"[{f.high if f.high == f.low else f'{f.high}:{f.low}'}] {f.name}{f': {f.meaning}' if f.meaning else ''}"
        for f in register.fields
    ]
    return register.meaning + (": " if fields else "") + "; ".join(fields)


def _title(table: KeyTable) -> str:
    return f"`[{table.name}]`" if table.name else "The file"


def _values(key: Key) -> str:
    if isinstance(key, Integer):
        if key.low == key.high:
            return str(key.low)
        range_ = f"{key.low:,} to {key.high:,}" + (", a power of two" if key.power_of_two else "")
        return f"{range_} ({key.unit})" if key.unit else range_
    if isinstance(key, Boolean):
        return "`true`, `false`"
    if isinstance(key, Choice):
        return ", ".join(f"`{choice}`" for choice in key.choices)
    if isinstance(key, Quantity):
        return f"{key.low} to {key.high}"
    assert isinstance(key, Other | Names)
    return key.form


def _default(key: Key) -> str:
    if key.otherwise:
        return key.otherwise
    if isinstance(key, Other):
        return key.default
    if isinstance(key, Names):
        return ", ".join(f"`{one}`" for one in key.default)
    default = getattr(key, "default", None)
    if default is None:
        return "must be given"
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    if isinstance(key, Choice):
        return f"`{default}`"
    if isinstance(key, Integer):
        return f"{key.default:,}" + (f"; paper: {key.paper:,}" if key.paper is not None else "")
    return str(default)
