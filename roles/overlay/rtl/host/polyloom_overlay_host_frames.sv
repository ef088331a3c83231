// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_host_frames: the host's messages, console bytes and starts: checks them, hands them on, responds to the shell.
// How:          HEAD and SECOND keep the first words, CHECK decides. A message's payload goes on flit by flit; a console
//               byte is one request to the tiles, a start one for each thread, core by core; a start of all cores is one for each
//               thread of a core, which all cores take at once. DRAIN drops what is refused. With routers a message may have a
//               key as its destination: the bit that says so and no other; its mask is not checked.
// Latency:      last word -> response: 1 cycle (message), 2 (refused), 3 (byte), 2 and a cycle a request (start).
// Throughput:   a word a cycle; 3 cycles lost a frame.
// Backpressure: a message waits until its flits have room (flit_ready_i), a byte or start for ctl_ready_i; whatever the
//               host sent behind it waits too.
// Order/loss:   one frame after the other; each is answered once.
// Reset:        the state; data not. Takes a word from the first cycle.
// Limits:       frames that the shell has found well formed.
// Cost:         275 LUT, 209 FF (UltraScale+); 226 ALM (Intel, estimated); 482 LUT4 (ECP5). TINY, Yosys 0.70, 2026-11.
// Source:       Board::message, uart_in, start in roles/overlay/sim/board/board_shell.cc; formats: blocks/shell/host_frames.h.
// Tests:        test_polyloom_overlay_host_frames.py
module polyloom_overlay_host_frames
  import polyloom_overlay_pkg::*;
#(
    parameter cfg_t Cfg = TINY
) (
    input logic       clk_i,
    input logic       rst_ni,
    input logic [5:0] board_i,  // {y, x}
    input logic [7:0] mesh_i,   // {height, width}

    // From the shell
    input  logic                           pass_valid_i,
    output logic                           pass_ready_o,
    input  polyloom_shell_pkg::host_word_t pass_i,
    output logic                           pass_rsp_valid_o,
    output logic                           pass_rsp_refused_o,

    // To the buffer of messages
    output logic  flit_valid_o,
    input  logic  flit_ready_i,
    output flit_t flit_o,

    // To the tiles
    output logic     ctl_valid_o,
    input  logic     ctl_ready_i,
    output ctl_req_t ctl_o,

    output logic idle_o
);
  import polyloom_shell_pkg::OP_MSG, polyloom_shell_pkg::OP_UART_IN, polyloom_shell_pkg::OP_START;

  localparam int unsigned Tiles = Cfg.tiles_x * Cfg.tiles_y;
  localparam int unsigned Cores = Tiles * Cfg.cores;
  localparam logic [63:0] Threads = ~64'd0 >> (64 - Cfg.cores * Cfg.threads);
  // Fields of a mailbox id (roles/overlay/arch/address.h).
  localparam int unsigned XBits = field_bits(Cfg.tiles_x);
  localparam int unsigned YBits = field_bits(Cfg.tiles_y);
  localparam int unsigned MailboxBits = mailbox_bits(Cfg.tiles_x, Cfg.tiles_y);

  typedef enum logic [2:0] {
    HEAD,
    SECOND,
    CHECK,
    PAYLOAD,
    REQUEST,
    DRAIN,
    RESPONSE
  } state_e;
  state_e state_q, state_d;
  logic refused_q, refused_d;
  logic [63:0] word0_q, word1_q, low_q;
  logic ended_q;  // the last word has been taken
  logic high_q;  // of a flit the high half is next
  logic begun_q;  // the first flit has been handed on
  logic [16:0] core_q;  // where the next request goes
  logic [4:0] thread_q;

  // The frame, as the first words have it.
  logic [7:0] op, aux;
  logic [31:0] arg;
  logic is_message, is_start, broadcast, every_core;
  assign op = word0_q[7:0];
  assign aux = word0_q[15:8];
  assign arg = word0_q[63:32];
  assign is_message = op == OP_MSG;
  assign is_start = op == OP_START;
  assign broadcast = arg[31];
  assign every_core = arg[15:0] == '0 && 32'(arg[31:16]) == Cores;  // of a start

  logic message_ok, mailbox_ok, is_key, start_ok, byte_ok, ok;
  logic [BOARD_BITS-1:0] to_x, to_y;
  assign to_x = arg[XBits+YBits+:BOARD_BITS];
  assign to_y = arg[XBits+YBits+BOARD_BITS+:BOARD_BITS];
  // The host's messages enter at board (0,0) only: its gate is the one that detection knows.
  assign message_ok = board_i == 0 && 32'(aux) <= Cfg.max_flits && (is_key || mailbox_ok);
  assign is_key = Cfg.routers && arg == 32'(key_bit(Cfg.tiles_x, Cfg.tiles_y));
  assign mailbox_ok = word1_q != 0 && (word1_q & ~Threads) == 0 &&
                      arg >> MailboxBits == 0 && 4'(to_x) < mesh_i[3:0] && 4'(to_y) < mesh_i[7:4] &&
                      32'(arg[XBits-1:0]) < Cfg.tiles_x && 32'(arg[XBits+:YBits]) < Cfg.tiles_y;
  assign start_ok = 32'(arg[15:0]) + 32'(arg[31:16]) <= Cores && 32'(aux) <= Cfg.threads;
  assign byte_ok = 32'(arg[23:16]) < Cfg.threads && (broadcast || 32'(arg[15:0]) < Cores);
  assign ok = is_message ? message_ok : is_start ? start_ok : byte_ok;

  logic accept, ctl_accept, last_request;
  assign accept = pass_valid_i && pass_ready_o;
  assign ctl_accept = ctl_valid_o && ctl_ready_i;
  always_comb begin
    case (state_q)
      HEAD, SECOND, DRAIN: pass_ready_o = 1'b1;
      PAYLOAD: pass_ready_o = !high_q || flit_ready_i;
      default: pass_ready_o = 1'b0;
    endcase
  end
  assign pass_rsp_valid_o = state_q == RESPONSE;
  assign pass_rsp_refused_o = refused_q;
  assign idle_o = state_q == HEAD;

  assign flit_valid_o = state_q == PAYLOAD && high_q && pass_valid_i;
  always_comb begin
    flit_o = '{first: !begun_q, last: pass_i.last, header: '0, data: {pass_i.data, low_q}};
    if (!begun_q) begin
      flit_o.header = '{
          kind: is_key ? KIND_KEY : (word1_q & (word1_q - 64'd1)) == 0 ? KIND_UNICAST : KIND_MASK,
          flits: 2'(aux - 8'd1),
          dest: arg[DEST_BITS-1:0],
          mask: word1_q
      };
    end
  end

  assign last_request = !is_start || (8'(thread_q) + 8'd1 == aux &&
                                      (every_core || core_q + 17'd1 == 17'(arg[15:0]) + 17'(arg[31:16])));
  assign ctl_valid_o = state_q == REQUEST;
  always_comb begin
    ctl_o = '{op: CTL_UART, all: broadcast, target: arg[9:0], addr: {12'd0, arg[19:16]}, data: {24'd0, aux}};
    if (is_start) begin
      ctl_o = '{
          op: CTL_START,
          all: every_core,
          target: core_q[9:0],
          addr: {12'd0, thread_q[3:0]},
          data: word1_q[31:0]
      };
    end
  end

  always_comb begin
    state_d   = state_q;
    refused_d = refused_q;
    case (state_q)
      HEAD: if (accept) state_d = pass_i.last ? CHECK : SECOND;
      SECOND: if (accept) state_d = CHECK;
      CHECK: begin
        refused_d = !ok;
        if (!ok) state_d = ended_q ? RESPONSE : DRAIN;
        else state_d = is_message ? PAYLOAD : REQUEST;
      end
      PAYLOAD: if (accept && pass_i.last) state_d = RESPONSE;
      REQUEST: if (ctl_accept && last_request) state_d = RESPONSE;
      DRAIN: if (accept && pass_i.last) state_d = RESPONSE;
      default: state_d = HEAD;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= HEAD;
    else state_q <= state_d;
  end
  always_ff @(posedge clk_i) begin
    refused_q <= refused_d;
    if (accept) ended_q <= pass_i.last;
    if (state_q == HEAD && accept) word0_q <= pass_i.data;
    if (state_q == SECOND && accept) word1_q <= pass_i.data;
    if (state_q == CHECK) begin
      high_q   <= 1'b0;
      begun_q  <= 1'b0;
      core_q   <= 17'(arg[15:0]);
      thread_q <= '0;
    end
    if (state_q == PAYLOAD && accept) begin
      high_q <= !high_q;
      if (high_q) begun_q <= 1'b1;
      else low_q <= pass_i.data;
    end
    if (ctl_accept) begin
      thread_q <= 8'(thread_q) + 8'd1 == aux ? '0 : thread_q + 5'd1;
      if (8'(thread_q) + 8'd1 == aux) core_q <= core_q + 17'd1;
    end
  end

  logic unused;
  assign unused = ^{op == OP_UART_IN, word0_q[31:16], core_q[16:10], thread_q[4]};

endmodule
