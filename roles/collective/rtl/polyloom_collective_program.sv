// SPDX-License-Identifier: Apache-2.0
// polyloom_collective_program: the program memory and its fetch, one instruction a cycle.
// How:          four RAMs of 64 bits side by side: the shell writes and reads words, fetch reads whole instructions.
//               Fetch runs one ahead: next_i replaces the instruction shown by the next one.
// Latency:      the first instruction is shown one cycle after start_i (start_to_execute); a word for the shell one
//               cycle after its request.
// Throughput:   one instruction a cycle.
// Backpressure: the shell's requests wait while a program runs (host_ready_o), since fetch uses the read port.
// Order/loss:   none.
// Reset:        nothing shown; the memory is not cleared.
// Limits:       program_size 16..65536, a power of two; the counter wraps there.
// Cost:         342 LUT, 15 FF; 209 ALM, 8 BRAM36 at 1,024 instructions
//               (one, of 7 lanes, 8 channels, no block checks; see polyloom_collective_engine).
// Source:       own design.
// Tests:        test_polyloom_collective_program.py, rtl_engine.cc
module polyloom_collective_program
  import polyloom_collective_pkg::*;
#(
    parameter cfg_t Cfg = SMALL,
    localparam int unsigned IndexW = $clog2(Cfg.program_size)
) (
    input  logic                      clk_i,
    input  logic                      rst_ni,
    // shell
    input  logic                      host_valid_i,
    output logic                      host_ready_o,
    input  logic                      host_write_i,
    input  logic         [IndexW+1:0] host_addr_i,    // word
    input  logic         [      63:0] host_data_i,
    output logic                      host_valid_o,   // response of a read
    output logic         [      63:0] host_data_o,
    // sequencer
    input  logic                      running_i,
    input  logic                      start_i,
    input  logic         [IndexW-1:0] start_index_i,
    input  logic                      next_i,
    output logic                      valid_o,
    output instruction_t              instruction_o,
    output logic         [IndexW-1:0] index_o
);
  logic [3:0][63:0] word_q;
  logic [IndexW-1:0] pc_q, read_index;  // pc: of the instruction shown
  logic host_read, valid_q, response_q, read, past_q;  // past: off the end of the memory
  logic [1:0] lane_q;

  assign host_ready_o = !running_i && !start_i;
  assign host_read = host_valid_i && host_ready_o && !host_write_i;
  assign read_index = start_i ? start_index_i : running_i ? pc_q + 1'b1 : host_addr_i[IndexW+1:2];
  assign read = start_i || next_i || host_read;

  for (genvar w = 0; w < 4; w++) begin : gen_word
    logic [63:0] ram[Cfg.program_size];
    always_ff @(posedge clk_i) begin
      if (host_valid_i && host_ready_o && host_write_i && host_addr_i[1:0] == w[1:0]) begin
        ram[host_addr_i[IndexW+1:2]] <= host_data_i;
      end
      if (read) word_q[w] <= ram[read_index];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      past_q <= 1'b0;
      response_q <= 1'b0;
      pc_q <= '0;
    end else begin
      valid_q <= start_i || (valid_q && running_i);
      response_q <= host_read;
      if (start_i || next_i) begin
        pc_q   <= read_index;
        past_q <= !start_i && pc_q == '1;
      end
    end
  end
  always_ff @(posedge clk_i) lane_q <= host_addr_i[1:0];

  assign valid_o = valid_q && running_i;
  assign instruction_o = past_q ? 256'hff : {word_q[3], word_q[2], word_q[1], word_q[0]};  // no op: refused
  assign index_o = pc_q;
  assign host_valid_o = response_q;
  assign host_data_o = word_q[lane_q];
endmodule
