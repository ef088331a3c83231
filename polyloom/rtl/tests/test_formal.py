# SPDX-License-Identifier: Apache-2.0
"""Covers: the task given to the solver (golden); a property that does not hold, a state that is not reached, and one
that is reached only behind the bound are found, the last from the solver's words (canned) and from a run.

Leaves out: the proofs themselves (each block's test).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from polyloom.base.errors import UserError
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


def test_a_bound_looks_as_far_as_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYLOOM_BUILD", str(tmp_path / "build"))
    table = '[counter]\ntop="counter"\nlist="counter.f"\ncover=9\nbound={}\nparameters=[{{ Limit = 5 }}]\n'
    short, enough = (formal.read(put(tmp_path, table.format(bound)))[0] for bound in (6, 7))
    assert formal.run(short) == ""
    problem = formal.run(enough)  # the count is 6 in step 6
    assert "Assert failed" in problem and "counter.sv:5" in problem
    assert list((tmp_path / "build" / "formal").glob("counter-counter-bound-Limit5/run/engine_0/trace*.vcd"))


#: Lines of a cover run of SymbiYosys, names shortened.
CANNED = """
SBY 12:56:14 [run] engine_0: ##   0:00:00  Checking cover reachability in step 6..
SBY 12:56 [run] engine_0: ## 0:00:00 Reached cover statement in step 6 at ring: 029_ring.sv:127.5-127.65 (_witness_.c3)
SBY 12:56 [run] engine_0: ## 0:00:10 Reached cover statement in step 11 at ring: 029_ring.sv:126.5-126.43 (_witness_.c4)
SBY 12:56:25 [run] summary:   reached cover statement ring._witness_.c4 at 029_ring.sv:126.5-126.43 step 11
""".splitlines()


@pytest.mark.parametrize(
    ("bound", "behind"),
    [(6, ["ring.sv:127", "ring.sv:126"]), (7, ["ring.sv:126"]), (11, ["ring.sv:126"]), (12, []), (None, [])],
)
def test_covers_behind_the_bound_are_named(bound: int | None, behind: list[str]) -> None:
    proof = formal.Proof("rings", "ring", Path("ring.f"), "cover", 13, (("Depth", 3),), bound=bound)
    problem = formal.behind_the_bound(proof, CANNED)
    assert [line.split("the cover at ")[1].split(" is ")[0] for line in problem.splitlines()] == behind
    if behind:
        assert f"rings-cover-Depth3: the cover at {behind[-1]} is first reached in step 11" in problem
        assert f"bound = {bound}" in problem and "a bound of 12 would see it" in problem


def test_a_cover_run_without_covers_is_no_proof() -> None:
    proof = formal.Proof("rings", "ring", Path("ring.f"), "cover", 13, bound=12)
    assert "no cover statement was reached" in formal.behind_the_bound(proof, ["SBY [run] DONE (PASS, rc=0)"])


def test_a_run_whose_cover_lies_behind_its_bound_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYLOOM_BUILD", str(tmp_path / "build"))
    table = '[counter]\ntop="counter"\nlist="counter.f"\ncover=9\nbound={}\nparameters=[{{ Limit = 6 }}]\n'
    early, enough = (formal.read(put(tmp_path, table.format(bound))) for bound in (6, 7))
    assert [proof.mode for proof in early] == ["bound", "cover"]
    for _ in range(2):  # what failed is not remembered as passed
        assert "counter.sv:6 is first reached in step 6, but bound = 6" in formal.run(early[1])
    assert formal.run(enough[1]) == ""


@pytest.mark.parametrize(
    ("mode", "entry", "engine"),
    [("prove", "", "smtbmc z3"), ("prove", "registers = true\n", "smtbmc --nomem z3"), ("bound", "", "abc bmc3")],
)
def test_golden_task(tmp_path: Path, mode: str, entry: str, engine: str) -> None:
    proof = formal.read(put(tmp_path, TABLE.replace("prove", mode) + entry))[0]
    staged = staging.stage(filelist.read(proof.list), tmp_path / "staged")
    wanted = (
        f"[options] mode {formal.MODES[mode]} depth 3 [engines] {engine} [script] "
        "read_slang --threads 1 --top counter -G Limit=5 000_counter.sv prep -top counter async2sync "
        "[files] rtl/000_counter.sv"
    )
    assert " ".join(formal.task(proof, staged, formal.engine(proof)).split()) == wanted


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ('[x]\ntop="a"\nprove=1\n', "list missing"),
        ('[x]\ntop="a"\nlist="b"\n', "either prove or bound"),
        ('[x]\ntop="a"\nlist="b"\nprove=1\nbound=2\n', "either prove or bound"),
        ('[x]\ntop="a"\nlist="b"\nbound=2\n', "cover missing"),
        ('[x]\ntop="a"\nlist="b"\nprove=1\ndepth=2\n', "unknown depth; allowed"),
    ],
)
def test_errors_name_the_entry(tmp_path: Path, table: str, words: str) -> None:
    with pytest.raises(UserError) as caught:
        formal.read(put(tmp_path, table))
    assert "proofs.toml [x]" in str(caught.value) and words in str(caught.value)
