# SPDX-License-Identifier: Apache-2.0
# Covers: what makes a module tested, and what falls short of it by one step.
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


BENCH = "module x_tb;\n  polyloom_a #(\n  ) i_dut (.clk_i);\n  // polyloom_e i_e (.clk_i);\nendmodule\n"
TEST = "test = bench(__file__, 'x_tb')\n"


def write(tree: Path, **files: str) -> None:
    """Files of x/tests; ``_py`` and so on at the end of a name is the suffix."""
    for name, text in files.items():
        stem, _, suffix = name.rpartition("_")
        (tree / f"x/tests/{stem}.{suffix}").write_text(text)


def test_nothing_is_tested_by_itself(tree: Path) -> None:
    assert missing(tree) == "abcd"


def test_a_bench_alone_is_no_test(tree: Path) -> None:
    write(tree, x_tb_sv=BENCH, test_x_py=TEST)
    assert missing(tree) == "abcd"


def test_a_name_alone_is_no_test(tree: Path) -> None:
    write(tree, test_polyloom_a_py=TEST)
    assert missing(tree) == "abcd"


def test_a_file_without_tests_is_none(tree: Path) -> None:
    write(tree, x_tb_sv=BENCH, test_polyloom_a_py="# polyloom_a\n", b_rtl_test_cc="// polyloom_b\n")
    assert missing(tree) == "abcd"


def test_each_part_of_a_bench_needs_a_test_of_its_name(tree: Path) -> None:
    write(tree, x_tb_sv=BENCH, test_polyloom_a_py=TEST, test_polyloom_d_py="def test_d() -> None:\n    pass\n")
    assert missing(tree) == "bc"
    write(tree, b_rtl_test_cc="TEST(B, works) {}\n", c_test_cc="TEST(ModelOfC, works) {}\n")
    assert missing(tree) == "c"


def test_what_is_named_in_comments_is_not_built(tree: Path) -> None:
    (tree / "x/rtl/part/polyloom_e.sv").write_text("module polyloom_e;\nendmodule\n")
    write(tree, x_tb_sv=BENCH, test_polyloom_e_py=TEST)
    assert missing(tree) == "abcde"


@pytest.mark.parametrize("text", ['top = "polyloom_d";', "Vpolyloom_d top;", "  polyloom_d i_dut (.clk_i);"])
def test_a_harness_may_name_the_top_or_write_the_bench(tree: Path, text: str) -> None:
    write(tree, d_rtl_test_cc=f"TEST(D, works) {{}}\n{text}\n")
    assert missing(tree) == "abc"


def test_a_proof_may_hold_the_module(tree: Path) -> None:
    (tree / "x/formal/x_proof.sv").write_text(BENCH)
    write(tree, test_polyloom_a_py=TEST)
    assert missing(tree) == "bcd"


def test_a_test_of_another_block_does_not_count(tree: Path) -> None:
    (tree / "y/tests").mkdir(parents=True)
    (tree / "y/tests/test_polyloom_a.py").write_text(TEST)
    (tree / "y/tests/x_tb.sv").write_text(BENCH)
    assert missing(tree) == "abcd"


def test_the_tree_as_it_is() -> None:
    assert tested.main() == 0
