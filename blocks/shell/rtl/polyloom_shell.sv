// SPDX-License-Identifier: Apache-2.0
// polyloom_shell: the part of an FPGA that is the same in every role: host frames, DMA to memories, registers, events.
// How:          host_rx -> spill register -> parser --+--> write DMA --> mem_req_o[c], prog
//                                                     +--> registers --> role registers
//                                                     +--> pass (messages, UART, start: roles that take them)
//                                                     '--> answers in order --> sender <-- read DMA <-- mem_rsp_i[c], prog
//                                                                              sender <-- events, role frames
//               Frames are handled one after the other: what a frame does is over, in memory too, before the next is
//               handled. Only reads are handed on and answered in their order while later frames are handled; a write
//               waits for them. So every host sees the order of its own frames.
// Latency:      last word of a short frame -> its answer's first word: 5 cycles (idle sender). Write: the last word
//               -> write_done 8 cycles and the memory's own acknowledgement time. Read: last word -> read request 6,
//               memory's first beat -> its first word 2 (1 more if the address is no multiple of 8).
// Throughput:   one word a cycle both ways; one cycle lost a frame out, 1..4 a frame in; one read in memory at a time.
// Backpressure: everything stalls whatever feeds it; nothing is dropped. host_rx_ready_o comes from a register. A host
//               that sends on and never takes its answers stalls the shell (as every frame is answered by few, it need
//               only take what comes). host_tx valid and payload are stable while stalled.
// Order/loss:   answers leave in the order of their frames. Events and role frames keep their own order and come
//               between whole answers, taking turns.
// Reset:        control state and counters; payload registers not. Takes words from the first cycle after reset.
// Limits:       Channels 1..128, ChannelBytes <= 2^32, multiple of 32; ProgramWords >= 1; AnswerDepth a power of two >= 2.
//               mem_rsp_i in request order, no interleaving; one program answer per accepted program read.
// Cost:         not measured yet.
// Source:       own design, behaviour of blocks/shell/sim/shell.h.   Tests: shell_swap_test.cc.
module polyloom_shell
  import polyloom_shell_pkg::*;
#(
  parameter logic [7:0]  Role,                       // RoleId
  parameter int unsigned Channels,                   // memory channels
  parameter longint unsigned ChannelBytes,           // of one channel
  parameter int unsigned ProgramWords,               // 64-bit words of program memory
  parameter longint unsigned ClockHz,                // what register clock_hz says
  parameter bit          PassFrames   = 1'b0,        // the role takes messages, UART bytes and start
  parameter int unsigned AnswerDepth  = 16           // answers waiting, reads included
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [31:0] position_i,                    // x[15:0] y[31:16] of the board, constant

  // From the host link. first: the link knows that a frame begins here (0 where frames are never cut)
  input  logic        host_rx_valid_i,
  output logic        host_rx_ready_o,
  input  host_word_t  host_rx_i,
  input  logic        host_rx_first_i,

  // To the host link
  output logic        host_tx_valid_o,
  input  logic        host_tx_ready_i,
  output host_word_t  host_tx_o,

  // To the memory channels
  output mem_req_t [Channels-1:0] mem_req_o,
  input  mem_rsp_t [Channels-1:0] mem_rsp_i,
  output logic        mem_error_o,                   // pulse: a memory answered with an error

  // To the program memory; each accepted read is answered once, any number of cycles >= 1 later
  output logic        prog_req_valid_o,
  input  logic        prog_req_ready_i,
  output prog_req_t   prog_req_o,
  input  logic        prog_rsp_valid_i,
  input  logic [63:0] prog_rsp_i,

  // To the role's registers: held until the response, which may come in the same cycle or any later one
  output logic        reg_req_valid_o,
  output reg_req_t    reg_req_o,
  input  logic        reg_rsp_valid_i,
  input  reg_rsp_t    reg_rsp_i,
  output logic        reset_counters_o,              // pulse: the host resets counters

  // From the role: events, and whole frames (messages, UART bytes, faults)
  input  logic        event_valid_i,
  output logic        event_ready_o,
  input  event_t      event_i,
  input  logic        role_tx_valid_i,
  output logic        role_tx_ready_o,
  input  host_word_t  role_tx_i,

  // To the role: well-formed frames that it takes (PassFrames); after the last word one answer
  output logic        pass_valid_o,
  input  logic        pass_ready_i,
  output host_word_t  pass_o,
  input  logic        pass_rsp_valid_i,              // at least a cycle after the last word was taken
  input  logic        pass_rsp_refused_i
);
endmodule
