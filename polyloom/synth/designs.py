# SPDX-License-Identifier: Apache-2.0
"""What can be synthesized by name: designs.toml of this folder. Input: a design's or role's name; output: designs."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from polyloom import paths
from polyloom.errors import UserError

TABLE = Path(__file__).with_name("designs.toml")
_KEYS = {"role", "top", "list", "parameters"}


@dataclass(frozen=True)
class Design:
    """A top module, its file list, and parameters that make it a part of the size that is of interest."""

    name: str
    role: str
    top: str
    list: Path
    parameters: dict[str, str]


def read(path: Path = TABLE) -> dict[str, Design]:
    """All designs; UserError naming the entry if one is not right."""
    designs = {}
    for name, entry in tomllib.loads(path.read_text()).items():
        where = f"{path} [{name}]"
        if unknown := entry.keys() - _KEYS:
            raise UserError(f"{where}: unknown {', '.join(sorted(unknown))}; allowed: {', '.join(sorted(_KEYS))}")
        if missing := {"role", "top", "list"} - entry.keys():
            raise UserError(f"{where}: {', '.join(sorted(missing))} missing")
        parameters = {key: str(value) for key, value in entry.get("parameters", {}).items()}
        designs[name] = Design(name, entry["role"], entry["top"], paths.home() / entry["list"], parameters)
    return designs


def select(name: str, designs: dict[str, Design]) -> list[Design]:
    """The design of this name, or all of a role."""
    if name in designs:
        return [designs[name]]
    chosen = [design for design in designs.values() if name in {design.role, design.top}]
    if not chosen:
        roles = sorted({design.role for design in designs.values()})
        raise UserError(f"no design or role '{name}'; designs: {', '.join(designs)}; roles: {', '.join(roles)}")
    return chosen
