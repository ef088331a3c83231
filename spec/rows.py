# SPDX-License-Identifier: Apache-2.0
"""The forms that rows of the tables have. A row that contradicts itself, or another one, does not come to be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar, Generic, TypeVar

Row = TypeVar("Row")


class SpecError(ValueError):
    """A table says something that cannot be."""


def unique(what: str, names: Iterable[object]) -> None:
    """Refuse a name or number that two rows of a table have."""
    twice = [str(name) for name, times in Counter(names).items() if times > 1]
    if twice:
        raise SpecError(f"{what}: {', '.join(twice)} stands in two rows")


@dataclass(frozen=True)
class Group(Generic[Row]):
    """Rows that stand below one heading."""

    title: str
    text: str
    rows: list[Row]


# ---- environment ----


@dataclass(frozen=True)
class Variable:
    """An environment variable; texts are Markdown."""

    name: str
    values: str
    default: str
    meaning: str

    def __post_init__(self) -> None:
        if not (self.values and self.default and self.meaning):
            raise SpecError(f"{self.name}: values, default and meaning are wanted")


# ---- keys of cluster files ----

#: Base units: hertz, bits a second, picoseconds, bytes.
UNITS = {
    "frequency": {"Hz": 1, "kHz": 10**3, "MHz": 10**6, "GHz": 10**9},
    "rate": {"b/s": 1, "kb/s": 10**3, "Mb/s": 10**6, "Gb/s": 10**9, "Tb/s": 10**12},
    "duration": {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12},
    "bytes": {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "PiB": 2**50},
}


def quantity(kind: str, text: str) -> int:
    """In base units; SpecError if it is no whole number of them."""
    number, _, unit = text.partition(" ")
    if not number.isdecimal() or unit not in UNITS[kind]:
        raise SpecError(f"{text!r} is no {kind}: a number, a space, and one of {', '.join(UNITS[kind])}")
    return int(number) * UNITS[kind][unit]


@dataclass(frozen=True, kw_only=True)
class Key:
    """A key of a table of a cluster file. ``default`` None: it must be given, unless ``otherwise`` says what holds."""

    kind: ClassVar[str]
    name: str = field(kw_only=False)
    meaning: str = ""
    otherwise: str = ""
    """Default, in words, where it depends on something; ``default`` is then that of the usual case, or none."""
    rtl: str = ""
    """Name of the parameter that brings it to the RTL."""
    former: str = ""
    """Its name in earlier versions: a file that has it is told the new one."""

    def __post_init__(self) -> None:
        if not self.meaning:
            raise SpecError(f"{self.name}: its meaning is missing")
        self.check()

    def check(self) -> None:
        """Refuse a default that is not allowed."""

    def _refuse(self, default: object, allowed: str) -> None:
        raise SpecError(f"{self.name}: its default, {default}, is not allowed; allowed: {allowed}")


@dataclass(frozen=True, kw_only=True)
class Integer(Key):
    """A whole number, below 2^32."""

    kind = "integer"
    default: int | None = field(kw_only=False, default=None)
    low: int = field(kw_only=False, default=0)
    high: int = field(kw_only=False, default=0)
    unit: str = ""
    power_of_two: bool = False
    paper: int | None = None
    """Default of a preset that is as published."""

    def check(self) -> None:
        """Refuse a default outside of the range, and a range that is none."""
        if not 0 <= self.low <= self.high < 2**32:
            raise SpecError(f"{self.name}: {self.low} to {self.high} is no range below 2^32")
        for default in (self.default, self.paper):
            of_two = self.power_of_two and default is not None and default & (default - 1)
            if default is not None and (of_two or not self.low <= default <= self.high):
                self._refuse(default, f"{self.low} to {self.high}")


@dataclass(frozen=True, kw_only=True)
class PowerOfTwo(Integer):
    """One of the powers of two of a range."""

    power_of_two: bool = True


@dataclass(frozen=True, kw_only=True)
class Boolean(Key):
    """``true`` or ``false``."""

    kind = "boolean"
    default: bool | None = field(kw_only=False, default=None)


@dataclass(frozen=True, kw_only=True)
class Choice(Key):
    """One of some words."""

    kind = "choice"
    choices: list[str] = field(kw_only=False, default_factory=list)
    default: str | None = None

    def check(self) -> None:
        """Refuse a default that is none of the words."""
        unique(self.name, self.choices)
        if self.default is not None and self.default not in self.choices:
            self._refuse(self.default, ", ".join(self.choices))


@dataclass(frozen=True, kw_only=True)
class Quantity(Key):
    """A number with a unit; all three as in a cluster file."""

    default: str | None = field(kw_only=False, default=None)
    low: str = field(kw_only=False, default="")
    high: str = field(kw_only=False, default="")

    def check(self) -> None:
        """Refuse a default outside of the range."""
        low, high = self.in_base(self.low), self.in_base(self.high)
        if self.default is not None and not low <= self.in_base(self.default) <= high:
            self._refuse(self.default, f"{self.low} to {self.high}")

    def in_base(self, text: str) -> int:
        """One of them in base units."""
        return quantity(self.kind, text)


@dataclass(frozen=True, kw_only=True)
class Frequency(Quantity):
    """Hertz."""

    kind = "frequency"
    low: str = "1 Hz"
    high: str = "100 GHz"


@dataclass(frozen=True, kw_only=True)
class Rate(Quantity):
    """Bits a second."""

    kind = "rate"
    low: str = "1 b/s"
    high: str = "10 Tb/s"


@dataclass(frozen=True, kw_only=True)
class Duration(Quantity):
    """Simulated time."""

    kind = "duration"
    low: str = field(kw_only=False, default="0 ps")
    high: str = field(kw_only=False, default="3600 s")


@dataclass(frozen=True, kw_only=True)
class Bytes(Quantity):
    """A size."""

    kind = "bytes"


@dataclass(frozen=True, kw_only=True)
class Names(Key):
    """An array of names."""

    kind = "names"
    default: list[str] = field(kw_only=False, default_factory=list)
    form: str = "names"


@dataclass(frozen=True, kw_only=True)
class Other(Key):
    """A key whose form its reader knows: text, real numbers, arrays. ``form`` and ``default`` in words."""

    kind = "other"
    form: str = field(kw_only=False, default="")
    default: str = field(kw_only=False, default="")

    def check(self) -> None:
        """Refuse an empty one."""
        if not self.form or not self.default:
            raise SpecError(f"{self.name}: its form or its default is missing")


@dataclass(frozen=True)
class KeyTable:
    """A table of a cluster file.

    ``space``: C++ namespace of the generated keys; empty: none are wanted. ``structs``: by their names there, structs
    of the values of some keys; integers and booleans with a default are taken. ``former``: its name in earlier
    versions, if that was another one.
    """

    name: str
    text: str
    keys: list[Key]
    space: str = ""
    structs: dict[str, list[Key]] = field(default_factory=dict)
    former: str = ""

    def __post_init__(self) -> None:
        unique(f"[{self.name}]", [name for key in self.keys for name in (key.name, key.former) if name])
        unique(f"[{self.name}], parameters of the RTL", [key.rtl for key in self.keys if key.rtl])


# ---- registers ----


@dataclass(frozen=True)
class Csr:
    """A control and status register of an overlay thread.

    ``held``: a word of the thread's own, which does nothing by itself. ``tinsel``: its name in Tinsel's header, if it
    is another.
    """

    number: int
    name: str
    access: str
    meaning: str
    held: bool = False
    tinsel: str = ""

    def __post_init__(self) -> None:
        if self.access not in {"R", "W", "RW"} or not self.meaning:
            raise SpecError(f"{self.name}: access R, W or RW, and a meaning, are wanted")
        if not 0 <= self.number < 1 << 12:
            raise SpecError(f"{self.name}: {self.number:#x} is no number of 12 bits")


@dataclass(frozen=True)
class Field:
    """Bits of a register."""

    name: str
    high: int
    low: int
    meaning: str


@dataclass(frozen=True)
class Register:
    """A register of 64 bits, or the first of several. ``step``: how much the offset of the next one is more."""

    offset: int
    name: str
    access: str
    meaning: str
    fields: list[Field]
    step: int = 8

    def __post_init__(self) -> None:
        if self.access not in {"R", "W", "RW"} or not self.meaning:
            raise SpecError(f"{self.name}: access R, W or RW, and a meaning, are wanted")
        if self.offset % self.step:
            raise SpecError(f"{self.name}: {self.offset:#x} is no multiple of {self.step}")
        unique(self.name, [bit for one in self.fields for bit in range(one.low, one.high + 1)])
        if any(not 0 <= one.low <= one.high < 64 for one in self.fields):
            raise SpecError(f"{self.name}: a field lies outside of 63:0")


def registers(what: str, rows: list[Register]) -> list[Register]:
    """Rows of a register space, each at an offset and with a name of its own."""
    unique(f"registers of the {what}", [row.offset for row in rows])
    unique(f"registers of the {what}", [row.name for row in rows])
    return rows


@dataclass(frozen=True)
class AddressRange:
    """Addresses from ``first`` up to and without ``end``."""

    name: str
    first: int
    end: int
    meaning: str


def ranges(rows: list[AddressRange]) -> list[AddressRange]:
    """Rows of an address space of 32 bits, from the lowest on."""
    unique("address ranges", [row.name for row in rows])
    before = 0
    for row in rows:
        if not before <= row.first < row.end <= 1 << 32:
            raise SpecError(f"{row.name}: {row.first:#x} to {row.end:#x} overlaps the one before, or is no range")
        before = row.end
    return rows


@dataclass(frozen=True)
class Enumerator:
    """A value with a name."""

    name: str
    number: int
    meaning: str


@dataclass(frozen=True)
class Enumeration:
    """Values of one thing: ``enum class NAME`` in C++, constants PREFIX... in SystemVerilog."""

    name: str
    prefix: str
    text: str
    rows: list[Enumerator]

    def __post_init__(self) -> None:
        unique(self.name, [row.number for row in self.rows])
        unique(self.name, [row.name for row in self.rows])


@dataclass(frozen=True)
class Constant:
    """A number that host, model and RTL share. ``bits`` 0: of no width of its own."""

    name: str
    number: int
    meaning: str
    bits: int = 0


# ---- collective operations ----


@dataclass(frozen=True)
class Given:
    """What an operation puts into a buffer, and the ranks that have one."""

    who: str
    what: str


NOTHING = Given("none", "nothing")


@dataclass(frozen=True)
class Operation:
    """A collective operation: what its sizes say, what ranks give and get, and what its bandwidth counts."""

    name: str
    sizes: str
    sends: Given
    receives: Given
    bus: str
    reduces: bool = False
    """Elements of all ranks are combined on their way."""

    def __post_init__(self) -> None:
        said = {"none": set(), "vector": {"vector"}, "blocks": {"block", "blocks"}, "pairs": {"row", "column"}}
        for given in (self.sends, self.receives):
            if given.what not in said[self.sizes] | {"nothing"}:
                raise SpecError(f"{self.name}: its sizes are {self.sizes}, which say nothing of {given.what}")
            if (given.who == "none") != (given.what == "nothing"):
                raise SpecError(f"{self.name}: {given.who} have {given.what}")
