// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_send: the send engine: picks what to send next and gets the packet ready for the builder.
// How:          in its turn it does one thing, the first that there is: an answer for an unknown message, an acknowledgement that
//               is due, an envelope to be sent again, a send that has credit, a request with work. Then it looks up the receiver's
//               address and what to acknowledge, and hands the packet over.
//                   PICK -> (REQUEST | WANT -> CREDIT | AGAIN) -> MAC -> IP -> SIDE -> ready
// Latency:      8 cycles from a send command's turn to the packet at the builder.
// Throughput:   one packet ahead of the builder.
// Backpressure: no turn is wanted while the packet got ready has not been taken.
// Order/loss:   envelopes of a pair in order of their commands: the list is walked from its head, and what is blocked for want
//               of credit blocks all later ones of its rank alike; for want of replay blocks, all.
// Reset:        nothing to send; clear_i does the same.
// Limits:       works while go_i comes until done_o.
// Cost:         not measured alone.   Source: PROTOCOL.md.   Tests: test_polyloom_mpe.py, test_mpe_faults.py, interop_test.cc
module polyloom_mpe_send
  import polyloom_mpe_pkg::*;
  import polyloom_udp_pkg::endpoint_t;
(
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             clear_i,
    input  cfg_t             cfg_i,
    // Turn
    output logic             want_o,
    input  logic             go_i,
    output logic             done_o,
    // Requests
    output req_t             idx_o,
    output req_op_t          req_o,
    input  request_t         req_i,
    input  req_t             next_i,
    output find_t            find_o,
    input  logic             find_done_i,
    input  logic             find_found_i,
    input  req_t             find_idx_i,
    input  logic             work_valid_i,
    input  req_t             work_idx_i,
    output logic             work_next_o,
    input  logic             work_any_i,
    input  logic             want_valid_i,
    input  req_t             want_head_i,
    input  req_t             want_tail_i,
    input  logic             released_i,
    input  logic      [ 4:0] released_block_i,
    // Rank table
    output table_op_t        table_o,
    input  logic      [63:0] table_i,
    // What to send
    input  logic             tell_want_i,       // sends that wait may go on
    input  reply_t           reply_i,
    input  logic             due_i,
    input  rank_t            due_rank_i,
    input  logic             again_valid_i,     // envelopes of a rank from a number on
    output logic             again_ready_o,
    input  rank_t            again_rank_i,
    input  seq_t             again_from_i,
    input  seq_t             again_until_i,
    input  logic             probe_i,           // instead: an old number, to be answered
    output logic             told_o,
    output rank_t            told_rank_o,
    // Packet
    output logic             packet_valid_o,
    input  logic             packet_ready_i,
    output packet_t          packet_o,
    output endpoint_t        to_o,
    output seq_t             ack_o,
    output seq_t             credit_o,
    // Counting
    output logic             sent_o,
    output logic             resent_o,
    output logic             idle_o
);

  typedef enum logic [3:0] {
    IDLE,
    PICK,
    REQUEST,
    WANTED,
    CREDIT,
    AGAIN,
    MAC,
    IP,
    SIDE,
    GIVE
  } step_e;
  step_e step_q, step_d;
  packet_t p_q, p_d;
  reply_t reply_q;  // but for its valid
  logic reply_valid_q, p_valid_q, want_q, want_clear, again_q, again_clear;
  req_t idx_q, idx_d, prev_q, prev_d;
  seq_t again_seq_q, again_until_q;
  rank_t again_rank_q;
  logic probe_q;
  logic [REPLAY_BLOCKS-1:0] used_q;  // replay blocks, at the first of each payload

  // A free place for a replayable payload: blocks are given out in groups of a power of two that holds E bytes.
  logic [4:0] block;
  logic block_valid;
  logic [4:0] group;  // - 1
  always_comb begin
    group = '0;
    for (int unsigned n = 0; n < 5; n++) if (cfg_i.eager > 16'(128 << n)) group = 5'((2 << n) - 1);
    block = '0;
    block_valid = 1'b0;
    for (int i = REPLAY_BLOCKS - 1; i >= 0; i--) begin
      if (!used_q[i] && (5'(i) & group) == '0) begin
        block = 5'(i);
        block_valid = 1'b1;
      end
    end
  end

  // Sides of the pair
  pair_tx_t tx, tx_sent;
  pair_rx_t rx, rx_told;
  logic eager, dead, has_credit;
  seq_t open;
  assign tx = pair_tx_t'(table_i);
  assign rx = pair_rx_t'(table_i);
  assign open = tx.sent - tx.consumed;
  assign has_credit = open < cfg_i.slots;
  assign dead = tx.tries > cfg_i.retries;
  assign eager = !req_i.sync && req_i.bytes <= 32'(cfg_i.eager);
  always_comb begin
    tx_sent = tx;
    tx_sent.sent = tx.sent + 1'b1;
    if (tx.sent == tx.acked) tx_sent.age = '0;
    rx_told = rx;
    rx_told.told = rx.consumed;
  end

  assign idx_o = step_q == AGAIN ? find_idx_i : idx_q;

  // The packet of the request at hand, by what it is.
  packet_t envelope, control, piece;
  logic [31:0] left;
  logic [10:0] part;
  assign left = req_i.limit - req_i.pos;
  assign part = left > 32'(MAX_PAYLOAD) ? 11'(MAX_PAYLOAD) : req_i.limit == req_i.bytes ? left[10:0] : {left[10:3], 3'b0};
  always_comb begin
    envelope = '0;
    envelope.kind = eager ? EAGER : RTS;
    envelope.dtype = req_i.dtype;
    envelope.dst = req_i.peer;
    envelope.seq = req_i.seq;
    envelope.tag = req_i.tag;
    envelope.comm = req_i.comm;
    envelope.length = req_i.bytes;
    envelope.offset = eager ? '0 : 32'(idx_o);
    envelope.payload = !eager || req_i.bytes == '0 ? P_NONE : P_REPLAY;
    envelope.bytes = eager ? req_i.bytes[10:0] : '0;
    envelope.block = req_i.block;
    envelope.address = req_i.address;
    envelope.idx = idx_o;

    control = '0;
    control.kind = req_i.control == C_CTS ? CTS : req_i.control == C_RESUME ? RESUME : DONE;
    control.dtype = req_i.dtype;
    control.dst = req_i.peer;
    control.seq = req_i.seq;
    control.tag = {req_i.remote, 16'(idx_o)};
    control.length = req_i.control == C_DONE ? '0 : req_i.limit;
    control.offset = req_i.control == C_RESUME ? req_i.pos : '0;

    piece = control;
    piece.kind = DATA;
    piece.tag = {16'(idx_o), req_i.remote};
    piece.length = req_i.bytes;
    piece.offset = req_i.pos;
    piece.payload = P_MEMORY;
    piece.address = req_i.address + req_i.pos;
    piece.bytes = part;
  end

  always_comb begin
    step_d = step_q;
    p_d = p_q;
    idx_d = idx_q;
    prev_d = prev_q;
    req_o = '0;
    req_o.data = req_i;
    req_o.prev = prev_q;
    req_o.want_list = 1'b1;
    find_o = '{find: F_NONE, peer: again_rank_q, tag: '0, comm: '0, seq: again_seq_q};
    table_o = '0;
    table_o.rank = p_q.dst;
    table_o.wword = T_TX;
    table_o.wdata = tx_sent;
    want_clear = 1'b0;
    again_clear = 1'b0;
    done_o = 1'b0;
    told_o = 1'b0;
    work_next_o = 1'b0;
    sent_o = 1'b0;
    resent_o = 1'b0;

    unique case (step_q)
      IDLE: if (go_i) step_d = PICK;
      PICK: begin
        p_d = '0;
        idx_d = want_head_i;
        prev_d = want_head_i;
        step_d = MAC;
        if (reply_valid_q) begin
          p_d.kind = DONE;
          p_d.dst  = reply_q.rank;
          p_d.seq  = reply_q.seq;
          p_d.tag  = {reply_q.handle, 16'hffff};
        end else if (due_i) begin
          p_d.kind = ACK;
          p_d.dst  = due_rank_i;
        end else if (again_q) step_d = AGAIN;
        else if (want_q && want_valid_i) step_d = WANTED;
        else if (work_valid_i) begin
          idx_d = work_idx_i;
          work_next_o = 1'b1;
          step_d = REQUEST;
        end else begin
          want_clear = 1'b1;
          done_o = 1'b1;
          step_d = IDLE;
        end
      end
      REQUEST: begin
        req_o.write = 1'b1;
        step_d = MAC;
        if (req_i.control != C_NONE) begin
          p_d = control;
          req_o.data.control = C_NONE;
          req_o.rest = 1'b1;
          req_o.dead = req_i.control == C_DONE;
        end else if (req_i.again) begin
          p_d = envelope;
          p_d.kind = RTS;
          p_d.payload = P_NONE;
          p_d.bytes = '0;
          p_d.offset = 32'(idx_q);
          req_o.data.again = 1'b0;
          req_o.rest = req_i.state != SENDING;
        end else if (req_i.state == SENDING && part != '0) begin
          p_d = piece;
          req_o.data.pos = req_i.pos + 32'(part);
          req_o.data.age = '0;
        end else begin
          req_o.write = 1'b0;
          req_o.rest = 1'b1;
          done_o = 1'b1;
          step_d = IDLE;
        end
      end
      WANTED: begin
        table_o.re = 1'b1;
        table_o.rank = req_i.peer;
        table_o.word = T_TX;
        step_d = CREDIT;
      end
      CREDIT: begin
        table_o.rank = req_i.peer;
        step_d = IDLE;
        done_o = 1'b1;
        if (dead) begin
          req_o.remove = 1'b1;
          req_o.finish = 1'b1;
          req_o.write = 1'b1;
          req_o.data.state = OVER;
          req_o.data.error = E_NO_ANSWER;
        end else if (has_credit && eager && req_i.bytes != '0 && !block_valid) want_clear = 1'b1;
        else if (has_credit) begin
          done_o = 1'b0;
          step_d = MAC;
          table_o.we = 1'b1;
          sent_o = 1'b1;
          req_o.remove = 1'b1;
          req_o.live = 1'b1;
          req_o.held = eager;
          req_o.write = 1'b1;
          req_o.data.state = eager ? COPIED : ASKED;
          req_o.data.seq = tx.sent;
          req_o.data.block = block;
          p_d = envelope;
          p_d.seq = tx.sent;
          p_d.block = block;
          p_d.payload = eager && req_i.bytes != '0 ? P_RECORD : P_NONE;
          p_d.finish = eager;
        end else if (idx_q == want_tail_i) want_clear = 1'b1;
        else begin
          done_o = 1'b0;
          prev_d = idx_q;
          idx_d  = next_i;
          step_d = WANTED;
        end
      end
      AGAIN: begin
        find_o.find = probe_q ? F_NONE : F_SENT;
        if (probe_q) begin
          p_d.kind = EAGER;
          p_d.dst = again_rank_q;
          p_d.seq = again_seq_q;
          again_clear = 1'b1;
          step_d = MAC;
        end else if (find_done_i) begin
          again_clear = again_seq_q + 1'b1 == again_until_q;
          done_o = !find_found_i;
          step_d = find_found_i ? MAC : IDLE;
          resent_o = find_found_i;
          p_d = envelope;
        end
      end
      MAC: begin
        table_o.re = 1'b1;
        table_o.word = T_MAC;
        step_d = IP;
      end
      IP: begin
        table_o.re = 1'b1;
        table_o.word = T_IP;
        step_d = SIDE;
      end
      SIDE: begin
        table_o.re = 1'b1;
        table_o.word = T_RX;
        step_d = GIVE;
      end
      default: begin  // GIVE
        table_o.we = 1'b1;
        table_o.wword = T_RX;
        table_o.wdata = rx_told;
        told_o = 1'b1;
        done_o = 1'b1;
        step_d = IDLE;
      end
    endcase
  end
  assign told_rank_o   = p_q.dst;
  assign again_ready_o = !again_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q <= IDLE;
      p_valid_q <= 1'b0;
      want_q <= 1'b0;
      again_q <= 1'b0;
      reply_valid_q <= 1'b0;
      used_q <= '0;
    end else if (clear_i) begin
      step_q <= IDLE;
      p_valid_q <= p_valid_q && !packet_ready_i;
      want_q <= 1'b0;
      again_q <= 1'b0;
      reply_valid_q <= 1'b0;
      used_q <= '0;
    end else begin
      step_q <= step_d;
      if (step_q == GIVE) p_valid_q <= 1'b1;
      else if (packet_ready_i) p_valid_q <= 1'b0;
      if (tell_want_i) want_q <= 1'b1;
      else if (want_clear) want_q <= 1'b0;
      if (again_valid_i && !again_q) again_q <= 1'b1;
      else if (again_clear) again_q <= 1'b0;
      if (reply_i.valid) reply_valid_q <= 1'b1;
      else if (step_q == PICK) reply_valid_q <= 1'b0;
      if (released_i) used_q[released_block_i] <= 1'b0;
      if (step_q == CREDIT && sent_o && eager && req_i.bytes != '0) used_q[block] <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    p_q <= p_d;
    idx_q <= idx_d;
    prev_q <= prev_d;
    if (reply_i.valid) reply_q <= reply_i;
    if (again_valid_i && !again_q) begin
      again_rank_q <= again_rank_i;
      again_seq_q <= again_from_i;
      again_until_q <= again_until_i;
      probe_q <= probe_i;
    end else if (step_q == AGAIN && step_d != AGAIN) again_seq_q <= again_seq_q + 1'b1;
    if (step_q == IP) to_o.mac <= table_i[47:0];
    if (step_q == SIDE) {to_o.port, to_o.ip} <= table_i[47:0];
    if (step_q == GIVE) begin
      ack_o <= rx.accepted;
      credit_o <= rx.consumed;
    end
  end
  assign packet_valid_o = p_valid_q;
  assign packet_o = p_q;
  assign want_o = !p_valid_q && (reply_valid_q || due_i || again_q || (want_q && want_valid_i) || work_valid_i);
  assign idle_o = step_q == IDLE && !p_valid_q && !want_o && !work_any_i;
endmodule
