// SPDX-License-Identifier: Apache-2.0
// collective_parts: small modules of the role, each alone; a part of collective_tb.
// verilog_format: off
module collective_parts
  import polyloom_collective_pkg::*;
  import polyloom_stream_pkg::beat_t;
(
    input logic clk_i,
    input logic rst_ni
);
  // Sources of a sink: one of one, two of five, all five, one of five.
  for (genvar k = 0; k < 4; k++) begin : gen_pick
    localparam int unsigned Sources = k == 0 ? 1 : 5;
    localparam logic [4:0] Reach = k == 1 ? 5'b10010 : k == 3 ? 5'b01000 : 5'b11111;
    polyloom_collective_pick #(.Sources(Sources), .Reach(Reach[Sources-1:0])) i_dut (.*);
  end

  // Operators: none; pass with 3 inputs and 2 outputs; pass and partition, twice 1 and 2.
  function automatic cfg_t config_of(int unsigned operators, int unsigned program_size);
    cfg_t c;
    c = SMALL;
    c.program_size = program_size;
    c.op_inputs = operators == 0 ? 0 : operators == 1 ? 3 : 1;
    c.op_outputs = operators == 0 ? 0 : 2;
    c.op_kinds = operators == 2 ? 12 : 8;
    c.partitions = operators == 2 ? 2 : 1;
    c.record_beats = 4;
    return c;
  endfunction

  for (genvar k = 0; k < 2; k++) begin : gen_program  // 16 instructions, 64
    localparam cfg_t Cfg = config_of(0, k == 0 ? 16 : 64);
    localparam int unsigned IndexW = $clog2(Cfg.program_size);
    struct packed {
      logic write;
      logic [IndexW+1:0] addr;
      logic [63:0] data;
    } host = '0;
    polyloom_collective_program #(.Cfg(Cfg)) i_dut (.host_write_i(host.write), .host_addr_i(host.addr),
        .host_data_i(host.data), .host_valid_o(response_valid), .host_data_o(response), .valid_o(shown), .*);
  end

  for (genvar k = 0; k < 3; k++) begin : gen_slot
    localparam int unsigned Inputs = k == 0 ? 1 : k == 1 ? 3 : 2;
    localparam int unsigned Outputs = k == 0 ? 1 : k == 1 ? 2 : 4;
    localparam int unsigned Partitions = k == 2 ? 2 : 1;
    polyloom_collective_slot #(.Cfg(config_of(k, 16)), .StatusWords(2)) i_dut (.config_i(config_step), .*);
  end
endmodule
