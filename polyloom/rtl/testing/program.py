# SPDX-License-Identifier: Apache-2.0
"""Programs that test RTL: a Verilated top, driven by cocotb (bench.py) or by C++ of the test.

Input: a top module, its sources, parameters, C++. Output: an executable. What Verilator and the compiler make of the
top lies in the cache of models (polyloom.base.cache.RTL) under the content of all that it is made of and the versions
of the tools, so every checkout of this user finds it. C++ of tests is compiled through ccache and linked in the build
folder.
Tests are short, so what runs each cycle is compiled with -O1, what runs once with -O0 (polyloom/rtl/README.md).
"""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from polyloom.base import paths
from polyloom.base.cache import MARKER, RTL, digest
from polyloom.rtl import filelist, tools
from polyloom.rtl import node_compile as compiler
from polyloom.rtl.node_build import built_runtime

FAST, SLOW = "-O1", "-O0"
GTEST = ("-lgtest", "-lgtest_main")


@dataclass(frozen=True)
class Verilated:
    """A top as objects and headers: class V<prefix>, of what Verilator wrote."""

    top: str
    files: filelist.FileList
    parameters: Mapping[str, int | str] = field(default_factory=dict)
    options: Sequence[str] = ()  #: of Verilator, beside those of all models
    prefix: str = ""  #: default: V and the top
    wave: bool = False
    texts: Mapping[str, str] = field(default_factory=dict)  #: .sv, .vlt and .h that the test writes itself, by name
    more: Sequence[Path] = ()  #: C++ that is compiled with the model's own: it sees the headers, and is in the key

    def build(self) -> Path:
        """The folder of objects and headers. UserError with the tool's words if it cannot be built."""
        return RTL.provide(self._key(), MARKER, self._make)[0]

    def runtime(self) -> compiler.Runtime:
        """What it is linked with."""
        return compiler.Runtime(self.wave, "--vpi" in self.options, shim=False)

    def _key(self) -> str:
        words = [self.top, str(self.wave), *(f"{k}={v}" for k, v in sorted(self.parameters.items())), *self.options]
        words += [self.prefix, *self.texts.values(), *compiler.VERILATOR_FLAGS, *compiler.cxx_flags(), FAST, SLOW]
        words += [compiler.cxx_version(), tools.version("verilator")]
        return "test-" + digest(words, [*self.files.files(), *self.more, tools.WAIVERS])

    def _make(self, folder: Path) -> None:
        begin = time.monotonic()
        for name, text in self.texts.items():
            (folder / name).write_text(text)
        model = compiler.Model(
            top=self.top,
            prefix=self.prefix or f"V{self.top}",
            parameters=tuple((name, str(value)) for name, value in sorted(self.parameters.items())),
            files=self.files.with_sources(*(folder / name for name in self.texts if name.endswith(".sv"))),
            trace=self.wave,
        )
        waivers = (str(folder / name) for name in self.texts if name.endswith(".vlt"))
        compiler.verilate(model, folder, [*self.options, *waivers])
        generated = sorted(p for p in folder.glob("*.cpp") if not p.name.endswith("__ALL.cpp"))
        jobs = compiler.units([*generated, *self.more], FAST, SLOW)
        compiler.compile_all(jobs, folder, self.runtime(), [f"-I{folder}"], built_runtime(self.runtime()))
        for path in folder.iterdir():
            if path.suffix not in {".o", ".h"}:
                path.unlink()
        facts = {"top": self.top, "parameters": dict(self.parameters), "seconds": round(time.monotonic() - begin, 1)}
        (folder / "build.json").write_text(json.dumps(facts) + "\n")


@dataclass(frozen=True)
class Program:
    """A Verilated top and C++ that drives it; ``defines`` are the C++ side of the parameters."""

    model: Verilated
    sources: Sequence[Path]
    defines: Mapping[str, int | str] = field(default_factory=dict)
    options: Sequence[str] = ("-ffp-contract=off",)
    libraries: Sequence[str] = GTEST

    def build(self) -> Path:
        """The executable in the build folder, new if anything that it is made of is."""
        model = self.model.build()
        # The model's name says what it is made of; so does the folder's of what is compiled against it.
        words = [model.name, *(f"{k}={v}" for k, v in self.defines.items()), *self.options, *self.libraries]
        folder = (
            paths.build_dir() / "rtl-tests" / f"{self.model.top}-{digest([*words, *map(str, self.sources)], [])[:8]}"
        )
        folder.mkdir(parents=True, exist_ok=True)
        program = folder / "test"
        with (folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            options = [
                f"-I{model}",
                f"-I{paths.build_dir() / 'generated'}",
                *self.options,
                *(f"-D{k}={v}" for k, v in self.defines.items()),
            ]
            kind = self.model.runtime()
            runtime = built_runtime(kind)
            jobs = [(source, FAST) for source in self.sources]
            objects = compiler.compile_all(jobs, folder, kind, options, runtime)
            objects += map(str, [*sorted(model.glob("*.o")), *sorted(runtime.glob("*.o"))])
            compiler.link_program(objects, program, [*self.libraries, *kind.libraries()])
        return program

    def run(self, *arguments: str, env: Mapping[str, str] | None = None, timeout: float = 300) -> str:
        """Build and run it; what it printed. AssertionError with that if it fails."""
        done = subprocess.run(
            [str(self.build()), *arguments],
            env={**os.environ, **(env or {})},
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout,
        )
        assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
        return done.stdout


def elaborate(top: str, files: filelist.FileList, *options: str, **parameters: int | str) -> str:
    """What Verilator says of a top that it refuses; "" of one that it takes."""
    command = [
        str(tools.find("verilator")),
        "--lint-only",
        "--quiet",
        "--top-module",
        top,
        str(tools.WAIVERS),
        *options,
    ]
    command += [*(f"-G{name}={value}" for name, value in parameters.items()), *files.verilator_args()]
    done = subprocess.run(command, env=tools.environment(), capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stderr or f"status {done.returncode}"
