# SPDX-License-Identifier: Apache-2.0
"""Runs the cocotb tests of a file under pytest, on one Verilated binary that all files of the folder share.

Input: the test file, the top module and its file list. Output: a pytest function with a case a cocotb test.
The binary lies in the build folder and is built again only if a source, an option or a tool has changed.
Environment: POLYLOOM_SEED=N repeats a run, POLYLOOM_WAVE=1 writes dump.fst into the folder that a failure names.
"""

from __future__ import annotations

import ast
import fcntl
import hashlib
import os
import random
import subprocess
import xml.etree.ElementTree as ElementTree
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from polyloom import paths
from polyloom.rtl import filelist, tools

_LOG_TAIL = 40
_ASSERT_CONTROL = Path(__file__).with_name("assert_control.sv")


@dataclass
class Model:
    """A Verilated top module with its parameters."""

    top: str
    files: filelist.FileList
    parameters: Mapping[str, int | str] = field(default_factory=dict)
    wave: bool = False

    @property
    def folder(self) -> Path:
        """Where it is built: a folder for each top, set of parameters and place of the sources."""
        what = f"{sorted(self.parameters.items())}{self.wave}{self.files.sources[-1]}"
        return paths.build_dir() / "rtl-tests" / f"{self.top}-{hashlib.sha256(what.encode()).hexdigest()[:8]}"

    def build(self) -> Path:
        """Build unless nothing has changed; AssertionError with Verilator's words if it fails."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with _locked(self.folder / "lock"):
            stamp, key = self.folder / "key", self._key()
            if not stamp.is_file() or stamp.read_text() != key:
                stamp.unlink(missing_ok=True)
                self._verilate()
                stamp.write_text(key)
        return self.folder

    def _key(self) -> str:
        digest = hashlib.sha256(repr([self._command(), tools.version("verilator"), _cocotb_version()]).encode())
        for file in [*self.files.files(), _ASSERT_CONTROL]:
            digest.update(file.read_bytes())
        return digest.hexdigest()

    def _command(self) -> list[str]:
        import cocotb_tools.config as config

        libs = config.libs_dir
        return [
            str(tools.find("verilator")),
            *("--cc", "--exe", "--build", "-j", "2", "--vpi", "--public-flat-rw", "--assert", "--prefix", "Vtop"),
            *("--x-assign", "unique", "--x-initial", "unique", "--timescale", "1ps/1ps", "--quiet-stats"),
            *(["--trace-fst", "--trace-structs"] if self.wave else []),
            *("-Mdir", str(self.folder / "obj"), "-o", str(self.folder / self.top), "--top-module", self.top),
            *tools.VERILATOR_BUILD_ARGS[:2],
            *("-MAKEFLAGS", f"{tools.VERILATOR_BUILD_ARGS[3]} OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O1"),
            *("-LDFLAGS", f"-Wl,-rpath,{libs} -L{libs} -lcocotbvpi_verilator"),
            *(f"-G{name}={value}" for name, value in self.parameters.items()),
            str(config.share_dir / "lib" / "verilator" / "verilator.cpp"),
            str(tools.WAIVERS),
            *self.files.verilator_args(),
            str(_ASSERT_CONTROL),
            str(self._bind_file()),
        ]

    def _bind_file(self) -> Path:
        """The source that puts assert_control into the top."""
        path, text = self.folder / "bind.sv", f"bind {self.top} assert_control i_assert_control (.rst_ni(rst_ni));\n"
        if not path.is_file() or path.read_text() != text:
            path.write_text(text)
        return path

    def _verilate(self) -> None:
        done = subprocess.run(self._command(), env=tools.environment(), capture_output=True, text=True, check=False)
        (self.folder / "build.log").write_text(done.stdout + done.stderr)
        if done.returncode != 0:
            raise AssertionError(f"Verilator cannot build {self.top}:\n{_tail(done.stdout + done.stderr)}")


def bench(
    file: str,
    top: str,
    lists: str | None = None,
    parameters: Mapping[str, int | str] | None = None,
    seed: int | None = None,
) -> Callable[[str], None]:
    """Make the pytest function of a test file.

    ``file`` is ``__file__``; ``lists`` is the file list, relative to it (default: TOP.f beside it);
    ``seed`` is used where POLYLOOM_SEED gives none (default: one of the file's own, so that a change is what
    makes a test fail; with POLYLOOM_TEST_FULL=1 another one each time).
    """
    import pytest

    run = _Run(Path(file).resolve(), top, lists or f"{top}.f", parameters or {}, seed)

    @pytest.mark.parametrize("case", cocotb_tests(Path(file)))
    def test(case: str) -> None:
        problem = run.problem(case)
        if problem:
            pytest.fail(problem, pytrace=False)

    return test


def cocotb_tests(file: Path) -> list[str]:
    """Names of the functions of a file that cocotb would run."""
    names = []
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.AsyncFunctionDef):
            decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
            if any(text.startswith(("cocotb.test", "cocotb.parametrize")) for text in decorators):
                names.append(node.name)
    return names


class _Run:
    """One simulation of all cocotb tests of a file, run when the first result is asked for."""

    def __init__(self, file: Path, top: str, lists: str, parameters: Mapping[str, int | str], seed: int | None) -> None:
        self._file, self._top, self._lists, self._parameters = file, top, lists, parameters
        self._default_seed = _default_seed(self._file) if seed is None else seed
        self._problems: dict[str, str] | None = None
        self._seed = ""

    def problem(self, case: str) -> str:
        """What went wrong in a test, or ""."""
        if self._problems is None:
            self._problems = self._simulate()
        return self._problems.get(case, f"{case} did not run; see the first failure of {self._file.name}")

    def _simulate(self) -> dict[str, str]:
        from cocotb_tools.runner import get_runner

        wave = os.environ.get("POLYLOOM_WAVE", "0") not in {"", "0"}
        files = filelist.read(self._file.parent / self._lists)
        folder = Model(self._top, files, self._parameters, wave).build()
        self._seed = os.environ.get("POLYLOOM_SEED") or str(self._default_seed)
        run_folder = folder / self._file.stem
        run_folder.mkdir(exist_ok=True)
        results, log = run_folder / "results.xml", run_folder / "simulation.log"
        results.unlink(missing_ok=True)
        with suppress(SystemExit, RuntimeError):  # when a test fails or the simulation dies: the results say which
            get_runner("verilator").test(
                test_module=self._file.stem,
                hdl_toplevel=self._top,
                hdl_toplevel_lang="verilog",
                build_dir=folder,
                test_dir=run_folder,
                results_xml=str(results),
                log_file=log,
                seed=self._seed,
                test_args=["+verilator+rand+reset+2", f"+verilator+seed+{int(self._seed) % 2**30 + 1}"]
                + (["--trace"] if wave else []),
                extra_env={"PYTHONPATH": os.pathsep.join([str(self._file.parent), os.environ.get("PYTHONPATH", "")])},
            )
        text = log.read_text() if log.is_file() else "no log"
        hint = f"\nseed: POLYLOOM_SEED={self._seed}   folder: {run_folder}"
        if not results.is_file():
            return {name: f"the simulation has died\n{_tail(text)}{hint}" for name in cocotb_tests(self._file)}
        print(f"{self._file.name}: POLYLOOM_SEED={self._seed}")
        return read_results(results, text, hint)


def _default_seed(file: Path) -> int:
    if os.environ.get("POLYLOOM_TEST_FULL"):
        return random.SystemRandom().getrandbits(31)
    return zlib.crc32(file.stem.encode()) >> 1


def read_results(results: Path, log: str, hint: str) -> dict[str, str]:
    """Problem of each test function, "" if none. Cases of a parametrized test count together."""
    problems: dict[str, str] = {}
    for case in ElementTree.parse(results).iter("testcase"):
        full = case.get("name", "")
        name = full.split("/")[0].split("[")[0]
        bad = [child for child in case if child.tag in {"failure", "error"}]
        problems.setdefault(name, "")
        if bad:
            words = bad[0].get("message") or bad[0].get("error_msg") or bad[0].text or ""
            problems[name] += f"{full}: {words}\n{_part(log, full)}{hint}\n"
    return problems


def _part(log: str, name: str) -> str:
    """The part of a log that belongs to a test."""
    lines = log.splitlines()
    begin = next((i for i, line in enumerate(lines) if "running" in line and name in line), 0)
    end = next((i for i in range(begin + 1, len(lines)) if " running " in lines[i] or "******" in lines[i]), len(lines))
    return _tail("\n".join(lines[begin:end]))


def _tail(text: str) -> str:
    return "\n".join(text.splitlines()[-_LOG_TAIL:])


def _cocotb_version() -> str:
    import cocotb

    return str(cocotb.__version__)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
