// SPDX-License-Identifier: Apache-2.0
// polyloom_shell_regs: the management registers, the shell's counters, and the way to the role's registers.
// How:          numbers below REG_ROLE_BASE are answered here, others are asked of the role, base subtracted.
// Latency:      0 cycles for own registers; the role's own time for its.
// Throughput:   one access at a time.
// Backpressure: the request stands until its response; role_rsp_valid_i -> rsp_valid_o is combinational.
// Order/loss:   none lost.
// Reset:        all.
// Limits:       a response without a request is not allowed.
// Cost:         650 LUT, 321 FF; 579 ALM with 8 channels (UltraScale+; Intel ALM estimated;
//               `polyloom synth collective_node`, Yosys 0.70, 2026-11).
// Source:       own design; register numbers of blocks/shell/host_frames.h.   Tests: test_polyloom_shell_regs.py
module polyloom_shell_regs
  import polyloom_shell_pkg::*;
#(
    parameter logic [7:0] Role,
    parameter longint unsigned ClockHz
) (
    input logic        clk_i,
    input logic        rst_ni,
    input logic [31:0] position_i,
    input logic [63:0] cycle_i,

    // From the parser
    input  logic     req_valid_i,
    input  reg_req_t req_i,
    output logic     rsp_valid_o,
    output reg_rsp_t rsp_o,

    // To the role
    output logic     role_req_valid_o,
    output reg_req_t role_req_o,
    input  logic     role_rsp_valid_i,
    input  reg_rsp_t role_rsp_i,
    output logic     reset_counters_o,

    // What is counted, and what is shown
    input logic       frame_in_i,
    input logic       frame_out_i,
    input logic       bad_frame_i,
    input logic [3:0] bytes_written_i,
    input logic [3:0] bytes_read_i,
    input logic       reads_pending_i
);

  logic [63:0] frames_in_q, frames_out_q, bad_frames_q, bytes_written_q, bytes_read_q;
  logic bad_seen_q;

  logic for_role, is_control, control_ok, clear_counters, clear_status;
  assign for_role = req_i.index >= REG_ROLE_BASE;
  assign is_control = req_valid_i && req_i.write && req_i.index == REG_CONTROL;
  assign control_ok = is_control && req_i.wdata[63:2] == 0;
  assign clear_counters = control_ok && req_i.wdata[0];
  assign clear_status = control_ok && req_i.wdata[1];
  assign reset_counters_o = clear_counters;

  assign role_req_valid_o = req_valid_i && for_role;
  assign role_req_o = '{write: req_i.write, index: req_i.index - REG_ROLE_BASE, wdata: req_i.wdata};
  assign rsp_valid_o = for_role ? role_rsp_valid_i : req_valid_i;

  always_comb begin
    rsp_o = '{error: req_i.write && !control_ok, rdata: '0};
    if (for_role) begin
      rsp_o = role_rsp_i;
    end else if (!req_i.write) begin
      case (req_i.index)
        REG_MAGIC: rsp_o.rdata = MAGIC;
        REG_VERSION: rsp_o.rdata = VERSION;
        REG_ROLE: rsp_o.rdata = 64'(Role);
        REG_POSITION: rsp_o.rdata = 64'(position_i);
        REG_CLOCK_HZ: rsp_o.rdata = 64'(ClockHz);
        REG_CYCLE: rsp_o.rdata = cycle_i;
        REG_STATUS: rsp_o.rdata = {62'd0, reads_pending_i, bad_seen_q};
        REG_FRAMES_IN: rsp_o.rdata = frames_in_q;
        REG_FRAMES_OUT: rsp_o.rdata = frames_out_q;
        REG_BAD_FRAMES: rsp_o.rdata = bad_frames_q;
        REG_BYTES_WRITTEN: rsp_o.rdata = bytes_written_q;
        REG_BYTES_READ: rsp_o.rdata = bytes_read_q;
        default: rsp_o.error = 1'b1;
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      frames_in_q <= '0;
      frames_out_q <= '0;
      bad_frames_q <= '0;
      bytes_written_q <= '0;
      bytes_read_q <= '0;
      bad_seen_q <= 1'b0;
    end else begin
      bad_seen_q <= bad_frame_i || (bad_seen_q && !clear_status);
      frames_in_q <= clear_counters ? '0 : frames_in_q + 64'(frame_in_i);
      frames_out_q <= clear_counters ? '0 : frames_out_q + 64'(frame_out_i);
      bad_frames_q <= clear_counters ? '0 : bad_frames_q + 64'(bad_frame_i);
      bytes_written_q <= clear_counters ? '0 : bytes_written_q + 64'(bytes_written_i);
      bytes_read_q <= clear_counters ? '0 : bytes_read_q + 64'(bytes_read_i);
    end
  end

endmodule
