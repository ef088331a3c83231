// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_pkg: sizes, kinds of packets, jobs and events of the message passing engine.
// How:          the wire's numbers are those of PROTOCOL.md. What the sequencer's program knows besides, is in
//               polyloom_mpe_map_pkg.
// Source: roles/mpi/PROTOCOL.md, ENGINE.md.   Tests: test_polyloom_mpe.py, test_mpe_faults.py, interop_test.cc
package polyloom_mpe_pkg;

  // And the manager. Memories grow with it (polyloom_mpe_map_pkg); a board with little block RAM may have 64.
  localparam int unsigned MAX_RANKS = 1024;
  localparam int unsigned REQUESTS = 256;  // a power of two
  localparam int unsigned STORE_WORDS = 8 * MAX_RANKS < 1024 ? 1024 : 8 * MAX_RANKS;  // payloads that wait, then eager payloads that are not acknowledged
  localparam int unsigned STORE_BITS = $clog2(STORE_WORDS);
  localparam int unsigned POOL_WORDS = STORE_WORDS / 4 * 3;  // of these, the former
  localparam int unsigned MAX_PAYLOAD = 1440;
  localparam logic [31:0] VERSION_HIGH = 32'h504c4d50;
  localparam logic [31:0] VERSION_LOW = 32'h00000001;
  localparam logic [15:0] MPI_PORT = 16'd2718;
  localparam logic [15:0] MANAGEMENT_PORT = 16'd2719;
  localparam logic [15:0] MAGIC = 16'h4d50;  // of management

  typedef enum logic [7:0] {
    EAGER  = 8'd1,
    RTS    = 8'd2,
    CTS    = 8'd3,
    RESUME = 8'd4,
    DATA   = 8'd5,
    DONE   = 8'd6,
    ACK    = 8'd7
  } kind_e;

  // What the filter of packets must know of management's settings.
  typedef struct packed {
    logic [31:0] job;
    logic [15:0] size;
    logic [15:0] rank;
    logic [15:0] eager;
  } cfg_t;

  // Jobs of the writer and the builder: 32 bits as the program puts them together.
  typedef struct packed {
    logic [15:0] word;        // of the store
    logic        to_memory;
    logic        to_store;    // neither: thrown away
    logic        from_store;  // else from the packet at hand
    logic [1:0]  unused;
    logic [10:0] bytes;
  } write_job_t;
  typedef struct packed {
    logic [15:0] word;    // of the store
    logic        report;  // when it has been read
    logic        record;  // keep it in the store, too
    logic        replay;  // from there; else from memory
    logic [1:0]  unused;
    logic [10:0] bytes;
  } read_job_t;

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
  localparam int unsigned N_TIMEOUTS = 9;  // without any packet from that rank
  // Then bytes in, bytes out (of frames at the store), cycles since start.

endpackage
