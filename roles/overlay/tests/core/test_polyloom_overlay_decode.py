# SPDX-License-Identifier: Apache-2.0
"""Covers: polyloom_overlay_decode with and without F and M on the same words: every instruction with random operands,
each of them with one bit changed, and random words; what is legal is told by a table of the specification's encodings,
what the rest of the core is told by what the instruction does: its class, operands, operation, result and registers.

Leaves out: fields that mean nothing for an instruction, and all but `illegal` of what is none.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import cocotb
from core_units import DECODED, LOAD, LOAD_FP, OP_FP, REG, SEND, STORE, STORE_FP, SYSTEM, Ports

from polyloom.rtl.testing import Harness, Struct, bench
from polyloom.rtl.testing.every_cycle import EveryCycle

test = bench(__file__, "core_parts_tb")
RS = Struct([("c", 6), ("b", 6), ("a", 6)])
Rows = dict[str, tuple[int, int]]  # by mnemonic: the bits that are fixed, and what they are

F3, F7, RS2, WHOLE = 0x7000, 0xFE000000, 0x01F00000, 0xFFFFFFFF


def _rows(names: str, mask: int, match: int, step: int) -> Rows:
    """Instructions whose fixed bits differ by a step; "-" is a gap."""
    return {name: (mask | 0x7F, match + i * step) for i, name in enumerate(names.split()) if name != "-"}


def _fp(names: str, f7: int, step: int, mask: int = F7 | F3) -> Rows:
    return _rows(names, mask, f7 << 25 | OP_FP, step)


SHIFTS = {name: (F7 | F3 | 0x7F, bits) for name, bits in (("slli", 0x1013), ("srli", 0x5013), ("srai", 0x40005013))}
IMMEDIATE = _rows("addi - slti sltiu xori - ori andi", F3, 0x13, 0x1000) | SHIFTS
REGISTERS = _rows("add sll slt sltu xor srl or and", F7 | F3, 0x33, 0x1000) | {
    "sub": (F7 | F3 | 0x7F, 0x40000033),
    "sra": (F7 | F3 | 0x7F, 0x40005033),
}
UPPER = {"lui": (0x7F, 0x37), "auipc": (0x7F, 0x17)}
JUMPS = {"jal": (0x7F, 0x6F), "jalr": (F3 | 0x7F, 0x67)}
BRANCHES = _rows("beq bne - - blt bge bltu bgeu", F3, 0x63, 0x1000)
LOADS = _rows("lb lh lw - lbu lhu", F3, LOAD, 0x1000)
STORES = _rows("sb sh sw", F3, STORE, 0x1000)
CSRS = _rows("csrrw csrrs csrrc - csrrwi csrrsi csrrci", F3, 0x1000 | SYSTEM, 0x1000)
OTHERS = {
    **{"fence": (F3 | 0x7F, 0x0F), "send": (0xFE007FFF, SEND)},
    **{"ecall": (WHOLE, 0x73), "ebreak": (WHOLE, 0x100073)},
}
MULDIV = _rows("mul mulh mulhsu mulhu div divu rem remu", F7 | F3, 0x02000033, 0x1000)
FLOAT_MEMORY = {"flw": (F3 | 0x7F, 0x2000 | LOAD_FP), "fsw": (F3 | 0x7F, 0x2000 | STORE_FP)}
MOVES = _fp("fsgnj fsgnjn fsgnjx", 0x10, 0x1000) | _fp("fmv.x.w", 0x70, 0, F7 | RS2 | F3)
MOVES |= _fp("fmv.w.x", 0x78, 0, F7 | RS2 | F3)
COMPARES = _fp("fmin fmax", 0x14, 0x1000) | _fp("fle flt feq", 0x50, 0x1000)
COMPARES |= {"fclass": (F7 | RS2 | F3 | 0x7F, 0xE0001053)}
ROUNDS = _fp("fadd", 0, 0, F7) | _fp("fsub", 4, 0, F7) | _fp("fmul", 8, 0, F7) | _fp("fdiv", 12, 0, F7)
ROUNDS |= _fp("fsqrt", 0x2C, 0, F7 | RS2)
ROUNDS |= _fp("fcvt.w.s fcvt.wu.s", 0x60, 1 << 20, F7 | RS2) | _fp("fcvt.s.w fcvt.s.wu", 0x68, 1 << 20, F7 | RS2)
FUSED = _rows("fmadd fmsub fnmsub fnmadd", 0x06000000, 0x43, 4)
BASE = IMMEDIATE | REGISTERS | UPPER | JUMPS | BRANCHES | LOADS | STORES | CSRS | OTHERS
FLOAT = FLOAT_MEMORY | MOVES | COMPARES | ROUNDS | FUSED
ALL = BASE | MULDIV | FLOAT

#: The order of the package's fpu_op_e.
_NAMES = (
    "mul mulh mulhsu mulhu div divu rem remu fadd fsub fmul fdiv fsqrt fmadd fmsub fnmsub fnmadd "
    "fmin fmax feq flt fle fclass fcvt.w.s fcvt.wu.s fcvt.s.w fcvt.s.wu"
)
OPERATIONS = _NAMES.split()
TO_X = {"feq", "flt", "fle", "fclass", "fcvt.w.s", "fcvt.wu.s", "fmv.x.w"}
FROM_X = {"fcvt.s.w", "fcvt.s.wu", "fmv.w.x", "flw", "fsw"}
UNSIGNED = {"sltu", "sltiu", "bltu", "bgeu", "fmv.x.w", "fmv.w.x"}
COMPARISONS = {"slt", "sltu", "slti", "sltiu"}
ALU_SHIFTS = {"sll", "srl", "sra", *SHIFTS}
COMPUTE = {*IMMEDIATE, *REGISTERS, *UPPER, *MOVES}


#: Numbers that name a CSR, of which the first three come with F (Tinsel).
FP_NUMBERS = {1, 2, 3}
NUMBERS = [*FP_NUMBERS, *range(0x800, 0x804), *range(0x805, 0x810), 0xC00, 0xC01, *range(0xC07, 0xC10), 0xF14]


def name_of(word: int, rows: Rows) -> str:
    """The instruction that a word is, or ""."""
    for name, (mask, match) in rows.items():
        if name in CSRS and (word >> 20 not in NUMBERS or (word >> 20 in FP_NUMBERS and "fadd" not in rows)):
            continue
        if word & mask == match and not (name in ROUNDS | FUSED and word >> 12 & 7 in {5, 6}):
            return name
    return ""


def _classes(name: str) -> dict[str, int]:
    requests = name in OPERATIONS
    return {
        **{"illegal": 0, "ecall": name == "ecall", "ebreak": name == "ebreak", "send": name == "send"},
        **{"branch": name in BRANCHES, "jump": name in JUMPS, "csr": name in CSRS},
        **{"load": name in LOADS or name == "flw", "store": name in STORES or name == "fsw"},
        **{"fpu": requests, "fp": requests and name not in MULDIV, "rm": name in ROUNDS or name in FUSED},
        **{"computes": name in COMPUTE},
    }


def meaning(name: str, word: int) -> dict[str, int]:
    """The fields that mean something for the instruction."""
    rd, f3 = word >> 7 & 31, word >> 12 & 7
    says: dict[str, int] = _classes(name) | {"f3": f3}
    if name in OPERATIONS:
        says["op"] = OPERATIONS.index(name)
    if name in COMPUTE:
        part = {"from_shift": name in ALU_SHIFTS, "from_less": name in COMPARISONS}
        part["from_sum"] = name in {*UPPER, "add", "addi", "sub"}
        says |= part | {"from_logic": not any(part.values())}
    if name in ALU_SHIFTS:
        says |= {"left": name in {"sll", "slli"}}
        says |= {"arith": name in {"sra", "srai"}} if not says["left"] else {}
    if name in COMPARISONS | {"blt", "bge", "bltu", "bgeu"} | MOVES.keys():
        says["not_signed"] = name in UNSIGNED
    if name in IMMEDIATE | REGISTERS | MOVES:
        says["move"] = name in MOVES
    if name not in {"fence", "send", "ebreak"} and name not in MULDIV | COMPARES | ROUNDS | FUSED | MOVES:
        registers = name in REGISTERS | BRANCHES
        says |= {"a_pc": name in {"auipc", "jal"}, "a_zero": name == "lui" or (name in CSRS and f3 > 4)}
        says |= {"b_imm": not registers, "sub": name in COMPARISONS | BRANCHES.keys() | {"sub"}}
    to_f = (name in FLOAT and name not in TO_X and name != "fsw") or name == "flw"
    none = name in STORES | BRANCHES or name in {"fence", "send", "ecall", "ebreak", "fsw"}
    says["rd_we"] = not none and (to_f or rd != 0)
    if says["rd_we"]:
        says["rd"] = REG.pack(f=int(to_f), index=rd)
    return says


def sources(name: str, word: int) -> dict[str, int]:
    """The registers that it reads."""
    first, second, third = word >> 15 & 31, word >> 20 & 31, word >> 27
    floats = name in FLOAT
    reads: dict[str, int] = {}
    if name == "ecall":
        reads["a"] = 17
    elif name not in UPPER | {"jal": 0, "fence": 0, "ebreak": 0} and not (name in CSRS and word >> 14 & 1):
        reads["a"] = REG.pack(f=int(floats and name not in FROM_X), index=first)
        reads["a"] = first if name in {"flw", "fsw"} else reads["a"]
    one = name in {"fsqrt", "fmv.x.w", "fmv.w.x", "fclass", "flw"} or name.startswith("fcvt")
    if name in REGISTERS | MULDIV | BRANCHES | STORES | {"send": 0} or (floats and not one):
        reads["b"] = REG.pack(f=int(floats), index=second)
    if name in FUSED:
        reads["c"] = REG.pack(f=1, index=third)
    return reads


def candidates(rng: random.Random) -> list[int]:
    """Words: instructions, instructions with a bit changed, anything."""
    made = []
    for name, (mask, match) in ALL.items():
        for _ in range(48 if name in CSRS else 12):
            word = match | rng.getrandbits(32) & ~mask
            word &= rng.choice((WHOLE, WHOLE, ~0xF80, ~0xF8000)) | mask
            if name in CSRS:
                word = word & 0xFFFFF | rng.choice(NUMBERS) << 20
            made += [word, word ^ 1 << rng.randrange(32)]
    return made + [rng.getrandbits(32) for _ in range(300)]


@cocotb.test()
async def knows_every_word(dut: Any) -> None:
    h = Harness(dut, dut.gen_decode)
    word_in = Ports(h, "word_i")
    outs = [(h.signal("decoded_o", k, 4), h.signal("rs_o", k, 4)) for k in range(4)]
    rows = [BASE | (FLOAT if k & 1 else {}) | (MULDIV if k & 2 else {}) for k in range(4)]
    todo = candidates(h.rng)
    h.rng.shuffle(todo)
    word = 0
    seen: Counter[str] = Counter()

    def drive() -> None:
        nonlocal word
        word = todo.pop()
        word_in.set(word_i=word)

    def check(cycle: int) -> None:
        for k, (decoded, rs) in enumerate(outs):
            name = name_of(word, rows[k])
            got, registers = DECODED.unpack(decoded.get()), RS.unpack(rs.get())
            where = f"cycle {cycle}, F {k & 1}, M {k >> 1}: {word:#010x} {name}"
            seen[name] += 1
            if not name:
                assert got["illegal"], f"{where} is legal"
                continue
            for field, want in meaning(name, word).items():
                assert got[field] == want, f"{where}: {field} is {got[field]:#x}, expected {want:#x}"
            for field, want in sources(name, word).items():
                assert registers[field] == want, f"{where}: register {field} is {registers[field]:#x}"

    EveryCycle(h, drive, check)
    await h.until(lambda: not todo)
    assert seen.keys() == ALL.keys() | {""}
