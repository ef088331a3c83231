# SPDX-License-Identifier: Apache-2.0
"""Proves that every module of a design has a test of its name: ``python -m polyloom.rtl.tested`` prints which.

Input: the tree. Output: a line for each module without one, exit status 1 if there is any; lint.py asks the same. A
module M = polyloom_N of the block or role X has a test if

    named   below X/tests/ there is a test_M.py or an N_rtl_test.cc with tests in it, and
    built   a bench or harness below X/tests/ or X/formal/ holds M: as an instance, as the top that it builds, or
            somewhere below one of these
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from polyloom.base import paths
from polyloom.rtl.sources import is_design, listed, owner, without_comments

#: ``name #(`` or ``name i_x (`` at the beginning of a line; keywords match too, and are no modules.
_INSTANCE = re.compile(r"^[ \t]*(polyloom_\w+)[ \t]*(?:#[ \t]*\(|\w+[ \t]*(?:\[[^]\n]*\][ \t]*)?\()", re.MULTILINE)
_MODULE = re.compile(r"^\s*module\s", re.MULTILINE)
_TOP = re.compile(r'"(polyloom_\w+)"|\bV(polyloom_\w+)\b')
_TESTS = {
    ".py": re.compile(r"^test\w* = |^(?:async )?def test_", re.MULTILINE),
    ".cc": re.compile(r"^\w*TEST\w*\(", re.MULTILINE),
}


@dataclass
class _Tree:
    """What is where; all by name of module."""

    files: dict[str, Path] = field(default_factory=dict)
    uses: dict[str, set[str]] = field(default_factory=dict)
    tests: dict[tuple[Path, str], Path] = field(default_factory=dict)  # by block too
    held: dict[Path, set[str]] = field(default_factory=dict)  # by block: what its benches and harnesses instantiate


def _read(root: Path) -> _Tree:
    tree = _Tree()
    for file in listed(root, ".sv"):
        text = file.read_text()
        instances = set(_INSTANCE.findall(without_comments(text))) - {file.stem}
        if is_design(file) and _MODULE.search(text):
            tree.files[file.stem] = file
            tree.uses[file.stem] = instances
        elif block := _block(root, file):
            tree.held.setdefault(block, set()).update(instances)
    for suffix in (".py", ".cc", ".h"):
        for file in listed(root, suffix):
            if block := _block(root, file):
                _read_test(tree, file, block)
    return tree


def _read_test(tree: _Tree, file: Path, block: Path) -> None:
    text = file.read_text()
    tops = {a or b for a, b in _TOP.findall(text)} | set(_INSTANCE.findall(text))  # or a bench that the test writes
    tree.held.setdefault(block, set()).update(tops)
    if file.suffix in _TESTS and (module := _tested_by(file)) and _TESTS[file.suffix].search(text):
        tree.tests[block, module] = file


def _tested_by(file: Path) -> str:
    """The module that a test file's name tells; "" if none."""
    if file.suffix == ".py":
        return file.stem.removeprefix("test_") if file.stem.startswith("test_polyloom_") else ""
    return f"polyloom_{file.stem.removesuffix('_rtl_test')}" if file.stem.endswith("_rtl_test") else ""


def _block(root: Path, file: Path) -> Path | None:
    """The block or role of a file in its tests/ or formal/."""
    parts = file.relative_to(root).parts[:-1]
    for folder in ("tests", "formal"):
        if folder in parts:
            return root.joinpath(*parts[: parts.index(folder)])
    return None


def _built(tree: _Tree, block: Path) -> set[str]:
    """All modules that benches of a block hold at any depth."""
    found: set[str] = set()
    new = set(tree.held.get(block, ()))
    while new:
        found |= new
        new = {used for module in new for used in tree.uses.get(module, ())} - found
    return found


def _missing(tree: _Tree) -> Iterator[tuple[Path, str]]:
    """File and what is wrong, of each module that falls short."""
    built = {block: _built(tree, block) for block in tree.held}
    for module, file in sorted(tree.files.items()):
        block = owner(file)
        assert block is not None  # all files of the tree are designs
        if (block, module) not in tree.tests:
            yield file, f"no test of its name; add test_{module}.py below {block.name}/tests (polyloom/rtl/README.md)"
        elif module not in built.get(block, set()):
            yield file, f"no bench below {block.name}/tests holds it; {tree.tests[block, module].name} cannot test it"


def problems(root: Path) -> Iterator[str]:
    """A line for each module without a test."""
    for file, what in _missing(_read(root)):
        yield f"{file}: {what}"


def main() -> int:
    """Print all modules; the exit status."""
    root = paths.home()
    tree = _read(root)
    missing = {file.stem: what for file, what in _missing(tree)}
    for module, file in sorted(tree.files.items()):
        test = tree.tests.get((owner(file) or root, module))
        print(
            f"{module:44} {'NOT TESTED: ' + missing[module] if module in missing else test and test.relative_to(root)}"
        )
    print(f"{len(tree.files) - len(missing)} of {len(tree.files)} modules have a test of their name")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
