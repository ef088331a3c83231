// SPDX-License-Identifier: Apache-2.0
// polyloom_reliable_link_pkg: the first two words of a reliable link's frame, and what its two ends tell.
// How:          layout and meaning: blocks/reliable_link/sim/link_frame.h, which has the same names.
// Source: own design on Ethernet frames.   Tests: reliable_link_swap_test.cc (test_polyloom_reliable_link.py).
package polyloom_reliable_link_pkg;

  localparam int unsigned DATA_SEQ_BITS = 16;
  localparam int unsigned CONTROL_SEQ_BITS = 8;
  localparam int unsigned MAX_CONTROL = 31;  // control items of a frame
  localparam int unsigned MIN_ITEMS = 5;  // a frame of fewer is filled up with zeros: Ethernet's 64 bytes
  localparam int unsigned RATE_FRACTION = 12;  // fraction bits of word_time_i
  localparam logic [7:0] MARK = 8'h50;
  localparam logic [15:0] ETHER_TYPE = 16'h88b5;

  typedef struct packed {
    logic        poll;           // response at once
    logic        data_nack;      // an item was missed: go back to ack
    logic        control_nack;
    logic [4:0]  control_count;
    logic [7:0]  data_count;
    logic [15:0] data_limit;     // first item that there is no room for
    logic [15:0] data_ack;       // next item expected
    logic [15:0] data_seq;       // of the frame's first item
  } word0_t;

  typedef struct packed {
    logic [15:0] zero;
    logic [15:0] ether_type;
    logic [7:0]  mark;
    logic [7:0]  control_limit;
    logic [7:0]  control_ack;
    logic [7:0]  control_seq;
  } word1_t;

  // Pulses for counters, named as those of the C++ model.
  typedef struct packed {
    logic       frame_sent;
    logic       pure_ack;        // of these, without items
    logic       frame_again;     // of these, with items that were sent before
    logic [1:0] timeout;         // {data, control}
    logic [1:0] go_back;
    logic       frame_received;
    logic       bad_frame;
    logic [1:0] duplicate;
    logic [1:0] gap;
  } events_t;

endpackage
