# SPDX-License-Identifier: Apache-2.0
"""Assembles test programs. Input: sources; output: ELF files, linked as tests/riscv-tests says."""

from __future__ import annotations

import subprocess
from pathlib import Path

ENVIRONMENT = Path(__file__).parents[1] / "riscv-tests"
COMPILER = "riscv64-unknown-elf-gcc"
FLAGS = ("-march=rv32imf", "-mabi=ilp32", "-static", "-mcmodel=medany", "-nostdlib", "-nostartfiles")


def link(source: Path) -> Path:
    """The ELF file beside a source; AssertionError with the compiler's words if there is none."""
    output = source.with_suffix(".elf")
    script = ENVIRONMENT / "link.ld"
    command = [COMPILER, *FLAGS, f"-I{ENVIRONMENT}", f"-T{script}", str(source), "-o", str(output)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{source.name}: {done.stderr}"
    return output
