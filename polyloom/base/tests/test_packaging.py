# SPDX-License-Identifier: Apache-2.0
# Covers: every import of the package, the applications and the examples against the packages that an installation has;
# pyproject.toml against the pinned lists; the package without a source tree.
# Leaves out: what is installed (tests/test_installed.py).
from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from polyloom import __version__
from polyloom.base import extras
from polyloom.base.errors import UserError

ROOT = Path(__file__).resolve().parents[3]
#: Modules whose package has another name.
PACKAGES = {"elftools": "pyelftools", "sklearn": "scikit-learn"}
#: Modules that are asked for by name (polyloom.base.extras, polyloom.rtl.filelist), so not by an import statement.
TESTING = {"pytest", "cocotb", "cocotb_tools", "hypothesis", "pyslang", "networkx", "scipy"}
OURS = {"polyloom", "apps"}


def project() -> dict[str, Any]:
    table = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert isinstance(table, dict)
    return table


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[>=<~!]", text)[0].strip() for text in requirements}


def pinned(file: str) -> dict[str, str]:
    lines = (ROOT / "scripts" / file).read_text().splitlines()
    return dict(line.split("==") for line in lines if line and not line.startswith("#"))


def sources(folder: str) -> Iterator[Path]:
    for file in sorted((ROOT / folder).rglob("*.py")):
        parts = set(file.relative_to(ROOT).parts)
        if not parts & {"tests", "testing"} and not file.name.startswith(("test_", "conftest", "pytest_")):
            yield file


class NotOfTypes(ast.NodeTransformer):
    """Leaves out what is imported for type checkers alone."""

    def visit_If(self, node: ast.If) -> ast.AST | None:
        return None if ast.unparse(node.test) == "TYPE_CHECKING" else node


def imports(file: Path) -> set[str]:
    """Top names of all that a file imports, wherever in it the statement stands."""
    found = set()
    for node in ast.walk(NotOfTypes().visit(ast.parse(file.read_text()))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            found.add(node.module.split(".")[0])
    return found


@pytest.mark.parametrize("folder", ["polyloom", "apps", "examples"])
def test_every_import_is_a_dependency(folder: str) -> None:
    there = names(project()["dependencies"]) | OURS | sys.stdlib_module_names
    for file in sources(folder):
        missing = {PACKAGES.get(name, name) for name in imports(file)} - there
        if "rtl" in file.parts or "synth" in file.parts:  # the flow's own tools, not what the command imports
            missing -= TESTING
        assert not missing, f"{file.relative_to(ROOT)} imports {missing}; a dependency, or polyloom.base.extras.need"


@pytest.mark.parametrize("folder", ["polyloom", "apps", "examples"])
def test_every_extra_is_listed(folder: str) -> None:
    optional = project()["optional-dependencies"]
    listed = names([*optional["apps"], *optional["graphs"], *optional["pynn"]])
    for file in sources(folder):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "extras.need":
                assert ast.literal_eval(node.args[1]) in listed, f"{file}:{node.lineno}"


def test_pins_are_of_what_is_declared() -> None:
    tools_of_the_build = {"scikit-build-core", "nanobind"}
    built_by = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    assert set(built_by) <= set((ROOT / "scripts" / "requirements.txt").read_text().splitlines())
    assert names(project()["dependencies"]) == set(pinned("requirements.txt")) - tools_of_the_build
    optional = project()["optional-dependencies"]
    assert names([*optional["rtl"], *optional["apps"]]) == set(pinned("requirements-full.txt"))
    pins = {**pinned("requirements.txt"), **pinned("requirements-full.txt")}
    for text in [*project()["dependencies"], *optional["rtl"], *optional["apps"]]:
        name, least = text.split(">=")
        digits = [[int(part) for part in re.findall(r"\d+", version)] for version in (least, pins[name])]
        assert digits[0] <= digits[1], text


def test_a_missing_extra_is_one_line() -> None:
    with pytest.raises(UserError, match="Python package nothing-like-it is not installed; run `make setup`"):
        extras.need("nothing_like_it.part", "nothing-like-it")


@pytest.mark.parametrize("script", ["examples/collectives_tour.py", "-m apps.averaging"])
def test_without_the_extras_one_line(script: str, tmp_path: Path) -> None:
    """As after make demo: plotly and scikit-learn are not there."""
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nfor name in ('plotly', 'sklearn'):\n    sys.modules[name] = None\n"
    )
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}", "POLYLOOM_ON": "native"}
    done = subprocess.run(
        [sys.executable, *script.split()], cwd=ROOT, env=env, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert "run `make setup`" in line


@pytest.mark.parametrize("app", ["sort", "averaging"])
def test_without_the_compiled_part_one_line(app: str, tmp_path: Path) -> None:
    """As after make demo; natively these need none of it."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "POLYLOOM_BUILD": str(tmp_path), "POLYLOOM_ON": "sim"}
    command = [sys.executable, "-m", f"apps.{app}"]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert "run `make build`" in line
    done = subprocess.run([*command, "--help"], cwd=ROOT, env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    if app == "sort":
        native = subprocess.run(
            [*command, "--keys", "64", "--verify"], cwd=ROOT, env={**env, "POLYLOOM_ON": "native"}, timeout=60
        )
        assert native.returncode == 0


def test_package_without_the_rest(tmp_path: Path) -> None:
    """Help and version work; what needs programs or clusters says so in one line."""
    shutil.copytree(ROOT / "polyloom", tmp_path / "polyloom", ignore=shutil.ignore_patterns("tests", "__pycache__"))
    env = {name: value for name, value in os.environ.items() if not name.startswith("POLYLOOM")}
    env["PYTHONPATH"] = str(tmp_path)

    def polyloom(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "polyloom", *words]
        return subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60)

    assert polyloom("--version").stdout == f"polyloom {__version__}\n"
    assert "collective" in polyloom("--help").stdout
    (tmp_path / "x.c").write_text("int main(void) { return 0; }\n")
    for words in (
        ["apps"],
        ["run", "pagerank"],
        ["run", "pagerank", "--help"],
        ["cluster", "list"],
        ["cluster", "show", "laptop"],
        ["collective", "barrier"],
        ["mpirun", "--on", "native", "-n", "2", "x.c"],
        ["doctor"],
        ["nbody", "--n", "10"],
        ["synth", "overlay"],
    ):
        done = polyloom(*words)
        assert done.returncode == 1, words
        [line] = done.stderr.splitlines()
        assert line.startswith(f"polyloom: {tmp_path} has the Python package alone"), words
    assert not (tmp_path / "runs").exists()
