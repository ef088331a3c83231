// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_pair: the rules of one ordered pair of ranks: what a packet's numbers change on both sides of it.
// How:          combinational. Acknowledgement and credit are cumulative modulo 2^16: what is not ahead of the last one, or ahead
//               of what was sent, is old. An envelope is taken only if its number is the next.
// Latency:      none.   Throughput: one packet a cycle.   Backpressure: none.
// Order/loss:   this is what makes them right.
// Reset:        none.   Limits: at most 2^15 envelopes under way (S is at most 2^8 in practice).
// Cost:         not measured alone.   Source: PROTOCOL.md "Envelopes".   Tests: test_polyloom_mpe.py, test_mpe_faults.py, interop_test.cc
module polyloom_mpe_pair
  import polyloom_mpe_pkg::*;
(
    input  pair_tx_t        tx_i,
    input  pair_rx_t        rx_i,
    input  logic     [15:0] slots_i,     // S
    // The packet
    input  seq_t            ack_i,
    input  seq_t            credit_i,
    input  seq_t            seq_i,
    // What it means
    output pair_tx_t        tx_o,        // after it
    output logic            acks_o,      // it acknowledges something new
    output logic            credits_o,   // it brings new credit
    output logic            next_o,      // an envelope of this number is the next one
    output logic            old_o,       // it was accepted before
    // Sending
    output logic            may_send_o,  // another envelope
    output logic            unacked_o
);
  seq_t ahead, open, c_ahead, c_open, behind;
  assign ahead = ack_i - tx_i.acked;
  assign open = tx_i.sent - tx_i.acked;
  assign c_ahead = credit_i - tx_i.consumed;
  assign c_open = tx_i.sent - tx_i.consumed;
  assign acks_o = ahead != '0 && ahead <= open;
  assign credits_o = c_ahead != '0 && c_ahead <= c_open;
  assign behind = seq_i - rx_i.accepted;
  assign next_o = behind == '0;
  assign old_o = behind[15];
  assign may_send_o = c_open < slots_i;
  assign unacked_o = open != '0;
  always_comb begin
    tx_o = tx_i;
    tx_o.tries = '0;
    if (acks_o) begin
      tx_o.acked = ack_i;
      tx_o.age   = '0;
    end
    if (credits_o) tx_o.consumed = credit_i;
  end

  logic unused;
  assign unused = ^{rx_i.consumed, rx_i.told, rx_i.heard, tx_i.tries};
endmodule
