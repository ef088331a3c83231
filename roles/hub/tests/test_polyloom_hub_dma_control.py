# SPDX-License-Identifier: Apache-2.0
"""Covers: chains and proxies at once, with each error of addresses, descriptors, walks and reads, loops, poisoned data
while a descriptor walks or is written, and everything around that takes its time: which descriptors walk and in which
order, turns, nothing before earlier writes to the own node have settled, first errors with their addresses, counts,
busy, when a failed channel is cleared; latency; chains of at most eight and of one.

Tests polyloom_hub_dma_control. Leaves out: counts that wrap.
"""

from __future__ import annotations

from typing import Any

import cocotb
from hub_bench import LAST, MEMORY
from hub_control import (
    BAD_READ,
    CHAIN_MAX,
    CROSSES,
    LOOP,
    MEMORY_BITS,
    NO_ERROR,
    NODE,
    NOT_LOCAL,
    OUTSIDE,
    World,
    bad_address,
    bad_descriptor,
)  # fmt: skip
from hub_parts import DESCRIPTOR
from hub_units import WINDOW, unit

from polyloom.rtl.testing import bench

test = bench(__file__, "hub_tb")


def lay_chain(w: World) -> int:
    """A chain of descriptors somewhere, perhaps with an error; its address."""
    rng, bits = w.h.rng, MEMORY_BITS[w.which]
    count = rng.randint(1, CHAIN_MAX[w.which] + 1)
    places = [unit(NODE, 3, MEMORY + 64 * i) for i in rng.sample(range(1 << bits - 6), count)]
    if w.north:
        places = [rng.choice([at, unit(NODE, rng.randrange(3), 64 * i)]) for i, at in enumerate(places)]
    end = rng.choice(["last", "last", "last", "loop", "address"])
    wrong = [unit(NODE ^ 1, 0), unit(NODE, 3, 64), unit(NODE, 3, MEMORY + (1 << bits)), WINDOW, places[0] + 8]
    following = {"last": rng.getrandbits(64), "loop": places[0], "address": rng.choice(wrong)}[end]
    for at, after in zip(places, [*places[1:], following], strict=True):
        last = at == places[-1] and end == "last"
        w.memory[at] = w.descriptor(last, after, sound=rng.random() > 0.05)
        if rng.random() < 0.04:
            w.unreadable.add(at)
    return places[0] if rng.random() > 0.06 else rng.choice(wrong)


def follow(w: World, at: int) -> tuple[list[tuple[int, int]], tuple[int, int]]:
    """What walks of a chain: address, descriptor; error and its address."""
    walks: list[tuple[int, int]] = []
    while True:
        if len(walks) == CHAIN_MAX[w.which]:
            return walks, (LOOP, at)
        if error := bad_address(at, w.north, MEMORY_BITS[w.which]):
            return walks, (error, at)
        word = w.memory[at]
        if error := BAD_READ if at in w.unreadable else bad_descriptor(word, w.function):
            return walks, (error, at)
        walks.append((at, word))
        d = DESCRIPTOR.unpack(word)
        if error := w.walk_errors.get(d["id"], NO_ERROR):
            return walks, (error, at)
        if d["control"] & LAST:
            return walks, (NO_ERROR, 0)
        at = d["next"]


def plan(w: World, word: int, fails: bool) -> int:
    """Perhaps an error of walk, perhaps poisoned data."""
    ident = DESCRIPTOR.unpack(word)["id"]
    if w.h.rng.random() < 0.06:
        w.walk_errors[ident] = w.h.rng.choice([NOT_LOCAL, OUTSIDE, CROSSES])
    elif fails and w.h.rng.random() < 0.12:
        w.fails.add(ident)
    return word


async def run(w: World, fails: bool) -> None:
    """A chain and some proxies, until all is done; compare."""
    rng = w.h.rng
    w.north, w.function = rng.random() < 0.7, rng.random() < 0.7
    w.set(node=NODE, north=int(w.north), has_function=int(w.function))
    w.memory, w.unreadable, w.walks, w.failed_ever = {}, set(), [], 0
    w.requests, w.fails, w.walk_errors = [], set(), {}
    w.chain_left, w.passed_over = 0, False
    dones = list(w.dones)
    start = lay_chain(w)
    for word in w.memory.values():
        plan(w, word, fails)
    proxies = [plan(w, w.descriptor(sound=rng.random() > 0.1), fails) for _ in range(rng.randrange(8))]
    w.proxy.send(proxies)
    walks, (error, where) = follow(w, start)
    await w.h.step(rng.choice([0, 0, 10]))
    w.chain_walks = len(walks)
    w.set(start=1, start_address=start)
    await w.h.step()
    w.set(start=0, start_address=rng.getrandbits(64))
    await w.h.until(lambda: not (w.state()["chain_busy"] or w.state()["proxy_busy"] or w.proxy.busy()))
    state = w.state()
    got = [(address, word) for _, channel, word, address in w.walks if not channel]
    shown = (state["chain_error"], state["chain_address"])
    if not w.failed_ever & 1:
        assert got == walks and shown == (error, where if error else 0)
        failed = {DESCRIPTOR.unpack(word)["id"] for _, word in walks} & w.walk_errors.keys()
        assert w.dones[0] - dones[0] == len(walks) - len(failed)
        requested = [at for _, at in w.requests]  # what came poisoned ahead of its time may be asked for again
        assert requested[: len(walks)] == [at for at, _ in walks] and len(requested) <= len(walks) + 2
    else:
        assert got == walks[: len(got)]
        places = [at for at, _ in walks] + ([where] if error else [])  # the one in work when it was found, or the next
        assert shown in {(error, where), *((BAD_READ, at) for at in places[len(got) - 1 : len(got) + 1])}
    compare_proxies(w, proxies, state)
    assert [state["chain_done"], state["proxy_done"]] == w.dones
    w.set(clear=1)
    await w.h.step()
    w.set(clear=0)
    state = w.state()
    assert (state["chain_error"], state["chain_address"], state["proxy_error"]) == (0, 0, 0)


def compare_proxies(w: World, proxies: list[int], state: dict[str, int]) -> None:
    errors = [bad_descriptor(word, w.function) for word in proxies]
    sound = [word for word, error in zip(proxies, errors, strict=True) if not error]
    assert [word for _, channel, word, _ in w.walks if channel] == sound
    if w.failed_ever & 2:
        assert state["proxy_error"]
        return
    errors = [
        error or w.walk_errors.get(DESCRIPTOR.unpack(word)["id"], 0)
        for word, error in zip(proxies, errors, strict=True)
    ]
    assert state["proxy_error"] == next((error for error in errors if error), NO_ERROR)


@cocotb.test()
@cocotb.parametrize(which=range(2), fails=[False, True])
async def chains_and_proxies(dut: Any, which: int, fails: bool) -> None:
    w = World(dut, which)
    await w.h.reset()
    for _ in range(45):
        await run(w, fails)


@cocotb.test()
async def latency(dut: Any) -> None:
    w = World(dut, 0, "never")
    await w.h.reset()
    w.set(node=NODE)
    first = unit(NODE, 3, MEMORY)
    w.memory = {first + 64 * i: w.descriptor(i == 3, first + 64 * i + 64) for i in range(4)}
    w.set(start=1, start_address=first)
    begin = w.h.cycle
    await w.h.step()
    w.set(start=0)
    await w.h.until(lambda: not w.state()["chain_busy"])
    walks, requests = [cycle for cycle, *_ in w.walks], [cycle for cycle, _ in w.requests]
    assert requests == [begin + 2, begin + 5, begin + 10, begin + 15]  # the others fetched ahead
    assert walks == [begin + 5, begin + 10, begin + 15, begin + 19]  # one more where there is a next one
