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
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic                     clear_i,
    input  cfg_t                     cfg_i,
    // Turn
    output logic                     want_o,
    input  logic                     go_i,
    output logic                     done_o,
    // Requests
    output req_t                     idx_o,
    output req_op_t                  req_o,
    output alu_op_t                  alu_o,
    input  request_t                 req_i,
    input  logic      [        31:0] result_i,          // the adder's
    input  logic      [        31:0] left_i,            // kept result
    output logic      [         4:0] block_o,           // for req_o.set_seq
    input  req_t                     next_i,
    output find_t                    find_o,
    input  logic                     find_done_i,
    input  logic                     find_found_i,
    input  req_t                     find_idx_i,
    input  logic                     work_valid_i,
    input  req_t                     work_idx_i,
    output logic                     work_next_o,
    input  logic                     work_any_i,
    input  logic                     want_valid_i,
    input  req_t                     want_head_i,
    input  req_t                     want_tail_i,
    input  logic                     released_i,
    input  logic      [         4:0] released_block_i,
    // Rank table
    output table_op_t                table_o,
    input  logic      [        63:0] table_i,
    // What to send
    input  logic                     tell_want_i,       // sends that wait may go on
    input  reply_t                   reply_i,
    input  logic                     due_i,
    input  rank_t                    due_rank_i,
    input  logic                     again_valid_i,     // envelopes of a rank from a number on
    output logic                     again_ready_o,
    input  rank_t                    again_rank_i,
    input  seq_t                     again_from_i,
    input  seq_t                     again_until_i,
    input  logic                     probe_i,           // instead: an old number, to be answered
    output logic                     told_o,
    output rank_t                    told_rank_o,
    // Packet
    output logic                     packet_valid_o,
    input  logic                     packet_ready_i,
    output packet_t                  packet_o,
    output endpoint_t                to_o,
    output seq_t                     ack_o,
    output seq_t                     credit_o,
    // Counting
    output logic                     sent_o,
    output logic                     resent_o,
    output logic                     idle_o
);

  typedef enum logic [3:0] {
    IDLE,
    PICK,
    REQUEST,
    PIECE,
    ADVANCE,
    WANTED,
    CREDIT,
    AGAIN,
    MAC,
    IP,
    SIDE,
    GIVE
  } step_e;
  step_e step_q, step_d;
  packet_t p_q;
  logic p_load;
  reply_t reply_q;  // but for its valid
  logic reply_valid_q, p_valid_q, want_q, want_clear, again_q, again_clear;
  req_t idx_q, idx_d, prev_q, prev_d;
  seq_t again_seq_q, again_until_q;
  rank_t again_rank_q;
  logic probe_q;

  logic eager, dead, has_credit;

  // A free place for a replayable payload: blocks are given out in groups of a power of two that holds E bytes. A pointer goes
  // round the groups and stops at a free one.
  logic used_q[REPLAY_BLOCKS];  // at the first of each payload
  logic [4:0] block;
  logic [5:0] full_q;  // so many in a row are used
  logic [4:0] group;  // - 1
  logic block_valid, full, wiping_q, take;
  logic [4:0] used_at;
  always_comb begin
    group = '0;
    for (int unsigned n = 0; n < 5; n++) if (cfg_i.eager > 16'(128 << n)) group = 5'((2 << n) - 1);
  end
  assign block_valid = !used_q[block] && !wiping_q;
  assign full = full_q[5];
  assign take = step_q == CREDIT && sent_o && eager && req_i.bytes != '0;
  assign used_at = released_i ? released_block_i : block;
  always_ff @(posedge clk_i) if (wiping_q || released_i || take) used_q[used_at] <= take;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      block <= '0;
      wiping_q <= 1'b1;
      full_q <= '0;
    end else if (clear_i) begin
      block <= '0;
      wiping_q <= 1'b1;
      full_q <= '0;
    end else begin
      if (wiping_q) begin
        block <= block + 1'b1;
        if (block == '1) wiping_q <= 1'b0;
      end else if (used_q[block]) block <= block + group + 1'b1;
      if (wiping_q || released_i || block_valid) full_q <= '0;
      else if (!full) full_q <= full_q + 1'b1;
    end
  end

  // Sides of the pair
  pair_tx_t tx, tx_sent;
  pair_rx_t rx, rx_told;
  seq_t open;
  assign tx = pair_tx_t'(table_i);
  assign rx = pair_rx_t'(table_i);
  assign open = tx.sent - tx.consumed;
  assign has_credit = open < cfg_i.slots;
  assign dead = tx.tries > cfg_i.retries;
  assign eager = !req_i.sync && req_i.bytes[31:16] == '0 && req_i.bytes[15:0] <= cfg_i.eager;
  always_comb begin
    tx_sent = tx;
    tx_sent.sent = tx.sent + 1'b1;
    if (tx.sent == tx.acked) tx_sent.age = '0;
    rx_told = rx;
    rx_told.told = rx.consumed;
  end

  assign idx_o = step_q == AGAIN ? find_idx_i : idx_q;

  // The packet of the request at hand, by what it is.
  packet_t made;
  logic is_control, is_piece, is_new, is_rts;
  logic [31:0] left;
  logic [10:0] part;
  assign left = left_i;
  assign part = left > 32'(MAX_PAYLOAD) ? 11'(MAX_PAYLOAD) : req_i.limit == req_i.bytes ? left[10:0] : {left[10:3], 3'b0};
  assign is_control = step_q == REQUEST && req_i.control != C_NONE;
  assign is_piece = step_q == PIECE;
  assign is_new = step_q == CREDIT;
  assign is_rts = !eager || step_q == REQUEST;
  always_comb begin
    made.kind = is_rts ? RTS : EAGER;
    if (is_piece) made.kind = DATA;
    if (is_control) made.kind = req_i.control == C_CTS ? CTS : req_i.control == C_RESUME ? RESUME : DONE;
    made.dtype = req_i.dtype;
    made.dst = req_i.peer;
    made.seq = is_new ? tx.sent : req_i.seq;
    made.tag = is_control ? {req_i.remote, 16'(idx_o)} : is_piece ? {16'(idx_o), req_i.remote} : req_i.tag;
    made.comm = is_control || is_piece ? '0 : req_i.comm;
    made.length = !is_control ? req_i.bytes : req_i.control == C_DONE ? '0 : req_i.limit;
    made.offset = is_piece || (is_control && req_i.control == C_RESUME) ? req_i.pos :
        is_control || !is_rts ? '0 : 32'(idx_o);
    made.payload = P_NONE;
    made.bytes = '0;
    if (is_piece) begin
      made.payload = P_MEMORY;
      made.bytes   = part;
    end else if (!is_control && !is_rts && req_i.bytes != '0) begin
      made.payload = is_new ? P_RECORD : P_REPLAY;
      made.bytes   = req_i.bytes[10:0];
    end
    made.address = result_i;
    made.block = is_new ? block : req_i.block;
    made.finish = is_new && eager;
    made.idx = idx_o;
  end

  always_comb begin
    alu_o = '0;
    unique case (step_q)
      REQUEST: begin
        alu_o.a = A_LIMIT;
        alu_o.b = B_POS;
        alu_o.subtract = 1'b1;
        alu_o.keep = 1'b1;
      end
      PIECE: begin
        alu_o.a = A_POS;
        alu_o.b = B_ADDRESS;
      end
      ADVANCE: begin
        alu_o.a = A_POS;
        alu_o.b = B_PART;
        alu_o.to_pos = 1'b1;
      end
      CREDIT: alu_o.b = B_ADDRESS;
      default: ;
    endcase
  end

  always_comb begin
    step_d = step_q;
    p_load = 1'b0;
    idx_d = idx_q;
    prev_d = prev_q;
    req_o = '0;
    req_o.data = progress_of(req_i);
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
        idx_d = want_head_i;
        prev_d = want_head_i;
        step_d = MAC;
        if (reply_valid_q || due_i) step_d = MAC;
        else if (again_q) step_d = AGAIN;
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
          p_load = 1'b1;
          req_o.data.control = C_NONE;
          req_o.rest = 1'b1;
          req_o.dead = req_i.control == C_DONE;
        end else if (req_i.again) begin
          p_load = 1'b1;
          resent_o = 1'b1;
          req_o.data.again = 1'b0;
          req_o.rest = req_i.state != SENDING;
        end else begin
          req_o.write = 1'b0;
          step_d = PIECE;
        end
      end
      PIECE: begin
        p_load = 1'b1;
        step_d = ADVANCE;
        if (req_i.state != SENDING || part == '0) begin
          req_o.rest = 1'b1;
          done_o = 1'b1;
          step_d = IDLE;
        end
      end
      ADVANCE: begin
        req_o.write = 1'b1;
        req_o.data.age = '0;
        step_d = MAC;
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
        end else if (has_credit && eager && req_i.bytes != '0 && !block_valid) begin
          want_clear = full;
          if (!full) begin  // not yet known
            done_o = 1'b0;
            step_d = CREDIT;
          end
        end else if (has_credit) begin
          done_o = 1'b0;
          step_d = MAC;
          table_o.we = 1'b1;
          sent_o = 1'b1;
          req_o.remove = 1'b1;
          req_o.live = 1'b1;
          req_o.held = eager;
          req_o.write = 1'b1;
          req_o.data.state = eager ? COPIED : ASKED;
          req_o.set_seq = 1'b1;
          p_load = 1'b1;
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
          again_clear = 1'b1;
          step_d = MAC;
        end else if (find_done_i) begin
          again_clear = again_seq_q + 1'b1 == again_until_q;
          done_o = !find_found_i;
          step_d = find_found_i ? MAC : IDLE;
          resent_o = find_found_i;
          p_load = 1'b1;
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
  assign block_o       = block;
  assign told_rank_o   = p_q.dst;
  assign again_ready_o = !again_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q <= IDLE;
      p_valid_q <= 1'b0;
      want_q <= 1'b0;
      again_q <= 1'b0;
      reply_valid_q <= 1'b0;
    end else if (clear_i) begin
      step_q <= IDLE;
      p_valid_q <= p_valid_q && !packet_ready_i;
      want_q <= 1'b0;
      again_q <= 1'b0;
      reply_valid_q <= 1'b0;
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
    end
  end
  always_ff @(posedge clk_i) begin
    if (p_load) p_q <= made;
    else if (step_q == PICK) begin
      p_q <= '0;
      p_q.kind <= reply_valid_q ? DONE : ACK;
      p_q.dst <= reply_valid_q ? reply_q.rank : due_rank_i;
      if (reply_valid_q) begin
        p_q.seq <= reply_q.seq;
        p_q.tag <= {reply_q.handle, 16'hffff};
      end
    end else if (step_q == AGAIN && probe_q) begin
      p_q.kind <= EAGER;
      p_q.dst  <= again_rank_q;
      p_q.seq  <= again_seq_q;
    end
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
