# SPDX-License-Identifier: Apache-2.0
"""What the mailbox's tests share: its structs, its sizes in mailbox_tb, and a tile around it that checks every output.

The rules are written down here from roles/overlay/README.md and docs/sources/tinsel.md, 3.1, on lists and dictionaries.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from polyloom.rtl.testing import Harness, Struct

SEND = Struct.of("polyloom_overlay_pkg::send_t")
#: Why a send is refused: low bits of the cause, of which the first counts (arch/send_fault.h).
REFUSED = 0x80
BUSY, LENGTH, NOWHERE, NO_RECEIVER, NO_THREAD, POINTER = 3, 4, 0, 5, 6, 7
MEM = Struct.of("polyloom_overlay_pkg::mem_req_t")
RSP = Struct.of("polyloom_overlay_pkg::rsp_t")
FLIT = Struct.of("polyloom_overlay_pkg::flit_t", flat=True)
EVENT = Struct.of("polyloom_overlay_pkg::tile_event_t")
CTL = Struct.of("polyloom_overlay_pkg::ctl_req_t")
WRITE_SCRATCHPAD, READ_SCRATCHPAD = 2, 3
LOAD, STORE = 0, 1
UNICAST, MASK, KEY, HOST = range(4)
CAN_SEND, CAN_RECV, IDLE, VOTE = 1, 2, 4, 8
HOST_BIT, KEY_BIT, ACCELERATOR_BIT = 1 << 11, 1 << 12, 1 << 13
MESH = 0x32  # three boards high, two wide; of 2 x 3 tiles (mailbox_tb)
PLACES = 63


@dataclass(frozen=True)
class Size:
    """A mailbox of mailbox_tb."""

    cores: int
    threads: int
    slots: int
    max_flits: int
    first: int  # slot for messages that come in
    routers: bool  # keys may be sent

    @property
    def all(self) -> int:
        """Threads of the tile."""
        return self.cores * self.threads


SIZES = (Size(2, 4, 128, 4, 64, False), Size(4, 16, 512, 4, 128, True), Size(1, 1, 128, 3, 64, False))


def mailbox_id(board_x: int = 0, board_y: int = 0, x: int = 0, y: int = 0) -> int:
    """Y, X of the board; y, x of the tile: docs/sources/tinsel.md, 1.4."""
    return board_y << 7 | board_x << 4 | y << 2 | x


@dataclass
class Message:
    """A message, by its words of 128 bits."""

    dest: int
    mask: int
    data: list[int]
    kind: int = MASK
    slot: int | None = None  # where the mailbox has put it, once somebody knows
    left: int = 0  # receivers that have not freed it
    source: int = -1  # sends: the thread
    called: int = 0  # sends: the cycle


@dataclass
class CoreModel:
    """Buffer and pointer queues of a core."""

    buffer: deque[tuple[int, list[int], Message]] = field(default_factory=deque)  # from which cycle on, threads
    pause: bool = False


class Tile:
    """Drives a mailbox and compares every output in every cycle. Calls are put into `calls` by the test."""

    def __init__(self, h: Harness, size: Size) -> None:
        self.h, self.rng, self.size = h, h.rng, size
        self.signals: dict[str, Any] = {}
        self.calls: dict[str, dict[int, int]] = {}  # of this cycle: port -> core -> word
        self.policy: Callable[[], None] = lambda: None
        self.room: Callable[[], bool] = lambda: True
        self.cores = [CoreModel() for _ in range(size.cores)]
        self.queues: list[deque[Message]] = [deque() for _ in range(size.all)]
        self.held: list[list[Message]] = [[] for _ in range(size.all)]
        self.live: dict[int, Message] = {}
        self.waits = [0] * size.all
        self.woken: dict[int, int] = {}  # that are due in the next cycle
        self.busy_threads: set[int] = set()
        self.sends: deque[Message] = deque()
        self.sent: list[tuple[int, Message]] = []  # cycle of the first flit
        self.out_rest: list[int] = []
        self.received_by: dict[int, int] = {}  # core -> thread whose recv is answered in this cycle
        self.inject: deque[Message] = deque()
        self.in_flits: deque[tuple[int, Message | None]] = deque()
        self.arriving: list[tuple[int, Message]] = []
        self.on_wire = 0
        self.shadow: dict[int, int] = {}  # words that cores have stored
        self.pending: dict[
            tuple[int, int], tuple[int, int] | None
        ] = {}  # core, thread -> place, what a load must bring
        self.scratchpad_responses: list[tuple[int, int, int, int]] = []  # cycle, core, thread, data
        self.events: list[int] = []
        self.event_ready = True
        self.counts = dict.fromkeys(("sent", "sent_flit", "received", "received_flit", "freed"), 0)
        self.delivered = self.lost = self.accepted = self.freed = 0
        self.release: int | None = None  # vote, in the next cycle
        self.calls_made = 0
        self.room_now = True
        h.add(self)

    # ---- ports ----

    def set(self, name: str, value: int) -> None:
        """Drive a signal of the scope, if it changes."""
        if name not in self.signals:
            self.signals[name] = [self.h.signal(name), None]
        entry = self.signals[name]
        if entry[1] != value:
            entry[0].set(value)
            entry[1] = value

    def get(self, name: str) -> int:
        """A signal of the scope."""
        if name not in self.signals:
            self.signals[name] = [self.h.signal(name), None]
        return int(self.signals[name][0].get())

    def reset(self) -> None:
        """Nothing is called."""

    def busy(self) -> str:
        """Wait for what is to come in and to go out."""
        return f"{len(self.inject)} to come, {len(self.sends)} to go" if self.inject or self.sends else ""

    # ---- calls ----

    def _call(self, port: str, core: int, word: int) -> None:
        self.calls.setdefault(port, {})[core] = word

    def free_core(self, core: int) -> bool:
        """Whether the core has made no call in this cycle."""
        return all(core not in made for made in self.calls.values())

    def send(
        self, thread: int, slot: int, dest: int = 0, mask: int = 1, flits: int = 1, pc: int = 0, astray: int = 0
    ) -> None:
        """Send; the test says if it is a good one by adding it to `sends` (see good_send)."""
        core, t = divmod(thread, self.size.threads)
        self._call(
            "send", core, SEND.pack(thread=t, dest=dest, mask=mask, astray=astray, slot=slot, flits=flits - 1, pc=pc)
        )

    def good_send(self, thread: int, slot: int, data: list[int], dest: int, mask: int, pc: int = 0) -> None:
        """Send, and expect it."""
        self.send(thread, slot, dest, mask, len(data), pc)
        kind = HOST if dest & HOST_BIT else UNICAST if mask.bit_count() == 1 else MASK
        if dest & KEY_BIT and self.size.routers:
            kind = KEY
        self._now_sends.append(Message(dest, mask, list(data), kind, source=thread, called=self.h.cycle))

    def recv(self, thread: int) -> None:
        """Take the next message; goes to `held`."""
        core, t = divmod(thread, self.size.threads)
        self._call("recv", core, t)

    def free(self, thread: int, message: Message) -> None:
        """Free a message that the thread holds."""
        assert message.slot is not None
        self.held[thread].remove(message)
        message.left -= 1
        if message.left == 0:
            del self.live[message.slot]
            self.freed += 1
        self.free_slot(thread, message.slot)

    def free_slot(self, thread: int, slot: int) -> None:
        """Free any slot."""
        self._call("free", thread // self.size.threads, slot)

    def wait(self, thread: int, bits: int) -> None:
        """Wait."""
        core, t = divmod(thread, self.size.threads)
        self._call("wait", core, t | bits << 4)
        self._now_waits.append((thread, bits))

    def access(self, thread: int, word: int, data: int | None = None) -> None:
        """Load or store a word of the scratchpad; a load must bring what is known of it, if anything is."""
        core, t = divmod(thread, self.size.threads)
        assert (core, t) not in self.pending
        op = LOAD if data is None else STORE
        self._call("scratchpad_req", core, MEM.pack(op=op, size=2, thread=t, addr=0x8000 | word * 4, data=data or 0))
        if data is not None:
            self.shadow[word] = data
        self.pending[core, t] = (word, self.shadow[word]) if data is None and word in self.shadow else None

    # ---- a cycle ----

    def drive(self) -> None:
        """Ask the policy, then drive its calls, the network's flit and its room."""
        self._now_sends: list[Message] = []
        self._now_waits: list[tuple[int, int]] = []
        self.room_now = self.room()
        self.policy()
        self._drive_calls()
        self.set("mesh", MESH)
        self.set("out_room", int(self.room_now))
        self.set("event_ready", int(self.event_ready))
        self.set("released", int(self.release is not None))
        self.set("released_vote", self.release or 0)
        flit, self.tail = self.in_flits.popleft() if self.in_flits else (0, None)
        self.head = flit >> FLIT.width - 1 & 1
        self.set("in_valid", int(flit != 0))
        if flit:
            self.set("in_flit", flit)

    def _drive_calls(self) -> None:
        ports = {"send": SEND.width, "scratchpad_req": MEM.width, "free": 9}
        for port in ("send", "scratchpad_req", "free", "recv", "wait"):
            made = self.calls.get(port, {})
            self.set(f"{port}_valid", sum(1 << core for core in made))
            if not made:
                continue
            if port in ("recv", "wait"):
                self.set(f"{port}_thread", sum((word & 15) << 4 * core for core, word in made.items()))
                if port == "wait":
                    self.set("wait_bits", sum((word >> 4) << 4 * core for core, word in made.items()))
            else:
                name = "free_slot" if port == "free" else port
                self.set(name, sum(word << ports[port] * core for core, word in made.items()))
        self.calls_made += sum(map(len, self.calls.values()))

    def sample(self, cycle: int) -> None:
        """Compare, then do what happens at the edge."""
        self._check_out(cycle)
        self._check_levels(cycle)
        self._check_recv()
        self._check_scratchpad(cycle)
        self._serve(cycle)
        self._take_calls()
        self._network(cycle)
        if self.get("event_valid") and self.event_ready:
            self.events.append(self.get("event_word"))
        for name in self.counts:
            self.counts[name] += self.get(f"count_{name}")
        self.delivered += self.get("count_delivered").bit_count()
        self.lost += self.get("count_lost").bit_count()
        self.calls = {}

    def _check_out(self, cycle: int) -> None:
        if not self.get("out_valid"):
            assert not self.out_rest, f"cycle {cycle}: a gap in a message"
            self.room_before = self.room_now
            return
        flit = FLIT.unpack(self.get("out"))
        if not self.out_rest:
            assert flit["first"] and self.sends, f"cycle {cycle}: a flit that nothing sent"
            message = self.sends[0]
            assert self.room_before, f"cycle {cycle}: started without room"
            assert cycle >= message.called + 2
            head = {"kind": message.kind, "flits": len(message.data) - 1, "dest": message.dest, "mask": message.mask}
            got = {name: flit[name] for name in head}
            assert got == head, f"cycle {cycle}: {got}, expected {head}"
            self.out_rest = list(message.data)
            self.sent.append((cycle, message))
        else:
            assert not flit["first"]
        data = self.out_rest.pop(0)
        assert flit["data"] == data or not self.check_data, f"cycle {cycle}: wrong data of a flit"
        assert flit["last"] == (not self.out_rest)
        if not self.out_rest:
            self.busy_threads.discard(self.sends.popleft().source)
        self.room_before = self.room_now

    def _check_levels(self, cycle: int) -> None:
        n = self.size.all
        self.can_send = sum(1 << t for t in range(n) if t not in self.busy_threads)
        self.can_recv = sum(1 << t for t in range(n) if self.queues[t])
        got = self.get("can_send"), self.get("can_recv")
        assert got == (self.can_send, self.can_recv), f"cycle {cycle}: can send, can receive {got}"
        wake = self.get("wake")
        assert wake == sum(1 << t for t in self.woken), f"cycle {cycle}: wakes {wake:#x}, expected {self.woken}"
        if wake:
            bits = self.get("wake_bits")
            for t, expected in self.woken.items():
                assert bits >> 4 * t & 15 == expected, f"cycle {cycle}: thread {t} woken by {bits >> 4 * t & 15}"
        idle = all(w & IDLE for w in self.waits), all(w & IDLE and w & VOTE for w in self.waits)
        assert (self.get("all_idle"), self.get("all_vote")) == idle
        self.woken = {}
        for t, waits in enumerate(self.waits):
            if not waits:
                continue
            holds = waits & (self.can_send >> t & 1 | (self.can_recv >> t & 1) << 1)
            if self.release is not None and waits & IDLE:
                holds |= IDLE | (VOTE if self.release else 0)
            if holds:
                self.woken[t] = holds
        for t in self.woken:
            self.waits[t] = 0
        self.release = None

    def _check_recv(self) -> None:
        for core, thread in self.received_by.items():
            slot = self.get("recv_slot") >> 9 * core & 511
            message = self.queues_taken.pop(thread)
            if message.slot is None:
                assert self.size.first <= slot < self.size.slots, f"slot {slot} is not for messages that come in"
                assert slot not in self.live, f"slot {slot} is in use already"
                message.slot = slot
                self.live[slot] = message
                for i, flit in enumerate(message.data):
                    for j in range(4):
                        self.shadow[slot * 16 + 4 * i + j] = flit >> 32 * j & 0xFFFFFFFF
            assert message.slot == slot, f"thread {thread} received slot {slot}, others {message.slot}"
            self.held[thread].append(message)
        self.received_by, self.queues_taken = {}, {}

    def _check_scratchpad(self, cycle: int) -> None:
        valid = self.get("scratchpad_valid")
        assert valid & (valid - 1) == 0, "two responses in a cycle"
        if valid:
            core, response = valid.bit_length() - 1, RSP.unpack(self.get("scratchpad"))
            known = self.pending.pop((core, response["thread"]))
            if known is not None:
                assert response["data"] == known[1], f"cycle {cycle}: word {known[0]} is {response['data']:#x}"
            self.scratchpad_responses.append((cycle, core, response["thread"], response["data"]))

    def _serve(self, cycle: int) -> None:
        accepted = self.calls.get("recv", {})
        self.queues_taken = {}
        for core, model in enumerate(self.cores):
            base = core * self.size.threads
            served = None
            if model.buffer and model.buffer[0][0] <= cycle and not model.pause:
                _, threads, message = model.buffer[0]
                room = len(self.queues[threads[0]]) < PLACES or accepted.get(core) == threads[0] - base
                served = (threads[0], message) if room else None
            if core in accepted:
                thread = base + accepted[core]
                if self.queues[thread]:
                    self.queues_taken[thread] = self.queues[thread].popleft()
                    self.received_by[core] = thread
            model.pause = served is not None
            if served is not None:
                self.queues[served[0]].append(served[1])
                model.buffer[0][1].pop(0)
                if not model.buffer[0][1]:
                    model.buffer.popleft()

    def _take_calls(self) -> None:
        self._now_sends.sort(key=lambda m: m.source)
        self.sends.extend(self._now_sends)
        self.busy_threads.update(m.source for m in self._now_sends)
        self.accepted += len(self._now_sends)
        for thread, bits in self._now_waits:
            self.waits[thread] = bits

    def _network(self, cycle: int) -> None:
        if self.tail is not None:  # on the wire: queued 2 cycles later
            for core, model in enumerate(self.cores):
                base = core * self.size.threads
                threads = [t for t in range(base, base + self.size.threads) if self.tail.mask >> t & 1]
                if threads:
                    model.buffer.append((cycle + 2, threads, self.tail))
        room = self.get("in_room")
        if room:
            assert self.slots_free() > 0, f"cycle {cycle}: room, but no slot is free"
        # At most the flit that is on the wire now is left of the message before.
        if room and self.inject and not self.in_flits and self.rng.random() < self.inject_rate:
            message = self.inject.popleft()
            message.left = message.mask.bit_count()
            self.on_wire += 1
            for i, word in enumerate(message.data):
                first, last = int(i == 0), int(i == len(message.data) - 1)
                head = {"kind": message.kind, "flits": len(message.data) - 1, "dest": message.dest}
                if not first:  # means nothing
                    head = {"kind": self.rng.randrange(6), "flits": self.rng.randrange(4), "dest": 0}
                mask = message.mask if first else self.rng.getrandbits(64)
                flit = FLIT.pack(first=first, last=last, mask=mask, data=word, **head)
                self.in_flits.append((flit, message if last else None))

    inject_rate = 1.0
    check_data = True  # of what leaves

    def slots_free(self) -> int:
        """Free slots, were a free done at once."""
        return self.size.slots - self.size.first - self.on_wire + self.freed

    async def start(self) -> None:
        """Reset, and the cycles in which the tables are cleared."""
        await self.h.reset()
        await self.h.until(lambda: bool(self.get("in_room")), limit=self.size.slots + 10)

    def message(self, mask: int, flits: int | None = None) -> Message:
        """A message for threads of this tile."""
        count = flits or self.rng.randint(1, self.size.max_flits)
        return Message(0, mask, [self.rng.getrandbits(128) | 1 for _ in range(count)])
