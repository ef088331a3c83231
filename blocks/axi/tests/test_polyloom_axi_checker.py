# SPDX-License-Identifier: Apache-2.0
"""Covers: each rule is found broken when it is, by itself; correct bursts break none.

Leaves out: rules that the package's subset has no signals for.
"""

from __future__ import annotations

from typing import Any

import cocotb

from polyloom.rtl.testing import Harness, bench
from polyloom.rtl.testing.axi import AX, B, R, W

test = bench(__file__, "axi_tb")
ADDRESS = 4096 - 64  # two beats to the boundary


async def cycles(dut: Any, *sets: dict[str, int]) -> int:
    """Drive the signals of each cycle (those not named are 0) and give the rules that broke."""
    h = Harness(dut, dut.gen_checker)
    names = [c + e for c in ("aw", "w", "b", "ar", "r") for e in ("", "_valid", "_ready")]
    signals = {name: h.signal(name) for name in names}
    await h.reset()
    for values in [*sets, {}]:
        for name in names:
            signals[name].set(values.get(name, 0))
        await h.step()
    await h.step()
    return h.signal("broken").get()


def put(channel: str, payload: int, ready: int = 1) -> dict[str, int]:
    return {f"{channel}_valid": 1, f"{channel}_ready": ready, channel: payload}


AW2 = put("aw", AX.pack(id=3, addr=ADDRESS, len=1))
AR2 = put("ar", AX.pack(id=3, addr=ADDRESS, len=1))
WN, WL = put("w", W.pack(data=1)), put("w", W.pack(data=2, last=1))
RN, RL = put("r", R.pack(id=3)), put("r", R.pack(id=3, last=1))
CASES = {
    "right": ([AW2, WN, {**WL, **AR2}, {**put("b", B.pack(id=3)), **RN}, RL], None),
    "right_after_waiting": (
        [{**AW2, "aw_ready": 0}, {**AW2, "aw_ready": 0}, AW2, WN, WL, put("b", B.pack(id=3))],
        None,
    ),
    "address_falls": ([{**AW2, "aw_ready": 0}, {}], 0),
    "response_changes": ([AR2, {**RN, "r_ready": 0}, put("r", R.pack(id=3, data=9))], 0),
    "over_a_boundary": ([put("ar", AX.pack(addr=ADDRESS, len=2))], 1),
    "off_a_beat": ([put("aw", AX.pack(addr=8, len=0))], 1),
    "write_too_short": ([AW2, WL], 2),
    "write_too_long": ([AW2, WN, WN], 2),
    "data_without_address": ([WN], 3),
    "response_before_data": ([AW2, WN, put("b", B.pack(id=3))], 4),
    "response_of_another_id": ([AW2, WN, WL, put("b", B.pack(id=2))], 4),
    "two_responses": ([AW2, WN, WL, put("b", B.pack(id=3)), put("b", B.pack(id=3))], 4),
    "data_not_requested_for": ([put("r", R.pack(id=0))], 5),
    "data_in_the_cycle_of_the_address": ([{**AR2, **RN}, RN, RL], 5),
    "read_too_short": ([AR2, RL], 6),
    "read_too_long": ([AR2, RN, RN], 6),
}


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def each_rule(dut: Any, case: str) -> None:
    sets, rule = CASES[case]
    broken = await cycles(dut, *sets)
    if rule is None:
        assert broken == 0, f"{broken:b}"
    else:
        assert broken >> rule & 1, f"{broken:b}"
        assert broken & (1 << rule) - 1 == 0, f"{broken:b}: an earlier rule broke"
