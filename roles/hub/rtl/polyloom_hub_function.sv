// SPDX-License-Identifier: Apache-2.0
// polyloom_hub_function: the function on the way: an operator with one input, whose outputs are written to memories.
// How:          network --.
//               DMA ------+--> pack to 256 bits --> [ beats ] ==> operator ==> [ beats ] --> lane --> TLPs    (a lane an output)
//               ==> is the border to the function's clock (polyloom_hub_clock); the FIFOs beside it are where dual-clock ones
//               are on a board. With a width of 128 bits a beat crosses every second edge of the function's clock.
//               From the command on input is taken, into the FIFO. After an error of the operator, and without a step, it is
//               thrown away (DMA) or refused (network), so that a fault here stops nothing else.
//               The DMA leaves room for one largest TLP, so a TLP that the network side let in is never stopped by it.
// Latency:      see timing.h.
// Throughput:   16 bytes a cycle in; FunctionWidth bits an edge of the function's clock.
// Backpressure: dma_ready_o, network_ready_o depend on registers; free_o counts beats of 16 bytes.
// Order/loss:   in order; two writers at once are mixed beat by beat.
// Reset:        no step.
// Limits:       as polyloom_op_slot.
// Cost:         see polyloom_hub_node.
// Source: own design; PEACH2 sections 4.1, 4.2.   Tests: test_polyloom_hub_function.py.
module polyloom_hub_function
  import polyloom_hub_pkg::*;
#(
    parameter cfg_t Cfg = SMALL,
    localparam int unsigned L = Cfg.lanes,
    localparam int unsigned StatusWords = 2 + Cfg.lanes
) (
    input  logic                                      clk_i,
    input  logic                                      rst_ni,
    // Registers
    input  function_command_t                         command_i,
    input  logic              [           63:0]       config_i,
    input  lane_t             [          L-1:0]       lanes_i,
    output function_state_t                           state_o,
    output logic              [StatusWords-1:0][63:0] status_o,
    output logic              [          L-1:0][63:0] bytes_o,
    // From the local unit
    input  logic                                      network_valid_i,
    output logic                                      network_ready_o,
    input  beat_t                                     network_i,
    output logic              [            9:0]       free_o,           // 0: no step
    output logic                                      room_o,           // for a largest TLP, on its way too
    // From the DMA
    input  logic                                      dma_valid_i,
    output logic                                      dma_ready_o,
    input  beat_t                                     dma_i,
    // To the switch
    output logic              [          L-1:0]       out_valid_o,
    input  logic              [          L-1:0]       out_ready_i,
    output beat_t             [          L-1:0]       out_o,
    output logic                                      idle_o
);
  localparam int unsigned Most = beats_of(Cfg.max_payload);
  localparam int unsigned Depth = 2 * Most;  // beats of 256 bits: four largest TLPs
  localparam int unsigned UsageW = $clog2(Depth + 1);
  typedef polyloom_stream_pkg::beat_t wide_t;

  // Step and flush, each for one edge of the function's clock; the command stands until then.
  logic step_q, flush_q, active_q, slot_step, slot_flush, slot_idle, enable, clk_function, run_q, lanes_idle;
  logic [L-1:0] used_q, lane_idle, lane_done, lane_over;
  logic [7:0] kind_q;
  assign slot_flush = flush_q;
  assign slot_step  = step_q && !flush_q && lanes_idle && slot_idle;
  assign lanes_idle = &lane_idle;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q   <= 1'b0;
      flush_q  <= 1'b0;
      active_q <= 1'b0;
      used_q   <= '0;
      kind_q   <= '0;
    end else begin
      if (command_i.step) begin
        step_q <= 1'b1;
        used_q <= command_i.used[L-1:0];
        kind_q <= command_i.kind;
      end else if ((slot_step && enable) || command_i.flush) step_q <= 1'b0;
      if (command_i.flush) flush_q <= 1'b1;
      else if (enable) flush_q <= 1'b0;
      if (command_i.flush) active_q <= 1'b0;
      else if (slot_step && enable) active_q <= 1'b1;
      else if ((used_q & ~lane_done) == '0 && lanes_idle) active_q <= 1'b0;
    end
  end

  logic [0:0][StatusWords-1:0][63:0] status;
  logic error_q, accepts;  // the step's; input is taken
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) error_q <= 1'b0;
    else error_q <= active_q && status[0][0][7:0] != '0;
  end
  assign accepts = step_q || (active_q && !error_q);

  // Bytes to beats of 256 bits.
  logic pack_ready, pack_valid, pack_last, fifo_ready, network_now, dma_room;
  logic [6:0] pack_bytes, held;
  wide_t packed_beat, in;
  logic [UsageW-1:0] usage;
  logic [9:0] free;
  beat_t accepted;
  assign network_now = network_valid_i;
  assign network_ready_o = pack_ready;
  assign dma_room = free > 10'(Most + 8);
  assign dma_ready_o = (pack_ready && dma_room && !network_now) || !accepts;
  assign accepted = network_now ? network_i : dma_i;
  polyloom_hub_pack #(
      .OutBytes(32)
  ) i_pack (
      .clk_i,
      .rst_ni,
      .flush_i    (command_i.flush),
      .in_valid_i (network_now || (dma_valid_i && dma_room && accepts)),
      .in_ready_o (pack_ready),
      .in_i       (accepted),
      .accept_i   (7'd32),
      .out_valid_o(pack_valid),
      .out_ready_i(fifo_ready),
      .out_data_o (packed_beat.data),
      .out_bytes_o(pack_bytes),
      .out_last_o (pack_last),
      .held_o     (held)
  );
  assign packed_beat.last = pack_last;
  assign packed_beat.keep = polyloom_stream_pkg::keep_of(6'(pack_bytes));

  // The border: beats go in.
  logic in_valid, in_gap_q, in_go;
  polyloom_stream_ram_fifo #(
      .T    (wide_t),
      .Depth(Depth)
  ) i_in (
      .clk_i,
      .rst_ni,
      .flush_i    (command_i.flush),
      .in_valid_i (pack_valid),
      .in_ready_o (fifo_ready),
      .in_i       (packed_beat),
      .out_valid_o(in_valid),
      .out_ready_i(in_go),
      .out_o      (in),
      .usage_o    (usage)
  );
  assign free   = 10'(2 * (UsageW + 1)'(Depth)) - 10'({usage, 1'b0}) - 10'((10'(held) + 10'd15) >> 4);
  assign free_o = accepts && free > 10'd2 ? free - 10'd2 : '0;  // not counted: one beat that moves
  assign room_o = !accepts || free > 10'(Most + 6);

  polyloom_hub_clock #(
      .Num(Cfg.function_num),
      .Den(Cfg.function_den)
  ) i_clock (
      .clk_i,
      .rst_ni,
      .run_i   (run_q),
      .clk_o   (clk_function),
      .enable_o(enable)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) run_q <= 1'b0;
    else run_q <= command_i.step || command_i.flush || step_q || flush_q || active_q;
  end

  // A beat a half wide: the next edge of the function's clock is its second half.
  if (Cfg.function_width == 128) begin : gen_half
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) in_gap_q <= 1'b0;
      else if (enable) in_gap_q <= in_go;
    end
  end else begin : gen_whole
    assign in_gap_q = 1'b0;
  end
  logic slot_in_ready, slot_in_valid;
  assign slot_in_valid = in_valid && active_q && !in_gap_q;
  assign in_go = slot_in_valid && slot_in_ready && enable;

  logic [L-1:0] slot_valid, slot_ready;
  wide_t [L-1:0] slot_out;
  logic [L-1:0][7:0] kinds;
  logic [L-1:0][63:0] words;
  always_comb begin
    for (int unsigned l = 0; l < L; l++) begin
      kinds[l] = kind_q;
      words[l] = config_i;
    end
  end
  polyloom_op_slot #(
      .Kinds       (64'(Cfg.function_kinds)),
      .Inputs      (1),
      .Outputs     (L),
      .StatusWords (StatusWords),
      .LetGeometry (Cfg.geometry_latency),
      .LetOpenDepth(Cfg.open_depth)
  ) i_slot (
      .clk_i      (clk_function),
      .rst_ni,
      .flush_i    (slot_flush),
      .step_i     (slot_step),
      .cfg_valid_i(used_q),
      .cfg_kind_i (kinds),
      .cfg_word_i (words),
      .cfg_mask_i ({L{1'b1}}),
      .in_valid_i (slot_in_valid),
      .in_ready_o (slot_in_ready),
      .in_i       (in),
      .out_valid_o(slot_valid),
      .out_ready_i(slot_ready),
      .out_o      (slot_out),
      .idle_o     (slot_idle),
      .status_o   (status)
  );
  assign status_o = status[0];

  // The border: beats come out.
  for (genvar l = 0; l < int'(L); l++) begin : gen_lane
    logic fifo_room, fifo_valid, lane_ready, gap_q, push;
    wide_t beat;
    logic [2:0] unused_usage;
    if (Cfg.function_width == 128) begin : gen_half
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) gap_q <= 1'b0;
        else if (enable) gap_q <= push;
      end
    end else begin : gen_whole
      assign gap_q = 1'b0;
    end
    assign slot_ready[l] = fifo_room && !gap_q;
    assign push = slot_valid[l] && slot_ready[l] && enable;
    polyloom_stream_ram_fifo #(
        .T    (wide_t),
        .Depth(4)
    ) i_out (
        .clk_i,
        .rst_ni,
        .flush_i    (command_i.flush),
        .in_valid_i (push && !flush_q),
        .in_ready_o (fifo_room),
        .in_i       (slot_out[l]),
        .out_valid_o(fifo_valid),
        .out_ready_i(lane_ready),
        .out_o      (beat),
        .usage_o    (unused_usage)
    );
    polyloom_hub_lane #(
        .Cfg(Cfg)
    ) i_lane (
        .clk_i,
        .rst_ni,
        .flush_i    (command_i.flush),
        .step_i     (slot_step && enable),
        .lane_i     (lanes_i[l]),
        .in_valid_i (fifo_valid),
        .in_ready_o (lane_ready),
        .in_i       (beat),
        .out_valid_o(out_valid_o[l]),
        .out_ready_i(out_ready_i[l]),
        .out_o      (out_o[l]),
        .bytes_o    (bytes_o[l]),
        .done_o     (lane_done[l]),
        .overflow_o (lane_over[l]),
        .idle_o     (lane_idle[l])
    );
  end

  always_comb begin
    state_o = '0;
    state_o.active = step_q || active_q;
    state_o.idle = idle_o;
    state_o.error = status[0][0][7:0] != '0;
    state_o.done[L-1:0] = lane_done;
    state_o.overflow[L-1:0] = lane_over;
  end
  assign idle_o = !step_q && !flush_q && !active_q && !run_q && lanes_idle && slot_idle && usage == '0 && held == '0;

  logic unused;
  assign unused = ^{command_i.used, pack_bytes[6]};
endmodule
