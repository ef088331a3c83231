# SPDX-License-Identifier: Apache-2.0
"""Where the pieces of an installation lie. Input: the environment and this file's place; output: paths."""

from __future__ import annotations

import os
from pathlib import Path

from polyloom.errors import UserError

#: What a source tree has and a folder of installed packages has not.
MARKS = ("CMakeLists.txt", "clusters", "roles")


def home() -> Path:
    """Root of the source tree: ``$POLYLOOM_HOME``, or the folder above this package. UserError if that is none.

    The package alone, installed from a wheel, has no simulator, applications or clusters; they come with the tree.
    """
    given = os.environ.get("POLYLOOM_HOME")
    if given:
        if not Path(given).is_dir():
            raise UserError(f"POLYLOOM_HOME={given}: there is no such folder; set it to the path of a source tree")
        return Path(given)
    root = Path(__file__).resolve().parent.parent
    if not all((root / mark).exists() for mark in MARKS):
        raise UserError(
            f"{root} has the Python package alone, without a simulator or applications; clone the source tree of "
            "Polyloom, run `make build` in it and set POLYLOOM_HOME to its path"
        )
    return root


def build_dir() -> Path:
    """Folder of compiled programs: ``$POLYLOOM_BUILD`` or ``build`` in the source tree."""
    return Path(os.environ.get("POLYLOOM_BUILD") or home() / "build")


def program(name: str) -> Path:
    """Path of a compiled program; UserError saying how to build it if it is not there."""
    path = build_dir() / "bin" / name
    if not path.is_file():
        raise UserError(f"{path} is not built; run `make build` in {home()}")
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
    """Resolve a cluster name or path; UserError listing what is known if there is none."""
    as_path = Path(name)
    if as_path.suffix in {".toml", ".json"}:
        if as_path.is_file():
            return as_path.resolve()
        raise UserError(f"cluster file {name} does not exist")
    shipped = home() / "clusters" / f"{name}.toml"
    if shipped.is_file():
        return shipped
    raise UserError(f"no cluster '{name}'; shipped: {', '.join(clusters())}; or give the path of a .toml file")
