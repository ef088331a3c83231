// SPDX-License-Identifier: Apache-2.0
// shell_tb: parts of the shell alone, for cocotb; the shell as a whole is compared by shell_swap_test.cc.
module shell_tb
  import polyloom_shell_pkg::*;
(
    input logic clk_i,
    input logic rst_ni
);
  typedef struct packed {
    logic [39:0] addr;
    logic [7:0]  len;
  } burst_t;
  typedef struct packed {
    logic [255:0] data;
    logic [31:0]  strb;
    logic         last;
  } write_beat_t;
  typedef struct packed {
    logic [255:0] data;
    logic [1:0]   resp;
    logic         last;
  } read_beat_t;
  typedef struct packed {
    prog_req_t  request;
    role_word_t role;
  } word_req_t;
  typedef struct packed {
    answer_t  answer;
    dma_cmd_t cmd;
  } queued_t;
  typedef struct packed {
    logic first;
    host_word_t word;
  } rx_t;

  if (1) begin : gen_regs
    logic [31:0] position = '0;
    logic [63:0] cycle = '0;
    logic req_valid = 1'b0, rsp_valid, role_req_valid, role_rsp_valid = 1'b0, reset_counters;
    logic frame_in = 1'b0, frame_out = 1'b0, bad_frame = 1'b0, reads_pending = 1'b0;
    logic [3:0] bytes_written = '0, bytes_read = '0;
    reg_req_t req = '0, role_req;
    reg_rsp_t rsp, role_rsp = '0;
    polyloom_shell_regs #(
        .Role   (8'd3),
        .ClockHz(64'h1_2345_6789)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .position_i      (position),
        .cycle_i         (cycle),
        .req_valid_i     (req_valid),
        .req_i           (req),
        .rsp_valid_o     (rsp_valid),
        .rsp_o           (rsp),
        .role_req_valid_o(role_req_valid),
        .role_req_o      (role_req),
        .role_rsp_valid_i(role_rsp_valid),
        .role_rsp_i      (role_rsp),
        .reset_counters_o(reset_counters),
        .frame_in_i      (frame_in),
        .frame_out_i     (frame_out),
        .bad_frame_i     (bad_frame),
        .bytes_written_i (bytes_written),
        .bytes_read_i    (bytes_read),
        .reads_pending_i (reads_pending)
    );
  end

  if (1) begin : gen_sender
    logic answer_valid = 1'b0, answer_ready, word_valid = 1'b0, word_ready, told_valid = 1'b0, told_ready;
    logic role_valid = 1'b0, role_ready, tx_valid, tx_ready = 1'b0, idle, frame_out;
    logic [3:0] bytes_read;
    answer_t answer = '0;
    event_t told = '0;
    host_word_t word = '0, role = '0, tx;
    polyloom_shell_sender i_dut (
        .clk_i,
        .rst_ni,
        .answer_valid_i(answer_valid),
        .answer_ready_o(answer_ready),
        .answer_i      (answer),
        .word_valid_i  (word_valid),
        .word_ready_o  (word_ready),
        .word_i        (word),
        .event_valid_i (told_valid),
        .event_ready_o (told_ready),
        .event_i       (told),
        .role_valid_i  (role_valid),
        .role_ready_o  (role_ready),
        .role_i        (role),
        .tx_valid_o    (tx_valid),
        .tx_ready_i    (tx_ready),
        .tx_o          (tx),
        .idle_o        (idle),
        .frame_out_o   (frame_out),
        .bytes_read_o  (bytes_read)
    );
  end

  for (genvar k = 0; k < 2; k++) begin : gen_read_dma
    logic cmd_valid = 1'b0, cmd_ready, word_valid, word_ready = 1'b0, error, ar_valid, ar_ready = 1'b0;
    logic r_valid = 1'b0, r_ready, prog_valid, prog_ready = 1'b0, prog_rsp_valid = 1'b0;
    logic [6:0] channel;
    logic [63:0] prog_rsp = '0;
    dma_cmd_t cmd = '0;
    host_word_t word;
    burst_t ar;
    read_beat_t r = '0;
    word_req_t prog;
    polyloom_shell_read_dma #(
        .BurstBeats(k == 0 ? 16 : 2),
        .OpenBursts(k == 0 ? 4 : 1)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .cmd_valid_i     (cmd_valid),
        .cmd_ready_o     (cmd_ready),
        .cmd_i           (cmd),
        .word_valid_o    (word_valid),
        .word_ready_i    (word_ready),
        .word_o          (word),
        .error_o         (error),
        .channel_o       (channel),
        .ar_valid_o      (ar_valid),
        .ar_ready_i      (ar_ready),
        .ar_addr_o       (ar.addr),
        .ar_len_o        (ar.len),
        .r_valid_i       (r_valid),
        .r_ready_o       (r_ready),
        .r_data_i        (r.data),
        .r_resp_i        (r.resp),
        .r_last_i        (r.last),
        .prog_valid_o    (prog_valid),
        .prog_ready_i    (prog_ready),
        .prog_o          (prog.request),
        .role_word_o     (prog.role),
        .prog_rsp_valid_i(prog_rsp_valid),
        .prog_rsp_i      (prog_rsp)
    );
  end

  for (genvar k = 0; k < 2; k++) begin : gen_write_dma
    logic cmd_valid = 1'b0, cmd_ready, word_valid = 1'b0, word_ready, abort = 1'b0, error;
    logic aw_valid, aw_ready = 1'b0, w_valid, w_ready = 1'b0, b_valid = 1'b0, b_ready, prog_valid, prog_ready = 1'b0;
    logic [6:0] channel;
    logic [63:0] word = '0;
    logic [1:0] b = '0;
    dma_cmd_t cmd = '0;
    burst_t aw;
    write_beat_t w;
    word_req_t prog;
    polyloom_shell_write_dma #(
        .BurstBeats(k == 0 ? 16 : 2)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .cmd_valid_i (cmd_valid),
        .cmd_ready_o (cmd_ready),
        .cmd_i       (cmd),
        .word_valid_i(word_valid),
        .word_ready_o(word_ready),
        .word_i      (word),
        .abort_i     (abort),
        .error_o     (error),
        .channel_o   (channel),
        .aw_valid_o  (aw_valid),
        .aw_ready_i  (aw_ready),
        .aw_addr_o   (aw.addr),
        .aw_len_o    (aw.len),
        .w_valid_o   (w_valid),
        .w_ready_i   (w_ready),
        .w_data_o    (w.data),
        .w_strb_o    (w.strb),
        .w_last_o    (w.last),
        .b_valid_i   (b_valid),
        .b_ready_o   (b_ready),
        .b_resp_i    (b),
        .prog_valid_o(prog_valid),
        .prog_ready_i(prog_ready),
        .prog_o      (prog.request),
        .role_word_o (prog.role)
    );
  end

  for (genvar k = 0; k < 3; k++) begin : gen_parser  // channels alone, with frames for the role, with its memories
    logic rx_valid = 1'b0, rx_ready, answer_valid, answer_ready = 1'b0, reads_pending = 1'b0;
    logic write_valid, write_ready = 1'b0, write_word_valid, write_word_ready = 1'b0, write_abort, write_error = 1'b0;
    logic reg_valid, reg_rsp_valid = 1'b0, range_ok = 1'b0, pass_valid, pass_ready = 1'b0;
    logic pass_rsp_valid = 1'b0, pass_rsp_refused = 1'b0, idle, frame_in, bad_frame;
    logic [3:0] bytes_written;
    rx_t rx = '0;
    queued_t answer;
    logic [63:0] write_word;
    reg_req_t req;
    reg_rsp_t reg_rsp = '0;
    range_t range;
    host_word_t pass;
    polyloom_shell_parser #(
        .Channels    (3),
        .ChannelBytes(64'd8192),
        .ProgramWords(100),
        .PassFrames  (k > 0),
        .RoleSpaces  (k > 1)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .rx_valid_i        (rx_valid),
        .rx_ready_o        (rx_ready),
        .rx_i              (rx.word),
        .rx_first_i        (rx.first),
        .answer_valid_o    (answer_valid),
        .answer_ready_i    (answer_ready),
        .answer_o          (answer.answer),
        .dma_cmd_o         (answer.cmd),
        .reads_pending_i   (reads_pending),
        .write_valid_o     (write_valid),
        .write_ready_i     (write_ready),
        .write_word_valid_o(write_word_valid),
        .write_word_ready_i(write_word_ready),
        .write_word_o      (write_word),
        .write_abort_o     (write_abort),
        .write_error_i     (write_error),
        .reg_valid_o       (reg_valid),
        .reg_o             (req),
        .reg_rsp_valid_i   (reg_rsp_valid),
        .reg_rsp_i         (reg_rsp),
        .range_o           (range),
        .range_ok_i        (range_ok),
        .pass_valid_o      (pass_valid),
        .pass_ready_i      (pass_ready),
        .pass_o            (pass),
        .pass_rsp_valid_i  (pass_rsp_valid),
        .pass_rsp_refused_i(pass_rsp_refused),
        .idle_o            (idle),
        .frame_in_o        (frame_in),
        .bad_frame_o       (bad_frame),
        .bytes_written_o   (bytes_written)
    );
  end
endmodule
