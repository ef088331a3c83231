# SPDX-License-Identifier: Apache-2.0
"""Where the pieces of an installation lie. Input: the environment and this file's place; output: paths."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from polyloom.base.errors import UserError

#: What a checkout has, and an installation, and a folder of installed packages has not.
MARKS = ("clusters", "roles")
#: How names of clusters begin that are made for a number of ranks (fabric/cluster/zrlmpi.cc).
MADE = "zrlmpi:"


def home() -> Path:
    """Root of what polyloom consists of: ``$POLYLOOM_HOME``, else the checkout that this package is of, else what was
    installed with it (cmake/install.cmake). UserError if there is none.
    """
    given = os.environ.get("POLYLOOM_HOME")
    if given:
        if not Path(given).is_dir():
            raise UserError(f"POLYLOOM_HOME={given}: there is no such folder; set it to the path of a source tree")
        return Path(given)
    package = Path(__file__).resolve().parent.parent
    for root in (package.parent, package / "installed" / "share" / "polyloom"):
        if all((root / mark).is_dir() for mark in MARKS):
            return root
    raise UserError(
        f"{package.parent} has the Python package alone, without a simulator or applications; install a wheel of "
        "Polyloom, or clone the source tree, run `make build` in it and set POLYLOOM_HOME to its path"
    )


def is_installed() -> bool:
    """Whether home() was installed, so that nothing can be built in it."""
    return not (home() / "CMakeLists.txt").is_file()


def environment() -> dict[str, str]:
    """By which a child process finds home() and, for models in RTL, this Python."""
    return {"POLYLOOM_HOME": str(home()), "POLYLOOM_PYTHON": os.environ.get("POLYLOOM_PYTHON") or sys.executable}


def how_to_build() -> str:
    """What to do if something that is compiled is not there."""
    return f"install polyloom again: {home()} lacks it" if is_installed() else f"run `make build` in {home()}"


def how_to_install(*packages: str, pip: bool = False, setup: str = "make setup") -> str:
    """The command that brings packages of Debian, or of Python, to those who run an installation or a checkout."""
    if not is_installed():
        return setup
    command = [sys.executable, "-m", "pip", "install"] if pip else ["apt-get", "install"]
    return shlex.join([*command, *packages])


def build_dir() -> Path:
    """Folder of compiled programs: ``$POLYLOOM_BUILD`` or ``build`` in home()."""
    return Path(os.environ.get("POLYLOOM_BUILD") or home() / "build")


def program(name: str) -> Path:
    """Path of a compiled program; UserError saying how to build it if it is not there."""
    path = build_dir() / "bin" / name
    if not path.is_file():
        raise UserError(f"{path} is not built; {how_to_build()}")
    return path


def apps() -> list[str]:
    """Names of the applications that are built, sorted."""
    return sorted(p.name.removeprefix("app_") for p in (build_dir() / "bin").glob("app_*") if p.is_file())


def python_apps() -> list[str]:
    """Names of the applications that are Python packages with a main program, sorted."""
    return sorted(p.parent.name for p in (home() / "apps").glob("*/__main__.py"))


def clusters() -> list[str]:
    """Names of the shipped cluster files, sorted."""
    return sorted(p.stem for p in (home() / "clusters").glob("*.toml"))


def cluster_file(name: str) -> Path:
    """Resolve a cluster name or path; UserError listing what is known if there is none.

    ``zrlmpi:N`` is no file: the simulator's reader makes that cluster, and judges N.
    """
    if name.startswith(MADE):
        return Path(name)
    as_path = Path(name)
    if as_path.suffix in {".toml", ".json"}:
        if as_path.is_file():
            return as_path.resolve()
        raise UserError(f"cluster file {name} does not exist")
    shipped = home() / "clusters" / f"{name}.toml"
    if shipped.is_file():
        return shipped
    known = f"shipped: {', '.join(clusters())}; made: {MADE}N"
    raise UserError(f"no cluster '{name}'; {known}; or give the path of a .toml file")
