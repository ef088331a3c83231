// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_pkg: sizes, packets, requests and registers of the message passing engine.
// How:          the wire's numbers are those of PROTOCOL.md, the commands' those of ENGINE.md. Here stand also the records that
//               the engine's units share: a request, what a unit does in a cycle, what the packet builder sends.
// Source: roles/kernel/PROTOCOL.md, ENGINE.md.   Tests: test_polyloom_mpe.py, test_mpe_faults.py, interop_test.cc
package polyloom_mpe_pkg;

  localparam int unsigned MAX_RANKS = 64;  // and the manager
  localparam int unsigned REQUESTS = 32;
  localparam int unsigned POOL_BYTES = 8192;  // for envelopes that came before their receive
  localparam int unsigned ENVELOPES = 256;  // that may wait there
  localparam int unsigned REPLAY_BYTES = 4096;  // for eager payloads that are not acknowledged
  localparam int unsigned REPLAY_BLOCKS = 32;
  localparam int unsigned MAX_PAYLOAD = 1440;
  localparam logic [63:0] VERSION = 64'h504c4d50_00000001;
  localparam logic [15:0] MPI_PORT = 16'd2718;
  localparam logic [15:0] MANAGEMENT_PORT = 16'd2719;

  typedef logic [6:0] rank_t;  // 0 to 64; the manager is `size`
  typedef logic [4:0] req_t;
  typedef logic [7:0] env_t;
  typedef logic [15:0] seq_t;

  typedef enum logic [7:0] {
    EAGER  = 8'd1,
    RTS    = 8'd2,
    CTS    = 8'd3,
    RESUME = 8'd4,
    DATA   = 8'd5,
    DONE   = 8'd6,
    ACK    = 8'd7
  } kind_e;

  // A packet's header: words 5 to 8 of its frame.
  typedef struct packed {
    logic [31:0] offset, length;
    logic [15:0] credit, comm;
    logic [31:0] tag;
    logic [15:0] ack, seq, dst, src;
    logic [7:0] dtype;
    logic [7:0] kind;  // kind_e
    logic [31:0] job;
  } header_t;

  typedef enum logic [7:0] {
    OP_SEND = 8'd1,
    OP_SSEND = 8'd2,
    OP_RECV = 8'd3,
    OP_WAIT = 8'd4,
    OP_TEST = 8'd5,
    OP_PROBE = 8'd6,
    OP_IPROBE = 8'd7,
    OP_SEND_WAIT = 8'd8,
    OP_SSEND_WAIT = 8'd9,
    OP_RECV_WAIT = 8'd10
  } op_e;
  localparam logic [15:0] ANY_RANK = '1;
  localparam logic [31:0] ANY_TAG = '1;

  typedef enum logic [2:0] {
    E_NONE = 3'd0,
    E_TRUNCATED = 3'd1,
    E_TYPE = 3'd2,
    E_NO_ANSWER = 3'd3,
    E_TOO_MANY = 3'd4,
    E_NO_SUCH = 3'd5,
    E_ADDRESS = 3'd6
  } error_e;

  // What management has set.
  typedef struct packed {
    logic [31:0] job;
    rank_t       rank,       size;
    logic [15:0] eager,      slots;
    logic [31:0] retransmit, ack_delay;
    logic [31:0] window;
    logic [7:0]  retries;
  } cfg_t;

  // The rank table: four words a rank.
  localparam logic [1:0] T_MAC = 2'd0;
  localparam logic [1:0] T_IP = 2'd1;
  localparam logic [1:0] T_TX = 2'd2;
  localparam logic [1:0] T_RX = 2'd3;
  typedef struct packed {
    seq_t sent;  // envelopes
    seq_t acked, consumed;  // of these, as the other side has told
    logic [7:0] age;  // ticks since the oldest was sent
    logic [7:0] tries;
  } pair_tx_t;
  typedef struct packed {
    seq_t accepted;  // envelopes
    seq_t consumed;  // of these, by receives
    seq_t told;  // `consumed` in the last packet to that rank
    logic [15:0] heard;  // tick of its last packet
  } pair_rx_t;

  // States of a request. POSTED: waits for an envelope; ACTIVE: takes the data of a rendezvous; WANT: waits for credit; COPIED:
  // eager, kept until it is acknowledged; ASKED: RTS sent; SENDING: may send data; OVER: nothing more will happen.
  typedef enum logic [2:0] {
    OVER,
    POSTED,
    ACTIVE,
    WANT,
    COPIED,
    ASKED,
    SENDING
  } state_e;
  typedef enum logic [1:0] {
    C_NONE,
    C_CTS,
    C_RESUME,
    C_DONE
  } control_e;
  typedef struct packed {
    state_e      state;
    control_e    control;         // packet that the receiver owes
    error_e      error;
    logic        any;             // source
    logic        sync;
    logic        gap;             // a RESUME has asked for the missing piece
    logic        again;           // the RTS is to be repeated
    rank_t       peer;
    logic [31:0] tag;
    logic [15:0] comm;
    logic [7:0]  dtype;
    logic [31:0] address;
    logic [31:0] bytes;           // of the buffer; from the match on of the message
    seq_t        seq;
    logic [15:0] remote;          // the peer's handle
    logic [31:0] pos,     limit;
    logic [4:0]  block;           // of the replay store
    logic [6:0]  age;             // ticks
    logic [2:0]  shift;           // doublings of the retransmission time
    logic [7:0]  tries;
  } request_t;

  // An envelope that waits for its receive.
  typedef struct packed {
    seq_t        seq;
    logic        rts;
    rank_t       peer;
    logic [15:0] comm;
    logic [31:0] tag;
  } env_key_t;
  typedef struct packed {
    logic [7:0]  dtype;
    logic [31:0] length;
    logic [15:0] handle;
  } env_data_t;

  // Searches of the request table.
  typedef enum logic [2:0] {
    F_NONE,
    F_POSTED,  // oldest posted receive that takes an envelope
    F_SENT,    // the unacknowledged envelope of a sequence number
    F_ACTIVE,  // the rendezvous under way of a sequence number
    F_RELEASE  // frees eager requests up to an acknowledgement
  } find_e;
  typedef struct packed {
    find_e       find;
    rank_t       peer;
    logic [31:0] tag;
    logic [15:0] comm;
    seq_t        seq;
  } find_t;

  // What a unit of the engine does to the request table in a cycle; all to one request.
  typedef struct packed {
    logic     write;
    request_t data;
    logic     own,           disown;               // the kernel has it, has it no more
    logic     live,          dead;                 // the protocol needs it, or not
    logic     finish;                              // it is complete for the kernel
    logic     work,          rest;                 // it has something to send, or not
    logic     held;                                // its payload is kept for replay
    logic     append_posted, append_want, remove;  // lists; remove: from the one that `want_list` names, after `prev`
    logic     want_list;
    req_t     prev;
  } req_op_t;

  // What a unit does to the rank table.
  typedef struct packed {
    logic        re;
    rank_t       rank;
    logic [1:0]  word;
    logic        we;
    logic [1:0]  wword;
    logic [63:0] wdata;
  } table_op_t;

  // A job of the payload writer.
  typedef struct packed {
    logic        valid;
    logic        from_pool;             // else from the packet at hand
    logic        to_pool,   to_memory;  // neither: thrown away
    logic [9:0]  pool;                  // word
    logic [31:0] address;               // byte
    logic [31:0] bytes;
    logic        finish;                // request `idx` is complete then
    req_t        idx;
  } move_t;

  // What a unit asks of the envelopes that wait.
  typedef struct packed {
    logic        find,     by_seq, any;
    rank_t       peer;
    logic [31:0] tag;
    logic [15:0] comm;
    seq_t        seq;
    logic        remove,   add;
    env_key_t    add_key;
    env_data_t   add_data;
  } env_op_t;

  // What a unit tells the sender.
  typedef struct packed {
    logic news, due;  // an acknowledgement or credit for `rank`; at once
    rank_t rank;
    logic want;  // sends that wait for credit may go on
  } tell_t;

  // A DONE for a message that nobody knows here.
  typedef struct packed {
    logic        valid;
    rank_t       rank;
    seq_t        seq;
    logic [15:0] handle;
  } reply_t;

  // A receive that meets its envelope: what becomes of its record.
  function automatic request_t met(input request_t r, input logic rts, input rank_t peer, input logic [31:0] tag,
                                   input logic [7:0] dtype, input logic [31:0] length, input seq_t seq,
                                   input logic [15:0] handle, input logic [31:0] window);
    met = r;
    met.peer = peer;
    met.any = 1'b0;
    met.tag = tag;
    met.bytes = length;
    met.dtype = dtype;
    met.seq = seq;
    met.remote = handle;
    met.error = length > r.bytes ? E_TRUNCATED : dtype != '0 && r.dtype != '0 && dtype != r.dtype ? E_TYPE : E_NONE;
    met.pos = '0;
    met.limit = length < window ? length : window;
    met.gap = 1'b0;
    met.age = '0;
    met.shift = '0;
    met.tries = '0;
    if (!rts) begin
      met.state   = OVER;
      met.control = C_NONE;
    end else if (length == '0 || length > r.bytes) begin
      met.state   = OVER;
      met.control = C_DONE;
    end else begin
      met.state   = ACTIVE;
      met.control = C_CTS;
    end
  endfunction

  // Credits that must be told at once: half of S.
  function automatic logic is_due(input seq_t consumed, input seq_t told, input logic [15:0] slots);
    seq_t news = consumed - told;
    return {news, 1'b0} >= {1'b0, slots};
  endfunction

  // What the packet builder sends.
  typedef enum logic [1:0] {
    P_NONE,
    P_MEMORY,  // from the kernel's memory
    P_RECORD,  // the same, kept for replay
    P_REPLAY
  } payload_e;
  typedef struct packed {
    logic [7:0]  kind;             // kind_e
    logic [7:0]  dtype;
    rank_t       dst;
    seq_t        seq;
    logic [31:0] tag;
    logic [15:0] comm;
    logic [31:0] length,  offset;
    payload_e    payload;
    logic [31:0] address;
    logic [10:0] bytes;
    logic [4:0]  block;
    logic        finish;           // request `idx` is complete when the payload is copied
    req_t        idx;
  } packet_t;

  // Events that are counted, by register 0x010 + n.
  localparam int unsigned COUNTERS = 10;
  localparam int unsigned N_FRAMES_IN = 0;
  localparam int unsigned N_FRAMES_OUT = 1;
  localparam int unsigned N_BAD = 2;  // wrong check sequence
  localparam int unsigned N_FOREIGN = 3;
  localparam int unsigned N_DISORDER = 4;  // envelopes and pieces of data
  localparam int unsigned N_SENT = 5;  // envelopes
  localparam int unsigned N_ACCEPTED = 6;
  localparam int unsigned N_AGAIN = 7;  // envelopes that were not acknowledged
  localparam int unsigned N_FULL = 8;  // frames that found no room in the receive store
  localparam int unsigned N_TIMEOUTS = 9;  // of what is answered at once: not a message or a credit that waits for a receive
  // Then bytes in, bytes out (of frames at the store), cycles since start.

endpackage
