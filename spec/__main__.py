# SPDX-License-Identifier: Apache-2.0
"""Writes what the tables say. Usage: python -m spec [--check] [--generated FOLDER]

Without options: the committed files of ``COMMITTED``; with --check it fails if one of them says something else.
--generated: the files of ``GENERATED`` into that folder, each of them only if its text is another one.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from spec.emit import cpp, markdown, python, systemverilog
from spec.keys import TABLES

ROOT = Path(__file__).resolve().parent.parent

#: Where a reader or a tool must find them.
COMMITTED: dict[str, Callable[[], str]] = {
    "docs/reference/environment.md": markdown.environment,
    "docs/reference/keys.md": markdown.keys,
    "docs/reference/registers.md": markdown.registers,
    "blocks/operators/kinds.h": cpp.operators,
    "blocks/operators/rtl/polyloom_operator_kinds_pkg.sv": systemverilog.operators,
    "polyloom/collectives/encoding.py": python.collective,
    "polyloom/collectives/operations.py": python.collective_operations,
    "roles/collective/arch/encoding.h": cpp.collective,
    "roles/collective/host/schedule/operations.h": cpp.collective_operations,
    "roles/collective/rtl/polyloom_collective_encoding_pkg.sv": systemverilog.collective,
    "roles/hub/arch/register_map.h": cpp.hub_registers,
    "roles/hub/rtl/polyloom_hub_registers_pkg.sv": systemverilog.hub_registers,
    "roles/overlay/device/csrs.h": cpp.tinsel_csrs,
    "roles/overlay/rtl/polyloom_overlay_csrs_pkg.sv": systemverilog.csrs,
}

#: What a build makes: included as "spec/NAME".
GENERATED: dict[str, Callable[[], str]] = {
    "csrs.h": cpp.csrs,
    "former_names.h": cpp.former_names,
    "memory_map.h": cpp.memory_map,
    **{f"{table.space.replace('::', '_')}_keys.h": partial(cpp.keys, table) for table in TABLES if table.space},
}


def _write(path: Path, text: str) -> None:
    if not path.is_file() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def main(words: list[str] | None = None) -> int:
    """Write or compare; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m spec", description="Writes what the tables of spec/ say.")
    parser.add_argument("--check", action="store_true", help="compare the committed files only")
    parser.add_argument("--generated", type=Path, metavar="FOLDER", help="write what a build makes into FOLDER")
    options = parser.parse_args(words)
    if options.generated is not None:
        for name, make in GENERATED.items():
            _write(options.generated / name, make())
        return 0
    stale = [name for name, make in COMMITTED.items() if options.check and (ROOT / name).read_text() != make()]
    if stale:
        print(f"{', '.join(stale)}: not what spec/ says; run python -m spec", file=sys.stderr)
        return 1
    if not options.check:
        for name, make in COMMITTED.items():
            _write(ROOT / name, make())
    return 0


if __name__ == "__main__":
    sys.exit(main())
