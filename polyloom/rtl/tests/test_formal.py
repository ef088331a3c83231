# SPDX-License-Identifier: Apache-2.0
"""Covers: the task given to the solver (golden); a property that does not hold, a state that is not reached are found.

Leaves out: the proofs themselves (each block's test).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from polyloom.errors import UserError
from polyloom.rtl import filelist, formal, staging

COUNTER = """
module counter #(parameter int unsigned Limit = 0) (input logic clk_i);
  logic [3:0] count = '0;
  always_ff @(posedge clk_i) if (count != 4'd6) count <= count + 1'b1;
  always_comb assert (count <= 4'(Limit));
  always_comb cover (count == 4'(Limit));
endmodule
"""
TABLE = """[counter]
top = "counter"
list = "counter.f"
prove = 3
cover = 9
parameters = [{ Limit = 5 }, { Limit = 6 }, { Limit = 7 }]
"""


def put(folder: Path, table: str = TABLE) -> Path:
    (folder / "counter.sv").write_text(COUNTER)
    (folder / "counter.f").write_text("counter.sv\n")
    (folder / "proofs.toml").write_text(table)
    return folder / "proofs.toml"


def test_what_holds_holds_and_what_does_not_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYLOOM_BUILD", str(tmp_path / "build"))
    problems = {proof.label: formal.run(proof) for proof in formal.read(put(tmp_path))}
    assert problems["counter-prove-Limit6"] == problems["counter-cover-Limit6"] == ""
    assert "Assert failed" in problems["counter-prove-Limit5"]
    assert "counter.sv:5" in problems["counter-prove-Limit5"]
    assert problems["counter-prove-Limit7"] == ""
    assert "nreached cover" in problems["counter-cover-Limit7"]


def test_golden_task(tmp_path: Path) -> None:
    proof = formal.read(put(tmp_path))[0]
    staged = staging.stage(filelist.read(proof.list), tmp_path / "staged")
    wanted = (
        "[options] mode prove depth 3 [engines] smtbmc z3 [script] "
        "read_slang --threads 1 --top counter -G Limit=5 000_counter.sv prep -top counter async2sync "
        "[files] rtl/000_counter.sv"
    )
    assert " ".join(formal.task(proof, staged).split()) == wanted


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ('[x]\ntop="a"\nprove=1\n', "list missing"),
        ('[x]\ntop="a"\nlist="b"\n', "either prove or bound"),
        ('[x]\ntop="a"\nlist="b"\nprove=1\nbound=2\n', "either prove or bound"),
        ('[x]\ntop="a"\nlist="b"\nprove=1\ndepth=2\n', "unknown depth; allowed"),
    ],
)
def test_errors_name_the_entry(tmp_path: Path, table: str, words: str) -> None:
    with pytest.raises(UserError) as caught:
        formal.read(put(tmp_path, table))
    assert "proofs.toml [x]" in str(caught.value) and words in str(caught.value)
