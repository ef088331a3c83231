// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_context: what the threads of a core hold beside registers, where only their own pass reads and writes it.
// How:          a word a thread in block RAM: read when the thread issues, carried with its instruction, written at its end.
// Latency:      2 cycles from s0_thread_i to s2_context_o.
// Throughput:   one read and one write a cycle.
// Backpressure: none. No path from an input to an output.
// Order/loss:   starting a thread writes nothing here: the thread may have stopped while that was on its way. A thread that
//               stopped left an upper pc of 0 and length 0. A read sees the writes of earlier cycles; the word that is written in the same cycle is undefined.
// Reset:        none; words are undefined until written.
// Limits:       AddrBits 1 to 16.
// Cost:         2 EBR, no LUT4 (ECP5); in 16x4 RAM it would be 96 LUT4.
// Source:       own design.   Tests: test_polyloom_overlay_context.py, test_polyloom_overlay_cores.py
module polyloom_overlay_context
  import polyloom_overlay_pkg::*;
#(
    parameter int unsigned AddrBits = 1  // of a word in the instruction memory
) (
    input  logic           clk_i,
    input  logic     [3:0] s0_thread_i,
    output context_t       s2_context_o,
    input  logic           s7_we_i,
    input  logic     [3:0] s7_thread_i,
    input  context_t       s7_context_i
);

  // The lower part of the pc, up to the memory's end, is elsewhere, as it is wanted a cycle earlier.
  typedef struct packed {
    logic [31:AddrBits+3] pc;
    logic [DEST_BITS-1:0] dest;
    logic                 astray;
    logic                 scratchpad;
    logic [SLOT_BITS-1:0] slot;
    logic [2:0]           len;
    logic                 beyond;
    logic [AddrBits-1:0]  addr;
  } word_t;

  word_t written, s1_word, s2_word_q;
  assign written = '{
          pc: s7_context_i.pc[31:AddrBits+3],
          dest: s7_context_i.dest,
          astray: s7_context_i.astray,
          scratchpad: s7_context_i.scratchpad,
          slot: s7_context_i.slot,
          len: s7_context_i.len,
          beyond: s7_context_i.beyond,
          addr: s7_context_i.addr[AddrBits-1:0]
      };

  polyloom_ram_1r1w #(
      .Width($bits(word_t)),
      .Depth(512)             // so that it is a block RAM; 16 words are used
  ) i_ram (
      .clk_i,
      .we_i   (s7_we_i),
      .be_i   (1'b1),
      .waddr_i(9'(s7_thread_i)),
      .wdata_i(written),
      .re_i   (1'b1),
      .raddr_i(9'(s0_thread_i)),
      .rdata_o(s1_word)
  );
  always_ff @(posedge clk_i) s2_word_q <= s1_word;

  always_comb begin
    s2_context_o = '0;
    s2_context_o.pc[31:AddrBits+3] = s2_word_q.pc;
    s2_context_o.dest = s2_word_q.dest;
    s2_context_o.astray = s2_word_q.astray;
    s2_context_o.scratchpad = s2_word_q.scratchpad;
    s2_context_o.slot = s2_word_q.slot;
    s2_context_o.len = s2_word_q.len;
    s2_context_o.beyond = s2_word_q.beyond;
    s2_context_o.addr[AddrBits-1:0] = s2_word_q.addr;
  end

  logic unused;
  assign unused = ^s7_context_i;

endmodule
