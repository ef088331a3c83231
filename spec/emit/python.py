# SPDX-License-Identifier: Apache-2.0
"""Python modules."""

from __future__ import annotations

import json

from spec import collective as collective_spec
from spec.emit import MADE
from spec.operators import OPERATORS


def collective() -> str:
    """What programs of collective nodes are encoded in."""
    lines = ["# SPDX-License-Identifier: Apache-2.0", f'"""Numbers in programs of collective nodes. {MADE}"""', ""]
    lines += [f"BEAT_BYTES = {next(row.number for row in collective_spec.CONSTANTS if row.name == 'beat_bytes')}", ""]
    lines += [f"OP_{row.name.upper()} = {row.number}" for row in collective_spec.OPS.rows]
    lines += ["", *(f"FROM_{row.name.upper()} = 0x{row.number:02X}" for row in collective_spec.SOURCES.rows)]
    lines += ["", *(f"FLAG_{row.name.upper()} = {row.number}" for row in collective_spec.FLAGS)]
    lines += ["", *(f"OPERATOR_{row.name.upper()} = {row.number}" for row in OPERATORS)]
    return "\n".join([*lines, ""])


def collective_operations() -> str:
    """Collective operations and what each is."""
    lines = ["# SPDX-License-Identifier: Apache-2.0", f'"""Collective operations. {MADE}"""', ""]
    lines += ["from typing import NamedTuple", "", ""]
    lines += ["class Operation(NamedTuple):", '    """What an operation is; words as in spec/collective.py."""', ""]
    lines += [f"    {name}: str" for name in ("name", "sizes", "sender", "sends", "receiver", "receives")]
    lines += ["    reduces: bool", "", "", "OPERATIONS = {"]
    for row in collective_spec.OPERATIONS:
        words = (row.name, row.sizes, row.sends.who, row.sends.what, row.receives.who, row.receives.what)
        said = ", ".join(map(json.dumps, words))
        lines.append(f"    {json.dumps(row.name)}: Operation({said}, {row.reduces}),")
    return "\n".join([*lines, "}", ""])
