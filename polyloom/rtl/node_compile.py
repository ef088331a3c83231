# SPDX-License-Identifier: Apache-2.0
"""Turns a top module into a shared object behind the C ABI of ``blocks/verilated/shim/abi.h``.

Input: sources, top, parameters; output: files in a folder that is all ours. Steps: Verilator writes C++; its ports are
read from the header that it wrote; they go into polyloom_shape.h, all that the hand-written shim needs to know of the
model; model, shim and Verilator's runtime (kept in the cache: it is the same for all) are compiled. The cache and its
keys are the business of node_build.py.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from polyloom.errors import UserError
from polyloom.rtl import tools
from polyloom.rtl.filelist import FileList

SHIM = Path(__file__).resolve().parent.parent.parent / "blocks" / "verilated" / "shim"
ROOT = SHIM.parent.parent.parent
SHIM_SOURCES = ["abi.h", "runtime.h", "runtime.cc", "shim.cc"]

#: Of ours, apart from top, prefix, parameters and files. Random start values show what lacks a reset.
VERILATOR_FLAGS = [
    *["--cc", "-O3", "--assert", "--x-assign", "unique", "--x-initial", "unique", "--threads", "1", "--no-timing"],
    *["--timescale-override", "1ps/1ps", "--output-split", "20000", "--quiet"],
]
TRACE_FLAGS = ["--trace-fst", "--trace-structs"]

#: No symbol of one model may meet that of another (or of another version of Verilator) in a process.
CXX_FLAGS = [
    *["-std=c++20", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off", "-w"],
    *["-DVERILATOR=1", "-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TIMING=0", "-DVM_TRACE_VCD=0", "-DVM_TRACE_SAIF=0"],
]
GCC_FLAGS = ["-fno-gnu-unique"]  # Clang has no such symbols
FAST, SLOW = "-O2", "-O1"  # what runs each cycle; what runs once
COMPILERS = ("clang++-19", "clang++", "g++")  # Clang needs half of GCC's time for such code, which is as fast then
RUNTIME = ["verilated.cpp", "verilated_threads.cpp", "verilated_probdist.cpp", "verilated_dpi.cpp"]
HEADER = "verilated.h"  # of the runtime: most of the time that a small model would take to compile
PRECOMPILED = "verilated.pch"
#: Whether it is out of date the runtime's key says, not the clock.
PRECOMPILED_FLAGS = ["-Xclang", "-fno-pch-timestamp"]
SLOPPINESS = "pch_defines,time_macros"  # what ccache needs to know files by such a header
GROUP_BYTES = 400_000  # of C++ text that one compiler gets: fewer start-ups, yet all processors busy

_PORT = re.compile(r"VL_(IN|OUT|INOUT)(8|16|64|W)?\(&(\w+),(\d+),(\d+)(?:,(\d+))?\);")
_ODD_PORT = re.compile(r"VL_(?:IN|OUT|INOUT)\w*\(\(?&(\w+)\)?\[")
_STALE = re.compile(r"precompiled|PCH file")  # a header that it was made from is another one now, or gone
_BYTES = {"8": 1, "16": 2, "": 4, "64": 8}


@dataclass(frozen=True)
class Port:
    """A port of the top, as Verilator stores it."""

    name: str
    bits: int
    bytes: int
    is_input: bool


@dataclass(frozen=True)
class Model:
    """What is built: see node_build.Shape, which this comes from."""

    top: str
    prefix: str
    parameters: tuple[tuple[str, str], ...]
    files: FileList
    trace: bool


@functools.cache
def cxx() -> str:
    """The C++ compiler: $POLYLOOM_RTL_CXX, else the first of COMPILERS that is here."""
    wanted = os.environ.get("POLYLOOM_RTL_CXX")
    for name in [wanted] if wanted else COMPILERS:
        if shutil.which(name):
            return name
    raise UserError(f"{wanted or 'a C++ compiler'} is needed to build RTL models and is not here; run `make setup`")


def cxx_flags() -> list[str]:
    """What every file is compiled with."""
    return [*CXX_FLAGS, *([] if "clang" in cxx() else GCC_FLAGS)]


def read_ports(header: str) -> list[Port]:
    """Ports from the text of the model's header. UserError on one that has no flat form."""
    if odd := _ODD_PORT.search(header):
        raise UserError(f"port {odd.group(1)} is an unpacked array; a node's top has packed ports only")
    ports = []
    for direction, kind, name, high, low, words in _PORT.findall(header):
        if direction == "INOUT":
            raise UserError(f"port {name} is an inout; a node's top has inputs and outputs only")
        size = 4 * int(words) if kind == "W" else _BYTES[kind]
        ports.append(Port(name, int(high) - int(low) + 1, size, direction == "IN"))
    for name in ("clk_i", "rst_ni"):
        if not any(p.name == name and p.is_input and p.bits == 1 for p in ports):
            raise UserError(f"a node's top needs an input {name} of one bit")
    return ports


def ports_of(model: Model, folder: Path) -> list[Port]:
    """Ports of what verilate() wrote."""
    return read_ports((folder / f"{model.prefix}.h").read_text())


def shape_header(model: Model, ports: Sequence[Port]) -> str:
    """Text of polyloom_shape.h."""
    parameters = " ".join(f"{k}={v}" for k, v in model.parameters)
    rows = "\n".join(f'    {{"{p.name}", {p.bits}, {p.bytes}, {int(p.is_input)}}},' for p in ports)
    cases = "\n".join(f"    case {i}: return &model.{p.name};" for i, p in enumerate(ports))
    quoted = parameters.replace("\\", "\\\\").replace('"', '\\"')
    return f"""// Made by polyloom.rtl.node_compile from the header that Verilator wrote for {model.top}.
#pragma once
#include "{model.prefix}.h"
#include "blocks/verilated/shim/abi.h"
#define POLYLOOM_TRACED {int(model.trace)}
using Model = {model.prefix};
static constexpr char kTop[] = "{model.top}";
static constexpr char kParameters[] = "{quoted}";
static constexpr polyloom_rtl_port kPorts[] = {{
{rows}
}};
static inline void* port_data(Model& model, unsigned i) {{
  switch (i) {{
{cases}
  }}
  return nullptr;
}}
"""


def verilate(model: Model, folder: Path, options: Sequence[str] = ()) -> None:
    """Have Verilator write the model's C++ into ``folder``. UserError with its message if it finds a fault."""
    command = [str(tools.find("verilator")), *VERILATOR_FLAGS, *(TRACE_FLAGS if model.trace else []), *options]
    command += ["--top-module", model.top, "--prefix", model.prefix, "--Mdir", str(folder), str(tools.WAIVERS)]
    command += [f"-G{name}={value}" for name, value in model.parameters] + model.files.verilator_args()
    result = subprocess.run(command, env=tools.environment(), capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise UserError(f"Verilator refuses {model.top}:\n{_explain(result.stdout + result.stderr)}")


def _explain(output: str) -> str:
    """Verilator's output without the lines that say the same for every error."""
    noise = ("%Error: Exiting due to", "... See the manual", "... For ", "%Error: This may be because")
    lines = [line for line in output.splitlines() if line.strip() and not line.strip().startswith(noise)]
    shown = lines[:40]
    return "\n".join("  " + line for line in shown) + (f"\n  ... {len(lines) - 40} lines more" if lines[40:] else "")


def compile_model(model: Model, folder: Path, runtime: Path, output: Path, progress: Callable[[str], None]) -> None:
    """Compile and link what verilate() wrote into ``folder``. ``runtime`` is the folder that build_runtime() filled."""
    (folder / "polyloom_shape.h").write_text(shape_header(model, ports_of(model, folder)))
    generated = sorted(p for p in folder.glob("*.cpp") if not p.name.endswith("__ALL.cpp"))
    jobs = [(SHIM / "shim.cc", SLOW), *_units(generated)]
    progress(f"compiling {len(generated)} files of {model.top}")
    options = [f"-I{folder}", *_trace_defines(model.trace)]
    try:
        objects = _compile_all(jobs, folder, [*_precompiled(runtime), *options])
    except UserError as error:
        if not _STALE.search(str(error)):
            raise
        objects = _compile_all(jobs, folder, options)
    libraries = ["-llz4", "-lz"] if model.trace else []
    link(cxx(), [*objects, *sorted(map(str, runtime.glob("*.o")))], folder, output, model.top, libraries)


def link(
    compiler: str, objects: Sequence[str], folder: Path, output: Path, top: str, libraries: Sequence[str] = ()
) -> None:
    """A shared object that shows nothing but the C ABI."""
    exports = folder / "exports.map"
    exports.write_text("{ global: polyloom_rtl_abi; local: *; };\n")
    command = [compiler, "-shared", "-o", str(output), *objects, f"-Wl,--version-script={exports}", "-Wl,-Bsymbolic"]
    _call([*command, "-Wl,-z,defs", "-pthread", "-latomic", *libraries], f"linking {top}")


def build_runtime(folder: Path, trace: bool) -> None:
    """Compile Verilator's own runtime into ``folder``: its files together, as most of their time is their headers'."""
    include = tools.find("verilator").parent.parent / "include"
    unit = folder / "verilated.cc"
    unit.write_text("".join(f'#include "{name}"\n' for name in RUNTIME))
    jobs = [(unit, FAST), (SHIM / "runtime.cc", SLOW), *([(include / "verilated_fst_c.cpp", FAST)] if trace else [])]
    _compile_all(jobs, folder, _trace_defines(trace))
    if "clang" in cxx():
        header = ["-x", "c++-header", str(include / HEADER), "-o", str(folder / PRECOMPILED)]
        command = [cxx(), *_common(), *_trace_defines(trace), *PRECOMPILED_FLAGS, "-fpch-instantiate-templates"]
        _call([*command, FAST, *header], f"compiling {HEADER}", tools.environment())


def _precompiled(runtime: Path) -> list[str]:
    header = runtime / PRECOMPILED
    return ["-include-pch", str(header), *PRECOMPILED_FLAGS] if header.is_file() else []


def _trace_defines(trace: bool) -> list[str]:
    return [f"-DVM_TRACE={int(trace)}", f"-DVM_TRACE_FST={int(trace)}"]


def _units(generated: Sequence[Path]) -> list[tuple[Path, str]]:
    """Files of one model, some together, and how each is compiled."""
    jobs = []
    for option, slow in ((FAST, False), (SLOW, True)):
        files = [p for p in generated if p.stem.endswith("__Slow") == slow]
        for number, group in enumerate(_groups(files)):
            unit = group[0].parent / f"group{'_slow' if slow else ''}{number}.cc"
            unit.write_text("".join(f'#include "{p.name}"\n' for p in group))
            jobs.append((unit, option))
    return jobs


def _groups(files: Sequence[Path]) -> list[list[Path]]:
    groups: list[list[Path]] = []
    size = GROUP_BYTES
    for path in files:
        if size >= GROUP_BYTES:
            groups.append([])
            size = 0
        groups[-1].append(path)
        size += path.stat().st_size
    return groups


def _common() -> list[str]:
    include = tools.find("verilator").parent.parent / "include"
    own = ["-include", str(SHIM / "runtime.h")]
    return [*cxx_flags(), f"-I{include}", f"-I{include / 'vltstd'}", f"-I{ROOT}", *own]


def _compile_all(jobs: Sequence[tuple[Path, str]], folder: Path, options: Sequence[str]) -> list[str]:
    common = [*options, *_common()]
    env = tools.environment()
    env["CCACHE_SLOPPINESS"] = ",".join(filter(None, [env.get("CCACHE_SLOPPINESS"), SLOPPINESS]))
    launcher = [env["OBJCACHE"]] if env.get("OBJCACHE") else []

    targets = [str(folder / (source.stem + ".o")) for source, _ in jobs]
    commands = [
        ([*launcher, cxx(), *common, level, "-c", str(source), "-o", target], f"compiling {source.name}")
        for (source, level), target in zip(jobs, targets, strict=True)
    ]
    call_all(commands, env=env)
    return targets


def call_all(
    commands: Sequence[tuple[Sequence[str], str]], seconds: float | None = None, env: dict[str, str] | None = None
) -> None:
    """Run commands on all processors ($POLYLOOM_RTL_JOBS), each with what it does. UserError if one fails."""
    workers = int(os.environ.get("POLYLOOM_RTL_JOBS") or len(os.sched_getaffinity(0)))
    with ThreadPoolExecutor(max_workers=max(1, workers)) as pool:
        list(pool.map(lambda job: _call(job[0], job[1], env, seconds), commands))


def _call(command: Sequence[str], what: str, env: dict[str, str] | None = None, seconds: float | None = None) -> None:
    try:
        result = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise UserError(f"{what}: {command[0]} did not come to an end in {seconds:.0f} s") from None
    except FileNotFoundError:
        raise UserError(f"{what}: {command[0]} is not installed; run `make setup`") from None
    if result.returncode != 0:
        raise UserError(f"{what} failed:\n{result.stderr.strip()[:4000]}")
