# SPDX-License-Identifier: Apache-2.0
# Covers: keys, trees and mixes of routing records at random, on clusters of the fast model and of RTL, with link errors
# too: each thread hears exactly what an expansion in Python says, in the round in which it was sent (so no barrier is
# early and none hangs). Boards in RTL beside the model make as many copies of as many records as it does, in cycles
# that differ by 2 % at most, and name the same records that lead nowhere. The bytes of tables are made here, from the
# published layout. With POLYLOOM_TEST_FULL=1 a campaign. Leaves out: each cycle (overlay_expanders_test,
# overlay_noc_rtl_test), tables of the mapper (polite/).
from __future__ import annotations

import csv
import os
import random
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from conftest import ROOT
from test_overlay_swap import mixed, mixes

from polyloom.testing import FULL

HOST = ROOT / "build" / "bin" / "router_host"
DEVICE = ROOT / "build" / "device" / "router_test"
TABLES = 0x01804000
# Directions of records, and where they lead.
STEPS = {0: (0, 1), 1: (0, -1), 2: (1, 0), 3: (-1, 0)}


@dataclass
class Machine:
    """A cluster as its tables see it."""

    boards: tuple[int, int]
    tiles: tuple[int, int]
    cores: int = 4
    threads: int = 16
    slices: int = 1


CLUSTERS = {
    "tiny-1": Machine((1, 1), (1, 1)),
    "tiny-2": Machine((2, 1), (1, 1)),
    "laptop": Machine((2, 1), (2, 2), slices=2),
    "tiny-6": Machine((3, 2), (1, 1)),
    "tinsel-12": Machine((3, 4), (4, 4), slices=2),
}


def beats(records: list[int]) -> list[bytes]:
    """Records (48 bits, or 96 with WIDE) as 32-byte beats: the first one highest, their number above."""
    packed: list[tuple[int, int, int]] = []  # bits, chunks used, records
    for record in records:
        chunks = 2 if record >> 96 & 1 else 1
        value = record & ((1 << 48 * chunks) - 1)
        if not packed or packed[-1][1] + chunks > 5:
            packed.append((0, 0, 0))
        bits, used, count = packed[-1]
        packed[-1] = (bits | value << 48 * (5 - used - chunks), used + chunks, count + 1)
    return [(count << 240 | bits).to_bytes(32, "little") for bits, _, count in packed]


WIDE = 1 << 96  # marks a record of two chunks


def tile_bits(x: int, y: int) -> int:
    """The four bits of a tile."""
    return y << 2 | x


def urm1(x: int, y: int, thread: int, word: int) -> int:
    """To a thread, with another first word."""
    return 0 << 45 | tile_bits(x, y) << 41 | thread << 35 | word


def urm2(x: int, y: int, thread: int, words: int) -> int:
    """To a thread, with other first two words."""
    return WIDE | 1 << 93 | tile_bits(x, y) << 89 | thread << 83 | words


def rr(direction: int, key: int) -> int:
    """To the next board."""
    return 2 << 45 | direction << 43 | key


def mrm(x: int, y: int, mask: int, half: int) -> int:
    """To threads of a tile, with another lower half of the first word."""
    return WIDE | 3 << 93 | tile_bits(x, y) << 89 | half << 64 | mask


def ind(key: int) -> int:
    """Goes on with another key."""
    return 4 << 45 | key


# What becomes of the first two words on the way to a thread: (board x, y, core, thread), mask, value.
Receiver = tuple[tuple[int, int, int, int], int, int]


@dataclass
class Tables:
    """Random tables of a machine, and to whom each key leads."""

    machine: Machine
    random: random.Random
    next: dict[tuple[int, int, int], int] = field(default_factory=dict)
    script: list[str] = field(default_factory=list)

    def place(self, board: tuple[int, int], records: list[int]) -> int:
        """Writes the records somewhere on a board; gives their key."""
        data = beats(records)
        if not data:
            return 0
        slice_ = self.random.randrange(self.machine.slices)
        at = self.next.get((*board, slice_), TABLES) + 32 * self.random.randrange(3)
        self.next[(*board, slice_)] = at + 32 * len(data)
        self.script.append(f"table {board[0]:x} {board[1]:x} {slice_:x} {at:x} {b''.join(data).hex()}")
        return slice_ << 31 | at | len(data)

    def local(self, board: tuple[int, int]) -> tuple[int, list[Receiver]]:
        """A record for threads of a board, and whom it reaches."""
        m, pick = self.machine, self.random.randrange
        x, y, index = pick(m.tiles[0]), pick(m.tiles[1]), pick(m.cores * m.threads)

        def thread(i: int) -> tuple[int, int, int, int]:
            return (*board, tile_bits(x, y) * 4 + i // m.threads, i % m.threads)

        kind = pick(4)
        if kind == 0:
            word = self.random.getrandbits(32)
            return urm1(x, y, index, word), [(thread(index), 0xFFFFFFFF, word)]
        if kind == 1:
            words = self.random.getrandbits(64)
            return urm2(x, y, index, words), [(thread(index), 0xFFFFFFFFFFFFFFFF, words)]
        mask = 1 << index
        while pick(3):
            mask |= 1 << pick(m.cores * m.threads)
        half = self.random.getrandbits(16)
        return mrm(x, y, mask, half), [(thread(i), 0xFFFF, half) for i in range(64) if mask >> i & 1]

    def key(self, board: tuple[int, int], came: int | None, depth: int = 0) -> tuple[int, list[Receiver]]:
        """A random key of a board for messages that come by link (None: from a thread or the host); whom it reaches."""
        pick, reached = self.random.randrange, []
        records = []
        most = 70 if pick(40) == 0 else 4
        for _ in range(pick(most + 1)):
            record, to = self.local(board)
            records.append(record)
            reached += to
        # A message from a link in Y goes on in Y; none goes back.
        for direction, (dx, dy) in STEPS.items():
            there = (board[0] + dx, board[1] + dy)
            inside = all(0 <= at < size for at, size in zip(there, self.machine.boards, strict=True))
            back = came is not None and (STEPS[came][0] + dx, STEPS[came][1] + dy) == (0, 0)
            turns = came is not None and came < 2 and direction != came
            if inside and not back and not turns and pick(3) != 0:
                further, to = self.key(there, direction, depth)
                records.append(rr(direction, further))
                reached += to
        self.random.shuffle(records)
        if depth < 3 and (pick(8) == 0 or len(beats(records)) > 31):
            half = len(records) // 2
            records, rest = records[:half], records[half:]
            if len(beats(rest)) <= 31:
                records.insert(pick(half + 1), ind(self.place(board, rest)))
            else:  # a chain of chains
                second = self.place(board, rest[len(rest) // 2 :])
                records.insert(0, ind(self.place(board, [*rest[: len(rest) // 2], ind(second)])))
        return self.place(board, records), reached


def replaced(words: int, receiver: Receiver) -> tuple[int, int]:
    """The first two words as a receiver sees them."""
    _, mask, value = receiver
    words = words & ~mask | value & mask
    return words & 0xFFFFFFFF, words >> 32


def traffic(machine: Machine, seed: int, messages: int, rounds: int) -> tuple[list[str], Counter[str]]:
    """A script for router_host, and the lines that it must print."""
    tables = Tables(machine, random.Random(seed))
    pick, bits = tables.random.randrange, tables.random.getrandbits
    expected: Counter[str] = Counter()
    sends = []
    for _ in range(messages):
        board = (pick(machine.boards[0]), pick(machine.boards[1]))
        from_host = pick(10) == 0
        key, reached = tables.key((0, 0) if from_host else board, None)
        first, second, third = bits(32), bits(32), bits(32)
        round_ = 0 if from_host else pick(rounds)
        words = f"{key:x} {first:x} {second:x} {third:x}"
        core = tile_bits(pick(machine.tiles[0]), pick(machine.tiles[1])) * 4 + pick(machine.cores)
        thread = pick(machine.threads)
        sends.append((round_, f"host {words}" if from_host else
                      f"send {board[0]:x} {board[1]:x} {core:x} {thread:x} {round_:x} {words}"))  # fmt: skip
        for receiver in reached:
            one, two = replaced(second << 32 | first, receiver)
            where = " ".join(f"{part:x}" for part in receiver[0])
            # The host's messages come when they come.
            expected[f"{where} {'*' if from_host else f'{round_:x}'} {one:x} {two:x} {third:x}"] += 1
    return tables.script + [line for _, line in sorted(sends)], expected


def play(cluster: str | Path, script: list[str], folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Runs the host program; its record goes into ``folder``."""
    env = os.environ | {"POLYLOOM_ON": "", "POLYLOOM_CLUSTER": str(cluster), "POLYLOOM_RUN_DIR": str(folder or "")}
    return subprocess.run([HOST, DEVICE], input="\n".join(script) + "\n", capture_output=True, text=True, env=env,
                          timeout=590, check=False)  # fmt: skip


def check(
    cluster: str | Path, machine: Machine, seed: int, messages: int, rounds: int = 4, folder: Path | None = None
) -> int:
    """Random traffic on a cluster arrives where it should. Cycles from the first round's end to the last one's."""
    script, expected = traffic(machine, seed, messages, rounds)
    done = play(cluster, script, folder)
    assert done.returncode == 0, done.stderr
    *messages_heard, last = done.stdout.splitlines()
    lines = Counter(messages_heard)
    any_round = Counter(
        {" ".join([*line.split()[:4], "*", *line.split()[5:]]): n for line, n in expected.items() if "*" in line}
    )
    got: Counter[str] = Counter()
    for line, n in lines.items():
        loose = " ".join([*line.split()[:4], "*", *line.split()[5:]])
        got[loose if loose in any_round else line] += n
    assert got == expected
    return int(last.removeprefix("cycles "))


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_each_thread_hears_what_the_tables_say(cluster):
    for seed in range(200 if FULL else 2):
        check(cluster, CLUSTERS[cluster], seed, messages=150)


@pytest.mark.parametrize(
    ("cluster", "in_rtl"), [("tiny-6", []), ("tiny-2", ["fpga.1.0"]), ("tiny-2", ["fpga.0.0", "fpga.1.0"])], ids=str
)
def test_link_errors_lose_and_double_nothing(cluster, in_rtl, tmp_path):
    noisy = mixed(cluster, in_rtl, tmp_path)
    text = noisy.read_text()
    assert text.count('protocol = "reliable"') == 1
    noisy.write_text(
        text.replace('protocol = "reliable"', 'protocol = "reliable"\nbit_error_rate = 1e-5\ndrop_rate = 0.01')
    )
    for seed in range((20 if in_rtl else 100) if FULL else 1):
        check(noisy, CLUSTERS[cluster], 1000 + seed, messages=150)


def of_routers(folder: Path) -> dict[str, int]:
    """Copies, keys and beats that a run's boards have counted."""
    with (folder / "counters.csv").open(newline="") as file:
        counted = {row["name"]: int(row["value"]) for row in csv.DictReader(file)}
    boards = {name.removesuffix(".router.keys") for name in counted if name.endswith(".router.keys")}
    return {
        f"{b} {what}": counted[f"{b}.router.{what}"]
        for b in boards
        for what in ("copies", "copies_links", "keys", "beats")
    }


IN_RTL = [(cluster, in_rtl) for cluster in ("tiny-1", "tiny-2", "laptop") for in_rtl in mixes(cluster)]
TOLERANCE = 0.02  # of cycles: which of two messages comes first decides when others go on


@pytest.mark.parametrize(("cluster", "in_rtl"), IN_RTL, ids=str)
def test_boards_in_rtl_make_the_same_copies(cluster, in_rtl, tmp_path):
    for seed in range(2000, 2010 if FULL else 2001):
        cycles = {}
        for folder, nodes in (("model", []), ("rtl", in_rtl)):
            file, machine = mixed(cluster, nodes, tmp_path), CLUSTERS[cluster]
            cycles[folder] = check(file, machine, seed, messages=120, folder=tmp_path / folder)
        counted = of_routers(tmp_path / "model")
        assert of_routers(tmp_path / "rtl") == counted
        assert len(counted) == 4 * machine.boards[0]
        assert min(n for name, n in counted.items() if machine.boards[0] > 1 or "links" not in name) > 30
        assert abs(cycles["rtl"] / cycles["model"] - 1) < TOLERANCE, cycles


def table(board: tuple[int, int], *records: int) -> str:
    """Records of one key, at the first place of slice 0."""
    return f"table {board[0]:x} {board[1]:x} 0 {TABLES:x} {b''.join(beats(list(records))).hex()}"


#: Tables, what the router says of a key that leads to the first one, and the key's slice bit.
FOLLY: dict[str, tuple[list[str], str, int]] = {
    "memory": ([], "names memory that the board does not have", 1 << 31),
    "record": ([table((0, 0), 7 << 45)], "leads to what is no routing record", 0),
    "receiver": ([table((0, 0), urm1(1, 0, 1, 5))], "has a record for tile (1,0), of which the board has 1x1", 0),
    "link": ([table((0, 0), urm1(0, 0, 1, 5), rr(3, 0))], "has a record for the board in the west", 0),
    "turn": ([table((0, 0), rr(2, TABLES | 1)), table((1, 0), rr(3, 0))], "has a record that sends a message back", 0),
    "chain": ([table((0, 0), ind(TABLES | 1))], "has two indirections, or a message that has followed 255", 0),
}


@pytest.mark.parametrize("in_rtl", [[], ["fpga.0.0", "fpga.1.0"]], ids=["model", "rtl"])
@pytest.mark.parametrize("why", FOLLY)
def test_a_record_that_leads_nowhere_is_named(why, in_rtl, tmp_path):
    tables, says, slice_ = FOLLY[why]
    key = TABLES | 1 | slice_
    done = play(mixed("tiny-2", in_rtl, tmp_path), [*tables, f"send 0 0 0 0 0 {key:x} 1 2 0"])
    assert done.returncode == 1
    board = "(1,0)" if why == "turn" else "(0,0)"
    assert f"the router of board {board} could not go on: routing key {key:#x} {says}" in done.stderr
