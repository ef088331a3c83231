# SPDX-License-Identifier: Apache-2.0
"""Which chunks must run: those whose signals in memory have changed since they ran.

Three sets of chunks, a bit each, one after another in the region %f:
  now     must run in this cycle. A chunk that hands over something else than before puts in the chunks that take it;
          those stand after it.
  next    must run in the next cycle: some register, or memory, that they read changes with the coming edge.
  commit  has registers that change with the coming edge.
A chunk that did not run has left in memory what it would leave if it did. (The method is that of ESSENT: Beamer and
Donofrio, "Efficiently Exploiting Low Activity Factors to Accelerate RTL Simulation", DAC 2020.)
"""

from __future__ import annotations

from collections.abc import Iterable

from polyloom.rtl.lanes.code import Chunk, Coder, Word, element_bits, vector, word_type

_SETS = ("now", "next", "commit")


def flag_words(chunks: int) -> int:
    """64-bit words of a set."""
    return -(-chunks // 64)


def flag_bytes(chunks: int) -> int:
    """Of all sets."""
    return len(_SETS) * 8 * flag_words(chunks)


def finish(coder: Coder, chunk: Chunk, chunks: int) -> None:
    """The end of a chunk: store what others take and the registers' next values; say who must run."""
    coder.chunk = chunk
    changes = _Changes(coder, flag_words(chunks))
    for word in chunk.stores:
        assert word.slot is not None
        changes.note(word, word.name, [("now", number) for number in word.readers])
        coder.store(word.lanes, word.width, word.name, *word.slot)
    for word, name in chunk.registers:
        assert word.slot is not None
        users = [("next", number) for number in word.readers]
        changes.note(word, name, [*users, ("commit", chunk.number)])
        coder.store(word.lanes, word.width, name, "%d", word.slot[1])
    changes.write()


class _Changes:
    """Differences between what was and what is, by who wants to know."""

    def __init__(self, coder: Coder, words: int) -> None:
        self.coder = coder
        self.words = words
        self.found: dict[frozenset[tuple[str, int]], dict[str, list[str]]] = {}

    def note(self, word: Word, name: str, users: Iterable[tuple[str, int]]) -> None:
        """A word in memory becomes ``name``."""
        assert word.slot is not None
        old = self.coder.chunk.known.get(word) if word.slot[0] == "%q" else None
        old = old or self.coder.load(word.lanes, word.width, *word.slot)
        kind = word_type(word.lanes, word.width)
        kind, difference = self._plain(word, kind, self.coder.op(f"xor {kind} {old}, {name}"))
        self.found.setdefault(frozenset(users), {}).setdefault(kind, []).append(difference)

    def _plain(self, word: Word, kind: str, name: str) -> tuple[str, str]:
        """As i64, or as a vector of i32, so that many can be joined."""
        op = self.coder.op
        bits = word.lanes if word.width == 1 else word.lanes * element_bits(word.width)
        if kind.startswith("<"):
            target = f"i{bits}" if bits <= 64 else vector(bits // 32, "i32")
            name, kind = op(f"bitcast {kind} {name} to {target}") if kind != target else name, target
        if kind.startswith("<") or kind == "i64":
            return kind, name
        if bits > 64:
            name, kind = op(f"icmp ne {kind} {name}, 0"), "i1"
        return "i64", op(f"zext {kind} {name} to i64")

    def write(self) -> None:
        """Add the users of what has changed to their sets."""
        op = self.coder.op
        flags: dict[int, list[str]] = {}
        for users, kinds in self.found.items():
            changed = self.coder.tree("or", "i1", [self._any(kind, names) for kind, names in kinds.items()])
            masks: dict[int, int] = {}
            for name, number in users:
                at = _SETS.index(name) * self.words + number // 64
                masks[at] = masks.get(at, 0) | 1 << number % 64
            for at, mask in masks.items():
                flags.setdefault(at, []).append(op(f"select i1 {changed}, i64 {mask}, i64 0"))
        for at, names in sorted(flags.items()):
            pointer = op(f"getelementptr i8, ptr %f, i64 {8 * at}")
            old = op(f"load i64, ptr {pointer}, align 8")
            self.coder.do(f"store i64 {self.coder.tree('or', 'i64', [old, *names])}, ptr {pointer}, align 8")

    def _any(self, kind: str, names: list[str]) -> str:
        op, name = self.coder.op, self.coder.tree("or", kind, names)
        if kind.startswith("<"):
            count = int(kind[1:].split()[0])
            flags = op(f"icmp ne {kind} {name}, zeroinitializer")
            name, kind = op(f"bitcast <{count} x i1> {flags} to i{count}"), f"i{count}"
        return op(f"icmp ne {kind} {name}, 0")
