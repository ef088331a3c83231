# SPDX-License-Identifier: Apache-2.0
"""All around polyloom_hub_dma_control in its test: descriptors in memory, the proxy queue, walk, the write side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hub_bench import FLAG, FUNCTION_BIT, LAST, MEMORY
from hub_parts import DESCRIPTOR, DMA_STATE
from hub_units import WINDOW, unit

from polyloom.rtl.testing import Harness, Stall
from polyloom.rtl.testing.every_cycle import EveryCycle

NODE, MEMORY_BITS = 9, (16, 32)
CHAIN_MAX = (8, 1)
NO_ERROR, NOT_LOCAL, OUTSIDE, ZERO, MISALIGNED, CROSSES, LOOP, RESERVED, NO_FUNCTION, BAD_READ = range(10)
ID_AT = 320  # bit of a descriptor's id


@dataclass
class Work:
    """A descriptor that walks, or whose data are being written; ``left``: cycles."""

    channel: int
    ident: int
    left: int


def bad_address(address: int, north: bool, bits: int) -> int:
    """What is wrong with a descriptor's address."""
    if address >= WINDOW:
        return OUTSIDE
    if address % 64:
        return MISALIGNED
    memory = unit(NODE, 3, MEMORY)
    if address >> 35 != NODE or not ((north and address >> 33 & 3 < 3) or memory <= address < memory + (1 << bits)):
        return NOT_LOCAL
    return NO_ERROR


def bad_descriptor(word: int, function: bool) -> int:
    """What is wrong with a descriptor."""
    d = DESCRIPTOR.unpack(word)
    if d["control"] >> 3:
        return RESERVED
    if not d["block_bytes"] or not d["blocks"]:
        return ZERO
    if d["control"] & FLAG and d["flag"] % 8:
        return MISALIGNED
    if d["control"] & FLAG and d["flag"] >= WINDOW:
        return OUTSIDE
    return NO_FUNCTION if d["control"] & FUNCTION_BIT and not function else NO_ERROR


class World:
    """What control drives and what drives it. Every descriptor has an id of its own, by which plans are kept."""

    def __init__(self, dut: Any, which: int, stall: str | float = "random") -> None:
        self.h = h = Harness(dut, dut.i_dma.gen_control[which])
        self.which, self.quick = which, stall == "never"
        self.proxy = h.source("proxy", stall)
        names = (
            "node",
            "north",
            "has_function",
            "start",
            "start_address",
            "clear",
            "state",
            "request_valid",
            "request",
        )
        names += (
            "request_ready",
            "fetch_valid",
            "fetch_bad",
            "fetch",
            "walk",
            "walk_proxy",
            "walk_descriptor",
            "queued",
        )
        names += ("walk_stop", "walk_done", "walk_own", "walk_error_bits", "done", "failed", "clear_failed", "quiet")
        self.signals = {name: h.signal(name) for name in (*names, "settled", "proxy_valid")}
        self.stall = Stall(h.rng, stall)
        self.memory: dict[int, int] = {}
        self.unreadable: set[int] = set()
        self.walk_errors: dict[int, int] = {}
        self.fails: set[int] = set()  # whose data will be poisoned
        self.idents = 0
        self.north = self.function = False
        self.fetch: list[int] = []  # address, cycles left
        self.walking: Work | None = None
        self.writing: list[Work] = []
        self.failed = self.failed_ever = 0
        self.dones = [0, 0]
        self.walks: list[tuple[int, int, int, int]] = []  # cycle, channel, descriptor, address that is shown
        self.requests: list[tuple[int, int]] = []  # cycle, address
        self.own_at, self.settled_at = -1, -1
        self.chain_walks = self.chain_left = 0  # descriptors of the chain that will walk, and have not yet
        self.arrived = -1  # the last fetched descriptor, in this cycle
        self.passed_over = False  # the chain, by the last proxy
        self.proxy_free = -1  # last cycle in which no proxy waited, or one was taken
        EveryCycle(h, self.drive, self.check)

    def set(self, **values: int) -> None:
        """Inputs from the next cycle on."""
        for name, value in values.items():
            self.signals[name].set(value)

    def state(self) -> dict[str, int]:
        """What the registers show."""
        return DMA_STATE.unpack(self.signals["state"].get())

    def delay(self) -> int:
        """Cycles that something takes."""
        return 0 if self.quick else self.h.rng.choice([0, 1, 3, self.h.rng.randint(0, 30)])

    def descriptor(self, last: bool = True, following: int = 0, sound: bool = True) -> int:
        """A random one, perhaps with something wrong."""
        rng = self.h.rng
        self.idents += 1
        d = {name: rng.getrandbits(width) for name, width in DESCRIPTOR.members}
        d |= {"id": self.idents, "next": following, "block_bytes": rng.randint(1, 1 << 32) - 1 or 1}
        d |= {"blocks": rng.randint(1, 5), "flag": 8 * rng.randrange(WINDOW // 8)}
        d["control"] = (LAST if last else 0) | rng.choice([0, FLAG]) | (rng.choice([0, FUNCTION_BIT]) * self.function)
        if not sound:
            wrong = rng.choice(["blocks", "block_bytes", "control", "misaligned", "flag", "function"])
            if wrong in {"blocks", "block_bytes"}:
                d[wrong] = 0
            elif wrong == "control":
                d["control"] |= 8 << rng.randrange(29)
            elif wrong == "function":
                d["control"] |= FUNCTION_BIT
            else:
                d["control"] |= FLAG
                d["flag"] += rng.randint(1, 7) if wrong == "misaligned" else WINDOW << rng.randrange(25)
        return DESCRIPTOR.pack(**d)

    def drive(self) -> None:
        """Responses that are due."""
        rng, pulse = self.h.rng, dict.fromkeys(("fetch_valid", "walk_done", "walk_own", "done"), 0)
        self.set(request_ready=int(not self.fetch and not self.stall()), queued=rng.randrange(17))
        self.set(
            fetch=rng.getrandbits(DESCRIPTOR.width), fetch_bad=rng.getrandbits(1), walk_error_bits=rng.randrange(10)
        )
        if self.fetch:
            self.fetch[1] -= 1
            if self.fetch[1] < 0:
                pulse["fetch_valid"] = 1
                self.set(fetch=self.memory[self.fetch[0]], fetch_bad=int(self.fetch[0] in self.unreadable))
        if self.walking:
            self.walking.left -= 1
            self.break_down(self.walking, 0.1)
            stopped = self.failed >> self.walking.channel & 1
            if self.walking.left < 0:
                pulse["walk_done"] = 1
                self.set(walk_error_bits=0 if stopped else self.walk_errors.get(self.walking.ident, 0))
            elif not stopped:
                pulse["walk_own"] = int(not self.quick and rng.random() < 0.15)
        if self.writing:
            head = self.writing[0]
            head.left -= 1
            self.break_down(head, 1.0 if head.left < 0 else 0.1)
            if head.left < 0:
                self.writing.pop(0)
                if not self.failed >> head.channel & 1:
                    pulse["done"] = 1 << head.channel
                    self.dones[head.channel] += 1
        quiet = not (self.fetch or self.walking or self.writing or pulse["done"]) and (self.quick or rng.random() < 0.5)
        self.set(**pulse, failed=self.failed, quiet=int(quiet), settled=int(quiet and rng.random() < 0.5))

    def break_down(self, work: Work, chance: float) -> None:
        """Perhaps find its data poisoned."""
        if work.ident in self.fails and self.h.rng.random() < chance:
            self.fails.discard(work.ident)
            self.failed |= 1 << work.channel
            self.failed_ever |= 1 << work.channel

    def check(self, cycle: int) -> None:
        """What is told and asked for."""
        get = {name: signal.get() for name, signal in self.signals.items()}
        if get["settled"]:
            self.settled_at = cycle
        if self.walking:
            assert get["walk_stop"] == get["failed"] >> self.walking.channel & 1
            assert not get["clear_failed"]
        self.check_state(cycle, get)
        if get["clear_failed"]:
            assert get["quiet"] and get["failed"], f"cycle {cycle}: cleared too early"
            self.failed = 0
        if get["fetch_valid"]:
            self.fetch = []
        if get["walk_done"] and self.walking:
            if not get["walk_error_bits"] and not get["failed"] >> self.walking.channel & 1:
                self.writing.append(Work(self.walking.channel, self.walking.ident, self.delay()))
            self.walking = None
        if get["walk_own"]:
            self.own_at = cycle
        if get["request_valid"] and get["request_ready"]:
            self.requests.append((cycle, get["request"]))
            self.fetch = [get["request"], self.delay()]
        if get["walk"]:
            assert not self.walking and (self.own_at < 0 or self.own_at < self.settled_at), (
                f"cycle {cycle}: not settled"
            )
            self.own_at = -1
            self.turns(cycle, get["walk_proxy"])
            word = get["walk_descriptor"]
            self.walks.append((cycle, get["walk_proxy"], word, self.state()["address"]))
            ident = DESCRIPTOR.unpack(word)["id"]
            self.walking = Work(get["walk_proxy"], ident, 1 + self.delay())
        accepted = self.proxy.cycles[-1:] == [cycle]
        if accepted:
            # A descriptor that arrives in the very cycle of the chain's turn lets one more proxy pass.
            late = self.arrived == cycle - 1
            assert not self.passed_over or self.failed_ever or late, f"cycle {cycle}: it was the chain's turn"
            self.passed_over = self.chain_left > 0
        if not get["proxy_valid"] or accepted:
            self.proxy_free = cycle
        if get["fetch_valid"]:
            self.arrived = cycle
        if get["start"]:
            self.chain_left, self.passed_over = self.chain_walks, False

    def check_state(self, cycle: int, get: dict[str, int]) -> None:
        """Busy as long as anything is under way."""
        state = self.state()
        assert state["queued"] == get["queued"]
        works = [*self.writing, *([self.walking] if self.walking else [])]
        channels = {work.channel for work in works}
        for channel, name in enumerate(("chain_busy", "proxy_busy")):
            assert state[name] or channel not in channels, f"cycle {cycle}: {name} is 0 amid a descriptor"
        assert state["proxy_busy"] or not get["proxy_valid"]

    def turns(self, cycle: int, proxy: int) -> None:
        """No two descriptors of the chain, one after the other, while a proxy waits; nor the other way."""
        if proxy:
            return
        if self.walks and not self.walks[-1][1]:
            assert self.proxy_free >= self.walks[-1][0], f"cycle {cycle}: it was the proxy's turn"
        self.passed_over = False
        self.chain_left -= 1
