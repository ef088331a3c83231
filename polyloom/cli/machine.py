# SPDX-License-Identifier: Apache-2.0
"""``polyloom doctor`` and ``clean``: what this machine has, and what earlier runs have left on it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def clean(
    runs: Annotated[
        list[Path] | None, typer.Argument(metavar="[FOLDER]...", help="Of run folders; default runs.")
    ] = None,
    caches: Annotated[bool, typer.Option("--caches", help="Also all that is kept to save time later.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
) -> None:
    """Remove what killed runs and builds have left.

    Nothing goes that is in use, or that is not provably polyloom's.
    """
    from polyloom.cli import clean as cleaning

    places = runs or [path for path in [Path("runs")] if path.is_dir()]
    print(cleaning.as_text(cleaning.clean(places, caches, dry_run), dry_run))


def doctor(
    json_output: Annotated[bool, typer.Option("--json", help="Machine-readable.")] = False,
) -> None:
    """Say what this machine has, what is missing, and how to get it."""
    from polyloom.cli import doctor as machine

    checks = machine.examine()
    print(machine.as_json(checks) if json_output else machine.as_text(checks))
    raise typer.Exit(0 if all(check.ok or not check.required for check in checks) else 1)
