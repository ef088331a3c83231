# SPDX-License-Identifier: Apache-2.0
"""Runs the engine's program in Python (mpe_machine.py), from one event to the next: what the units would show, what
it puts out.

Numbers of inputs, outputs and events are those of polyloom_mpe_isa_pkg.sv; the rest is PROTOCOL.md and ENGINE.md.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field

from kernel_frames import Datagram as Heard
from kernel_frames import Packet, packet_of
from mpe_machine import DATA_WORDS, I_EVENT, MASK, Machine

SWEEP, ACK, COMMAND, PACKET, MANAGE, SEND, COPIED, RESPONSE, STOP = range(1, 10)  # events
(
    TX_LOW, FLAGS, TX_HIGH, TX_END, MAC, PORT_MAC, IP, BYTES, READ_AT, READ, WRITE_AT, WRITE, SAY, ACK_TIMER,
    TICK_TIMER, NO_ACK, NO_TICK, CONTROL, JOB, RANK, EAGER_LIMIT, HEAD_DONE, POP_WORD, POP_COMMAND, COUNT, COUNTER,
    REPORTED,
) = range(1, 28)  # fmt: skip
F_WANT, F_MANAGE, F_RESPONSE, F_STOP = 0x04, 0x20, 0x80, 0x100
LIMIT = 20_000  # instructions until it rests


@dataclass
class Sent:
    """A datagram that the program has written, without payload."""

    mac: int
    port: int
    ip: int
    manage: bool
    count: int  # bytes
    data: bytes

    def packet(self) -> Packet:
        """As an MPI packet."""
        return packet_of(Heard(self.ip, 0, 0, 0, self.data))


@dataclass
class Outputs:
    """What came out between two rests."""

    all: list[tuple[int, int]] = field(default_factory=list)

    def of(self, number: int) -> list[int]:
        """Values of an output."""
        return [value for output, value in self.all if output == number]


class Engine:
    """The program and its units. What was never written is random."""

    def __init__(self, program: list[int], rng: random.Random) -> None:
        self.program = program
        registers = {n: rng.getrandbits(32) for n in range(32)}
        self.m = Machine(registers, {n: rng.getrandbits(32) for n in range(DATA_WORDS)}, rng.getrandbits(32))
        self.event = 0
        self.head = bytes(32)
        self.mac, self.port, self.ip, self.size = 0, 0, 0, 0
        self.words: deque[int] = deque()  # of payload at hand
        self.done = self.outside = False
        self.commands: deque[int] = deque()
        self.responses: list[int] = []
        self.cycle = rng.getrandbits(64)
        self.counters = [rng.getrandbits(48) for _ in range(16)]
        self._counter = 0
        self._low = 0
        self._to: dict[int, int] = {}
        self._header: list[int] = []
        self.sent: list[Sent] = []
        self.flags = 0

    def run(self, event: int = 0) -> Outputs:
        """From the rest until the next rest; at first, from the begin."""
        self.event = event
        out = Outputs()
        for _ in range(LIMIT):
            word = self.program[self.m.at]
            outside = [not self.commands, False, not self.words, len(self.words) == 1, False]
            step = self.m.step(word, self._given, outside)
            if step.rests and self.event == 0:
                return out
            if step.rests:
                self.event = 0
            if step.output:
                out.all.append((step.output, step.result))
                self._put(step.output, step.result)
        raise AssertionError(f"no rest after {LIMIT} instructions; at {self.m.at}")

    def _given(self, number: int) -> int:
        if number == I_EVENT:
            return self.event
        wide = {
            8: self.words[0] if self.words else 0, 10: self.commands[0] if self.commands else 0, 12: self.cycle,
            14: self.counters[self._counter],
        }  # fmt: skip
        if number < 8:
            return int.from_bytes(self.head[4 * number : 4 * number + 4], "little")
        if number < 16:
            return wide[number & ~1] >> 32 * (number & 1) & MASK
        status = int(bool(self.words)) << 30 | int(self.outside) << 29 | int(self.done) << 28 | self.size
        return (self.mac & MASK, self.port << 16 | self.mac >> 32, self.ip, status)[number - 16]

    def _put(self, output: int, value: int) -> None:
        if output == FLAGS:
            self.flags = value
        elif output == TX_LOW:
            self._low = value
        elif output in {TX_HIGH, TX_END}:
            self._header.append(value << 32 | self._low)
            if output == TX_END:
                self._end()
        elif output in {MAC, PORT_MAC, IP, BYTES}:
            self._to[output] = value
        elif output == SAY:
            self.responses.append(value << 32 | self._low)
        elif output == POP_WORD:
            self.words.popleft()
        elif output == POP_COMMAND:
            self.commands.popleft()
        elif output == COUNTER:
            self._counter = value & 15

    def _end(self) -> None:
        to, data = self._to, b"".join(word.to_bytes(8, "little") for word in self._header)
        mac = to[PORT_MAC] << 32 & (1 << 48) - 1 | to[MAC]
        # The first two bytes of the words are UDP's checksum.
        manage, count = bool(to[BYTES] >> 16), to[BYTES] & 0xFFFF
        self.sent.append(Sent(mac, to[PORT_MAC] >> 16, to[IP], manage, count, data[2:]))
        self._header = []

    def hear(self, data: bytes, ip: int, port: int, manage: bool, mac: int = 0) -> Outputs:
        """A datagram: header of two words (management) or four, the rest as payload."""
        body = bytes(2) + data
        body = body.ljust(-(-len(body) // 8) * 8, b"\0")
        head = 16 if manage else 32
        self.head = body[:head].ljust(32, b"\xa5")
        self.mac, self.ip, self.port = mac or 0x0250 << 32 | ip, ip, port
        self.size = len(data) if manage else len(data) - 30
        self.words = deque(int.from_bytes(body[at : at + 8], "little") for at in range(head, len(body), 8))
        out = self.run(MANAGE if manage else PACKET)
        assert out.of(HEAD_DONE), "the header is never done with"
        assert not manage or not self.words, "words of the datagram are left"
        self.words.clear()
        return out

    def command(self, words: tuple[int, int, int]) -> list[int]:
        """A command of the kernel; what is answered at once."""
        self.responses.clear()
        self.commands.extend(words)
        self.run(COMMAND)
        assert not self.commands, "words of the command are left"
        return list(self.responses)
