// SPDX-License-Identifier: Apache-2.0
// shell_tb: parts of the shell alone, for cocotb; the shell as a whole is compared by shell_swap_test.cc.
// verilog_format: off
module shell_tb
  import polyloom_shell_pkg::*;
(
    input logic clk_i,
    input logic rst_ni
);
  typedef struct packed {
    logic [39:0] addr;
    logic [7:0]  len;
  } burst_t;
  typedef struct packed {
    logic [255:0] data;
    logic [31:0]  strb;
    logic         last;
  } write_beat_t;
  typedef struct packed {
    logic [255:0] data;
    logic [1:0]   resp;
    logic         last;
  } read_beat_t;
  typedef struct packed {
    prog_req_t  request;
    role_word_t role;
  } word_req_t;
  typedef struct packed {
    response_t  response;
    dma_cmd_t cmd;
  } queued_t;
  typedef struct packed {
    logic first;
    host_word_t word;
  } rx_t;

  if (1) begin : gen_regs
    polyloom_shell_regs #(.Role(8'd3), .ClockHz(64'h1_2345_6789)) i_dut (.*);
  end

  if (1) begin : gen_sender
    polyloom_shell_sender i_dut (.event_valid_i(reported_valid), .event_ready_o(reported_ready), .event_i(reported), .*);
  end

  for (genvar k = 0; k < 2; k++) begin : gen_read_dma
    burst_t ar;
    read_beat_t r = '0;
    word_req_t prog;
    polyloom_shell_read_dma #(.BurstBeats(k == 0 ? 16 : 2), .OpenBursts(k == 0 ? 4 : 1)) i_dut (.ar_addr_o(ar.addr),
        .ar_len_o(ar.len), .r_data_i(r.data), .r_resp_i(r.resp), .r_last_i(r.last), .prog_o(prog.request),
        .role_word_o(prog.role), .*);
  end

  for (genvar k = 0; k < 2; k++) begin : gen_write_dma
    burst_t aw;
    write_beat_t w;
    word_req_t prog;
    polyloom_shell_write_dma #(.BurstBeats(k == 0 ? 16 : 2)) i_dut (.aw_addr_o(aw.addr), .aw_len_o(aw.len),
        .w_data_o(w.data), .w_strb_o(w.strb), .w_last_o(w.last), .b_resp_i(b), .prog_o(prog.request),
        .role_word_o(prog.role), .*);
  end

  for (genvar k = 0; k < 3; k++) begin : gen_parser  // channels alone, with frames for the role, with its memories
    rx_t rx = '0;
    queued_t response;
    polyloom_shell_parser #(.Channels(3), .ChannelBytes(64'd8192), .ProgramWords(100), .PassFrames(k > 0), .RoleSpaces(k
        > 1)) i_dut (.rx_i(rx.word), .rx_first_i(rx.first), .response_o(response.response), .dma_cmd_o(response.cmd),
        .reg_o(req), .*);
  end
endmodule
