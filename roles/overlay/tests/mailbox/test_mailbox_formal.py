# SPDX-License-Identifier: Apache-2.0
"""Covers: the proofs of formal/mailbox/proofs.toml: free list, references, pointer queues; that the proof of the queues
finds an error which shows only after a ring was full.

Leaves out: other shapes than listed there, runs longer than their bounds.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from polyloom.rtl import filelist, formal

OVERLAY = Path(__file__).parents[2]
PROOFS = OVERLAY / "formal" / "mailbox" / "proofs.toml"
QUEUES = OVERLAY / "rtl" / "mailbox" / "polyloom_overlay_mailbox_queues.sv"
#: After the first stall every slot is handed out inverted.
ERROR = """
  logic spoilt_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) spoilt_q <= 1'b0;
    else if (stalled_o) spoilt_q <= 1'b1;
  end
"""

test = formal.cases(PROOFS)


def test_an_error_after_a_full_ring_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYLOOM_BUILD", str(tmp_path / "build"))
    text = QUEUES.read_text()
    written, rings = ".wdata_i(oldest.slot)", "  // ---- rings ----\n"
    assert text.count(written) == text.count(rings) == 1
    wrong = tmp_path / QUEUES.name
    wrong.write_text(
        text.replace(written, ".wdata_i(oldest.slot ^ {SlotBits{spoilt_q}})").replace(rings, ERROR + rings)
    )
    proof = next(
        proof for proof in formal.read(PROOFS) if proof.label == "overlay_mailbox_queues-bound-Places2-Stalls1"
    )
    files = filelist.read(proof.list)
    sources = [str(wrong if source == QUEUES else source) for source in files.sources]
    assert str(wrong) in sources
    (tmp_path / "wrong.f").write_text("\n".join([*(f"+incdir+{folder}" for folder in files.include_dirs), *sources]))
    problem = formal.run(dataclasses.replace(proof, list=tmp_path / "wrong.f"))
    assert "Assert failed in mailbox_queues_proof" in problem
