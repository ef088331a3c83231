// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_host_words: the shell's 64-bit accesses to instruction memories and scratchpads, a request a 32-bit half.
// How:          low half, then high half if there is one. Of a read the responses are joined; one that is for every
//               instruction memory is answered by memory 0.
// Latency:      a request stands in the cycle of its access; the response of a read 1 cycle after its last half's.
// Throughput:   a half a cycle; one read at a time, its halves one behind the other.
// Backpressure: ctl_ready_i -> req_ready_o is combinational; responses are always taken.
// Order/loss:   in order.
// Reset:        the state; data not. Takes an access from the first cycle.
// Limits:       one response a read request, in order, not before the cycle after it was taken. A read's access is
//               taken with its last half; the next one comes after its response.
// Cost:         69 LUT, 68 FF (UltraScale+); 42 ALM (Intel, estimated); 85 LUT4 (ECP5). TINY, Yosys 0.70, 2026-11.
// Source:       own design; Board::write_word, read_word in roles/overlay/sim/board/board_shell.cc.
// Tests:        test_polyloom_overlay_host_words.py
module polyloom_overlay_host_words
  import polyloom_overlay_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,

    // From the shell
    input  logic                                  req_valid_i,
    output logic                                  req_ready_o,
    input  polyloom_shell_pkg::prog_req_t         req_i,
    input  polyloom_shell_pkg::role_word_t        role_i,
    output logic                                  rsp_valid_o,
    output logic                           [63:0] rsp_o,

    // To the tiles
    output logic            ctl_valid_o,
    input  logic            ctl_ready_i,
    output ctl_req_t        ctl_o,
    input  logic            ctl_rsp_valid_i,
    input  logic     [31:0] ctl_rdata_i
);

  logic high_q;  // the high half is next
  logic pair_q;  // what is read has a high half
  logic got_low_q, response_q;
  logic [31:0] low_q, high_data_q;
  logic accept;

  assign ctl_valid_o = req_valid_i;
  assign accept = ctl_valid_o && ctl_ready_i;
  assign req_ready_o = ctl_ready_i && (high_q || !role_i.pair);
  always_comb begin
    ctl_o = '{
        op: CTL_READ_INSTR,
        all: role_i.place.all,
        target: role_i.place.target,
        addr: role_i.addr[15:0] + 16'(high_q),
        data: high_q ? req_i.wdata[63:32] : req_i.wdata[31:0]
    };
    case ({
      role_i.place.scratchpad, req_i.write
    })
      2'b01:   ctl_o.op = CTL_WRITE_INSTR;
      2'b10:   ctl_o.op = CTL_READ_SCRATCHPAD;
      2'b11:   ctl_o.op = CTL_WRITE_SCRATCHPAD;
      default: ;
    endcase
    if (role_i.place.scratchpad) ctl_o.addr = {role_i.addr[13:0] + 14'(high_q), 2'b00};
    if (!req_i.write) begin
      ctl_o.data = '0;
      ctl_o.all  = 1'b0;
      if (role_i.place.all) ctl_o.target = '0;
    end
  end

  assign rsp_valid_o = response_q;
  assign rsp_o = {high_data_q, low_q};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      high_q <= 1'b0;
      got_low_q <= 1'b0;
      response_q <= 1'b0;
    end else begin
      if (accept) high_q <= role_i.pair && !high_q;
      response_q <= ctl_rsp_valid_i && (got_low_q || !pair_q);
      if (ctl_rsp_valid_i) got_low_q <= pair_q && !got_low_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (accept && !high_q) pair_q <= role_i.pair;
    if (ctl_rsp_valid_i) begin
      if (got_low_q) high_data_q <= ctl_rdata_i;
      else low_q <= ctl_rdata_i;
    end
  end

  // What of an access this board never has.
  logic unused;
  assign unused = ^{req_i.addr, role_i.addr[29:16]};

endmodule
