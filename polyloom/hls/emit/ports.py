# SPDX-License-Identifier: Apache-2.0
"""What happens at the ports in each state: memories, DRAM, streams, shared units; and the DMA port."""

from __future__ import annotations

from polyloom.hls.bind import Port, UnitUse
from polyloom.hls.emit.datapath import vector
from polyloom.hls.emit.design import Design, cases, guarded, literal
from polyloom.hls.fold import mask, signed
from polyloom.hls.ir import Const, Instr, Value
from polyloom.hls.memory import Memories, Memory
from polyloom.hls.schedule.plan import Plan

_TWO_OPERANDS = {"multiply", "divide", "fp_add", "fp_mul", "fp_div", "fp_cmp"}


def low_bits(design: Design, value: Value, plan: Plan, cycle: int, width: int) -> str:
    """An operand at a smaller or larger width."""
    if isinstance(value, Const):
        return literal(width, value.value & mask(width))
    text = design.ref(value, plan, cycle)
    if value.width == width:
        return text
    if value.width < width:
        return f"{width}'({text})"
    return f"{text}[{width - 1}:0]" if width > 1 else f"{text}[0]"


def selects(design: Design, instr: Instr, plan: Plan) -> list[str]:
    """For each memory an access may go to, whether it does."""
    address = design.ref(instr.args[0], plan, plan.time[instr])
    result = []
    for memory in design.memories.of(instr):
        bits = memory.region_bits
        result.append(f"({address} >> {bits}) == {literal(32, memory.base >> bits)}")
    return result


def _join(*terms: str) -> str:
    return " && ".join(t for t in terms if t)


def memory_lines(design: Design) -> list[str]:
    """The kernel's side of all memories, and their instances."""
    lines: list[str] = []
    for memory in design.memories.memories:
        lines += ["", f"  // {memory.name} for {memory.obj.name}: {memory.obj.size} bytes at {memory.base:#x}"]
        for copy in range(memory.copies):
            for side in "ab":
                lines += _side(design, memory, side, copy)
            lines += _instance(memory, copy)
    return lines


def _side(design: Design, memory: Memory, side: str, copy: int) -> list[str]:
    name = f"{memory.name}_{copy}_{side}"
    writes = False
    actions: dict[str, list[str]] = {}
    for access in design.binding.accesses:
        port = access.port
        if port not in (Port(memory, side, copy), Port(memory, side, -1)):
            continue
        instr, plan = access.instr, access.plan
        time = plan.time[instr]
        guard = [""]
        if instr.op == "store" and len(instr.args) > 2:
            guard.append(design.ref(instr.args[2], plan, time))
        if len(design.memories.of(instr)) > 1 or Memories.may_be_dram(instr):
            at = design.memories.of(instr).index(memory)
            guard.append(selects(design, instr, plan)[at])
        state, when = design.when(plan, time)
        body = [
            f"{name}_en = 1'b1;",
            f"{name}_addr = {low_bits(design, instr.args[0], plan, time, memory.address_bits)};",
        ]
        if instr.op == "store":
            writes = True
            body += [
                f"{name}_we = 1'b1;",
                f"{name}_be = {literal(8, mask(instr.attr))};",
                f"{name}_wdata = {low_bits(design, instr.args[1], plan, time, 64)};",
            ]
        text = _join(when, *(f"({g})" for g in guard if g))
        if text:
            body = [f"if ({text}) begin", *(f"  {b}" for b in body), "end"]
        actions.setdefault(state, []).extend(body)
    lines = [
        f"  logic {name}_en, {name}_we;",
        f"  logic {vector(memory.address_bits)}{name}_addr;",
        f"  logic [7:0] {name}_be;",
        f"  logic [63:0] {name}_wdata, {name}_rdata;",
    ]
    idle = [f"{name}_en = 1'b0;", f"{name}_addr = '0;"]
    writing = [f"{name}_we = 1'b0;", f"{name}_be = '0;", f"{name}_wdata = '0;"]
    if not writes:
        lines += [f"  assign {w.replace(' = ', ' = ', 1)}" for w in writing]
    if not actions:
        return lines + [f"  assign {i}" for i in idle]
    begin = idle + (writing if writes else [])
    lines += ["  always_comb begin", *(f"    {i}" for i in begin), "    case (state_q)"]
    return [*lines, *cases(actions), "    endcase", "  end"]


def _instance(memory: Memory, copy: int) -> list[str]:
    name = f"{memory.name}_{copy}"
    content = memory.obj.content
    init = ""
    if content:
        words = -(-len(content) // 8)
        data = content.ljust(words * 8, b"\0")
        numbers = [int.from_bytes(data[i * 8 : i * 8 + 8], "little") for i in range(words)]
        text = ", ".join(f"64'h{n:x}" for n in reversed(numbers))
        init = f",\n      .InitWords({words}),\n      .Init({{{text}}})"
    sides = "".join(
        f"""
      .{s}_en_i({name}_{s}_en),
      .{s}_we_i({name}_{s}_we),
      .{s}_addr_i({name}_{s}_addr),
      .{s}_be_i({name}_{s}_be),
      .{s}_wdata_i({name}_{s}_wdata),
      .{s}_rdata_o({name}_{s}_rdata),"""
        for s in "ab"
    )
    return [
        f"  logic [63:0] {name}_dma_rdata;",
        "  polyloom_hls_memory #(",
        f"      .Words({memory.words}){init}",
        f"  ) i_{name} (",
        "      .clk_i,",
        f"      .advance_i(advance),{sides}",
        f"      .dma_en_i({memory.name}_dma && dma_fire),",
        "      .dma_we_i(dma_write_i),",
        f"      .dma_word_i(dma_addr_i[{memory.address_bits - 1}:3]),",
        "      .dma_be_i(dma_strb_i),",
        "      .dma_wdata_i(dma_wdata_i),",
        f"      .dma_rdata_o({name}_dma_rdata)",
        "  );",
    ]


def dma_lines(design: Design) -> list[str]:
    """Decoding, sharing of port B, and responses."""
    memories = design.memories.memories
    lines = ["", "  // DMA"]
    for memory in memories:
        bits = memory.region_bits
        terms = [f"dma_addr_i[31:{bits}] == {literal(32 - bits, memory.base >> bits)}"]
        if memory.words * 8 < 1 << bits:
            terms.append(f"dma_addr_i[{bits - 1}:3] < {literal(bits - 3, memory.words)}")
        if memory.obj.kind == "constant":
            terms.append("!dma_write_i")
        wanted = " || ".join(f"{memory.name}_{c}_b_en" for c in range(memory.copies))
        lines += [
            f"  logic {memory.name}_dma;",
            f"  assign {memory.name}_dma = {' && '.join(terms)};",
            f"  logic {memory.name}_wanted;",
            f"  assign {memory.name}_wanted = {memory.name}_dma && ({wanted});",
        ]
    count = len(memories)
    chosen = ", ".join(f"{m.name}_dma" for m in reversed(memories)) or "1'b0"
    wanted = " || ".join(f"{m.name}_wanted" for m in memories) or "1'b0"
    lines += [
        "  logic dma_wanted, dma_fire, dma_stall, dma_yield_q, dma_read_q;",
        f"  logic {vector(max(1, count))}dma_chosen, dma_chosen_q;",
        "  logic [63:0] dma_word;",
        f"  assign dma_chosen = {{{chosen}}};",
        f"  assign dma_wanted = {wanted};",
        "  // who has lost port B in a cycle has it in the next",
        "  assign dma_req_ready_o = !(dma_wanted && dma_yield_q);",
        "  assign dma_fire = dma_req_valid_i && dma_req_ready_o;",
        "  assign dma_stall = dma_fire && dma_wanted;",
        "  always_ff @(posedge clk_i or negedge rst_ni) begin",
        "    if (!rst_ni) begin",
        "      dma_yield_q <= 1'b0;",
        "      dma_read_q <= 1'b0;",
        "      dma_rsp_valid_o <= 1'b0;",
        "    end else begin",
        "      dma_yield_q <= dma_stall;",
        "      dma_read_q <= dma_fire && !dma_write_i;",
        "      dma_rsp_valid_o <= dma_read_q;",
        "    end",
        "  end",
        "  always_comb begin",
        "    dma_word = '0;",
    ]
    for index, memory in enumerate(memories):
        bit = f"dma_chosen_q[{index}]" if count > 1 else "dma_chosen_q"
        lines.append(f"    if ({bit}) dma_word |= {memory.name}_0_dma_rdata;")
    return [
        *lines,
        "  end",
        "  always_ff @(posedge clk_i) begin",
        "    dma_chosen_q <= dma_chosen;",
        "    dma_rdata_o <= dma_word;",
        "    dma_error_o <= dma_chosen_q == '0;",
        "  end",
    ]


def unit_lines(design: Design) -> list[str]:
    """Shared units with their operands by state."""
    lines: list[str] = []
    for use in design.binding.units:
        unit, name = use.unit, use.name
        operands: dict[str, list[str]] = {}
        two = unit.kind in _TWO_OPERANDS
        flags = _flags(unit.kind)
        for plan, instr in use.users:
            state, when = design.when(plan, plan.time[instr])
            body = _operands(design, use, plan, instr)
            body += [f"{name}_{flag} = {literal(1, int(instr.op in ops))};" for flag, ops in flags.items() if ops]
            if "start" in flags:
                body.append(f"{name}_start = 1'b1;")
            if when:
                body = [f"if ({when}) begin", *(f"  {b}" for b in body), "end"]
            operands.setdefault(state, []).extend(body)
        width = unit.width
        signals = [f"{name}_a", *([f"{name}_b"] if two else []), *(f"{name}_{f}" for f in flags)]
        lines += ["", f"  // {unit.kind} of {unit.width} bits, {unit.latency} cycles"]
        lines.append(f"  logic {vector(width)}{name}_a{f', {name}_b' if two else ''};")
        lines += [f"  logic {name}_{flag};" for flag in flags]
        lines += ["  always_comb begin", *(f"    {s} = '0;" for s in signals), "    case (state_q)"]
        lines += [*cases(operands), "    endcase", "  end"]
        lines += _unit_instance(use)
    return lines


def _operands(design: Design, use: UnitUse, plan: Plan, instr: Instr) -> list[str]:
    """A unit's operands for an operation, extended by sign where it works on signed numbers."""
    unit, name, time = use.unit, use.name, plan.time[instr]
    sign = instr.op in {"sdiv", "srem", "sitofp"}
    body = []
    for pin, arg in zip("ab", instr.args, strict=False):
        width = unit.width
        if sign and arg.width < width:
            number = signed(arg.value, arg.width) & mask(width) if isinstance(arg, Const) else 0
            extended = f"{width}'($signed({design.ref(arg, plan, time)}))"
            text = literal(width, number) if isinstance(arg, Const) else extended
        else:
            text = low_bits(design, arg, plan, time, width)
        body.append(f"{name}_{pin} = {text};")
    return body


def _flags(kind: str) -> dict[str, set[str]]:
    """Control inputs of a unit and the operations that set them; "start" is set by all."""
    table: dict[str, dict[str, set[str]]] = {
        "divide": {"signed": {"sdiv", "srem"}, "start": set()},
        "fp_add": {"sub": {"fsub"}},
        "fp_from_int": {"signed": {"sitofp"}},
        "fp_to_int": {"signed": {"fptosi"}},
        "fp_div": {"start": set()},
        "fp_sqrt": {"start": set()},
    }
    return table.get(kind, {})


def _unit_instance(use: UnitUse) -> list[str]:
    unit, name = use.unit, use.name
    outputs = {
        "divide": {"quotient": unit.width, "remainder": unit.width},
        "fp_cmp": {"lt": 1, "eq": 1, "unordered": 1},
    }.get(unit.kind, {"z": unit.result})
    parameters = dict(unit.parameters) or {"Width": unit.width}
    if unit.kind == "multiply":
        parameters["Latency"] = unit.latency
    inputs = ["a", *(["b"] if unit.kind in _TWO_OPERANDS else []), *_flags(unit.kind)]
    lines = [f"  logic {vector(w)}{name}_{o};" for o, w in outputs.items()]
    lines += [f"  {unit.module} #(", ",\n".join(f"      .{p}({v})" for p, v in parameters.items()), f"  ) i_{name} ("]
    pins = [".clk_i", *([".rst_ni"] if unit.kind.startswith("fp_") else []), ".en_i(advance)"]
    pins += [f".{i}_i({name}_{i})" for i in inputs] + [f".{o}_o({name}_{o})" for o in outputs]
    return [*lines, ",\n".join(f"      {pin}" for pin in pins), "  );"]


__all__ = ["dma_lines", "guarded", "memory_lines", "selects", "unit_lines"]
