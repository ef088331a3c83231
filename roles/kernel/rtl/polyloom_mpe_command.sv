// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_command: takes the kernel's commands, looks for waiting envelopes, answers when a request is complete.
// How:          three words in, then work on the tables when it is this unit's turn, then two words out. A command that has to
//               wait gives its turn away until its request is complete, or, for a probe, until another envelope has come.
//                   TAKE -> TURN -> RUN -> (FIND -> CREDIT) -> WAIT -> REAP -> ANSWER
// Latency:      a send is in the list of sends 5 cycles after its first word.
// Throughput:   one command at a time.
// Backpressure: cmd_ready_o only between commands; the answer waits for rsp_ready_i.
// Order/loss:   commands take effect in order.
// Reset:        waits for a command; clear_i does the same.
// Limits:       works while go_i comes (the engine's turn) until done_o; needs the free writer for receives.
// Cost:         not measured alone.   Source: ENGINE.md.   Tests: test_polyloom_mpe.py, test_mpe_faults.py, interop_test.cc
module polyloom_mpe_command
  import polyloom_mpe_pkg::*;
(
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   clear_i,
    input  cfg_t                   cfg_i,
    // Kernel
    input  logic                   cmd_valid_i,
    output logic                   cmd_ready_o,
    input  logic      [63:0]       cmd_i,
    output logic                   rsp_valid_o,
    input  logic                   rsp_ready_i,
    output logic      [63:0]       rsp_o,
    // Turn
    output logic                   want_o,
    output logic                   want_writer_o,  // only when it is free
    input  logic                   go_i,
    output logic                   done_o,
    // Requests
    output req_t                   idx_o,
    output req_op_t                req_o,
    input  request_t               req_i,
    output req_t                   watch_o,        // of this request:
    input  logic                   owned_i,
    input  logic                   done_i,
    input  logic                   bad_i,
    input  logic                   free_valid_i,
    input  req_t                   free_idx_i,
    input  logic                   free_none_i,
    // Rank table
    output table_op_t              table_o,
    input  logic      [63:0]       table_i,
    // Envelopes that wait
    output env_op_t                env_o,
    input  logic                   env_done_i,
    input  logic                   env_found_i,
    input  env_key_t               env_key_i,
    input  env_data_t              env_data_i,
    input  logic      [ 9:0]       env_pool_i,
    input  logic                   arrival_i,
    // Payload writer, sender
    output move_t                  move_o,
    output tell_t                  tell_o,
    // To management
    output logic      [ 2:0][63:0] words_o,        // the command at work
    output logic                   waits_o,
    output logic                   idle_o          // nothing happens until a word or a completion comes
);

  typedef enum logic [3:0] {
    TAKE,
    TURN,
    RUN,
    FIND,
    CREDIT,
    WAIT,
    PROBE,
    REAP,
    ANSWER0,
    ANSWER1
  } step_e;
  step_e step_q, step_d;
  logic [2:0][63:0] words_q;
  logic [1:0] count_q;
  req_t idx_q, idx_d;
  logic [63:0] rsp0_q, rsp1_q, rsp0_d, rsp1_d;
  logic rsp_we, arrived_q;

  assign idx_o = step_q == REAP ? idx_q : free_idx_i;

  // Fields
  logic [7:0] op, dtype;
  logic [15:0] peer, comm, handle;
  logic [31:0] tag, address, bytes;
  assign {tag, peer, dtype, op} = words_q[0];
  assign {address, handle, comm} = words_q[1];
  assign bytes = words_q[2][31:0];
  logic is_send, is_recv, is_probe, and_wait, peer_ok, handle_ok;
  assign is_send   = op == OP_SEND || op == OP_SSEND || op == OP_SEND_WAIT || op == OP_SSEND_WAIT;
  assign is_recv   = op == OP_RECV || op == OP_RECV_WAIT;
  assign is_probe  = op == OP_PROBE || op == OP_IPROBE;
  assign and_wait  = op == OP_SEND_WAIT || op == OP_SSEND_WAIT || op == OP_RECV_WAIT;
  assign peer_ok   = cfg_i.job != '0 && (peer <= 16'(cfg_i.size) || (!is_send && peer == ANY_RANK));
  assign watch_o   = step_q == RUN ? handle[4:0] : idx_q;
  assign handle_ok = handle[15:5] == '0 && owned_i;

  function automatic logic [63:0] answer(input logic [7:0] error, input logic done, input logic [15:0] what,
                                         input logic [31:0] the_tag);
    return {the_tag, what, 7'd0, done, error};
  endfunction

  request_t fresh, met_request;
  always_comb begin
    fresh = '0;
    fresh.state = is_send ? WANT : POSTED;
    fresh.any = peer == ANY_RANK;
    fresh.sync = op == OP_SSEND || op == OP_SSEND_WAIT;
    fresh.peer = rank_t'(peer);
    fresh.tag = tag;
    fresh.comm = comm;
    fresh.dtype = dtype;
    fresh.address = address;
    fresh.bytes = bytes;
  end
  assign met_request = met(
      fresh,
      env_key_i.rts,
      env_key_i.peer,
      env_key_i.tag,
      env_data_i.dtype,
      env_data_i.length,
      env_key_i.seq,
      env_data_i.handle,
      cfg_i.window
  );

  pair_rx_t rx_after;
  always_comb begin
    rx_after = pair_rx_t'(table_i);
    rx_after.consumed = rx_after.consumed + 1'b1;
  end

  always_comb begin
    step_d = step_q;
    idx_d = idx_q;
    rsp0_d = rsp0_q;
    rsp1_d = '0;
    rsp_we = 1'b0;
    done_o = 1'b0;
    req_o = '0;
    req_o.data = fresh;
    table_o = '0;
    table_o.rank = env_key_i.peer;
    table_o.word = T_RX;
    table_o.wword = T_RX;
    table_o.wdata = rx_after;
    env_o = '0;
    env_o.any = peer == ANY_RANK;
    env_o.peer = rank_t'(peer);
    env_o.tag = tag;
    env_o.comm = comm;
    move_o = '0;
    move_o.from_pool = 1'b1;
    move_o.to_memory = 1'b1;
    move_o.pool = env_pool_i;
    move_o.address = address;
    move_o.bytes = env_data_i.length < bytes ? env_data_i.length : bytes;
    move_o.finish = 1'b1;
    move_o.idx = free_idx_i;
    tell_o = '0;
    tell_o.rank = env_key_i.peer;

    unique case (step_q)
      TAKE: if (cmd_valid_i && count_q == 2'd2) step_d = TURN;
      TURN: if (go_i) step_d = RUN;
      RUN: begin
        done_o = 1'b1;
        step_d = ANSWER0;
        rsp_we = 1'b1;
        rsp0_d = answer(8'(E_NO_SUCH), 1'b0, '0, '0);
        if ((is_send || is_recv) && peer_ok && !free_valid_i) begin
          rsp0_d = answer(8'(E_TOO_MANY), 1'b0, '0, '0);
          if (!free_none_i) begin  // not yet known
            done_o = 1'b0;
            step_d = RUN;
          end
        end else if (is_send && peer_ok) begin
          req_o.write = 1'b1;
          req_o.own = 1'b1;
          req_o.append_want = 1'b1;
          tell_o.want = 1'b1;
          idx_d = free_idx_i;
          rsp0_d = answer('0, 1'b0, 16'(free_idx_i), '0);
          if (and_wait) step_d = WAIT;
        end else if ((is_recv || is_probe) && peer_ok) begin
          done_o = 1'b0;
          step_d = FIND;
        end else if (op == OP_WAIT && handle_ok) begin
          idx_d  = handle[4:0];
          step_d = WAIT;
        end else if (op == OP_TEST && handle_ok) begin
          idx_d  = handle[4:0];
          rsp0_d = answer('0, 1'b0, handle, '0);
          if (done_i) begin
            done_o = 1'b0;
            step_d = REAP;
          end
        end
      end
      FIND: begin
        env_o.find = 1'b1;
        if (env_done_i) begin
          done_o = !(is_recv && env_found_i);
          if (is_probe) begin
            rsp_we = 1'b1;
            rsp0_d = answer('0, env_found_i, 16'(env_key_i.peer), env_key_i.tag);
            rsp1_d = {24'd0, env_data_i.dtype, env_data_i.length};
            if (!env_found_i) begin
              rsp0_d = '0;
              rsp1_d = '0;
            end
            step_d = env_found_i || op == OP_IPROBE ? ANSWER0 : PROBE;
          end else if (env_found_i) begin
            table_o.re = 1'b1;
            step_d = CREDIT;
          end else begin
            req_o.write = 1'b1;
            req_o.own = 1'b1;
            req_o.append_posted = 1'b1;
            idx_d = free_idx_i;
            rsp_we = 1'b1;
            rsp0_d = answer('0, 1'b0, 16'(free_idx_i), '0);
            step_d = and_wait ? WAIT : ANSWER0;
          end
        end
      end
      CREDIT: begin
        env_o.remove = 1'b1;
        table_o.we = 1'b1;
        tell_o.news = 1'b1;
        tell_o.due = is_due(rx_after.consumed, rx_after.told, cfg_i.slots);
        req_o.write = 1'b1;
        req_o.own = 1'b1;
        req_o.data = met_request;
        if (env_key_i.rts) begin
          req_o.live   = 1'b1;
          req_o.work   = 1'b1;
          req_o.finish = met_request.state == OVER;
        end else move_o.valid = 1'b1;
        idx_d  = free_idx_i;
        rsp_we = 1'b1;
        rsp0_d = answer('0, 1'b0, 16'(free_idx_i), '0);
        done_o = 1'b1;
        step_d = and_wait ? WAIT : ANSWER0;
      end
      WAIT: if (done_i && go_i) step_d = REAP;
      PROBE: if (arrived_q && go_i) step_d = FIND;
      REAP: begin
        req_o.disown = 1'b1;
        rsp_we = 1'b1;
        rsp0_d = answer(bad_i ? 8'(E_ADDRESS) : 8'(req_i.error), 1'b1, 16'(req_i.peer), req_i.tag);
        rsp1_d = {24'd0, req_i.dtype, req_i.bytes};
        done_o = 1'b1;
        step_d = ANSWER0;
      end
      ANSWER0: if (rsp_ready_i) step_d = ANSWER1;
      default: if (rsp_ready_i) step_d = TAKE;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q <= TAKE;
      count_q <= '0;
      arrived_q <= 1'b0;
    end else if (clear_i) begin
      step_q <= TAKE;
      count_q <= '0;
      arrived_q <= 1'b0;
    end else begin
      step_q <= step_d;
      if (step_q == TAKE && cmd_valid_i) count_q <= count_q == 2'd2 ? '0 : count_q + 1'b1;
      if (arrival_i) arrived_q <= 1'b1;
      else if (step_q == FIND) arrived_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (step_q == TAKE && cmd_valid_i) words_q[count_q] <= cmd_i;
    idx_q <= idx_d;
    if (rsp_we) begin
      rsp0_q <= rsp0_d;
      rsp1_q <= rsp1_d;
    end
  end

  assign cmd_ready_o = step_q == TAKE;
  assign rsp_valid_o = step_q == ANSWER0 || step_q == ANSWER1;
  assign rsp_o = step_q == ANSWER0 ? rsp0_q : rsp1_q;
  assign want_o = step_q == TURN || (step_q == WAIT && done_i) || (step_q == PROBE && arrived_q);
  assign want_writer_o = step_q == TURN && is_recv;
  assign words_o = words_q;
  assign waits_o = step_q inside {TURN, RUN, FIND, CREDIT, WAIT, PROBE, REAP};
  assign idle_o = (step_q == TAKE && !cmd_valid_i) || (step_q == WAIT && !done_i) || (step_q == PROBE && !arrived_q);
endmodule
