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
    """A table of a cluster file. ``space``: C++ namespace of the generated keys; empty: none are wanted."""

    name: str
    text: str
    keys: list[Key]
    space: str = ""

    def __post_init__(self) -> None:
        unique(f"[{self.name}]", [key.name for key in self.keys])
        unique(f"[{self.name}], parameters of the RTL", [key.rtl for key in self.keys if key.rtl])
