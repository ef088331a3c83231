# SPDX-License-Identifier: Apache-2.0
"""Python modules."""

from __future__ import annotations

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
