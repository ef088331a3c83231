// SPDX-License-Identifier: Apache-2.0
// polyloom_shell: the part of an FPGA that is the same in every role: host frames, DMA to memories, registers, events.
// How:          host_rx -> spill register -> parser --+--> write DMA --> mem_aw/w/b, prog
//                                                     +--> registers --> role registers
//                                                     +--> pass (messages, UART, start: roles that take them)
//                                                     '--> responses in order --> sender <-- read DMA <-- mem_ar/r, prog
//                                                                              sender <-- events, role frames
//               A role with memories of its own (RoleSpaces) is asked whether a range is there; slice 0 and 1 are then
//               channels 0 and 1, and prog serves its instruction memories and scratchpads by prog_role_o.
//               Frames are handled one after the other: what a frame does is over, in memory too, before the next is
//               handled. Only reads are handed on and answered in their order while later frames are handled; a write
//               waits for them. So every host sees the order of its own frames.
// Latency:      last word of a frame accepted -> first word of its response valid, all idle: short frame 5 cycles; register
//               6 and the role's own time; write to the program 6; write to memory 11 if it takes and acknowledges at
//               once; read 5 (its data 6 and the memory's time, 1 more if the address is no multiple of 8).
// Throughput:   one word a cycle both ways, long writes and reads included (memory latency up to 250 cycles). Between
//               frames 1 cycle lost out, 3..4 in. One read is in memory at a time.
// Backpressure: everything stalls whatever feeds it; nothing is dropped. host_rx_ready_o comes from a register. A host
//               that sends on and never takes its responses stalls the shell (as every frame is answered by few, it need
//               only take what comes). host_tx valid and payload are stable while stalled.
// Order/loss:   responses leave in the order of their frames. Events and role frames keep their own order and come
//               between whole responses, taking turns.
// Reset:        control state and counters; payload registers not. Takes words from the first cycle after reset.
// Limits:       Channels 1..128, ChannelBytes <= 2^32, multiple of 32; ProgramWords >= 1; ResponseDepth a power of two >= 2.
//               With RoleSpaces ChannelBytes and ProgramWords mean nothing, and a role has at most 1,024 memories a space.
//               Memory responds in request order, no interleaving; one program response per accepted program read.
// Cost:         8 channels of 512 MiB, no PassFrames: 4,354 LUT with everything inside, of it 1,245 its own; 2 channels,
//               PassFrames, RoleSpaces: 3,670 LUT, 1,588 FF; no BRAM, no DSP (UltraScale+; Yosys 0.70, 2026-11).
// Source:       own design, behaviour of blocks/shell/sim/shell.h.   Tests: shell_swap_test.cc.
module polyloom_shell
  import polyloom_shell_pkg::*;
#(
    parameter logic            [7:0] Role,                  // RoleId
    parameter int unsigned           Channels,              // memory channels
    parameter longint unsigned       ChannelBytes,          // of one channel
    parameter int unsigned           ProgramWords,          // 64-bit words of program memory
    parameter longint unsigned       ClockHz,               // what register clock_hz says
    parameter bit                    PassFrames    = 1'b0,  // the role takes messages, UART bytes and start
    parameter bit                    RoleSpaces    = 1'b0,  // slices, instr, scratchpad instead of channel, program
    parameter int unsigned           ResponseDepth = 16     // responses waiting, reads included
) (
    input logic        clk_i,
    input logic        rst_ni,
    input logic [31:0] position_i,  // x[15:0] y[31:16] of the board, constant
    input logic [63:0] cycle_i,     // cycles since reset

    // From the host link. first: the link knows that a frame begins here (0 where frames are never cut)
    input  logic        host_rx_valid_i,
    output logic        host_rx_ready_o,
    input  logic [63:0] host_rx_data_i,
    input  logic        host_rx_last_i,
    input  logic        host_rx_first_i,

    // To the host link
    output logic        host_tx_valid_o,
    input  logic        host_tx_ready_i,
    output logic [63:0] host_tx_data_o,
    output logic        host_tx_last_o,

    // To the memory channels
    output logic [Channels-1:0] mem_aw_valid_o,
    input logic [Channels-1:0] mem_aw_ready_i,
    output logic [Channels-1:0][MEM_ADDR_BITS-1:0] mem_aw_addr_o,
    output logic [Channels-1:0][7:0] mem_aw_len_o,
    output logic [Channels-1:0] mem_w_valid_o,
    input logic [Channels-1:0] mem_w_ready_i,
    output logic [Channels-1:0][MEM_DATA_BITS-1:0] mem_w_data_o,
    output logic [Channels-1:0][MEM_BYTES-1:0] mem_w_strb_o,
    output logic [Channels-1:0] mem_w_last_o,
    input logic [Channels-1:0] mem_b_valid_i,
    output logic [Channels-1:0] mem_b_ready_o,
    input logic [Channels-1:0][1:0] mem_b_resp_i,
    output logic [Channels-1:0] mem_ar_valid_o,
    input logic [Channels-1:0] mem_ar_ready_i,
    output logic [Channels-1:0][MEM_ADDR_BITS-1:0] mem_ar_addr_o,
    output logic [Channels-1:0][7:0] mem_ar_len_o,
    input logic [Channels-1:0] mem_r_valid_i,
    output logic [Channels-1:0] mem_r_ready_o,
    input logic [Channels-1:0][MEM_DATA_BITS-1:0] mem_r_data_i,
    input logic [Channels-1:0][1:0] mem_r_resp_i,
    input logic [Channels-1:0] mem_r_last_i,
    output logic mem_error_o,  // pulse: a memory answered with an error
    output logic idle_o,  // nothing changes here before something comes in (not mid-write)

    // To the program memory, or memories of the role; each accepted read is answered once, any cycles >= 1 later
    output logic              prog_req_valid_o,
    input  logic              prog_req_ready_i,
    output prog_req_t         prog_req_o,
    output role_word_t        prog_role_o,       // goes with prog_req_o (RoleSpaces)
    input  logic              prog_rsp_valid_i,
    input  logic       [63:0] prog_rsp_i,
    // To the role: does it have these bytes? (RoleSpaces)
    output range_t            range_o,
    input  logic              range_ok_i,        // depends on range_o alone

    // To the role's registers: held until the response, which may come in the same cycle or any later one
    output logic     reg_req_valid_o,
    output reg_req_t reg_req_o,
    input  logic     reg_rsp_valid_i,
    input  reg_rsp_t reg_rsp_i,
    output logic     reset_counters_o, // pulse: the host resets counters

    // From the role: events, and whole frames (messages, UART bytes, faults)
    input  logic       event_valid_i,
    output logic       event_ready_o,
    input  event_t     event_i,
    input  logic       role_tx_valid_i,
    output logic       role_tx_ready_o,
    input  host_word_t role_tx_i,

    // To the role: well-formed frames that it takes (PassFrames); after the last word one response
    output logic       pass_valid_o,
    input  logic       pass_ready_i,
    output host_word_t pass_o,
    input  logic       pass_rsp_valid_i,   // at least a cycle after the last word was taken
    input  logic       pass_rsp_refused_i
);
  logic parser_idle, sender_idle;

  if (Channels < 1 || Channels > 128) begin : gen_check_channels
    $error("%m: Channels is %0d, must be 1 to 128", Channels);
  end
  if (ChannelBytes < 32 || ChannelBytes > 64'h1_0000_0000 || ChannelBytes % 32 != 0) begin : gen_check_bytes
    $error("%m: ChannelBytes is %0d, must be a multiple of 32 up to 2^32", ChannelBytes);
  end
  if (ProgramWords < 1 || ProgramWords > 1 << 29) begin : gen_check_program
    $error("%m: ProgramWords is %0d, must be 1 to 2^29", ProgramWords);
  end

  // From the host.
  typedef struct packed {
    logic       first;
    host_word_t word;
  } rx_t;
  logic rx_valid, rx_ready;
  rx_t rx;
  spill_register #(
      .T(rx_t)
  ) i_rx (
      .clk_i,
      .rst_ni,
      .valid_i(host_rx_valid_i),
      .ready_o(host_rx_ready_o),
      .data_i (rx_t'({host_rx_first_i, host_rx_last_i, host_rx_data_i})),
      .valid_o(rx_valid),
      .ready_i(rx_ready),
      .data_o (rx)
  );

  logic queue_valid, queue_ready, response_valid, response_ready;
  response_t queue, response;
  logic cmd_ready, read_cmd_valid, read_cmd_ready;
  dma_cmd_t cmd, read_cmd;
  logic reads_pending;
  logic write_valid, write_ready, write_word_valid, write_word_ready, write_abort, write_error;
  logic [63:0] write_word;
  logic reg_valid, reg_rsp_valid;
  reg_req_t reg_req;
  reg_rsp_t reg_rsp;
  logic frame_in, frame_out, bad_frame;
  logic [3:0] bytes_written, bytes_read;

  polyloom_shell_parser #(
      .Channels(Channels),
      .ChannelBytes(ChannelBytes),
      .ProgramWords(ProgramWords),
      .PassFrames(PassFrames),
      .RoleSpaces(RoleSpaces)
  ) i_parser (
      .clk_i,
      .rst_ni,
      .rx_valid_i(rx_valid),
      .rx_ready_o(rx_ready),
      .rx_i(rx.word),
      .rx_first_i(rx.first),
      .response_valid_o(queue_valid),
      .response_ready_i(queue_ready),
      .response_o(queue),
      .dma_cmd_o(cmd),
      .reads_pending_i(reads_pending),
      .write_valid_o(write_valid),
      .write_ready_i(write_ready),
      .write_word_valid_o(write_word_valid),
      .write_word_ready_i(write_word_ready),
      .write_word_o(write_word),
      .write_abort_o(write_abort),
      .write_error_i(write_error),
      .reg_valid_o(reg_valid),
      .reg_o(reg_req),
      .reg_rsp_valid_i(reg_rsp_valid),
      .reg_rsp_i(reg_rsp),
      .range_o,
      .range_ok_i,
      .pass_valid_o,
      .pass_ready_i,
      .pass_o,
      .pass_rsp_valid_i,
      .pass_rsp_refused_i,
      .idle_o(parser_idle),
      .frame_in_o(frame_in),
      .bad_frame_o(bad_frame),
      .bytes_written_o(bytes_written)
  );

  // A response that reads is a command of the read DMA too. There are never more of these than responses, so the second
  // queue has room when the first has.
  logic queue_accept;
  assign queue_accept = queue_valid && queue_ready;
  polyloom_stream_lut_fifo #(
      .T(response_t),
      .Depth(ResponseDepth)
  ) i_responses (
      .clk_i,
      .rst_ni,
      .flush_i(1'b0),
      .in_valid_i(queue_valid),
      .in_ready_o(queue_ready),
      .in_i(queue),
      .out_valid_o(response_valid),
      .out_ready_i(response_ready),
      .out_o(response)
  );
  polyloom_stream_lut_fifo #(
      .T(dma_cmd_t),
      .Depth(ResponseDepth)
  ) i_reads (
      .clk_i,
      .rst_ni,
      .flush_i(1'b0),
      .in_valid_i(queue_accept && queue.read),
      .in_ready_o(cmd_ready),
      .in_i(cmd),
      .out_valid_o(read_cmd_valid),
      .out_ready_i(read_cmd_ready),
      .out_o(read_cmd)
  );

  logic [$clog2(ResponseDepth+1)-1:0] reads_q;
  assign reads_pending = reads_q != 0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reads_q <= '0;
    end else begin
      reads_q <= reads_q + ($bits(
          reads_q
      ))'(queue_accept && queue.read) - ($bits(
          reads_q
      ))'(response_valid && response_ready && response.read);
      assert (!queue_accept || !queue.read || cmd_ready);
    end
  end

  // Memories: the engines name their channel, others are idle. Payload without valid means nothing, so all share it.
  logic [6:0] write_channel, read_channel;
  logic aw_valid, aw_ready, w_valid, w_ready, w_last, b_valid, b_ready, ar_valid, ar_ready, r_valid, r_ready, r_last;
  logic [MEM_ADDR_BITS-1:0] aw_addr, ar_addr;
  logic [7:0] aw_len, ar_len;
  logic [MEM_DATA_BITS-1:0] w_data, r_data;
  logic [MEM_BYTES-1:0] w_strb;
  logic [1:0] b_resp, r_resp;
  always_comb begin
    aw_ready = 1'b0;
    w_ready  = 1'b0;
    b_valid  = 1'b0;
    b_resp   = '0;
    ar_ready = 1'b0;
    r_valid  = 1'b0;
    r_last   = 1'b0;
    r_data   = '0;
    r_resp   = '0;
    for (int unsigned c = 0; c < Channels; c++) begin
      if (write_channel == 7'(c)) begin
        aw_ready = mem_aw_ready_i[c];
        w_ready  = mem_w_ready_i[c];
        b_valid  = mem_b_valid_i[c];
        b_resp   = mem_b_resp_i[c];
      end
      if (read_channel == 7'(c)) begin
        ar_ready = mem_ar_ready_i[c];
        r_valid  = mem_r_valid_i[c];
        r_last   = mem_r_last_i[c];
        r_data   = mem_r_data_i[c];
        r_resp   = mem_r_resp_i[c];
      end
    end
  end
  for (genvar c = 0; c < Channels; c++) begin : gen_channel
    assign mem_aw_valid_o[c] = write_channel == 7'(c) && aw_valid;
    assign mem_w_valid_o[c]  = write_channel == 7'(c) && w_valid;
    assign mem_b_ready_o[c]  = write_channel == 7'(c) && b_ready;
    assign mem_ar_valid_o[c] = read_channel == 7'(c) && ar_valid;
    assign mem_r_ready_o[c]  = read_channel == 7'(c) && r_ready;
  end
  assign mem_aw_addr_o = {Channels{aw_addr}};
  assign mem_aw_len_o  = {Channels{aw_len}};
  assign mem_w_data_o  = {Channels{w_data}};
  assign mem_w_strb_o  = {Channels{w_strb}};
  assign mem_w_last_o  = {Channels{w_last}};
  assign mem_ar_addr_o = {Channels{ar_addr}};
  assign mem_ar_len_o  = {Channels{ar_len}};

  logic write_prog_valid, read_prog_valid;
  prog_req_t write_prog, read_prog;
  role_word_t write_role, read_role;
  // Never both: a write waits for the reads before it, and no frame is handled while one writes.
  assign prog_req_valid_o = write_prog_valid || read_prog_valid;
  assign prog_req_o = write_prog_valid ? write_prog : read_prog;
  assign prog_role_o = write_prog_valid ? write_role : read_role;

  polyloom_shell_write_dma i_write (
      .clk_i,
      .rst_ni,
      .cmd_valid_i(write_valid),
      .cmd_ready_o(write_ready),
      .cmd_i(cmd),
      .word_valid_i(write_word_valid),
      .word_ready_o(write_word_ready),
      .word_i(write_word),
      .abort_i(write_abort),
      .error_o(write_error),
      .channel_o(write_channel),
      .aw_valid_o(aw_valid),
      .aw_ready_i(aw_ready),
      .aw_addr_o(aw_addr),
      .aw_len_o(aw_len),
      .w_valid_o(w_valid),
      .w_ready_i(w_ready),
      .w_data_o(w_data),
      .w_strb_o(w_strb),
      .w_last_o(w_last),
      .b_valid_i(b_valid),
      .b_ready_o(b_ready),
      .b_resp_i(b_resp),
      .prog_valid_o(write_prog_valid),
      .prog_ready_i(prog_req_ready_i),
      .prog_o(write_prog),
      .role_word_o(write_role)
  );

  logic word_valid, word_ready, read_error;
  host_word_t word;
  polyloom_shell_read_dma i_read (
      .clk_i,
      .rst_ni,
      .cmd_valid_i(read_cmd_valid),
      .cmd_ready_o(read_cmd_ready),
      .cmd_i(read_cmd),
      .word_valid_o(word_valid),
      .word_ready_i(word_ready),
      .word_o(word),
      .error_o(read_error),
      .channel_o(read_channel),
      .ar_valid_o(ar_valid),
      .ar_ready_i(ar_ready),
      .ar_addr_o(ar_addr),
      .ar_len_o(ar_len),
      .r_valid_i(r_valid),
      .r_ready_o(r_ready),
      .r_data_i(r_data),
      .r_resp_i(r_resp),
      .r_last_i(r_last),
      .prog_valid_o(read_prog_valid),
      .prog_ready_i(prog_req_ready_i),
      .prog_o(read_prog),
      .role_word_o(read_role),
      .prog_rsp_valid_i,
      .prog_rsp_i
  );
  assign mem_error_o = read_error || (b_ready && b_valid && b_resp != 2'b00);
  assign idle_o = parser_idle && sender_idle && write_ready && !response_valid && !read_cmd_valid && read_cmd_ready &&
                  !word_valid && !rx_valid && !host_rx_valid_i;

  polyloom_shell_regs #(
      .Role(Role),
      .ClockHz(ClockHz)
  ) i_regs (
      .clk_i,
      .rst_ni,
      .position_i,
      .cycle_i,
      .req_valid_i(reg_valid),
      .req_i(reg_req),
      .rsp_valid_o(reg_rsp_valid),
      .rsp_o(reg_rsp),
      .role_req_valid_o(reg_req_valid_o),
      .role_req_o(reg_req_o),
      .role_rsp_valid_i(reg_rsp_valid_i),
      .role_rsp_i(reg_rsp_i),
      .reset_counters_o,
      .frame_in_i(frame_in),
      .frame_out_i(frame_out),
      .bad_frame_i(bad_frame),
      .bytes_written_i(bytes_written),
      .bytes_read_i(bytes_read),
      .reads_pending_i(reads_pending)
  );

  host_word_t tx;
  assign host_tx_data_o = tx.data;
  assign host_tx_last_o = tx.last;
  polyloom_shell_sender i_sender (
      .clk_i,
      .rst_ni,
      .response_valid_i(response_valid),
      .response_ready_o(response_ready),
      .response_i(response),
      .word_valid_i(word_valid),
      .word_ready_o(word_ready),
      .word_i(word),
      .event_valid_i,
      .event_ready_o,
      .event_i,
      .role_valid_i(role_tx_valid_i),
      .role_ready_o(role_tx_ready_o),
      .role_i(role_tx_i),
      .tx_valid_o(host_tx_valid_o),
      .tx_ready_i(host_tx_ready_i),
      .tx_o(tx),
      .idle_o(sender_idle),
      .frame_out_o(frame_out),
      .bytes_read_o(bytes_read)
  );

endmodule
