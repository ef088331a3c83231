// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_timers: when it is time to acknowledge and when to look for what must be sent again.
// How:          a bit for each rank that has news and for each that must hear them at once; a counter makes all news due after
//               the ack delay. Another counts a quarter of the retransmission time: a tick, at which ages are looked at.
// Latency:      1 cycle from an event to due_o.
// Throughput:   an event a cycle.   Backpressure: none.
// Order/loss:   ranks are picked in turn.
// Reset:        nothing is due; counters stand while nothing waits, so an idle engine has no events.
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
  logic [MAX_RANKS:0] news_q, due_q, mark, told;
  logic [31:0] ack_q, tick_count_q;
  logic [15:0] tick_q;
  rank_t last_q;
  logic ack_now;
  always_comb begin
    mark = '0;
    mark[tell_i.rank] = 1'b1;
    told = '0;
    told[told_rank_i] = told_i;
  end
  assign ack_now  = news_q != '0 && ack_q >= cfg_i.ack_delay;
  assign ticked_o = run_i && tick_count_q >= 32'(cfg_i.retransmit[31:2]);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      news_q <= '0;
      due_q <= '0;
      ack_q <= '0;
      tick_q <= '0;
      tick_count_q <= '0;
    end else if (clear_i) begin
      news_q <= '0;
      due_q <= '0;
      ack_q <= '0;
      tick_q <= '0;
      tick_count_q <= '0;
    end else begin
      news_q <= (ack_now ? '0 : news_q & ~told) | (tell_i.news ? mark : '0);
      due_q <= ((ack_now ? due_q | news_q : due_q) & ~told) | (tell_i.due ? mark : '0);
      ack_q <= news_q == '0 || ack_now ? '0 : ack_q + 1'b1;
      tick_count_q <= !run_i || ticked_o ? '0 : tick_count_q + 1'b1;
      if (ticked_o) tick_q <= tick_q + 1'b1;
    end
  end

  // The next one after the last.
  always_comb begin
    due_rank_o = '0;
    for (int i = MAX_RANKS; i >= 0; i--) if (due_q[i]) due_rank_o = rank_t'(i);
    for (int i = MAX_RANKS; i >= 0; i--) if (due_q[i] && rank_t'(i) > last_q) due_rank_o = rank_t'(i);
  end
  always_ff @(posedge clk_i) if (told_i) last_q <= told_rank_i;
  assign due_o  = due_q != '0;
  assign tick_o = tick_q;
  assign idle_o = due_q == '0 && news_q == '0 && !run_i;
endmodule
