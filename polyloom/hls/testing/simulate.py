# SPDX-License-Identifier: Apache-2.0
"""A kernel's SystemVerilog as a program that simulates it: harness.cc around the Verilated kernel, or around the
kernel's model in C++. Builds are cached.

Tests build hundreds of kernels and run each for some thousand cycles, so what counts is the compiler's time: the
harness and Verilator's runtime are compiled once, their headers are precompiled, the kernel is not optimised.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from polyloom.base import paths
from polyloom.base.cache import RTL, digest
from polyloom.hls import toolchain
from polyloom.hls.output import libraries
from polyloom.rtl import filelist, tools

HERE = Path(__file__).parent
VERILATOR_FLAGS = [
    *("--cc", "-O3", "--x-assign", "unique", "--x-initial", "unique", "--assert", "-Wall", "--no-timing"),
    *("--top-module", "polyloom_kernel_app", "--output-split", "0"),
]
CXX_FLAGS = [
    *("-std=c++20", "-w", "-fbracket-depth=4096", "-DVERILATOR=1", "-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TIMING=0"),
    *("-DVM_TRACE=0", "-DVM_TRACE_FST=0", "-DVM_TRACE_VCD=0", "-DVM_TRACE_SAIF=0"),
]
MODEL = paths.home() / "roles" / "mpi" / "arch"
#: Every operation rounds by itself, as the circuit's do.
MODEL_FLAGS = ["-O1", "-ffp-contract=off"]
MODEL_PROGRAMS = {"kernel": ["harness", "model_circuit"], "ahead": ["ahead"]}
RUNTIME = ["verilated.cpp", "verilated_threads.cpp"]
HEADERS = "verilated.pch"
#: Of a precompiled header and who uses it. Whether it is out of date the runtime's key says, not the clock.
PRECOMPILED = ("-Xclang", "-fno-pch-timestamp")


def verilate(verilog: str) -> Path:
    """The simulation of a kernel."""
    library = [source for path in libraries(verilog) for source in filelist.read(path).sources]
    parts = [verilog, *(p.read_text() for p in [*library, HERE / "circuit.cc"]), _runtime_text()]
    key = "kernel-" + digest(parts, [])
    return RTL.provide(key, "kernel", lambda folder: _build(verilog, library, folder))[0] / "kernel"


def compile_model(text: str) -> Path:
    """Folder of a kernel's model as programs: ``kernel`` in the same harness, ``ahead`` as fast as it goes."""
    key = "model-" + digest([text, _model_key()], [])

    def build(folder: Path) -> None:
        source, model = folder / "kernel.cc", folder / "kernel.o"
        source.write_text(text)
        _model_cxx([*MODEL_FLAGS, "-c", source, "-o", model])
        for name, parts in MODEL_PROGRAMS.items():
            _model_cxx([*(model_runtime() / f"{part}.o" for part in parts), model, "-o", folder / name])

    return RTL.provide(key, "ahead", build)[0]


@cache
def model_runtime() -> Path:
    """Folder of what is the same for every model."""

    def build(folder: Path) -> None:
        for part in dict.fromkeys(part for parts in MODEL_PROGRAMS.values() for part in parts):
            _model_cxx(["-O1", "-c", HERE / f"{part}.cc", "-o", folder / f"{part}.o"])

    return RTL.provide("model-runtime-" + _model_key(), "ahead.o", build)[0]


@cache
def _model_key() -> str:
    sources = [*HERE.glob("*.cc"), *HERE.glob("*.h"), MODEL / "kernel_model.h"]
    return digest([toolchain.version(), *MODEL_FLAGS], sorted(sources))


def _model_cxx(arguments: Sequence[str | Path]) -> None:
    toolchain.run("clang++", ["-std=c++20", f"-I{MODEL}", f"-I{HERE}", *arguments])


def _build(verilog: str, library: Sequence[Path], folder: Path) -> None:
    shared = runtime()
    source, model = folder / "kernel.sv", folder / "model"
    source.write_text(verilog)
    command: list[str | Path] = [*VERILATOR_FLAGS, "--Mdir", model, tools.WAIVERS, *library, source]
    toolchain.call([tools.find("verilator"), *command], "Verilator", env=tools.environment())
    unit = model / "unit.cc"
    unit.write_text("".join(f'#include "{p}"\n' for p in [*sorted(model.glob("*.cpp")), HERE / "circuit.cc"]))
    objects = [*sorted(shared.glob("*.o")), model / "unit.o"]
    _cxx(["-O0", "-include-pch", shared / HEADERS, *PRECOMPILED, f"-I{model}", "-c", unit, "-o", model / "unit.o"])
    _cxx([*objects, "-o", folder / "kernel"])
    shutil.rmtree(model)


@cache
def runtime() -> Path:
    """Folder of all that is the same for every kernel."""
    key = "kernel-runtime-" + digest([_runtime_text(), str(_include())], [])  # the precompiled header has the path
    return RTL.provide(key, HEADERS, _build_runtime)[0]


def _build_runtime(folder: Path) -> None:
    _cxx(["-O0", "-x", "c++-header", *PRECOMPILED, _include() / "verilated.h", "-o", folder / HEADERS])
    for source, level in [*((_include() / name, "-O0") for name in RUNTIME), (HERE / "harness.cc", "-O1")]:
        _cxx([level, "-c", source, "-o", folder / f"{source.stem}.o"])


@cache
def _runtime_text() -> str:
    """What the runtime is made of, system headers included, in which case it is told apart from an older one."""
    with tempfile.TemporaryDirectory(prefix="polyloom-hls-") as folder:
        unit = Path(folder) / "all.cc"
        unit.write_text('#include <verilated.h>\n#include "harness.cc"\n')
        text = _cxx(["-E", "-P", unit])
    return "\0".join([text, tools.version("verilator"), toolchain.version(), *CXX_FLAGS, *VERILATOR_FLAGS])


def _cxx(arguments: Sequence[str | Path]) -> str:
    include = _include()
    flags = [*CXX_FLAGS, f"-I{HERE}", f"-I{include}", f"-I{include / 'vltstd'}"]
    return toolchain.run("clang++", [*flags, *arguments])


def _include() -> Path:
    return tools.find("verilator").parent.parent / "include"
