// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_receive: the receive engine: what a packet does to ranks, requests and envelopes.
// How:          one packet at a time, in steps: is its sender who the table says; acknowledgement and credit; then by kind. An
//               envelope looks for a posted receive, else it waits in the list of the unexpected; payload goes to the writer.
//                   WHO -> SIDES -> ACKS -> (RELEASE) -> KIND -> END
//                                                         |-> POSTED -> END       the next envelope
//                                                         '-> WAITING -> ACTIVE -> END    an old RTS
// Latency:      7 cycles for a packet without payload search; more for each record that a search looks at.
// Throughput:   one packet at a time; full packets of data at the rate of the link.
// Backpressure: works while go_i (the engine's turn) until done_o.
// Order/loss:   drops what the protocol says, each counted.
// Reset:        idle.
// Limits:       the header stands from go_i until done_o; the writer is free if the packet has payload.
// Cost:         not measured alone.   Source: PROTOCOL.md.   Tests: test_polyloom_mpe.py, test_mpe_faults.py, interop_test.cc
module polyloom_mpe_receive
  import polyloom_mpe_pkg::*;
(
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic                     clear_i,       // forget the packet
    input  cfg_t                     cfg_i,
    input  logic      [        15:0] tick_i,
    // Turn
    input  logic                     go_i,
    output logic                     done_o,
    // Packet
    input  header_t                  head_i,
    input  logic      [        31:0] head_ip_i,
    input  logic      [        15:0] head_port_i,
    input  logic      [        10:0] head_bytes_i,
    // Requests
    output req_t                     idx_o,
    output req_op_t                  req_o,
    output alu_op_t                  alu_o,
    input  request_t                 req_i,
    input  logic                     borrow_i,      // the adder's
    input  logic                     zero_i,
    input  logic      [        31:0] result_i,
    input  logic                     live_i,        // of request idx_o
    output find_t                    find_o,
    input  logic                     find_done_i,
    input  logic                     find_found_i,
    input  req_t                     find_idx_i,
    input  req_t                     find_prev_i,
    // Rank table
    output table_op_t                table_o,
    input  logic      [        63:0] table_i,
    // Envelopes that wait
    output env_op_t                  env_o,
    input  logic                     env_done_i,
    input  logic                     env_found_i,
    input  logic                     env_full_i,
    input  logic      [         9:0] env_pool_i,
    output logic                     arrival_o,     // one more
    // Payload writer
    output move_t                    move_o,
    // Sender
    output tell_t                    tell_o,
    output reply_t                   reply_o,
    // Counting
    output logic                     foreign_o,
    output logic                     disorder_o,
    output logic                     accepted_o
);

  typedef enum logic [4:0] {
    IDLE,
    WHO,
    SIDES,
    ACKS,
    RELEASE,
    KIND,
    BOUND,     // a limit from the receiver: more than the last?
    WITHIN,    // within the message?
    RAISE,
    BACK,      // RESUME: from there?
    REWIND,
    PLACE,     // a piece: where it belongs?
    ADVANCE,
    REST,
    PAYLOAD,
    LAST,      // is the limit still below the end?
    FAR,       // is the end farther than the window?
    AHEAD,     // is the limit less than half a window ahead?
    NEWS,
    HALF,
    CREDIT,
    POST,
    MEET,
    BELOW,     // is the message shorter than the window?
    WAITING,
    LOOK,
    THROW,
    END
  } step_e;
  step_e step_q, step_d;
  logic acks_q, acks, credits, is_next, is_old, is_envelope;
  pair_tx_t tx_after;
  pair_rx_t rx, rx_heard, rx_taken;
  rank_t src;
  assign src = rank_t'(head_i.src);
  assign is_envelope = head_i.kind == EAGER || head_i.kind == RTS;

  logic may_send, unacked;
  polyloom_mpe_pair i_pair (
      .tx_i      (pair_tx_t'(table_i)),
      .rx_i      (rx),
      .slots_i   (cfg_i.slots),
      .ack_i     (head_i.ack),
      .credit_i  (head_i.credit),
      .seq_i     (head_i.seq),
      .tx_o      (tx_after),
      .acks_o    (acks),
      .credits_o (credits),
      .next_o    (is_next),
      .old_o     (is_old),
      .may_send_o(may_send),
      .unacked_o (unacked)
  );
  assign rx = pair_rx_t'(table_i);
  always_comb begin
    rx_heard = rx;
    rx_heard.heard = tick_i;
    rx_taken = rx_heard;
    rx_taken.accepted = rx.accepted + 1'b1;
  end

  // Handles: the receiver's request in the low half of the tag, the sender's in the high one.
  logic for_sender, from_sender, request_ok;
  req_t handle;
  assign for_sender = head_i.kind == CTS || head_i.kind == RESUME || head_i.kind == DONE;
  assign from_sender = head_i.kind == DATA;
  assign handle = for_sender ? head_i.tag[20:16] : head_i.tag[4:0];
  assign idx_o = step_q == POST || step_q == MEET || step_q == LOOK || is_envelope ? find_idx_i : handle;
  assign request_ok = live_i && (for_sender ? head_i.tag[31:21] : head_i.tag[15:5]) == '0 &&
      req_i.peer == src && req_i.seq == head_i.seq &&
      (for_sender ? req_i.state == ASKED || req_i.state == SENDING : req_i.state == ACTIVE);

  logic truncated_q, below_q, last_q;
  progress_t met_progress;
  assign met_progress = met(head_i.kind == RTS, head_i.dtype, head_i.length == '0, req_i.dtype, truncated_q);

  function automatic alu_op_t difference(input operand_a_e a, input operand_b_e b);
    difference = '0;
    difference.a = a;
    difference.b = b;
    difference.subtract = 1'b1;
  endfunction
  always_comb begin
    alu_o = '0;
    unique case (step_q)
      KIND, WITHIN, POST: alu_o = difference(A_LENGTH, B_BYTES);
      BOUND: alu_o = difference(A_LENGTH, B_LIMIT);
      RAISE: begin
        alu_o.a = A_LENGTH;
        alu_o.to_limit = 1'b1;
      end
      BACK: alu_o = difference(A_OFFSET, B_LIMIT);
      REWIND: begin
        alu_o.a = A_OFFSET;
        alu_o.to_pos = 1'b1;
      end
      PLACE: alu_o = difference(A_OFFSET, B_POS);
      ADVANCE: begin
        alu_o.a = A_POS;
        alu_o.b = B_PART;
        alu_o.to_pos = 1'b1;
      end
      REST: alu_o = difference(A_BYTES, B_POS);
      PAYLOAD: begin
        alu_o.a = A_OFFSET;
        alu_o.b = B_ADDRESS;
      end
      LAST: alu_o = difference(A_BYTES, B_LIMIT);
      FAR: alu_o = difference(A_TEMP, B_WINDOW);
      AHEAD: begin
        alu_o.a = A_POS;
        alu_o.b = B_WINDOW;
      end
      NEWS: alu_o = difference(A_TEMP, B_LIMIT);
      HALF: alu_o = difference(A_TEMP, B_HALF);
      CREDIT: begin  // all of the message, or as far as the window reaches
        alu_o.a = below_q || is_envelope ? A_ZERO : A_POS;
        alu_o.b = below_q ? B_BYTES : B_WINDOW;
        alu_o.to_limit = 1'b1;
      end
      MEET: alu_o.b = B_ADDRESS;
      BELOW: alu_o = difference(A_BYTES, B_WINDOW);
      default: ;
    endcase
    alu_o.keep = step_q == REST || step_q == AHEAD || step_q == NEWS;
  end

  // Steps
  pair_rx_t rx_consumed;
  always_comb begin
    step_d = step_q;
    req_o = '0;
    req_o.data = progress_of(req_i);
    find_o = '{find: F_NONE, peer: src, tag: head_i.tag, comm: head_i.comm, seq: head_i.seq};
    table_o = '0;
    table_o.rank = src;
    table_o.wword = T_RX;
    table_o.wdata = rx_heard;
    env_o = '0;
    env_o.peer = src;
    env_o.by_seq = 1'b1;
    env_o.seq = head_i.seq;
    env_o.add_key = '{seq: head_i.seq, rts: head_i.kind == RTS, peer: src, comm: head_i.comm, tag: head_i.tag};
    env_o.add_data = '{dtype: head_i.dtype, length: head_i.length, handle: head_i.offset[15:0]};
    move_o = '0;
    move_o.bytes = head_bytes_i;
    move_o.address = result_i;
    tell_o = '0;
    tell_o.rank = src;
    reply_o = '{valid: 1'b0, rank: src, seq: head_i.seq, handle: head_i.offset[15:0]};
    arrival_o = 1'b0;
    foreign_o = 1'b0;
    disorder_o = 1'b0;
    accepted_o = 1'b0;
    rx_consumed = rx_taken;
    rx_consumed.consumed = rx.consumed + 1'b1;

    unique case (step_q)
      IDLE: begin
        table_o.re   = go_i;
        table_o.word = T_IP;
        if (go_i) step_d = WHO;
      end
      WHO: begin
        table_o.re = 1'b1;
        table_o.word = T_TX;
        step_d = SIDES;
        if (table_i[47:0] != {head_port_i, head_ip_i}) begin
          foreign_o = 1'b1;
          step_d = THROW;
        end
      end
      SIDES: begin
        table_o.re = 1'b1;
        table_o.word = T_RX;
        table_o.we = 1'b1;
        table_o.wword = T_TX;
        table_o.wdata = tx_after;
        tell_o.want = credits;
        step_d = ACKS;
      end
      ACKS: step_d = acks_q ? RELEASE : KIND;
      RELEASE: begin
        find_o.find = F_RELEASE;
        find_o.seq  = head_i.ack;
        if (find_done_i) begin
          tell_o.want = 1'b1;
          step_d = KIND;
        end
      end
      KIND: begin
        step_d = END;
        if (is_envelope && is_next) step_d = POST;
        else begin
          table_o.we = 1'b1;  // heard
          if (is_envelope) begin
            disorder_o = 1'b1;
            tell_o.due = !(is_old && head_i.kind == RTS);
            step_d = is_old && head_i.kind == RTS ? WAITING : THROW;
          end else if (for_sender && request_ok) begin
            req_o.write = 1'b1;
            req_o.data.age = '0;
            req_o.data.shift = '0;
            req_o.data.again = 1'b0;
            req_o.set_remote = 1'b1;
            if (head_i.kind == DONE) begin
              req_o.data.state = OVER;
              req_o.dead = 1'b1;
              req_o.rest = 1'b1;
              req_o.finish = 1'b1;
            end else begin
              req_o.data.state = SENDING;
              step_d = BOUND;
              req_o.work = 1'b1;
            end
          end else if (from_sender) begin
            step_d = PLACE;
            if (!request_ok || !zero_i) begin
              step_d = THROW;
              disorder_o = 1'b1;
            end
          end
        end
      end
      BOUND: step_d = borrow_i ? BACK : WITHIN;
      WITHIN: step_d = borrow_i || zero_i ? RAISE : BACK;
      RAISE: step_d = BACK;
      BACK: step_d = head_i.kind == RESUME && (borrow_i || zero_i) && head_i.offset[2:0] == '0 ? REWIND : END;
      REWIND: step_d = END;
      PLACE: begin
        step_d = ADVANCE;
        if (!zero_i) begin
          step_d = THROW;
          disorder_o = 1'b1;
          if (!borrow_i && !req_i.gap) begin
            req_o.write = 1'b1;
            req_o.data.gap = 1'b1;
            req_o.data.control = C_RESUME;
            req_o.work = 1'b1;
          end
        end
      end
      ADVANCE: begin
        req_o.write = 1'b1;
        req_o.data.gap = 1'b0;
        req_o.data.age = '0;
        req_o.data.shift = '0;
        step_d = REST;
      end
      REST: step_d = PAYLOAD;
      PAYLOAD: begin
        move_o.valid = 1'b1;
        move_o.to_memory = 1'b1;
        move_o.finish = last_q;
        move_o.idx = handle;
        step_d = LAST;
        if (last_q) begin
          req_o.write = 1'b1;
          req_o.data.state = OVER;
          req_o.data.control = C_DONE;
          req_o.work = 1'b1;
          step_d = END;
        end
      end
      LAST: step_d = zero_i ? END : FAR;
      FAR: step_d = AHEAD;
      AHEAD: step_d = NEWS;
      NEWS: step_d = HALF;
      HALF: step_d = borrow_i ? END : CREDIT;
      CREDIT: begin
        req_o.write = !is_envelope;
        req_o.data.control = C_CTS;
        req_o.work = !is_envelope;
        step_d = END;
      end
      POST: begin
        find_o.find = F_POSTED;
        if (find_done_i) begin
          step_d = END;
          tell_o.news = 1'b1;
          accepted_o = 1'b1;
          table_o.we = 1'b1;
          if (find_found_i) begin
            table_o.wdata = rx_consumed;
            tell_o.due = is_due(rx_consumed, cfg_i.slots);
            req_o.remove = 1'b1;
            req_o.prev = find_prev_i;
            step_d = MEET;
          end else if (!env_full_i) begin
            table_o.wdata = rx_taken;
            env_o.add = 1'b1;
            move_o.valid = head_bytes_i != '0;
            move_o.to_pool = 1'b1;
            move_o.pool = env_pool_i;
            arrival_o = 1'b1;
          end else begin  // cannot be if all ranks have the same S and E
            accepted_o = 1'b0;
            step_d = THROW;
          end
        end
      end
      MEET: begin
        req_o.write = 1'b1;
        req_o.meet = 1'b1;
        req_o.data = met_progress;
        step_d = END;
        if (head_i.kind == RTS) begin
          req_o.live   = 1'b1;
          req_o.work   = 1'b1;
          req_o.finish = met_progress.state == OVER;
          if (met_progress.state != OVER) step_d = BELOW;
        end else begin
          req_o.finish = head_bytes_i == '0;
          move_o.valid = head_bytes_i != '0;
          move_o.to_memory = 1'b1;
          move_o.finish = 1'b1;
          move_o.idx = find_idx_i;
          if (truncated_q) move_o.bytes = req_i.bytes[10:0];
        end
      end
      BELOW: step_d = CREDIT;
      WAITING: begin
        env_o.find = 1'b1;
        if (env_done_i) begin
          tell_o.due = env_found_i;
          step_d = env_found_i ? END : LOOK;
        end
      end
      LOOK: begin
        find_o.find = F_ACTIVE;
        if (find_done_i) begin
          step_d = END;
          reply_o.valid = !find_found_i;
          req_o.write = find_found_i;
          req_o.data.control = C_RESUME;
          req_o.work = find_found_i;
        end
      end
      THROW: begin
        move_o.valid = head_bytes_i != '0;
        step_d = END;
      end
      default: step_d = IDLE;  // END; a new envelope's second word is stored
    endcase
  end
  assign done_o = step_q == END;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) step_q <= IDLE;
    else if (clear_i) step_q <= IDLE;
    else step_q <= step_d;
  end
  always_ff @(posedge clk_i) begin
    if (step_q == SIDES) acks_q <= acks;
    if (step_q == POST) truncated_q <= !borrow_i && !zero_i;
    if (step_q == FAR || step_q == BELOW) below_q <= borrow_i;
    if (step_q == REST) last_q <= zero_i;
  end

  logic unused;
  assign unused = ^{may_send, unacked, head_i.job, head_i.dst};
endmodule
