# SPDX-License-Identifier: Apache-2.0
"""Kernels of a job's FPGA ranks. Input: sources, size, ranks; output: a folder of SystemVerilog for each behaviour.

The cache is ``cache.KERNELS`` (``$POLYLOOM_KERNEL_CACHE``): HASH/kernel.sv, kernel.f, kernel.cc, report.json,
program.ll. The hash covers the program's IR and the compiler's own sources.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyloom import hls
from polyloom.base.cache import KERNELS
from polyloom.hls import absent
from polyloom.hls.output import write_kernel
from polyloom.transpile import behaviour, program, specialise
from polyloom.transpile.ranks import text_of

#: Jobs of more FPGA ranks have one program for all: to optimise it for each rank takes a sixth of a second a rank.
MOST_ALONE = 16


@dataclass(frozen=True)
class BuiltKernel:
    """One program of FPGA ranks, compiled."""

    ranks: tuple[int, ...]
    folder: Path
    cached: bool
    requests_rank: bool

    @property
    def file_list(self) -> Path:
        """What Verilator and Yosys read."""
        return self.folder / "kernel.f"

    @property
    def report(self) -> dict[str, Any]:
        """The report of ``polyloom.hls``."""
        content: dict[str, Any] = json.loads((self.folder / "report.json").read_text())
        return content


def build(
    source: program.Source, target: program.Target, ranks: Sequence[int], say: Callable[[str], None] = lambda _: None
) -> list[BuiltKernel]:
    """The kernels of ``ranks`` of a job. ``say`` hears of progress."""
    if not ranks:
        return []
    say(f"compiling {', '.join(file.name for file in source.files)} for {len(ranks)} FPGA ranks")
    module = program.link(source, target)
    options = hls.Options(dram_bytes=target.dram_bytes, checks=source.checks, commands=True, count=source.count)
    if len(ranks) > MOST_ALONE:
        text = specialise.for_ranks(module, ranks)
        if not absent.calls(text):
            return [_kernel(text, options, tuple(ranks), True, say)]
    programs = {rank: specialise.for_rank(module, rank) for rank in ranks}
    built = []
    for group in behaviour.group(programs):
        first = group.ranks[0]
        requests = not group.identical
        text = specialise.for_ranks(module, group.ranks) if requests else programs[first]
        if requests and absent.calls(text) and not any(absent.calls(programs[rank]) for rank in group.ranks):
            # Only a program that knows its rank knows that this rank never gets there.
            built += [_kernel(programs[rank], options, (rank,), False, say) for rank in group.ranks]
            continue
        built.append(_kernel(text, options, group.ranks, requests, say))
    return built


def _kernel(
    text: str, options: hls.Options, ranks: tuple[int, ...], requests: bool, say: Callable[[str], None]
) -> BuiltKernel:
    key = _key(text, options)
    if (known := KERNELS.find(key, "report.json")) is not None:
        return BuiltKernel(ranks, known, True, requests)
    say(f"synthesizing the kernel of rank {text_of(ranks)}")
    kernel = hls.compile_kernel(text, options)
    with KERNELS.making(key) as fresh:
        (fresh / "program.ll").write_text(text, errors="surrogateescape")
        write_kernel(kernel, fresh)
    return BuiltKernel(ranks, KERNELS.folder / key, False, requests)


def _key(text: str, options: hls.Options) -> str:
    digest = hashlib.sha256(f"{options}\0{text}".encode(errors="surrogateescape"))
    for file in sorted(Path(hls.__file__).parent.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:24]
