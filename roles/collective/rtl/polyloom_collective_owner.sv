// SPDX-License-Identifier: Apache-2.0
// polyloom_collective_owner: says whether a memory channel is the shell's or the engine's.
// How:          the shell's until the engine is busy and the shell owes or is owed nothing; the engine's until it is
//               neither running nor waiting for memory. So no response can come to the wrong side.
// Latency:      one cycle after the condition; a program's first request is later than that.
// Throughput:   none.
// Backpressure: an input that is not the owner sees no ready.
// Order/loss:   none lost.
// Reset:        the shell's.
// Limits:       at most 255 requests of the shell outstanding.
// Cost:         25 LUT, 17 FF; 13 ALM
//               (one, of 7 lanes, 8 channels, no block checks; see polyloom_collective_engine).
// Source:       own design; the mux of blocks/axi would put a cycle before write data and lists on every channel, and
//               which one waits for which would depend on both sides, so a program's cycles too.
// Tests:        test_polyloom_collective_owner.py
module polyloom_collective_owner (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic engine_busy_i,
    input  logic shell_valid_i,  // the shell shows a request or data
    input  logic request_i,      // of the shell, accepted: reads in bursts
    input  logic response_i,     // to the shell: last beat of a read burst
    input  logic write_i,        // of the shell, accepted: write burst
    input  logic ack_i,          // to the shell
    output logic engine_o
);
  logic engine_q;
  logic [7:0] reads_q, writes_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      engine_q <= 1'b0;
      reads_q  <= '0;
      writes_q <= '0;
    end else begin
      reads_q  <= reads_q + 8'(request_i) - 8'(response_i);
      writes_q <= writes_q + 8'(write_i) - 8'(ack_i);
      if (engine_q) engine_q <= engine_busy_i;
      else engine_q <= engine_busy_i && !shell_valid_i && reads_q == '0 && writes_q == '0;
    end
  end
  assign engine_o = engine_q;
endmodule
