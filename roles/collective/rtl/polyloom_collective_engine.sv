// SPDX-License-Identifier: Apache-2.0
// polyloom_collective_engine: a collective node without its shell: channels and lanes joined by one switch, run by
//               a step sequencer.
// How:             mem -> read[C] --.                    .--> write[C] -> mem
//                lanes -> rx[L]  ---+--> switch, FIFOs --+--> tx[L] -> lanes
//                      slot out[M] -'                    '--> slot in[N]
//               program -> sequencer --go--> all of them at once;  sync says when a source and its tx lanes begin;
//               watch stops all on the first fault.
// Latency:      the edges of README.md, "Order of events"; each module's header names its own.
// Throughput:   one beat a cycle on every path at once.
// Backpressure: lanes are never pushed back (permission pulses instead); memories and lanes may push back.
// Order/loss:   every stream in order; a loss is a fault.
// Reset:        control. The first register write may come in the first cycle.
// Limits:       cfg_t: the ranges below, checked at elaboration.
// Cost:         7 lanes, 8 channels, no operator, no block checks: 73,855 LUT, 71.5 BRAM36 with everything inside
//               (UltraScale+; `polyloom synth collective_node`, Yosys 0.70, 2026-11). Block checks: two polyloom_crc32
//               a lane. By module, on Intel ALMs too and beside the paper: docs/results/collective-area.md.
// Source: own design, after OPTWEB sections 2.C and Fig. 2.   Tests: test_polyloom_collective_engine.py.
module polyloom_collective_engine
  import polyloom_collective_pkg::*;
  import polyloom_collective_encoding_pkg::*;
  import polyloom_stream_pkg::beat_t;
#(
    parameter cfg_t Cfg = SMALL,
    localparam int unsigned C = Cfg.channels,
    localparam int unsigned L = Cfg.lanes,
    localparam int unsigned IndexW = $clog2(Cfg.program_size)
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    input  logic [      63:0]        cycle_i,
    output logic                     idle_o,           // nothing happens before something comes in
    output logic                     mem_busy_o,       // the memories are the engine's
    // shell: registers (held until the response), program words, events
    input  logic                     reg_valid_i,
    input  logic                     reg_write_i,
    input  logic [      31:0]        reg_index_i,
    input  logic [      63:0]        reg_data_i,
    output logic                     reg_valid_o,
    output logic                     reg_error_o,
    output logic [      63:0]        reg_data_o,
    input  logic                     prog_valid_i,
    output logic                     prog_ready_o,
    input  logic                     prog_write_i,
    input  logic [IndexW+1:0]        prog_addr_i,
    input  logic [      63:0]        prog_data_i,
    output logic                     prog_valid_o,
    output logic [      63:0]        prog_data_o,
    output logic                     event_valid_o,
    input  logic                     event_ready_i,
    output logic [       7:0]        event_code_o,
    output logic [      23:0]        event_detail_o,
    output logic [      63:0]        event_begin_o,
    output logic [      63:0]        event_finish_o,
    output logic [      63:0]        event_value_o,
    // lanes
    input  logic [     L-1:0]        lane_rx_valid_i,
    input  logic [     L-1:0][255:0] lane_rx_data_i,
    input  logic [     L-1:0][ 31:0] lane_rx_keep_i,
    input  logic [     L-1:0]        lane_rx_last_i,
    input  logic [     L-1:0]        lane_rx_pulse_i,
    output logic [     L-1:0]        lane_tx_valid_o,
    input  logic [     L-1:0]        lane_tx_ready_i,
    output logic [     L-1:0][255:0] lane_tx_data_o,
    output logic [     L-1:0][ 31:0] lane_tx_keep_o,
    output logic [     L-1:0]        lane_tx_last_o,
    output logic [     L-1:0]        lane_tx_pulse_o,
    // memories
    output logic [     C-1:0]        mem_ar_valid_o,
    input  logic [     C-1:0]        mem_ar_ready_i,
    output logic [     C-1:0][ 39:0] mem_ar_addr_o,
    output logic [     C-1:0][  7:0] mem_ar_len_o,
    input  logic [     C-1:0]        mem_r_valid_i,
    output logic [     C-1:0]        mem_r_ready_o,
    input  logic [     C-1:0][255:0] mem_r_data_i,
    output logic [     C-1:0]        mem_aw_valid_o,
    input  logic [     C-1:0]        mem_aw_ready_i,
    output logic [     C-1:0][ 39:0] mem_aw_addr_o,
    output logic [     C-1:0][  7:0] mem_aw_len_o,
    output logic [     C-1:0]        mem_w_valid_o,
    input  logic [     C-1:0]        mem_w_ready_i,
    output logic [     C-1:0][255:0] mem_w_data_o,
    output logic [     C-1:0][ 31:0] mem_w_strb_o,
    output logic [     C-1:0]        mem_w_last_o,
    input  logic [     C-1:0]        mem_b_valid_i,
    output logic [     C-1:0]        mem_b_ready_o
);
  localparam int unsigned N = Cfg.op_inputs * Cfg.partitions;
  localparam int unsigned M = Cfg.op_outputs * Cfg.partitions;
  localparam int unsigned Sources = C + L + M;
  localparam int unsigned Sinks = C + L + N;
  localparam int unsigned Inputs = N > 0 ? N : 1;
  localparam int unsigned Outputs = M > 0 ? M : 1;
  // A partition's: errors, beats, 64 buckets, outputs; other operators have fewer.
  localparam int unsigned StatusWords = N > 0 ? 66 + Cfg.op_outputs : 1;

  if (C < 1 || C > 16) begin : gen_bad_channels
    $error("%m: channels must be 1..16");
  end
  if (L < 1 || L > 15) begin : gen_bad_lanes
    $error("%m: lanes must be 1..15");
  end
  if (Cfg.op_inputs > 16 || Cfg.op_outputs > 16 || (N == 0) != (M == 0)) begin : gen_bad_ports
    $error("%m: operator inputs and outputs: both 0, or both 1..16");
  end
  if (Cfg.partitions < 1 || Cfg.partitions > 2) begin : gen_bad_partitions
    $error("%m: partitions must be 1 or 2");
  end
  if (Cfg.op_kinds > 255) begin : gen_bad_kinds
    $error("%m: op_kinds must be a mask of 8 bits");
  end
  if (Cfg.rx_beats < 4 || Cfg.rx_beats > 4096) begin : gen_bad_rx
    $error("%m: rx_beats must be 4..4096");
  end
  if (Cfg.tx_beats < 2 || Cfg.tx_beats > 64) begin : gen_bad_tx
    $error("%m: tx_beats must be 2..64");
  end
  if (Cfg.read_beats < 64 || Cfg.read_beats > 1024) begin : gen_bad_read
    $error("%m: read_beats must be 64..1024");
  end
  if (Cfg.write_beats < 2 || Cfg.write_beats > 256) begin : gen_bad_write
    $error("%m: write_beats must be 2..256");
  end
  if (Cfg.program_size < 16 || Cfg.program_size > 65536 || (Cfg.program_size & (Cfg.program_size - 1)) != 0) begin : gen_bad_size
    $error("%m: program_size must be a power of two, 16..65536");
  end
  if (Cfg.channel_bits < 12 || Cfg.channel_bits > ADDR_W) begin : gen_bad_channel_bits
    $error("%m: channel_bits must be 12..40");
  end

  logic stop, flush, hello, go, together, start, running, mark, done, next, shown, active, quiet, regs_idle, progress_q;
  logic [7:0] mark_index, code, fault_lane;
  logic [15:0] node, step_index;
  logic [ 2:0] settle_q;
  logic [31:0] watchdog;
  logic [63:0] value;
  logic [IndexW-1:0] start_index, index;
  instruction_t instruction;
  dma_step_t [C-1:0] read_step, write_step;
  lane_step_t [L-1:0] send_step, accept_step;
  config_step_t [Outputs-1:0] config_step;
  logic [Inputs-1:0] feed_step;
  logic [L-1:0] relay_step;
  logic [Sinks-1:0][Sources-1:0] select_step, select;
  fault_t program_fault, sequencer_fault, slot_fault;
  fault_t [C-1:0] read_fault, write_fault;
  fault_t [L-1:0] lane_fault;

  logic [Sources-1:0] src_valid, src_ready;
  beat_t [Sources-1:0] src;
  logic [Sinks-1:0] sink_valid, sink_ready, sink_enable;
  beat_t [Sinks-1:0] sink;

  logic [C-1:0] read_pending, read_begin, read_active, read_idle, write_active, write_idle;
  logic [L-1:0] tx_begin, tx_enable, tx_waits, tx_active, tx_idle, rx_active, drained;
  logic [L-1:0] hello_in;
  logic [L-1:0][15:0] hello_node;
  logic [L-1:0][7:0] hello_port;
  logic slot_active;
  logic [Cfg.partitions-1:0][StatusWords-1:0][63:0] status;

  polyloom_collective_regs #(
      .Cfg(Cfg),
      .StatusWords(StatusWords)
  ) i_regs (
      .clk_i,
      .rst_ni,
      .cycle_i,
      .reg_valid_i,
      .reg_write_i,
      .reg_index_i,
      .reg_data_i,
      .reg_valid_o,
      .reg_error_o,
      .reg_data_o,
      .event_valid_o,
      .event_ready_i,
      .event_code_o,
      .event_detail_o,
      .event_begin_o,
      .event_finish_o,
      .event_value_o,
      .start_o(start),
      .start_index_o(start_index),
      .running_i(running),
      .mark_i(mark),
      .mark_index_i(mark_index),
      .end_i(done),
      .index_i(16'(index)),
      .step_i(step_index),
      .stop_i(stop),
      .code_i(code),
      .lane_i(fault_lane),
      .value_i(value),
      .watchdog_o(watchdog),
      .quiet_i(quiet),
      .flush_o(flush),
      .hello_o(hello),
      .node_o(node),
      .hello_i(hello_in),
      .hello_node_i(hello_node),
      .hello_port_i(hello_port),
      .status_i(status),
      .idle_o(regs_idle)
  );

  polyloom_collective_program #(
      .Cfg(Cfg)
  ) i_program (
      .clk_i,
      .rst_ni,
      .host_valid_i(prog_valid_i),
      .host_ready_o(prog_ready_o),
      .host_write_i(prog_write_i),
      .host_addr_i(prog_addr_i),
      .host_data_i(prog_data_i),
      .host_valid_o(prog_valid_o),
      .host_data_o(prog_data_o),
      .running_i(running),
      .start_i(start),
      .start_index_i(start_index),
      .next_i(next),
      .valid_o(shown),
      .instruction_o(instruction),
      .index_o(index)
  );

  polyloom_collective_sequencer #(
      .Cfg(Cfg)
  ) i_sequencer (
      .clk_i,
      .rst_ni,
      .stop_i(stop),
      .flush_i(flush),
      .start_i(start),
      .start_index_i(16'(start_index)),
      .running_o(running),
      .valid_i(shown),
      .instruction_i(instruction),
      .index_i(16'(index)),
      .next_o(next),
      .mark_o(mark),
      .mark_index_o(mark_index),
      .end_o(done),
      .step_o(step_index),
      .fault_o(sequencer_fault),
      .go_o(go),
      .together_o(together),
      .read_o(read_step),
      .write_o(write_step),
      .send_o(send_step),
      .accept_o(accept_step),
      .relay_o(relay_step),
      .feed_o(feed_step),
      .config_o(config_step),
      .select_o(select_step),
      .active_i(active)
  );
  assign active = |write_active || |tx_active || |rx_active || slot_active;
  assign program_fault = sequencer_fault.code != FAULT_NONE ? sequencer_fault : slot_fault;

  polyloom_collective_sync #(
      .Cfg(Cfg)
  ) i_sync (
      .clk_i,
      .rst_ni,
      .stop_i(stop),
      .flush_i(flush),
      .go_i(go),
      .together_i(together),
      .send_i(send_step),
      .accept_i(accept_step),
      .relay_i(relay_step),
      .tx_select_i(select[C+L-1:C]),
      .read_pending_i(read_pending),
      .read_begin_o(read_begin),
      .tx_begin_o(tx_begin),
      .tx_enable_o(tx_enable),
      .tx_waits_o(tx_waits),
      .drained_i(drained),
      .pulse_i(lane_rx_pulse_i),
      .pulse_o(lane_tx_pulse_o)
  );

  polyloom_collective_watch #(
      .Cfg(Cfg)
  ) i_watch (
      .clk_i,
      .rst_ni,
      .flush_i(flush),
      .running_i(running),
      .progress_i(progress_q),
      .watchdog_i(watchdog),
      .lacks_pulse_i(tx_waits),
      .lacks_data_i(rx_active & ~src_valid[C+L-1:C]),
      .program_i(program_fault),
      .read_i(read_fault),
      .write_i(write_fault),
      .lane_i(lane_fault),
      .stop_o(stop),
      .code_o(code),
      .lane_o(fault_lane),
      .value_o(value)
  );

  always_comb begin
    sink_enable = '1;
    for (int unsigned l = 0; l < L; l++) sink_enable[C+l] = tx_enable[l];
  end
  polyloom_collective_switch #(
      .Cfg(Cfg)
  ) i_switch (
      .clk_i,
      .rst_ni,
      .flush_i(flush),
      .go_i(go),
      .select_i(select_step),
      .select_o(select),
      .enable_i(sink_enable),
      .src_valid_i(src_valid),
      .src_ready_o(src_ready),
      .src_i(src),
      .sink_valid_o(sink_valid),
      .sink_ready_i(sink_ready),
      .sink_o(sink)
  );

  for (genvar c = 0; c < int'(C); c++) begin : gen_channel
    polyloom_collective_read #(
        .Cfg(Cfg)
    ) i_read (
        .clk_i,
        .rst_ni,
        .stop_i(stop),
        .flush_i(flush),
        .go_i(go),
        .step_i(read_step[c]),
        .begin_i(read_begin[c]),
        .pending_o(read_pending[c]),
        .active_o(read_active[c]),
        .idle_o(read_idle[c]),
        .fault_o(read_fault[c]),
        .mem_ar_valid_o(mem_ar_valid_o[c]),
        .mem_ar_ready_i(mem_ar_ready_i[c]),
        .mem_ar_addr_o(mem_ar_addr_o[c]),
        .mem_ar_len_o(mem_ar_len_o[c]),
        .mem_r_valid_i(mem_r_valid_i[c]),
        .mem_r_ready_o(mem_r_ready_o[c]),
        .mem_r_data_i(mem_r_data_i[c]),
        .valid_o(src_valid[c]),
        .ready_i(src_ready[c]),
        .beat_o(src[c])
    );
    polyloom_collective_write #(
        .Cfg(Cfg)
    ) i_write (
        .clk_i,
        .rst_ni,
        .stop_i(stop),
        .flush_i(flush),
        .go_i(go),
        .step_i(write_step[c]),
        .active_o(write_active[c]),
        .idle_o(write_idle[c]),
        .fault_o(write_fault[c]),
        .valid_i(sink_valid[c]),
        .ready_o(sink_ready[c]),
        .beat_i(sink[c]),
        .mem_aw_valid_o(mem_aw_valid_o[c]),
        .mem_aw_ready_i(mem_aw_ready_i[c]),
        .mem_aw_addr_o(mem_aw_addr_o[c]),
        .mem_aw_len_o(mem_aw_len_o[c]),
        .mem_w_valid_o(mem_w_valid_o[c]),
        .mem_w_ready_i(mem_w_ready_i[c]),
        .mem_w_data_o(mem_w_data_o[c]),
        .mem_w_strb_o(mem_w_strb_o[c]),
        .mem_w_last_o(mem_w_last_o[c]),
        .mem_b_valid_i(mem_b_valid_i[c]),
        .mem_b_ready_o(mem_b_ready_o[c])
    );
  end

  for (genvar l = 0; l < int'(L); l++) begin : gen_lane
    polyloom_collective_tx #(
        .Cfg(Cfg)
    ) i_tx (
        .clk_i,
        .rst_ni,
        .stop_i(stop),
        .flush_i(flush),
        .hello_i(hello),
        .node_i(node),
        .lane_i(8'(l)),
        .stop_code_i(code),
        .go_i(go),
        .step_i(send_step[l]),
        .begin_i(tx_begin[l]),
        .active_o(tx_active[l]),
        .idle_o(tx_idle[l]),
        .valid_i(sink_valid[C+l]),
        .ready_o(sink_ready[C+l]),
        .beat_i(sink[C+l]),
        .lane_tx_valid_o(lane_tx_valid_o[l]),
        .lane_tx_ready_i(lane_tx_ready_i[l]),
        .lane_tx_data_o(lane_tx_data_o[l]),
        .lane_tx_keep_o(lane_tx_keep_o[l]),
        .lane_tx_last_o(lane_tx_last_o[l])
    );
    polyloom_collective_rx #(
        .Cfg(Cfg)
    ) i_rx (
        .clk_i,
        .rst_ni,
        .stop_i(stop),
        .flush_i(flush),
        .lane_rx_valid_i(lane_rx_valid_i[l]),
        .lane_rx_data_i(lane_rx_data_i[l]),
        .lane_rx_keep_i(lane_rx_keep_i[l]),
        .lane_rx_last_i(lane_rx_last_i[l]),
        .go_i(go),
        .step_i(accept_step[l]),
        .active_o(rx_active[l]),
        .drained_o(drained[l]),
        .valid_o(src_valid[C+l]),
        .ready_i(src_ready[C+l]),
        .beat_o(src[C+l]),
        .hello_o(hello_in[l]),
        .hello_node_o(hello_node[l]),
        .hello_port_o(hello_port[l]),
        .fault_o(lane_fault[l])
    );
  end

  logic [Inputs-1:0] in_valid, in_ready;
  logic [Outputs-1:0] out_valid, out_ready;
  beat_t [ Inputs-1:0] in;
  beat_t [Outputs-1:0] out;
  polyloom_collective_slot #(
      .Cfg(Cfg),
      .StatusWords(StatusWords)
  ) i_slot (
      .clk_i,
      .rst_ni,
      .stop_i(stop),
      .flush_i(flush),
      .go_i(go),
      .feed_i(feed_step),
      .config_i(config_step),
      .active_o(slot_active),
      .fault_o(slot_fault),
      .status_o(status),
      .in_valid_i(in_valid),
      .in_ready_o(in_ready),
      .in_i(in),
      .out_valid_o(out_valid),
      .out_ready_i(out_ready),
      .out_o(out)
  );
  if (N > 0) begin : gen_slot_ports
    assign in_valid = sink_valid[Sinks-1:C+L];
    assign in = sink[Sinks-1:C+L];
    assign sink_ready[Sinks-1:C+L] = in_ready;
    assign src_valid[Sources-1:C+L] = out_valid;
    assign src[Sources-1:C+L] = out;
    assign out_ready = src_ready[Sources-1:C+L];
  end else begin : gen_no_slot_ports
    logic unused;
    assign in_valid = '0;
    assign in = '0;
    assign out_ready = '0;
    assign unused = ^{in_ready, out_valid, out};
  end

  logic unused_select;
  assign unused_select = ^{select[C-1:0], select[Sinks-1:C]};

  // What counts as moving, for the watchdog.
  always_ff @(posedge clk_i) begin
    progress_q <= next || |(src_valid & src_ready) || |(lane_tx_valid_o & lane_tx_ready_i) || |lane_rx_valid_i ||
                  |lane_rx_pulse_i || |lane_tx_pulse_o || |(mem_ar_valid_o & mem_ar_ready_i) || |mem_r_valid_i ||
                  |(mem_w_valid_o & mem_w_ready_i) || |mem_b_valid_i;
  end

  assign quiet = &read_idle && &write_idle && (!stop || !(|lane_tx_valid_o));
  assign mem_busy_o = running || !(&read_idle) || !(&write_idle) || |mem_ar_valid_o || |mem_aw_valid_o;
  // After the last word in, the receive buffers and checks come to rest within 7 cycles.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) settle_q <= '0;
    else if (|lane_rx_valid_i || |lane_rx_pulse_i || running) settle_q <= '1;
    else if (settle_q != '0) settle_q <= settle_q - 3'd1;
  end
  assign idle_o = !running && settle_q == '0 && quiet && &tx_idle && regs_idle && !(|lane_tx_pulse_o) && !(|tx_begin) && !(|read_active);
endmodule
