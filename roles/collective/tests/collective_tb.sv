// SPDX-License-Identifier: Apache-2.0
// collective_tb: the role's modules, each alone, in one binary; a test drives the signals of one scope.
// verilog_format: off
module collective_tb
  import polyloom_collective_pkg::*;
  import polyloom_stream_pkg::beat_t;
  import polyloom_axi_pkg::ax_t, polyloom_axi_pkg::w_t, polyloom_axi_pkg::b_t, polyloom_axi_pkg::r_t;
(
    input logic clk_i,
    input logic rst_ni
);
  collective_parts i_parts (.*);

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
    logic item_valid, item_ready = 1'b0;
    item_t item;
    polyloom_collective_pattern #(.Bursts(b == 1)) i_dut (.valid_o(item_valid), .next_i(item_valid && item_ready),
        .addr_o(item.addr), .beats_o(item.beats), .block_end_o(item.block_end), .run_end_o(item.run_end),
        .last_o(item.last), .*);
  end

  for (genvar p = 0; p < 2; p++) begin : gen_switch  // without copy and relay paths, with them
    polyloom_collective_switch #(.Cfg(config_of(p, 0))) i_dut (.select_o(selected), .*);
  end

  if (1) begin : gen_sync
    polyloom_collective_sync #(.Cfg(Cfg)) i_dut (.pulse_i(pulse_in), .pulse_o(pulse_out), .*);
  end

  if (1) begin : gen_read
    ax_t m_ar;
    r_t  m_r = '0;
    assign m_ar.id = '0;
    polyloom_collective_read #(.Cfg(Cfg)) i_dut (.begin_i(begins), .mem_ar_valid_o(m_ar_valid),
        .mem_ar_ready_i(m_ar_ready), .mem_ar_addr_o(m_ar.addr), .mem_ar_len_o(m_ar.len), .mem_r_valid_i(m_r_valid),
        .mem_r_ready_o(m_r_ready), .mem_r_data_i(m_r.data), .valid_o(out_valid), .ready_i(out_ready), .beat_o(out), .*);
  end

  if (1) begin : gen_write
    logic m_ar_valid = 1'b0, m_ar_ready = 1'b0, m_r_valid = 1'b0, m_r_ready = 1'b0;
    ax_t m_aw, m_ar = '0;
    w_t m_w;
    b_t m_b = '0;
    r_t m_r = '0;
    assign m_aw.id = '0;
    polyloom_collective_write #(.Cfg(Cfg)) i_dut (.valid_i(in_valid), .ready_o(in_ready), .beat_i(in),
        .mem_aw_valid_o(m_aw_valid), .mem_aw_ready_i(m_aw_ready), .mem_aw_addr_o(m_aw.addr), .mem_aw_len_o(m_aw.len),
        .mem_w_valid_o(m_w_valid), .mem_w_ready_i(m_w_ready), .mem_w_data_o(m_w.data), .mem_w_strb_o(m_w.strb),
        .mem_w_last_o(m_w.last), .mem_b_valid_i(m_b_valid), .mem_b_ready_o(m_b_ready), .*);
  end

  for (genvar k = 0; k < 2; k++) begin : gen_tx  // without block checks, with them
    beat_t lane;
    polyloom_collective_tx #(.Cfg(config_of(1, k))) i_dut (.node_i(16'habcd), .lane_i(8'h2a), .stop_code_i(code),
        .begin_i(begins), .valid_i(in_valid), .ready_o(in_ready), .beat_i(in), .lane_tx_valid_o(lane_valid),
        .lane_tx_ready_i(lane_ready), .lane_tx_data_o(lane.data), .lane_tx_keep_o(lane.keep),
        .lane_tx_last_o(lane.last), .*);
  end

  for (genvar k = 0; k < 2; k++) begin : gen_rx
    logic  lane_ready = 1'b1;
    beat_t lane = '0;
    polyloom_collective_rx #(.Cfg(config_of(1, k))) i_dut (.lane_rx_valid_i(lane_valid), .lane_rx_data_i(lane.data),
        .lane_rx_keep_i(lane.keep), .lane_rx_last_i(lane.last), .valid_o(out_valid), .ready_i(out_ready), .beat_o(out),
        .*);
  end

  if (1) begin : gen_watch
    polyloom_collective_watch #(.Cfg(Cfg)) i_dut (.program_i(program_fault), .read_i(read_fault), .write_i(write_fault),
        .lane_i(lane_fault), .*);
  end

  if (1) begin : gen_owner
    polyloom_collective_owner i_dut (.engine_busy_i(busy), .*);
  end

  if (1) begin : gen_sequencer  // with its program memory
    logic start = 1'b0, running, shown, next;
    logic [3:0] start_index = '0, index;
    instruction_t instruction;
    polyloom_collective_program #(.Cfg(Cfg)) i_program (.host_valid_o(word_valid), .host_data_o(word),
        .running_i(running), .start_i(start), .start_index_i(start_index), .next_i(next), .valid_o(shown),
        .instruction_o(instruction), .index_o(index), .*);
    polyloom_collective_sequencer #(.Cfg(Cfg)) i_dut (.start_i(start), .start_index_i(16'(start_index)),
        .running_o(running), .valid_i(shown), .instruction_i(instruction), .index_i(16'(index)), .next_o(next),
        .end_o(ended), .step_o(refused), .config_o(config_step), .*);
  end

  if (1) begin : gen_regs
    polyloom_collective_regs #(.Cfg(Cfg), .StatusWords(2)) i_dut (.reg_valid_i(req_valid), .reg_write_i(req_write),
        .reg_index_i(req_index), .reg_data_i(req_data), .reg_valid_o(rsp_valid), .reg_error_o(rsp_error),
        .reg_data_o(rsp_data), .end_i(ended), .hello_i(hello_in), .*);
  end

  if (1) begin : gen_node
    logic [63:0] cycle_q = '0;
    logic [64:0] host_rx = '0, host_tx;  // last, word
    ax_t m_ar, m_aw;
    r_t m_r = '0;
    w_t m_w;
    b_t m_b = '0;
    assign m_ar.id = '0;
    assign m_aw.id = '0;
    always_ff @(posedge clk_i) cycle_q <= cycle_q + 64'd1;
    polyloom_collective_node #(.Lanes(1), .Channels(1), .RxBeats(4), .ReadBeats(64), .WriteBeats(4), .ProgramSize(16),
        .ChannelBits(16)) i_dut (.cycle_i(cycle_q), .lane_rx_valid_i(1'b0), .lane_rx_data_i('0), .lane_rx_keep_i('0),
        .lane_rx_last_i(1'b0), .lane_rx_pulse_i(1'b0), .lane_tx_valid_o(unused_tx_valid), .lane_tx_ready_i(1'b1),
        .lane_tx_data_o(unused_tx_data), .lane_tx_keep_o(unused_tx_keep), .lane_tx_last_o(unused_tx_last),
        .lane_tx_pulse_o(unused_tx_pulse), .host_rx_data_i(host_rx[63:0]), .host_rx_last_i(host_rx[64]),
        .host_tx_data_o(host_tx[63:0]), .host_tx_last_o(host_tx[64]), .mem_ar_valid_o(m_ar_valid),
        .mem_ar_ready_i(m_ar_ready), .mem_ar_addr_o(m_ar.addr), .mem_ar_len_o(m_ar.len), .mem_r_valid_i(m_r_valid),
        .mem_r_ready_o(m_r_ready), .mem_r_data_i(m_r.data), .mem_r_last_i(m_r.last), .mem_aw_valid_o(m_aw_valid),
        .mem_aw_ready_i(m_aw_ready), .mem_aw_addr_o(m_aw.addr), .mem_aw_len_o(m_aw.len), .mem_w_valid_o(m_w_valid),
        .mem_w_ready_i(m_w_ready), .mem_w_data_o(m_w.data), .mem_w_strb_o(m_w.strb), .mem_w_last_o(m_w.last),
        .mem_b_valid_i(m_b_valid), .mem_b_ready_o(m_b_ready), .*);
  end

endmodule
