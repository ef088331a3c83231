# SPDX-License-Identifier: Apache-2.0
"""A page of all benches. Input: bench/*/bench.py and bench/results; output: Markdown: what each says of itself, and
its targets with what came out."""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.common import tables

HEAD = """# All benches

What each bench says of itself, and its targets. How they are measured in common stands on a
[page of its own](measuring.md); *no* is a target that is not met.
"""


def page(root: Path) -> str:
    """All of them, by name."""
    parts = [HEAD]
    for script in sorted(root.glob("bench/*/bench.py")):
        name = script.parent.name
        text = ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or ""
        parts += [f"## {name}", *_prose(text)]
        result = root / "bench" / "results" / f"{name}.json"
        if result.is_file():
            parts.append("\n".join(tables.targets(json.loads(result.read_text(encoding="utf-8")))))
    return "\n\n".join(parts) + "\n"


def _prose(text: str) -> Iterator[str]:
    """Paragraphs of a docstring, as it stands; lists begin after an empty line."""
    text = text.replace("``", "`")
    for part in re.split(r"\n\s*\n", text):
        yield re.sub(r"(?m)(?<=\n)(?<!\n\n)(- .*(?:\n  .*)*\n)(?!-|  )", r"\1\n", re.sub(r"([<*])", r"\\\1", part))
