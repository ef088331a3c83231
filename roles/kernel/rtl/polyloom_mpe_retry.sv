// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_retry: at every tick, looks at what has waited too long and has it sent again, or gives it up.
// How:          a sweep over all requests, then over all ranks, one in a turn. Ages count ticks, quarters of the retransmission
//               time; a time has passed when an age exceeds 4, 8 ... 64. A request: RESUME or RTS again. A rank: all envelopes
//               that are not acknowledged again; if all are but credit is used up, an old number, which is answered with credit.
//                   tick -> REQUEST -> (HEARD -> SIDE) -> next ... -> RANK -> PAIR -> (RELEASE) -> next ...
// Latency:      a sweep takes some 3 cycles for each request and rank, spread over the engine's turns.
// Throughput:   a sweep a tick; a tick during a sweep is not seen.
// Backpressure: works while go_i comes until done_o.
// Order/loss:   none.
// Reset:        no sweep; clear_i does the same.
// Limits:       none.
// Cost:         not measured alone.   Source: PROTOCOL.md "Giving up".   Tests: test_polyloom_mpe.py, test_mpe_faults.py, interop_test.cc
module polyloom_mpe_retry
  import polyloom_mpe_pkg::*;
(
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             clear_i,
    input  cfg_t             cfg_i,
    input  logic             ticked_i,
    input  logic      [15:0] tick_i,
    // Turn
    output logic             want_o,
    input  logic             go_i,
    output logic             done_o,
    // Requests
    output req_t             idx_o,
    output req_op_t          req_o,
    input  request_t         req_i,
    input  logic             live_i,         // of request idx_o
    input  logic             want_valid_i,   // sends wait for credit
    output find_t            find_o,
    input  logic             find_done_i,
    // Rank table
    output table_op_t        table_o,
    input  logic      [63:0] table_i,
    // Sender
    output tell_t            tell_o,
    output logic             again_valid_o,
    input  logic             again_ready_i,
    output rank_t            again_rank_o,
    output seq_t             again_from_o,
    output seq_t             again_until_o,
    output logic             probe_o,
    // Counting
    output logic             timeout_o
);

  typedef enum logic [2:0] {
    IDLE,
    REQUEST,
    HEARD,
    SIDE,
    RANK,
    PAIR,
    RELEASE
  } step_e;
  step_e step_q, step_d;
  logic sweep_q, ranks_q, recent_q, next;
  rank_t at_q;  // request or rank

  function automatic logic over(input logic [7:0] age, input logic [7:0] doublings);
    return age > 8'd4 << (doublings > 8'd4 ? 3'd4 : doublings[2:0]);
  endfunction

  // Counts to 254: 255 retries are for ever.
  function automatic logic [7:0] more(input logic [7:0] count);
    return count == 8'd254 ? count : count + 1'b1;
  endfunction

  pair_tx_t tx, tx_d;
  pair_rx_t rx;
  seq_t since_ack, open;
  logic waits, unacked, blocked, dead, pair_over;
  logic [7:0] tries;
  assign tx = pair_tx_t'(table_i);
  assign rx = pair_rx_t'(table_i);
  assign waits = live_i && (req_i.state == ACTIVE || req_i.state == ASKED || req_i.state == SENDING);
  assign since_ack = tx.acked - req_i.seq;  // 1 and more: acknowledged
  assign unacked = tx.sent != tx.acked;
  assign open = tx.sent - tx.consumed;
  assign blocked = !unacked && want_valid_i && open >= cfg_i.slots;
  assign pair_over = over(tx.age + 1'b1, tx.tries);
  assign dead = tx.tries >= cfg_i.retries;
  assign tries = recent_q ? '0 : more(req_i.tries);

  always_comb begin
    step_d = step_q;
    next = 1'b0;
    done_o = 1'b0;
    req_o = '0;
    req_o.data = req_i;
    find_o = '{find: F_NONE, peer: at_q, tag: '0, comm: '0, seq: tx.sent};
    table_o = '0;
    table_o.rank = ranks_q ? at_q : req_i.peer;
    table_o.word = T_TX;
    table_o.wword = T_TX;
    tx_d = tx;
    table_o.wdata = tx_d;
    tell_o = '0;
    again_valid_o = 1'b0;
    probe_o = !unacked;
    timeout_o = 1'b0;

    unique case (step_q)
      IDLE: if (go_i) step_d = ranks_q ? RANK : REQUEST;
      REQUEST: begin
        req_o.write = waits;
        req_o.data.age = req_i.age + 1'b1;
        table_o.re = 1'b1;
        table_o.word = T_RX;
        if (waits && over(8'(req_i.age) + 1'b1, 8'(req_i.shift))) step_d = HEARD;
        else next = 1'b1;
      end
      HEARD: begin
        table_o.re = 1'b1;
        step_d = SIDE;
      end
      SIDE: begin
        next = 1'b1;
        timeout_o = req_i.state != ASKED;  // a message may wait for its receive
        req_o.write = 1'b1;
        req_o.data.age = '0;
        req_o.data.shift = req_i.shift == 3'd4 ? 3'd4 : req_i.shift + 1'b1;
        req_o.data.tries = tries;
        if (tries > cfg_i.retries) begin
          req_o.data.state = OVER;
          req_o.data.control = C_NONE;
          req_o.data.error = E_NO_ANSWER;
          req_o.dead = 1'b1;
          req_o.rest = 1'b1;
          req_o.finish = 1'b1;
        end else if (req_i.state == ACTIVE) begin
          req_o.data.control = C_RESUME;
          req_o.work = 1'b1;
        end else if (since_ack != '0 && !since_ack[15]) begin
          req_o.data.again = 1'b1;
          req_o.work = 1'b1;
        end
      end
      RANK: begin
        table_o.re = 1'b1;
        step_d = PAIR;
      end
      PAIR: begin
        next = 1'b1;
        if (unacked || blocked) begin
          tx_d.age   = tx.age + 1'b1;
          table_o.we = 1'b1;
          if (pair_over && (again_ready_i || dead)) begin
            timeout_o = unacked;
            tx_d.age = '0;
            tx_d.tries = more(tx.tries);
            again_valid_o = !dead;
            tell_o.want = dead;  // to find out that it is
            if (dead) begin
              tx_d.acked = tx.sent;
              next = 1'b0;
              step_d = RELEASE;
            end
          end else if (pair_over) table_o.we = 1'b0;
          table_o.wdata = tx_d;
        end
      end
      default: begin  // RELEASE
        find_o.find = F_RELEASE;
        if (find_done_i) begin
          tell_o.want = 1'b1;
          next = 1'b1;
        end
      end
    endcase
    if (next) begin
      done_o = 1'b1;
      step_d = IDLE;
    end
  end
  assign again_rank_o = at_q;
  assign again_from_o = unacked ? tx.acked : tx.sent - 1'b1;
  assign again_until_o = tx.sent;
  assign idx_o = req_t'(at_q);
  assign want_o = sweep_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q <= IDLE;
      sweep_q <= 1'b0;
      ranks_q <= 1'b0;
      at_q <= '0;
    end else if (clear_i) begin
      step_q <= IDLE;
      sweep_q <= 1'b0;
      ranks_q <= 1'b0;
      at_q <= '0;
    end else begin
      step_q <= step_d;
      if (ticked_i) sweep_q <= 1'b1;
      if (next) begin
        at_q <= at_q + 1'b1;
        if (!ranks_q && at_q == rank_t'(REQUESTS - 1)) begin
          ranks_q <= 1'b1;
          at_q <= '0;
        end else if (ranks_q && at_q == cfg_i.size) begin
          ranks_q <= 1'b0;
          at_q <= '0;
          sweep_q <= 1'b0;
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (step_q == HEARD) recent_q <= 16'(tick_i - rx.heard) <= 16'(req_i.age);
  end
endmodule
