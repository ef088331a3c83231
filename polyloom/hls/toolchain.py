# SPDX-License-Identifier: Apache-2.0
"""LLVM's programs and others as child processes. Input: a program and its arguments; output: what it printed.

Every program of LLVM that Polyloom calls is called from here, so its version stands in one place.
"""

from __future__ import annotations

import functools
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from polyloom.base import paths, process
from polyloom.base.errors import UserError

LLVM = 19


def tool(name: str) -> str:
    """Path of a program of LLVM. Example: clang."""
    found = shutil.which(f"{name}-{LLVM}")
    if found is None:
        packages = [f"clang-{LLVM}", f"llvm-{LLVM}"]
        command = paths.how_to_install(*packages)
        raise UserError(f"{name}-{LLVM} is not installed; run `{command}` (Debian packages {' and '.join(packages)})")
    return found


@functools.cache
def version(compiler: str = f"clang-{LLVM}") -> str:
    """What a compiler says of itself: part of the key of all that is kept of what it made."""
    return call([compiler, "--version"])


def run(name: str, arguments: Sequence[str | Path], stdin: str | None = None) -> str:
    """Run a program of LLVM. UserError if it fails: a compiler's own messages as they are, others with its name."""
    if name == "opt" and stdin is not None:  # LLVM writes groups, of a test for infinities, that it does not read
        stdin = re.sub(r"^(attributes #\d+ = \{)\s*\}", r"\1 nounwind }", stdin, flags=re.MULTILINE)
    own = ["-fno-crash-diagnostics"] if name == "clang" else []  # it would leave files in the temporary folder
    return call([tool(name), *own, *arguments], "" if name.startswith("clang") else name, stdin)


def call(
    command: Sequence[str | Path], name: str = "", stdin: str | None = None, env: Mapping[str, str] | None = None
) -> str:
    """Run a program and return its standard output. UserError with what it said, after ``name``, if it fails."""
    words = list(map(str, command))
    done = process.tool(words, env, stdin=stdin)
    if done.returncode != 0:
        before, crashed, _ = done.stderr.partition("PLEASE submit a bug report")
        if crashed:
            before += f"{Path(words[0]).name} itself has crashed there: error: simplify the program"
        said = before.strip() or f"{Path(words[0]).name} ended with status {done.returncode}"
        raise UserError(f"{name}: {said}" if name else said)
    return done.stdout
