# SPDX-License-Identifier: Apache-2.0
"""LLVM code for signals in lanes.

A word is up to 64 bits (more only as the result of wide arithmetic) of a group, in all its lanes: one bit in each of L
lanes is the integer iL, lane l its bit l; w bits are a vector of L integers of 8, 16, 32, 64, ... bits, whose bits
above w are zero; of one lane they are an integer. A reference names a bit of a word (or is the constant 0 or 1); a
signal is a sequence of references, and is packed into words only where an operation needs it whole.

Code is cut into functions ("chunks"). What one chunk computes and another uses goes through memory: ``Slots``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

Refs = Sequence[int]
_SHIFT = 14  # a reference is (number of the word << _SHIFT) + bit; words are counted from 1


@dataclass(eq=False, slots=True)
class Word:
    """Where a word is: in memory at ``slot`` (base pointer, offset), if any; computed in ``chunk`` as ``name``."""

    lanes: int
    width: int
    slot: tuple[str, int] | None = None
    chunk: Chunk | None = None
    name: str = ""
    readers: set[int] = field(default_factory=set)  # chunks that take it from memory


@dataclass(eq=False)
class Chunk:
    """A function under construction. ``known``: values by whatever identifies them."""

    number: int
    lines: list[str] = field(default_factory=list)
    known: dict[object, str] = field(default_factory=dict)
    results: dict[tuple[int, int, str], list[int]] = field(default_factory=dict)
    stores: list[Word] = field(default_factory=list)  # what other chunks take
    registers: list[tuple[Word, str]] = field(default_factory=list)  # next values


def element_bits(width: int) -> int:
    """Bits of the integer that holds so many."""
    for bits in (8, 16, 32, 64):
        if width <= bits:
            return bits
    return -(-width // 64) * 64


def vector(lanes: int, element: str) -> str:
    """Type of so many."""
    return element if lanes == 1 else f"<{lanes} x {element}>"


def word_type(lanes: int, width: int) -> str:
    """Type of a word."""
    return f"i{lanes}" if width == 1 else vector(lanes, f"i{element_bits(width)}")


def constant(lanes: int, bits: int, value: int) -> str:
    """A constant of ``bits`` bits in all lanes."""
    if lanes == 1:
        return str(value)
    if value == 0:
        return "zeroinitializer"
    return "<" + ", ".join([f"i{bits} {value}"] * lanes) + ">"


def slot_bytes(lanes: int, width: int) -> int:
    """Of a word in memory; also its alignment, up to 64."""
    size = (lanes + 7) // 8 if width == 1 else lanes * element_bits(width) // 8
    return 1 << (size - 1).bit_length()


class Run(NamedTuple):
    """Of a signal: ``length`` bits of a "constant" whose value is ``first``; of one word, "bits" from the reference
    ``first`` on; or a "repeat" of it."""

    kind: str
    first: int
    length: int


class Slots:
    """Offsets in one region of memory."""

    def __init__(self) -> None:
        self.size = 0

    def take(self, size: int) -> int:
        """Of so many bytes, a power of two or a multiple of 64."""
        align = min(size, 64)
        offset = -(-self.size // align) * align
        self.size = offset + size
        return offset


class Coder:
    """Writes code for one chunk after another."""

    def __init__(self) -> None:
        self.words: list[Word] = [Word(1, 1)]  # numbers start at 1
        self.temporaries = Slots()
        self.chunks: list[Chunk] = []

    def next_chunk(self) -> None:
        """What comes goes into a new function."""
        self.chunk = Chunk(len(self.chunks))
        self.chunks.append(self.chunk)

    # ---- words ----
    def stored(self, lanes: int, width: int, base: str, offset: int) -> list[int]:
        """References to a word that is in memory from the start."""
        self.words.append(Word(lanes, width, (base, offset)))
        return self._refs(width)

    def computed(self, lanes: int, width: int, name: str) -> list[int]:
        """References to what was computed just now."""
        key = (lanes, width, name)
        if key not in self.chunk.results:
            word = Word(lanes, width, None, self.chunk, name)
            self.words.append(word)
            self.chunk.known[word] = name
            self.chunk.results[key] = self._refs(width)
        return list(self.chunk.results[key])

    def _refs(self, width: int) -> list[int]:
        number = len(self.words) - 1
        return [(number << _SHIFT) + i for i in range(width)]

    def op(self, text: str) -> str:
        """A line; its result. The same line gives the same result."""
        name = self.chunk.known.get(text)
        if name is None:
            name = f"%v{len(self.chunk.lines)}"
            self.chunk.lines.append(f"{name} = {text}")
            self.chunk.known[text] = name
        return name

    def do(self, text: str) -> None:
        """A line without a result."""
        self.chunk.lines.append(text)

    def value(self, word: Word) -> str:
        """The word, as its type."""
        name = self.chunk.known.get(word)
        if name is None:
            if word.slot is None:
                assert word.chunk is not None
                word.slot = ("%t", self.temporaries.take(slot_bytes(word.lanes, word.width)))
                word.chunk.stores.append(word)
            word.readers.add(self.chunk.number)
            name = self.load(word.lanes, word.width, *word.slot)
            self.chunk.known[word] = name
        return name

    def load(self, lanes: int, width: int, base: str, offset: int) -> str:
        """A word from memory."""
        pointer = self.op(f"getelementptr i8, ptr {base}, i64 {offset}")
        align = min(slot_bytes(lanes, width), 64)
        if width == 1 and lanes % 8:
            byte = self.op(f"load i8, ptr {pointer}, align 1")
            return self.op(f"trunc i8 {byte} to i{lanes}")
        return self.op(f"load {word_type(lanes, width)}, ptr {pointer}, align {align}")

    def store(self, lanes: int, width: int, name: str, base: str, offset: int) -> None:
        """A word to memory."""
        pointer = self.op(f"getelementptr i8, ptr {base}, i64 {offset}")
        kind = word_type(lanes, width)
        if width == 1 and lanes % 8:
            name, kind = self.op(f"zext i{lanes} {name} to i8"), "i8"
        self.do(f"store {kind} {name}, ptr {pointer}, align {min(slot_bytes(lanes, width), 64)}")

    # ---- parts of signals ----
    def word(self, ref: int) -> tuple[Word, int]:
        """What a reference that is not a constant names: a word and a bit."""
        return self.words[ref >> _SHIFT], ref & ((1 << _SHIFT) - 1)

    def runs(self, refs: Refs) -> list[Run]:
        """A signal in as few pieces as possible."""
        found: list[Run] = []
        i, end = 0, len(refs)
        while i < end:
            ref, j = refs[i], i + 1
            if ref < 2:
                while j < end and refs[j] < 2:
                    j += 1
                value = sum(bit << k for k, bit in enumerate(refs[i:j]))
                found.append(Run("constant", value, j - i))
            elif j < end and refs[j] == ref:
                while j < end and refs[j] == ref:
                    j += 1
                found.append(Run("repeat", ref, j - i))
            else:
                while j < end and refs[j] == ref + (j - i):  # the next word's bits are not next: see _SHIFT
                    j += 1
                found.append(Run("bits", ref, j - i))
            i = j
        return found

    def bit(self, lanes: int, ref: int) -> str:
        """One bit: iL."""
        if ref < 2:
            return str(-ref) if lanes > 1 else str(ref)
        word = self.words[ref >> _SHIFT]
        value = self.value(word)
        if word.width == 1:
            return value
        at = ref & ((1 << _SHIFT) - 1)
        bits = element_bits(word.width)
        kind = word_type(lanes, word.width)
        if lanes == 1:
            if at:
                value = self.op(f"lshr {kind} {value}, {at}")
            return self.op(f"trunc {kind} {value} to i1")
        part = self.op(f"and {kind} {value}, {constant(lanes, bits, 1 << at)}")
        return self.to_mask(lanes, self.op(f"icmp ne {kind} {part}, zeroinitializer"))

    def to_mask(self, lanes: int, name: str) -> str:
        """<L x i1> as iL."""
        if lanes == 1:
            return name
        mask = self.op(f"bitcast <{lanes} x i1> {name} to i{lanes}")
        self.chunk.known["flags", mask] = name
        return mask

    def from_mask(self, lanes: int, name: str) -> str:
        """iL as <L x i1>, with its type before it."""
        if lanes == 1:
            return f"i1 {name}"
        flags = self.chunk.known.get(("flags", name))
        if flags is None:
            # Hidden, or LLVM 19's code generator tries to turn all that leads to the mask into logic of vectors,
            # in time exponential in its depth.
            bits = max(lanes, 8)
            whole = name if bits == lanes else self.op(f"zext i{lanes} {name} to i{bits}")
            hidden = self.op(f'call i{bits} asm "", "=r,0"(i{bits} {whole})')
            part = hidden if bits == lanes else self.op(f"trunc i{bits} {hidden} to i{lanes}")
            flags = self.op(f"bitcast i{lanes} {part} to <{lanes} x i1>")
        return f"<{lanes} x i1> {flags}"

    def resize(self, lanes: int, name: str, old: int, new: int) -> str:
        """Elements of ``old`` bits as elements of ``new`` bits."""
        if old == new:
            return name
        how = "zext" if new > old else "trunc"
        return self.op(f"{how} {vector(lanes, f'i{old}')} {name} to {vector(lanes, f'i{new}')}")

    def part(self, lanes: int, word: Word, low: int, count: int) -> str:
        """Bits of a word, as a word of ``count`` bits (more than one)."""
        value, bits = self.value(word), element_bits(word.width)
        if count == word.width:
            return value
        if low:
            value = self.op(f"lshr {vector(lanes, f'i{bits}')} {value}, {constant(lanes, bits, low)}")
        new = element_bits(count)
        value = self.resize(lanes, value, bits, min(new, bits))
        if low + count < word.width and count < new:
            value = self.op(f"and {vector(lanes, f'i{new}')} {value}, {constant(lanes, new, (1 << count) - 1)}")
        return value

    def pack(self, lanes: int, refs: Refs) -> str:
        """A signal as one word."""
        width = len(refs)
        if width == 1:
            return self.bit(lanes, refs[0])
        key = (lanes, tuple(refs))
        name = self.chunk.known.get(key)
        if name is None:
            name = self.chunk.known[key] = self._pack(lanes, refs)
        return name

    def _pack(self, lanes: int, refs: Refs) -> str:
        width = len(refs)
        bits = element_bits(width)
        kind = vector(lanes, f"i{bits}")
        at, fixed = 0, 0
        parts = []
        for how, first, count in self.runs(refs):
            if how == "constant":
                fixed |= first << at
                at += count
                continue
            if count == 1 and lanes == 1:
                part = self.op(f"zext i1 {self.bit(lanes, first)} to i{bits}")
                part = self.op(f"shl i{bits} {part}, {at}") if at else part
            elif how == "repeat" or count == 1:
                mask = self.from_mask(lanes, self.bit(lanes, first))
                ones = constant(lanes, bits, ((1 << count) - 1) << at)
                part = self.op(f"select {mask}, {kind} {ones}, {kind} {constant(lanes, bits, 0)}")
            else:
                word, low = self.word(first)
                part = self.resize(lanes, self.part(lanes, word, low, count), element_bits(count), bits)
                if at:
                    part = self.op(f"shl {kind} {part}, {constant(lanes, bits, at)}")
            parts.append(part)
            at += count
        if not parts:
            return constant(lanes, bits, fixed)
        if fixed:
            parts.append(constant(lanes, bits, fixed))
        return self.tree("or", kind, parts)

    def tree(self, what: str, kind: str, parts: Sequence[str]) -> str:
        """All joined by an associative operation, in few steps one after another."""
        left = list(parts)
        while len(left) > 1:
            pairs = [self.op(f"{what} {kind} {a}, {b}") for a, b in zip(left[::2], left[1::2], strict=False)]
            left = pairs + (left[-1:] if len(left) % 2 else [])
        return left[0]

    def split(self, signals: Sequence[Refs], make: Callable[[Sequence[Refs]], list[int]]) -> list[int]:
        """Apply ``make`` to signals of one length, in pieces that are a run in each of them; the results in a row."""
        result: list[int] = []
        begin = 0
        for end in sorted(self._ends(signals)):
            result += make([refs[begin:end] for refs in signals])
            begin = end
        return result

    def pieces(self, signals: Sequence[Refs]) -> int:
        """How many those are."""
        return len(self._ends(signals))

    def _ends(self, signals: Sequence[Refs]) -> set[int]:
        ends = set()
        for refs in signals:
            at = 0
            for run in self.runs(refs):
                at += run.length
                ends.add(at)
        return ends
