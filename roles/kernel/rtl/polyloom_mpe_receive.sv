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
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             clear_i,       // forget the packet
    input  cfg_t             cfg_i,
    input  logic      [15:0] tick_i,
    // Turn
    input  logic             go_i,
    output logic             done_o,
    // Packet
    input  header_t          head_i,
    input  logic      [31:0] head_ip_i,
    input  logic      [15:0] head_port_i,
    input  logic      [10:0] head_bytes_i,
    // Requests
    output req_t             idx_o,
    output req_op_t          req_o,
    input  request_t         req_i,
    input  logic             live_i,        // of request idx_o
    output find_t            find_o,
    input  logic             find_done_i,
    input  logic             find_found_i,
    input  req_t             find_idx_i,
    input  req_t             find_prev_i,
    // Rank table
    output table_op_t        table_o,
    input  logic      [63:0] table_i,
    // Envelopes that wait
    output env_op_t          env_o,
    input  logic             env_done_i,
    input  logic             env_found_i,
    input  logic             env_full_i,
    input  logic      [ 9:0] env_pool_i,
    output logic             arrival_o,     // one more
    // Payload writer
    output move_t            move_o,
    // Sender
    output tell_t            tell_o,
    output reply_t           reply_o,
    // Counting
    output logic             foreign_o,
    output logic             disorder_o,
    output logic             accepted_o
);

  typedef enum logic [3:0] {
    IDLE,
    WHO,
    SIDES,
    ACKS,
    RELEASE,
    KIND,
    POST,
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
  assign idx_o = step_q == POST || step_q == LOOK ? find_idx_i : handle;
  assign request_ok = live_i && (for_sender ? head_i.tag[31:21] : head_i.tag[15:5]) == '0 &&
      req_i.peer == src && req_i.seq == head_i.seq &&
      (for_sender ? req_i.state == ASKED || req_i.state == SENDING : req_i.state == ACTIVE);

  // A piece of data at the expected place.
  logic [31:0] pos_after, window_end, target;
  assign pos_after = req_i.pos + 32'(head_bytes_i);
  assign window_end = pos_after + cfg_i.window;
  assign target = req_i.bytes - pos_after < cfg_i.window ? req_i.bytes : window_end;

  request_t met_request;
  assign met_request = met(
      req_i,
      head_i.kind == RTS,
      src,
      head_i.tag,
      head_i.dtype,
      head_i.length,
      head_i.seq,
      head_i.offset[15:0],
      cfg_i.window
  );

  // Steps
  pair_rx_t rx_consumed;
  always_comb begin
    step_d = step_q;
    req_o = '0;
    req_o.data = req_i;
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
    move_o.bytes = head_i.length < req_i.bytes ? head_i.length : req_i.bytes;
    move_o.address = req_i.address;
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
            req_o.data.remote = head_i.tag[15:0];
            if (head_i.kind == DONE) begin
              req_o.data.state = OVER;
              req_o.dead = 1'b1;
              req_o.rest = 1'b1;
              req_o.finish = 1'b1;
            end else begin
              req_o.data.state = SENDING;
              if (head_i.length > req_i.limit && head_i.length <= req_i.bytes) req_o.data.limit = head_i.length;
              if (head_i.kind == RESUME && head_i.offset <= req_i.limit && head_i.offset[2:0] == '0) begin
                req_o.data.pos = head_i.offset;
              end
              req_o.work = 1'b1;
            end
          end else if (from_sender && request_ok && head_i.length == req_i.bytes && head_i.offset == req_i.pos) begin
            move_o.valid = 1'b1;
            move_o.to_memory = 1'b1;
            move_o.address = req_i.address + req_i.pos;
            move_o.bytes = 32'(head_bytes_i);
            move_o.idx = handle;
            req_o.write = 1'b1;
            req_o.data.pos = pos_after;
            req_o.data.gap = 1'b0;
            req_o.data.age = '0;
            req_o.data.shift = '0;
            if (pos_after == req_i.bytes) begin
              move_o.finish = 1'b1;
              req_o.data.state = OVER;
              req_o.data.control = C_DONE;
              req_o.work = 1'b1;
            end else if (window_end - req_i.limit >= {1'b0, cfg_i.window[31:1]} && req_i.limit != req_i.bytes) begin
              req_o.data.limit = target;
              req_o.data.control = C_CTS;
              req_o.work = 1'b1;
            end
          end else if (from_sender) begin
            step_d = THROW;
            disorder_o = 1'b1;
            if (request_ok && head_i.offset > req_i.pos && !req_i.gap) begin
              req_o.write = 1'b1;
              req_o.data.gap = 1'b1;
              req_o.data.control = C_RESUME;
              req_o.work = 1'b1;
            end
          end
        end
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
            tell_o.due = is_due(rx_consumed.consumed, rx_consumed.told, cfg_i.slots);
            req_o.write = 1'b1;
            req_o.data = met_request;
            req_o.remove = 1'b1;
            req_o.prev = find_prev_i;
            if (head_i.kind == RTS) begin
              req_o.live   = 1'b1;
              req_o.work   = 1'b1;
              req_o.finish = met_request.state == OVER;
            end else begin
              req_o.finish = head_bytes_i == '0;
              move_o.valid = head_bytes_i != '0;
              move_o.to_memory = 1'b1;
              move_o.finish = 1'b1;
              move_o.idx = find_idx_i;
            end
          end else if (!env_full_i) begin
            table_o.wdata = rx_taken;
            env_o.add = 1'b1;
            move_o.valid = head_bytes_i != '0;
            move_o.to_pool = 1'b1;
            move_o.pool = env_pool_i;
            move_o.bytes = 32'(head_bytes_i);
            arrival_o = 1'b1;
          end else begin  // cannot be if all ranks have the same S and E
            accepted_o = 1'b0;
            step_d = THROW;
          end
        end
      end
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
  always_ff @(posedge clk_i) if (step_q == SIDES) acks_q <= acks;

  logic unused;
  assign unused = ^{may_send, unacked, head_i.job, head_i.dst};
endmodule
