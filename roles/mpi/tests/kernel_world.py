# SPDX-License-Identifier: Apache-2.0
"""Three kernel nodes and one Python host (the manager, and any stranger) on a network that a test can disturb."""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable
from typing import Any

from kernel_frames import MANAGEMENT, MPI, NAMES, Datagram, Packet, closed, ip_of, management, packet_of, parse, udp

from polyloom.rtl.testing import Harness, Signal

NODES = 3
HOST = NODES  # node number of the Python host
SEND, SSEND, RECV, WAIT, TEST, PROBE, IPROBE, SEND_WAIT, SSEND_WAIT, RECV_WAIT, CANCEL = range(1, 12)
ANY_RANK, ANY_TAG = 0xFFFF, 0xFFFFFFFF
MEMORY, DRAM, SCRIPT, RESPONSES = 0x10000, 0x80000000, 0, 0x100000
DELAY = 20  # cycles of a frame on the network
Fault = Callable[[bytes], list[tuple[int, bytes]]]


class World:
    """Runs the clock, carries frames, plays the manager. ``fault`` gives what becomes of a frame: (delay, frame)."""

    def __init__(self, dut: Any, fault: Fault | None = None, holes: float = 0.0) -> None:
        self.dut = dut
        self.h = Harness(dut)
        self.h.add(_Watch(self))
        self._in = [self.h.signal(f"rx_{name}") for name in ("valid", "data", "keep", "last")]
        self._out = [self.h.signal(f"tx_{name}") for name in ("valid", "ready", "data", "keep", "last")]
        self.done = [Signal(dut.gen_node[n].i_dut.kernel_done) for n in range(NODES)]
        self.rng = self.h.rng
        self.fault: Fault = fault or (lambda frame: [(0, frame)])
        self.holes = holes
        self.rx: list[deque[bytes]] = [deque() for _ in range(NODES)]
        self._sending: list[deque[tuple[int, int, int]]] = [deque() for _ in range(NODES)]
        self._partial = [bytearray() for _ in range(NODES)]
        self._silence = [99] * NODES
        self._air: list[tuple[int, int, int, bytes]] = []  # cycle, number, node, frame
        self._number = 0
        self.host: list[Datagram] = []  # frames to the host
        self.raw: list[bytes] = []
        self.log: list[tuple[int, Packet]] = []  # MPI packets that left a node, with their first word's cycle
        self._first = [0] * NODES
        self._seq = 0
        self.job = 0
        self.members: set[int] = set()  # addresses of the job
        self.watch: Callable[[int], None] | None = None  # called in each cycle
        self._known: dict[tuple[int, bool, int], bytearray] = {}  # words that put() has written

    async def reset(self) -> None:
        """Reset all."""
        await self.h.reset()

    def clear(self) -> None:
        """Forget all frames, before a reset."""
        self._air.clear()
        self.rx = [deque() for _ in range(NODES)]
        self._sending = [deque() for _ in range(NODES)]
        self._partial = [bytearray() for _ in range(NODES)]

    async def step(self) -> None:
        """A cycle."""
        now = self.h.cycle
        for item in [a for a in self._air if a[0] <= now]:
            self._air.remove(item)
            if item[2] == HOST:
                self._take(item[3])
            else:
                self.rx[item[2]].append(item[3])
        valid = data = keep = last = 0
        for n in range(NODES):
            if not self._sending[n] and self.rx[n] and self._silence[n] >= 2:
                self._load(n, self.rx[n].popleft())
            if self._sending[n] and self.rng.random() >= self.holes:
                word, k, ends = self._sending[n].popleft()
                valid |= 1 << n
                data |= word << 64 * n
                keep |= k << 8 * n
                last |= ends << n
                self._silence[n] = 0
            else:
                self._silence[n] += 1
        for signal, value in zip(self._in, (valid, data, keep, last), strict=True):
            signal.set(value)
        await self.h.step()

    def sample(self, cycle: int) -> None:
        """See what the nodes send in this cycle."""
        if self.watch:
            self.watch(cycle)
        valid = self._out[0].get() & self._out[1].get()
        if valid == 0:
            return
        data, keep, last = (signal.get() for signal in self._out[2:])
        for n in range(NODES):
            if valid >> n & 1:
                if not self._partial[n]:
                    self._first[n] = cycle
                count = (keep >> 8 * n & 0xFF).bit_count()
                self._partial[n] += (data >> 64 * n & (1 << 64) - 1).to_bytes(8, "little")[:count]
                if last >> n & 1:
                    self._sent(bytes(self._partial[n]), self._first[n])
                    self._partial[n] = bytearray()

    def _load(self, n: int, frame: bytes) -> None:
        for at in range(0, len(frame), 8):
            part = frame[at : at + 8]
            word = int.from_bytes(part, "little")
            self._sending[n].append((word, (1 << len(part)) - 1, int(at + 8 >= len(frame))))

    def _sent(self, frame: bytes, cycle: int) -> None:
        assert closed(frame[:-4]) == frame, f"wrong check sequence in cycle {cycle}: {frame.hex()}"
        body = frame[:-4]
        if body[12:14] == b"\x08\x00":
            datagram = parse(body)
            if datagram.target_port == MPI and datagram.port == MPI:
                self.log.append((cycle, packet_of(datagram)))
                assert datagram.target in self.members, f"a packet leaves the job in cycle {cycle}: {self.log[-1][1]}"
        self.carry(frame)

    def carry(self, frame: bytes) -> None:
        """Put a closed frame on the network; by its destination MAC, subject to faults."""
        node = int.from_bytes(frame[2:6], "big") - ip_of(0)
        for delay, copy in self.fault(frame):
            self._number += 1
            if 0 <= node <= HOST:
                self._air.append((self.h.cycle + DELAY + delay, self._number, node, copy))

    def _take(self, frame: bytes) -> None:
        if closed(frame[:-4]) != frame:
            return
        body = frame[:-4]
        self.raw.append(body)
        if body[12:14] == b"\x08\x00":
            self.host.append(parse(body))

    # What a host does
    def send(
        self, node: int, port: int, data: bytes, source_port: int | None = None, source: int | None = None
    ) -> None:
        """Send a datagram to a node."""
        self.carry(closed(udp(ip_of(HOST) if source is None else source, ip_of(node), port, data, source_port)))

    async def request(
        self, node: int, op: int, register: int, values: list[int] | int, source: int | None = None
    ) -> list[int]:
        """A management request, repeated until answered: values to be written, or how many to read."""
        self._seq += 1
        count = len(values) if isinstance(values, list) else values
        data = management(op, count, self._seq, register, values if isinstance(values, list) else None)
        for _ in range(20):
            self.send(node, MANAGEMENT, data, 40000, source)
            for _ in range(400 + 4 * count):
                await self.step()
                for d in self.host:
                    if (
                        d.port == MANAGEMENT
                        and d.ip == ip_of(node)
                        and struct.unpack("<H", d.data[4:6])[0] == self._seq
                    ):
                        self.host.remove(d)
                        assert d.target_port == 40000
                        magic, response, n, _, first, zero = struct.unpack("<HBBHII", d.data[:14])
                        assert (magic, response, n, first, zero) == (0x4D50, op + 2, count, register, 0)
                        return [v[0] for v in struct.iter_unpack("<Q", d.data[14:])]
        raise AssertionError(f"node {node} does not respond: op {op} register {register:#x}")

    async def write(self, node: int, register: int, *values: int) -> None:
        """Write registers."""
        assert await self.request(node, 1, register, list(values)) == []

    async def read(self, node: int, register: int, count: int = 1) -> list[int]:
        """Read registers."""
        got = await self.request(node, 2, register, count)
        assert len(got) == count
        return got

    async def set_up(self, ranks: list[int], eager: int = 256, slots: int = 4, window: int = 5760, job: int = 77,
                     retransmit: int = 2000, ack_delay: int = 200, retries: int = 8,
                     most: int = 0) -> None:  # fmt: skip
        """Set up a job in which rank r is node ranks[r]; the manager is the Python host."""
        self.job = job
        self.members = {ip_of(node) for node in [*ranks, HOST]}
        table = []
        for node in [*ranks, HOST]:
            table += [0x0250 << 32 | ip_of(node), MPI << 32 | ip_of(node)]
        for rank, node in enumerate(ranks):
            if node == HOST:
                continue
            for at in range(0, len(table), 128):
                await self.write(node, 0x100 + at, *table[at : at + 128])
            await self.write(
                node,
                4,
                len(ranks) << 16 | rank,
                most << 32 | slots << 16 | eager,
                ack_delay << 32 | retransmit,
                retries << 32 | window,
            )
            await self.write(node, 3, job)

    def script(self, node: int, commands: list[tuple[int, int, int]]) -> None:
        """What a node's player will do."""
        words = [len(commands), *(word for command in commands for word in command)]
        dram = self.dut.gen_node[node].dram
        for i, word in enumerate(words):
            dram[i].value = word

    def responses(self, node: int, count: int) -> list[Response]:
        """What it was answered."""
        dram = self.dut.gen_node[node].dram
        return [
            Response(int(dram[RESPONSES // 8 + 2 * i].value), int(dram[RESPONSES // 8 + 2 * i + 1].value))
            for i in range(count)
        ]

    async def start(self, *nodes: int) -> None:
        """Start the players."""
        for node in nodes:
            await self.write(node, 1, 1)

    async def run(self, *nodes: int, limit: int = 60_000) -> None:
        """Step until the players of these nodes are done."""
        for _ in range(limit):
            await self.step()
            if all(self.done[n].get() for n in nodes):
                await self.steps(20)  # the last response is on its way to the memory
                return
        state = {n: str(self.dut.gen_node[n].i_dut.i_app.step_q.value) for n in nodes}
        tail = "\n".join(f"{c}: {p}" for c, p in self.log[-20:])
        raise AssertionError(f"not done after {limit} cycles, players {state}; last packets:\n{tail}")

    async def steps(self, count: int) -> None:
        """Several cycles."""
        for _ in range(count):
            await self.step()

    def put(self, node: int, address: int, data: bytes) -> None:
        """Write a node's memory before it runs; the rest of its words becomes what put() knew."""
        memory, base = self._memory(node, address)
        at = 0
        while at < len(data):
            word, byte = divmod(base + at, 8)
            part = data[at : at + 8 - byte]
            known = self._known.setdefault((node, address >= DRAM, word), bytearray(8))
            known[byte : byte + len(part)] = part
            memory[word].value = int.from_bytes(known, "little")
            at += len(part)

    def get(self, node: int, address: int, count: int) -> bytes:
        """Read it."""
        memory, base = self._memory(node, address)
        first, last = base // 8, (base + count + 7) // 8
        data = b"".join(int(memory[w].value).to_bytes(8, "little") for w in range(first, last))
        return data[base % 8 : base % 8 + count]

    def _memory(self, node: int, address: int) -> tuple[Any, int]:
        scope = self.dut.gen_node[node]
        if address >= DRAM:
            return scope.dram, address - DRAM
        return scope.i_dut.i_app.memory, address - MEMORY

    def names(self) -> list[str]:
        """Kinds of the packets that were sent."""
        return [NAMES[p.kind] for _, p in self.log]


class _Watch:
    """Lets a world see every cycle."""

    def __init__(self, world: World) -> None:
        self._world = world

    def reset(self) -> None:
        """Nothing."""

    def drive(self) -> None:
        """Nothing: World.step drives."""

    def sample(self, cycle: int) -> None:
        """What the nodes send."""
        self._world.sample(cycle)

    def busy(self) -> str:
        """Wait for nothing."""
        return ""


class Response:
    """The two words of a response (ENGINE.md)."""

    def __init__(self, word0: int, word1: int) -> None:
        self.error, self.done = word0 & 0xFF, word0 >> 8 & 1
        self.handle = self.source = word0 >> 16 & 0xFFFF
        self.tag = word0 >> 32
        self.bytes, self.dtype = word1 & 0xFFFFFFFF, word1 >> 32 & 0xFF

    def __repr__(self) -> str:
        who = f"from {self.source} tag {self.tag}"
        return f"(error {self.error} done {self.done} {who} bytes {self.bytes} type {self.dtype})"


def command(op: int, peer: int = 0, tag: int = 0, address: int = 0, count: int = 0, comm: int = 0, dtype: int = 0,
            handle: int = 0) -> tuple[int, int, int]:  # fmt: skip
    """The three words of a command."""
    return (op | dtype << 8 | peer << 16 | tag << 32, comm | handle << 16 | address << 32, count)
