# SPDX-License-Identifier: Apache-2.0
"""Programs that count the instructions they execute. Input: LLVM IR as text, optimised; output: the same, which counts.

Each basic block adds the number of its instructions to a counter of its function, which LLVM keeps in a register. That
goes to a counter of the thread before any call that may ask for it, and at the function's end. The MPI library of CPU
ranks asks by ``polyloom_instructions_taken`` (roles/mpi/runtime/cpu/rank.cc).

An instruction is one of the IR after clang's -O2 that a CPU executes: not what names a value, an address within an
array or another type of an integer. Copies and fills of memory are those of 16 bytes each.
"""

from __future__ import annotations

import re

#: That a CPU executes as part of others, or not at all.
FREE = {
    *("phi", "alloca", "getelementptr", "bitcast", "inttoptr", "ptrtoint", "trunc", "zext", "freeze"),
    *("extractvalue", "insertvalue", "unreachable"),
}
#: Intrinsics that say something to the compiler.
FREE_INTRINSICS = re.compile(
    r"llvm\.(dbg|lifetime|assume|experimental\.noalias|invariant|expect|annotation|donothing)\b"
)
TERMINATORS = {"ret", "br", "switch", "indirectbr", "unreachable", "callbr"}
BYTES = 16  # that an instruction moves
#: What every module has; the linker keeps one.
COUNTER = """
@polyloom_instructions = linkonce_odr hidden thread_local(localexec) global i64 0

define weak_odr i64 @polyloom_instructions_taken() {
  %taken = load i64, ptr @polyloom_instructions
  store i64 0, ptr @polyloom_instructions
  ret i64 %taken
}
"""
_OPCODE = re.compile(r"(?:%[^ =]+ = )?(?:(?:tail|musttail|notail) )?([a-z_]+)")
_CALLEE = re.compile(r"[^\"]*?@\"?([\w.$]+)\"?\(")
_MOVED = re.compile(r"llvm\.mem\w+(?:\.\w+)*\(.*, i64 (\d+|%[\w.]+), i1 ")


def instrument(module: str) -> str:
    """The module with counters. LLVM's mem2reg must follow."""
    out: list[str] = []
    function: _Function | None = None
    lines = module.splitlines()
    quiet = _quiet(lines)
    for line in lines:
        if line.startswith("define "):
            function = _Function(out, quiet)
            out.append(line)
            function.begin()
        elif line == "}":
            function = None
            out.append(line)
        elif function is not None:
            function.line(line)
        elif line.startswith("attributes #"):  # what is said of memory does not hold for who counts
            out.append(re.sub(r"\bmemory\([^)]*\)", "", line))
        else:
            out.append(line)
    return "\n".join(out) + COUNTER


def _quiet(lines: list[str]) -> set[str]:
    """Functions in which no code from outside of the module runs, so that nothing asks for the counter meanwhile."""
    calls: dict[str, set[str]] = {}
    name = ""
    for line in lines:
        text = line.strip()
        if line.startswith("define ") and (found := _CALLEE.match(line)):
            calls[name := found[1]] = set()
        elif name and _opcode(text) == "call" and not _stays(text):
            calls[name].add(_callee(text))
        elif line == "}":
            name = ""
    quiet = set(calls)
    while loud := {name for name in quiet if calls[name] - quiet}:
        quiet -= loud
    return quiet


class _Function:
    """One function on its way from its lines to ``out``."""

    def __init__(self, out: list[str], quiet: set[str]) -> None:
        self._out = out
        self._quiet = quiet
        self._values = 0
        self._held: list[str] = []  # lines since the last one that the counter was changed before
        self._count = 0  # of instructions in them
        self._after_end = False  # of a block: lines that a terminator goes on in

    def begin(self) -> None:
        """What follows the line with its name."""
        self._out += ["  %polyloom.count = alloca i64", "  store i64 0, ptr %polyloom.count"]

    def line(self, line: str) -> None:
        """One more line of the body."""
        text = line.strip()
        if self._after_end or not text or text[0] == ";" or text.startswith("#dbg_") or not line.startswith("  "):
            self._after_end = self._after_end and line.startswith("  ")  # up to the next label
            self._out += [*self._take(), line]
            return
        opcode = _opcode(text)
        self._held.append(line)
        if opcode == "call":
            self._call(text)
        elif opcode in TERMINATORS:
            self._end(opcode, text)
        else:
            self._count += opcode not in FREE

    def _call(self, text: str) -> None:
        name = _callee(text)
        if FREE_INTRINSICS.match(name):
            return
        self._count += 1
        if moved := _MOVED.search(text):
            self._moved(moved[1])
        elif not _stays(text) and name not in self._quiet:
            call = self._held.pop()
            self._out += [*self._take(), *self._hand_over(), call]

    def _moved(self, length: str) -> None:
        if length.isdigit():
            self._count += int(length) // BYTES
            return
        call = self._held.pop()
        shifted = self._value()
        self._out += [*self._take(), f"  {shifted} = lshr i64 {length}, {BYTES.bit_length() - 1}"]
        self._out += [*self._add("%polyloom.count", shifted), call]

    def _end(self, opcode: str, text: str) -> None:
        end = self._held.pop()
        self._count += opcode not in FREE and (opcode != "br" or text.startswith("br i1"))
        self._out += self._take()
        if opcode == "ret":
            self._out += self._hand_over()
        self._out.append(end)
        self._after_end = True

    def _take(self) -> list[str]:
        """The lines held back, after which their instructions are counted."""
        lines = self._held
        if self._count:
            lines = [*lines, *self._add("%polyloom.count", str(self._count))]
        self._held, self._count = [], 0
        return lines

    def _hand_over(self) -> list[str]:
        """Empties the function's counter into the thread's."""
        value = self._value()
        load = f"  {value} = load i64, ptr %polyloom.count"
        return [load, *self._add("@polyloom_instructions", value), "  store i64 0, ptr %polyloom.count"]

    def _add(self, counter: str, amount: str) -> list[str]:
        before, after = self._value(), self._value()
        return [
            f"  {before} = load i64, ptr {counter}",
            f"  {after} = add i64 {before}, {amount}",
            f"  store i64 {after}, ptr {counter}",
        ]

    def _value(self) -> str:
        self._values += 1
        return f"%polyloom.{self._values}"


def _opcode(text: str) -> str:
    found = _OPCODE.match(text)
    return found[1] if found else ""


def _callee(call: str) -> str:
    """The function's name; empty if it is called by a pointer."""
    found = _CALLEE.match(call)
    return found[1] if found else ""


def _stays(call: str) -> bool:
    """Whether it is an instruction, not a jump to other code."""
    return " asm " in call or _callee(call).startswith("llvm.")
