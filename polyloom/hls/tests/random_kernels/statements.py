# SPDX-License-Identifier: Apache-2.0
"""Random statements: stores, branches, loops of many kinds, switches, calls, pops and pushes.

Every loop has a bound, and the program as a whole too: a loop is given no more iterations than what is left allows.
Dropping any statement that is not fixed leaves a program without undefined behaviour.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from polyloom.hls.tests.random_kernels.c_types import I32, U32, U64, Type
from polyloom.hls.tests.random_kernels.expressions import Expressions
from polyloom.hls.tests.random_kernels.places import Place, Scope
from polyloom.hls.tests.random_kernels.tree import Node


@dataclass
class Callee:
    """A function that can be called: result, parameters (type, elements behind the pointer or 0), cost of a call."""

    name: str
    result: Type
    parameters: list[tuple[Type, int]]
    cost: int


class Statements:
    """Makes statements. ``budget``: how many may be executed in all; ``words``: how many pops the program does."""

    def __init__(self, rng: random.Random, expressions: Expressions, callees: list[Callee], in_out: bool) -> None:
        self.rng = rng
        self.expressions = expressions
        self.callees = callees
        self.in_out = in_out
        self.budget = 3000
        self.cost = 0
        self.words = 0
        self._times = 1
        self._names = 0
        self._loop_depth = 0
        self._exit = ""  # a label behind the outermost loop
        self.result: Type | None = None  # of the function, if it may return early

    def block(self, scope: Scope, count: int, depth: int) -> list[Node]:
        """So many statements; ``depth``: how deep they may nest."""
        nodes = []
        for _ in range(count):
            self.cost += self._times
            nodes.append(self.statement(scope, depth))
        return nodes

    def statement(self, scope: Scope, depth: int) -> Node:
        """One statement."""
        makers: list[Callable[[Scope, int], Node]] = []
        makers += [self._store] * 6 + [self._update] * 3
        if self.callees:
            makers += [self._call] * 3
        if self.in_out:
            makers += [self._pop, self._push]
        if depth > 0:
            makers += [self._if] * 4 + [self._switch]
            if self._left() >= 3:
                makers += [self._for] * 5 + [self._while] * 2 + [self._over_array] * 4
        if self._loop_depth:
            makers.append(self._leave)
        if scope.structs:
            makers.append(self._struct)
        if self.result and self.rng.random() < 0.3:
            makers.append(self._return)
        makers.append(self._copy)
        return self.rng.choice(makers)(scope, depth)

    def _left(self) -> int:
        return max(0, self.budget - self.cost) // self._times

    def _name(self, stem: str) -> str:
        self._names += 1
        return f"{stem}{self._names}"

    def _writable(self, scope: Scope) -> Place | None:
        places = [place for place in scope.places if place.writable]
        arrays = [place for place in places if place.dims]
        chosen = arrays if arrays and self.rng.random() < 0.5 else places
        return self.rng.choice(chosen) if chosen else None

    def _depth(self) -> int:
        return self.rng.choice([1, 2, 2, 3])

    def _store(self, scope: Scope, depth: int) -> Node:
        place = self._writable(scope)
        if place is None:
            return Node([";"])
        target = self.expressions.place(scope, place, 1)
        return Node([f"{target} = {self.expressions.value(scope, place.type, self._depth())};"])

    def _update(self, scope: Scope, depth: int) -> Node:
        place = self._writable(scope)
        if place is None:
            return Node([";"])
        target = self.expressions.place(scope, place, 1)
        value = self.expressions.value(scope, place.type, self._depth())
        if place.type.floating:
            return Node([f"{target} {self.rng.choice(['+=', '-=', '*='])} {value};"])
        if place.type.width < 32 or not place.type.signed:
            if self.rng.random() < 0.3:
                return Node([f"{target}{self.rng.choice(['++', '--'])};"])
            wide = U64 if place.type.width == 64 else U32
            return Node([f"{target} {self.rng.choice(['+=', '-=', '*=', '^='])} ({wide.name}){value};"])
        return Node([f"{target} {self.rng.choice(['^=', '|=', '&='])} {value};"])

    def _if(self, scope: Scope, depth: int) -> Node:
        sections = [(f"if ({self.expressions.condition(scope, 2)})", self.block(scope, self._count(), depth - 1))]
        while self.rng.random() < 0.3:
            head = f"else if ({self.expressions.condition(scope, 1)})"
            sections.append((head, self.block(scope, self._count(), depth - 1)))
        if self.rng.random() < 0.5:
            sections.append(("else", self.block(scope, self._count(), depth - 1)))
        return Node(sections=sections)

    def _count(self) -> int:
        return self.rng.choice([1, 1, 2, 3])

    def _switch(self, scope: Scope, depth: int) -> Node:
        value, _ = self.expressions.integer(scope, 2)
        modulus = self.rng.randrange(2, 8)
        labels = self.rng.sample(range(modulus + 1), self.rng.randrange(1, modulus + 1))
        heads = [f"case {label}:" for label in labels] + (["default:"] if self.rng.random() < 0.7 else [])
        self.rng.shuffle(heads)
        body: list[Node] = []
        inside, self._loop_depth = self._loop_depth, 0  # break would leave the switch, continue is rare enough
        for head in heads:
            body += [Node([head], fixed=True), *self.block(scope, self._count(), depth - 1)]
            if self.rng.random() < 0.7:
                body.append(Node(["break;"]))
        self._loop_depth = inside
        return Node(sections=[(f"switch ((uint32_t){value} % {modulus}u)", [*body, Node([";"], fixed=True)])])

    def _trips(self, scope: Scope) -> int:
        """How many iterations at most; often as many as some array has elements."""
        sizes = [size for place in scope.places for size in place.dims] or [4]
        trips = self.rng.choice([0, 1, 2, 3, 5, self.rng.randrange(1, 20), *[self.rng.choice(sizes) for _ in range(4)]])
        return min(trips, self._left() // 2)

    def _body(self, scope: Scope, trips: int, depth: int) -> list[Node]:
        times, self._times = self._times, self._times * max(1, trips)
        self._loop_depth += 1
        nodes = self.block(scope, self.rng.choice([1, 2, 2, 3, 4]), depth - 1)
        self._loop_depth -= 1
        self._times = times
        return nodes

    def _for(self, scope: Scope, depth: int) -> Node:
        name, trips = self._name("i"), self._trips(scope)
        bound = f"{trips}"
        if trips and self.rng.random() < 0.3:
            bound = f"(uint32_t)({self.expressions.integer(scope, 1)[0]}) % {trips + 1}u"
        kind = self.rng.choice([U32, U32, I32, U64])
        label = self._exit
        if not self._exit:
            self._exit = self._name("out")
        with scope.loop(name, max(1, trips), kind):
            body = self._body(scope, trips, depth)
        loop = self._for_of(kind.name, name, bound, body)
        if not label:
            loop = Node(sections=[("", [loop, Node([f"{self._exit}:;"], fixed=True)])])
        self._exit = label
        return loop

    def _for_of(self, kind: str, name: str, bound: str, body: list[Node]) -> Node:
        form = self.rng.randrange(5)
        if form == 0:
            return Node(sections=[(f"for ({kind} {name} = {bound}; {name}-- > 0;)", body)])
        declared = []
        if not bound.isdigit():
            declared, bound = [Node([f"const {kind} {name}_end = {bound};"], fixed=True)], f"{name}_end"
        step = f"{name} += {self.rng.choice([2, 3])}" if form == 1 else f"{name}++"
        loop = Node(sections=[(f"for ({kind} {name} = 0; {name} < {bound}; {step})", body)])
        return Node(sections=[("", [*declared, loop])]) if declared else loop

    def _while(self, scope: Scope, depth: int) -> Node:
        name, trips = self._name("n"), max(1, self._trips(scope))
        condition = self.expressions.condition(scope, 1)
        with scope.loop(name, trips):
            body = self._body(scope, trips, depth)
        # The step comes first, so that continue does not leave it out.
        declared = Node([f"uint32_t {name} = 0, {name}_next = 0;"], fixed=True)
        inner = [Node([f"{name} = {name}_next++;"], fixed=True), *body]
        more = f"{name}_next < {trips}u"
        if self.rng.random() < 0.5:
            loop = Node(sections=[("do", inner)], tail=f"}} while ({more} && {condition});")
        else:
            loop = Node(sections=[(f"while ({more} && {condition})", inner)])
        return Node(sections=[("", [declared, loop])])

    def _leave(self, scope: Scope, depth: int) -> Node:
        how = self.rng.choice(["break;", "break;", "continue;", f"goto {self._exit};" if self._exit else "break;"])
        return Node(sections=[(f"if ({self.expressions.condition(scope, 2)})", [Node([how])])])

    def _return(self, scope: Scope, depth: int) -> Node:
        assert self.result
        value = self.expressions.value(scope, self.result, 1)
        return Node(sections=[(f"if ({self.expressions.condition(scope, 2)})", [Node([f"return {value};"])])])

    def _struct(self, scope: Scope, depth: int) -> Node:
        """A struct as a whole, or a pointer that goes to another one."""
        name, size, pointer = self.rng.choice(scope.structs)
        one, other = (f"{name}[{self.expressions.index(scope, size, 1)}]" for _ in range(2))
        forms = [f"{one} = {other};", f"{pointer} = &{one};", f"*{pointer} = {one};", f"{one} = *{pointer};"]
        return Node([self.rng.choice(forms)])

    def _over_array(self, scope: Scope, depth: int) -> Node:
        """A loop as programs have them: prefix sum, stencil, indirect update, reduction, walk by pointer."""
        arrays = [p for p in scope.places if p.is_array and p.writable and 2 <= p.dims[-1] <= self._left()]
        if not arrays:
            return self._for(scope, depth)
        place = self.rng.choice(arrays)
        size, name, t = place.dims[-1], self._name("k"), place.type
        outer = [self.expressions.index(scope, d, 1) for d in place.dims[:-1]]
        self.cost += self._times * size

        def at(index: str) -> str:
            return place.pattern.format(*outer, index)

        def combine(*operands: str) -> str:
            operator = self.rng.choice("+-*" if t.floating else "+-*^&|")
            if t.floating or operator in "^&|":
                return f" {operator} ".join(operands)
            return f" {operator} ".join(f"({(U64 if t.width == 64 else U32).name}){x}" for x in operands)

        form = self.rng.randrange(6)
        with scope.loop(name, size):
            value = self.expressions.value(scope, t, 2)
            where = self.expressions.index(scope, size, 2)
        near = self.rng.randrange(1, min(4, size))
        first = f"for (uint32_t {name} = {near}; {name} < {size}u; {name}++)"
        full = f"for (uint32_t {name} = 0; {name} < {size}u; {name}++)"
        if form == 0:
            condition = "" if self.rng.random() < 0.5 else f"if ({self.expressions.condition(scope, 1)}) "
            return Node(
                sections=[(first, [Node([f"{condition}{at(name)} = {combine(at(name), at(f'{name} - {near}'))};"])])]
            )
        if form == 1:
            head = f"for (uint32_t {name} = 1; {name} + 1 < {size}u; {name}++)"
            sides = combine(at(f"{name} - 1"), at(f"{name} + 1"), at(name))
            return Node(sections=[(head, [Node([f"{at(name)} = {sides};"])])])
        if form == 2:
            return Node(sections=[(full, [Node([f"{at(where)} = {combine(at(where), value)};"])])])
        if form == 3 and not t.floating:
            # The end is computed once, since the walk may write what the outer indices are made of.
            pointers = f"{t.name} *{name}_p = &{at('0')}, *const {name}_end = {name}_p + {size}"
            head = f"for ({pointers}; {name}_p != {name}_end; {name}_p++)"
            walk = [Node([f"*{name}_p = {combine(f'*{name}_p', value)};"])]
            return Node(sections=[("", [Node([f"uint32_t {name} = 0;"], fixed=True), Node(sections=[(head, walk)])])])
        if form == 4:
            other = self.rng.choice([p for p in scope.places if p.writable and p.type is t])
            target = self.expressions.place(scope, other, 1)
            return Node(sections=[(full, [Node([f"{target} = {combine(target, at(name))};"])])])
        return Node(sections=[(full, [Node([f"{at(name)} = {value};"])])])

    def _call(self, scope: Scope, depth: int) -> Node:
        callee = self.rng.choice(self.callees)
        if callee.cost > max(4, self._left()):
            return self._store(scope, depth)
        arguments = []
        for t, size in callee.parameters:
            if not size:
                arguments.append(self.expressions.value(scope, t, 2))
                continue
            arrays = [p for p in scope.places if p.is_array and p.type is t and p.writable and p.dims[-1] >= size]
            if not arrays:
                return self._store(scope, depth)
            place = self.rng.choice(arrays)
            indices = [self.expressions.index(scope, d, 1) for d in place.dims[:-1]]
            start = self.expressions.index(scope, place.dims[-1] - size + 1, 1)
            arguments.append(f"&{place.pattern.format(*indices, start)}")
        self.cost += self._times * callee.cost
        call = f"{callee.name}({', '.join(arguments)})"
        targets = [p for p in scope.places if p.writable and p.type.floating == callee.result.floating]
        if not targets or self.rng.random() < 0.1:
            return Node([f"(void){call};"])
        # The place is chosen before the call as C does not say which comes first: only constant indices.
        target = self.rng.choice(targets)
        return Node([f"{target.pattern.format(*(self.rng.randrange(d) for d in target.dims))} = {call};"])

    def _pop(self, scope: Scope, depth: int) -> Node:
        if self.words + self._times > 200:
            return self._push(scope, depth)
        places = [p for p in scope.places if p.writable and not p.type.floating]
        if not places:
            return Node([";"])
        self.words += self._times
        return Node([f"{self.expressions.place(scope, self.rng.choice(places), 1)} = next_word();"])

    def _push(self, scope: Scope, depth: int) -> Node:
        if self._times > 50:
            return self._update(scope, depth)
        if self.expressions.floats and self.rng.random() < 0.2:
            value, t = self.expressions.floating(scope, 2)
            return Node([f"__polyloom_push(0, bits{t.width}({value}));"])
        return Node([f"__polyloom_push(0, {self.expressions.integer(scope, 2)[0]});"])

    def _copy(self, scope: Scope, depth: int) -> Node:
        """memcpy between objects of different types, at any byte."""
        source = [p for p in scope.places if p.is_array and p.plain and not p.type.floating]
        target = [p for p in scope.places if p.writable and not p.dims and p.plain and not p.type.floating]
        if not source or not target:
            return self._store(scope, depth)
        place, to = self.rng.choice(source), self.rng.choice(target)
        length, all_bytes = to.type.width // 8, place.type.width // 8 * place.dims[-1]
        if all_bytes < length:
            return self._store(scope, depth)
        outer = [self.expressions.index(scope, d, 1) for d in place.dims[:-1]]
        offset = self.expressions.index(scope, all_bytes - length + 1, 1)
        here = place.pattern.format(*outer, "0")
        parts = [f"&{to.pattern}", f"(uint8_t *)&{here} + {offset}"]
        if place.writable and self.rng.random() < 0.5:
            parts.reverse()
        return Node([f"__builtin_memmove({', '.join(parts)}, {length});"])
