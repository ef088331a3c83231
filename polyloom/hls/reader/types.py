# SPDX-License-Identifier: Apache-2.0
"""Types of LLVM IR with sizes by the module's data layout. Floating-point numbers and pointers count as bits."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from polyloom.hls.errors import HlsError
from polyloom.hls.ir import ADDRESS_BITS
from polyloom.hls.reader.lexer import Cursor


@dataclass(frozen=True)
class Type:
    """A type: kind is int, ptr, float, void, array, struct, function or other (which no value may have)."""

    kind: str
    bits: int = 0
    count: int = 0
    fields: tuple[Type, ...] = ()
    packed: bool = False
    text: str = ""

    @property
    def width(self) -> int:
        """Bits of a value in the kernel."""
        return ADDRESS_BITS if self.kind == "ptr" else self.bits

    @property
    def scalar(self) -> bool:
        """Whether a value of it is one bit vector."""
        return self.kind in {"int", "ptr", "float"}


VOID = Type("void")


@dataclass
class Layout:
    """Sizes and alignments, named structs."""

    pointer_bytes: int = 8
    named: dict[str, Type] = field(default_factory=dict)
    bodies: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def of(datalayout: str) -> Layout:
        """From the target datalayout string."""
        match = re.search(r"(?:^|-)p:(\d+)", datalayout)
        return Layout(int(match.group(1)) // 8 if match else 8)

    def size(self, type_: Type) -> int:
        """Bytes, tail padding included."""
        if type_.kind == "ptr":
            return self.pointer_bytes
        if type_.kind in {"int", "float"}:
            raw = (type_.bits + 7) // 8
            return raw if raw <= 1 else (raw + self.align(type_) - 1) // self.align(type_) * self.align(type_)
        if type_.kind == "array":
            return type_.count * self.size(type_.fields[0])
        if type_.kind == "struct":
            offsets = self.offsets(type_)
            end = offsets[-1] + self.size(type_.fields[-1]) if offsets else 0
            align = self.align(type_)
            return (end + align - 1) // align * align
        return 0

    def align(self, type_: Type) -> int:
        """Alignment as the ABI has it."""
        if type_.kind == "ptr":
            return self.pointer_bytes
        if type_.kind in {"int", "float"}:
            raw = (type_.bits + 7) // 8
            return min(16, 1 << (raw - 1).bit_length()) if raw > 1 else 1
        if type_.kind == "array":
            return self.align(type_.fields[0])
        if type_.kind == "struct":
            return 1 if type_.packed else max([self.align(f) for f in type_.fields], default=1)
        return 1

    def offsets(self, struct: Type) -> list[int]:
        """Where each field begins."""
        result = []
        at = 0
        for part in struct.fields:
            align = 1 if struct.packed else self.align(part)
            at = (at + align - 1) // align * align
            result.append(at)
            at += self.size(part)
        return result

    def parse(self, cursor: Cursor) -> Type:
        """Take a type."""
        type_ = self._parse_first(cursor)
        while cursor.peek() == "(" and type_.kind != "other":
            cursor.skip_brackets()
            type_ = Type("function", fields=(type_,))
        return type_

    def _parse_first(self, cursor: Cursor) -> Type:
        token = cursor.next()
        if re.fullmatch(r"i\d+", token):
            return Type("int", int(token[1:]))
        if token == "ptr":
            if cursor.accept("addrspace"):
                cursor.skip_brackets()
            return Type("ptr")
        if token in {"float", "double"}:
            return Type("float", 32 if token == "float" else 64)
        if token == "void":
            return VOID
        if token == "[":
            count = int(cursor.next())
            cursor.expect("x")
            inner = self.parse(cursor)
            cursor.expect("]")
            return Type("array", count=count, fields=(inner,))
        if token == "{" or (token == "<" and cursor.peek() == "{"):
            packed = token == "<" and cursor.accept("{")
            return self._struct(cursor, packed)
        if token == "<":
            while cursor.next() not in {">", ""}:
                pass
            return Type("other", text="vector")
        if token.startswith("%"):
            return self._named(token)
        return Type("other", text=token)

    def _struct(self, cursor: Cursor, packed: bool) -> Type:
        fields = []
        while not cursor.accept("}"):
            fields.append(self.parse(cursor))
            cursor.accept(",")
        if packed:
            cursor.expect(">")
        return Type("struct", fields=tuple(fields), packed=packed)

    def _named(self, name: str) -> Type:
        if name not in self.named:
            if name not in self.bodies:
                raise HlsError("", f"type {name} is not defined")
            body = self.bodies[name]
            self.named[name] = Type("other", text="opaque") if body == "opaque" else self.parse(Cursor(body))
        return self.named[name]


def require_scalar(type_: Type, where: str, what: str) -> None:
    """HlsError unless a value of the type can be in a register."""
    if type_.scalar and type_.width <= 128:
        return
    names = {"fp128": "long double", "x86_fp80": "long double", "vector": "a vector", "half": "half precision"}
    name = names.get(type_.text, type_.text or type_.kind)
    raise HlsError(where, f"{what} of type {name} cannot be in a kernel; use integers up to 64 bits, float or double")
