# SPDX-License-Identifier: Apache-2.0
"""Tests that are written out: jumps, constants, loads and stores, every register, CSRs, rounding modes in instructions.

Output: name -> (code, data, whether it needs floating point). Expected values are worked out here, in Python.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

Source = tuple[str, str, bool]
WORD = 0xFFFFFFFF


def expect(number: int, register: str, value: int) -> str:
    """Fails test `number` unless the register holds the value."""
    return f"  li TESTNUM, {number}\n  li t6, {value & WORD:#x}\n  bne {register}, t6, fail\n"


def _lui() -> str:
    text = ""
    for i, high in enumerate((0, 1, 0x7FFFF, 0x80000, 0xFFFFF, 0x12345)):
        text += f"  lui a0, {high:#x}\n" + expect(i + 2, "a0", high << 12)
    return text + "  j pass\n"


def _auipc() -> str:
    """Differences between two program counters, and a large one."""
    text = "1: auipc a0, 0\n2: auipc a1, 0\n  sub a2, a1, a0\n" + expect(2, "a2", 4)
    text += "3: auipc a0, 0\n4: auipc a1, 0xfffff\n  sub a2, a1, a0\n" + expect(3, "a2", (0xFFFFF << 12) + 4)
    text += "  la a0, 5f\n5: auipc a1, 0\n  sub a2, a1, a0\n" + expect(4, "a2", 0)
    return text + "  j pass\n"


def _jal() -> str:
    text = "  li TESTNUM, 2\n  jal ra, 1f\n2: j fail\n3: j 4f\n1: la a0, 2b\n  bne ra, a0, fail\n"
    text += "  li TESTNUM, 3\n  jal x0, 3b\n  j fail\n4:\n  bne x0, zero, fail\n"
    text += "  li a0, 5\n  li a1, 0\n5: addi a0, a0, -1\n  addi a1, a1, 3\n  beqz a0, 6f\n  jal t0, 5b\n6:\n"
    return text + expect(4, "a1", 15) + "  j pass\n"


def _jalr() -> str:
    """Offsets of both signs, the target's lowest bit dropped, link register equal to base."""
    text = ""
    for i, (bias, offset) in enumerate(((0, 0), (-8, 8), (2044, -2044), (-2047, 2047), (1, 0), (0, 1))):
        number = i + 2
        text += f"  li TESTNUM, {number}\n  la t0, 1f\n  addi t0, t0, {bias}\n"
        text += f"  jalr t0, {offset}(t0)\n2: j fail\n1: la t1, 2b\n  bne t0, t1, fail\n"
    return text + "  j pass\n"


BYTES = (0x00, 0x7F, 0x80, 0xFF, 0x12, 0xF0, 0x0F, 0x81)


def _loads() -> str:
    """Every width at every place where it may lie, signed and not, offsets of both signs."""
    text = "  la s0, data\n  addi s1, s0, 7\n"
    number = 2
    for name, size, sign in (("lb", 1, True), ("lbu", 1, False), ("lh", 2, True), ("lhu", 2, False), ("lw", 4, True)):
        for at in range(0, len(BYTES), size):
            value = int.from_bytes(bytes(BYTES[at : at + size]), "little", signed=sign)
            text += f"  {name} a0, {at}(s0)\n" + expect(number, "a0", value)
            text += f"  {name} s2, {at - 7}(s1)\n" + expect(number + 1, "s2", value)
            number += 2
    return text + "  j pass\n"


def _stores() -> str:
    """Every width at every place: the other bytes stay."""
    text = "  la s0, data\n  addi s1, s0, 7\n  li a1, 0xa1b2c3d4\n"
    number = 2
    for name, size in (("sb", 1), ("sh", 2), ("sw", 4)):
        for at in range(0, 8, size):
            memory = bytearray(b"\x55" * 8)
            memory[at : at + size] = (0xA1B2C3D4).to_bytes(4, "little")[:size]
            low, high = (int.from_bytes(memory[i : i + 4], "little") for i in (0, 4))
            for base, offset in (("s0", at), ("s1", at - 7)):
                text += "  li a0, 0x55555555\n  sw a0, 0(s0)\n  sw a0, 4(s0)\n"
                text += f"  {name} a1, {offset}({base})\n  lw a2, 0(s0)\n  lw a3, 4(s0)\n"
                text += expect(number, "a2", low) + expect(number, "a3", high)
                number += 1
    return text + "  j pass\n"


def _far_memory() -> str:
    """More lines than a cache holds, written and read back: evictions and refills."""
    return """
  li TESTNUM, 2
  la s0, data
  li s1, 0
  li s2, 400
  mv a0, s0
1: slli a1, s1, 3
  xori a1, a1, 0x5a
  sw a1, 0(a0)
  sh a1, 62(a0)
  addi a0, a0, 128
  addi s1, s1, 1
  bne s1, s2, 1b
  li s1, 0
  mv a0, s0
2: slli a1, s1, 3
  xori a1, a1, 0x5a
  lw a2, 0(a0)
  bne a1, a2, fail
  lhu a2, 62(a0)
  slli a1, a1, 16
  srli a1, a1, 16
  bne a1, a2, fail
  addi a0, a0, 128
  addi s1, s1, 1
  bne s1, s2, 2b
  j pass
"""


def _scratchpad() -> str:
    """Words, halves and bytes of the tile's shared memory (slot 1 and on: tohost lies in slot 0)."""
    text = "  li s0, 0x8040\n  li a0, 0x89abcdef\n  sw a0, 0(s0)\n  sw a0, 4(s0)\n"
    text += "  li a1, 0x11\n  sb a1, 1(s0)\n  li a1, 0x2233\n  sh a1, 6(s0)\n"
    for i, (name, at, value) in enumerate(
        (("lw", 0, 0x89AB11EF), ("lb", 0, 0xFFFFFFEF), ("lbu", 1, 0x11), ("lh", 2, 0xFFFF89AB), ("lw", 4, 0x2233CDEF))
    ):
        text += f"  {name} a2, {at}(s0)\n" + expect(i + 2, "a2", value)
    return text + "  j pass\n"


def _registers() -> str:
    """Every integer register keeps its own value; gp holds the number of the test, x0 nothing."""
    free = [i for i in range(1, 32) if i not in (3, 31)]
    text = "".join(f"  li x{i}, {(i * 0x01234567) & WORD:#x}\n" for i in free) + "  li x0, 5\n"
    text += "".join(expect(i, f"x{i}", i * 0x01234567) for i in free)
    text += "  addi x0, x0, 7\n  add x0, x1, x2\n" + expect(40, "x0", 0)
    # A chain through all of them: each from the one before.
    text += "  li x1, 1\n" + "".join(f"  addi x{b}, x{a}, 1\n" for a, b in itertools.pairwise(free))
    return (
        text
        + expect(41, f"x{free[-1]}", len(free))
        + "  li x31, 77\n  li gp, 42\n  addi x31, x31, -77\n  bnez x31, fail\n  j pass\n"
    )


def _floating_registers() -> str:
    text = "".join(f"  li a0, {(i * 0x01020408 + 0x3F800000) & WORD:#x}\n  fmv.w.x f{i}, a0\n" for i in range(32))
    for i in range(32):
        text += f"  fmv.x.w a0, f{i}\n" + expect(i + 2, "a0", i * 0x01020408 + 0x3F800000)
    return text + "  j pass\n"


def _floating_memory() -> str:
    """flw and fsw keep every pattern, NaNs too, at offsets of both signs."""
    text = "  la s0, data\n  addi s1, s0, 64\n"
    for i, pattern in enumerate((0, 0x80000000, 0x3F800000, 0x7F800001, 0x7FC12345, 0xFFFFFFFF, 1, 0x00800000)):
        text += f"  li a0, {pattern:#x}\n  sw a0, {4 * i}(s0)\n  flw ft{i}, {4 * i - 64}(s1)\n"
        text += f"  fsw ft{i}, {4 * i + 64}(s0)\n  lw a1, {4 * i}(s1)\n" + expect(i + 2, "a1", pattern)
    return text + "  j pass\n"


def _csr_forms() -> Iterator[tuple[str, int, int]]:
    """(instruction with operands in a1 or an immediate, value before, value after) on an eight-bit fcsr."""
    yield "csrrw a0, fcsr, a1", 0xA5, 0x3C
    yield "csrrs a0, fcsr, a1", 0xA5, 0xA5 | 0x3C
    yield "csrrc a0, fcsr, a1", 0xA5, 0xA5 & ~0x3C
    yield "csrrwi a0, fcsr, 0x1a", 0xA5, 0x1A
    yield "csrrsi a0, fcsr, 0x1a", 0xA5, 0xA5 | 0x1A
    yield "csrrci a0, fcsr, 0x1a", 0xA5, 0xA5 & ~0x1A
    yield "csrrs a0, fcsr, x0", 0xA5, 0xA5
    yield "csrrc a0, fcsr, x0", 0xA5, 0xA5
    yield "csrrsi a0, fcsr, 0", 0xA5, 0xA5
    yield "csrrw a0, fcsr, x0", 0xA5, 0


def _csrs() -> str:
    text = "  li a1, 0x3c\n"
    number = 2
    for instruction, before, after in _csr_forms():
        text += f"  li t0, {before:#x}\n  csrw fcsr, t0\n  {instruction}\n  csrr a2, fcsr\n"
        text += expect(number, "a0", before) + expect(number + 1, "a2", after)
        number += 2
    # The parts of fcsr, and bits that do not exist.
    text += "  li t0, -1\n  csrw fcsr, t0\n  csrr a0, fcsr\n" + expect(number, "a0", 0xFF)
    text += "  csrr a0, frm\n" + expect(number + 1, "a0", 7) + "  csrr a0, fflags\n" + expect(number + 2, "a0", 31)
    text += "  csrwi frm, 2\n  csrr a0, fcsr\n" + expect(number + 3, "a0", 0x5F)
    text += "  csrwi fflags, 9\n  csrr a0, fcsr\n" + expect(number + 4, "a0", 0x49)
    return text + "  csrw fcsr, zero\n  j pass\n"


def _thread_csrs() -> str:
    """Counters go on, the thread's number stands, send registers hold what is written."""
    return (
        "  li TESTNUM, 2\n  csrr a0, 0xc00\n  csrr a1, 0xc00\n  bgeu a0, a1, fail\n"
        "  li TESTNUM, 3\n  csrrw a2, 0xf14, zero\n  csrrw a3, 0xf14, zero\n  bne a2, a3, fail\n"
        "  andi a2, a2, 15\n  bnez a2, fail\n"
        "  li TESTNUM, 4\n  csrrw a2, 0x803, zero\n  li a3, 1\n  bne a2, a3, fail\n"  # can send
        "  li TESTNUM, 5\n  csrrw a2, 0x805, zero\n  bnez a2, fail\n"  # nothing to receive
        "  j pass\n"
    )


def _rounding_in_instructions() -> str:
    """1 + 2^-24 in each mode, named by the instruction whatever fcsr says."""
    text = "  li a0, 0x3f800000\n  fmv.w.x fa0, a0\n  li a0, 0x33800000\n  fmv.w.x fa1, a0\n"
    up, down = 0x3F800001, 0x3F800000
    for i, (mode, result) in enumerate((("rne", down), ("rtz", down), ("rdn", down), ("rup", up), ("rmm", up))):
        for k, other in enumerate((0, 3)):
            text += f"  csrwi fcsr, 0\n  csrwi frm, {other}\n  fadd.s fa2, fa0, fa1, {mode}\n  fmv.x.w a0, fa2\n"
            text += expect(2 + 2 * i + k, "a0", result)
    # Flags accrue until they are cleared.
    text += "  csrwi fcsr, 0\n  fadd.s fa2, fa0, fa1\n  fmv.w.x fa3, zero\n  fdiv.s fa2, fa0, fa3\n  csrr a0, fflags\n"
    return text + expect(20, "a0", 9) + "  j pass\n"


def _fence() -> str:
    text = "  la s0, data\n  li a0, 9\n  sw a0, 0(s0)\n  fence\n  fence rw, w\n  fence.tso\n  lw a1, 0(s0)\n"
    return text + expect(2, "a1", 9) + "  j pass\n"


def written_out() -> dict[str, Source]:
    """All of them."""
    space = "data: .zero 128\n"
    bytes_data = "data: .byte " + ", ".join(map(str, BYTES)) + "\n"
    return {
        "lui": (_lui(), "", False),
        "auipc": (_auipc(), "", False),
        "jal": (_jal(), "", False),
        "jalr": (_jalr(), "", False),
        "loads": (_loads(), bytes_data, False),
        "stores": (_stores(), space, False),
        "far_memory": (_far_memory(), "data: .zero 51328\n", False),
        "scratchpad": (_scratchpad(), "", False),
        "registers": (_registers(), "", False),
        "fence": (_fence(), space, False),
        "csrs": (_csrs(), "", True),
        "thread_csrs": (_thread_csrs(), "", False),
        "floating_registers": (_floating_registers(), "", True),
        "floating_memory": (_floating_memory(), space, True),
        "rounding_in_instructions": (_rounding_in_instructions(), "", True),
    }
