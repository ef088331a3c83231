# SPDX-License-Identifier: Apache-2.0
"""Covers: random programs, written and read back through the host's port, from any start: what every go hands
out, one instruction a cycle, marks, done_to_go, end; each rule of program.h just kept and just broken.

Tests polyloom_collective_sequencer with polyloom_collective_program. Leaves out: what engines do with a step.
"""

from __future__ import annotations

import random
from typing import Any

import cocotb
from collective_units import (
    BAD_PROGRAM,
    CHANNEL_BITS,
    DMA_STEP,
    FAULT,
    LANE_STEP,
    Faults,
    Inputs,
    Log,
    random_pattern,
)  # fmt: skip

from polyloom.rtl.testing import Harness, Struct, bench

C, L, INPUTS, OP_OUTPUTS, SIZE = 2, 3, 2, 1, 16  # inputs and outputs of one partition; the slot has two
SOURCES, SINKS = C + L + 2 * OP_OUTPUTS, C + L + 2 * INPUTS
END, READ, WRITE, SEND, TAKE, FEED, CONFIG, GO = range(8)
FROM_READ, FROM_LANE, FROM_OPERATOR, FROM_NONE = 0x00, 0x80, 0xC0, 0xFF
EAGER, PULSE_ONLY, OPEN_END = 1, 2, 4
PARTITION, PASS = 2, 3
INSTRUCTION = Struct.of("polyloom_collective_pkg::instruction_t")
CONFIG_STEP = Struct.of("polyloom_collective_pkg::config_step_t")
OUTPUTS = ("go", "together", "read", "write", "send", "accept", "relay", "feed", "config_step", "select")

test = bench(__file__, "collective_tb")


def number_of(source: int) -> int:
    """Place of a source among the switch's."""
    return source if source < FROM_LANE else C + source - (FROM_LANE if source < FROM_OPERATOR else FROM_OPERATOR - L)


def pattern_fields(rng: random.Random) -> dict[str, int]:
    p = random_pattern(rng)
    return {"base": p.base, "stride": p.stride % (1 << 64), "run_bytes": p.run_bytes, "runs": p.runs}


def random_step(rng: random.Random, room: int) -> tuple[list[dict[str, int]], dict[str, Any]]:
    """Instructions of a legal step, go last, and what it hands out."""
    sinks = rng.sample(range(SINKS), rng.randint(1, SINKS))
    picks: dict[int, int] = {}
    for sink in sinks:
        outputs = 2 * OP_OUTPUTS if sink < C + L else OP_OUTPUTS if sink >= C + L + INPUTS else 0
        sources = [*range(C), *(FROM_LANE + lane for lane in range(L)), *(FROM_OPERATOR + o for o in range(outputs))]
        picks[sink] = rng.choice(sources)
    code: list[dict[str, int]] = []
    want: dict[str, Any] = {name: {} for name in ("read", "write", "send", "accept", "config_step")}
    for sink, source in picks.items():
        if sink < C:
            fields = pattern_fields(rng)
            code.append(
                {"op": WRITE, "index": sink, "source": source, "flags": OPEN_END * rng.getrandbits(1), **fields}
            )
            want["write"][sink] = code[-1]
        elif sink < C + L:
            flags = EAGER * rng.getrandbits(1)
            code.append({"op": SEND, "index": sink - C, "source": source, "flags": flags, "extra": rng.getrandbits(32)})
            want["send"][sink - C] = code[-1]
        else:
            code.append({"op": FEED, "index": sink - C - L, "source": source})
    for source in set(picks.values()):
        if source < FROM_LANE:
            code.append({"op": READ, "index": source, **pattern_fields(rng)})
            want["read"][source] = code[-1]
        elif source < FROM_OPERATOR:
            lane, flags = source - FROM_LANE, EAGER * rng.getrandbits(1)
            code.append({"op": TAKE, "index": lane, "flags": flags, "extra": rng.getrandbits(32)})
            want["accept"][lane] = code[-1]
        else:
            output = source - FROM_OPERATOR
            words = {"base": rng.getrandbits(64), "stride": rng.getrandbits(64)}
            kind = PARTITION if output >= OP_OUTPUTS else rng.choice([PARTITION, PASS])
            code.append({"op": CONFIG, "index": output, "extra": kind, **words})
            want["config_step"][output] = code[-1]
    if any(i["op"] == FEED for i in code) and not want["config_step"]:  # an operator that gives nothing away
        code.append(
            {"op": CONFIG, "index": 0, "extra": PASS, "base": rng.getrandbits(64), "stride": rng.getrandbits(64)}
        )
        want["config_step"][0] = code[-1]
    rng.shuffle(code)
    if len(code) + 1 > room:
        return random_step(rng, room)
    code.append({"op": GO, "index": rng.choice([0xFF, rng.randrange(32)]), "flags": rng.getrandbits(1)})
    want["select"] = sum(1 << SOURCES * sink + number_of(source) for sink, source in picks.items())
    want["together"], want["mark"] = code[-1]["flags"], code[-1]["index"]
    want["feed"] = sum(1 << sink - C - L for sink in picks if sink >= C + L)
    lanes = {source - FROM_LANE for sink, source in picks.items() if C <= sink < C + L and FROM_LANE <= source < 0xC0}
    want["relay"] = sum(1 << lane for lane in lanes)
    return code, want


def check_go(got: dict[str, int], want: dict[str, Any]) -> None:
    """Compare what stands at go."""
    for name in ("together", "feed", "relay", "select"):
        assert got[name] == want[name], f"{name}: {got[name]:#x}, expected {want[name]:#x}"
    for name, count in (("read", C), ("write", C), ("send", L), ("accept", L), ("config_step", 2 * OP_OUTPUTS)):
        form = DMA_STEP if name in {"read", "write"} else CONFIG_STEP if name == "config_step" else LANE_STEP
        for place in range(count):
            values = form.unpack(got[name] >> place * form.width & (1 << form.width) - 1)
            reported = want[name].get(place)
            assert values["valid"] == (reported is not None), f"{name}[{place}]"
            if reported is None:
                continue
            if form is DMA_STEP:
                if name == "write":
                    assert values["open_end"] == reported["flags"] >> 2
                cut = 1 << 40
                fields = (reported["base"] % cut, reported["stride"] % cut, reported["run_bytes"], reported["runs"])
                bits = fields[0] << 104 | fields[1] << 64 | fields[2] << 32 | fields[3]
                assert values["pattern"] == bits, f"{name}[{place}]"
            elif form is LANE_STEP:
                assert (values["eager"], values["pulse_only"], values["signature"]) == (
                    reported["flags"] & 1, reported["flags"] >> 1 & 1, reported["extra"],
                )  # fmt: skip
            else:
                assert (values["kind"], values["word"], values["inputs"]) == (
                    reported["extra"], reported["base"], reported["stride"],
                )  # fmt: skip


class Bench:
    """Program memory, sequencer, and a log of all that they say."""

    def __init__(self, dut: Any) -> None:
        self.h = Harness(dut, dut.gen_sequencer)
        names = ("host_valid", "host_write", "host_addr", "host_data", "host_ready", "word", "word_valid")
        self.io = Inputs(self.h, *names, "start", "start_index", "active", "stop", "flush", "running", "refused")
        logs = (*OUTPUTS, "mark", "mark_index", "ended", "next")
        self.log = {name: Log(self.h, name) for name in logs}
        self.log["fault"] = Faults(self.h, "fault")

    async def load(self, code: list[dict[str, int]], start: int = 0) -> None:
        for number, fields in enumerate(code):
            bits = INSTRUCTION.pack(**fields)
            for word in range(4):
                address, data = 4 * ((start + number) % SIZE) + word, bits >> 64 * word & (1 << 64) - 1
                assert self.io.get("host_ready")
                await self.io.once(host_valid=1, host_write=1, host_addr=address, host_data=data)
                if self.h.rng.random() < 0.1:
                    await self.io.once(host_valid=1, host_addr=address)
                    assert self.io.get("word_valid") and self.io.get("word") == data

    async def first_fault(self, code: list[dict[str, int]]) -> dict[str, int] | None:
        """Run a program with nothing to wait for; the first fault that it raised."""
        await self.load(code)
        await self.io.once(flush=1)
        self.io.set(active=0)
        begin = await self.io.once(start=1, start_index=0)
        for _ in range(3 * len(code) + 8):
            await self.h.step()
            if self.log["fault"].values[-1]:  # as polyloom_collective_watch does
                self.io.set(stop=1)
        self.io.set(stop=0)
        await self.io.once(flush=1)
        found = self.log["fault"].values[begin:]
        words = [FAULT.unpack(value) for value in found]
        return next((word for word in words if word["code"]), None)


@cocotb.test()
async def programs_hand_out_their_steps(dut: Any) -> None:
    b = Bench(dut)
    h, log = b.h, b.log
    await h.reset()
    for _ in range(30):
        code: list[dict[str, int]] = []
        wants = []
        while len(code) < 8:
            step, want = random_step(h.rng, SIZE - 1 - len(code))
            code, wants = [*code, *step], [*wants, want]
            if len(code) > 10 or h.rng.random() < 0.3:
                break
        code.append({"op": END})
        place = h.rng.randint(0, SIZE - len(code))
        await b.load(code, place)
        begin = await b.io.once(start=1, start_index=place)
        marks = []
        b.io.set(active=0)
        for number, want in enumerate(wants):
            await h.until(lambda n=number, b=begin: len(log["go"].cycles(b)) == n + 1, 60)  # type: ignore[misc]
            go = log["go"].cycles(begin)[number]
            assert not marks or go >= marks[-1] + 2
            check_go({name: log[name].values[go] for name in OUTPUTS}, want)
            if work := h.rng.choice([0, 0, 1, 2, 30]):
                b.io.set(active=1)
                await h.step(work)
                b.io.set(active=0)
            await h.step()
            marks.append(go + 1 + work)
            assert log["mark"].cycles(begin) == marks, "a step's end"
            assert log["mark_index"].values[marks[-1]] == want["mark"]
        await h.until(lambda b=begin: bool(log["ended"].cycles(b)), 60)  # type: ignore[misc]
        end = log["ended"].cycles(begin)
        assert len(end) == 1 and end[0] >= marks[-1] + 2
        assert len(log["next"].cycles(begin)) == len(code)
        first_go = log["go"].cycles(begin)[0]
        length = next(i for i, fields in enumerate(code) if fields["op"] == GO)
        assert log["next"].cycles(begin)[: length + 1] == list(range(begin + 1, begin + length + 2)) and (
            first_go == begin + 1 + length
        ), "one instruction a cycle from start_to_execute on"
        await h.step(4)
        assert not b.io.get("running")
    assert not log["fault"].cycles()


def word0(fields: dict[str, int]) -> int:
    """The lowest word of an instruction, which a fault shows."""
    return INSTRUCTION.pack(**fields) & (1 << 64) - 1


GOOD_PATTERN = {"base": 64, "stride": 64, "run_bytes": 32, "runs": 1}
EDGE = 1 << CHANNEL_BITS
#: Instruction, and a change that breaks one rule.
BROKEN: list[tuple[dict[str, int], dict[str, int]]] = [
    ({"op": READ, "index": C - 1, **GOOD_PATTERN}, {"index": C}),
    ({"op": READ, "index": 0, **GOOD_PATTERN}, {"runs": 0}),
    ({"op": READ, "index": 0, **GOOD_PATTERN}, {"run_bytes": 0}),
    ({"op": READ, "index": 0, **GOOD_PATTERN}, {"base": 80}),
    ({"op": READ, "index": 0, **GOOD_PATTERN}, {"stride": 65}),
    ({"op": READ, "index": 0, **GOOD_PATTERN, "base": EDGE - 32}, {"base": EDGE}),
    ({"op": WRITE, "index": 0, "source": FROM_LANE + L - 1, **GOOD_PATTERN}, {"source": FROM_LANE + L}),
    ({"op": WRITE, "index": C - 1, "source": C - 1, **GOOD_PATTERN}, {"source": C}),
    ({"op": WRITE, "index": C - 1, "source": FROM_OPERATOR + 1, **GOOD_PATTERN}, {"source": FROM_OPERATOR + 2}),
    ({"op": WRITE, "index": 1, "source": 0, **GOOD_PATTERN}, {"index": C}),
    ({"op": SEND, "index": L - 1, "source": 0}, {"index": L}),
    ({"op": SEND, "index": 0, "source": 0, "flags": EAGER}, {"flags": EAGER | PULSE_ONLY}),
    ({"op": SEND, "index": 0, "source": FROM_NONE, "flags": PULSE_ONLY}, {"flags": 0}),
    ({"op": SEND, "index": 0, "source": 0, "flags": EAGER}, {"flags": 4}),
    ({"op": TAKE, "index": L - 1}, {"index": L}),
    ({"op": TAKE, "index": 0, "flags": PULSE_ONLY}, {"flags": EAGER | PULSE_ONLY}),
    ({"op": FEED, "index": 2 * INPUTS - 1, "source": 1}, {"index": 2 * INPUTS}),
    ({"op": FEED, "index": INPUTS - 1, "source": 1}, {"source": FROM_OPERATOR}),
    ({"op": FEED, "index": INPUTS, "source": FROM_OPERATOR}, {"index": INPUTS - 1}),
    ({"op": FEED, "index": INPUTS, "source": FROM_OPERATOR}, {"source": FROM_OPERATOR + 1}),
    ({"op": CONFIG, "index": 0, "extra": PASS}, {"index": 1}),
    ({"op": CONFIG, "index": 1, "extra": PARTITION}, {"extra": PASS}),
    ({"op": CONFIG, "index": 1, "extra": PARTITION}, {"index": 2}),
    ({"op": CONFIG, "index": 0, "extra": PASS}, {"extra": 1}),
    ({"op": CONFIG, "index": 0, "extra": PASS}, {"extra": 0}),
    ({"op": CONFIG, "index": 0, "extra": PASS}, {"extra": 32 + PASS}),
    ({"op": GO, "index": 31}, {"index": 32}),
    ({"op": GO, "index": 31, "flags": 1}, {"flags": 2}),
    ({"op": READ, "index": 0, **GOOD_PATTERN}, {"flags": 1}),
    ({"op": WRITE, "index": 0, "source": 0, "flags": OPEN_END, **GOOD_PATTERN}, {"flags": 1}),
    ({"op": END}, {"op": GO + 1}),
]


@cocotb.test()
async def each_rule_kept_and_broken(dut: Any) -> None:
    b = Bench(dut)
    await b.h.reset()
    for number, (good, change) in enumerate(BROKEN):
        filler = [{"op": GO, "index": 0xFF}] * (number % 4)  # so that the index is not always 0
        assert await b.first_fault([*filler, good, {"op": END}]) is None, good
        fault = await b.first_fault([*filler, {**good, **change}, {"op": END}])
        assert fault == {"code": BAD_PROGRAM, "value": word0({**good, **change})}, (good, change)
        assert b.io.get("refused") == len(filler)


@cocotb.test()
async def every_stream_has_two_ends(dut: Any) -> None:
    b = Bench(dut)
    await b.h.reset()
    read = {"op": READ, "index": 0, **GOOD_PATTERN}
    send, accept = {"op": SEND, "index": 0, "source": 0}, {"op": TAKE, "index": 1}
    write = {"op": WRITE, "index": 1, "source": FROM_LANE + 1, **GOOD_PATTERN}
    feed = {"op": FEED, "index": 1, "source": 0}
    go = {"op": GO, "index": 0xFF}
    pulse = {"op": SEND, "index": 2, "source": FROM_NONE, "flags": PULSE_ONLY}
    config = {"op": CONFIG, "index": 0, "extra": PASS}
    good = [
        [read, send, go],
        [accept, write, go],
        [read, feed, config, go],
        [config, go],
        [pulse, go],
        [read, send, accept, write, pulse, go],
    ]
    for code in good:
        assert await b.first_fault([*code, {"op": END}]) is None, code
    for code in (
        [read, go],
        [send, go],
        [accept, go],
        [write, go],
        [feed, config, go],
        [read, feed, go],
        [read, write, go],
        [read, send, accept, go],
    ):
        wanted = {"code": BAD_PROGRAM, "value": word0(code[-1])}
        assert await b.first_fault([*code, {"op": END}]) == wanted, code


@cocotb.test()
async def an_engine_has_one_part_in_a_step_and_a_program_ends_in_its_memory(dut: Any) -> None:
    b = Bench(dut)
    await b.h.reset()
    read, go = {"op": READ, "index": 0, **GOOD_PATTERN}, {"op": GO, "index": 0xFF}
    send, accept = {"op": SEND, "index": 1, "source": 0}, {"op": TAKE, "index": 1}
    write = {"op": WRITE, "index": 0, "source": 0, **GOOD_PATTERN}
    feed, config = {"op": FEED, "index": 0, "source": 0}, {"op": CONFIG, "index": 0, "extra": PASS}
    for fields in (read, send, accept, write, feed, config):
        fault = await b.first_fault([fields, fields, {"op": END}])
        assert fault == {"code": BAD_PROGRAM, "value": word0(fields)} and b.io.get("refused") == 1, fields
    assert await b.first_fault([read, send, go, read, send, go, {"op": END}]) is None  # the next step may
    assert await b.first_fault([go] * (SIZE - 1) + [{"op": END}]) is None
    assert (await b.first_fault([go] * SIZE) or {})["code"] == BAD_PROGRAM
