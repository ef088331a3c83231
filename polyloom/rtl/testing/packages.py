# SPDX-License-Identifier: Apache-2.0
"""What the packages of the RTL say, for tests: nothing that stands there is written down again.

Input: a name with its package, ``"polyloom_hub_pkg::beat_t"``. Packages are found by their file's name below blocks/
and roles/ and elaborated by slang, all of them at once, in a tenth of a second.
"""

from __future__ import annotations

import functools
from typing import Any

from polyloom.base import paths
from polyloom.base.errors import UserError


@functools.cache
def _elaborated() -> Any:
    import pyslang

    compilation = pyslang.ast.Compilation()
    for room in ("blocks", "roles"):
        for file in sorted((paths.home() / room).glob("**/rtl/**/*_pkg.sv")):
            compilation.addSyntaxTree(pyslang.syntax.SyntaxTree.fromFile(str(file)))
    return compilation


def _symbol(name: str) -> Any:
    package, _, member = name.partition("::")
    found = _elaborated().getPackage(package)
    symbol = found.find(member) if found is not None and member else None
    if symbol is None:
        raise UserError(f"{name}: no package below blocks/ and roles/ has this; PACKAGE::NAME is wanted")
    return symbol


def members(name: str, flat: bool = False) -> list[tuple[str, int]]:
    """Names and bits of a packed struct's members, the highest first; ``flat``: of structs in it, theirs."""
    kind = _symbol(name).targetType.type.canonicalType
    if not (kind.isStruct and kind.isIntegral):
        raise UserError(f"{name}: is no packed struct")
    return list(_members(kind, flat))


def _members(kind: Any, flat: bool) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    for member in kind:
        inner = member.type.canonicalType
        found += _members(inner, flat) if flat and inner.isStruct else [(member.name, inner.bitWidth)]
    return found
