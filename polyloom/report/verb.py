# SPDX-License-Identifier: Apache-2.0
"""The verb ``polyloom report``. Input: a run folder; output: the path of its page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from polyloom.base import record
from polyloom.report import page


def report(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")],
) -> None:
    """Write (again) the report page of a run and print its path."""
    print(page.write(record.read(folder)))
