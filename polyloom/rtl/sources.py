# SPDX-License-Identifier: Apache-2.0
"""Which SystemVerilog files of the tree belong to designs. Input: the tree; output: paths."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path


def listed(root: Path, suffix: str) -> list[Path]:
    """Files of the tree with this suffix, new ones included, ignored ones not."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", f"*{suffix}"]
    names = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.split()
    return [root / name for name in names if (root / name).is_file()]


def is_design(file: Path) -> bool:
    """Whether a source belongs to a design: a folder rtl/ that is not itself part of a test, or a part of one."""
    return owner(file) is not None


def owner(file: Path) -> Path | None:
    """The block or role whose folder rtl/ holds the design, in itself or in a folder for each of its parts."""
    rtl = file.parent if file.parent.name == "rtl" else file.parent.parent
    if rtl.name != "rtl" or "tests" in (rtl.parent.name, file.parent.name) or rtl.parent.name == "polyloom":
        return None
    return rtl.parent


def without_comments(text: str) -> str:
    """A SystemVerilog source without its comments."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
