// SPDX-License-Identifier: Apache-2.0
// mpe_pair_proof: both sides of an ordered pair of ranks by polyloom_mpe_pair's rules, and between them a network that
// delivers any envelope and any news that was ever true, at any time, in any order, any number of times, or not.
// How: the numbers of the sender (sent, acked, consumed) and the receiver (accepted, consumed) beside counters that do not
// wrap within a proof's reach (20 bits against 16). What the network delivers is picked freely: an envelope number from 0
// to the last sent, news from nothing to what is true now; no older than 2^15 envelopes, as the protocol assumes.
// Also packets that nobody sent: news ahead of what was sent must be ignored.
module mpe_pair_proof
  import polyloom_mpe_pkg::*;
(
    input logic        clk_i,
    input logic        rst_ni,
    input logic [19:0] start_i,         // envelopes before the proof begins
    input logic        send_i,          // the sender has an envelope
    input logic        to_rx_i,         // an envelope arrives
    input logic [19:0] number_i,        // which
    input logic        consume_i,       // a receive takes an envelope
    input logic        to_tx_i,         // news arrive
    input logic [19:0] ack_i,
    input logic [19:0] credit_i,
    input logic        forged_i,        // news that nobody sent
    input logic [15:0] forged_ack_i,
    input logic [15:0] forged_credit_i
);

  localparam logic [15:0] SLOTS = 16'd4;
  typedef logic [19:0] total_t;

  // What has happened, in full numbers.
  total_t sent_q, acked_q, credited_q, accepted_q, consumed_q;
  pair_tx_t tx, tx_next;
  pair_rx_t rx;
  logic acks, credits, next, old, may_send, unacked;
  always_comb begin
    tx = '0;
    tx.sent = sent_q[15:0];
    tx.acked = acked_q[15:0];
    tx.consumed = credited_q[15:0];
    rx = '0;
    rx.accepted = accepted_q[15:0];
    rx.consumed = consumed_q[15:0];
  end

  polyloom_mpe_pair i_dut (
      .tx_i      (tx),
      .rx_i      (rx),
      .slots_i   (SLOTS),
      .ack_i     (forged_i ? forged_ack_i : ack_i[15:0]),
      .credit_i  (forged_i ? forged_credit_i : credit_i[15:0]),
      .seq_i     (number_i[15:0]),
      .tx_o      (tx_next),
      .acks_o    (acks),
      .credits_o (credits),
      .next_o    (next),
      .old_o     (old),
      .may_send_o(may_send),
      .unacked_o (unacked)
  );

  logic started = 1'b0;
  always_ff @(posedge clk_i) started <= 1'b1;
  always_comb begin
    if (!started) assume (!rst_ni);
    assume (start_i < 20'h40000 && sent_q < 20'hf0000);  // the full numbers do not wrap
    // An envelope that was sent, not 2^15 numbers ago.
    if (to_rx_i) assume (number_i < sent_q && sent_q - number_i < 20'h08000);
    // News that were true once, not 2^15 numbers ago.
    assume (ack_i <= accepted_q && credit_i <= consumed_q && credit_i <= ack_i);  // both of one moment
    assume (sent_q - ack_i < 20'h08000 && sent_q - credit_i < 20'h08000);
  end

  // The 16-bit numbers after a packet, as full ones.
  total_t acked_next, credited_next;
  logic [15:0] ack_step, credit_step;
  assign ack_step = tx_next.acked - acked_q[15:0];
  assign credit_step = tx_next.consumed - credited_q[15:0];
  assign acked_next = acked_q + total_t'(ack_step);
  assign credited_next = credited_q + total_t'(credit_step);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      sent_q     <= start_i;
      acked_q    <= start_i;
      credited_q <= start_i;
      accepted_q <= start_i;
      consumed_q <= start_i;
    end else begin
      if (send_i && may_send) sent_q <= sent_q + 1'b1;
      if (to_rx_i && next) accepted_q <= accepted_q + 1'b1;
      if (consume_i && consumed_q != accepted_q) consumed_q <= consumed_q + 1'b1;
      if (to_tx_i && !forged_i) begin
        acked_q <= acked_next;
        credited_q <= credited_next;
      end
    end
  end

  always_comb begin
    if (started && rst_ni) begin
      // What each side knows is true, and no receiver needs more places than it has.
      assert (credited_q <= consumed_q && consumed_q <= accepted_q && accepted_q <= sent_q);
      assert (credited_q <= acked_q && acked_q <= accepted_q);
      assert (sent_q - credited_q <= total_t'(SLOTS));
      assert (sent_q - acked_q <= total_t'(SLOTS));
      // The next envelope, and no other, is taken; all earlier ones are known to be old.
      if (to_rx_i) assert (next == (number_i == accepted_q));
      if (to_rx_i) assert (old == (number_i < accepted_q));
      assert (unacked == (sent_q != acked_q));
      assert (may_send == (sent_q - credited_q < total_t'(SLOTS)));
      // News go forward and never ahead of what was sent, whatever the packet says.
      assert (acked_next <= sent_q && credited_next <= sent_q);
      assert (acks == (ack_step != '0) && credits == (credit_step != '0));
      // True news are believed; older ones change nothing.
      if (!forged_i) begin
        assert (acked_next == (ack_i > acked_q ? ack_i : acked_q));
        assert (credited_next == (credit_i > credited_q ? credit_i : credited_q));
      end
      assert (tx_next.sent == sent_q[15:0]);
      cover (sent_q == start_i + 20'd6 && credited_q == start_i + 20'd3 && sent_q[15:0] == 16'd2);
    end
  end

  logic unused;
  assign unused = ^{tx_next.age, tx_next.tries};
endmodule
