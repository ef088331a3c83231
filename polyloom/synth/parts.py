# SPDX-License-Identifier: Apache-2.0
"""FPGA families as data: how Yosys maps to them and what each of its cells counts. Input to count.py and flow.py.

Rules of counting, the same that the tables print:
  ultrascale+  LUT6 sites: LUT1..6 one each, distributed RAM and shift registers by the sites they fill; inverters
               none. BRAM in RAMB36: RAMB18 a half. Without wide multiplexers (MUXF), for which Yosys spends two to
               four LUTs where one does.
  intel-alm    the family that the open flow has is Cyclone V, whose ALM is that of the later ones. Estimate of ALMs:
               a six-input function fills one, two smaller functions or two adder bits share one, 20 MLAB bits fill
               ten; no fewer than registers / 4. Fitters pack less well, and may spread.
               Yosys has no true dual-port block RAM here and would make registers of it; the RAM wrappers that are one
               count by calculation instead, in M10K of 1,024 words of 10 bits.
  ecp5         LUT4 sites: two for a carry cell, six for a 16x4 RAM.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

RESOURCES = ("logic", "ff", "bram", "dsp")


@dataclass(frozen=True)
class DualPort:
    """Block RAM of a family in whose synthesis the ``modules``, RAM wrappers of two ports, do not become any."""

    cell: str
    bits: int
    words: int
    modules: tuple[str, ...] = ("polyloom_ram_2rw", "polyloom_ram_2rw_be")

    def blocks(self, width: int, depth: int) -> int:
        """How many a RAM of this size takes."""
        return math.ceil(width / self.bits) * math.ceil(depth / self.words)


@dataclass(frozen=True)
class Part:
    """``cells`` maps a cell to what one of it counts, (logic, ff, bram, dsp); cells not named count nothing."""

    name: str
    logic: str
    bram: str
    synthesis: str
    cells: dict[str, tuple[float, float, float, float]]
    note: str
    ff_per_logic: int = 0
    dual_port: DualPort | None = None


def _logic(**counts: float) -> dict[str, tuple[float, float, float, float]]:
    return {name: (count, 0, 0, 0) for name, count in counts.items()}


def _ff(*names: str) -> dict[str, tuple[float, float, float, float]]:
    return {name: (0, 1, 0, 0) for name in names}


_XILINX_RAM = {
    "RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4, "RAM256X1D": 8, "RAM32M": 4, "RAM64M": 4, "RAM32M16": 8,
    "RAM64M8": 8, "RAM32X16DR8": 8, "RAM64X8SW": 8, "RAM32X1S": 1, "RAM64X1S": 1, "RAM128X1S": 2, "RAM256X1S": 4,
    "RAM512X1S": 8, "SRL16E": 1, "SRLC16E": 1, "SRLC32E": 1,
}  # fmt: skip

ULTRASCALE_PLUS = Part(
    name="ultrascale+",
    logic="LUT",
    bram="BRAM36",
    synthesis="synth_xilinx -family xcup -noiopad -noclkbuf -nowidelut -top {top}",
    cells={
        **_logic(**{f"LUT{n}": 1 for n in range(1, 7)}, **_XILINX_RAM),
        **_ff("FDRE", "FDSE", "FDCE", "FDPE", "LDCE", "LDPE"),
        "RAMB18E2": (0, 0, 0.5, 0),
        "RAMB36E2": (0, 0, 1, 0),
        "URAM288": (0, 0, 8, 0),
        "DSP48E2": (0, 0, 0, 1),
    },
    note="LUT6 sites; BRAM36: RAMB18 a half",
)

INTEL_ALM = Part(
    name="intel-alm",
    logic="ALM",
    bram="M10K",
    synthesis="synth_intel_alm -family cyclonev -noflatten -top {top}",
    cells={
        **_logic(MISTRAL_ALUT6=1, **{f"MISTRAL_ALUT{n}": 0.5 for n in range(2, 6)}),
        **_logic(MISTRAL_ALUT_ARITH=0.5, MISTRAL_MLAB=0.5),
        **_ff("MISTRAL_FF"),
        "MISTRAL_M10K": (0, 0, 1, 0),
        "MISTRAL_MUL27X27": (0, 0, 0, 1),
        "MISTRAL_MUL18X18": (0, 0, 0, 0.5),
        "MISTRAL_MUL9X9": (0, 0, 0, 1 / 3),
    },
    note="ALM estimated (Cyclone V flow): 6-input functions one, smaller ones and adder bits a half, at least FF/4",
    ff_per_logic=4,
    dual_port=DualPort("MISTRAL_M10K", bits=10, words=1024),
)

ECP5 = Part(
    name="ecp5",
    logic="LUT4",
    bram="EBR",
    synthesis="synth_ecp5 -noflatten -top {top}",
    cells={
        **_logic(LUT4=1, CCU2C=2, TRELLIS_DPR16X4=6),
        **_ff("TRELLIS_FF"),
        "DP16KD": (0, 0, 1, 0),
        "PDPW16KD": (0, 0, 1, 0),
        "MULT18X18D": (0, 0, 0, 1),
    },
    note="LUT4 sites; EBR: 18 Kbit",
)

PARTS = {part.name: part for part in (ULTRASCALE_PLUS, INTEL_ALM, ECP5)}
