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

from polyloom.base import paths, process
from polyloom.base.errors import UserError
from polyloom.base.progress import Progress
from polyloom.rtl import tools
from polyloom.rtl.filelist import FileList

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
SLOW = "-O1"  # of what runs once
COMPILERS = ("clang++-19", "clang++", "g++")  # Clang needs half of GCC's time for such code, which is as fast then
RUNTIME = ["verilated.cpp", "verilated_threads.cpp", "verilated_probdist.cpp", "verilated_dpi.cpp"]
HEADER = "verilated.h"  # most of the time that a small model would take to compile
#: Whether a precompiled header is out of date the runtime's key says, not the clock.
PRECOMPILED = ["-Xclang", "-fno-pch-timestamp"]
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


@dataclass(frozen=True)
class App:
    """A model that is joined with another one, its shell."""

    model: Model
    folder: Path  #: what verilate() wrote of it
    shell: Path  #: what compile_shell() left

    @property
    def ports(self) -> list[Port]:
        """Of the app."""
        return ports_of(self.model, self.folder)


@dataclass(frozen=True)
class Runtime:
    """Verilator's own runtime for a kind of models: compiled once, its header precompiled."""

    trace: bool = False
    vpi: bool = False  #: for cocotb
    shim: bool = True  #: of nodes, whose shim has what a design prints, and how it stops; else of programs that test

    def options(self) -> list[str]:
        """What it and all models on it are compiled with."""
        # cocotb finds the simulator's functions in the program.
        own = ["-include", str(shim() / "runtime.h")] if self.shim else ["-fvisibility=default"]
        return [f"-DVM_TRACE={int(self.trace)}", f"-DVM_TRACE_FST={int(self.trace)}", *own]

    def libraries(self) -> list[str]:
        """What a model is linked with."""
        return ["-llz4", "-lz"] if self.trace else []

    def words(self) -> list[str]:
        """Of the key of what build() makes. Precompiled headers have the paths of what they are made from."""
        places = [str(tools.find("verilator")), str(shim())]
        return [
            repr(self),
            *self.options(),
            *cxx_flags(),
            *PRECOMPILED,
            cxx_version(),
            tools.version("verilator"),
            *places,
        ]

    def build(self, folder: Path) -> None:
        """Compile it into ``folder``; its files together, as most of their time is their headers'."""
        names = [*RUNTIME, *(["verilated_vpi.cpp"] if self.vpi else [])]
        unit = folder / "verilated.cc"
        unit.write_text("".join(f'#include "{name}"\n' for name in names))
        jobs = [(unit, "-O2")]
        jobs += [(shim() / "runtime.cc", SLOW)] if self.shim else []
        jobs += [(_include() / "verilated_fst_c.cpp", "-O2")] if self.trace else []
        headers = ("-O0", "-O1") if "clang" in cxx() else ()
        with ThreadPoolExecutor(1) as pool:  # the unit alone takes most of the time
            made = pool.submit(call_all, [self._precompile(folder, level) for level in headers])
            compile_all(jobs, folder, self)
            made.result()

    def _precompile(self, folder: Path, level: str) -> tuple[list[str], str]:
        header = ["-x", "c++-header", str(_include() / HEADER), "-o", str(self._header(folder, level))]
        command = [cxx(), *_common(self), *PRECOMPILED, "-fpch-instantiate-templates", level, *header]
        return command, f"compiling {HEADER}"

    def precompiled(self, folder: Path, level: str) -> list[str]:
        """The header that build() has left in ``folder``, for anyone who compiles with a level."""
        header = self._header(folder, level)
        return ["-include-pch", str(header), *PRECOMPILED] if header.is_file() else []

    @staticmethod
    def _header(folder: Path, level: str) -> Path:
        return folder / ("plain.pch" if level == "-O0" else "optimized.pch")


def shim() -> Path:
    """Folder of what a model is wrapped in."""
    return paths.home() / "blocks" / "verilated" / "shim"


@functools.cache
def cxx() -> str:
    """The C++ compiler: $POLYLOOM_RTL_CXX, else the first of COMPILERS that is here."""
    wanted = os.environ.get("POLYLOOM_RTL_CXX")
    for name in [wanted] if wanted else COMPILERS:
        if shutil.which(name):
            return name
    command = paths.how_to_install("g++")
    raise UserError(f"{wanted or 'a C++ compiler'} is needed to build RTL models and is not here; run `{command}`")


@functools.cache
def cxx_version() -> str:
    """What the C++ compiler says of itself: part of the key of all that it has compiled."""
    try:
        return subprocess.run([cxx(), "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        command = paths.how_to_install("g++")
        raise UserError(f"{cxx()} is needed to build RTL models and does not run; run `{command}`") from None


def fast() -> str:
    """How what runs in each cycle is compiled: $POLYLOOM_RTL_OPTIMIZE, less than -O2 for runs that are short."""
    return os.environ.get("POLYLOOM_RTL_OPTIMIZE") or "-O2"


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


def shape_header(model: Model, ports: Sequence[Port], app: App | None = None) -> str:
    """Text of polyloom_shape.h."""
    parameters = " ".join(f"{k}={v}" for k, v in model.parameters)
    joined = joins(model, ports, app) if app else []
    inner = {join[0] for join in joined}
    shown = [p for p in ports if p.name not in inner]
    rows = "\n".join(f'    {{"{p.name}", {p.bits}, {p.bytes}, {int(p.is_input)}}},' for p in shown)
    cases = "\n".join(f"    case {i}: return &model.{p.name};" for i, p in enumerate(shown))
    quoted = parameters.replace("\\", "\\\\").replace('"', '\\"')
    return f"""// Made by polyloom.rtl.node_compile from the header that Verilator wrote for {model.top}.
#pragma once
#include "{model.prefix}.h"
#include "blocks/verilated/shim/abi.h"
#define POLYLOOM_TRACED {int(model.trace)}
#define POLYLOOM_APP {int(app is not None)}
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
{_app_header(app.model, joined) if app else ""}"""


def joins(shell: Model, ports: Sequence[Port], app: App) -> list[tuple[str, Port]]:
    """Each port of the app with the name of the shell's that it is joined with: x_i is driven by app_x_o, x_o drives
    app_x_i. The clock is the same. UserError if a port of either is left over."""
    free = {p.name: p for p in ports if p.name.startswith("app_")}
    found = []
    for port in app.ports:
        name = f"app_{port.name[:-1]}{'o' if port.is_input else 'i'}"
        if port.name != "clk_i" and (other := free.pop(name, None)) and other.bits == port.bits:
            found.append((name, port))
        elif port.name != "clk_i":
            bits = f"{port.bits} bit{'s' if port.bits > 1 else ''}"
            raise UserError(f"{app.model.top} has a port {port.name} of {bits}, {shell.top} no {name} of as many")
    if free:
        raise UserError(f"{shell.top} has a port {next(iter(free))}, {app.model.top} has none for it")
    return found


def _app_header(app: Model, joined: Sequence[tuple[str, Port]]) -> str:
    def moves(inputs: bool) -> str:
        both = [(f"app.{p.name}", f"shell.{name}") for name, p in joined if p.is_input == inputs]
        return "\n".join(f"  moved |= move({a}, {b});" if inputs else f"  moved |= move({b}, {a});" for a, b in both)

    return f"""#include "{app.prefix}.h"
using App = {app.prefix};
template <typename T>
static inline bool move(T& to, const T& from) {{
  const bool differs = !(to == from);
  to = from;
  return differs;
}}
// What the shell says to the app, and back; whether it is news.
static inline bool to_app(App& app, const Model& shell) {{
  bool moved = false;
{moves(True)}
  return moved;
}}
static inline bool from_app(const App& app, Model& shell) {{
  bool moved = false;
{moves(False)}
  return moved;
}}
"""


def verilate(model: Model, folder: Path, options: Sequence[str] = ()) -> None:
    """Have Verilator write the model's C++ into ``folder``. UserError with its message if it finds a fault."""
    command = [str(tools.find("verilator")), *VERILATOR_FLAGS, *(TRACE_FLAGS if model.trace else []), *options]
    command += ["--top-module", model.top, "--prefix", model.prefix, "--Mdir", str(folder), str(tools.WAIVERS)]
    command += [f"-G{name}={value}" for name, value in model.parameters] + model.files.verilator_args()
    result = process.tool(command, tools.environment())
    if result.returncode != 0:
        raise UserError(f"Verilator refuses {model.top}:\n{_explain(result.stdout + result.stderr)}")


def _explain(output: str) -> str:
    """Verilator's output without the lines that say the same for every error."""
    noise = ("%Error: Exiting due to", "... See the manual", "... For ", "%Error: This may be because")
    lines = [line for line in output.splitlines() if line.strip() and not line.strip().startswith(noise)]
    shown = lines[:40]
    return "\n".join("  " + line for line in shown) + (f"\n  ... {len(lines) - 40} lines more" if lines[40:] else "")


def compile_model(
    model: Model, folder: Path, runtime: Path, output: Path, progress: Callable[[str], None], app: App | None = None
) -> None:
    """Compile and link what verilate() wrote into ``folder``. ``runtime`` is the folder that a Runtime has filled.

    With an app, ``folder`` is that of the app, and the object has both, joined.
    """
    where = app.shell if app else folder
    (folder / "polyloom_shape.h").write_text(shape_header(model, ports_of(model, where), app))
    objects = _compile(app.model if app else model, folder, runtime, progress, [f"-I{where}"], [shim() / "shim.cc"])
    objects += [*map(str, sorted(where.glob("*.o")))] if app else []
    libraries = Runtime(model.trace).libraries()
    link(cxx(), [*objects, *sorted(map(str, runtime.glob("*.o")))], folder, output, model.top, libraries)


def compile_shell(model: Model, folder: Path, runtime: Path, output: Path, progress: Callable[[str], None]) -> None:
    """Compile what verilate() wrote into ``folder`` for anyone who joins an app with it: objects, and the header."""
    for path in [*_compile(model, folder, runtime, progress), str(folder / f"{model.prefix}.h")]:
        shutil.copy(path, output)


def _compile(
    model: Model,
    folder: Path,
    runtime: Path,
    progress: Callable[[str], None],
    options: Sequence[str] = (),
    more: Sequence[Path] = (),
) -> list[str]:
    generated = sorted(p for p in folder.glob("*.cpp") if not p.name.endswith("__ALL.cpp"))
    jobs = [*((source, SLOW) for source in more), *units(generated, fast(), SLOW)]
    progress(f"compiling {len(generated)} files of {model.top}")
    return compile_all(jobs, folder, Runtime(model.trace), [f"-I{folder}", *options], runtime)


def link(
    compiler: str, objects: Sequence[str], folder: Path, output: Path, top: str, libraries: Sequence[str] = ()
) -> None:
    """A shared object that shows nothing but the C ABI."""
    exports = folder / "exports.map"
    exports.write_text("{ global: polyloom_rtl_abi; local: *; };\n")
    command = [compiler, "-shared", "-o", str(output), *objects, f"-Wl,--version-script={exports}", "-Wl,-Bsymbolic"]
    _call([*command, "-Wl,-z,defs", "-pthread", "-latomic", *libraries], f"linking {top}")


def link_program(objects: Sequence[Path | str], program: Path, libraries: Sequence[str]) -> None:
    """An executable; anyone who runs the one of that name goes on doing so."""
    fresh = program.with_name(f".{program.name}-{os.getpid()}")
    try:
        _call(
            [cxx(), "-o", str(fresh), *map(str, objects), "-pthread", "-latomic", *libraries], f"linking {program.name}"
        )
        fresh.rename(program)
    finally:
        fresh.unlink(missing_ok=True)


def units(generated: Sequence[Path], fast: str, slow_option: str) -> list[tuple[Path, str]]:
    """Files of one model, some together, and how each is compiled: what runs in each cycle, what runs once."""
    jobs = []
    for option, slow in ((fast, False), (slow_option, True)):
        files = [p for p in generated if p.stem.endswith("__Slow") == slow]
        for number, group in enumerate(_groups(files)):
            unit = generated[0].parent / f"group{'_slow' if slow else ''}{number}.cc"
            unit.write_text("".join(f'#include "{p.name if p.parent == unit.parent else p}"\n' for p in group))
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


def _include() -> Path:
    return tools.find("verilator").parent.parent / "include"


def _common(runtime: Runtime) -> list[str]:
    return [*cxx_flags(), f"-I{_include()}", f"-I{_include() / 'vltstd'}", f"-I{paths.home()}", *runtime.options()]


def compile_all(
    jobs: Sequence[tuple[Path, str]],
    folder: Path,
    runtime: Runtime,
    options: Sequence[str] = (),
    built: Path | None = None,
) -> list[str]:
    """Compile files, each with its level, into objects of their names in ``folder``; the objects.

    ``built`` is the folder that the runtime has filled, whose precompiled header is used if the compiler will have it.
    """
    env = tools.environment()
    env["CCACHE_SLOPPINESS"] = ",".join(filter(None, [env.get("CCACHE_SLOPPINESS"), SLOPPINESS]))
    env.setdefault("CCACHE_BASEDIR", str(paths.home()))
    launcher = [env["OBJCACHE"]] if env.get("OBJCACHE") else []
    targets = [str(folder / (source.stem + ".o")) for source, _ in jobs]

    def commands(header: bool) -> list[tuple[list[str], str]]:
        return [
            (
                [
                    *(*launcher, cxx(), *(runtime.precompiled(built, level) if built and header else [])),
                    *(*options, *_common(runtime), level, "-c", str(source), "-o", target),
                ],
                f"compiling {source.name}",
            )
            for (source, level), target in zip(jobs, targets, strict=True)
        ]

    try:
        call_all(commands(True), env=env)
    except UserError as error:
        if built is None or not _STALE.search(str(error)):
            raise
        call_all(commands(False), env=env)
    return targets


def call_all(
    commands: Sequence[tuple[Sequence[str], str]], seconds: float | None = None, env: dict[str, str] | None = None
) -> None:
    """Run commands on all processors ($POLYLOOM_RTL_JOBS), each with what it does. UserError if one fails."""
    workers = int(os.environ.get("POLYLOOM_RTL_JOBS") or len(os.sched_getaffinity(0)))
    with (
        Progress("rtl", len(commands)) as progress,
        ThreadPoolExecutor(max_workers=max(1, workers)) as pool,
    ):
        calls = pool.map(lambda job: _call(job[0], job[1], env, seconds), commands)
        for done, _ in enumerate(calls, 1):
            progress.at(done, f"{done} of {len(commands)} files compiled")


def _call(command: Sequence[str], what: str, env: dict[str, str] | None = None, seconds: float | None = None) -> None:
    try:
        result = process.tool(command, env, seconds=seconds)
    except subprocess.TimeoutExpired:
        raise UserError(f"{what}: {command[0]} did not come to an end in {seconds:.0f} s") from None
    except FileNotFoundError:
        raise UserError(f"{what}: {command[0]} is not installed; run `{paths.how_to_install('g++')}`") from None
    if result.returncode != 0:
        raise UserError(f"{what} failed:\n{result.stderr.strip()[:4000]}")
