# SPDX-License-Identifier: Apache-2.0
"""What a circuit does not notice and a CPU would: accesses outside of what they may touch, division by zero, messages
from or to where no buffer is. Checked in simulation only, beside the circuit, so it costs no cycle and no gate.

    store.4 %p, %x    ->    S_LOOP: if (!(p - 32'h10000 < 32'd40)) report("rank 1: sort.c:12:7: store ... at 0x0 ...")

A load is not checked where a pass does it early, maybe in vain.
"""

from __future__ import annotations

from dataclasses import dataclass

from polyloom.hls.emit.design import Design, clocked_cases, literal
from polyloom.hls.ir import DRAM_BASE, Const, Instr, Value
from polyloom.hls.memory import Memories
from polyloom.hls.reader.debug import in_library
from polyloom.hls.schedule.plan import Plan

_DIVISIONS = {"sdiv", "udiv", "srem", "urem"}

#: Operations that have a buffer, by the first word of a command (roles/mpi/ENGINE.md).
_MESSAGES = """\
  // the three words of a command: a message's buffer lies in one object, or in DRAM
  logic [1:0] check_word_q;
  logic [63:0] check_command_q, check_place_q;
  logic check_sends, check_message, check_known, check_aborts;
  assign check_sends = check_command_q[7:0] inside {8'd1, 8'd2, 8'd8, 8'd9};
  assign check_message = check_word_q == 2'd2 && (check_sends || check_command_q[7:0] inside {8'd3, 8'd10})
      && cmd_o[31:0] != '0;
  // the kernel ends the job (ABORT of PROTOCOL.md)
  assign check_aborts = check_word_q == 2'd2 && check_command_q[7:0] == 8'd8 && check_command_q[63:32] == 32'd4
      && check_place_q[15:0] == '1;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) check_word_q <= '0;
    else if (cmd_valid_o && cmd_ready_i) check_word_q <= check_word_q == 2'd2 ? '0 : check_word_q + 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (cmd_valid_o && cmd_ready_i) begin
      if (check_word_q == 2'd0) check_command_q <= cmd_o;
      if (check_word_q == 2'd1) check_place_q <= cmd_o;
    end
  end"""
#: What goes to standard error when a kernel ends the job; the launcher reads it.
_LAST_CALL = "last call"
_MESSAGE = "%0s: %0s %0d bytes %0s 0x%08x, tag %0d: no array or block of memory has so many there"
_MESSAGE_VALUES = (
    'check_sends ? "sends" : "receives", cmd_o[31:0], check_sends ? "from" : "at", check_place_q[63:32], '
    "$signed(check_command_q[63:32])"
)


def check_lines(design: Design, commands: bool) -> list[str]:
    """The whole section; refers only to wires and registers that the circuit has. ``commands``: port 0 carries those
    of ENGINE.md."""
    actions: dict[str, list[str]] = {}
    calls: list[str] = []
    for block, plan in design.plans.items():
        if commands and block.term.op == "call" and not in_library(block.term.where):
            calls.append(block.term.where)
            actions[design.state(block, plan.length - 1)] = [f"check_call_q <= {len(calls)};"]
        for instr in block.body:
            fault = _fault(design, instr, plan, commands)
            if fault is None:
                continue
            state, when = design.when(plan, plan.time[instr])
            condition, text, value = fault
            term = f"({when}) && {condition}" if when else condition
            place = f"{_quoted(instr.where)}: " if instr.op != "push" else ""
            message = f'$display("rank %0d: {place}{text}", rank_i, {value});'
            actions.setdefault(state, []).append(f"if ({term}) begin {message} $stop; end")
            if instr.op == "push":
                reported = f'$fdisplay(32\'h8000_0002, "rank %0d: {_LAST_CALL}: %0s", rank_i, {_place(instr)});'
                actions[state].append(f"if (check_aborts) {reported}")
    lines = ["", "  // checked in simulation", "`ifndef SYNTHESIS"]
    if commands:
        lines += [*_MESSAGES.splitlines(), *_known_buffers(design), *_calls(calls)]
    if actions:
        lines += clocked_cases(actions)
    return [*lines, "`endif"]


@dataclass(frozen=True)
class Fault:
    """What a load, store or division must not do: ``before``, a value, ``after`` tell it."""

    before: str
    shown: Value
    after: str
    tested: Value  # the divisor, or the address, which must be in one of ``areas``: (first address, bytes) each
    areas: list[tuple[int, int]] | None = None
    predicate: Value | None = None


def fault_of(design: Design, instr: Instr) -> Fault | None:
    """None if there is nothing to check."""
    if instr.op in _DIVISIONS:
        divisor = instr.args[1]
        if isinstance(divisor, Const) and divisor.value:
            return None
        return Fault("division of ", instr.args[0], " by zero", divisor)
    if instr.op not in {"load", "store"} or instr.early:
        return None
    address = instr.args[0]
    areas = [(m.base, m.words * 8) for m in design.memories.of(instr)]
    if Memories.may_be_dram(instr):
        areas.append((DRAM_BASE, design.dram_bytes))
    if isinstance(address, Const):
        if any(base <= address.value < base + size for base, size in areas):
            return None
        areas = []
    touched = [m.obj for m in design.memories.of(instr)[:3]]
    objects = ", ".join(obj.name for obj in touched)
    outside = f", outside of {objects}" if objects else ", where no object is"
    if len(touched) == 1 and touched[0].stack_of:
        outside = f": {touched[0].stack_of} calls itself too often: its stack of {touched[0].size} bytes is full"
    before = f"{instr.op} of {instr.attr} byte{'s' if instr.attr > 1 else ''} at address "
    return Fault(before, address, outside, address, areas, _predicate(instr))


def _fault(design: Design, instr: Instr, plan: Plan, commands: bool) -> tuple[str, str, str] | None:
    """(condition, message, the value in it) of what must not be; None if there is nothing to check."""
    time = plan.time[instr]
    if instr.op == "push" and instr.attr == 0 and commands:
        return "check_message && !check_known", _MESSAGE, f"{_place(instr)}, {_MESSAGE_VALUES}"
    fault = fault_of(design, instr)
    if fault is None:
        return None
    shown = design.ref(fault.shown, plan, time)
    if fault.areas is None:
        tested = fault.tested
        condition = "1'b1" if isinstance(tested, Const) else f"{design.ref(tested, plan, time)} == '0"
    else:
        terms = [_inside(shown, base, size) for base, size in fault.areas]
        condition = f"!({' || '.join(terms)})" if terms else "1'b1"
    if fault.predicate is not None:
        condition = f"{design.ref(fault.predicate, plan, time)} && {condition}"
    form = "%0d" if fault.areas is None else "0x%08x"
    return condition, f"{_quoted(fault.before)}{form}{_quoted(fault.after)}", shown


def _predicate(instr: Instr) -> Value | None:
    number = 2 if instr.op == "store" else 1
    return instr.args[number] if len(instr.args) > number else None


def _inside(address: str, base: int, size: int) -> str:
    return f"{address} - {literal(32, base)} < {literal(32, size)}"


def _known_buffers(design: Design) -> list[str]:
    """Of all that a command can name; what is rounded up to words is the engine's to write."""
    areas = [(m.base, m.words * 8) for m in design.memories.memories] + [(DRAM_BASE, design.dram_bytes)]
    place, count = "33'(check_place_q[63:32])", "33'(cmd_o[31:0])"
    inside = [
        f"({place} >= {literal(33, base)} && {place} + {count} <= {literal(33, base + size)})" for base, size in areas
    ]
    return ["  assign check_known = " + "\n      || ".join(inside) + ";"]


def _place(push: Instr) -> str:
    """Where the program calls, as a string of the circuit; the library's code may be shared by several calls of it."""
    return "check_place(check_call_q)" if in_library(push.where) else f'"{_escaped(push.where)}"'


def _calls(places: list[str]) -> list[str]:
    """The program's last call of a function that is no part of its caller."""
    return [
        "  int unsigned check_call_q;",
        "  function automatic string check_place(input int unsigned call);",
        "    case (call)",
        *(f'      {number}: return "{_escaped(place)}";' for number, place in enumerate(places, 1)),
        '      default: return "the library";',
        "    endcase",
        "  endfunction",
    ]


def _quoted(text: str) -> str:
    """For a format string."""
    return _escaped(text).replace("%", "%%")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
