# SPDX-License-Identifier: Apache-2.0
"""Which memories the kernel has: one for each object that is read, written, or visible to DMA.

A constant that nothing loads keeps its address, for messages that name it, and takes no memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from polyloom.hls.errors import HlsError
from polyloom.hls.ir import DRAM, Instr, Module, Object
from polyloom.hls.names import Names
from polyloom.hls.objects import memory_bytes, region
from polyloom.hls.options import Options


@dataclass(eq=False)
class Memory:
    """A RAM of 64-bit words for an object."""

    name: str
    obj: Object
    copies: int = 1
    writable: bool = False

    @property
    def base(self) -> int:
        """Address of its first byte."""
        return self.obj.address

    @property
    def words(self) -> int:
        """Depth."""
        return memory_bytes(self.obj.size) // 8

    @property
    def address_bits(self) -> int:
        """Bits of a byte address within it."""
        return (self.words * 8 - 1).bit_length()

    @property
    def region_bits(self) -> int:
        """Lower address bits that the decoder leaves out."""
        return (region(self.obj.size) - 1).bit_length()


@dataclass
class Memories:
    """All memories, and who uses which."""

    memories: list[Memory] = field(default_factory=list)
    of_object: dict[Object, Memory] = field(default_factory=dict)
    dram: bool = False

    def of(self, instr: Instr) -> list[Memory]:
        """Memories that a load or store may touch."""
        if instr.objects is None:
            return self.memories
        return [self.of_object[o] for o in sorted(instr.objects, key=lambda o: o.address) if o in self.of_object]

    @staticmethod
    def may_be_dram(instr: Instr) -> bool:
        """Whether a load or store may go to DRAM."""
        return instr.op in {"load", "store"} and (instr.objects is None or DRAM in instr.objects)


def assign_memories(module: Module, options: Options) -> Memories:
    """Memories of the objects in use. HlsError if they are larger than the limit."""
    objects = [o for o in module.objects if not o.in_dram]
    used: set[Object] = {o for o in objects if o.dma_visible}
    written: set[Object] = {o for o in objects if o.dma_visible and o.kind != "constant"}
    dram = False
    for function in module.functions.values():
        for instr in function.instrs():
            if instr.op in {"load", "store"}:
                targets = objects if instr.objects is None else instr.objects
                used.update(targets)
                if instr.op == "store":
                    written.update(targets)
                dram |= Memories.may_be_dram(instr)
    result = Memories(dram=dram)
    total = 0
    names = Names()
    for obj in sorted(used - {DRAM}, key=lambda o: o.address):
        memory = Memory(names.of(obj, f"m_{obj.name}".lower()), obj, writable=obj in written)
        result.memories.append(memory)
        result.of_object[obj] = memory
        total += memory.words * 8
    check_limit(result, options)
    return result


def check_limit(memories: Memories, options: Options) -> None:
    """HlsError naming the largest object if the memories take more than is allowed."""
    total = sum(m.words * 8 * m.copies for m in memories.memories)
    if total > options.memory_limit:
        largest = max((m.obj for m in memories.memories), key=lambda o: o.size)
        message = (
            f"the kernel's objects take {total} bytes of block RAM, at most {options.memory_limit} are allowed; "
            f"the largest is {largest.name} with {largest.size}. Initial values are kept there too: make arrays "
            "smaller, compute what is in them, or raise the limit"
        )
        raise HlsError(largest.where, message)
