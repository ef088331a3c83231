# SPDX-License-Identifier: Apache-2.0
"""Command lines of Python applications. Input: options as argparse takes them; output: values, or one line of error."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Sequence
from typing import Any, NoReturn


class Parser(argparse.ArgumentParser):
    """Reports an option that it does not know with the nearest one that it does."""

    def parse_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        """As argparse's."""
        values, unknown = self.parse_known_args(args, namespace)
        if unknown:
            self.error(f"not expected: {' '.join(unknown)}{self._hint(unknown)}")
        return values

    def error(self, message: str) -> NoReturn:
        """One line, with the way to the list of all options."""
        self.exit(2, f"polyloom: {message}; all options: {self.prog} --help\n")

    def _hint(self, unknown: list[str]) -> str:
        known = [name for name in self._option_string_actions if name.startswith("--")]
        near = [difflib.get_close_matches(word.split("=")[0], known, n=1) for word in unknown if word.startswith("-")]
        found = [name for names in near for name in names]
        return f" (did you mean {', '.join(found)}?)" if found else ""
