# SPDX-License-Identifier: Apache-2.0
"""Runs kernels in the harness (simulate.py builds them), and the same source natively, whose build is cached, too."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from polyloom.base import paths
from polyloom.base.cache import RTL, digest
from polyloom.hls import Kernel, Options, compile_kernel, frontend, toolchain
from polyloom.hls.testing import simulate

HERE = Path(__file__).parent
HEADER_FOLDER = "roles/mpi/runtime/kernel"

#: An object that only DMA touches, so that its accesses can be checked while the kernel runs.
SCRATCH_NAME = "polyloom_test_scratch"
SCRATCH_WORDS = 37
SCRATCH = f"#include <stdint.h>\n__attribute__((used)) uint64_t {SCRATCH_NAME}[{SCRATCH_WORDS}];\n"

#: Of the native compiler: what kernels are compiled with, or whatever finds what C does not define.
_SIGNS = ["-fsigned-char", "-ffp-contract=off", "-fno-strict-aliasing", "-w"]
NATIVE = ["-O1", "-fwrapv", *_SIGNS]
SANITIZE = ["-O0", "-fsanitize=address,undefined,float-cast-overflow", "-fno-sanitize=alignment", *_SIGNS]
SANITIZE += ["-fno-sanitize-recover=all"]

Words = Sequence[int] | Mapping[int, Sequence[int]]
Push = tuple[int, int]


class NativeError(Exception):
    """The source does not compile natively, or it took more words than there were."""


class StuckError(Exception):
    """The kernel has not ended; ``pushes`` are what it sent before."""

    def __init__(self, message: str, pushes: list[Push]) -> None:
        super().__init__(message)
        self.pushes = pushes


@dataclass
class KernelRun:
    """A built kernel: what the compiler made, and the program that simulates it."""

    kernel: Kernel
    program: Path

    def run(
        self,
        words: Words,
        seed: int = 1,
        stall: int = 30,
        rank: int = 0,
        max_cycles: int = 2_000_000,
        *,
        dma: bool = True,
        trace: Path | None = None,
    ) -> tuple[list[Push], int]:
        """Pushes in order as (port, word), and cycles until the kernel was done. ``stall`` in percent of cycles.

        ``dma``: there is DMA beside, as often as stalls. ``trace``: a file for all that happens at the other ports."""
        objects = self.kernel.report["objects"]
        scratch = next((o["address"] for o in objects if o["name"] == SCRATCH_NAME and o["memory"] != "dram"), 0)
        scratch_words = SCRATCH_WORDS if scratch and stall and dma else 0
        arguments = list(map(str, [seed, stall, max_cycles, rank, scratch, scratch_words]))
        if trace:
            arguments.append(str(trace))
        with _words_file(words) as file:
            done = subprocess.run([self.program, file.name, *arguments], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{self.program}, seed {seed}: {done.stderr.strip()}{done.stdout[-500:]}")
        *lines, last = done.stdout.splitlines()
        pushes = _pushes(lines)
        kind, number = last.split()
        if kind != "cycles":
            raise StuckError(f"seed {seed}: not done after {number} cycles and {len(pushes)} pushes", pushes)
        return pushes, int(number)


def run_kernel(
    c_source: str,
    input_words: Words,
    seed: int = 1,
    *,
    stall: int = 30,
    rank: int = 0,
    max_cycles: int = 2_000_000,
    options: Options | None = None,
) -> tuple[list[Push], int]:
    """Compile a C source to a kernel, simulate it, return (pushes, cycles).

    ``c_source`` has ``void polyloom_kernel(void)`` and may include "intrinsics.h" and the freestanding C headers.
    ``input_words``: see the module. ``seed`` draws all stalls, the DRAM's latencies and the DMA that runs beside;
    ``stall`` is how many of 100 cycles a handshake is held back (0: none, and no DMA). ``pushes`` is a list of
    (port, word) in the order of the pushes. Raises HlsError, StuckError (not done after ``max_cycles``, or a pop
    without words), RuntimeError (a rule of the ports was broken).
    """
    return build_kernel(c_source, options).run(input_words, seed, stall, rank, max_cycles)


def run_native(c_source: str, input_words: Words, *, rank: int = 0, sanitize: bool = False) -> list[Push]:
    """The pushes of the same source on the CPU; ``sanitize``: NativeError if it does what C does not define."""
    compiler = os.environ.get("CC", "gcc")
    flags = SANITIZE if sanitize else NATIVE
    sources = [HERE / "native.c", *sorted((paths.home() / HEADER_FOLDER).glob("*.h"))]

    def make(folder: Path) -> None:
        (folder / "kernel.c").write_text(c_source)
        include = f"-I{paths.home() / HEADER_FOLDER}"
        names = [str(folder / "kernel.c"), str(HERE / "native.c")]
        command = [compiler, *flags, include, *names, "-o", str(folder / "program"), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise NativeError(done.stderr)

    key = "native-" + digest([c_source, toolchain.version(compiler), *flags], sources)
    program = RTL.provide(key, "program", make)[0] / "program"
    with _words_file(input_words) as file:
        done = subprocess.run([program, file.name, str(rank)], capture_output=True, text=True, check=False, timeout=60)
    if done.returncode != 0:
        raise NativeError(f"exit status {done.returncode}: {done.stderr.strip()}")
    return _pushes(done.stdout.splitlines())


def build_kernel(c_source: str, options: Options | None = None, flags: Sequence[str] = ()) -> KernelRun:
    """Compile and Verilate a source; the same source again comes from the cache."""
    kernel = compile_source(c_source, options, flags)
    return KernelRun(kernel, simulate.verilate(kernel.verilog))


def build_model(c_source: str, options: Options | None = None, flags: Sequence[str] = ()) -> KernelRun:
    """The same of the kernel's model in C++, in the same harness."""
    kernel = compile_source(c_source, options, flags)
    return KernelRun(kernel, simulate.compile_model(kernel.model()) / "kernel")


def compile_source(c_source: str, options: Options | None = None, flags: Sequence[str] = ()) -> Kernel:
    """The kernel of a source, with ``polyloom_test_scratch`` beside. ``flags`` are for the compiler."""
    include = f"-I{paths.home() / HEADER_FOLDER}"
    with tempfile.TemporaryDirectory(prefix="polyloom-hls-") as folder:
        source, scratch = Path(folder) / "kernel.c", Path(folder) / "scratch.c"
        source.write_text(c_source)
        scratch.write_text(SCRATCH)
        ir_text = frontend.to_ir([source, scratch], [include, *flags, f"-ffile-prefix-map={folder}/="])
    return compile_kernel(ir_text, options)


def _pushes(lines: Sequence[str]) -> list[Push]:
    return [(int(port), int(word)) for port, word in (line.split() for line in lines)]


def _words_file(words: Words) -> tempfile._TemporaryFileWrapper[str]:
    by_port = words if isinstance(words, Mapping) else {0: words}
    file = tempfile.NamedTemporaryFile("w", prefix="polyloom-words-")  # noqa: SIM115
    for port, values in by_port.items():
        for value in values:
            file.write(f"{port} {value & 0xFFFF_FFFF_FFFF_FFFF}\n")
    file.flush()
    return file
