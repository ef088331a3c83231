# SPDX-License-Identifier: Apache-2.0
"""C++ headers."""

from __future__ import annotations

import json
from collections.abc import Iterable

from spec.emit import MADE
from spec.rows import Boolean, Bytes, Choice, Duration, Integer, Key, KeyTable, Quantity


def header(about: str, includes: Iterable[str], space: str, lines: Iterable[str]) -> str:
    """The text of a header."""
    return "\n".join(
        [
            "// SPDX-License-Identifier: Apache-2.0",
            f"// {about} {MADE}",
            "#pragma once",
            "",
            *(f"#include {name}" for name in includes),
            "",
            f"namespace {space} {{",
            "",
            *lines,
            "",
            f"}}  // namespace {space}",
            "",
        ]
    )


def keys(table: KeyTable) -> str:
    """Keys of a table: fabric/cluster/keys.h says what their types are."""
    return header(
        f"Keys of [{table.name}].",
        ['"fabric/cluster/keys.h"'],
        f"polyloom::{table.space}::keys",
        [line for key in table.keys for line in _key(key)],
    )


def _text(text: str) -> str:
    return json.dumps(text) if text else "nullptr"


def _key(key: Key) -> list[str]:
    name = json.dumps(key.name)
    lines = [f"/// {key.meaning}"]
    if isinstance(key, Integer):
        range_ = f"{name}, {key.low}, {key.high}, {str(key.power_of_two).lower()}, {_text(key.rtl)}"
        if key.default is None:
            return [*lines, f"inline constexpr fabric::IntegerRange {key.name}{{{range_}}};"]
        paper = key.default if key.paper is None else key.paper
        return [*lines, f"inline constexpr fabric::IntegerKey {key.name}{{{{{range_}}}, {key.default}, {paper}}};"]
    if isinstance(key, Boolean):
        fallback = str(bool(key.default)).lower()
        return [*lines, f"inline constexpr fabric::BooleanKey {key.name}{{{name}, {fallback}, {_text(key.rtl)}}};"]
    if isinstance(key, Choice):
        words = ", ".join(map(json.dumps, key.choices))
        array = f"inline constexpr const char* {key.name}_words[] = {{{words}}};"
        return [
            *lines,
            array,
            f"inline constexpr fabric::ChoiceKey {key.name}{{{name}, {key.name}_words, {_text(key.default or '')}}};",
        ]
    if isinstance(key, Bytes | Duration):
        form = "Bytes" if isinstance(key, Bytes) else "Duration"
        range_ = f"{name}, {_number(key, key.low)}, {_number(key, key.high)}"
        if key.default is None:
            return [*lines, f"inline constexpr fabric::{form}Range {key.name}{{{range_}}};"]
        return [*lines, f"inline constexpr fabric::{form}Key {key.name}{{{{{range_}}}, {_number(key, key.default)}}};"]
    return [*lines, f"inline constexpr const char* {key.name} = {name};"]


def _number(key: Quantity, text: str) -> str:
    return f"{key.in_base(text)}"
