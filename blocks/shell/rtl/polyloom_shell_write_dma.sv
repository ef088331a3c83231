// SPDX-License-Identifier: Apache-2.0
// polyloom_shell_write_dma: writes a stream of 64-bit words to any byte address of a memory, or to a memory of words.
// How:          word, shifted by address[2:0] bytes -> lane (64 aligned bits; what sticks out waits for the next word)
//               -> beat (four lanes with their strobes) -> bursts that end at the next multiple of BurstBeats beats.
//               A burst is asked for when its first beat is there. A stream that is cut short still writes what came:
//               the open burst is ended by beats without strobes.
// Latency:      word -> its beat's address request: 2 cycles after the beat's last lane; data 1 cycle after that's taken.
// Throughput:   one word a cycle, and one cycle more a burst: its request holds the beat register.
// Backpressure: word_ready_o falls while the beat register is full and not taken (depends on w_ready_i).
// Order/loss:   in order. cmd_ready_o says that all is acknowledged.
// Reset:        control state; data not. Takes a command from the first cycle.
// Limits:       one command at a time; words only after a command, exactly its number, or fewer and then abort_i.
// Cost:         679 LUT, 452 FF; 468 ALM with 8 channels (UltraScale+; Intel ALM estimated;
//               `polyloom synth collective_node`, Yosys 0.70, 2026-11).
// Source:       own design; AXI4 (IHI 0022E) A3.4.   Tests: test_polyloom_shell_write_dma.py
module polyloom_shell_write_dma
  import polyloom_shell_pkg::*;
#(
    parameter int unsigned BurstBeats = 16  // power of two, at most 128 (4 KiB)
) (
    input logic clk_i,
    input logic rst_ni,

    // From the parser
    input  logic            cmd_valid_i,
    output logic            cmd_ready_o,
    input  dma_cmd_t        cmd_i,
    input  logic            word_valid_i,
    output logic            word_ready_o,
    input  logic     [63:0] word_i,
    input  logic            abort_i,       // no more words come
    output logic            error_o,       // memory refused something since the last command

    // To the memory, channel channel_o
    output logic [              6:0] channel_o,
    output logic                     aw_valid_o,
    input  logic                     aw_ready_i,
    output logic [MEM_ADDR_BITS-1:0] aw_addr_o,
    output logic [              7:0] aw_len_o,
    output logic                     w_valid_o,
    input  logic                     w_ready_i,
    output logic [MEM_DATA_BITS-1:0] w_data_o,
    output logic [    MEM_BYTES-1:0] w_strb_o,
    output logic                     w_last_o,
    input  logic                     b_valid_i,
    output logic                     b_ready_o,
    input  logic [              1:0] b_resp_i,

    // To the program memory or a memory of the role
    output logic       prog_valid_o,
    input  logic       prog_ready_i,
    output prog_req_t  prog_o,
    output role_word_t role_word_o
);

  localparam int unsigned BurstBits = $clog2(BurstBeats);
  if (BurstBeats < 2 || BurstBeats > 128 || BurstBeats != 1 << BurstBits) begin : gen_check
    $error("%m: BurstBeats is %0d, must be a power of two from 2 to 128", BurstBeats);
  end

  typedef enum logic [1:0] {
    IDLE,
    PROGRAM,
    MEMORY,
    FLUSH
  } state_e;
  state_e state_q, state_d;
  place_t place_q;
  logic [24:0] bytes_q;  // of the words to come
  logic [2:0] shift_q;
  logic [1:0] lane_q;  // of the next lane in its beat
  logic [63:0] rest_q;  // what sticks out of the last lane
  logic [7:0] rest_strb_q;
  logic [255:0] beat_q;
  logic [31:0] strb_q;
  logic used_q, full_q;  // the beat register holds a lane; it waits for the bus
  logic [       31:5] addr_q;  // of the next beat
  logic [       19:0] beats_q;  // to come
  logic [BurstBits:0] burst_q;  // beats of the open burst to come
  logic [        4:0] open_q;  // bursts not acknowledged
  logic               error_q;

  logic word_accept, word_end, lane_accept, lane_ok, pad, aw_accept, w_accept, b_accept;
  logic [63:0] lane_data, lane_rest;
  logic [7:0] lane_strb, lane_rest_strb, word_strb;
  logic [3:0] word_bytes;
  logic [BurstBits:0] to_boundary;
  logic [BurstBits:0] burst_beats;

  // Words to lanes. After the last word its rest is a lane of its own.
  assign word_bytes = bytes_q >= 25'd8 ? 4'd8 : bytes_q[3:0];
  assign word_end   = bytes_q <= 25'd8;
  always_comb begin
    for (int unsigned i = 0; i < 8; i++) word_strb[i] = state_q == MEMORY && 4'(i) < word_bytes;
  end
  assign {lane_rest, lane_data} = {64'd0, state_q == MEMORY ? word_i : 64'd0} << {shift_q, 3'b000} | {64'd0, rest_q};
  assign {lane_rest_strb, lane_strb} = {8'd0, word_strb} << shift_q | {8'd0, rest_strb_q};

  assign lane_ok = !full_q || w_accept;
  assign prog_valid_o = state_q == PROGRAM && word_valid_i;
  assign prog_o = '{write: 1'b1, addr: {3'd0, addr_q, lane_q}, wdata: word_i};
  assign role_word_o = '{place: place_q, addr: {addr_q, lane_q, shift_q[2]}, pair: bytes_q >= 25'd8};
  assign word_ready_o = state_q == PROGRAM ? prog_ready_i : state_q == MEMORY && lane_ok;
  assign word_accept = word_valid_i && word_ready_o;
  assign lane_accept = (state_q == MEMORY && word_accept) || (state_q == FLUSH && rest_strb_q != 0 && lane_ok);

  // Beats to bursts.
  assign to_boundary = (BurstBits + 1)'(BurstBeats) - {1'b0, addr_q[5+:BurstBits]};
  assign burst_beats = beats_q < 20'(to_boundary) ? beats_q[BurstBits:0] : to_boundary;
  assign pad = state_q == FLUSH && rest_strb_q == 0 && !used_q;
  assign aw_valid_o = full_q && burst_q == 0 && !open_q[4];
  assign aw_addr_o = {8'd0, addr_q, 5'd0};
  assign aw_len_o = 8'(burst_beats) - 8'd1;
  assign w_valid_o = (full_q || pad) && burst_q != 0;
  assign w_data_o = beat_q;
  assign w_strb_o = full_q ? strb_q : '0;
  assign w_last_o = burst_q == 1;
  assign b_ready_o = open_q != 0;
  assign aw_accept = aw_valid_o && aw_ready_i;
  assign w_accept = w_valid_o && w_ready_i;
  assign b_accept = b_valid_i && b_ready_o;
  assign channel_o = place_q.target[6:0];
  assign cmd_ready_o = state_q == IDLE;
  assign error_o = error_q;

  always_comb begin
    state_d = state_q;
    case (state_q)
      IDLE: if (cmd_valid_i) state_d = cmd_i.words ? PROGRAM : MEMORY;
      PROGRAM: if (abort_i || (word_accept && word_end)) state_d = IDLE;
      MEMORY: if (abort_i || (word_accept && word_end)) state_d = FLUSH;
      FLUSH: if (pad && burst_q == 0 && open_q == 0) state_d = IDLE;
      default: state_d = IDLE;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= IDLE;
      rest_strb_q <= '0;
      used_q <= 1'b0;
      full_q <= 1'b0;
      burst_q <= '0;
      open_q <= '0;
      error_q <= 1'b0;
    end else begin
      state_q <= state_d;
      if (lane_accept) rest_strb_q <= lane_rest_strb;
      // A beat is full with its last lane, or when no more lanes come.
      if (lane_accept) begin
        used_q <= 1'b1;
        full_q <= lane_q == 2'd3;
      end else if (w_accept && full_q) begin
        used_q <= 1'b0;
        full_q <= 1'b0;
      end else if (state_q == FLUSH && rest_strb_q == 0 && used_q) begin
        full_q <= 1'b1;
      end
      if (aw_accept) burst_q <= burst_beats;
      else if (w_accept) burst_q <= burst_q - 1'b1;
      open_q <= open_q + 5'(aw_accept) - 5'(b_accept);
      if (cmd_valid_i && cmd_ready_o) error_q <= 1'b0;
      else if (b_accept && b_resp_i != 2'b00) error_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == IDLE && cmd_valid_i) begin
      place_q <= cmd_i.place;
      bytes_q <= cmd_i.bytes;
      shift_q <= cmd_i.address[2:0];
      lane_q  <= cmd_i.address[4:3];
      addr_q  <= cmd_i.address[31:5];
      beats_q <= 20'((26'(cmd_i.bytes) + 26'(cmd_i.address[4:0]) + 26'd31) >> 5);
      rest_q  <= '0;
    end else begin
      if (word_accept) begin
        bytes_q <= bytes_q - 25'(word_bytes);
        lane_q  <= lane_q + 2'd1;
        if (state_q == PROGRAM && lane_q == 2'd3) addr_q <= addr_q + 1'b1;
      end else if (lane_accept) begin
        lane_q <= lane_q + 2'd1;
      end
      if (lane_accept) begin
        rest_q <= lane_rest;
        beat_q[64*lane_q+:64] <= lane_data;
        strb_q[8*lane_q+:8] <= lane_strb;
        for (int unsigned i = 0; i < 4; i++) begin
          if (2'(i) != lane_q && (!used_q || full_q)) strb_q[8*i+:8] <= '0;
        end
      end
      if (w_accept) begin
        addr_q  <= addr_q + 1'b1;
        beats_q <= beats_q - 20'd1;
      end
    end
  end

endmodule
