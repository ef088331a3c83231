# SPDX-License-Identifier: Apache-2.0
"""Finds loops: dominators, natural loops, and which of them have none inside."""

from __future__ import annotations

from dataclasses import dataclass, field

from polyloom.hls.ir import Block, Function, predecessors


@dataclass(eq=False)
class Loop:
    """A natural loop: blocks that reach the header without leaving it."""

    header: Block
    blocks: set[Block] = field(default_factory=set)


def postorder(function: Function) -> list[Block]:
    """Blocks after all they lead to, loops aside."""
    result: list[Block] = []
    seen = {function.blocks[0]}
    stack = [(function.blocks[0], iter(function.blocks[0].successors()))]
    while stack:
        block, rest = stack[-1]
        following = next((b for b in rest if b not in seen), None)
        if following is None:
            result.append(block)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(following.successors())))
    return result


def dominators(function: Function) -> dict[Block, Block]:
    """Immediate dominator of each block; the entry's is itself."""
    order = postorder(function)
    number = {b: k for k, b in enumerate(order)}
    preds = predecessors(function)
    entry = function.blocks[0]
    result = {entry: entry}
    changed = True
    while changed:
        changed = False
        for block in reversed(order):
            if block is entry:
                continue
            known = [p for p in preds[block] if p in result]
            best = known[0]
            for other in known[1:]:
                a, b = best, other
                while a is not b:
                    if number[a] < number[b]:
                        a = result[a]
                    else:
                        b = result[b]
                best = a
            if result.get(block) is not best:
                result[block] = best
                changed = True
    return result


def loops(function: Function) -> list[Loop]:
    """All natural loops."""
    idom = dominators(function)
    preds = predecessors(function)

    def dominates(a: Block, b: Block) -> bool:
        while b is not a and idom[b] is not b:
            b = idom[b]
        return a is b

    found: dict[Block, Loop] = {}
    for block in idom:
        for target in block.successors():
            if dominates(target, block):
                loop = found.setdefault(target, Loop(target, {target}))
                stack = [block]
                while stack:
                    inner = stack.pop()
                    if inner not in loop.blocks:
                        loop.blocks.add(inner)
                        stack += [p for p in preds[inner] if p in idom]
    return list(found.values())


def innermost(function: Function) -> list[Loop]:
    """Loops without loops inside, of those with several entries neither (functions that call themselves have such)."""
    every = loops(function)
    headers = {loop.header for loop in every}
    order = {block: at for at, block in enumerate(reversed(postorder(function)))}

    def turns(loop: Loop) -> bool:
        """Whether there is another way round than by the header."""
        edges = ((b, t) for b in loop.blocks for t in b.successors() if t in loop.blocks and t is not loop.header)
        return any(order[t] <= order[b] for b, t in edges)

    return [loop for loop in every if not (loop.blocks - {loop.header}) & headers and not turns(loop)]
