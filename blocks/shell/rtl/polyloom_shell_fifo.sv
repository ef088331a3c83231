// SPDX-License-Identifier: Apache-2.0
// polyloom_shell_fifo: a queue of commands whose storage is a small memory instead of registers.
// How:          two counters of one bit more than an address; equal: empty, differing in the top bit alone: full. The
//               memory is written at the clock and read at once, which is what LUT memories do. (common_cells' fifo_v3
//               keeps its words in registers with reset: 129 bits x 16 would cost 2,000 of them.)
// Latency:      1 cycle from accepted input to valid output.
// Throughput:   1 a cycle.
// Backpressure: in_ready_o falls when Depth items wait; no combinational path between the two sides.
// Order/loss:   first in, first out; nothing dropped.
// Reset:        counters; the memory is not.
// Limits:       Depth a power of two, 2 or more.
// Cost:         69 LUT, 10 FF with one channel (UltraScale+; `polyloom synth collective_node`, 2026-11)
// Source:       own design.   Tests: shell_swap_test.cc.
module polyloom_shell_fifo #(
    parameter type T = logic,
    parameter int unsigned Depth
) (
    input logic clk_i,
    input logic rst_ni,

    input  logic in_valid_i,
    output logic in_ready_o,
    input  T     in_i,

    output logic out_valid_o,
    input  logic out_ready_i,
    output T     out_o
);

  localparam int unsigned AddrBits = $clog2(Depth);
  if (Depth < 2 || Depth != 1 << AddrBits) begin : gen_check
    $error("%m: Depth is %0d, must be a power of two from 2 on", Depth);
  end

  T mem_q[Depth];
  logic [AddrBits:0] write_q, read_q;

  assign out_valid_o = write_q != read_q;
  assign in_ready_o = (write_q ^ read_q) != {1'b1, AddrBits'(0)};
  assign out_o = mem_q[read_q[AddrBits-1:0]];

  always_ff @(posedge clk_i) begin
    if (in_valid_i && in_ready_o) mem_q[write_q[AddrBits-1:0]] <= in_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q  <= '0;
    end else begin
      write_q <= write_q + (AddrBits + 1)'(in_valid_i && in_ready_o);
      read_q  <= read_q + (AddrBits + 1)'(out_valid_o && out_ready_i);
    end
  end

endmodule
