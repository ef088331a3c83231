// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_host_tx: makes frames of what a board tells its host: messages, console bytes, faults.
// How:          PICK takes turns between messages and events. Of a message MESSAGE, MASK are the frame's first words, LOW and
//               HIGH the halves of a flit. EVENT and WHY are the words of a fault; a byte is EVENT alone.
// Latency:      1 cycle from an event or a first flit to the frame's first word.
// Throughput:   a word a cycle; 1 cycle lost a frame, so 2 flits in 7 cycles (1-flit messages: 5 cycles, 4-flit: 11).
// Backpressure: tx_ready_i -> exit_ready_o, event_ready_o is combinational; a flit or event is taken with its last word.
// Order/loss:   messages and events each in their order.
// Reset:        back to PICK; the last choice was an event.
// Limits:       a message that stops half way holds the events.
// Cost:         182 LUT, 8 FF (UltraScale+); 98 ALM (Intel, estimated); 305 LUT4 (ECP5). TINY, Yosys 0.70, 2026-11.
// Source:       Board::host_messages_out, uart_out, fault, net_fault in roles/overlay/sim/board/board.cc.
// Tests:        test_polyloom_overlay_host_tx.py
module polyloom_overlay_host_tx
  import polyloom_overlay_pkg::*;
#(
    parameter cfg_t Cfg = TINY
) (
    input logic       clk_i,
    input logic       rst_ni,
    input logic [5:0] board_i, // {y, x}

    // From the board router
    input  logic  exit_valid_i,
    output logic  exit_ready_o,
    input  flit_t exit_i,

    // From the tiles
    input  logic              event_valid_i,
    output logic              event_ready_o,
    input  tile_event_t       event_i,
    input  logic        [7:0] event_tile_i,

    // To the shell
    output logic                           tx_valid_o,
    input  logic                           tx_ready_i,
    output polyloom_shell_pkg::host_word_t tx_o,

    output logic host_out_o,  // pulse: a message is on the host link
    output logic idle_o
);
  import polyloom_shell_pkg::OP_MSG, polyloom_shell_pkg::OP_UART_OUT, polyloom_shell_pkg::OP_FAULT;

  typedef enum logic [2:0] {
    PICK,
    MESSAGE,
    MASK,
    LOW,
    HIGH,
    EVENT,
    WHY
  } state_e;
  state_e state_q, state_d;
  logic message_last_q;  // the last frame was a message
  logic accept;

  localparam int unsigned XBits = field_bits(Cfg.tiles_x);
  localparam int unsigned YBits = field_bits(Cfg.tiles_y);

  // Where an event comes from: as a thread's id, and as the core on the board and the thread in it.
  logic [31:0] thread_id;
  logic [15:0] core;
  logic [ 7:0] thread;
  always_comb begin
    thread_id = 32'({
      board_i, YBits'(32'(event_tile_i) / Cfg.tiles_x), XBits'(32'(event_tile_i) % Cfg.tiles_x), event_i.thread
    });
    core = 16'(32'(event_tile_i) * Cfg.cores + 32'(event_i.thread) / Cfg.threads);
    thread = 8'(32'(event_i.thread) % Cfg.threads);
  end

  always_comb begin
    tx_valid_o = 1'b0;
    tx_o = '0;
    case (state_q)
      MESSAGE: begin
        tx_valid_o = 1'b1;
        tx_o.data  = {32'(exit_i.header.dest), 16'd0, 8'(exit_i.header.flits) + 8'd1, OP_MSG};
      end
      MASK: begin
        tx_valid_o = 1'b1;
        tx_o.data  = exit_i.header.mask;
      end
      LOW: begin
        tx_valid_o = exit_valid_i;
        tx_o.data  = exit_i.data[63:0];
      end
      HIGH: begin
        tx_valid_o = exit_valid_i;
        tx_o = '{last: exit_i.last, data: exit_i.data[127:64]};
      end
      EVENT: begin
        tx_valid_o = 1'b1;
        if (event_i.fault) tx_o.data = {thread_id, 16'd0, event_i.cause, OP_FAULT};
        else tx_o = '{last: 1'b1, data: {8'd0, thread, core, 16'd0, event_i.cause, OP_UART_OUT}};
      end
      WHY: begin
        tx_valid_o = 1'b1;
        tx_o = '{last: 1'b1, data: {event_i.value, event_i.pc}};
      end
      default: ;
    endcase
  end

  assign accept = tx_valid_o && tx_ready_i;
  assign exit_ready_o = state_q == HIGH && tx_ready_i;
  assign event_ready_o = accept && tx_o.last && state_q != HIGH;
  assign host_out_o = accept && tx_o.last && state_q == HIGH;
  assign idle_o = state_q == PICK && !exit_valid_i && !event_valid_i;

  always_comb begin
    state_d = state_q;
    if (state_q == PICK) begin
      if (event_valid_i && (message_last_q || !exit_valid_i)) state_d = EVENT;
      else if (exit_valid_i) state_d = MESSAGE;
    end else if (accept) begin
      case (state_q)
        MESSAGE: state_d = MASK;
        MASK: state_d = LOW;
        LOW: state_d = HIGH;
        HIGH: state_d = tx_o.last ? PICK : LOW;
        EVENT: state_d = tx_o.last ? PICK : WHY;
        default: state_d = PICK;
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= PICK;
      message_last_q <= 1'b0;
    end else begin
      state_q <= state_d;
      if (accept && tx_o.last) message_last_q <= state_q == HIGH;
      assert (state_q != MESSAGE || exit_i.first);
    end
  end

  logic unused;
  assign unused = ^{exit_i.header.kind};

endmodule
