# SPDX-License-Identifier: Apache-2.0
"""The applications of ``polyloom run``: programs ``app_NAME`` in C++, packages ``apps/NAME`` in Python.

Input: a name; output: how to call it, what it is, its own help.
"""

from __future__ import annotations

import ast
import difflib
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyloom.base import paths
from polyloom.base.errors import UserError
from polyloom.jobs import own_program

#: Other names of applications: what people call what they compute.
ALIASES = {"hashmin": "components"}
#: No application takes longer to say what it is.
HELP_SECONDS = 60


@dataclass(frozen=True)
class Application:
    """How to call one."""

    name: str
    in_python: bool
    own: own_program.OwnProgram | None = None  # a file of the user's

    @property
    def command(self) -> list[str]:
        """The program, without its arguments."""
        if self.own is not None:
            return [str(self.own.program())]
        if self.in_python:
            return [sys.executable, "-m", "polyloom.jobs.python_app", self.name]
        return [str(paths.program(f"app_{self.name}"))]

    def for_threads(self) -> dict[str, str]:
        """What else it needs in the environment to run on a cluster."""
        return {} if self.own is None else {"POLYLOOM_DEVICE": str(self.own.device())}

    @property
    def environment(self) -> dict[str, str]:
        """What it needs besides what a run sets."""
        if not self.in_python:
            return paths.environment()
        path = os.pathsep.join([str(paths.home()), *filter(None, [os.environ.get("PYTHONPATH")])])
        return {**paths.environment(), "PYTHONPATH": path}

    @property
    def draws(self) -> bool:
        """Whether it draws random numbers of its own by ``--seed``."""
        return self.in_python or bool(self._described()["draws"])

    @property
    def makes_graph(self) -> bool:
        """Whether it works on a graph of its own, or on none."""
        return self.in_python or bool(self._described()["makes_graph"])

    @property
    def writes(self) -> list[str]:
        """Options that name files to write, beside ``out``."""
        return [] if self.in_python else list(self._described()["writes"])

    def _described(self) -> dict[str, Any]:
        described: dict[str, Any] = json.loads(self._said(["--describe"]))
        return described

    def description(self) -> str:
        """What it computes, in one sentence and its own words."""
        if self.in_python:  # "``polyloom run NAME``: what it does. More.", and importing it would take a second
            file = paths.home() / "apps" / self.name / "__main__.py"
            text = " ".join((ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "").split())
            text = re.sub(r"^``.*?``: ", "", text).split(". ")[0]
        else:  # the first line of its help
            text = self.help().partition("\n")[0]
        text = (text[:1].upper() + text[1:]).removesuffix(".")
        return text + "".join(f" (also: {alias})" for alias, name in ALIASES.items() if name == self.name)

    def help(self) -> str:
        """All its options, as the application itself tells them."""
        return self._said(["--help"])

    def _said(self, words: list[str]) -> str:
        environment = {**os.environ, **self.environment}
        try:
            done = subprocess.run(
                [*self.command, *words], env=environment, capture_output=True, text=True, timeout=HELP_SECONDS
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UserError(f"{self.name}: cannot ask it for its options: {error}") from error
        if done.returncode != 0:
            said = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
            raise UserError(f"{self.name}: cannot ask it for its options: {said}")
        return done.stdout


def every() -> list[Application]:
    """All that are there, by name."""
    in_python = paths.python_apps()
    return [Application(name, name in in_python) for name in sorted({*paths.apps(), *in_python})]


def find(name: str) -> Application:
    """The application; UserError with the nearest names and what each is if there is none."""
    if own_program.is_source(name):
        own = own_program.OwnProgram(Path(name))
        return Application(own.name, False, own)
    known = {app.name: app for app in every()}
    name = ALIASES.get(name, name)
    if name in known:
        return known[name]
    described = {app.name: app.description() for app in known.values()}
    near = difflib.get_close_matches(name, known, n=1)
    near += [other for other, text in described.items() if name and name.lower() in text.lower() and other not in near]
    hint = f"did you mean {' or '.join(f'{other} ({described[other]})' for other in near)}? " if near else ""
    unbuilt = [app for app in source_names() if app not in known]
    if name in unbuilt:
        raise UserError(f"{name} is not built; {paths.how_to_build()}")
    raise UserError(f"no application '{name}'; {hint}built: {', '.join(known) or f'none ({paths.how_to_build()})'}")


def source_names() -> list[str]:
    """Names of the vertex programs that the source tree has, built or not."""
    files = (paths.home() / "apps").glob("*/*.cc")
    return sorted(file.stem for file in files if "POLYLOOM_PROGRAM(" in file.read_text(encoding="utf-8"))
