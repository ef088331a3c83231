# SPDX-License-Identifier: Apache-2.0
"""Kernels of a job's FPGA ranks. Input: sources, size, ranks; output: a folder of SystemVerilog for each behaviour.

The cache is ``$POLYLOOM_KERNEL_CACHE``, else ``kernels/`` in the build folder: HASH/kernel.sv, kernel.f, report.json,
program.ll. The hash covers the program's IR and the compiler's own sources.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyloom import hls, paths
from polyloom.hls.output import write_kernel
from polyloom.transpile import behaviour, program, specialise
from polyloom.transpile.ranks import text_of


@dataclass(frozen=True)
class BuiltKernel:
    """One program of FPGA ranks, compiled."""

    ranks: tuple[int, ...]
    folder: Path
    cached: bool
    asks_rank: bool

    @property
    def file_list(self) -> Path:
        """What Verilator and Yosys read."""
        return self.folder / "kernel.f"

    @property
    def report(self) -> dict[str, Any]:
        """The report of ``polyloom.hls``."""
        content: dict[str, Any] = json.loads((self.folder / "report.json").read_text())
        return content


def cache_dir() -> Path:
    """``$POLYLOOM_KERNEL_CACHE``, or ``kernels`` in the build folder."""
    return Path(os.environ.get("POLYLOOM_KERNEL_CACHE") or paths.build_dir() / "kernels")


def build(
    source: program.Source, target: program.Target, ranks: Sequence[int], say: Callable[[str], None] = lambda _: None
) -> list[BuiltKernel]:
    """The kernels of ``ranks`` of a job. ``say`` hears of progress."""
    if not ranks:
        return []
    say(f"compiling {', '.join(file.name for file in source.files)} for {len(ranks)} FPGA ranks")
    module = program.link(source, target)
    programs = {rank: specialise.for_rank(module, rank) for rank in ranks}
    options = hls.Options(dram_bytes=target.dram_bytes)
    built = []
    for group in behaviour.group(programs):
        first = group.ranks[0]
        asks = not group.identical
        text = specialise.for_ranks(module, group.ranks) if asks else programs[first]
        built.append(_kernel(text, options, group.ranks, asks, say))
    return built


def _kernel(
    text: str, options: hls.Options, ranks: tuple[int, ...], asks: bool, say: Callable[[str], None]
) -> BuiltKernel:
    target = cache_dir() / _key(text, options)
    if (target / "report.json").is_file():
        return BuiltKernel(ranks, target, True, asks)
    say(f"synthesizing the kernel of rank {text_of(ranks)}")
    kernel = hls.compile_kernel(text, options)
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix="making-", dir=target.parent))
    try:
        (fresh / "program.ll").write_text(text)
        write_kernel(kernel, fresh)
        # Whoever comes first wins; a second, equal one is dropped.
        if not target.exists():
            fresh.rename(target)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return BuiltKernel(ranks, target, False, asks)


def _key(text: str, options: hls.Options) -> str:
    digest = hashlib.sha256(f"{options}\0{text}".encode())
    for file in sorted(Path(hls.__file__).parent.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:24]
