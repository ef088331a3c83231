// SPDX-License-Identifier: Apache-2.0
// polyloom_shell_read_dma: reads 64-bit words from any byte address of a memory, or from a memory of words.
// How:          bursts up to the next multiple of BurstBeats beats are asked for ahead; of each beat that comes, its
//               lanes (64 aligned bits) are taken one by one, joined with the lane before and shifted by address[2:0].
//               A lane waits on the bus, so there is no buffer for beats here.
// Latency:      command -> address request 1 cycle; first beat -> first word 1 cycle, 2 if address[2:0] is not 0.
// Throughput:   one word a cycle (a beat in 4 cycles) if memory responds within OpenBursts * 4 * BurstBeats cycles;
//               from the program memory one word in 3 cycles and its latency. Commands do not overlap.
// Backpressure: a stalled reader stalls the memory's r channel; its ready comes from registers and r_valid.
// Order/loss:   commands and words in order.
// Reset:        control state; data not. Takes a command from the first cycle.
// Limits:       r beats in the order of requests. Bytes past the end of the last word are zero.
// Cost:         635 LUT, 206 FF; 539 ALM with 8 channels (UltraScale+; Intel ALM estimated;
//               `polyloom synth collective_node`, Yosys 0.70, 2026-11).
// Source:       own design; AXI4 (IHI 0022E) A3.4.   Tests: test_polyloom_shell_read_dma.py
module polyloom_shell_read_dma
  import polyloom_shell_pkg::*;
#(
    parameter int unsigned BurstBeats = 16,  // power of two, at most 128 (4 KiB)
    parameter int unsigned OpenBursts = 4    // asked for and not yet here
) (
    input logic clk_i,
    input logic rst_ni,

    // From the parser
    input  logic     cmd_valid_i,
    output logic     cmd_ready_o,
    input  dma_cmd_t cmd_i,

    // To the sender
    output logic       word_valid_o,
    input  logic       word_ready_i,
    output host_word_t word_o,
    output logic       error_o,       // pulse: a beat came with an error

    // To the memory, channel channel_o
    output logic [              6:0] channel_o,
    output logic                     ar_valid_o,
    input  logic                     ar_ready_i,
    output logic [MEM_ADDR_BITS-1:0] ar_addr_o,
    output logic [              7:0] ar_len_o,
    input  logic                     r_valid_i,
    output logic                     r_ready_o,
    input  logic [MEM_DATA_BITS-1:0] r_data_i,
    input  logic [              1:0] r_resp_i,
    input  logic                     r_last_i,

    // To the program memory or a memory of the role
    output logic              prog_valid_o,
    input  logic              prog_ready_i,
    output prog_req_t         prog_o,
    output role_word_t        role_word_o,
    input  logic              prog_rsp_valid_i,
    input  logic       [63:0] prog_rsp_i
);

  localparam int unsigned BurstBits = $clog2(BurstBeats);
  localparam int unsigned OpenBits = $clog2(OpenBursts + 1);
  if (BurstBeats < 2 || BurstBeats > 128 || BurstBeats != 1 << BurstBits || OpenBursts == 0) begin : gen_check
    $error("%m: BurstBeats is %0d, must be a power of two from 2 to 128; OpenBursts at least 1", BurstBeats);
  end

  typedef enum logic [2:0] {
    IDLE,
    PROGRAM_REQUEST,
    PROGRAM_WAIT,
    PROGRAM_GIVE,
    MEMORY
  } state_e;
  state_e                state_q;
  place_t                place_q;
  logic   [        24:0] bytes_q;  // of the words to come
  logic   [         2:0] shift_q;
  logic   [         1:0] lane_q;  // of the next lane in its beat
  logic   [        31:3] addr_q;  // program: of the next word
  logic   [        63:0] held_q;  // the lane before, or the word of the program
  logic                  held_valid_q;
  logic   [        31:5] request_addr_q;  // of the next burst
  logic   [        19:0] request_q;  // beats to ask for
  logic   [        19:0] beats_q;  // beats to come
  logic   [OpenBits-1:0] open_q;

  logic
      lane_there,
      lane_accept,
      lane_needed,
      need_held,
      word_valid,
      word_ready,
      word_accept,
      word_end,
      ar_accept,
      r_accept;
  logic [63:0] lane, joined;
  logic [BurstBits:0] to_boundary, burst_beats;
  host_word_t word;

  // Requests.
  assign to_boundary = (BurstBits + 1)'(BurstBeats) - {1'b0, request_addr_q[5+:BurstBits]};
  assign burst_beats = request_q < 20'(to_boundary) ? request_q[BurstBits:0] : to_boundary;
  assign ar_valid_o = state_q == MEMORY && request_q != 0 && open_q != OpenBits'(OpenBursts);
  assign ar_addr_o = {8'd0, request_addr_q, 5'd0};
  assign ar_len_o = 8'(burst_beats) - 8'd1;
  assign r_ready_o = lane_accept && (lane_q == 2'd3 || (word_end && word_accept));
  assign ar_accept = ar_valid_o && ar_ready_i;
  assign r_accept = r_ready_o && r_valid_i;
  assign error_o = r_accept && r_resp_i != 2'b00;
  assign channel_o = place_q.target[6:0];
  assign cmd_ready_o = state_q == IDLE;

  // Lanes to words. With a shift, a word needs the lane before, and the lane itself unless the bytes end before it.
  assign lane = r_data_i[64*lane_q+:64];
  assign lane_there = state_q == MEMORY && r_valid_i;
  assign need_held = shift_q != 0;
  assign lane_needed = beats_q != 0;
  assign word_end = bytes_q <= 25'd8;
  assign word_valid = state_q == PROGRAM_GIVE
                   || (state_q == MEMORY && (!need_held || held_valid_q) && (!lane_needed || lane_there));
  assign word_accept = word_valid && word_ready;
  assign lane_accept = lane_there && lane_needed && (word_accept || (need_held && !held_valid_q));
  always_comb begin
    joined = 64'({lane_needed ? lane : 64'd0, held_q} >> {shift_q, 3'b000});
    if (!need_held) joined = lane;
    if (state_q == PROGRAM_GIVE) joined = held_q;
    word = '{last: word_end, data: joined};
    for (int unsigned i = 0; i < 8; i++) begin
      if (25'(i) >= bytes_q) word.data[8*i+:8] = '0;
    end
  end

  spill_register #(
      .T(host_word_t)
  ) i_word (
      .clk_i,
      .rst_ni,
      .valid_i(word_valid),
      .ready_o(word_ready),
      .data_i (word),
      .valid_o(word_valid_o),
      .ready_i(word_ready_i),
      .data_o (word_o)
  );

  assign prog_valid_o = state_q == PROGRAM_REQUEST;
  assign prog_o = '{write: 1'b0, addr: {3'd0, addr_q}, wdata: '0};
  assign role_word_o = '{place: place_q, addr: {addr_q, shift_q[2]}, pair: bytes_q >= 25'd8};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= IDLE;
      held_valid_q <= 1'b0;
      open_q <= '0;
    end else begin
      case (state_q)
        IDLE: if (cmd_valid_i) state_q <= cmd_i.words ? PROGRAM_REQUEST : MEMORY;
        PROGRAM_REQUEST: if (prog_ready_i) state_q <= PROGRAM_WAIT;
        PROGRAM_WAIT: if (prog_rsp_valid_i) state_q <= PROGRAM_GIVE;
        PROGRAM_GIVE: if (word_accept) state_q <= word_end ? IDLE : PROGRAM_REQUEST;
        MEMORY: if (word_accept && word_end) state_q <= IDLE;
        default: state_q <= IDLE;
      endcase
      if (state_q == IDLE) held_valid_q <= 1'b0;
      else if (lane_accept) held_valid_q <= 1'b1;
      open_q <= open_q + OpenBits'(ar_accept) - OpenBits'(r_accept && r_last_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == IDLE && cmd_valid_i) begin
      place_q <= cmd_i.place;
      bytes_q <= cmd_i.bytes;
      shift_q <= cmd_i.address[2:0];
      lane_q <= cmd_i.address[4:3];
      addr_q <= cmd_i.address[31:3];
      request_addr_q <= cmd_i.address[31:5];
      request_q <= 20'((26'(cmd_i.bytes) + 26'(cmd_i.address[4:0]) + 26'd31) >> 5);
      beats_q <= 20'((26'(cmd_i.bytes) + 26'(cmd_i.address[4:0]) + 26'd31) >> 5);
    end else begin
      if (lane_accept) begin
        held_q <= lane;
        lane_q <= lane_q + 2'd1;
      end
      if (state_q == PROGRAM_WAIT) held_q <= prog_rsp_i;
      if (word_accept) begin
        bytes_q <= bytes_q - (word_end ? bytes_q : 25'd8);
        addr_q  <= addr_q + 1'b1;
      end
      if (ar_accept) begin
        request_q <= request_q - 20'(burst_beats);
        request_addr_q <= request_addr_q + 27'(burst_beats);
      end
      if (r_accept) beats_q <= beats_q - 20'd1;
    end
  end

endmodule
