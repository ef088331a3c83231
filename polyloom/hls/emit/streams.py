# SPDX-License-Identifier: Apache-2.0
"""Streams to the outside and DRAM: what waits, and for what."""

from __future__ import annotations

from polyloom.hls.emit.design import Design, cases, literal
from polyloom.hls.emit.ports import low_bits, selects
from polyloom.hls.fold import mask
from polyloom.hls.ir import Instr
from polyloom.hls.memory import Memories
from polyloom.hls.schedule.plan import Plan


def used_ports(design: Design, op: str) -> list[int]:
    """Ports that the kernel pushes to or pops from, besides port 0."""
    found = {i.attr for f in design.module.functions.values() for i in f.instrs() if i.op == op}
    return sorted(found - {0})


def port_declarations(design: Design) -> list[str]:
    """Ports for tests."""
    lines = []
    for port in used_ports(design, "push"):
        lines.append(
            f"    output logic push_{port}_valid_o, input logic push_{port}_ready_i, output logic [63:0] push_{port}_o"
        )
    for port in used_ports(design, "pop"):
        lines.append(
            f"    input logic pop_{port}_valid_i, output logic pop_{port}_ready_o, input logic [63:0] pop_{port}_i"
        )
    return lines


def _find(design: Design, op: str, port: int) -> list[tuple[str, Plan, Instr]]:
    result = []
    for block, plan in design.plans.items():
        for instr in block.body:
            if instr.op == op and instr.attr == port:
                result.append((design.when(plan, plan.time[instr])[0], plan, instr))
    return result


def _any_state(states: list[str]) -> str:
    return " || ".join(f"state_q == {s}" for s in dict.fromkeys(states)) or "1'b0"


def stream_lines(design: Design) -> tuple[list[str], list[str]]:
    """(text, names of signals that hold the kernel)."""
    lines = ["", "  // streams"]
    waits = []
    for port in [0, *used_ports(design, "push")]:
        valid, ready, word = (
            ("cmd_valid_o", "cmd_ready_i", "cmd_o")
            if port == 0
            else (
                f"push_{port}_valid_o",
                f"push_{port}_ready_i",
                f"push_{port}_o",
            )
        )
        found = _find(design, "push", port)
        lines += [f"  assign {valid} = {_any_state([s for s, _, _ in found])};"]
        actions = {s: [f"{word} = {design.ref(i.args[0], p, p.time[i])};"] for s, p, i in found}
        if actions:
            lines += [
                "  always_comb begin",
                f"    {word} = '0;",
                "    case (state_q)",
                *cases(actions),
                "    endcase",
                "  end",
            ]
            waits.append(f"({valid} && !{ready})")
        else:
            lines += [f"  assign {word} = '0;"]
    pops = []
    for port in [0, *used_ports(design, "pop")]:
        valid, ready = ("rsp_valid_i", "rsp_ready_o") if port == 0 else (f"pop_{port}_valid_i", f"pop_{port}_ready_o")
        lines.append(f"  assign {ready} = {_any_state([s for s, _, _ in _find(design, 'pop', port)])};")
        waits.append(f"({ready} && !{valid})")
        pops.append(f"({ready} && !{valid})")
    lines.append(
        f"  assign idle_o = (done_o || {' || '.join(pops)}) && !dma_req_valid_i && !dma_read_q && !dma_rsp_valid_o;"
    )
    return lines, waits


def dram_lines(design: Design) -> tuple[list[str], list[str]]:
    """(text, names of signals that hold the kernel)."""
    requests: dict[str, list[str]] = {}
    for block, plan in design.plans.items():
        for instr in block.body:
            if not Memories.may_be_dram(instr):
                continue
            time = plan.time[instr]
            state, _ = design.when(plan, time)
            address = design.ref(instr.args[0], plan, time)
            # no block RAM of the kernel is at 0x8000_0000 or above
            chosen = f"{address}[31]" if design.memories.of(instr) else "1'b1"
            body = [f"dram_request = {chosen};", f"dram_address = {address};"]
            if instr.op == "store":
                body += ["dram_write_o = 1'b1;", f"dram_bytes = {literal(8, mask(instr.attr))};"]
                body.append(f"dram_data = {low_bits(design, instr.args[1], plan, time, 64)};")
                if len(instr.args) > 2:
                    body[0] = f"dram_request = {chosen} && {design.ref(instr.args[2], plan, time)};"
            requests[state] = body
    if not requests:
        ties = ("dram_req_valid_o", "dram_write_o", "dram_addr_o", "dram_wdata_o", "dram_strb_o")
        unused = "  logic unused_dram;\n  assign unused_dram = ^{dram_req_ready_i, dram_rsp_valid_i, dram_rdata_i};"
        return ["", "  // no DRAM", *(f"  assign {t} = '0;" for t in ties), unused], []
    signals = ("dram_request", "dram_address", "dram_write_o", "dram_bytes", "dram_data")
    return [
        "",
        "  // DRAM: a request holds the kernel until it is taken, a read also until its response",
        "  logic dram_request, dram_waits_q;",
        "  logic [31:0] dram_address;",
        "  logic [7:0] dram_bytes;",
        "  logic [63:0] dram_data, dram_aligned;",
        "  logic [2:0] dram_lane_q;",
        "  always_comb begin",
        *(f"    {s} = '0;" for s in signals),
        "    case (state_q)",
        *cases(requests),
        "    endcase",
        "  end",
        "  assign dram_req_valid_o = dram_request && !dram_waits_q;",
        "  assign dram_addr_o = {dram_address[31:3], 3'b0};",
        "  assign dram_wdata_o = dram_data << {dram_address[2:0], 3'b0};",
        "  assign dram_strb_o = dram_bytes << dram_address[2:0];",
        "  assign dram_aligned = dram_rdata_i >> {dram_lane_q, 3'b0};",
        "  always_ff @(posedge clk_i or negedge rst_ni) begin",
        "    if (!rst_ni) dram_waits_q <= 1'b0;",
        "    else if (advance) dram_waits_q <= dram_request && !dram_write_o;",
        "  end",
        "  always_ff @(posedge clk_i) begin",
        "    if (advance) dram_lane_q <= dram_address[2:0];",
        "  end",
    ], ["(dram_req_valid_o && !dram_req_ready_i)", "(dram_waits_q && !dram_rsp_valid_i)"]


__all__ = ["dram_lines", "selects", "stream_lines"]
