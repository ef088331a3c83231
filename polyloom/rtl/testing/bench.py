# SPDX-License-Identifier: Apache-2.0
"""Runs the cocotb tests of a file under pytest, on one Verilated binary that all files of the folder share.

Input: the test file, the top module and its file list. Output: a pytest function with a case a cocotb test.
The binary lies in the cache of models and is built again only if a source, an option or a tool has changed.
Environment: POLYLOOM_SEED=N repeats a run, POLYLOOM_WAVE=1 writes dump.fst into the folder that a failure names.
"""

from __future__ import annotations

import ast
import os
import random
import re
import xml.etree.ElementTree as ElementTree
import zlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from polyloom.base import paths
from polyloom.base.cache import RTL
from polyloom.rtl import filelist
from polyloom.rtl import node_compile as compiler
from polyloom.rtl.node_build import built_runtime
from polyloom.rtl.sources import without_comments
from polyloom.rtl.testing import tops
from polyloom.rtl.testing.program import Verilated
from polyloom.testing import FULL

_LOG_TAIL = 40
_ASSERT_CONTROL = Path(__file__).with_name("assert_control.sv")


_NAME = re.compile(r"\b[A-Za-z_]\w*")
_MODULE = re.compile(r"^[ \t]*module\s+(\w+)", re.MULTILINE)
_GENVAR = re.compile(r"\bgenvar\s+(\w+)")
_MAIN = Path(__file__).with_name("simulation.cc")


def build(top: str, files: filelist.FileList, parameters: Mapping[str, int | str], wave: bool = False) -> Path:
    """The simulation of a top, in the cache of models; signals of the bench can be seen and driven."""
    import cocotb_tools.config as config

    own = [source for source in files.sources if _is_of_a_bench(source)]
    made = tops.expanded(top, files, own)
    rest = replace(files, sources=[source for source in files.sources if source not in made])
    model = Verilated(
        top=top,
        files=rest.with_sources(_ASSERT_CONTROL),
        parameters=parameters,
        options=("--vpi",),
        prefix="Vtop",
        wave=wave,
        texts={
            "public.vlt": public_names([made.get(source) or source.read_text() for source in own]),
            "bind.sv": f"bind {top} assert_control i_assert_control (.rst_ni(rst_ni));\n",
            **{source.name: text for source, text in made.items()},
        },
        more=(_MAIN,),
    )
    folder = model.build()

    def make(entry: Path) -> None:
        objects = [*sorted(folder.glob("*.o")), *sorted(built_runtime(model.runtime()).glob("*.o"))]
        # Where cocotb lies is said when the simulation runs: another checkout has its own.
        door = "-Wl,--export-dynamic-symbol=polyloom_*"
        libraries = [door, f"-L{config.libs_dir}", "-lcocotbvpi_verilator", *model.runtime().libraries()]
        compiler.link_program(objects, entry / top, libraries)

    return RTL.provide(f"{folder.name}-run", top, make)[0]


def _is_of_a_bench(source: Path) -> bool:
    root = paths.home()
    return source.is_relative_to(root) and "tests" in source.relative_to(root).parts


def public_names(sources: Iterable[str]) -> str:
    """Verilator's configuration by which cocotb has all names of a bench's own modules, and none of a design.

    A name of the design that a test looks at stands in the bench's .vlt. Not genvars: cocotb would take each generate
    loop for one scope.
    """
    lines = ["`verilator_config"]
    for source in sources:
        text = without_comments(source)
        names = set(_NAME.findall(text)) - set(_GENVAR.findall(text))
        for module in _MODULE.findall(text):
            lines += [f'public_flat_rw -module "{module}" -var "{name}"' for name in sorted(names)]
    return "\n".join([*lines, ""])


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
        import cocotb_tools.config as config
        from cocotb_tools.runner import get_runner

        wave = os.environ.get("POLYLOOM_WAVE", "0") not in {"", "0"}
        files = filelist.read(self._file.parent / self._lists)
        folder = build(self._top, files, self._parameters, wave)
        self._seed = os.environ.get("POLYLOOM_SEED") or str(self._default_seed)
        run_folder = paths.build_dir() / "rtl-tests" / self._file.relative_to(paths.home()).with_suffix("")
        run_folder.mkdir(parents=True, exist_ok=True)
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
                extra_env={
                    "PYTHONPATH": os.pathsep.join(
                        map(str, (self._file.parent, paths.home(), os.environ.get("PYTHONPATH", "")))
                    ),
                    "COCOTB_TRUST_INERTIAL_WRITES": "1",  # simulation.cc has no events that cocotb could wait for
                    "LD_LIBRARY_PATH": os.pathsep.join([str(config.libs_dir), os.environ.get("LD_LIBRARY_PATH", "")]),
                },
            )
        text = log.read_text() if log.is_file() else "no log"
        hint = f"\nseed: POLYLOOM_SEED={self._seed}   folder: {run_folder}"
        if not results.is_file():
            return {name: f"the simulation has died\n{_tail(text)}{hint}" for name in cocotb_tests(self._file)}
        print(f"{self._file.name}: POLYLOOM_SEED={self._seed}")
        return read_results(results, text, hint)


def _default_seed(file: Path) -> int:
    if FULL:
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
