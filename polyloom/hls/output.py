# SPDX-License-Identifier: Apache-2.0
"""Writes a kernel to a folder: kernel.sv, kernel.f (with the library it instantiates), kernel.cc, report.json."""

from __future__ import annotations

import json
from pathlib import Path

from polyloom.base import files, paths
from polyloom.hls.pipeline import Kernel

LIBRARY = Path(__file__).parent / "rtl" / "hls.f"


def libraries(verilog: str) -> list[Path]:
    """File lists of what a kernel instantiates."""
    needed = [LIBRARY]
    if "polyloom_fp_" in verilog:
        needed.append(paths.home() / "blocks" / "float" / "rtl" / "float.f")
    return needed


def file_list(verilog: str) -> str:
    """kernel.f: the kernel and what it instantiates."""
    lines = ["# made by polyloom.hls; do not edit", *(f"-f {path}" for path in libraries(verilog)), "kernel.sv"]
    return "\n".join(lines) + "\n"


def write_kernel(kernel: Kernel, folder: Path) -> None:
    """Make the folder and the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files.write(folder / "kernel.sv", kernel.verilog)
    files.write(folder / "kernel.f", file_list(kernel.verilog))
    files.write(folder / "kernel.cc", kernel.model())
    report = {**kernel.report, "counted": kernel.counted()} if kernel.options.count else kernel.report
    files.write(folder / "report.json", json.dumps(report, indent=1) + "\n")
