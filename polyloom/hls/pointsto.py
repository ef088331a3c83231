# SPDX-License-Identifier: Apache-2.0
"""Which objects a value may be an address in. Output: ``Instr.objects`` of loads and stores, ``Object.dma_visible``.

Flow-insensitive, over the whole program, through integers too: an address that becomes a number and comes back keeps
its object. What is stored in an object is one set for the whole object. An address of which nothing is known may be
anywhere (``objects`` None). Objects in DRAM are told apart here, but accesses to any of them, and to the heap, are
marked as accesses to ``ir.DRAM``.
"""

from __future__ import annotations

from collections.abc import Set

from polyloom.hls.ir import DRAM, DRAM_BASE, Const, Function, Instr, Module, Object, Param, Value

#: Stands in sets for an address of which nothing is known.
UNKNOWN = Object("anything", 0, 1, "dram")
_PASS = {"add", "or", "and", "xor", "shl", "lshr", "zext", "sext", "trunc", "select", "phi", "copy"}


class PointsTo:
    """The analysis; ``sets`` after ``run``."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.sets: dict[Value, set[Object]] = {}
        self.content: dict[Object, set[Object]] = {o: set(o.points) for o in [*module.objects, DRAM]}
        self.returns: dict[str, set[Object]] = {f: set() for f in module.functions}
        self.anywhere: set[Object] = set()
        self.changed = True

    def run(self) -> None:
        """To the fixed point, then mark loads and stores."""
        while self.changed:
            while self.changed:
                self.changed = False
                for function in self.module.functions.values():
                    for instr in function.instrs():
                        self._instr(function, instr)
            self._unknown_stores()
            self._unknown_merges()
        for function in self.module.functions.values():
            for instr in function.instrs():
                if instr.op in {"load", "store"}:
                    targets = self._targets(instr.args[0])
                    instr.objects = targets and frozenset(DRAM if o.in_dram else o for o in targets)
                elif instr.op == "push":
                    found = self._of(instr.args[0])
                    for obj in self.module.objects if UNKNOWN in found else found:
                        obj.dma_visible = True

    def _unknown_stores(self) -> None:
        """A pointer stored who knows where: what is loaded from anywhere may be it."""
        for function in self.module.functions.values():
            for instr in function.instrs():
                if instr.op == "store" and self._targets(instr.args[0]) is None and self._of(instr.args[1]):
                    self._merge(self.anywhere, {UNKNOWN})

    def _unknown_merges(self) -> None:
        """One of two is an address, the other may be one of which nothing is known: neither may be forgotten."""
        for function in self.module.functions.values():
            for instr in function.instrs():
                if instr.op in {"phi", "select"} and self.sets.get(instr):
                    args = instr.args[1:] if instr.op == "select" else instr.args
                    for arg in args:
                        if not isinstance(arg, Const) and arg is not instr and not self.sets.get(arg):
                            self._add(arg, {UNKNOWN})

    def _of(self, value: Value) -> Set[Object]:
        return value.objects if isinstance(value, Const) else self.sets.get(value, frozenset())

    def _add(self, value: Value, new: Set[Object]) -> None:
        old = self.sets.setdefault(value, set())
        if not new <= old:
            old |= new
            self.changed = True

    def _merge(self, into: set[Object], new: Set[Object]) -> None:
        if not new <= into:
            into |= new
            self.changed = True

    def _targets(self, address: Value) -> frozenset[Object] | None:
        found = self._of(address)
        if UNKNOWN in found:
            return None
        if isinstance(address, Const):
            if not found:
                return frozenset() if address.value < DRAM_BASE else None  # a null pointer: no access at all
            # It is known which of the objects that it was computed from it lies in.
            return frozenset(o for o in found if o.address <= address.value < o.address + o.size) or frozenset(found)
        return frozenset(found) or None

    def _instr(self, function: Function, instr: Instr) -> None:
        if instr.op in _PASS:
            args = instr.args[1:] if instr.op == "select" else instr.args
            for arg in args:
                self._add(instr, self._of(arg))
        elif instr.op == "sub":
            left, right = map(self._of, instr.args)
            if left != right:  # else a distance within an object
                self._add(instr, left | right)
        elif instr.op == "load":
            targets = self._targets(instr.args[0])
            for obj in self.content if targets is None else targets:
                self._add(instr, self.content[obj])
            self._add(instr, self.anywhere)
        elif instr.op == "store":
            targets = self._targets(instr.args[0])
            for obj in targets or ():
                self._merge(self.content[obj], self._of(instr.args[1]))
        elif instr.op == "call":
            self._call(instr)
        elif instr.op == "result":
            self._add(instr, self.returns[instr.attr])
        elif instr.op == "ret" and instr.args:
            self._merge(self.returns[function.name], self._of(instr.args[0]))

    def _call(self, instr: Instr) -> None:
        callee = self.module.functions[instr.attr]
        for param, arg in zip(callee.params, instr.args, strict=False):
            assert isinstance(param, Param)
            self._add(param, self._of(arg))


def mark_objects(module: Module) -> None:
    """Run the analysis."""
    PointsTo(module).run()
