# SPDX-License-Identifier: Apache-2.0
"""Verilated nodes of a job, made before it starts: several at a time. Input: kernels; output: objects in the cache.

The simulator would make them too, one after the other, when it meets each node; top and file list here are those of
roles/mpi/sim/role.cc.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from polyloom.base import paths
from polyloom.rtl import node_build
from polyloom.transpile.kernels import BuiltKernel

SHELL, APP = "polyloom_kernel_shell", "polyloom_kernel_app"


#: What the simulator is told of a node's kernel (roles/mpi/sim/image.h).
Image = dict[str, Any]


def build(kernels: Sequence[BuiltKernel], say: Callable[[str], None] = lambda _: None) -> list[Image]:
    """Build the node of each kernel, or find it in the cache. UserError with the tool's message if that fails."""
    shapes = [shape_of(kernel) for kernel in kernels]
    if not shapes:
        return []
    say(f"Verilating {len(shapes)} FPGA program{'s' if len(shapes) > 1 else ''}")
    with ThreadPoolExecutor(min(len(shapes), os.cpu_count() or 1)) as pool:
        for _ in pool.map(node_build.build, shapes):
            pass
    return [{"files": [str(kernel.file_list)]} for kernel in kernels]


def shape_of(kernel: BuiltKernel) -> node_build.Shape:
    """The node of a kernel: the shell, which is the same for all, and the kernel."""
    shell = paths.home() / "roles" / "mpi" / "rtl" / "kernel_shell.f"
    return node_build.Shape(SHELL, [shell], app=APP, app_files=[kernel.file_list])
