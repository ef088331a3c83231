// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_engine: the message passing engine without its data movers: four units that take turns at three tables.
// How:          receive, command, send and retry each work alone on the request table, the rank table (addresses and both sides of
//               each pair) and the unexpected envelopes, so no rule has to think of another one half done. Management gets at
//               the rank table between turns.
//                   packet -> receive --.                            .-> writer
//                   kernel -> command --+-- turn --> [ tables ] -----+-> builder
//                             send, retry --'                        '-> management
// Latency:      a turn takes 2 to some 60 cycles (searches).
// Throughput:   turns in order receive, command, send, retry, whoever wants one.
// Backpressure: the packet's header waits for its turn, so does a command.
// Order/loss:   see the units.
// Reset:        after reset and clear_i the pairs are cleared, 256 cycles; no turns meanwhile (ready_o low).
// Limits:       see the units.
// Cost:         2 BRAM36; not measured alone.   Source: PROTOCOL.md, ENGINE.md.   Tests: test_polyloom_mpe.py, test_mpe_faults.py, interop_test.cc
module polyloom_mpe_engine
  import polyloom_mpe_pkg::*;
  import polyloom_udp_pkg::endpoint_t;
(
    input  logic                           clk_i,
    input  logic                           rst_ni,
    input  logic                           clear_i,         // a pulse: forget everything but addresses
    output logic                           ready_o,
    input  cfg_t                           cfg_i,
    // Kernel
    input  logic                           cmd_valid_i,
    output logic                           cmd_ready_o,
    input  logic      [        63:0]       cmd_i,
    output logic                           rsp_valid_o,
    input  logic                           rsp_ready_i,
    output logic      [        63:0]       rsp_o,
    output logic      [         2:0][63:0] words_o,
    output logic                           waits_o,
    // Packet
    input  logic                           head_valid_i,
    output logic                           head_ready_o,
    input  header_t                        head_i,
    input  logic      [        31:0]       head_ip_i,
    input  logic      [        15:0]       head_port_i,
    input  logic      [        10:0]       head_bytes_i,
    // Payload writer
    output move_t                          move_o,
    input  logic                           move_ready_i,
    input  logic                           written_i,
    input  req_t                           written_idx_i,
    // Packet builder
    output logic                           packet_valid_o,
    input  logic                           packet_ready_i,
    output packet_t                        packet_o,
    output endpoint_t                      to_o,
    output seq_t                           ack_o,
    output seq_t                           credit_o,
    input  logic                           copied_i,
    input  req_t                           copied_idx_i,
    input  logic                           copied_bad_i,
    // Management: the rank table
    input  logic                           table_valid_i,
    output logic                           table_ready_o,
    input  table_op_t                      table_i,
    output logic      [        63:0]       table_o,
    // Counting, state
    output logic      [COUNTERS-1:0]       count_o,
    output logic                           idle_o
);

  localparam int unsigned UNITS = 4;
  typedef enum logic [1:0] {
    RECEIVE,
    COMMAND,
    SEND,
    RETRY
  } unit_e;

  // Turns
  logic [UNITS-1:0] want, go, done;
  logic busy_q, start;
  unit_e turn_q, chosen, turn;
  logic clearing_q;
  logic [7:0] clear_q;
  always_comb begin
    chosen = turn_q;
    for (int i = 3; i >= 0; i--) begin
      if (want[(int'(turn_q)+1+i)%4]) chosen = unit_e'((int'(turn_q) + 1 + i) % 4);
    end
  end
  assign start = !busy_q && want != '0 && !clearing_q && !clear_i;
  assign turn  = busy_q ? turn_q : chosen;
  always_comb begin
    go = '0;
    go[chosen] = start;
  end
  assign ready_o = !clearing_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      turn_q <= RECEIVE;
      clearing_q <= 1'b1;
      clear_q <= '0;
    end else if (clear_i) begin
      busy_q <= 1'b0;
      clearing_q <= 1'b1;
      clear_q <= '0;
    end else begin
      if (start) begin
        busy_q <= 1'b1;
        turn_q <= chosen;
      end else if (done[turn_q]) busy_q <= 1'b0;
      clear_q <= clear_q + 1'b1;
      if (clear_q == '1) clearing_q <= 1'b0;
    end
  end

  // What the units ask for
  req_t idx[UNITS];
  req_op_t req[UNITS];
  find_t find[UNITS];
  table_op_t tables[UNITS];
  req_op_t req_op;
  find_t find_op;
  table_op_t table_op;
  request_t request;
  logic [63:0] table_word;
  logic active;
  assign active = busy_q || start;
  always_comb begin
    req_op   = req[turn];
    find_op  = find[turn];
    table_op = tables[turn];
    if (!active) begin
      req_op = '0;
      find_op.find = F_NONE;
      table_op = table_valid_i ? table_i : '0;
    end
    if (!busy_q) req_op = '0;
    find_op.tag  = find[RECEIVE].tag;  // nobody else looks for these
    find_op.comm = find[RECEIVE].comm;
  end
  assign table_ready_o = !active && !clearing_q;
  assign table_o = table_word;

  logic [8:0] waddr;
  assign waddr = clearing_q ? {clear_q[7:1], 1'b1, clear_q[0]} : {table_op.rank, table_op.wword};
  polyloom_ram_1r1w #(
      .Width(64),
      .Depth(512)
  ) i_ranks (
      .clk_i,
      .we_i   (clearing_q || (table_op.we && (active || table_valid_i))),
      .be_i   (1'b1),
      .waddr_i(waddr),
      .wdata_i(clearing_q ? '0 : table_op.wdata),
      .re_i   (table_op.re),
      .raddr_i({table_op.rank, table_op.word}),
      .rdata_o(table_word)
  );

  req_t next, find_idx, find_prev, free_idx, want_head, want_tail;
  logic find_done, find_found, free_valid, want_valid, released;
  logic [4:0] released_block;
  logic owned, finished, bad, live, live_any, work_valid, work_next, work_any, free_none, pending;
  req_t watch, work_idx;
  polyloom_mpe_requests i_requests (
      .clk_i,
      .rst_ni,
      .clear_i,
      .idx_i           (clearing_q ? clear_q[4:0] : idx[turn]),
      .op_i            (req_op),
      .data_o          (request),
      .next_o          (next),
      .find_i          (find_op),
      .find_done_o     (find_done),
      .find_found_o    (find_found),
      .find_idx_o      (find_idx),
      .find_prev_o     (find_prev),
      .written_i,
      .written_idx_i,
      .copied_i,
      .copied_idx_i,
      .copied_bad_i,
      .released_o      (released),
      .released_block_o(released_block),
      .pending_o       (pending),
      .wipe_i          (clearing_q),
      .watch_i         (watch),
      .owned_o         (owned),
      .done_o          (finished),
      .bad_o           (bad),
      .live_o          (live),
      .live_any_o      (live_any),
      .work_valid_o    (work_valid),
      .work_idx_o      (work_idx),
      .work_next_i     (work_next),
      .work_any_o      (work_any),
      .free_valid_o    (free_valid),
      .free_idx_o      (free_idx),
      .free_none_o     (free_none),
      .want_valid_o    (want_valid),
      .want_head_o     (want_head),
      .want_tail_o     (want_tail)
  );

  env_op_t env_receive, env_command;
  logic env_done, env_found, env_full, arrival;
  env_key_t  env_key;
  env_data_t env_data;
  logic [9:0] env_pool, env_add_pool;
  polyloom_mpe_unexpected i_unexpected (
      .clk_i,
      .rst_ni,
      .clear_i,
      .eager_i      (cfg_i.eager),
      .find_i       (turn == RECEIVE ? env_receive.find : env_command.find),
      .find_by_seq_i(turn == RECEIVE),
      .find_any_i   (env_command.any),
      .find_peer_i  (turn == RECEIVE ? env_receive.peer : env_command.peer),
      .find_tag_i   (env_command.tag),
      .find_comm_i  (env_command.comm),
      .find_seq_i   (env_receive.seq),
      .find_done_o  (env_done),
      .find_found_o (env_found),
      .key_o        (env_key),
      .data_o       (env_data),
      .pool_o       (env_pool),
      .remove_i     (env_command.remove),
      .add_i        (env_receive.add),
      .add_key_i    (env_receive.add_key),
      .add_data_i   (env_receive.add_data),
      .add_pool_o   (env_add_pool),
      .full_o       (env_full)
  );

  // Units
  logic [15:0] tick;
  logic ticked, due, timers_idle, told, command_idle, send_idle, want_writer;
  rank_t due_rank, told_rank, again_rank;
  tell_t tell, tell_units[UNITS];
  reply_t reply;
  move_t move_receive, move_command;
  logic again_valid, again_ready, probe;
  seq_t again_from, again_until;

  assign want[RECEIVE] = head_valid_i && (head_bytes_i == '0 || move_ready_i);
  polyloom_mpe_receive i_receive (
      .clk_i,
      .rst_ni      (rst_ni),
      .clear_i,
      .cfg_i,
      .tick_i      (tick),
      .go_i        (go[RECEIVE]),
      .done_o      (done[RECEIVE]),
      .head_i,
      .head_ip_i,
      .head_port_i,
      .head_bytes_i,
      .idx_o       (idx[RECEIVE]),
      .req_o       (req[RECEIVE]),
      .req_i       (request),
      .live_i      (live),
      .find_o      (find[RECEIVE]),
      .find_done_i (find_done),
      .find_found_i(find_found),
      .find_idx_i  (find_idx),
      .find_prev_i (find_prev),
      .table_o     (tables[RECEIVE]),
      .table_i     (table_word),
      .env_o       (env_receive),
      .env_done_i  (env_done),
      .env_found_i (env_found),
      .env_full_i  (env_full),
      .env_pool_i  (env_add_pool),
      .arrival_o   (arrival),
      .move_o      (move_receive),
      .tell_o      (tell_units[RECEIVE]),
      .reply_o     (reply),
      .foreign_o   (count_o[N_FOREIGN]),
      .disorder_o  (count_o[N_DISORDER]),
      .accepted_o  (count_o[N_ACCEPTED])
  );
  assign head_ready_o = done[RECEIVE];

  logic want_command;
  assign want[COMMAND] = want_command && (!want_writer || move_ready_i);
  polyloom_mpe_command i_command (
      .clk_i,
      .rst_ni,
      .clear_i,
      .cfg_i,
      .cmd_valid_i,
      .cmd_ready_o,
      .cmd_i,
      .rsp_valid_o,
      .rsp_ready_i,
      .rsp_o,
      .want_o       (want_command),
      .want_writer_o(want_writer),
      .go_i         (go[COMMAND]),
      .done_o       (done[COMMAND]),
      .idx_o        (idx[COMMAND]),
      .req_o        (req[COMMAND]),
      .req_i        (request),
      .watch_o      (watch),
      .owned_i      (owned),
      .done_i       (finished),
      .bad_i        (bad),
      .free_valid_i (free_valid),
      .free_idx_i   (free_idx),
      .free_none_i  (free_none),
      .table_o      (tables[COMMAND]),
      .table_i      (table_word),
      .env_o        (env_command),
      .env_done_i   (env_done && turn_q == COMMAND),
      .env_found_i  (env_found),
      .env_key_i    (env_key),
      .env_data_i   (env_data),
      .env_pool_i   (env_pool),
      .arrival_i    (arrival),
      .move_o       (move_command),
      .tell_o       (tell_units[COMMAND]),
      .words_o,
      .waits_o,
      .idle_o       (command_idle)
  );
  assign find[COMMAND] = '0;
  assign move_o = turn == RECEIVE ? move_receive : move_command;

  polyloom_mpe_send i_send (
      .clk_i,
      .rst_ni,
      .clear_i,
      .cfg_i,
      .want_o          (want[SEND]),
      .go_i            (go[SEND]),
      .done_o          (done[SEND]),
      .idx_o           (idx[SEND]),
      .req_o           (req[SEND]),
      .req_i           (request),
      .next_i          (next),
      .find_o          (find[SEND]),
      .find_done_i     (find_done),
      .find_found_i    (find_found),
      .find_idx_i      (find_idx),
      .work_valid_i    (work_valid),
      .work_idx_i      (work_idx),
      .work_next_o     (work_next),
      .work_any_i      (work_any),
      .want_valid_i    (want_valid),
      .want_head_i     (want_head),
      .want_tail_i     (want_tail),
      .released_i      (released),
      .released_block_i(released_block),
      .table_o         (tables[SEND]),
      .table_i         (table_word),
      .tell_want_i     (tell.want),
      .reply_i         (reply),
      .due_i           (due),
      .due_rank_i      (due_rank),
      .again_valid_i   (again_valid),
      .again_ready_o   (again_ready),
      .again_rank_i    (again_rank),
      .again_from_i    (again_from),
      .again_until_i   (again_until),
      .probe_i         (probe),
      .told_o          (told),
      .told_rank_o     (told_rank),
      .packet_valid_o,
      .packet_ready_i,
      .packet_o,
      .to_o,
      .ack_o,
      .credit_o,
      .sent_o          (count_o[N_SENT]),
      .resent_o        (count_o[N_AGAIN]),
      .idle_o          (send_idle)
  );
  assign tell_units[SEND] = '0;

  polyloom_mpe_retry i_retry (
      .clk_i,
      .rst_ni,
      .clear_i,
      .cfg_i,
      .ticked_i     (ticked),
      .tick_i       (tick),
      .want_o       (want[RETRY]),
      .go_i         (go[RETRY]),
      .done_o       (done[RETRY]),
      .idx_o        (idx[RETRY]),
      .req_o        (req[RETRY]),
      .req_i        (request),
      .live_i       (live),
      .want_valid_i (want_valid),
      .find_o       (find[RETRY]),
      .find_done_i  (find_done),
      .table_o      (tables[RETRY]),
      .table_i      (table_word),
      .tell_o       (tell_units[RETRY]),
      .again_valid_o(again_valid),
      .again_ready_i(again_ready),
      .again_rank_o (again_rank),
      .again_from_o (again_from),
      .again_until_o(again_until),
      .probe_o      (probe),
      .timeout_o    (count_o[N_TIMEOUTS])
  );

  assign tell = busy_q ? tell_units[turn_q] : '0;
  polyloom_mpe_timers i_timers (
      .clk_i,
      .rst_ni,
      .clear_i,
      .cfg_i,
      .tell_i     (tell),
      .told_i     (told),
      .told_rank_i(told_rank),
      .run_i      (live_any || want_valid),
      .due_o      (due),
      .due_rank_o (due_rank),
      .tick_o     (tick),
      .ticked_o   (ticked),
      .idle_o     (timers_idle)
  );

  assign count_o[N_FRAMES_IN] = 1'b0;  // counted where frames are
  assign count_o[N_FRAMES_OUT] = 1'b0;
  assign count_o[N_BAD] = 1'b0;
  assign count_o[N_FULL] = 1'b0;
  assign idle_o = !busy_q && want == '0 && !clearing_q && !head_valid_i && !pending && command_idle && send_idle && timers_idle;
endmodule
