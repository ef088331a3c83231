# SPDX-License-Identifier: Apache-2.0
"""Covers: each rule finds what breaks it, and a module that is right passes all.

Leaves out: what Verilator, slang and Verible find in detail (one example each).
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from polyloom.rtl import lint

GOOD = """// SPDX-License-Identifier: Apache-2.0
// polyloom_x: passes a bit on.
// How:          a wire.
// Latency:      none.   Throughput: one a cycle.
// Backpressure: none.
// Order/loss:   none.
// Reset:        none.
// Limits:       Width >= 1.
// Cost:         none.
// Source:       own design.   Tests: test_polyloom_x.py
module polyloom_x #(
    parameter int unsigned Width = 0
) (
    input  logic [Width-1:0] a_i,
    output logic [Width-1:0] a_o
);

  if (Width == 0) begin : gen_bad_width
    $error("%m: Width 0");
  end

  assign a_o = a_i;

endmodule
"""
PART = """  polyloom_part #(
      .Width(Width)
  ) i_part (
      .a_i,
      .a_o
  );
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one good module."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    for folder in ("x/rtl", "x/tests"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "x/rtl/polyloom_x.sv").write_text(GOOD)
    (tmp_path / "x/rtl/x.f").write_text("# lint: polyloom_x Width=3\npolyloom_x.sv\n")
    (tmp_path / "x/tests/test_polyloom_x.py").write_text('def test_x() -> None:\n    build("polyloom_x")\n')
    monkeypatch.setenv("POLYLOOM_HOME", str(tmp_path))
    return tmp_path


def problems(tree: Path, capfd: pytest.CaptureFixture[str], fix: bool = False) -> str:
    status = lint.main(["--fix"] if fix else [])
    text = "".join(capfd.readouterr())
    assert (status == 0) == (text == "")
    return text


def change(tree: Path, old: str, new: str) -> None:
    path = tree / "x/rtl/polyloom_x.sv"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def test_a_good_module_has_no_problem(tree: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert problems(tree, capfd) == ""


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("// Limits:       Width >= 1.\n", "", "header line 'Limits:' is missing"),
        ("// Cost:         none.\n", "// Cost:\n", "header line 'Cost:' is empty"),
        ("none.   Throughput:", "   Throughput:", "header line 'Latency:' is empty"),
        ("polyloom_x: passes", "passes", "must begin with '// polyloom_x: what it does'"),
        ("test_polyloom_x.py", "test_y.py", "header names test_y.py, which is not there"),
        ("module polyloom_x", "module polyloom_y", "must hold one module or package, polyloom_x; it has polyloom_y"),
        ("  assign a_o = a_i;", "  assign a_o   =  a_i;", "Verible would format it otherwise"),
        ("assign a_o = a_i;", "assign a_o = {a_i, 1'b0};", "Verilator, polyloom_x Width=3:\n%Warning-WIDTHTRUNC"),
        ("assign a_o = a_i;", "assign a_o = b;", "slang, polyloom_x Width=3: is wrong"),
        (
            "assign a_o = a_i;",
            "logic [1:0] b;\n  always_ff @(posedge a_i[0]) b <= '0;\n"
            "  always_ff @(posedge a_i[0]) b[0] <= '1;\n  assign a_o = Width'(b);",
            "slang, polyloom_x Width=3: is wrong",
        ),
    ],
)
def test_each_rule(tree: Path, capfd: pytest.CaptureFixture[str], old: str, new: str, words: str) -> None:
    change(tree, old, new)
    assert words in problems(tree, capfd)


def test_module_without_test_list_or_parameters(tree: Path, capfd: pytest.CaptureFixture[str]) -> None:
    test = tree / "x/tests/test_polyloom_x.py"
    test.rename(test.with_name("test_other.py"))
    assert "polyloom_x.sv: no test of its name; add test_polyloom_x.py below x/tests" in problems(tree, capfd)
    test.with_name("test_other.py").rename(test)
    (tree / "x/rtl/x.f").write_text("polyloom_x.sv\n")
    assert "Width 0" in problems(tree, capfd)
    (tree / "x/rtl/x.f").unlink()
    assert "no file list (*.f) names it" in problems(tree, capfd)


def test_what_a_module_leaves_to_its_users_comes_from_another_list(
    tree: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    part = GOOD.replace("polyloom_x", "polyloom_part").replace("// Limits", "//")
    (tree / "x/tests/polyloom_part.sv").write_text(part)
    (tree / "x/tests/part.f").write_text("polyloom_part.sv\n")
    change(tree, "  assign a_o = a_i;\n", PART)
    assert "polyloom_part" in problems(tree, capfd)
    (tree / "x/rtl/x.f").write_text("# lint: polyloom_x -f ../tests/part.f Width=3\npolyloom_x.sv\n")
    assert problems(tree, capfd) == ""
    (tree / "x/rtl/x.f").write_text("# lint: polyloom_x -f ../tests/part.f\npolyloom_x.sv\n")
    assert "Width 0" in problems(tree, capfd)


def test_rtl_of_a_test_is_only_formatted(tree: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tree / "x/tests/rtl").mkdir()
    (tree / "x/tests/rtl/demo.sv").write_text(GOOD.replace("polyloom_x", "demo").replace("// Limits", "//"))
    assert problems(tree, capfd) == ""


def test_fix_formats(tree: Path, capfd: pytest.CaptureFixture[str]) -> None:
    change(tree, "  assign a_o = a_i;", "  assign a_o   =  a_i;")
    assert problems(tree, capfd, fix=True) == ""
    assert (tree / "x/rtl/polyloom_x.sv").read_text() == GOOD
