// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_timers: when it is time to acknowledge and when to look for what must be sent again.
// How:          a bit in LUT RAM for each rank that has news and for each that must hear them at once; a pointer goes round the
//               ranks and stops at one that is due; the ack delay makes all news due for a round. Another counter counts a
//               quarter of the retransmission time: a tick, at which ages are looked at.
// Latency:      1 cycle from an event to due_o if nothing else is due, else up to a round of the job's ranks.
// Throughput:   an event a cycle, tell_i or told_i.   Backpressure: none.
// Order/loss:   ranks are picked in turn.
// Reset:        bits are cleared, 128 cycles, no events meanwhile; counters stand while nothing waits, so an idle engine has
//               no events. clear_i does the same.
// Limits:       none.   Cost:         not measured alone.   Source: PROTOCOL.md.   Tests: test_polyloom_mpe.py, test_mpe_faults.py, interop_test.cc
module polyloom_mpe_timers
  import polyloom_mpe_pkg::*;
(
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic         clear_i,
    input  cfg_t         cfg_i,
    // What happened
    input  tell_t        tell_i,
    input  logic         told_i,       // a packet goes to told_rank_i
    input  rank_t        told_rank_i,
    input  logic         run_i,        // something may have to be sent again
    // What is due
    output logic         due_o,
    output rank_t        due_rank_o,
    output logic  [15:0] tick_o,       // number of ticks
    output logic         ticked_o,
    output logic         idle_o
);
  // Bits by rank, and how many of them are set.
  logic news_q[2**$bits(rank_t)];
  logic due_q [2**$bits(rank_t)];
  rank_t at_q, rank, news_count_q, due_count_q;
  logic clearing_q, flush_q, some_news, some_due, scan;
  logic news_we, due_we, news_d, due_d, news_was, due_was;
  assign rank = clearing_q ? at_q : told_i ? told_rank_i : tell_i.rank;
  assign news_d = tell_i.news && !told_i && !clearing_q;
  assign due_d = tell_i.due && !told_i && !clearing_q;
  assign news_we = clearing_q || told_i || tell_i.news;
  assign due_we = clearing_q || told_i || tell_i.due;
  assign news_was = news_q[rank];
  assign due_was = due_q[rank];
  always_ff @(posedge clk_i) begin
    if (news_we) news_q[rank] <= news_d;
    if (due_we) due_q[rank] <= due_d;
  end
  assign some_news = news_count_q != '0;
  assign some_due  = due_count_q != '0;

  // The next rank to be told is looked for one a cycle; after the ack delay, news are due for one round.
  logic [31:0] ack_q, tick_count_q;
  logic [15:0] tick_q;
  logic ack_now, at_end;
  assign ack_now = some_news && ack_q >= cfg_i.ack_delay && !flush_q;
  assign ticked_o = run_i && tick_count_q >= 32'(cfg_i.retransmit[31:2]);
  assign due_o = !clearing_q && (due_q[at_q] || (flush_q && news_q[at_q]));
  assign due_rank_o = at_q;
  assign scan = clearing_q || (!due_o && (flush_q || some_due));
  assign at_end = clearing_q ? at_q == '1 : at_q == cfg_i.size;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      clearing_q <= 1'b1;
      flush_q <= 1'b0;
      at_q <= '0;
      news_count_q <= '0;
      due_count_q <= '0;
      ack_q <= '0;
      tick_q <= '0;
      tick_count_q <= '0;
    end else if (clear_i) begin
      clearing_q <= 1'b1;
      flush_q <= 1'b0;
      at_q <= '0;
      news_count_q <= '0;
      due_count_q <= '0;
      ack_q <= '0;
      tick_q <= '0;
      tick_count_q <= '0;
    end else begin
      if (at_end && scan) clearing_q <= 1'b0;
      if (ack_now) flush_q <= 1'b1;
      else if (at_end && scan) flush_q <= 1'b0;
      if (ack_now || (at_end && scan)) at_q <= '0;
      else if (tell_i.due && !due_o && !flush_q) at_q <= tell_i.rank;
      else if (scan) at_q <= at_q + 1'b1;
      if (!clearing_q) begin
        if (news_we && news_d != news_was) news_count_q <= news_d ? news_count_q + 1'b1 : news_count_q - 1'b1;
        if (due_we && due_d != due_was) due_count_q <= due_d ? due_count_q + 1'b1 : due_count_q - 1'b1;
      end
      ack_q <= !some_news || flush_q ? '0 : ack_q + 1'b1;
      tick_count_q <= !run_i || ticked_o ? '0 : tick_count_q + 1'b1;
      if (ticked_o) tick_q <= tick_q + 1'b1;
    end
  end
  assign tick_o = tick_q;
  assign idle_o = !some_due && !some_news && !flush_q && !clearing_q && !run_i;
endmodule
