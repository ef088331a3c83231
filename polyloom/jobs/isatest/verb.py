# SPDX-License-Identifier: Apache-2.0
"""The verb ``polyloom isa-test``: its options. Input: test programs; output: verdicts, a status."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from polyloom.base.errors import UserError


def isa_test(
    more: Annotated[list[Path] | None, typer.Argument(metavar="[FILE]...", help="More test programs.")] = None,
    elf: Annotated[list[Path] | None, typer.Option("--elf", metavar="FILE...", help="Test programs.")] = None,
    on: Annotated[str, typer.Option(help="sim or rtl.")] = "sim",
    cluster: Annotated[str, typer.Option(help="Of overlay boards; the programs run on board (0,0).")] = "tiny-1",
    limit_us: Annotated[float, typer.Option(help="Simulated time that a program may take, at most 1e9.")] = 10_000,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Run instruction-set tests on a core.

    They say by `tohost` whether they passed: tests/riscv-tests/README.md.
    """
    from polyloom.jobs.isatest import command  # pyelftools: only where it is used

    files = [*(elf or []), *(more or [])]
    if not files:
        raise UserError("no test program: give --elf FILE...")
    verdicts = command.run(files, on, cluster, limit_us)
    print(command.as_json(verdicts, on) if json_output else command.as_text(verdicts, on))
    raise typer.Exit(0 if all(verdict.passed for verdict in verdicts) else 1)
