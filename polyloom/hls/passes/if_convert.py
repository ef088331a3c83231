# SPDX-License-Identifier: Apache-2.0
"""Makes the body of an innermost loop one block: conditions become predicates of stores and selections of values.

    loop: br %c, then, join                    loop:
    then: store %p, %x; br join          ->      store %p, %x if %c
    join: %v = phi [1, loop], [2, then]          %v = select %c, 2, 1
          br %d, out, loop                       br %d, out, loop

Loads and arithmetic are done in any case: an address that is out of range reads something that nothing uses. Loops that
wait for the world outside, call functions, or divide under a condition are left alone.
"""

from __future__ import annotations

from polyloom.hls.fold import Builder
from polyloom.hls.ir import HANDSHAKES, Block, Const, Function, Instr, Value, predecessors
from polyloom.hls.loops import Loop, innermost, postorder
from polyloom.hls.memory import Memories

_MOST_OPERATIONS = 600
_ITERATIVE = {"udiv", "urem", "sdiv", "srem", "fdiv", "fsqrt"}


def if_convert(function: Function) -> None:
    """All innermost loops that can be."""
    for loop in innermost(function):
        if _convertible(loop):
            _Converter(function, loop).run()


def _convertible(loop: Loop) -> bool:
    if len(loop.blocks) == 1 and len(loop.header.term.blocks) == 2:
        return False  # one block already
    count = 0
    for block in loop.blocks:
        if block.term.op not in {"br", "switch"}:
            return False
        for instr in block.body:
            count += 1
            if instr.op in HANDSHAKES | {"cycle", "result"} or Memories.may_be_dram(instr):
                return False
            if instr.op in _ITERATIVE and block is not loop.header:
                return False
    exits = [t for b in loop.blocks for t in b.successors() if t not in loop.blocks]
    return count <= _MOST_OPERATIONS and bool(exits)


Edge = tuple[Block, Block]


class _Converter:
    def __init__(self, function: Function, loop: Loop) -> None:
        self.function, self.loop = function, loop
        self.order = [b for b in reversed(postorder(function)) if b in loop.blocks]
        self.new = Block(function.fresh(loop.header.name))
        self.build = Builder(function, self.new.instrs, stem="if")
        self.reached: dict[Block, Value] = {}
        self.edges: dict[Edge, Value] = {}

    def run(self) -> None:
        """Replace the loop's blocks by one."""
        header = self.loop.header
        preds = predecessors(self.function)
        self.new.instrs += header.phis
        for block in self.order:
            self.build.where = block.term.where
            if block is header:
                self.reached[block] = Const(1, 1)
            else:
                incoming = [self.edges[(p, block)] for p in preds[block]]
                self.reached[block] = Const(1, 1) if self._certain(block) else self._any(incoming)
                for phi in block.phis:
                    self._becomes(phi, self._select(phi, block))
            for instr in block.body:
                if instr.op == "store":
                    self._predicate(instr, self.reached[block])
                instr.early |= instr.op == "load" and not isinstance(self.reached[block], Const)
                self.new.instrs.append(instr)
            self._branch(block)
        self._finish(preds)

    def _certain(self, block: Block) -> bool:
        """Whether every iteration comes to a block: nothing before it leads past it."""
        before = self.order[: self.order.index(block)]
        known = {*before, block} - {self.loop.header}
        return all(target in known for b in before for target in b.successors())

    def _becomes(self, phi: Instr, value: Value) -> None:
        phi.op, phi.args, phi.blocks = "copy", [value], []
        self.new.instrs.append(phi)

    def _any(self, conditions: list[Value]) -> Value:
        result = conditions[0]
        for condition in conditions[1:]:
            result = self.build.op("or", 1, result, condition)
        # an or of a condition and its complement is what cleanup cannot see
        return Const(1, 1) if self._covers(conditions) else result

    @staticmethod
    def _covers(conditions: list[Value]) -> bool:
        if any(isinstance(c, Const) and c.value for c in conditions):
            return True
        seen = set(conditions)
        return any(isinstance(c, Instr) and c.op == "xor" and c.width == 1 and c.args[0] in seen for c in conditions)

    def _select(self, phi: Instr, block: Block) -> Value:
        pairs = list(zip(phi.args, phi.blocks, strict=True))
        result = pairs[-1][0]
        for value, source in reversed(pairs[:-1]):
            result = self.build.op("select", phi.width, self.edges[(source, block)], value, result)
        return result

    def _predicate(self, store: Instr, condition: Value) -> None:
        if isinstance(condition, Const):
            return
        if len(store.args) > 2:
            condition = self.build.op("and", 1, store.args[2], condition)
        store.args = [*store.args[:2], condition]

    def _branch(self, block: Block) -> None:
        term, reached = block.term, self.reached[block]
        conditions: dict[Block, list[Value]] = {}
        if term.op == "br" and len(term.blocks) == 1:
            conditions[term.blocks[0]] = [reached]
        elif term.op == "br":
            cond = term.args[0]
            conditions[term.blocks[0]] = [self.build.op("and", 1, reached, cond)]
            conditions.setdefault(term.blocks[1], []).append(self.build.op("and", 1, reached, self.build.not_(cond)))
        else:
            none: Value = reached
            for number, target in zip(term.attr, term.blocks[1:], strict=True):
                value = term.args[0]
                hit = self.build.op("icmp", 1, value, Const(value.width, number), attr="eq")
                conditions.setdefault(target, []).append(self.build.op("and", 1, reached, hit))
                none = self.build.op("and", 1, none, self.build.not_(hit))
            conditions.setdefault(term.blocks[0], []).append(none)
        for target, parts in conditions.items():
            self.edges[(block, target)] = self._any(parts)

    def _merged(self, phi: Instr, sources: list[Block], target: Block) -> Value:
        """What a phi outside (or of the header) gets from the loop."""
        values = [(phi.args[phi.blocks.index(s)], s) for s in sources]
        result = values[-1][0]
        for value, source in reversed(values[:-1]):
            result = self.build.op("select", phi.width, self.edges[(source, target)], value, result)
        return result

    def _finish(self, preds: dict[Block, list[Block]]) -> None:
        header, loop = self.loop.header, self.loop
        exits = list(dict.fromkeys(t for b in self.order for t in b.successors() if t not in loop.blocks))
        latches = [b for b in self.order if header in b.successors()]
        for target, sources in [
            (header, latches),
            *((x, [b for b in self.order if x in b.successors()]) for x in exits),
        ]:
            for phi in target.phis:
                merged = self._merged(phi, sources, target)
                kept = [(a, b) for a, b in zip(phi.args, phi.blocks, strict=True) if b not in sources]
                phi.args, phi.blocks = [*(a for a, _ in kept), merged], [*(b for _, b in kept), self.new]
        again = self._any([self.edges[(b, header)] for b in latches])
        where = latches[-1].term.where
        leave = {x: self._any([self.edges[(b, x)] for b in self.order if x in b.successors()]) for x in exits}
        position = self.function.blocks.index(header)
        self.function.blocks[position] = self.new
        after = self._dispatch(exits, leave, where)
        targets = [self.new, after]
        if isinstance(again, Instr) and again.op == "xor" and isinstance(again.args[1], Const):
            again, targets = again.args[0], [after, self.new]
        self.new.instrs.append(Instr(0, "br", [again], where=where, blocks=targets))
        self.function.blocks = [b for b in self.function.blocks if b not in loop.blocks]
        for block in preds[header]:
            block.term.blocks = [self.new if t is header else t for t in block.term.blocks]

    def _dispatch(self, exits: list[Block], leave: dict[Block, Value], where: str) -> Block:
        """Where control goes after the loop: to its only exit, or by what was decided in the last iteration."""
        target = exits[-1]
        for exit_ in reversed(exits[:-1]):
            block = Block(self.function.fresh("leave"))
            block.instrs.append(Instr(0, "br", [leave[exit_]], where=where, blocks=[exit_, target]))
            self.function.blocks.append(block)
            for other in (exit_, target):
                for phi in other.phis:
                    phi.blocks = [block if b is self.new else b for b in phi.blocks]
            target = block
        return target
