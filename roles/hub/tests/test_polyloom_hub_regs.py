# SPDX-License-Identifier: Apache-2.0
"""Covers: the whole register map of registers.h against a model, with a write and a read in any cycle, of registers,
of places beside them and anywhere; all that comes in changes at random; with two lanes, with none, with eight.

Tests polyloom_hub_regs. Leaves out: addresses that are no multiples of 8, which polyloom_hub_local refuses.
"""

from __future__ import annotations

from typing import Any

import cocotb
from hub_bench import REG
from hub_parts import DMA_STATE
from hub_units import FAULT, RULE

from polyloom.rtl.testing import Harness, Struct, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "hub_tb")

COMMAND = Struct.of("polyloom_hub_pkg::function_command_t")
FUNCTION = Struct.of("polyloom_hub_pkg::function_state_t")
MAGIC = int.from_bytes(b"PYLHUB01", "little")
# Largest payload, slots, lanes of the function, kinds, width, tags, memory bits.
SHAPES = [(128, 4, 2, 8, 256, 4, 16), (128, 4, 0, 0, 0, 4, 16), (512, 31, 8, 24, 128, 17, 32)]
PLACES = (0, 10, 16, 20, 36, 45, 52)
INPUTS = {"cycle": 64, "fault": FAULT.width, "fault_more": 1, "drops": 320, "counter": 64, "dma": DMA_STATE.width}
INPUTS |= {"function_state": FUNCTION.width}
ADDRESS = (1 << 39) - 1


class Map:
    """The registers as they stand, and what the hub shows of itself in this cycle (``now``)."""

    def __init__(self, which: int, strap: int) -> None:
        self.shape = SHAPES[which]
        self.lanes = self.shape[2]
        self.node, self.links = strap & 15, strap >> 4
        own = self.node << 11
        self.rules = [0] * 10
        self.rules[0] = 1 << 63 | 0x7FFF << 32 | own + 0x5FF << 16 | own
        self.rules[8] = 1 << 63 | 0x7FFF << 32 | own + 0x7FF << 16 | own + 0x600
        self.config = 0
        self.lane_words = [0] * (4 * self.lanes)
        self.now: dict[str, int] = {}

    def words(self) -> dict[int, int]:
        """All words that can be read."""
        now = self.now
        dma, function, fault = DMA_STATE.unpack(now["dma"]), FUNCTION.unpack(now["function_state"]), now["fault"]
        f = FAULT.unpack(fault)
        failed = bool(dma["chain_error"]) << 13 | bool(dma["proxy_error"]) << 14 | function["error"] << 15
        words = {
            REG.id: MAGIC,
            REG.shape: sum(value << place for value, place in zip(self.shape, PLACES, strict=True)),
            REG.node: self.node,
            REG.links: self.links,
            REG.status: f["cause"] | f["port"] << 8 | now["fault_more"] << 12 | failed | f["address"] << 16,
            REG.cycle: now["cycle"],
            REG.chain: dma["address"],
            REG.dma_state: dma["chain_busy"] | dma["proxy_busy"] << 1 | dma["queued"] << 8,
            REG.chain_error: dma["chain_error"] | dma["chain_address"] << 16,
            REG.proxy_error: dma["proxy_error"],
            REG.dma_done: dma["chain_done"] | dma["proxy_done"] << 32,
            REG.function_config: self.config,
            REG.function_state: 0,
        }
        words |= {REG.rules + 8 * i: word for i, word in enumerate(self.rules)}
        words |= {REG.counters + 64 * p + 8 * e: now["counter"] for p in range(5) for e in range(6)}
        words |= {REG.drops + 8 * c: now["drops"] >> 32 * c & 0xFFFFFFFF for c in range(10)}
        if self.lanes:
            state = function["active"] | function["idle"] << 1 | function["done"] << 16 | function["overflow"] << 32
            words[REG.function_state] = state
            for i in range(2 + self.lanes):
                words[REG.function_status + 8 * i] = now["status"] >> 64 * i & (1 << 64) - 1
            words |= {REG.lanes + 8 * i: word for i, word in enumerate(self.lane_words)}
            words |= {REG.lanes + 32 * i + 24: now["bytes"] >> 64 * i & (1 << 64) - 1 for i in range(self.lanes)}
        return words

    def may_write(self, at: int, word: int) -> bool:
        """Whether a write is taken."""
        if REG.rules <= at < REG.rules + 80 or at in {REG.node, REG.links, REG.status_clear}:
            return True
        if at == REG.chain:
            return not DMA_STATE.unpack(self.now["dma"])["chain_busy"]
        if at == REG.function_control and self.lanes:
            active = FUNCTION.unpack(self.now["function_state"])["active"]
            return not word & 1 or not (active or word & 2)
        if REG.lanes <= at < REG.lanes + 32 * self.lanes:
            return at % 32 != 24
        return at == REG.function_config and self.lanes > 0

    def write(self, at: int, word: int) -> None:
        """A write that is taken, but for what it tells others."""
        if REG.rules <= at < REG.rules + 80:
            self.rules[(at - REG.rules) // 8] = word & (1 << 63 | 0x7FFF7FFF7FFF)
        elif REG.lanes <= at < REG.lanes + 32 * self.lanes:
            self.lane_words[(at - REG.lanes) // 8] = word & ADDRESS
        elif at == REG.node:
            self.node = word & 15
        elif at == REG.links:
            self.links = word & 15
        elif at == REG.function_config:
            self.config = word

    def outputs(self) -> dict[str, int]:
        """What the hub sees of the registers."""
        rules = 0
        for i, word in enumerate(self.rules):
            rule = RULE.pack(valid=word >> 63, mask=word >> 32 & 0x7FFF, upper=word >> 16 & 0x7FFF, lower=word & 0x7FFF)
            rules |= rule << RULE.width * i
        found = {"rules": rules, "links": self.links, "node": self.node}
        if self.lanes:
            words = [self.lane_words[4 * i : 4 * i + 3] for i in range(self.lanes)]
            found["lanes"] = sum((w[0] << 78 | w[1] << 39 | w[2]) << 117 * i for i, w in enumerate(words))
            found["config_word"] = self.config
        return found


class Checker:
    """Drives all inputs in every cycle and compares all outputs."""

    def __init__(self, h: Harness, which: int) -> None:
        self.h, self.which = h, which
        self.strap = h.rng.getrandbits(8)
        self.map = Map(which, self.strap)
        self.widths = INPUTS | {"status": 64 * (2 + max(1, self.map.lanes)), "bytes": 64 * max(1, self.map.lanes)}
        self.signals = {name: h.signal(name) for name in self.widths}
        names = ("strap", "write", "waddr", "wdata", "raddr", "write_ok", "clear", "chain_start", "chain_address")
        names += ("command", "rdata", "read_ok", "counter_port", "counter_event", *self.map.outputs())
        self.signals |= {name: h.signal(name) for name in names}
        every = [0, REG.rules, REG.counters, REG.drops, REG.chain, REG.lanes, REG.function_status, REG.proxy]
        self.near = [base + 8 * i for base in every for i in range(40)]
        self.present: list[int] = []
        self.reads: list[int] = []  # addresses of the two cycles before
        self.due: int | None = None
        self.seen: set[int] = set()
        EveryCycle(h, self.drive, self.check)

    def drive(self) -> None:
        rng = self.h.rng
        for name, width in self.widths.items():
            if rng.random() < 0.3 or name not in self.map.now:
                self.map.now[name] = rng.choice([rng.getrandbits(width), rng.getrandbits(width), 0])
        if not self.map.lanes:
            self.map.now["function_state"] = 0
        for name, value in self.map.now.items():
            self.signals[name].set(value)
        self.signals["strap"].set(rng.getrandbits(8))  # counts in reset only
        self.present = self.present or list(self.map.words())
        for name in ("waddr", "raddr"):
            often = rng.choice(
                [REG.node, REG.links, REG.status_clear, REG.chain, REG.function_control, REG.function_config]
            )
            address = rng.choice([often, rng.choice(self.near), 8 * rng.randrange(1 << 13)])
            self.signals[name].set(rng.choice(self.present) if rng.random() < 0.7 else address)
        self.signals["write"].set(int(rng.random() < 0.7))
        word = rng.getrandbits(64)
        self.signals["wdata"].set(word & ~3 | rng.choice([0, 1, 1, 2, 3]))

    def get(self, name: str) -> int:
        return self.signals[name].get()

    def check(self, cycle: int) -> None:
        at, word = self.get("waddr"), self.get("wdata")
        accepted = self.map.may_write(at, word)
        assert self.get("write_ok") == accepted, f"cycle {cycle}: write of {at:#x}"
        acts = accepted and bool(self.get("write"))
        assert self.get("clear") == (acts and at == REG.status_clear)
        assert self.get("chain_start") == (acts and at == REG.chain)
        if self.get("chain_start"):
            assert self.get("chain_address") == word
        command = COMMAND.unpack(self.get("command"))
        reported = acts and at == REG.function_control
        assert (command["step"], command["flush"]) == ((word & 1, word >> 1 & 1) if reported else (0, 0))
        if reported:
            assert (command["kind"], command["used"]) == (word >> 8 & 0xFF, word >> 16 & 0xFFFF)
        for name, value in self.map.outputs().items():
            assert self.get(name) == value, f"cycle {cycle}: {name} is {self.get(name):#x}, expected {value:#x}"
        self.check_read(cycle)
        if acts:
            self.map.write(at, word)

    def check_read(self, cycle: int) -> None:
        """rdata two cycles after the address: what stood in the cycle between; of a counter, which one a cycle ago."""
        if len(self.reads) == 2:
            assert self.get("read_ok") == (self.due is not None), f"cycle {cycle}: read of {self.reads[0]:#x}"
            if self.due is not None:
                assert self.get("rdata") == self.due, f"cycle {cycle}: {self.reads[0]:#x}: {self.get('rdata'):#x}"
                self.seen.add(self.reads[0])
        at = self.get("raddr")
        if REG.counters <= at < REG.counters + 64 * 5:
            which = (at - REG.counters) // 8
            assert (self.get("counter_port"), self.get("counter_event")) == (which // 8, which % 8)
        self.reads = [*self.reads[-1:], at]
        if len(self.reads) == 2:
            self.due = self.map.words().get(self.reads[0])


@cocotb.test()
@cocotb.parametrize(which=range(3))
async def as_registers_h_says(dut: Any, which: int) -> None:
    h = Harness(dut, dut.i_parts.gen_regs[which])
    c = Checker(h, which)
    c.signals["strap"].set(c.strap)
    await h.reset()
    await h.until(lambda: len(c.seen) >= len(c.present) and h.cycle >= 500)
