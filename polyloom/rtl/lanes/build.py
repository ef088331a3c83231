# SPDX-License-Identifier: Apache-2.0
"""Makes the shared object of a design in lanes; called by node_build.py, whose cache it goes into."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from polyloom.base import paths
from polyloom.base.errors import UserError
from polyloom.base.progress import Progress
from polyloom.rtl import node_compile as compiler
from polyloom.rtl.lanes import emit, graph, read, tables

COMPILERS = ("clang++-19", "clang++")  # what takes LLVM code
#: The code that emit.py writes has no need of LLVM's own passes, which take minutes on some of it.
FLAGS = ["-O2", "-Xclang", "-disable-llvm-passes", "-march=native", "-fPIC", "-Wno-override-module", "-x", "ir"]
CXX_FLAGS = ["-std=c++20", "-O2", "-march=native", "-fPIC", "-fvisibility=hidden"]
_FILES = 16  # of LLVM code, that all processors have something to do
_SECONDS = 600  # that a file may take


def key() -> list[str]:
    """Words that decide on the object: flags, and the processor, whose instructions it has."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    features = next((line for line in lines if line.startswith("flags")), "")
    return [*FLAGS, *CXX_FLAGS, features]


def sources() -> list[Path]:
    """Files of ours that decide on the object."""
    noise = paths.home() / "blocks" / "noise.h"
    return [*sorted(Path(__file__).parent.glob("*.py")), compiler.shim() / "lanes.cc", compiler.shim() / "abi.h", noise]


def make(
    model: compiler.Model, lanes: Sequence[str], folder: Path, output: Path, progress: Callable[[str], None]
) -> None:
    """Read, translate, compile and link; ``folder`` is all ours. UserError if any of it is not possible."""
    clang = next((name for name in COMPILERS if shutil.which(name)), None)
    if clang is None:
        command = paths.how_to_install(COMPILERS[0])
        raise UserError(f"{COMPILERS[0]} is needed to build RTL models in lanes and is not here; run `{command}`")
    with Progress(f"rtl: Yosys reads {model.top}"):
        design = graph.build(read.groups(model, lanes, folder))
        code = emit.emit(design)
    widths = ", ".join(f"{group.lanes} of {group.name.split('$')[0]}" for group in design.groups[1:])
    progress(f"compiling {len(code.chunks)} chunks of {model.top}, lanes: {widths}")
    parameters = " ".join(f"{name}={value}" for name, value in model.parameters)
    (folder / "polyloom_lanes_tables.h").write_text(tables.header(model.top, parameters, code))
    shim = compiler.shim() / "lanes.cc"
    jobs = [[clang, *CXX_FLAGS, f"-I{folder}", f"-I{paths.home()}", "-c", str(shim), "-o", str(folder / "shim.o")]]
    size = -(-len(code.chunks) // _FILES)
    for first in range(0, len(code.chunks), size):
        text = folder / f"chunks_{first}.ll"
        text.write_text("\n".join(code.chunks[first : first + size]))
        jobs.append([clang, *FLAGS, "-c", str(text), "-o", str(text.with_suffix(".o"))])
    compiler.call_all([(job, f"compiling {Path(job[-3]).name}") for job in jobs], _SECONDS)
    compiler.link(clang, [job[-1] for job in jobs], folder, output, model.top)
