// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_divider_queue: operations of all threads wait for a divider, which begins one at a time.
// How:          a ring in block RAM, and a count of the cycles before the next may be read.
//                 valid_i, entry_i -> [ ring ] -> 1 read -> entry_o with valid_o
// Latency:      2 cycles from valid_i to valid_o, if the divider is free: block RAM is slow to give its data, so a register
//               is behind it. entry_o stands until the next.
// Throughput:   one entry a cycle in, one in DIVIDE_INTERVAL cycles out.
// Backpressure: none: the ring holds an entry of every thread.
// Order/loss:   in order; nothing lost.
// Reset:        empty.
// Limits:       a thread has at most one operation under way; Depth is at least the threads, or 2 if that is more.
// Cost:         see polyloom_overlay_fpu and polyloom_overlay_muldiv.
// Source:       own design.
// Tests:        test_polyloom_overlay_divider_queue.py
module polyloom_overlay_divider_queue
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_fpu_pkg::*;
#(
    parameter cfg_t Cfg = TINY,
    parameter int unsigned Width = 1,  // bits of an entry
    localparam int unsigned Entries = Cfg.cores * Cfg.threads > 1 ? Cfg.cores * Cfg.threads : 2,
    parameter int unsigned Depth = Entries  // words of the RAM
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             valid_i,
    input  logic [Width-1:0] entry_i,
    output logic             valid_o,
    output logic [Width-1:0] entry_o
);

  localparam int unsigned EntryBits = $clog2(Entries);

  logic [EntryBits-1:0] write_q, read_q;
  logic [EntryBits:0] waiting_q;
  logic [4:0] gap_q;  // cycles before the next read
  logic read, here_q;
  logic [Width-1:0] read_entry;
  assign read = waiting_q != '0 && gap_q == '0;

  polyloom_ram_1r1w #(
      .Width(Width),
      .Depth(Depth)
  ) i_ring (
      .clk_i,
      .we_i   (valid_i),
      .be_i   (1'b1),
      .waddr_i($clog2(Depth)'(write_q)),
      .wdata_i(entry_i),
      .re_i   (1'b1),
      .raddr_i($clog2(Depth)'(read_q)),
      .rdata_o(read_entry)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q <= '0;
      waiting_q <= '0;
      gap_q <= '0;
      {valid_o, here_q} <= '0;
    end else begin
      write_q <= write_q + EntryBits'(valid_i);
      read_q <= read_q + EntryBits'(read);
      waiting_q <= waiting_q + (EntryBits + 1)'(valid_i) - (EntryBits + 1)'(read);
      if (read) gap_q <= 5'(DIVIDE_INTERVAL - 1);
      else if (gap_q != '0) gap_q <= gap_q - 1'b1;
      {valid_o, here_q} <= {here_q, read};
    end
  end

  always_ff @(posedge clk_i) if (here_q) entry_o <= read_entry;

endmodule
