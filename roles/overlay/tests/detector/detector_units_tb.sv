// SPDX-License-Identifier: Apache-2.0
// detector_units_tb: parts of termination detection alone, for cocotb: gather on boards of several sizes, and what the
// detector is made of. The detector as a whole: detector_tb.sv.
module detector_units_tb
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_detector_pkg::*;
(
    input logic clk_i,
    input logic rst_ni
);
  function automatic cfg_t config_of(int unsigned tiles_x, int unsigned tiles_y);
    cfg_t c;
    c = TINY;
    c.tiles_x = tiles_x;
    c.tiles_y = tiles_y;
    return c;
  endfunction

  for (genvar s = 0; s < 4; s++) begin : gen_size  // 1x1, 2x1, 1x4, 4x2
    localparam int unsigned TilesX = s == 1 ? 2 : s == 3 ? 4 : 1;
    localparam int unsigned TilesY = s == 2 ? 4 : s == 3 ? 2 : 1;
    localparam int unsigned Tiles = TilesX * TilesY;

    logic [Tiles-1:0] all_idle = '0, all_vote = '0;
    logic [16*Tiles-1:0] in_flight = '0;
    logic [3:0] sent = '0, received = '0;
    logic host_in = '0, host_out = '0;
    logic [inputs_bits(TilesX)-1:0] copies = '0, ended = '0;
    logic passive, vote;
    count_t [LINKS-1:0] sent_count, received_count;

    polyloom_overlay_gather #(
        .Cfg(config_of(TilesX, TilesY))
    ) i_gather (
        .clk_i,
        .rst_ni,
        .all_idle_i (all_idle),
        .all_vote_i (all_vote),
        .in_flight_i(in_flight),
        .sent_i     (sent),
        .received_i (received),
        .host_in_i  (host_in),
        .host_out_i (host_out),
        .copies_i   (copies),
        .ended_i    (ended),
        .passive_o  (passive),
        .vote_o     (vote),
        .sent_o     (sent_count),
        .received_o (received_count)
    );
  end

  if (1) begin : gen_read
    place_t place = '0;
    logic [3:0] in_valid = '0, in_ready, in_last = '0;
    word_t [3:0] in = '0;
    logic own_start = 1'b0, own_begin, own_vote = 1'b0, epoch = 1'b0, step_valid, step_ready = 1'b0;
    count_t [3:0] own_sent = '0, own_received = '0;
    step_t step;
    polyloom_overlay_detector_read i_dut (
        .clk_i,
        .rst_ni,
        .place_i       (place),
        .in_valid_i    (in_valid),
        .in_ready_o    (in_ready),
        .in_data_i     (in),
        .in_last_i     (in_last),
        .own_start_i   (own_start),
        .own_begin_o   (own_begin),
        .own_vote_i    (own_vote),
        .own_sent_i    (own_sent),
        .own_received_i(own_received),
        .epoch_i       (epoch),
        .step_valid_o  (step_valid),
        .step_ready_i  (step_ready),
        .step_o        (step)
    );
  end

  if (1) begin : gen_combine
    place_t place = '0;
    step_t  step = '0;
    logic step_valid = 1'b0, step_ready, own_begin = 1'b0, own_wanted, own_start = 1'b0, own_keep = 1'b0, own_valid;
    logic epoch = 1'b0, clear = 1'b0, hold = 1'b0, complete, vote, sum_wanted, sum_start = 1'b0, sum_busy = 1'b0;
    logic released, released_vote, ask, grant;
    logic [GATE_BITS-1:0] own_gate = '0, gate;
    key_t sum_key = '0;
    count_t sent, received;
    polyloom_overlay_detector_combine i_dut (
        .clk_i,
        .rst_ni,
        .place_i        (place),
        .step_valid_i   (step_valid),
        .step_ready_o   (step_ready),
        .step_i         (step),
        .own_begin_i    (own_begin),
        .own_wanted_o   (own_wanted),
        .own_start_i    (own_start),
        .own_keep_i     (own_keep),
        .own_valid_o    (own_valid),
        .epoch_i        (epoch),
        .clear_i        (clear),
        .hold_i         (hold),
        .gate_i         (own_gate),
        .complete_o     (complete),
        .vote_o         (vote),
        .gate_o         (gate),
        .sum_wanted_o   (sum_wanted),
        .sum_start_i    (sum_start),
        .sum_busy_i     (sum_busy),
        .sum_key_i      (sum_key),
        .read_sent_o    (sent),
        .read_received_o(received),
        .release_o      (released),
        .release_vote_o (released_vote),
        .ask_o          (ask),
        .grant_o        (grant)
    );
  end

  if (1) begin : gen_sum
    place_t place = '0;
    logic wanted = 1'b0, vote = 1'b0, epoch = 1'b0, start, busy, ask = 1'b0, ask_taken;
    logic out_valid, out_ready = 1'b0;
    logic [GATE_BITS-1:0] gate = '0;
    logic [$bits(word_t):0] out;  // last, word
    key_t key;
    count_t sent = '0, received = '0;
    polyloom_overlay_detector_sum i_dut (
        .clk_i,
        .rst_ni,
        .place_i    (place),
        .wanted_i   (wanted),
        .vote_i     (vote),
        .gate_i     (gate),
        .epoch_i    (epoch),
        .start_o    (start),
        .busy_o     (busy),
        .key_o      (key),
        .sent_i     (sent),
        .received_i (received),
        .ask_i      (ask),
        .ask_taken_o(ask_taken),
        .out_valid_o(out_valid),
        .out_ready_i(out_ready),
        .out_data_o (out[$bits(word_t)-1:0]),
        .out_last_o (out[$bits(word_t)])
    );
  end
endmodule
