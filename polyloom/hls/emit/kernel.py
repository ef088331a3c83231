# SPDX-License-Identifier: Apache-2.0
"""Puts the parts of a kernel together to one SystemVerilog module."""

from __future__ import annotations

from polyloom.hls.emit.checks import check_lines
from polyloom.hls.emit.control import Control, choices
from polyloom.hls.emit.datapath import Datapath, vector
from polyloom.hls.emit.design import Design, cases, clocked_cases, literal
from polyloom.hls.emit.ports import dma_lines, memory_lines, unit_lines
from polyloom.hls.emit.streams import dram_lines, port_declarations, stream_lines
from polyloom.hls.options import Options

_PORTS = """\
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic [15:0] rank_i,
    input  logic [63:0] cycle_i,
    output logic        done_o,
    output logic        idle_o,
    // To and from the message passing engine: commands, responses
    output logic        cmd_valid_o,
    input  logic        cmd_ready_i,
    output logic [63:0] cmd_o,
    input  logic        rsp_valid_i,
    output logic        rsp_ready_o,
    input  logic [63:0] rsp_i,
    // From the message passing engine: access to the memories
    input  logic        dma_req_valid_i,
    output logic        dma_req_ready_o,
    input  logic        dma_write_i,
    input  logic [31:0] dma_addr_i,
    input  logic [63:0] dma_wdata_i,
    input  logic [ 7:0] dma_strb_i,
    output logic        dma_rsp_valid_o,
    output logic [63:0] dma_rdata_o,
    output logic        dma_error_o,
    // To DRAM
    output logic        dram_req_valid_o,
    input  logic        dram_req_ready_i,
    output logic        dram_write_o,
    output logic [31:0] dram_addr_o,
    output logic [63:0] dram_wdata_o,
    output logic [ 7:0] dram_strb_o,
    input  logic        dram_rsp_valid_i,
    input  logic [63:0] dram_rdata_i"""

_HEAD = """\
// SPDX-License-Identifier: Apache-2.0
// polyloom_kernel_app: made from C by polyloom.hls; ports as in roles/mpi/ENGINE.md. Do not edit.
// One state machine: a state is a cycle; in each the wires of the datapath that belong to it are valid. Values that are
// needed later go to registers (_q). When something must be waited for, `advance` is low and nothing moves.
// Not warned of: upper bits of values that the program narrows later, ports that this kernel does not use.
// verilator lint_off UNUSEDSIGNAL
// verilator lint_off DECLFILENAME
module polyloom_kernel_app ("""


def kernel_text(design: Design, options: Options) -> str:
    """The module."""
    control = Control(design)
    control.build()
    datapath = Datapath(design).lines()
    chosen = choices(design)
    memories, units = memory_lines(design), unit_lines(design)
    streams, stream_waits = stream_lines(design)
    dram, dram_waits = dram_lines(design)
    checked = check_lines(design, options.commands) if options.checks else []
    control.captures()
    for state, body in chosen.items():
        control.updates.setdefault(state, []).extend(body)
    waits = ["dma_stall", *stream_waits, *dram_waits]
    ports = ",\n".join([_PORTS, *port_declarations(design)])
    lines = [
        _HEAD,
        ports,
        ");",
        *_state_lines(design, control),
        *_register_lines(design, control),
        *_declared_first([*datapath, *memories, *units, *dma_lines(design), *streams, *dram]),
        "",
        "  assign done_o = state_q == S_DONE;",
        "  // not in reset: a state that is none yet must not write",
        f"  assign advance = rst_ni && !({' || '.join(waits)});",
        "",
        "  always_comb begin",
        "    state_d = state_q;",
        "    phase_d = phase_q;",
        "    running_d = running_q;",
        "    case (state_q)",
        *cases(control.next_state),
        "    endcase",
        "  end",
        "",
        "  always_ff @(posedge clk_i or negedge rst_ni) begin",
        "    if (!rst_ni) begin",
        f"      state_q <= {design.state(design.module.functions[design.module.entry].blocks[0], 0)};",
        "      phase_q <= '0;",
        f"      running_q <= {literal(control.stages, 1)};",
        "    end else if (advance) begin",
        "      state_q <= state_d;",
        "      phase_q <= phase_d;",
        "      running_q <= running_d;",
        "    end",
        "  end",
        "",
        *clocked_cases({s: u for s, u in control.updates.items() if u}),
        *checked,
        "",
        "endmodule",
    ]
    return "\n".join(lines) + "\n"


def _state_lines(design: Design, control: Control) -> list[str]:
    states = design.states()
    bits = max(1, (len(states) - 1).bit_length())
    lines = ["", f"  typedef enum logic [{bits - 1}:0] {{"]
    lines.append(",\n".join(f"    {state}" for state in states))
    phase_bits = max(1, (control.phases - 1).bit_length())
    return [
        *lines,
        "  } state_e;",
        "  state_e state_q, state_d;",
        *(f"  state_e {design.link_register(f)};" for f in sorted(control.links)),
        "  // of a loop whose iterations overlap: cycle since the last one began, and which stages are at work",
        f"  localparam int unsigned PHASE_BITS = {phase_bits};",
        "  logic [PHASE_BITS-1:0] phase_q, phase_d;",
        f"  logic {vector(control.stages)}running_q, running_d;"
        if control.stages > 1
        else "  logic [0:0] running_q, running_d;",
        "  logic advance;",
    ]


def _declared_first(lines: list[str]) -> list[str]:
    """Wires before what uses them, as the language demands: control and datapath use each other's."""
    declared = [line for line in lines if line.startswith("  logic ")]
    return ["", "  // wires", *declared, *(line for line in lines if not line.startswith("  logic "))]


def _register_lines(design: Design, control: Control) -> list[str]:
    lines = ["", "  // registers"]
    for name, width in sorted(design.registers.items()):
        lines.append(f"  logic {vector(width)}{name};")
    return lines
