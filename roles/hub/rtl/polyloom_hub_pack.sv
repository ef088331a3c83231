// SPDX-License-Identifier: Apache-2.0
// polyloom_hub_pack: puts beats of 1 to 16 bytes together to beats of as many bytes as the reader takes.
// How:          bytes wait in a row; the reader takes from its head, the writer adds at its end:
//                 in --> [ byte count .. | ... | byte 0 ] --> out: accept_i bytes, or what is left at the end of the stream
// Latency:      bytes taken at edge k can leave before edge k + 1.
// Throughput:   16 bytes a cycle in and OutBytes a cycle out, together.
// Backpressure: in_ready_o depends on registers only; out_valid_o on registers and accept_i.
// Order/loss:   in order, nothing lost. After a beat with `last` nothing is taken until all is out.
// Reset:        empty; flush_i does the same.
// Limits:       1 <= accept_i <= OutBytes.
// Cost:         see polyloom_hub_node.
// Source: own design.   Tests: test_polyloom_hub_dma.py.
module polyloom_hub_pack
  import polyloom_hub_pkg::*;
#(
    parameter int unsigned OutBytes = 16,
    localparam int unsigned Held = OutBytes + 2 * BEAT_BYTES,
    localparam int unsigned CountW = $clog2(Held + 1)
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   flush_i,
    input  logic                   in_valid_i,
    output logic                   in_ready_o,
    input  beat_t                  in_i,
    input  logic  [    CountW-1:0] accept_i,     // bytes of the next beat out
    output logic                   out_valid_o,
    input  logic                   out_ready_i,
    output logic  [8*OutBytes-1:0] out_data_o,   // bytes that do not count are 0
    output logic  [    CountW-1:0] out_bytes_o,
    output logic                   out_last_o,   // ends the stream
    output logic  [    CountW-1:0] held_o        // bytes
);
  logic [8*Held-1:0] row_q, shifted, added;
  logic [CountW-1:0] count_q, left, out_bytes;
  logic ended_q, accept, give;

  assign in_ready_o = !ended_q && count_q <= CountW'(Held - BEAT_BYTES);
  assign accept = in_valid_i && in_ready_o;
  assign out_bytes = count_q < accept_i ? count_q : accept_i;
  assign out_valid_o = count_q >= accept_i || (ended_q && count_q != '0);
  assign give = out_valid_o && out_ready_i;
  assign left = count_q - (give ? out_bytes : '0);
  assign shifted = give ? row_q >> {out_bytes, 3'b000} : row_q;
  always_comb begin
    added = '0;
    for (int unsigned i = 0; i < BEAT_BYTES; i++) if (4'(i) <= in_i.top) added[8*i+:8] = in_i.data[8*i+:8];
    added = accept ? added << {left, 3'b000} : '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      row_q   <= '0;
      count_q <= '0;
      ended_q <= 1'b0;
    end else if (flush_i) begin
      row_q   <= '0;
      count_q <= '0;
      ended_q <= 1'b0;
    end else begin
      row_q   <= shifted | added;
      count_q <= left + (accept ? CountW'(in_i.top) + 1'b1 : '0);
      ended_q <= (accept && in_i.last) || (ended_q && left != '0);
    end
  end

  always_comb begin
    out_data_o = '0;
    for (int unsigned i = 0; i < OutBytes; i++) if (CountW'(i) < out_bytes) out_data_o[8*i+:8] = row_q[8*i+:8];
  end
  assign out_bytes_o = out_bytes;
  assign out_last_o = ended_q && count_q <= accept_i;
  assign held_o = count_q;
endmodule
