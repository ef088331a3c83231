# SPDX-License-Identifier: Apache-2.0
# Covers: each way in which a module can count as tested, and what falls short of it by one step.
# Leaves out: whether tests are any good.
from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from polyloom.rtl import tested


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """a uses b, b uses c, c uses d; nothing is tested."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    for folder in ("x/rtl/part", "x/tests", "x/formal"):
        (tmp_path / folder).mkdir(parents=True)
    for name, used in (("a", "b"), ("b", "c"), ("c", "d"), ("d", "")):
        body = f"  polyloom_{used} #(.W(2)) i_{used} (.clk_i);\n" if used else "  // polyloom_a i_a (.clk_i);\n"
        (tmp_path / f"x/rtl/part/polyloom_{name}.sv").write_text(f"module polyloom_{name};\n{body}endmodule\n")
    return tmp_path


def missing(tree: Path) -> str:
    """Last letters of the modules without a test."""
    return "".join(line.split(".sv:")[0][-1] for line in tested.problems(tree))


def test_nothing_is_tested_by_itself(tree: Path) -> None:
    assert missing(tree) == "abcd"


def test_a_test_of_its_name_covers_two_levels_of_parts_that_tests_name(tree: Path) -> None:
    path = tree / "x/tests/test_polyloom_a.py"
    path.write_text("# polyloom_b polyloom_d")
    assert missing(tree) == "cd"
    path.write_text("# polyloom_b polyloom_c polyloom_d")
    assert missing(tree) == "d"


def test_what_two_modules_use_needs_a_test_of_its_own(tree: Path) -> None:
    (tree / "x/tests/test_polyloom_a.py").write_text("# polyloom_b polyloom_c")
    (tree / "x/rtl/part/polyloom_e.sv").write_text("module polyloom_e;\n  polyloom_c i_c (.clk_i);\nendmodule\n")
    (tree / "x/tests/test_polyloom_e.py").write_text("")
    assert missing(tree) == "cd"


@pytest.mark.parametrize("folder", ["tests", "formal"])
def test_a_bench_counts_if_a_test_builds_it_and_names_the_module(tree: Path, folder: str) -> None:
    bench, builder = tree / f"x/{folder}/x_tb.sv", tree / "x/tests/test_other.py"
    bench.write_text("module x_tb;\n  polyloom_d #(\n  ) i_dut (.clk_i);\n  // polyloom_c i_c (.clk_i);\nendmodule\n")
    assert missing(tree) == "abcd"
    builder.write_text("# polyloom_d")
    assert missing(tree) == "abcd", "nobody builds the bench"
    builder.write_text("bench(__file__, 'x_tb')")
    assert missing(tree) == "abcd", "nobody names the module"
    builder.write_text("# polyloom_d polyloom_c\nbench(__file__, 'x_tb')")
    assert missing(tree) == "abc"


def test_a_test_of_another_block_does_not_count(tree: Path) -> None:
    (tree / "y/tests").mkdir(parents=True)
    (tree / "y/tests/other_test.cc").write_text('top = "polyloom_d";')
    assert missing(tree) == "abcd"
    (tree / "x/tests/other_test.cc").write_text('top = "polyloom_d";')
    assert missing(tree) == "abc"


def test_the_tree_as_it_is() -> None:
    assert tested.main() == 0
