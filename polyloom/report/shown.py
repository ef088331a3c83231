# SPDX-License-Identifier: Apache-2.0
"""A report as an object of Python: a notebook shows it, ``save`` writes it."""

from __future__ import annotations

from html import escape
from pathlib import Path


class Report:
    """A page of HTML, which a notebook shows in a frame of its own."""

    def __init__(self, html: str, path: Path | None = None) -> None:
        self.html = html
        self.path = path

    def save(self, path: str | Path) -> Path:
        """Write it to a file."""
        Path(path).write_text(self.html, encoding="utf-8")
        return Path(path)

    def _repr_html_(self) -> str:
        frame = '<iframe width="100%" height="720" style="border:0" sandbox="allow-scripts" srcdoc="'
        return f'{frame}{escape(self.html)}"></iframe>'

    def __repr__(self) -> str:
        return f"<report of {len(self.html)} characters{f', {self.path}' if self.path else ''}>"
