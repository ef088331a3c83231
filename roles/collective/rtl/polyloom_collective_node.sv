// SPDX-License-Identifier: Apache-2.0
// polyloom_collective_node: a whole node: the engine and the shell, which share memories and program memory.
// How:          host <-> polyloom_shell --registers, program, events--> engine <-> lanes
//                              '--------- memory channels, by owner ------'
// Latency:      the shell's and the engine's; the switch of a channel between them costs no request time.
// Throughput:   the engine's.
// Backpressure: lanes and host as their modules say; the shell's memory access waits while a program runs.
// Order/loss:   none lost.
// Reset:        control. Registers work from the first cycle after reset.
// Limits:       as polyloom_collective_engine; ChannelBits at most 32 (the shell's addresses).
// Cost:         7 lanes, 8 channels, no operator, no block checks: 81,652 LUT, 31,851 FF, 71.5 BRAM36, of it 4,354 LUT
//               the shell; see polyloom_collective_engine.
// Source: own design, after OPTWEB section 2.C.   Tests: test_polyloom_collective_node.py.
module polyloom_collective_node
  import polyloom_collective_pkg::*;
  import polyloom_collective_encoding_pkg::*;
#(
    parameter  int unsigned     Lanes         = 7,
    parameter  int unsigned     Channels      = 8,
    parameter  int unsigned     OpPorts       = 0,            // inputs, and outputs, of one operator
    parameter  int unsigned     OpKinds       = 0,            // bit k: OperatorKind k
    parameter  int unsigned     Partitions    = 1,            // side by side: the slot has as many times the ports
    parameter  int unsigned     RecordBeats   = 1024,         // of keys an input that a partition remembers
    parameter  int unsigned     RxBeats       = 128,
    parameter  int unsigned     TxBeats       = 4,
    parameter  int unsigned     ReadBeats     = 128,
    parameter  int unsigned     WriteBeats    = 32,
    parameter  int unsigned     ProgramSize   = 1024,
    parameter  int unsigned     ChannelBits   = 29,
    parameter  int unsigned     BlockCheck    = 1,
    parameter  int unsigned     CopyPaths     = 1,
    parameter  int unsigned     RelayPaths    = 1,
    parameter  int unsigned     CommandCycles = 0,            // from start to the first instruction, beyond one
    parameter  int unsigned     StepCycles    = 0,            // from a step's end to the next go, beyond two
    parameter  longint unsigned ClockHz       = 200_000_000,
    localparam int unsigned     C             = Channels,
    localparam int unsigned     L             = Lanes
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic [ 63:0]        cycle_i,          // number of the coming edge
    output logic                idle_o,
    // lanes
    input  logic [L-1:0]        lane_rx_valid_i,
    input  logic [L-1:0][255:0] lane_rx_data_i,
    input  logic [L-1:0][ 31:0] lane_rx_keep_i,
    input  logic [L-1:0]        lane_rx_last_i,
    input  logic [L-1:0]        lane_rx_pulse_i,
    output logic [L-1:0]        lane_tx_valid_o,
    input  logic [L-1:0]        lane_tx_ready_i,
    output logic [L-1:0][255:0] lane_tx_data_o,
    output logic [L-1:0][ 31:0] lane_tx_keep_o,
    output logic [L-1:0]        lane_tx_last_o,
    output logic [L-1:0]        lane_tx_pulse_o,
    // host
    input  logic                host_rx_valid_i,
    output logic                host_rx_ready_o,
    input  logic [ 63:0]        host_rx_data_i,
    input  logic                host_rx_last_i,
    output logic                host_tx_valid_o,
    input  logic                host_tx_ready_i,
    output logic [ 63:0]        host_tx_data_o,
    output logic                host_tx_last_o,
    // memories
    output logic [C-1:0]        mem_ar_valid_o,
    input  logic [C-1:0]        mem_ar_ready_i,
    output logic [C-1:0][ 39:0] mem_ar_addr_o,
    output logic [C-1:0][  7:0] mem_ar_len_o,
    input  logic [C-1:0]        mem_r_valid_i,
    output logic [C-1:0]        mem_r_ready_o,
    input  logic [C-1:0][255:0] mem_r_data_i,
    input  logic [C-1:0]        mem_r_last_i,
    output logic [C-1:0]        mem_aw_valid_o,
    input  logic [C-1:0]        mem_aw_ready_i,
    output logic [C-1:0][ 39:0] mem_aw_addr_o,
    output logic [C-1:0][  7:0] mem_aw_len_o,
    output logic [C-1:0]        mem_w_valid_o,
    input  logic [C-1:0]        mem_w_ready_i,
    output logic [C-1:0][255:0] mem_w_data_o,
    output logic [C-1:0][ 31:0] mem_w_strb_o,
    output logic [C-1:0]        mem_w_last_o,
    input  logic [C-1:0]        mem_b_valid_i,
    output logic [C-1:0]        mem_b_ready_o
);
  localparam cfg_t Cfg = '{
      channels: Channels,
      lanes: Lanes,
      op_inputs: OpPorts,
      op_outputs: OpPorts,
      op_kinds: OpKinds,
      partitions: Partitions,
      record_beats: RecordBeats,
      rx_beats: RxBeats,
      tx_beats: TxBeats,
      read_beats: ReadBeats,
      write_beats: WriteBeats,
      program_size: ProgramSize,
      channel_bits: ChannelBits,
      block_check: BlockCheck,
      copy_paths: CopyPaths,
      relay_paths: RelayPaths,
      command_cycles: CommandCycles,
      step_cycles: StepCycles
  };
  localparam int unsigned IndexW = $clog2(ProgramSize);
  if (ChannelBits > 32) begin : gen_bad_bits
    $error("%m: ChannelBits must be 12..32");
  end

  // Every memory port three times: outside, e_ of the engine, s_ of the shell.
  logic [C-1:0] e_ar_valid, s_ar_valid;
  logic [C-1:0][39:0] e_ar_addr, s_ar_addr;
  logic [C-1:0][7:0] e_ar_len, s_ar_len;
  logic [C-1:0] e_r_ready, s_r_ready;
  logic [C-1:0] e_aw_valid, s_aw_valid;
  logic [C-1:0][39:0] e_aw_addr, s_aw_addr;
  logic [C-1:0][7:0] e_aw_len, s_aw_len;
  logic [C-1:0] e_w_valid, s_w_valid;
  logic [C-1:0][255:0] e_w_data, s_w_data;
  logic [C-1:0][31:0] e_w_strb, s_w_strb;
  logic [C-1:0] e_w_last, s_w_last;
  logic [C-1:0] e_b_ready, s_b_ready;
  logic [C-1:0] e_ar_ready, s_ar_ready;
  logic [C-1:0] e_r_valid, s_r_valid;
  logic [C-1:0] e_aw_ready, s_aw_ready;
  logic [C-1:0] e_w_ready, s_w_ready;
  logic [C-1:0] e_b_valid, s_b_valid;
  logic [C-1:0] owner;
  logic mem_busy;
  for (genvar c = 0; c < int'(C); c++) begin : gen_channel
    polyloom_collective_owner i_owner (
        .clk_i,
        .rst_ni,
        .engine_busy_i(mem_busy),
        .shell_valid_i(s_ar_valid[c] || s_aw_valid[c] || s_w_valid[c]),
        .request_i    (s_ar_valid[c] && s_ar_ready[c]),
        .response_i   (s_r_valid[c] && s_r_ready[c] && mem_r_last_i[c]),
        .write_i      (s_aw_valid[c] && s_aw_ready[c]),
        .ack_i        (s_b_valid[c] && s_b_ready[c]),
        .engine_o     (owner[c])
    );
    assign mem_ar_valid_o[c] = owner[c] ? e_ar_valid[c] : s_ar_valid[c];
    assign mem_ar_addr_o[c] = owner[c] ? e_ar_addr[c] : s_ar_addr[c];
    assign mem_ar_len_o[c] = owner[c] ? e_ar_len[c] : s_ar_len[c];
    assign mem_r_ready_o[c] = owner[c] ? e_r_ready[c] : s_r_ready[c];
    assign mem_aw_valid_o[c] = owner[c] ? e_aw_valid[c] : s_aw_valid[c];
    assign mem_aw_addr_o[c] = owner[c] ? e_aw_addr[c] : s_aw_addr[c];
    assign mem_aw_len_o[c] = owner[c] ? e_aw_len[c] : s_aw_len[c];
    assign mem_w_valid_o[c] = owner[c] ? e_w_valid[c] : s_w_valid[c];
    assign mem_w_data_o[c] = owner[c] ? e_w_data[c] : s_w_data[c];
    assign mem_w_strb_o[c] = owner[c] ? e_w_strb[c] : s_w_strb[c];
    assign mem_w_last_o[c] = owner[c] ? e_w_last[c] : s_w_last[c];
    assign mem_b_ready_o[c] = owner[c] ? e_b_ready[c] : s_b_ready[c];
    assign e_ar_ready[c] = owner[c] && mem_ar_ready_i[c];
    assign s_ar_ready[c] = !owner[c] && mem_ar_ready_i[c];
    assign e_r_valid[c] = owner[c] && mem_r_valid_i[c];
    assign s_r_valid[c] = !owner[c] && mem_r_valid_i[c];
    assign e_aw_ready[c] = owner[c] && mem_aw_ready_i[c];
    assign s_aw_ready[c] = !owner[c] && mem_aw_ready_i[c];
    assign e_w_ready[c] = owner[c] && mem_w_ready_i[c];
    assign s_w_ready[c] = !owner[c] && mem_w_ready_i[c];
    assign e_b_valid[c] = owner[c] && mem_b_valid_i[c];
    assign s_b_valid[c] = !owner[c] && mem_b_valid_i[c];
  end

  logic engine_idle, shell_idle, reg_valid, response_valid, response_error, prog_valid, prog_ready, word_valid;
  logic event_valid, event_ready;
  logic [63:0] response, word;
  polyloom_shell_pkg::reg_req_t reg_req;
  polyloom_shell_pkg::reg_rsp_t reg_rsp;
  polyloom_shell_pkg::prog_req_t prog_req;
  polyloom_shell_pkg::event_t event_out;
  assign reg_rsp = '{error: response_error, rdata: response};

  logic unused_mem_error, unused_reset, unused_role_ready, unused_pass_valid, unused_pass;
  polyloom_shell_pkg::host_word_t pass;
  polyloom_shell_pkg::role_word_t unused_prog_role;
  polyloom_shell_pkg::range_t unused_range;
  assign unused_pass = ^{pass, prog_req.addr[31:IndexW+2]};
  polyloom_shell #(
      .Role        (8'd3),                             // RoleId::collective
      .Channels    (Channels),
      .ChannelBytes(64'd1 << ChannelBits),
      .ProgramWords(ProgramSize * INSTRUCTION_WORDS),
      .ClockHz     (ClockHz)
  ) i_shell (
      .clk_i,
      .rst_ni,
      .position_i        ('0),
      .cycle_i,
      .host_rx_valid_i,
      .host_rx_ready_o,
      .host_rx_data_i,
      .host_rx_last_i,
      .host_rx_first_i   (1'b0),
      .host_tx_valid_o,
      .host_tx_ready_i,
      .host_tx_data_o,
      .host_tx_last_o,
      .mem_ar_valid_o    (s_ar_valid),
      .mem_ar_addr_o     (s_ar_addr),
      .mem_ar_len_o      (s_ar_len),
      .mem_r_ready_o     (s_r_ready),
      .mem_aw_valid_o    (s_aw_valid),
      .mem_aw_addr_o     (s_aw_addr),
      .mem_aw_len_o      (s_aw_len),
      .mem_w_valid_o     (s_w_valid),
      .mem_w_data_o      (s_w_data),
      .mem_w_strb_o      (s_w_strb),
      .mem_w_last_o      (s_w_last),
      .mem_b_ready_o     (s_b_ready),
      .mem_ar_ready_i    (s_ar_ready),
      .mem_r_valid_i     (s_r_valid),
      .mem_aw_ready_i    (s_aw_ready),
      .mem_w_ready_i     (s_w_ready),
      .mem_b_valid_i     (s_b_valid),
      .mem_r_data_i,
      .mem_r_last_i,
      .mem_r_resp_i      ('0),
      .mem_b_resp_i      ('0),
      .mem_error_o       (unused_mem_error),
      .idle_o            (shell_idle),
      .prog_req_valid_o  (prog_valid),
      .prog_req_ready_i  (prog_ready),
      .prog_req_o        (prog_req),
      .prog_role_o       (unused_prog_role),
      .range_o           (unused_range),
      .range_ok_i        (1'b0),
      .prog_rsp_valid_i  (word_valid),
      .prog_rsp_i        (word),
      .reg_req_valid_o   (reg_valid),
      .reg_req_o         (reg_req),
      .reg_rsp_valid_i   (response_valid),
      .reg_rsp_i         (reg_rsp),
      .reset_counters_o  (unused_reset),
      .event_valid_i     (event_valid),
      .event_ready_o     (event_ready),
      .event_i           (event_out),
      .role_tx_valid_i   (1'b0),
      .role_tx_ready_o   (unused_role_ready),
      .role_tx_i         ('0),
      .pass_valid_o      (unused_pass_valid),
      .pass_ready_i      (1'b0),
      .pass_o            (pass),
      .pass_rsp_valid_i  (1'b0),
      .pass_rsp_refused_i(1'b0)
  );

  polyloom_collective_engine #(
      .Cfg(Cfg)
  ) i_engine (
      .clk_i,
      .rst_ni,
      .cycle_i,
      .idle_o        (engine_idle),
      .mem_busy_o    (mem_busy),
      .reg_valid_i   (reg_valid),
      .reg_write_i   (reg_req.write),
      .reg_index_i   (reg_req.index),
      .reg_data_i    (reg_req.wdata),
      .reg_valid_o   (response_valid),
      .reg_error_o   (response_error),
      .reg_data_o    (response),
      .prog_valid_i  (prog_valid),
      .prog_ready_o  (prog_ready),
      .prog_write_i  (prog_req.write),
      .prog_addr_i   (prog_req.addr[IndexW+1:0]),
      .prog_data_i   (prog_req.wdata),
      .prog_valid_o  (word_valid),
      .prog_data_o   (word),
      .event_valid_o (event_valid),
      .event_ready_i (event_ready),
      .event_code_o  (event_out.code),
      .event_detail_o(event_out.detail),
      .event_begin_o (event_out.begin_cycle),
      .event_finish_o(event_out.finish_cycle),
      .event_value_o (event_out.value),
      .lane_rx_valid_i,
      .lane_rx_data_i,
      .lane_rx_keep_i,
      .lane_rx_last_i,
      .lane_rx_pulse_i,
      .lane_tx_valid_o,
      .lane_tx_ready_i,
      .lane_tx_data_o,
      .lane_tx_keep_o,
      .lane_tx_last_o,
      .lane_tx_pulse_o,
      .mem_ar_valid_o(e_ar_valid),
      .mem_ar_addr_o (e_ar_addr),
      .mem_ar_len_o  (e_ar_len),
      .mem_r_ready_o (e_r_ready),
      .mem_aw_valid_o(e_aw_valid),
      .mem_aw_addr_o (e_aw_addr),
      .mem_aw_len_o  (e_aw_len),
      .mem_w_valid_o (e_w_valid),
      .mem_w_data_o  (e_w_data),
      .mem_w_strb_o  (e_w_strb),
      .mem_w_last_o  (e_w_last),
      .mem_b_ready_o (e_b_ready),
      .mem_ar_ready_i(e_ar_ready),
      .mem_r_valid_i (e_r_valid),
      .mem_aw_ready_i(e_aw_ready),
      .mem_w_ready_i (e_w_ready),
      .mem_b_valid_i (e_b_valid),
      .mem_r_data_i
  );

  assign idle_o = engine_idle && shell_idle && owner == '0;
endmodule
