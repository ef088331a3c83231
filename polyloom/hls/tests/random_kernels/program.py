# SPDX-License-Identifier: Apache-2.0
"""Makes random C kernels for tests of the compiler: ``random_program(seed)``; ``python -m ...program SEED`` prints one.

A program is well defined: the same source gives the same words on every machine. It has globals of all kinds, helper
functions with several calls, and the entry ``polyloom_kernel``, which reads words, computes, and pushes at the end all
that its objects hold and a checksum. ``random_words(program)`` gives as many input words as it reads.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator

from polyloom.hls.tests.random_kernels import prelude
from polyloom.hls.tests.random_kernels.c_types import F32, FLOATS, I32, INTEGERS, U8, U16, U32, U64, Type
from polyloom.hls.tests.random_kernels.expressions import Expressions
from polyloom.hls.tests.random_kernels.places import Place, Scope
from polyloom.hls.tests.random_kernels.statements import Callee, Statements
from polyloom.hls.tests.random_kernels.tree import Function, Node, Program

_SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 16, 17, 33, 64)


class _Maker:
    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.floats = self.rng.random() < 0.5
        self.expressions = Expressions(self.rng, self.floats)
        self.declarations = prelude.lines(self.floats)
        self.globals = Scope()
        self.callees: list[Callee] = []
        self.functions: list[Function] = []
        self.shown = 0

    def type(self) -> Type:
        return self.rng.choice(FLOATS if self.floats and self.rng.random() < 0.35 else INTEGERS)

    def dims(self, most: int = 3) -> tuple[int, ...]:
        while True:
            dims = tuple(self.rng.choice(_SIZES) for _ in range(self.rng.randrange(1, most + 1)))
            if _product(dims) <= 70:
                return dims

    def number(self, t: Type) -> str:
        """A constant as initialiser."""
        if t.floating:
            return self.rng.choice(["0", "1.5", "-2.25", "3e-4", "1e20", "0x1p-126", "12345.678"])
        return self.expressions.constant()[0] if self.rng.random() < 0.5 else str(self.rng.randrange(128))

    def initialiser(self, t: Type, dims: tuple[int, ...]) -> str:
        if not dims:
            return self.number(t)
        given = self.rng.randrange(1, dims[0] + 1)  # the others are zero
        return "{" + ", ".join(self.initialiser(t, dims[1:]) for _ in range(given)) + "}"

    def object(self, scope: Scope, name: str, storage: str, initialised: float) -> list[str]:
        """A variable or array."""
        t, dims = self.type(), self.dims() if self.rng.random() < 0.6 else ()
        constant = storage == "static " and self.rng.random() < 0.15
        scope.places.append(Place(name + "[{}]" * len(dims), t, dims, not constant, not t.floating))
        value = f" = {self.initialiser(t, dims)}" if constant or self.rng.random() < initialised else ""
        return [f"{storage}{'const ' * constant}{t.name} {name}{_brackets(dims)}{value};"]

    def struct(self, name: str) -> None:
        """A struct type, an object or array of it, and a pointer to one."""
        fields = []
        for number in range(self.rng.randrange(2, 6)):
            t, dims = self.type(), self.dims(1) if self.rng.random() < 0.3 else ()
            bits = self.rng.randrange(1, 32) if t is U32 and not dims and self.rng.random() < 0.5 else 0
            fields.append((f"f{number}", t, dims, bits))
        text = " ".join(f"{t.name} {f}{_brackets(d)}{f' : {b}' if b else ''};" for f, t, d, b in fields)
        count = self.dims(1) if self.rng.random() < 0.6 else ()
        self.declarations.append(f"struct {name}_t {{ {text} }};")
        self.declarations.append(f"static struct {name}_t {name}{_brackets(count)};")
        self._fields(self.globals, fields, name + "[{}]" * len(count) + ".", count)
        if count:
            self.declarations.append(f"static struct {name}_t *{name}_p = &{name}[{self.rng.randrange(count[0])}];")
            self._fields(self.globals, fields, f"{name}_p->", ())
            self.globals.structs.append((name, count[0], f"{name}_p"))

    def _fields(
        self, scope: Scope, fields: list[tuple[str, Type, tuple[int, ...], int]], path: str, outer: tuple[int, ...]
    ) -> None:
        for field, t, dims, bits in fields:
            pattern = path + field + "[{}]" * len(dims)
            # A bit field reads as int if it is narrower than one: as uint16_t to what the expressions must know.
            kind = U16 if bits else t
            scope.places.append(Place(pattern, kind, outer + dims, True, not t.floating and not bits))

    def union(self, name: str) -> None:
        """One object seen as words, halves and bytes, and read as float."""
        members = "uint64_t d; uint32_t w[2]; uint16_t h[4]; uint8_t b[8]; int32_t s[2];"
        seen = [("d", U64, ()), ("w[{}]", U32, (2,)), ("h[{}]", U16, (4,)), ("b[{}]", U8, (8,)), ("s[{}]", I32, (2,))]
        if self.floats:
            members += " float f[2];"
            self.globals.places.append(Place(name + ".f[{}]", F32, (2,), False, False))
        self.declarations.append(f"static union {{ {members} }} {name} = {{{self.rng.getrandbits(64)}u}};")
        self.globals.places += [Place(f"{name}.{member}", t, dims) for member, t, dims in seen]

    def views(self, scope: Scope) -> Iterator[str]:
        """Pointers into arrays: to part of one, to one of two, to its bytes."""
        arrays = [place for place in scope.places if place.is_array and place.writable]
        for number in range(self.rng.randrange(4) if arrays else 0):
            place = self.rng.choice(arrays)
            name, size = f"view{number}", place.dims[-1]
            start = self.rng.randrange(size)
            here = "&" + place.pattern.format(*(self.rng.randrange(d) for d in place.dims[:-1]), start)
            left = size - start
            others = [p for p in arrays if p.type is place.type and p is not place]
            if place.plain and self.rng.random() < 0.3:
                yield f"uint8_t *{name} = (uint8_t *){here};"
                scope.places.append(Place(name + "[{}]", U8, (left * place.type.width // 8,)))
                continue
            if others and self.rng.random() < 0.6:
                other = self.rng.choice(others)
                there = "&" + other.pattern.format(*(self.rng.randrange(d) for d in other.dims[:-1]), 0)
                here = f"{self.expressions.condition(scope, 1)} ? {here} : {there}"
                left = min(left, other.dims[-1])
            yield f"{place.type.name} *{name} = {here};"
            scope.places.append(Place(name + "[{}]", place.type, (left,), True, place.plain))

    def helper(self, name: str) -> None:
        """A function: its parameters, locals and statics are what it sees, and the globals."""
        parameters = [
            (self.type(), self.rng.choice([0, 0, self.rng.randrange(2, 6)])) for _ in range(self.rng.randrange(1, 5))
        ]
        scope = Scope(places=list(self.globals.places), structs=self.globals.structs)
        heads = []
        for number, (t, size) in enumerate(parameters):
            heads.append(f"{t.name} {'*' if size else ''}a{number}")
            scope.places.append(
                Place(f"a{number}" + ("[{}]" if size else ""), t, (size,) if size else (), True, not t.floating)
            )
        body = self._locals(scope, statics=True)
        statements = Statements(self.rng, self.expressions, list(self.callees), in_out=False)
        statements.budget = 200
        statements.result = result = self.type()
        body += statements.block(scope, self.rng.randrange(1, 5), 2)
        body.append(Node([f"return {self.expressions.value(scope, result, 2)};"], fixed=True))
        inline = self.rng.choice(["", "", "inline ", "__attribute__((noinline)) "])
        self.functions.append(Function(f"static {inline}{result.name} {name}({', '.join(heads)})", body))
        self.callees.append(Callee(name, result, parameters, statements.cost + 1))

    def _locals(self, scope: Scope, statics: bool) -> list[Node]:
        nodes = []
        for number in range(self.rng.randrange(1, 6)):
            static = statics and self.rng.random() < 0.3
            nodes += [
                Node([line], fixed=True)
                for line in self.object(scope, f"v{number}", "static " if static else "", 1.0)
            ]  # fmt: skip
        return nodes

    def entry(self, seed: int) -> Program:
        scope = Scope(places=list(self.globals.places), structs=self.globals.structs)
        body = self._locals(scope, statics=True)
        own = scope.places[len(self.globals.places) :]
        body += [Node([line], fixed=True) for line in self.views(scope)]
        statements = Statements(self.rng, self.expressions, self.callees, in_out=True)
        body += statements.block(scope, self.rng.randrange(4, 12), 3)
        body.append(Node([f"while (words_read < {statements.words}) checksum ^= next_word();"], fixed=True))
        for place in self.globals.places + own:
            body.append(self.show(place))
        body.append(Node(["__polyloom_push(0, checksum);"], fixed=True))
        self.functions.append(Function("void polyloom_kernel(void)", body))
        return Program(seed, self.declarations, self.functions, statements.words)

    def show(self, place: Place) -> Node:
        """Pushes all elements."""
        names = [f"x{n}" for n in range(len(place.dims))]
        element = place.pattern.format(*names)
        node = Node([f"show(bits{place.type.width}({element}));" if place.type.floating else f"show({element});"])
        for name, size in zip(reversed(names), reversed(place.dims), strict=True):
            node = Node(sections=[(f"for (int {name} = 0; {name} < {size}; {name}++)", [node])])
        return node


def _product(dims: tuple[int, ...]) -> int:
    result = 1
    for size in dims:
        result *= size
    return result


def _brackets(dims: tuple[int, ...]) -> str:
    return "".join(f"[{size}]" for size in dims)


def random_program(seed: int) -> Program:
    """The program of this seed."""
    maker = _Maker(seed)
    rng = maker.rng
    for number in range(rng.randrange(1, 6)):
        maker.declarations += maker.object(maker.globals, f"g{number}", "static ", 0.6)
    for number in range(rng.choice([0, 0, 1, 2])):
        maker.struct(f"s{number}")
    if rng.random() < 0.3:
        maker.union("u0")
    for number in range(rng.choice([0, 1, 2, 3])):
        maker.helper(f"fn{number}")
    return maker.entry(seed)


def random_words(program: Program) -> list[int]:
    """Input words, as many as the program reads; small ones among them."""
    rng = random.Random(program.seed)
    return [rng.getrandbits(64) >> rng.choice([0, 0, 32, 48, 60]) for _ in range(program.words)]


if __name__ == "__main__":
    sys.stdout.write(random_program(int(sys.argv[1])).source())
