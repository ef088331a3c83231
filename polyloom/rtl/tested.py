# SPDX-License-Identifier: Apache-2.0
"""Proves that every module of a design has a test: ``python -m polyloom.rtl.tested`` prints how each is tested.

Input: the tree. Output: a line for each module without one, exit status 1 if there is any; lint.py asks the same. A
module M has a test if one of these holds:

    own     there is a test_M.py
    bench   a bench of tests/ or a proof of formal/ that some test there builds instantiates M with ports of its own,
            or a harness names M as the top that it builds; and a test_*.py or *_test.cc of the same block names M
    part    one module only uses M, a test names M, and that module is tested as above or is itself a part of one that
            is: so at most two levels lie between a bench and M, and whoever is used in two places has a test
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from polyloom import paths
from polyloom.rtl.sources import is_design, listed, owner, without_comments

#: ``name #(`` or ``name i_x (`` at the beginning of a line; keywords match too, and are no modules.
_INSTANCE = re.compile(r"^[ \t]*(polyloom_\w+)[ \t]*(?:#[ \t]*\(|\w+[ \t]*(?:\[[^]\n]*\][ \t]*)?\()", re.MULTILINE)
_MODULE = re.compile(r"^\s*module\s", re.MULTILINE)
_TOP = re.compile(r'"(polyloom_\w+)"|\bV(polyloom_\w+)\b')
_WORD = re.compile(r"\bpolyloom_\w+")
_LEVELS = 2


@dataclass
class _Tree:
    """What is where; all by name of module."""

    files: dict[str, Path] = field(default_factory=dict)
    users: dict[str, set[str]] = field(default_factory=dict)
    own: set[str] = field(default_factory=set)
    benches: dict[str, set[Path]] = field(default_factory=dict)  # blocks with a bench or harness around the module
    named: dict[str, set[Path]] = field(default_factory=dict)  # blocks with a test that names it


def _read(root: Path) -> _Tree:
    tree = _Tree()
    built = _words_of_harnesses(root)
    for file in listed(root, ".sv"):
        text = file.read_text()
        if is_design(file) and _MODULE.search(text):
            tree.files[file.stem] = file
            for used in set(_INSTANCE.findall(without_comments(text))) - {file.stem}:
                tree.users.setdefault(used, set()).add(file.stem)
        elif (block := _block(root, file)) and file.stem in built.get(block, set()):
            _note(tree.benches, _INSTANCE.findall(without_comments(text)), block)
    for suffix in (".py", ".cc", ".h"):
        for file in listed(root, suffix):
            if (block := _block(root, file)) is not None:
                _read_test(tree, file, block)
    return tree


def _words_of_harnesses(root: Path) -> dict[Path, set[str]]:
    """By block, all words of what builds benches and proofs."""
    words: dict[Path, set[str]] = {}
    for suffix in (".py", ".cc", ".h", ".toml", "CMakeLists.txt"):
        for file in listed(root, suffix):
            if block := _block(root, file):
                words.setdefault(block, set()).update(re.findall(r"\w+", file.read_text()))
    return words


def _read_test(tree: _Tree, file: Path, block: Path) -> None:
    text = file.read_text()
    _note(tree.benches, [a or b for a, b in _TOP.findall(text)], block)
    _note(tree.benches, _INSTANCE.findall(text), block)  # a bench that the test writes
    if file.name.startswith("test_") and file.suffix == ".py":
        tree.own.add(file.stem.removeprefix("test_"))
    elif not file.name.endswith("_test.cc"):
        return
    _note(tree.named, _WORD.findall(text), block)


def _note(places: dict[str, set[Path]], names: list[str], block: Path) -> None:
    for name in names:
        places.setdefault(name, set()).add(block)


def _block(root: Path, file: Path) -> Path | None:
    """The block or role of a file in its tests/ or formal/."""
    parts = file.relative_to(root).parts[:-1]
    for folder in ("tests", "formal"):
        if folder in parts:
            return root.joinpath(*parts[: parts.index(folder)])
    return None


def _how(tree: _Tree, module: str) -> str:
    """How a module is tested; "" if it is not."""
    if (how := _directly(tree, module)) or not tree.named.get(module):
        return how
    part = module
    for _ in range(_LEVELS):
        users = tree.users.get(part, set())
        if len(users) != 1:
            return ""
        (part,) = users
        if _directly(tree, part):
            return f"part of {part}"
    return ""


def _directly(tree: _Tree, module: str) -> str:
    if module in tree.own:
        return f"test_{module}.py"
    block = owner(tree.files[module])
    return "bench" if block in tree.benches.get(module, set()) & tree.named.get(module, set()) else ""


def problems(root: Path) -> Iterator[str]:
    """A line for each module without a test."""
    tree = _read(root)
    for module, file in sorted(tree.files.items()):
        if not _how(tree, module):
            users = ", ".join(sorted(tree.users.get(module, set()))) or "no other module"
            yield (
                f"{file}: no test of its own, and not a part of one thing that is tested (used by {users}); "
                f"add test_{module}.py (polyloom/rtl/README.md)"
            )


def main() -> int:
    """Print all modules; the exit status."""
    root = paths.home()
    tree = _read(root)
    for module in sorted(tree.files):
        print(f"{module:44} {_how(tree, module) or 'NOT TESTED'}")
    missing = list(problems(root))
    print("\n".join(missing), file=sys.stderr, end="\n" if missing else "")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
