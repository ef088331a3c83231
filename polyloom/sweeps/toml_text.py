# SPDX-License-Identifier: Apache-2.0
"""TOML of what ``tomllib`` reads. Input: tables of tables, lists, texts, numbers, truth values; output: text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any


def of(table: Mapping[str, Any]) -> str:
    """The file's text, without comments; ``tomllib.loads`` gives the table back."""
    return "\n".join(_lines(table, ())).lstrip("\n") + "\n"


def _lines(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    inner = {key: value for key, value in table.items() if isinstance(value, Mapping)}
    arrays = {key: value for key, value in table.items() if _is_array_of_tables(value)}
    for key, value in table.items():
        if key not in inner and key not in arrays:
            yield f"{_key(key)} = {_value(value)}"
    for key, value in inner.items():
        yield f"\n[{_dotted(*path, key)}]"
        yield from _lines(value, (*path, key))
    for key, tables in arrays.items():
        for each in tables:
            yield f"\n[[{_dotted(*path, key)}]]"
            yield from (f"{_key(name)} = {_value(value)}" for name, value in each.items())


def _is_array_of_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, Mapping) for each in value)


def _dotted(*keys: str) -> str:
    return ".".join(map(_key, keys))


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _value(key)


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)} = {_value(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value).lower() if isinstance(value, (bool, float)) else str(value)
