# SPDX-License-Identifier: Apache-2.0
"""``polyloom cluster``: looks at cluster descriptions. Input: a name; output: text or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from polyloom.base import paths, process


def show(
    name: Annotated[str, typer.Argument(help="Shipped cluster, zrlmpi:N, or path of a .toml file.")],
    json_output: Annotated[bool, typer.Option("--json", help="Everything, defaults included, as JSON.")] = False,
) -> None:
    """Print a cluster's nodes, links and parameters, defaults included."""
    command = [str(paths.program("polyloom-sim")), "--cluster", str(paths.cluster_file(name)), "--show"]
    status, _ = process.run_child(command + (["--json"] if json_output else []), {}, Path.cwd())
    raise typer.Exit(status)


def list_all() -> None:
    """List the shipped clusters."""
    print("\n".join(paths.clusters()))
