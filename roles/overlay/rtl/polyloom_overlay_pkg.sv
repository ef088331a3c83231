// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_pkg: sizes of an overlay board and the types at the ports of its parts.
// How:          cfg_t is the one parameter of every part. Numbers and meanings are those of roles/overlay/sim: a thread's index
//               counts through the tile (core * threads + thread), a tile's number is y * tiles_x + x.
// Source: Tinsel paper III, Multicast paper III; own design.   Tests: those of the parts.
package polyloom_overlay_pkg;

  // Legal values: polyloom_overlay_node.
  typedef struct packed {
    int unsigned tiles_x;
    int unsigned tiles_y;
    int unsigned cores;            // of a tile
    int unsigned threads;          // of a core
    int unsigned instr_words;      // of an instruction memory, which two cores share
    int unsigned cache_ways;
    int unsigned cache_sets;       // of a thread
    int unsigned line_bytes;       // 32, 64
    int unsigned slices;           // memory slices; tiles are divided evenly over them
    int unsigned mailbox_slots;
    int unsigned max_flits;        // of a message, 1..4
    int unsigned noc_link_flits;   // buffer at each input of a tile's router
    bit          extra_send_slot;  // slots 64..127 send too
    bit          fpu;              // F
    bit          muldiv;           // M
    bit          routers;          // the board router turns keys into copies
  } cfg_t;

  // One tile: where a part is looked at alone.
  localparam cfg_t TINY = '{
      tiles_x: 1,
      tiles_y: 1,
      cores: 4,
      threads: 16,
      instr_words: 2048,
      cache_ways: 16,
      cache_sets: 4,
      line_bytes: 32,
      slices: 1,
      mailbox_slots: 512,
      max_flits: 4,
      noc_link_flits: 16,
      extra_send_slot: 1'b0,
      fpu: 1'b1,
      muldiv: 1'b1,
      routers: 1'b1
  };

  localparam int unsigned INDEX_BITS = 6;  // a thread in its tile
  localparam int unsigned BOARD_BITS = 3;  // a board's x, y
  localparam int unsigned DEST_BITS = 20;  // a mailbox id with its extra address bits
  localparam int unsigned FLIT_BITS = 128;
  localparam int unsigned SLOT_BYTES = 64;
  localparam int unsigned SLOT_BITS = 9;  // 512 slots at most
  localparam int unsigned SCRATCHPAD_BITS = 15;  // byte address in the scratchpad
  localparam int unsigned HOST_FLITS = 512;  // of the host's messages that wait; a host has no more under way
  localparam int unsigned EXIT_FLITS = 32;  // buffers between board router and links or host

  // Instructions are counted as issued at cycle c; the unit that they call sees them CALL_CYCLES later.
  localparam int unsigned CALL_CYCLES = 6;

  // Fault causes on the wire: RISC-V's mcause + 1, a byte of the host's that the thread had no room for
  // (arch/fault_codes.h), and why the network refuses a message (arch/send_fault.h).
  localparam logic [7:0] CAUSE_MISALIGNED_JUMP = 8'd1;
  localparam logic [7:0] CAUSE_BAD_FETCH = 8'd2;
  localparam logic [7:0] CAUSE_ILLEGAL = 8'd3;
  localparam logic [7:0] CAUSE_BREAKPOINT = 8'd4;
  localparam logic [7:0] CAUSE_MISALIGNED_LOAD = 8'd5;
  localparam logic [7:0] CAUSE_BAD_LOAD = 8'd6;
  localparam logic [7:0] CAUSE_MISALIGNED_STORE = 8'd7;
  localparam logic [7:0] CAUSE_BAD_STORE = 8'd8;
  localparam logic [7:0] CAUSE_ENVIRONMENT_CALL = 8'd12;
  localparam logic [7:0] CAUSE_CONSOLE = 8'h81;
  localparam logic [7:0] CAUSE_CONSOLE_READ = 8'h82;  // no fault
  localparam logic [7:0] CAUSE_ROOM = 8'h88;  // no fault
  localparam logic [4:0] CAUSE_SEND = 5'h10;  // upper bits of send_fault_e's causes
  localparam logic [4:0] CAUSE_ROUTE = 5'h12;  // of route_why_e's
  typedef enum logic [2:0] {
    SEND_NOWHERE = 3'd0,
    SEND_BUSY    = 3'd3,
    SEND_LENGTH  = 3'd4,
    SEND_NO_RECEIVER  = 3'd5,
    SEND_THREAD  = 3'd6,
    SEND_POINTER = 3'd7
  } send_fault_e;

  // ---- messages ----

  // What the address of a message means (README.md). No thread sends the last two.
  typedef enum logic [2:0] {
    KIND_UNICAST = 3'd0,
    KIND_MASK    = 3'd1,
    KIND_KEY     = 3'd2,
    KIND_HOST    = 3'd3,
    KIND_REDUCE  = 3'd4,
    KIND_CONTROL = 3'd5
  } kind_e;

  // Bits of a tile's x or y in a mailbox id: as many as on the published board unless this one is larger.
  function automatic int unsigned field_bits(input int unsigned tiles);
    return tiles > 4 ? $clog2(tiles) : 2;
  endfunction

  // Of a mailbox id: {y, x} of the board, y, x of the tile. Above it stand: which host, host, key, accelerator.
  function automatic int unsigned mailbox_bits(input int unsigned tiles_x, input int unsigned tiles_y);
    return field_bits(tiles_x) + field_bits(tiles_y) + 2 * BOARD_BITS;
  endfunction

  function automatic logic [DEST_BITS-1:0] key_bit(input int unsigned tiles_x, input int unsigned tiles_y);
    return DEST_BITS'(1) << (mailbox_bits(tiles_x, tiles_y) + 2);
  endfunction

  // Of how many inputs of the board router do the same in a cycle: four links, the host, each column of tiles.
  function automatic int unsigned inputs_bits(input int unsigned tiles_x);
    return $clog2(4 + 1 + tiles_x + 1);
  endfunction

  typedef struct packed {
    kind_e                kind;
    logic [1:0]           flits;  // - 1
    logic [DEST_BITS-1:0] dest;
    logic [63:0]          mask;   // receivers in the destination tile; in its low half the key of a KIND_KEY
  } header_t;

  // A flit between routers and mailboxes. Flits of a message follow each other without a gap.
  typedef struct packed {
    logic                 first;
    logic                 last;
    header_t              header;  // means something with the first flit
    logic [FLIT_BITS-1:0] data;
  } flit_t;

  // ---- cores and their units ----

  typedef enum logic [1:0] {
    MEM_LOAD,
    MEM_STORE,
    MEM_FLUSH   // addr: line << 4 | way, of the caller's partition
  } mem_op_e;

  // To the data cache and to the scratchpad; aligned and in range.
  typedef struct packed {
    mem_op_e     op;
    logic [1:0]  size;    // log2 of bytes
    logic        sign;    // loads: extend the sign
    logic [3:0]  thread;
    logic [31:0] addr;    // as the thread sees it
    logic [31:0] data;    // of a store, in its low bytes
  } mem_req_t;

  typedef enum logic [4:0] {
    FPU_MUL,
    FPU_MULH,
    FPU_MULHSU,
    FPU_MULHU,
    FPU_DIV,
    FPU_DIVU,
    FPU_REM,
    FPU_REMU,
    FPU_ADD,
    FPU_SUB,
    FPU_FMUL,
    FPU_FDIV,
    FPU_FSQRT,
    FPU_MADD,
    FPU_MSUB,
    FPU_NMSUB,
    FPU_NMADD,
    FPU_MIN,
    FPU_MAX,
    FPU_EQ,
    FPU_LT,
    FPU_LE,
    FPU_CLASS,
    FPU_TO_INT,
    FPU_TO_UINT,
    FPU_FROM_INT,
    FPU_FROM_UINT
  } fpu_op_e;

  typedef struct packed {
    fpu_op_e     op;
    logic [2:0]  rm;      // 0..4, already resolved
    logic [3:0]  thread;
    logic [31:0] a;
    logic [31:0] b;
    logic [31:0] c;
  } fpu_req_t;

  // A response: data for the register that the thread's instruction writes, if it writes one.
  typedef struct packed {
    logic [3:0]  thread;
    logic [31:0] data;
    logic [4:0]  flags;   // NV DZ OF UF NX; zero but for floating point
  } rsp_t;

  // ---- mailbox calls ----

  typedef struct packed {
    logic [3:0]           thread;
    logic [DEST_BITS-1:0] dest;
    logic [63:0]          mask;
    logic                 astray;  // SendPtr is no slot's address
    logic [SLOT_BITS-1:0] slot;
    logic [2:0]           flits;   // - 1; [2]: 5 or more
    logic [31:0]          pc;      // of the Send instruction, should the network refuse it
  } send_t;

  // WaitBits.
  localparam int unsigned WAIT_SEND = 0;
  localparam int unsigned WAIT_RECV = 1;
  localparam int unsigned WAIT_IDLE = 2;
  localparam int unsigned WAIT_VOTE = 3;

  // ---- memory ----

  // A cache asks its slice for a line, or writes one. Tag: index of the thread.
  typedef struct packed {
    logic                  write;
    logic [INDEX_BITS-1:0] tag;
    logic [31:0]           addr;   // of the line, as the thread sees it
  } line_req_t;

  // ---- the board and its tiles ----

  typedef enum logic [2:0] {
    CTL_WRITE_INSTR,       // target: pair of cores on the board; addr: word; data[31:0]
    CTL_READ_INSTR,
    CTL_WRITE_SCRATCHPAD,  // target: tile; addr: byte address, a multiple of 4; data[31:0]
    CTL_READ_SCRATCHPAD,
    CTL_START,             // target: core on the board; addr[3:0]: thread; data[31:0]: pc
    CTL_UART               // target: core on the board; addr[3:0]: thread; data[7:0]
  } ctl_op_e;

  // From the shell to all tiles, one after the other; answered by the one that it is for (all: none responds with data).
  typedef struct packed {
    ctl_op_e     op;
    logic        all;     // every tile, pair or core; target means nothing
    logic [9:0]  target;
    logic [15:0] addr;
    logic [31:0] data;
  } ctl_req_t;

  // What a tile tells its host: a byte of a thread's console; why a thread stopped, or that it has read its byte.
  typedef struct packed {
    logic                  fault;
    logic [INDEX_BITS-1:0] thread;
    logic [7:0]            cause;   // or the byte
    logic [31:0]           pc;
    logic [31:0]           value;
  } tile_event_t;

  // What a board's router tells its host: it passes over a record, or a key.
  typedef enum logic [2:0] {
    ROUTE_MEMORY,    // a beat of the key lies outside the board's memory
    ROUTE_RECORD,    // no such tag, more or fewer records than a beat holds
    ROUTE_RECEIVER,  // no such tile or thread, an empty mask
    ROUTE_LINK,      // no board behind the link
    ROUTE_U_TURN,    // back over its link, or from Y to X
    ROUTE_CHAIN      // a second indirection of a key, or too many of a message
  } route_why_e;

  typedef struct packed {
    route_why_e  why;
    logic [31:0] key;    // the key of this beat
    logic [31:0] value;  // of the record: the upper bits of its first chunk
  } route_fault_t;

  // What happened in a tile in this cycle, a pulse each.
  typedef struct packed {
    logic hit;
    logic miss;
    logic writeback;
    logic sent;       // a message to the network
    logic received;   // and from it
  } tile_count_t;

  // ---- inside the cores ----

  // Where the data of a latent instruction's response come from.
  typedef enum logic [2:0] {
    SRC_CACHE,
    SRC_SCRATCHPAD,
    SRC_FPU,
    SRC_DIVIDER,
    SRC_WAKE,  // the result of WaitUntil
    SRC_ZERO  // Flush
  } response_src_e;

  // A register: f says which file.
  typedef struct packed {
    logic       f;
    logic [4:0] index;
  } reg_t;

  // What an instruction is, as far as the word tells.
  typedef struct packed {
    logic       illegal;     // whatever its other fields say
    logic       ecall;
    logic       ebreak;
    logic       branch;
    logic       jump;        // jal, jalr
    logic       load;
    logic       store;
    logic       fpu;         // asks the FPU: also integer multiply and divide
    logic       fp;          // and may raise flags
    logic       csr;
    logic       send;
    logic       a_pc;        // first operand of the adder: pc; else rs1
    logic       a_zero;      // or 0
    logic       b_imm;       // second operand: the immediate; else rs2
    logic       sub;         // second operand inverted, carry in
    logic       computes;    // the result is of one of these, which mean something then only
    logic       from_sum;
    logic       from_logic;
    logic       from_shift;
    logic       from_less;
    logic       move;        // fsgnj*, fmv.*: logic's pass, and a sign
    logic       not_signed;  // comparison
    logic       left;        // shift
    logic       arith;       // shift in the sign
    logic [2:0] f3;
    logic       rm;          // f3 is a rounding mode
    fpu_op_e    op;
    logic       rd_we;
    reg_t       rd;
  } decoded_t;

  // What goes through a core's pipeline beside threads' instructions.
  typedef struct packed {
    logic clear;  // after reset: all that the thread holds
    logic start;
    logic uart;   // a byte for the thread
  } core_op_t;

  // Why an instruction faults, what is needed to name the cause; at most one of the first four.
  typedef struct packed {
    logic bad_fetch;
    logic illegal;
    logic trap;
    logic ebreak;
    logic memory;
    logic store;
    logic aligned;
  } why_t;

  // What a CSR instruction does beside its thread's own registers; one cycle each.
  typedef struct packed {
    logic instr;       // word at InstrAddr := operand
    logic free;
    logic recv;
    logic wait_until;
    logic new_thread;
    logic kill;
    logic flush;
    logic to_uart;
    logic from_uart;
  } csr_act_t;

  // What of a thread's response is not yet in the register file.
  typedef struct packed {
    logic          valid;
    response_src_e src;
    logic          side;   // of a response of the cache: a fill makes its own bit the other than this
    logic          flags;  // the response brings flags that are not yet in fcsr
    reg_t          rd;
  } pending_t;

  // What a thread holds beside registers: only its own instructions read and write it, once each.
  typedef struct packed {
    logic [31:2]          pc;          // of the instruction
    logic [DEST_BITS-1:0] dest;        // SendDest
    logic                 astray;      // SendPtr has bits that no slot's address has
    logic                 scratchpad;  // and the one that all in the scratchpad have
    logic [SLOT_BITS-1:0] slot;        // and the slot
    logic [2:0]           len;         // SendLen; [2]: 4 or more
    logic                 beyond;      // InstrAddr is beyond the end
    logic [15:0]          addr;        // InstrAddr
  } context_t;

  // An instruction on its way from decoding to execution. Words lie at multiples of 32 bits, which a simulator likes.
  typedef struct packed {
    context_t    held;
    logic [31:0] word;
    logic [6:0]  zero;
    logic        bad;      // there is no instruction
    logic [3:0]  thread;
    pending_t    pending;
    decoded_t    decoded;
  } passing_t;

  // An instruction that has passed, and what the register file got in its pass, which may be the response of an earlier
  // instruction of the thread. For comparison with a reference.
  typedef struct packed {
    logic        valid;   // retired: no fault, not sent round again
    logic [3:0]  thread;
    logic [31:0] pc;
    logic [31:0] word;
    logic        we;
    logic        fp;
    logic [4:0]  rd;
    logic [31:0] data;
  } trace_t;

endpackage
