// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_isa_pkg: the sequencer's instructions: what each field does, and the names of its inputs and outputs.
// How:          one instruction a cycle does four things at once: result = a OP b; the result goes to a register or an output and,
//               if it stores, to memory; a load brings a word that the next instruction may use as b; a condition on the
//               result, or from outside, decides what comes next.
// Source: own design.   Tests: test_mpe_pair_rules.py, test_mpe_faults.py
package polyloom_mpe_isa_pkg;

  localparam int unsigned PROGRAM_WORDS = 2048;
  localparam int unsigned DATA_WORDS = 32 * polyloom_mpe_pkg::MAX_RANKS;
  typedef logic [$clog2(PROGRAM_WORDS)-1:0] place_t;
  typedef logic [$clog2(DATA_WORDS)-1:0] address_t;
  typedef logic [4:0] register_t;
  localparam register_t FIRST_POINTER = 5'd28;  // registers 28 to 31 are pointers too

  typedef enum logic [3:0] {
    ADD   = 4'h0,
    SUB   = 4'h1,
    RSUB  = 4'h2,  // b - a
    ADDH  = 4'h4,  // the same, modulo 2^16
    SUBH  = 4'h5,
    RSUBH = 4'h6,
    AND   = 4'h8,
    OR    = 4'h9,
    XOR   = 4'ha,
    ANDN  = 4'hb,  // a and not b
    MOV   = 4'hc,  // b
    PACK  = 4'hd,  // low half of b over low half of a
    INSLO = 4'he,  // high half of a over low half of b
    SHR8  = 4'hf   // b / 256
  } alu_e;

  typedef enum logic [1:0] {
    FROM_REGISTER,
    FROM_NUMBER,
    FROM_MEMORY,    // what the last load brought
    FROM_INPUT
  } from_e;
  typedef enum logic [1:0] {
    WHOLE,
    LOW,    // half
    HIGH,
    TIMES8  // 16 bits of it
  } part_e;

  typedef enum logic [2:0] {
    NO_ACCESS,
    LOAD,
    STORE = 3'b100,
    STORE_LOW = 3'b101,  // half
    STORE_HIGH = 3'b110
  } access_e;

  // What comes next: the instruction `to`, if ...
  typedef enum logic [3:0] {
    NEVER,
    ALWAYS,
    ZERO_RESULT,
    NOT_ZERO,
    NO_BORROW,
    BORROW,
    NEGATIVE,        // of 16 bits
    NOT_NEGATIVE,
    CALL,            // always; and remember
    RETURN,          // to what comes after the last call
    CASE,            // always; with the result's low bits: a table of 8 or 16
    NO_COMMAND,      // conditions from outside
    RESPONSE_WAITS,
    NO_WORD,
    LAST_WORD,
    WRITER_FULL
  } cond_e;

  // Where the result goes: a register (32 is added) or one of these.
  typedef logic [5:0] target_t;
  typedef enum logic [5:0] {
    O_NONE,
    O_TX_LOW,       // low half of a word of a datagram or a response
    O_FLAGS,        // and the register of the same number
    O_TX_HIGH,      // the high half: a word of a datagram is whole
    O_TX_END,       // the last one, but for payload
    O_MAC,          // where the datagram goes, before its first word
    O_PORT_MAC,
    O_IP,
    O_BYTES,        // of the datagram; bit 16: management's port
    O_READ_AT,      // address of its payload
    O_READ,         // read_job_t
    O_WRITE_AT,
    O_WRITE,        // write_job_t: go
    O_RESPONSE,     // the high half: a word for the kernel
    O_ACK_TIMER,    // starts if it does not run
    O_TICK_TIMER,   // the same; a quarter of it
    O_NO_ACK,       // stop
    O_NO_TICK,
    O_CONTROL,      // bit 0: the kernel runs
    O_JOB,          // settings of the filter
    O_RANK,
    O_EAGER,
    O_HEAD_DONE,    // the header at hand
    O_POP_WORD,     // of payload
    O_POP_COMMAND,
    O_COUNT,        // an event
    O_COUNTER,      // that is to be read
    O_REPORTED      // the end of a reading was seen
  } output_e;

  typedef enum logic [4:0] {
    I_JOB,           // word 5 of the frame, low half; the job's low half is its high half
    I_KIND,          // type and kind in the high half, job's high half
    I_RANKS,         // destination, source
    I_SEQ,           // ack, seq
    I_TAG,
    I_COMM,          // credit, comm
    I_LENGTH,
    I_OFFSET,
    I_WORD_LOW,      // payload, by words
    I_WORD_HIGH,
    I_COMMAND_LOW,
    I_COMMAND_HIGH,
    I_CYCLE_LOW,
    I_CYCLE_HIGH,
    I_COUNTER_LOW,
    I_COUNTER_HIGH,
    I_MAC,           // of the header's sender
    I_PORT_MAC,
    I_IP,
    I_STATUS,        // status_t
    I_EVENT          // event_e
  } input_e;
  typedef struct packed {
    logic unused,
        more, outside, kernel_done
    ;  // more: payload follows the header; outside: memory was read where none is
    logic [14:0] unused2;
    logic [12:0] bytes;  // of the datagram at hand, without the header of an MPI packet
  } status_t;

  // Why the sequencer leaves its rest, the highest first.
  typedef enum logic [3:0] {
    EV_NONE,
    EV_SWEEP,     // of requests and ranks: a tick, or it goes on
    EV_ACK,       // the ack delay is over
    EV_COMMAND,
    EV_PACKET,
    EV_MANAGE,    // a datagram of management
    EV_SEND,      // there is something to send, and room
    EV_COPIED,    // the reader has told
    EV_RESPONSE,  // the kernel can be answered
    EV_STOP       // nothing moves
  } event_e;
  // Output O_FLAGS: what the program waits for.
  localparam logic [15:0] F_REPLY = 16'h0001;  // to send, the first first: a DONE for what is not known
  localparam logic [15:0] F_DUE = 16'h0002;  // acknowledgements
  localparam logic [15:0] F_WANT = 16'h0004;  // envelopes
  localparam logic [15:0] F_WORK = 16'h0008;  // all else of requests
  localparam logic [15:0] F_FLUSH = 16'h0010;  // what ranks have not heard
  localparam logic [15:0] F_MANAGE = 16'h0020;
  localparam logic [15:0] F_SEND = 16'h003f;  // any of these
  localparam logic [15:0] F_SWEEP = 16'h0040;
  localparam logic [15:0] F_RESPONSE = 16'h0080;
  localparam logic [15:0] F_STOP = 16'h0100;
  localparam logic [15:0] F_PRESS = 16'h0200;  // with F_WANT: credit was asked for; wakes none

  typedef struct packed {
    // These are dense and go to block RAM, those below are mostly zero.
    cond_e           cond;
    place_t          to;
    target_t         target;
    alu_e            op;
    register_t       a;
    from_e from;
    logic [4:0]      b;           // register, input, or the low bits of a number
    // LUTs
    part_e           part;
    access_e access;
    logic            by_pointer;  // else the last 64 words
    logic [5:0]      offset;      // by a pointer: its number in the high bits
    logic [10:0]     number;      // the high bits
  } instruction_t;
  localparam int unsigned DENSE_BITS = 37;
  localparam int unsigned SPARSE_BITS = 23;

endpackage
