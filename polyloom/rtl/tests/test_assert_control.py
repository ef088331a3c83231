# SPDX-License-Identifier: Apache-2.0
"""Covers: assert_control, which every bench has: an assertion that fails in reset, at the start or in a later one,
passes unnoticed; one that fails after a reset ends the simulation, and its test fails with the assertion's words.

Leaves out: assertions with an action of their own (test_agents.py).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from polyloom.base import paths
from polyloom.rtl.testing import bench

TOP = """// SPDX-License-Identifier: Apache-2.0
module asserting_tb (
    input logic clk_i,
    input logic rst_ni
);
  logic bad = 1'b0;
  always_ff @(posedge clk_i) begin
    assert (rst_ni && !bad)
    else $error("what must not be is");
  end
endmodule
"""

HEAD = """
import cocotb
from polyloom.rtl.testing import Harness

@cocotb.test()
async def case(dut):
    h = Harness(dut)
    bad = h.signal("bad")
"""

#: What a test does with the signal that must not be high while the assertion is on.
CASES = {
    "never_high": "await h.reset(5)\nawait h.step(20)",
    "high_in_reset": "bad.set(1)\nawait h.reset(5)\nbad.set(0)\nawait h.step(20)",
    "high_in_a_later_reset": "await h.reset()\nawait h.step()\nbad.set(1)\nawait h.reset()\nbad.set(0)\nawait h.step()",
    "high_after_reset": "await h.reset(5)\nbad.set(1)\nawait h.step(1)",
    "high_long_after_reset": "await h.reset(5)\nawait h.step(50)\nbad.set(1)\nawait h.step(1)",
    "high_after_a_later_reset": "await h.reset()\nawait h.step(5)\nawait h.reset()\nbad.set(1)\nawait h.step(1)",
}


def simulate(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a case as a test of its own on a bench; pytest's failure if that fails."""
    folder = paths.build_dir() / "assert-control" / "tests"  # whose names a bench can see
    folder.mkdir(parents=True, exist_ok=True)
    body = "".join(f"    {line}\n" for line in CASES[name].splitlines())
    files = {"asserting_tb.sv": TOP, "asserting_tb.f": "asserting_tb.sv\n", f"test_{name}.py": HEAD + body}
    for file, text in files.items():
        write(folder / file, text)
    monkeypatch.syspath_prepend(str(folder))
    bench(str(folder / f"test_{name}.py"), "asserting_tb")("case")


def write(path: Path, text: str) -> None:
    """Only what has changed, so that nothing is built again."""
    if not path.is_file() or path.read_text() != text:
        path.write_text(text)


@pytest.mark.parametrize("name", ["never_high", "high_in_reset", "high_in_a_later_reset"])
def test_an_assertion_that_fails_in_reset_passes_unnoticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    simulate(name, monkeypatch)


@pytest.mark.parametrize("name", ["high_after_reset", "high_long_after_reset", "high_after_a_later_reset"])
def test_an_assertion_that_fails_after_reset_ends_the_simulation(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(pytest.fail.Exception) as failure:
        simulate(name, monkeypatch)
    assert "the simulation ended prematurely" in str(failure.value)
    assert "what must not be is" in str(failure.value)
