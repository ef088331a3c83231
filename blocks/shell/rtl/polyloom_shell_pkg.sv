// SPDX-License-Identifier: Apache-2.0
// polyloom_shell_pkg: host frames and the types at a shell's ports, the numbers of blocks/shell/host_frames.h.
// How:          check_range and check_frame are decode() of host_frames.cc, rule by rule in the same order, on what a
//               streaming parser keeps of a frame: its first two words, its number of words, its last word.
// Source: blocks/shell/host_frames.h.   Tests: shell_swap_test.cc (random frames against the C++ decoder).
package polyloom_shell_pkg;

  typedef enum logic [7:0] {
    OP_MSG         = 8'h01,
    OP_WRITE       = 8'h02,
    OP_READ        = 8'h03,
    OP_REG_WRITE   = 8'h04,
    OP_REG_READ    = 8'h05,
    OP_UART_IN     = 8'h06,
    OP_START       = 8'h07,
    OP_WRITE_DONE  = 8'h42,
    OP_READ_DATA   = 8'h43,
    OP_REG_DATA    = 8'h45,
    OP_UART_OUT    = 8'h46,
    OP_FAULT       = 8'h48,
    OP_EVENT       = 8'h49,
    OP_FRAME_ERROR = 8'h4f
  } op_e;

  typedef enum logic [7:0] {
    SPACE_SLICE0     = 8'd0,
    SPACE_SLICE1     = 8'd1,
    SPACE_INSTR      = 8'd2,
    SPACE_SCRATCHPAD = 8'd3,
    SPACE_CHANNEL    = 8'd4,
    SPACE_PROGRAM    = 8'd5
  } space_e;
  localparam logic [7:0] SPACES = 8'd6;

  // FrameReason; REASON_NONE: the frame is well formed.
  typedef enum logic [2:0] {
    REASON_NONE       = 3'd0,
    REASON_EMPTY      = 3'd1,
    REASON_UNKNOWN_OP = 3'd2,
    REASON_LENGTH     = 3'd3,
    REASON_SPACE      = 3'd4,
    REASON_RANGE      = 3'd5,
    REASON_FIELD      = 3'd6,
    REASON_REFUSED    = 3'd7
  } reason_e;

  localparam int unsigned MAX_DMA_BYTES = 1 << 24;
  localparam int unsigned MAX_SHORT_WORDS = 34;  // 2 + 2 * kMaxFrameFlits; only a write may be longer

  // Management registers.
  localparam logic [31:0] REG_MAGIC = 0;
  localparam logic [31:0] REG_VERSION = 1;
  localparam logic [31:0] REG_ROLE = 2;
  localparam logic [31:0] REG_POSITION = 3;
  localparam logic [31:0] REG_CLOCK_HZ = 4;
  localparam logic [31:0] REG_CYCLE = 5;
  localparam logic [31:0] REG_STATUS = 6;
  localparam logic [31:0] REG_CONTROL = 7;
  localparam logic [31:0] REG_FRAMES_IN = 8;
  localparam logic [31:0] REG_FRAMES_OUT = 9;
  localparam logic [31:0] REG_BAD_FRAMES = 10;
  localparam logic [31:0] REG_BYTES_WRITTEN = 11;
  localparam logic [31:0] REG_BYTES_READ = 12;
  localparam logic [31:0] REG_ROLE_BASE = 32'h100;
  localparam logic [63:0] MAGIC = 64'h4d4f4f4c594c4f50;  // "POLYLOOM" in byte order
  localparam logic [63:0] VERSION = 1;

  // A word on the host link, AXI4-Stream's TLAST and TDATA.
  typedef struct packed {
    logic        last;
    logic [63:0] data;
  } host_word_t;

  // A memory channel: AXI4 of 256 bits without IDs. Fixed: AxSIZE 5, AxBURST INCR, at most 16 beats, no 4 KiB crossed.
  localparam int unsigned MEM_ADDR_BITS = 40;
  localparam int unsigned MEM_DATA_BITS = 256;
  localparam int unsigned MEM_BYTES = MEM_DATA_BITS / 8;

  // Program memory, or a memory of the role (RoleSpaces): one 64-bit word.
  typedef struct packed {
    logic        write;
    logic [31:0] addr;   // in words; of a role's memory see role_word_t
    logic [63:0] wdata;
  } prog_req_t;

  // Which memory.
  typedef struct packed {
    logic       scratchpad;  // of the role's memories, else an instruction memory
    logic       all;         // every one of them; target means nothing
    logic [9:0] target;      // channel, or memory of the role
  } place_t;

  // Where the halves of a prog_req_t lie that goes to a memory of the role.
  typedef struct packed {
    place_t      place;
    logic [29:0] addr;   // of the low half, in 32-bit words; the high half lies behind it
    logic        pair;   // there is a high half
  } role_word_t;

  // What a role is asked: are these bytes there? (has() of blocks/shell/sim/shell.h) Channel and program are not.
  typedef struct packed {
    logic [7:0]  space;    // of space_e
    logic [31:0] target;
    logic [31:0] address;
    logic [24:0] bytes;    // 1..MAX_DMA_BYTES
  } range_t;

  // Role registers; index counts from REG_ROLE_BASE.
  typedef struct packed {
    logic        write;
    logic [31:0] index;
    logic [63:0] wdata;
  } reg_req_t;
  typedef struct packed {
    logic        error;  // no such register, or not in this direction
    logic [63:0] rdata;
  } reg_rsp_t;

  // What a role tells its host (EventFrame).
  typedef struct packed {
    logic [7:0]  code;
    logic [23:0] detail;
    logic [63:0] begin_cycle;
    logic [63:0] finish_cycle;
    logic [63:0] value;
  } event_t;

  // Inside the shell: a response of two words, with data from the read DMA behind them if `read`.
  typedef struct packed {
    logic        read;
    logic [63:0] word0;
    logic [63:0] word1;
  } response_t;
  typedef struct packed {
    logic        words;    // in the program or a memory of the role, else in a memory channel
    place_t      place;
    logic [31:0] address;  // of a byte
    logic [24:0] bytes;    // 1..MAX_DMA_BYTES
  } dma_cmd_t;

  // Words that carry `bytes` bytes, bytes <= MAX_DMA_BYTES.
  function automatic logic [21:0] words_of(input logic [24:0] bytes);
    return bytes[24:3] + 22'(|bytes[2:0]);
  endfunction

  // True if bytes of a last word that lie past the range are zero.
  function automatic logic is_padded(input logic [2:0] bytes, input logic [63:0] word);
    return bytes == 0 || (word >> {bytes, 3'b000}) == 0;
  endfunction

  // decode_range().
  function automatic reason_e check_range(input logic [63:0] word0, input logic [63:0] word1);
    automatic logic [7:0] space = word0[15:8];
    automatic logic [31:0] target = word1[63:32];
    automatic logic [31:0] bytes = word1[31:0];
    automatic logic [31:0] address = word0[63:32];
    automatic logic instr = space == SPACE_INSTR;
    automatic logic [32:0] range_end = 33'(address) + (instr ? 33'(bytes[31:2]) : 33'(bytes));
    if (space >= SPACES) return REASON_SPACE;
    if ((space == SPACE_SLICE0 || space == SPACE_SLICE1 || space == SPACE_PROGRAM) && target != 0) return REASON_SPACE;
    if (bytes == 0 || bytes > MAX_DMA_BYTES) return REASON_RANGE;
    if (instr && bytes[1:0] != 0) return REASON_RANGE;
    if (range_end > 33'h1_0000_0000) return REASON_RANGE;
    return REASON_NONE;
  endfunction

  // decode() of a whole frame of `count` words, 1..MAX_SHORT_WORDS. A write of more than one word never comes here.
  function automatic reason_e check_frame(input logic [63:0] word0, input logic [63:0] word1, input logic [5:0] count,
                                          input logic [63:0] last_word);
    automatic logic [7:0] aux = word0[15:8];
    automatic logic [31:0] arg = word0[63:32];
    automatic reason_e range = check_range(word0, word1);
    case (word0[7:0])
      OP_MSG: begin
        if (aux == 0 || aux > 8'd16) return REASON_FIELD;
        return 8'(count) != 8'd2 + (aux << 1) ? REASON_LENGTH : REASON_NONE;
      end
      OP_WRITE, OP_READ, OP_WRITE_DONE, OP_READ_DATA: begin
        if (count < 2) return REASON_LENGTH;
        if (range != REASON_NONE) return range;
        if (word0[7:0] != OP_READ_DATA) return count != 6'd2 ? REASON_LENGTH : REASON_NONE;
        if (22'(count) != words_of(word1[24:0]) + 22'd2) return REASON_LENGTH;
        return is_padded(word1[2:0], last_word) ? REASON_NONE : REASON_FIELD;
      end
      OP_REG_WRITE, OP_REG_READ, OP_REG_DATA: begin
        if (count != (word0[7:0] == OP_REG_READ ? 6'd1 : 6'd2)) return REASON_LENGTH;
        return aux != 0 ? REASON_FIELD : REASON_NONE;
      end
      OP_UART_IN, OP_UART_OUT: begin
        if (count != 6'd1) return REASON_LENGTH;
        if (arg[30:24] != 0) return REASON_FIELD;
        return arg[31] && (word0[7:0] != OP_UART_IN || arg[15:0] != 0) ? REASON_FIELD : REASON_NONE;
      end
      OP_START: begin
        if (count != 6'd2) return REASON_LENGTH;
        if (arg[31:16] == 0 || aux == 0 || word1[63:32] != 0) return REASON_FIELD;
        return 17'(arg[15:0]) + 17'(arg[31:16]) > 17'h1_0000 ? REASON_RANGE : REASON_NONE;
      end
      OP_FAULT: begin
        if (count != 6'd2) return REASON_LENGTH;
        return aux == 0 ? REASON_FIELD : REASON_NONE;
      end
      OP_EVENT: begin
        if (count != 6'd4) return REASON_LENGTH;
        return arg[31:24] != 0 ? REASON_FIELD : REASON_NONE;
      end
      OP_FRAME_ERROR: begin
        if (count != 6'd2) return REASON_LENGTH;
        return aux == 0 || aux > 8'(REASON_REFUSED) || arg != 0 ? REASON_FIELD : REASON_NONE;
      end
      default: return REASON_UNKNOWN_OP;
    endcase
  endfunction

endpackage
