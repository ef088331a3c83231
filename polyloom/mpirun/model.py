# SPDX-License-Identifier: Apache-2.0
"""Kernels as code of this machine (polyloom/hls/README.md, The model). Input: kernels; output: objects in the cache."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from polyloom.base import paths
from polyloom.base.cache import KERNELS, digest
from polyloom.hls import toolchain
from polyloom.mpirun.rtl import Image
from polyloom.transpile.kernels import BuiltKernel

#: -O1: a kernel is compiled as often as it runs. Every operation rounds by itself, as the circuit's do.
FLAGS = ["-std=c++20", "-O1", "-ffp-contract=off", "-fPIC", "-shared", "-w"]
CODE = "kernel.so"


def build(kernels: Sequence[BuiltKernel], say: Callable[[str], None] = lambda _: None) -> list[Image]:
    """Compile the code of each kernel, or find it in the cache. UserError with the compiler's message if that fails."""
    if not kernels:
        return []
    say(f"compiling {len(kernels)} FPGA program{'s' if len(kernels) > 1 else ''} for this machine")
    with ThreadPoolExecutor(min(len(kernels), os.cpu_count() or 1)) as pool:
        return [{"code": str(code)} for code in pool.map(_code, kernels)]


def _code(kernel: BuiltKernel) -> Path:
    headers = paths.home() / "roles" / "mpi" / "arch"
    source = kernel.folder / "kernel.cc"

    def make(folder: Path) -> None:
        toolchain.run("clang++", [*FLAGS, f"-I{headers}", source, "-o", folder / CODE])

    key = "code-" + digest([*FLAGS, toolchain.version()], [source, headers / "kernel_model.h"])
    return KERNELS.provide(key, CODE, make)[0].resolve() / CODE
