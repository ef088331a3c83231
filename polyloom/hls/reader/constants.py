# SPDX-License-Identifier: Apache-2.0
"""Constants of LLVM IR: scalars as bits, aggregates as bytes, addresses as (object, offset)."""

from __future__ import annotations

import re
import struct

from polyloom.hls.errors import HlsError
from polyloom.hls.fold import mask, simplify
from polyloom.hls.ir import ADDRESS_BITS, DRAM, DRAM_BASE, DRAM_END, Const, Object
from polyloom.hls.reader.lexer import Cursor
from polyloom.hls.reader.types import Layout, Type

HEAP = "__polyloom_heap"
_FLAGS = {"inbounds", "nuw", "nsw", "nusw", "exact", "inrange", "disjoint"}


class Constants:
    """Parses constants; knows the objects and the types."""

    def __init__(self, layout: Layout, objects: dict[str, Object], functions: set[str]) -> None:
        self.layout, self.objects, self.functions = layout, objects, functions
        self.heap = DRAM_BASE  # first address of DRAM that no object has

    def scalar(self, cursor: Cursor, type_: Type) -> Const:
        """A constant that is one bit vector."""
        token = cursor.next()
        width = type_.width
        if token in {"zeroinitializer", "null", "undef", "poison", "none", "false"}:
            return Const(width, 0)
        if token == "true":
            return Const(width, 1)
        if token.startswith("@"):
            return self._global(token, cursor)
        if type_.kind == "float":
            return Const(width, _float_bits(token, width))
        if re.fullmatch(r"-?\d+", token):
            return Const(width, int(token) & mask(width))
        return self._expression(token, cursor, type_)

    def _global(self, token: str, cursor: Cursor) -> Const:
        name = token[1:].strip('"')
        if name in self.functions:
            message = f"the address of function {name} is taken; a kernel cannot call through pointers"
            raise HlsError(cursor.where, message)
        if name == HEAP:
            return Const(ADDRESS_BITS, self.heap, frozenset({DRAM}))
        if name not in self.objects:
            raise HlsError(cursor.where, f"{name} is declared but not defined in any of the files")
        obj = self.objects[name]
        return Const(ADDRESS_BITS, obj.address, frozenset({obj}))

    def _expression(self, op: str, cursor: Cursor, type_: Type) -> Const:
        cursor.skip_words(_FLAGS)
        cursor.expect("(")
        if op == "getelementptr":
            result = self._gep(cursor)
        elif op in {"ptrtoint", "inttoptr", "bitcast", "trunc", "zext", "sext", "addrspacecast"}:
            source = self.layout.parse(cursor)
            inner = self.scalar(cursor, source)
            cursor.expect("to")
            self.layout.parse(cursor)
            value, objects = inner.value & mask(type_.width), inner.objects
            if op == "inttoptr" and not objects and DRAM_BASE <= value < DRAM_END:
                objects = frozenset({DRAM})  # a place that the program has chosen itself
            result = Const(type_.width, value, objects)
        elif op in {"add", "sub", "mul", "xor", "and", "or", "shl"}:
            a = self.scalar(cursor, self.layout.parse(cursor))
            cursor.expect(",")
            b = self.scalar(cursor, self.layout.parse(cursor))
            folded = simplify(op, None, a.width, [a, b])
            assert isinstance(folded, Const)
            result = folded
        else:
            raise HlsError(cursor.where, f"constant expression {op} is not supported")
        cursor.expect(")")
        return result

    def _gep(self, cursor: Cursor) -> Const:
        source = self.layout.parse(cursor)
        cursor.expect(",")
        base = self.scalar(cursor, self.layout.parse(cursor))
        offset = 0
        objects = base.objects
        first = True
        while cursor.accept(","):
            cursor.accept("inrange")
            index_type = self.layout.parse(cursor)
            index = self.scalar(cursor, index_type)
            number = index.value - (1 << index.width) if index.value >> (index.width - 1) else index.value
            step, source = self.step(source, number, first)
            offset += step
            objects |= index.objects
            first = False
        return Const(ADDRESS_BITS, (base.value + offset) & mask(ADDRESS_BITS), objects)

    def step(self, type_: Type, index: int, first: bool) -> tuple[int, Type]:
        """Bytes that a constant index adds, and the type it leads to."""
        if first:
            return index * self.layout.size(type_), type_
        if type_.kind == "struct":
            return self.layout.offsets(type_)[index], type_.fields[index]
        return index * self.layout.size(type_.fields[0]), type_.fields[0]

    def data(self, cursor: Cursor, type_: Type, points: list[Object]) -> bytes:
        """The bytes of an initialiser but for zeros at its end; objects whose addresses are in it go to ``points``."""
        if cursor.peek() in {"zeroinitializer", "undef", "poison"}:
            cursor.next()
            return b""
        if type_.scalar:
            const = self.scalar(cursor, type_)
            points += const.objects
            return const.value.to_bytes(self.layout.size(type_), "little").rstrip(b"\0")
        if cursor.peek().startswith('c"'):
            return _string(cursor.next()[2:-1]).rstrip(b"\0")
        packed = cursor.accept("<")
        closing = {"[": "]", "{": "}"}[cursor.next()]
        result = bytearray()
        offsets = self.layout.offsets(type_) if type_.kind == "struct" else None
        index = 0
        while not cursor.accept(closing):
            part = self.layout.parse(cursor)
            at = offsets[index] if offsets is not None else index * self.layout.size(part)
            if piece := self.data(cursor, part, points):
                result += bytes(at - len(result)) + piece
            index += 1
            cursor.accept(",")
        if packed:
            cursor.expect(">")
        return bytes(result)


def _string(text: str) -> bytes:
    result = bytearray()
    at = 0
    while at < len(text):
        if text[at] == "\\":
            if text[at + 1] == "\\":
                result.append(0x5C)
                at += 2
            else:
                result.append(int(text[at + 1 : at + 3], 16))
                at += 3
        else:
            result += text[at].encode()
            at += 1
    return bytes(result)


def _float_bits(token: str, width: int) -> int:
    if token.startswith("0x"):
        double = int(token[2:], 16)
        if width == 64:
            return double
        value = struct.unpack("<d", struct.pack("<Q", double))[0]
        if value != value:  # a NaN keeps its sign and its payload's upper bits
            return (double >> 63) << 31 | 0x7F80_0000 | (double >> 29 & 0x7F_FFFF)
    else:
        value = float(token)
    return int.from_bytes(struct.pack("<f" if width == 32 else "<d", value), "little")
