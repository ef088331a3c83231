// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_mailbox_bank: a RAM of 32-bit words with two ports, each of which reads or writes bytes of a word.
// How:          a portable body in the form that synthesis takes for true dual-port block RAM with byte enables. Four of
//               them side by side are one copy of the scratchpad: a flit uses all, a core's word one.
// Latency:      read: data follow the address by one cycle and stand until the port's next read.
// Throughput:   two accesses a cycle.
// Backpressure: none; both ports always take. No combinational path from an input to an output.
// Order/loss:   a read sees all writes of earlier cycles. A read of the word that the other port writes in the same cycle
//               gives undefined data; of two writes to one byte, that of port 1 stands.
// Reset:        none; contents and rdata_o are undefined until written and read.
// Limits:       Depth a power of two, at least 2 (checked at elaboration).
// Cost:         in polyloom_overlay_mailbox.
// Source:       own design, vendors' inference templates.   Tests: test_polyloom_overlay_mailbox_pad.py
module polyloom_overlay_mailbox_bank #(
    parameter int unsigned Depth = 2048,  // words
    localparam int unsigned AddrWidth = $clog2(Depth)
) (
    input  logic                      clk_i,
    // The ports
    input  logic [1:0]                en_i,
    input  logic [1:0]                we_i,     // write; else read
    input  logic [1:0][          3:0] be_i,
    input  logic [1:0][AddrWidth-1:0] addr_i,
    input  logic [1:0][         31:0] wdata_i,
    output logic [1:0][         31:0] rdata_o
);

  if (Depth < 2 || Depth != 2 ** AddrWidth) begin : gen_bad_depth
    $error("%m: Depth %0d; a power of two, at least 2", Depth);
  end

  (* no_rw_check *)
  logic [31:0] memory[Depth];

  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < 2; p++) begin
      if (en_i[p]) begin
        if (we_i[p]) begin
          for (int unsigned b = 0; b < 4; b++) begin
            if (be_i[p][b]) memory[addr_i[p]][8*b+:8] <= wdata_i[p][8*b+:8];
          end
        end else begin
          rdata_o[p] <= memory[addr_i[p]];
        end
      end
    end
  end

endmodule
