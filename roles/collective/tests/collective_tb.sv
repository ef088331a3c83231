// SPDX-License-Identifier: Apache-2.0
// collective_tb: the role's modules, each alone, in one binary; a test drives the signals of one scope.
module collective_tb
  import polyloom_collective_pkg::*;
  import polyloom_stream_pkg::beat_t;
  import polyloom_axi_pkg::ax_t, polyloom_axi_pkg::w_t, polyloom_axi_pkg::b_t, polyloom_axi_pkg::r_t;
(
    input logic clk_i,
    input logic rst_ni
);
  collective_parts i_parts (
      .clk_i,
      .rst_ni
  );

  // Odd sizes on purpose; Path: which paths of the switch are there, Check: block checks.
  function automatic cfg_t config_of(int unsigned path, int unsigned check);
    cfg_t c;
    c = SMALL;
    c.channels = 2;
    c.lanes = 3;
    c.op_inputs = 2;
    c.op_outputs = 1;
    c.op_kinds = 12;  // partition and pass
    c.partitions = 2;
    c.rx_beats = 5;
    c.tx_beats = 3;
    c.read_beats = 64;
    c.write_beats = 5;
    c.channel_bits = 16;
    c.block_check = check;
    c.copy_paths = path;
    c.relay_paths = path;
    return c;
  endfunction
  localparam cfg_t Cfg = config_of(1, 0);
  localparam int unsigned C = Cfg.channels;
  localparam int unsigned L = Cfg.lanes;
  localparam int unsigned Sources = C + L + 2 * Cfg.op_outputs;
  localparam int unsigned Sinks = C + L + 2 * Cfg.op_inputs;

  for (genvar b = 0; b < 2; b++) begin : gen_pattern  // single beats, bursts
    typedef struct packed {
      logic [ADDR_W-1:0] addr;
      logic [5:0] beats;
      logic block_end, run_end, last;
    } item_t;
    logic load = 1'b0, clear = 1'b0, item_valid, item_ready = 1'b0;
    pattern_t pattern = '0;
    item_t item;
    polyloom_collective_pattern #(
        .Bursts(b == 1)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .load_i     (load),
        .clear_i    (clear),
        .pattern_i  (pattern),
        .valid_o    (item_valid),
        .next_i     (item_valid && item_ready),
        .addr_o     (item.addr),
        .beats_o    (item.beats),
        .block_end_o(item.block_end),
        .run_end_o  (item.run_end),
        .last_o     (item.last)
    );
  end

  for (genvar p = 0; p < 2; p++) begin : gen_switch  // without copy and relay paths, with them
    logic flush = 1'b0, go = 1'b0;
    logic [Sinks-1:0][Sources-1:0] select = '0, selected;
    logic [Sinks-1:0] enable = '0, sink_valid, sink_ready = '0;
    logic [Sources-1:0] src_valid = '0, src_ready;
    beat_t [Sources-1:0] src = '0;
    beat_t [  Sinks-1:0] sink;
    polyloom_collective_switch #(
        .Cfg(config_of(p, 0))
    ) i_dut (
        .clk_i,
        .rst_ni,
        .flush_i     (flush),
        .go_i        (go),
        .select_i    (select),
        .select_o    (selected),
        .enable_i    (enable),
        .src_valid_i (src_valid),
        .src_ready_o (src_ready),
        .src_i       (src),
        .sink_valid_o(sink_valid),
        .sink_ready_i(sink_ready),
        .sink_o      (sink)
    );
  end

  if (1) begin : gen_sync
    logic stop = 1'b0, flush = 1'b0, go = 1'b0, together = 1'b0;
    lane_step_t [L-1:0] send = '0, take = '0;
    logic [L-1:0] relay = '0, tx_begin, tx_enable, tx_waits, drained = '0, pulse_in = '0, pulse_out;
    logic [L-1:0][Sources-1:0] tx_select = '0;
    logic [C-1:0] read_pending = '0, read_begin;
    polyloom_collective_sync #(
        .Cfg(Cfg)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .stop_i        (stop),
        .flush_i       (flush),
        .go_i          (go),
        .together_i    (together),
        .send_i        (send),
        .take_i        (take),
        .relay_i       (relay),
        .tx_select_i   (tx_select),
        .read_pending_i(read_pending),
        .read_begin_o  (read_begin),
        .tx_begin_o    (tx_begin),
        .tx_enable_o   (tx_enable),
        .tx_waits_o    (tx_waits),
        .drained_i     (drained),
        .pulse_i       (pulse_in),
        .pulse_o       (pulse_out)
    );
  end

  if (1) begin : gen_read
    logic stop = 1'b0, flush = 1'b0, go = 1'b0, begins = 1'b0, pending, active, idle;
    dma_step_t step = '0;
    fault_t fault;
    logic m_ar_valid, m_ar_ready = 1'b0, m_r_valid = 1'b0, m_r_ready, out_valid, out_ready = 1'b0;
    ax_t m_ar;
    r_t m_r = '0;
    beat_t out;
    assign m_ar.id = '0;
    polyloom_collective_read #(
        .Cfg(Cfg)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .stop_i        (stop),
        .flush_i       (flush),
        .go_i          (go),
        .step_i        (step),
        .begin_i       (begins),
        .pending_o     (pending),
        .active_o      (active),
        .idle_o        (idle),
        .fault_o       (fault),
        .mem_ar_valid_o(m_ar_valid),
        .mem_ar_ready_i(m_ar_ready),
        .mem_ar_addr_o (m_ar.addr),
        .mem_ar_len_o  (m_ar.len),
        .mem_r_valid_i (m_r_valid),
        .mem_r_ready_o (m_r_ready),
        .mem_r_data_i  (m_r.data),
        .valid_o       (out_valid),
        .ready_i       (out_ready),
        .beat_o        (out)
    );
  end

  if (1) begin : gen_write
    logic stop = 1'b0, flush = 1'b0, go = 1'b0, active, idle;
    dma_step_t step = '0;
    fault_t fault;
    logic m_aw_valid, m_aw_ready = 1'b0, m_w_valid, m_w_ready = 1'b0, m_b_valid = 1'b0, m_b_ready;
    logic m_ar_valid = 1'b0, m_ar_ready = 1'b0, m_r_valid = 1'b0, m_r_ready = 1'b0;
    logic in_valid = 1'b0, in_ready;
    ax_t m_aw, m_ar = '0;
    w_t m_w;
    b_t m_b = '0;
    r_t m_r = '0;
    beat_t in = '0;
    assign m_aw.id = '0;
    polyloom_collective_write #(
        .Cfg(Cfg)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .stop_i        (stop),
        .flush_i       (flush),
        .go_i          (go),
        .step_i        (step),
        .active_o      (active),
        .idle_o        (idle),
        .fault_o       (fault),
        .valid_i       (in_valid),
        .ready_o       (in_ready),
        .beat_i        (in),
        .mem_aw_valid_o(m_aw_valid),
        .mem_aw_ready_i(m_aw_ready),
        .mem_aw_addr_o (m_aw.addr),
        .mem_aw_len_o  (m_aw.len),
        .mem_w_valid_o (m_w_valid),
        .mem_w_ready_i (m_w_ready),
        .mem_w_data_o  (m_w.data),
        .mem_w_strb_o  (m_w.strb),
        .mem_w_last_o  (m_w.last),
        .mem_b_valid_i (m_b_valid),
        .mem_b_ready_o (m_b_ready)
    );
  end

  for (genvar k = 0; k < 2; k++) begin : gen_tx  // without block checks, with them
    logic stop = 1'b0, flush = 1'b0, hello = 1'b0, go = 1'b0, begins = 1'b0, active, idle;
    logic [7:0] code = '0;
    lane_step_t step = '0;
    logic in_valid = 1'b0, in_ready, lane_valid, lane_ready = 1'b0;
    beat_t in = '0, lane;
    polyloom_collective_tx #(
        .Cfg(config_of(1, k))
    ) i_dut (
        .clk_i,
        .rst_ni,
        .stop_i         (stop),
        .flush_i        (flush),
        .hello_i        (hello),
        .node_i         (16'habcd),
        .lane_i         (8'h2a),
        .stop_code_i    (code),
        .go_i           (go),
        .step_i         (step),
        .begin_i        (begins),
        .active_o       (active),
        .idle_o         (idle),
        .valid_i        (in_valid),
        .ready_o        (in_ready),
        .beat_i         (in),
        .lane_tx_valid_o(lane_valid),
        .lane_tx_ready_i(lane_ready),
        .lane_tx_data_o (lane.data),
        .lane_tx_keep_o (lane.keep),
        .lane_tx_last_o (lane.last)
    );
  end

  for (genvar k = 0; k < 2; k++) begin : gen_rx
    logic stop = 1'b0, flush = 1'b0, go = 1'b0, active, drained, hello;
    lane_step_t step = '0;
    logic lane_valid = 1'b0, lane_ready = 1'b1, out_valid, out_ready = 1'b0;
    beat_t lane = '0, out;
    logic [15:0] hello_node;
    logic [7:0] hello_port;
    fault_t fault;
    polyloom_collective_rx #(
        .Cfg(config_of(1, k))
    ) i_dut (
        .clk_i,
        .rst_ni,
        .stop_i         (stop),
        .flush_i        (flush),
        .lane_rx_valid_i(lane_valid),
        .lane_rx_data_i (lane.data),
        .lane_rx_keep_i (lane.keep),
        .lane_rx_last_i (lane.last),
        .go_i           (go),
        .step_i         (step),
        .active_o       (active),
        .drained_o      (drained),
        .valid_o        (out_valid),
        .ready_i        (out_ready),
        .beat_o         (out),
        .hello_o        (hello),
        .hello_node_o   (hello_node),
        .hello_port_o   (hello_port),
        .fault_o        (fault)
    );
  end

  if (1) begin : gen_watch
    logic flush = 1'b0, running = 1'b0, progress = 1'b0, stop;
    logic [31:0] watchdog = '0;
    logic [L-1:0] lacks_pulse = '0, lacks_data = '0;
    fault_t program_fault = '0;
    fault_t [C-1:0] read_fault = '0, write_fault = '0;
    fault_t [L-1:0] lane_fault = '0;
    logic [7:0] code, lane;
    logic [63:0] value;
    polyloom_collective_watch #(
        .Cfg(Cfg)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .flush_i      (flush),
        .running_i    (running),
        .progress_i   (progress),
        .watchdog_i   (watchdog),
        .lacks_pulse_i(lacks_pulse),
        .lacks_data_i (lacks_data),
        .program_i    (program_fault),
        .read_i       (read_fault),
        .write_i      (write_fault),
        .lane_i       (lane_fault),
        .stop_o       (stop),
        .code_o       (code),
        .lane_o       (lane),
        .value_o      (value)
    );
  end

  if (1) begin : gen_owner
    logic busy = 1'b0, shell_valid = 1'b0, request = 1'b0, answer = 1'b0, write = 1'b0, ack = 1'b0, engine;
    polyloom_collective_owner i_dut (
        .clk_i,
        .rst_ni,
        .engine_busy_i(busy),
        .shell_valid_i(shell_valid),
        .request_i    (request),
        .answer_i     (answer),
        .write_i      (write),
        .ack_i        (ack),
        .engine_o     (engine)
    );
  end

  if (1) begin : gen_sequencer  // with its program memory
    logic host_valid = 1'b0, host_ready, host_write = 1'b0, word_valid;
    logic [5:0] host_addr = '0;
    logic [63:0] host_data = '0, word;
    logic stop = 1'b0, flush = 1'b0, start = 1'b0, running, shown, next, active = 1'b0;
    logic [3:0] start_index = '0, index;
    instruction_t instruction;
    logic mark, ended, go, together;
    logic [7:0] mark_index;
    logic [15:0] refused;
    fault_t fault;
    dma_step_t [C-1:0] read, write;
    lane_step_t [L-1:0] send, take;
    logic [L-1:0] relay;
    logic [3:0] feed;
    config_step_t [1:0] config_step;
    logic [Sinks-1:0][Sources-1:0] select;
    polyloom_collective_program #(
        .Cfg(Cfg)
    ) i_program (
        .clk_i,
        .rst_ni,
        .host_valid_i (host_valid),
        .host_ready_o (host_ready),
        .host_write_i (host_write),
        .host_addr_i  (host_addr),
        .host_data_i  (host_data),
        .host_valid_o (word_valid),
        .host_data_o  (word),
        .running_i    (running),
        .start_i      (start),
        .start_index_i(start_index),
        .next_i       (next),
        .valid_o      (shown),
        .instruction_o(instruction),
        .index_o      (index)
    );
    polyloom_collective_sequencer #(
        .Cfg(Cfg)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .stop_i       (stop),
        .flush_i      (flush),
        .start_i      (start),
        .start_index_i(16'(start_index)),
        .running_o    (running),
        .valid_i      (shown),
        .instruction_i(instruction),
        .index_i      (16'(index)),
        .next_o       (next),
        .mark_o       (mark),
        .mark_index_o (mark_index),
        .end_o        (ended),
        .step_o       (refused),
        .fault_o      (fault),
        .go_o         (go),
        .together_o   (together),
        .read_o       (read),
        .write_o      (write),
        .send_o       (send),
        .take_o       (take),
        .relay_o      (relay),
        .feed_o       (feed),
        .config_o     (config_step),
        .select_o     (select),
        .active_i     (active)
    );
  end

  if (1) begin : gen_regs
    logic [63:0] cycle = '0, req_data = '0, rsp_data;
    logic [31:0] req_index = '0, watchdog;
    logic req_valid = 1'b0, req_write = 1'b0, rsp_valid, rsp_error;
    logic event_valid, event_ready = 1'b0, start, running = 1'b0, mark = 1'b0, ended = 1'b0, stop = 1'b0;
    logic [7:0] event_code, mark_index = '0, code = '0, lane = '0;
    logic [23:0] event_detail;
    logic [63:0] event_begin, event_finish, event_value, value = '0;
    logic [3:0] start_index;
    logic [15:0] index = '0, step = '0, node;
    logic quiet = 1'b0, flush, hello, idle;
    logic [L-1:0] hello_in = '0;
    logic [L-1:0][15:0] hello_node = '0;
    logic [L-1:0][7:0] hello_port = '0;
    logic [1:0][1:0][63:0] status = '0;
    polyloom_collective_regs #(
        .Cfg        (Cfg),
        .StatusWords(2)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .cycle_i       (cycle),
        .reg_valid_i   (req_valid),
        .reg_write_i   (req_write),
        .reg_index_i   (req_index),
        .reg_data_i    (req_data),
        .reg_valid_o   (rsp_valid),
        .reg_error_o   (rsp_error),
        .reg_data_o    (rsp_data),
        .event_valid_o (event_valid),
        .event_ready_i (event_ready),
        .event_code_o  (event_code),
        .event_detail_o(event_detail),
        .event_begin_o (event_begin),
        .event_finish_o(event_finish),
        .event_value_o (event_value),
        .start_o       (start),
        .start_index_o (start_index),
        .running_i     (running),
        .mark_i        (mark),
        .mark_index_i  (mark_index),
        .end_i         (ended),
        .index_i       (index),
        .step_i        (step),
        .stop_i        (stop),
        .code_i        (code),
        .lane_i        (lane),
        .value_i       (value),
        .watchdog_o    (watchdog),
        .quiet_i       (quiet),
        .flush_o       (flush),
        .hello_o       (hello),
        .node_o        (node),
        .hello_i       (hello_in),
        .hello_node_i  (hello_node),
        .hello_port_i  (hello_port),
        .status_i      (status),
        .idle_o        (idle)
    );
  end

  if (1) begin : gen_node
    logic [63:0] cycle_q = '0;
    logic host_rx_valid = 1'b0, host_rx_ready, host_tx_valid, host_tx_ready = 1'b0, idle;
    logic [64:0] host_rx = '0, host_tx;  // last, word
    logic m_ar_valid, m_ar_ready = 1'b0, m_r_valid = 1'b0, m_r_ready;
    logic m_aw_valid, m_aw_ready = 1'b0, m_w_valid, m_w_ready = 1'b0, m_b_valid = 1'b0, m_b_ready;
    logic unused_tx_valid, unused_tx_last, unused_tx_pulse;
    logic [255:0] unused_tx_data;
    logic [ 31:0] unused_tx_keep;
    ax_t m_ar, m_aw;
    r_t m_r = '0;
    w_t m_w;
    b_t m_b = '0;
    assign m_ar.id = '0;
    assign m_aw.id = '0;
    always_ff @(posedge clk_i) cycle_q <= cycle_q + 64'd1;
    polyloom_collective_node #(
        .Lanes      (1),
        .Channels   (1),
        .RxBeats    (4),
        .ReadBeats  (64),
        .WriteBeats (4),
        .ProgramSize(16),
        .ChannelBits(16)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .cycle_i        (cycle_q),
        .idle_o         (idle),
        .lane_rx_valid_i(1'b0),
        .lane_rx_data_i ('0),
        .lane_rx_keep_i ('0),
        .lane_rx_last_i (1'b0),
        .lane_rx_pulse_i(1'b0),
        .lane_tx_valid_o(unused_tx_valid),
        .lane_tx_ready_i(1'b1),
        .lane_tx_data_o (unused_tx_data),
        .lane_tx_keep_o (unused_tx_keep),
        .lane_tx_last_o (unused_tx_last),
        .lane_tx_pulse_o(unused_tx_pulse),
        .host_rx_valid_i(host_rx_valid),
        .host_rx_ready_o(host_rx_ready),
        .host_rx_data_i (host_rx[63:0]),
        .host_rx_last_i (host_rx[64]),
        .host_tx_valid_o(host_tx_valid),
        .host_tx_ready_i(host_tx_ready),
        .host_tx_data_o (host_tx[63:0]),
        .host_tx_last_o (host_tx[64]),
        .mem_ar_valid_o (m_ar_valid),
        .mem_ar_ready_i (m_ar_ready),
        .mem_ar_addr_o  (m_ar.addr),
        .mem_ar_len_o   (m_ar.len),
        .mem_r_valid_i  (m_r_valid),
        .mem_r_ready_o  (m_r_ready),
        .mem_r_data_i   (m_r.data),
        .mem_r_last_i   (m_r.last),
        .mem_aw_valid_o (m_aw_valid),
        .mem_aw_ready_i (m_aw_ready),
        .mem_aw_addr_o  (m_aw.addr),
        .mem_aw_len_o   (m_aw.len),
        .mem_w_valid_o  (m_w_valid),
        .mem_w_ready_i  (m_w_ready),
        .mem_w_data_o   (m_w.data),
        .mem_w_strb_o   (m_w.strb),
        .mem_w_last_o   (m_w.last),
        .mem_b_valid_i  (m_b_valid),
        .mem_b_ready_o  (m_b_ready)
    );
  end

endmodule
