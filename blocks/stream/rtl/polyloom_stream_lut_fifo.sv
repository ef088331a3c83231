// SPDX-License-Identifier: Apache-2.0
// polyloom_stream_lut_fifo: a small FIFO in LUT RAM that cuts all paths between its two sides.
// How:          a ring that is written at the clock and read at once, which is what LUT memories do; ready and valid
//               come from the count alone. common_cells' fifo_v3 and stream_fifo keep their data in flip-flops with
//               reset, ten times the cells at the widths of beats and commands.
// Latency:      1 cycle from an accepted beat to a valid output.
// Throughput:   one beat a cycle in and out, also together, from Depth 2 on (Depth 1: one in two).
// Backpressure: in_ready_o falls when Depth beats are held; it and out_valid_o depend on registers only: no
//               combinational path from an input to an output. A full FIFO does not take in the cycle of a pop.
// Order/loss:   in order, nothing lost.
// Reset:        emptied; beats are not cleared. Takes the first beat in the first cycle after reset. flush_i does the
//               same at an edge; a beat that is offered in that cycle is lost too.
// Limits:       Depth >= 1, any number (checked at elaboration). From 64 beats on polyloom_stream_ram_fifo is smaller.
// Cost:         16 x 129 and 16 x 65 bits, mean: 83 LUT, 13 FF (UltraScale+; in `polyloom synth collective_node`, Yosys
//               0.70, 2026-11).
// Source:       own design.   Tests: test_polyloom_stream_lut_fifo.py; proof: formal/proofs.toml [stream_lut_fifo]
module polyloom_stream_lut_fifo #(
    parameter int unsigned Width = 1,  // bits of the payload; not used if T is given
    parameter type T = logic [Width-1:0],  // payload
    parameter int unsigned Depth = 0  // beats it holds
) (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic flush_i,      // empties it
    // From the writer
    input  logic in_valid_i,
    output logic in_ready_o,
    input  T     in_i,
    // To the reader
    output logic out_valid_o,
    input  logic out_ready_i,
    output T     out_o
);

  if (Depth < 1) begin : gen_bad_depth
    $error("%m: Depth %0d; at least 1", Depth);
  end

  typedef logic [(Depth > 1 ? $clog2(Depth) : 1)-1:0] addr_t;
  typedef logic [$clog2(Depth+1)-1:0] count_t;

  T mem_q[Depth];
  addr_t head_q, tail_q;
  count_t count_q;
  logic push, pop;

  function automatic addr_t after(input addr_t addr);
    return addr == addr_t'(Depth - 1) ? '0 : addr + 1'b1;
  endfunction

  assign in_ready_o = count_q != count_t'(Depth);
  assign out_valid_o = count_q != '0;
  assign out_o = mem_q[head_q];
  assign push = in_valid_i && in_ready_o;
  assign pop = out_valid_o && out_ready_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q  <= '0;
      tail_q  <= '0;
      count_q <= '0;
    end else if (flush_i) begin
      head_q  <= '0;
      tail_q  <= '0;
      count_q <= '0;
    end else begin
      if (pop) head_q <= after(head_q);
      if (push) tail_q <= after(tail_q);
      count_q <= count_q + count_t'(push) - count_t'(pop);
    end
  end

  always_ff @(posedge clk_i) if (push) mem_q[tail_q] <= in_i;

endmodule
