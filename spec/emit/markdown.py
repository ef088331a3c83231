# SPDX-License-Identifier: Apache-2.0
"""Pages of the manual."""

from __future__ import annotations

from collections.abc import Iterable

from spec.emit import MADE
from spec.environment import VARIABLES
from spec.keys import TABLES
from spec.rows import Boolean, Choice, Integer, Key, KeyTable, Other, Quantity


def _page(title: str, text: str, parts: Iterable[str]) -> str:
    return "\n".join([f"# {title}", "", f"<!-- {MADE} -->", "", text, "", *parts]).rstrip() + "\n"


def _table(head: list[str], rows: Iterable[list[str]]) -> list[str]:
    escaped = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *escaped)] + [""]


def environment() -> str:
    """docs/environment.md."""
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
    """docs/keys.md."""
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
        "Every key of a cluster file, by table ([clusters.md](clusters.md) says what a cluster is). Quantities are "
        'texts with a unit: `"250 MHz"`, `"10 Gb/s"`, `"780 ns"`, `"2 GiB"`. `polyloom cluster show NAME` prints all '
        "values that hold."
    )
    return _page("Keys of cluster files", text, parts)


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
    assert isinstance(key, Other)
    return key.form


def _default(key: Key) -> str:
    if key.otherwise:
        return key.otherwise
    if isinstance(key, Other):
        return key.default
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
