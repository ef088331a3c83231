# SPDX-License-Identifier: Apache-2.0
# Covers: programs of a Verilated top and C++ (what is built again, what a failing one says), elaborate(), which names
# of a bench cocotb gets. Leaves out: cocotb itself (test_agents.py).
from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from polyloom.base.cache import MARKER, RTL
from polyloom.rtl import filelist
from polyloom.rtl.node_build import built_runtime
from polyloom.rtl.node_compile import Runtime
from polyloom.rtl.testing import Program, Verilated, elaborate
from polyloom.rtl.testing.bench import public_names

ADDER = """module adder #(parameter int unsigned Width = 8) (
  input logic clk_i, input logic rst_ni, input logic [Width-1:0] a_i, output logic [Width-1:0] z_o
);
  if (Width > 32) begin : gen_bad $error("Width is %0d, at most 32", Width); end
  for (genvar bit_of = 0; bit_of < 2; bit_of++) begin : gen_same
    logic same;
    assign same = a_i[bit_of];
  end
  assign z_o = a_i + 1'b1;
endmodule
"""
MAIN = """#include <cstdio>
#include "Vadder.h"
int main(int count, char** words) {
  Vadder top;
  top.a_i = 4;
  top.eval();
  std::printf("%s %d %d", count > 1 ? words[1] : "-", int(top.z_o), EXPECTED);
  return top.z_o == EXPECTED ? 0 : 3;
}
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> filelist.FileList:
    runtime = built_runtime(Runtime(shim=False))
    shutil.copytree(runtime, tmp_path / "cache" / runtime.name)  # or it would take most of the time
    monkeypatch.setenv("POLYLOOM_RTL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("POLYLOOM_BUILD", str(tmp_path / "build"))
    (tmp_path / "adder.sv").write_text(ADDER)
    (tmp_path / "main.cc").write_text(MAIN)
    return filelist.FileList([tmp_path / "adder.sv"])


def models() -> set[str]:
    return {path.parent.name for path in RTL.folder.glob(f"test-*/{MARKER}")}


def test_a_program_is_built_of_what_it_is_made_of(tmp_path: Path, files: filelist.FileList) -> None:
    model = Verilated("adder", files)
    assert Program(model, [tmp_path / "main.cc"], {"EXPECTED": 5}, libraries=()).run("word") == "word 5 5"
    (first,) = models()
    with pytest.raises(AssertionError, match="- 5 6"):
        Program(model, [tmp_path / "main.cc"], {"EXPECTED": 6}, libraries=()).run()
    assert models() == {first}  # the model is that of both programs
    (tmp_path / "adder.sv").write_text(ADDER.replace("1'b1", "Width'(2)"))
    assert Program(model, [tmp_path / "main.cc"], {"EXPECTED": 6}, libraries=()).run() == "- 6 6"
    assert len(models()) == 2
    (tmp_path / "main.cc").write_text(MAIN.replace('"%s', '"new %s'))
    assert Program(model, [tmp_path / "main.cc"], {"EXPECTED": 6}, libraries=()).run() == "new - 6 6"


def test_a_top_that_is_refused_says_why(files: filelist.FileList) -> None:
    assert elaborate("adder", files) == ""
    assert "Width is 33, at most 32" in elaborate("adder", files, Width=33)


def test_cocotb_gets_the_names_of_benches_alone() -> None:
    lines = public_names([ADDER.replace("adder", "adder_tb")]).splitlines()
    assert 'public_flat_rw -module "adder_tb" -var "same"' in lines
    assert not [line for line in lines if '"adder"' in line or "bit_of" in line]
