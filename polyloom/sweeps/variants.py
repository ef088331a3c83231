# SPDX-License-Identifier: Apache-2.0
"""Cluster files that differ from another one in some keys. Input: that file, dotted keys and values; output: TOML."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from polyloom.base import paths, process
from polyloom.base.errors import UserError
from polyloom.sweeps import toml_text


def text(base: Path, keys: Mapping[str, Any]) -> str:
    """The file with these values. ``overlay.timing.mul`` is ``mul`` of the table ``[overlay.timing]``.

    UserError if a key leads through something that is no table, or the file is no TOML.
    """
    if base.suffix != ".toml":
        raise UserError(f"{base}: only a cluster file in TOML has keys that can be swept")
    try:
        content = tomllib.loads(base.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UserError(f"{base}: cannot be read as TOML: {error}") from error
    content.setdefault("name", base.stem)  # else that of the variant's file
    for key, value in keys.items():
        *way, last = key.split(".")
        table = content
        for part in way:
            table = table.setdefault(part, {})
            if not isinstance(table, dict):
                raise UserError(f"key {key}: {part} in {base} is no table; only keys of tables can be swept")
        table[last] = value
    return toml_text.of(content)


def problem(variant: str) -> str:
    """What the simulator finds wrong with a cluster file's text; "" if nothing."""
    with process.scratch("cluster") as folder:
        file = folder / "cluster.toml"
        file.write_text(variant, encoding="utf-8")
        done = process.tool([str(paths.program("polyloom-sim")), "--cluster", str(file), "--show"])
    if done.returncode == 0:
        return ""
    said = (done.stderr.strip().splitlines() or [f"polyloom-sim ended with status {done.returncode}"])[-1]
    said = said.removeprefix("polyloom: ")
    place, _, rest = said.partition(": ")
    return rest if place.startswith(str(file)) else said  # the user has no such file
