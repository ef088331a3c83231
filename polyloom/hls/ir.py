# SPDX-License-Identifier: Apache-2.0
"""The compiler's own representation: SSA over bit vectors of 1 to 128 bits, blocks, functions, memory objects.

Floating-point values are their bits. Pointers are 32 bits wide. Operations (``Instr.op``), operands before the colon:

    add sub mul and or xor shl lshr ashr udiv urem sdiv srem    a b: of the same width as the result
    icmp                    a b: attr is eq ne ult ule slt sle; one bit
    select                  c a b
    zext sext trunc         a
    copy                    a: a name for a value that must keep its own register
    load                    address [predicate]: attr is the number of bytes
    store                   address value [predicate]: attr is the number of bytes
    push pop                word / nothing: attr is the port
    cycle rank              nothing
    fadd fsub fmul fdiv fsqrt     a [b]
    fcmp                    a b: attr is LLVM's predicate
    sitofp uitofp fptosi fptoui fpext fptrunc    a
    call                    arguments: attr is the function's name
    phi                     a value for each of ``blocks``
    br                      [condition]: blocks are the targets, true first
    switch                  value: blocks are default and cases, attr the values
    ret                     [value]
    halt                    nothing: the kernel is done
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

ADDRESS_BITS = 32
DRAM_BASE = 0x8000_0000
DRAM_END = 0xF000_0000

TERMINATORS = {"br", "switch", "ret", "halt", "call"}
#: Operations that take place in order and may wait for the world outside.
HANDSHAKES = {"push", "pop"}
EFFECTS = {"store", "push", "pop", "cycle"} | TERMINATORS
COMMUTATIVE = {"add", "mul", "and", "or", "xor"}


@dataclass(eq=False)
class Object:
    """A piece of memory with a name: a global, or a local variable whose address is taken."""

    name: str
    size: int
    align: int
    kind: str  # "global", "constant", "local", "dram"
    where: str = ""
    address: int = 0
    content: bytes = b""  # initial bytes, shorter than ``size`` where zeros follow
    points: list[Object] = field(default_factory=list)  # whose addresses the initial bytes hold
    dma_visible: bool = False  # its address leaves the kernel
    start: Object | None = None  # of one in DRAM: the constant that its first bytes are copied from; zeros follow
    stack_of: str = ""  # the function that calls itself and has its activations there

    def __repr__(self) -> str:
        return f"@{self.name}"

    @property
    def in_dram(self) -> bool:
        """Whether it is there and not in block RAM."""
        return self.address >= DRAM_BASE


#: All of the DRAM: what accesses to any object there, and to the heap, touch.
DRAM = Object("DRAM", 1 << 31, 16, "dram", address=DRAM_BASE)


@dataclass(eq=False)
class Value:
    """Anything that has bits."""

    width: int


@dataclass(eq=False)
class Const(Value):
    """A number; ``objects``: whose addresses it was computed from (DRAM: the heap's)."""

    value: int
    objects: frozenset[Object] = frozenset()

    def __repr__(self) -> str:
        if len(self.objects) != 1:
            return f"{self.value}"
        (obj,) = self.objects
        return f"@{obj.name}+{self.value - obj.address}"


@dataclass(eq=False)
class Param(Value):
    """A parameter of a function."""

    name: str

    def __repr__(self) -> str:
        return f"%{self.name}"


@dataclass(eq=False)
class Instr(Value):
    """One operation; its result if it has one (width 0: none)."""

    op: str
    args: list[Value]
    attr: Any = None
    name: str = ""
    where: str = ""
    place: str = ""  # that of the program, where ``where`` is in what was inlined from the library; "": not known
    blocks: list[Block] = field(default_factory=list)
    align: int = 1
    early: bool = False  # of a load: done before it is known whether anybody needs it
    objects: frozenset[Object] | None = None  # of load and store: what it may touch; None: anything

    def __repr__(self) -> str:
        return f"%{self.name}"

    def text(self) -> str:
        """One line, for tests and for people who look into the compiler."""
        words = [self.op if self.attr is None else f"{self.op}.{self.attr}"]
        if self.op == "phi":
            words.append(", ".join(f"[{a!r}, {b.name}]" for a, b in zip(self.args, self.blocks, strict=True)))
        else:
            words.append(", ".join([*map(repr, self.args), *(b.name for b in self.blocks)]))
        result = f"%{self.name}:{self.width} = " if self.width else ""
        return result + " ".join(w for w in words if w)


@dataclass(eq=False)
class Block:
    """Operations in order, phis first, the last one a terminator."""

    name: str
    instrs: list[Instr] = field(default_factory=list)

    @property
    def term(self) -> Instr:
        """The last operation."""
        return self.instrs[-1]

    @property
    def phis(self) -> list[Instr]:
        """The phis at its head."""
        return [i for i in self.instrs if i.op == "phi"]

    @property
    def body(self) -> list[Instr]:
        """All but phis and terminator."""
        return [i for i in self.instrs[:-1] if i.op != "phi"]

    def successors(self) -> list[Block]:
        """Where control may go, each once."""
        return list(dict.fromkeys(self.term.blocks)) if self.instrs else []


@dataclass(eq=False)
class Function:
    """A function: blocks, the first is the entry."""

    name: str
    params: list[Param]
    width: int
    blocks: list[Block] = field(default_factory=list)
    where: str = ""
    counter: int = 0

    def instrs(self) -> Iterator[Instr]:
        """All operations in order."""
        for block in self.blocks:
            yield from block.instrs

    def fresh(self, stem: str) -> str:
        """A name that is not used yet."""
        self.counter += 1
        return f"{stem}.{self.counter}"

    def text(self) -> str:
        """The whole function as text."""
        lines = [f"function {self.name}({', '.join(f'{p!r}:{p.width}' for p in self.params)}):{self.width}"]
        for block in self.blocks:
            lines.append(f"{block.name}:")
            lines += [f"  {i.text()}" for i in block.instrs]
        return "\n".join(lines) + "\n"


@dataclass(eq=False)
class Module:
    """All of a program."""

    objects: list[Object] = field(default_factory=list)
    functions: dict[str, Function] = field(default_factory=dict)
    entry: str = "polyloom_kernel"


def predecessors(function: Function) -> dict[Block, list[Block]]:
    """For each block, those that may go to it, each once."""
    result: dict[Block, list[Block]] = {b: [] for b in function.blocks}
    for block in function.blocks:
        for target in block.successors():
            result[target].append(block)
    return result


def replace_uses(function: Function, old: Value, new: Value) -> None:
    """Make every operand that is ``old`` be ``new``."""
    replace_all(function, {old: new})


def replace_all(function: Function, mapping: dict[Value, Value]) -> None:
    """Replace operands by a mapping, chains included."""

    def final(value: Value) -> Value:
        while value in mapping:
            value = mapping[value]
        return value

    if mapping:
        for instr in function.instrs():
            instr.args = [final(a) if a in mapping else a for a in instr.args]


def users(function: Function) -> dict[Value, list[Instr]]:
    """For each value, the operations that use it."""
    result: dict[Value, list[Instr]] = {}
    for instr in function.instrs():
        for arg in instr.args:
            result.setdefault(arg, []).append(instr)
    return result


def remove_unreachable(function: Function) -> None:
    """Drop blocks that control cannot reach, and what phis had from them."""
    seen: set[Block] = set()
    stack = [function.blocks[0]]
    while stack:
        block = stack.pop()
        if block not in seen:
            seen.add(block)
            stack += block.successors()
    function.blocks = [b for b in function.blocks if b in seen]
    preds = predecessors(function)
    for block in function.blocks:
        for phi in block.phis:
            pairs = [(a, b) for a, b in zip(phi.args, phi.blocks, strict=True) if b in preds[block]]
            phi.args, phi.blocks = [a for a, _ in pairs], [b for _, b in pairs]
