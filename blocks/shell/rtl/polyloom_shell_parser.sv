// SPDX-License-Identifier: Apache-2.0
// polyloom_shell_parser: takes the host's frames word by word, checks them, and has done what they ask.
// How:          HEADER keeps a short frame's first two words, its last word and its length; HANDLE decodes them.
//               BEGIN, WRITE, DRAIN stream a write to the write DMA while it arrives. REG asks a register, PASS gives the
//               whole frame to the role, RESPONSE queues the response, SKIP drops the rest of a refused frame.
// Latency:      last word of a short frame -> response in the queue: 3 cycles (2 if it needs no register).
// Throughput:   a word a cycle inside a frame; 3 to 4 cycles between short frames, 4 and the memory's response after a write.
// Backpressure: rx_ready_o depends on rx_i, rx_first_i and, in a write, on write_word_ready_i.
// Order/loss:   one frame at a time, as they come; every refused frame is answered once.
// Reset:        the state; a frame cut by reset is forgotten.
// Limits:       see polyloom_shell. A write to memory that memory refuses is answered frame_error `refused`.
// Cost:         545 LUT, 288 FF; 384 ALM with 8 channels (UltraScale+; Intel ALM estimated;
//               `polyloom synth collective_node`, Yosys 0.70, 2026-11).
// Source:       own design, behaviour of Shell::feed and Shell::handle in blocks/shell/sim/shell.cc.
// Tests:        test_polyloom_shell_parser.py; proof: formal/proofs.toml
module polyloom_shell_parser
  import polyloom_shell_pkg::*;
#(
    parameter int unsigned     Channels,
    parameter longint unsigned ChannelBytes,
    parameter int unsigned     ProgramWords,
    parameter bit              PassFrames,
    parameter bit              RoleSpaces   = 1'b0
) (
    input logic clk_i,
    input logic rst_ni,

    // From the host link
    input  logic       rx_valid_i,
    output logic       rx_ready_o,
    input  host_word_t rx_i,
    input  logic       rx_first_i,

    // To the sender. dma_cmd_o goes with a response that reads
    output logic      response_valid_o,
    input  logic      response_ready_i,
    output response_t response_o,
    output dma_cmd_t  dma_cmd_o,
    input  logic      reads_pending_i,

    // To the write DMA; it takes a command when it is idle
    output logic        write_valid_o,
    input  logic        write_ready_i,
    output logic        write_word_valid_o,
    input  logic        write_word_ready_i,
    output logic [63:0] write_word_o,
    output logic        write_abort_o,
    input  logic        write_error_i,

    // To the registers
    output logic     reg_valid_o,
    output reg_req_t reg_o,            // index as in the frame
    input  logic     reg_rsp_valid_i,
    input  reg_rsp_t reg_rsp_i,

    // To the role
    output range_t     range_o,
    input  logic       range_ok_i,         // depends on range_o
    output logic       pass_valid_o,
    input  logic       pass_ready_i,
    output host_word_t pass_o,
    input  logic       pass_rsp_valid_i,
    input  logic       pass_rsp_refused_i,

    output logic       idle_o,          // waits for a word from the host
    // Counting
    output logic       frame_in_o,      // a whole frame has come
    output logic       bad_frame_o,     // one was refused
    output logic [3:0] bytes_written_o
);

  typedef enum logic [3:0] {
    HEADER,
    HANDLE,
    BEGIN,
    WRITE,
    DRAIN,
    REGISTER,
    PASS,
    PASS_RESPONSE,
    RESPONSE,
    SKIP
  } state_e;
  typedef enum logic [1:0] {
    DATA_NONE,
    DATA_REG,
    DATA_READ,
    DATA_DONE
  } reply_e;

  state_e state_q, state_d;
  logic [5:0] count_q, count_d;  // words of this frame taken, in HEADER
  logic ended_q, ended_d;  // its last word has been taken
  reason_e reason_q, reason_d;  // why it is refused, if it is
  reply_e reply_q, reply_d;  // else what the response is
  logic [21:0] left_q, left_d;  // words of a write to come
  logic [63:0] word0_q, word1_q, last_q, value_q;

  logic [7:0] op;
  logic is_write, has_range, cut, accept, last_data, misfit;
  logic [2:0] tail;
  reason_e short_reason, write_reason;
  assign op = word0_q[7:0];
  assign is_write = op == OP_WRITE;
  assign short_reason = check_frame(word0_q, word1_q, count_q, last_q);
  assign write_reason = check_range(word0_q, word1_q);

  // What the range would be; `has_range` counts only after check_range found nothing.
  logic [7:0] space;
  assign space   = word0_q[15:8];
  assign range_o = '{space: space, target: word1_q[63:32], address: word0_q[63:32], bytes: word1_q[24:0]};
  if (RoleSpaces) begin : gen_role_spaces
    assign has_range = range_ok_i;
    always_comb begin
      dma_cmd_o = '{
          words: space != SPACE_SLICE0 && space != SPACE_SLICE1,
          place: '{scratchpad: space == SPACE_SCRATCHPAD, all: word1_q[63], target: word1_q[41:32]},
          address: word0_q[63:32],
          bytes: word1_q[24:0]
      };
      if (!dma_cmd_o.words) dma_cmd_o.place.target = 10'(space[0]);
      if (space == SPACE_INSTR) dma_cmd_o.address = {word0_q[61:32], 2'b00};
    end
  end else begin : gen_channels
    logic [33:0] range_end;
    assign range_end = 34'(word0_q[63:32]) + 34'(word1_q[24:0]);
    always_comb begin
      has_range = range_ok_i && 1'b0;
      if (space == SPACE_CHANNEL) has_range = word1_q[63:32] < Channels && range_end <= 34'(ChannelBytes);
      if (space == SPACE_PROGRAM) begin
        has_range = word0_q[34:32] == 0 && word1_q[2:0] == 0 && range_end <= 34'(ProgramWords) << 3;
      end
    end
    assign dma_cmd_o = '{
            words: space == SPACE_PROGRAM,
            place: '{scratchpad: 1'b0, all: 1'b0, target: {3'd0, word1_q[38:32]}},
            address: word0_q[63:32],
            bytes: word1_q[24:0]
        };
  end

  // A word that begins a frame while another is open: the open one has lost its tail.
  assign cut = rx_valid_i && rx_first_i && (state_q != HEADER || count_q != 0);
  assign tail = word1_q[2:0];
  assign last_data = left_q == 22'd1;
  assign misfit = rx_i.last != last_data || (last_data && !is_padded(tail, rx_i.data));

  always_comb begin
    case (state_q)
      HEADER, SKIP: rx_ready_o = !cut;
      WRITE: rx_ready_o = !cut && (misfit || write_word_ready_i);
      default: rx_ready_o = 1'b0;
    endcase
  end
  assign accept = rx_valid_i && rx_ready_o;
  assign write_word_valid_o = state_q == WRITE && rx_valid_i && !cut && !misfit;
  assign write_word_o = rx_i.data;
  assign write_abort_o = state_q == WRITE && rx_valid_i && (cut || misfit);
  assign write_valid_o = state_q == BEGIN && state_d == WRITE;
  assign bytes_written_o = !(write_word_valid_o && write_word_ready_i) ? 4'd0
                         : last_data && tail != 0 ? {1'b0, tail} : 4'd8;

  assign reg_valid_o = state_q == REGISTER;
  assign reg_o = '{write: op == OP_REG_WRITE, index: word0_q[63:32], wdata: word1_q};

  assign idle_o = (state_q == HEADER || state_q == SKIP) && !rx_valid_i;
  assign response_valid_o = state_q == RESPONSE;
  assign bad_frame_o = response_valid_o && response_ready_i && reason_q != REASON_NONE;
  always_comb begin
    response_o = '{read: 1'b0, word0: {word0_q[63:8], OP_WRITE_DONE}, word1: word1_q};
    if (reply_q == DATA_REG) response_o = '{read: 1'b0, word0: {word0_q[63:8], OP_REG_DATA}, word1: value_q};
    if (reply_q == DATA_READ) response_o = '{read: 1'b1, word0: {word0_q[63:8], OP_READ_DATA}, word1: word1_q};
    if (reason_q != REASON_NONE) begin
      response_o = '{read: 1'b0, word0: {32'd0, word0_q[31:16], 8'(reason_q), OP_FRAME_ERROR}, word1: word0_q};
    end
  end

  // The role's copy of a short frame: its words are kept only if some role may want them.
  logic pass_end;
  if (PassFrames) begin : gen_pass
    logic [63:0] words_q [64];
    logic [ 5:0] index_q;
    always_ff @(posedge clk_i) begin
      if (state_q == HEADER && accept) words_q[count_q] <= rx_i.data;
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) index_q <= '0;
      else if (state_q != PASS) index_q <= '0;
      else if (pass_ready_i) index_q <= index_q + 6'd1;
    end
    assign pass_valid_o = state_q == PASS;
    assign pass_o = '{last: index_q + 6'd1 == count_q, data: words_q[index_q]};
    assign pass_end = pass_valid_o && pass_ready_i && pass_o.last;
  end else begin : gen_no_pass
    assign pass_valid_o = 1'b0;
    assign pass_o = '0;
    assign pass_end = pass_ready_i && 1'b0;
  end

  always_comb begin
    state_d = state_q;
    count_d = count_q;
    ended_d = ended_q;
    reason_d = reason_q;
    reply_d = reply_q;
    left_d = left_q;
    frame_in_o = 1'b0;
    case (state_q)
      HEADER: begin
        reply_d  = DATA_NONE;
        reason_d = REASON_NONE;
        ended_d  = accept ? rx_i.last : 1'b1;
        if (accept) count_d = count_q + 6'd1;
        if (cut) begin
          reason_d = REASON_LENGTH;
          state_d  = RESPONSE;
        end else if (accept && count_q == 6'd1 && is_write) begin
          state_d = BEGIN;
        end else if (accept && rx_i.last) begin
          frame_in_o = 1'b1;
          state_d = HANDLE;
        end else if (accept && count_q == 6'(MAX_SHORT_WORDS - 1)) begin
          reason_d = REASON_LENGTH;
          state_d  = RESPONSE;
        end
      end
      HANDLE: begin
        state_d  = RESPONSE;
        reason_d = short_reason;
        if (short_reason == REASON_NONE) begin
          case (op)
            OP_READ: begin
              if (has_range) reply_d = DATA_READ;
              else reason_d = REASON_REFUSED;
            end
            OP_REG_READ, OP_REG_WRITE: state_d = REGISTER;
            OP_MSG, OP_UART_IN, OP_START: begin
              if (PassFrames) state_d = PASS;
              else reason_d = REASON_REFUSED;
            end
            default: reason_d = REASON_REFUSED;  // what only boards send
          endcase
        end
      end
      BEGIN: begin
        left_d  = words_of(word1_q[24:0]);
        state_d = RESPONSE;
        if (write_reason != REASON_NONE) reason_d = write_reason;
        else if (ended_q) reason_d = REASON_LENGTH;
        else if (!has_range) reason_d = REASON_REFUSED;
        else state_d = reads_pending_i || !write_ready_i ? BEGIN : WRITE;
      end
      WRITE: begin
        if (accept && !misfit) left_d = left_q - 22'd1;
        if (write_abort_o) begin
          ended_d  = cut || rx_i.last;
          reason_d = cut || rx_i.last != last_data ? REASON_LENGTH : REASON_FIELD;
          state_d  = DRAIN;
        end else if (accept && rx_i.last) begin
          ended_d = 1'b1;
          state_d = DRAIN;
        end
      end
      DRAIN: begin
        reply_d = DATA_DONE;
        if (write_ready_i) begin
          state_d = RESPONSE;
          if (reason_q == REASON_NONE && write_error_i) reason_d = REASON_REFUSED;
          frame_in_o = reason_d == REASON_NONE;
        end
      end
      REGISTER: begin
        reply_d = DATA_REG;
        if (reg_rsp_valid_i) begin
          state_d = RESPONSE;
          if (reg_rsp_i.error) reason_d = REASON_REFUSED;
          else if (op == OP_REG_WRITE) state_d = HEADER;
        end
      end
      PASS: if (pass_end) state_d = PASS_RESPONSE;
      PASS_RESPONSE: begin
        if (pass_rsp_valid_i) begin
          state_d  = pass_rsp_refused_i ? RESPONSE : HEADER;
          reason_d = REASON_REFUSED;
        end
      end
      RESPONSE: if (response_ready_i) state_d = ended_q ? HEADER : SKIP;
      SKIP: if (cut || (accept && rx_i.last)) state_d = HEADER;
      default: state_d = HEADER;
    endcase
    if (state_q != HEADER && state_d == HEADER) count_d = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= HEADER;
      count_q <= '0;
    end else begin
      state_q <= state_d;
      count_q <= count_d;
    end
  end

  always_ff @(posedge clk_i) begin
    ended_q  <= ended_d;
    reason_q <= reason_d;
    reply_q  <= reply_d;
    left_q   <= left_d;
    if (state_q == HEADER && accept) begin
      last_q <= rx_i.data;
      if (count_q == 6'd0) word0_q <= rx_i.data;
      if (count_q == 6'd1) word1_q <= rx_i.data;
    end
    if (reg_rsp_valid_i) value_q <= reg_rsp_i.rdata;
  end

endmodule
