// SPDX-License-Identifier: Apache-2.0
// shell_parser_proof: polyloom_shell_parser never loses where a frame begins, responds to each at most once, and holds still.
// How: the first word of the frame under way is kept here, by last and first alone. Every response repeats it (or, of an
// error, holds it), so a word from the middle of a frame taken for a header would show. Memory, registers, role and
// sender are free within their handshakes. Steady: none of them pauses, which leaves time for a second frame after a
// refused one within the bound; what pauses do is the other proof's.
module shell_parser_proof
  import polyloom_shell_pkg::*;
#(
    parameter bit PassFrames = 1'b0,
    parameter bit RoleSpaces = 1'b0,
    parameter bit Steady = 1'b0
) (
    input logic       clk_i,
    input logic       rst_ni,
    input logic       rx_valid_i,
    input logic       rx_first_i,
    input host_word_t rx_i,
    input logic       response_ready_i,
    input logic       reads_pending_i,
    input logic       write_ready_i,
    input logic       write_word_ready_i,
    input logic       write_error_i,
    input logic       reg_rsp_valid_i,
    input reg_rsp_t   reg_rsp_i,
    input logic       range_ok_i,
    input logic       pass_ready_i,
    input logic       pass_rsp_valid_i,
    input logic       pass_rsp_refused_i
);
  logic rx_ready, response_valid, reg_valid, pass_valid, frame_in, bad_frame;
  logic write_valid, write_word_valid, write_abort;
  response_t response;
  dma_cmd_t command;
  reg_req_t request;
  host_word_t pass;
  range_t range;
  logic [63:0] write_word;
  logic [3:0] bytes_written;

  polyloom_shell_parser #(
      .Channels    (1),
      .ChannelBytes(64'd64),
      .ProgramWords(4),
      .PassFrames  (PassFrames),
      .RoleSpaces  (RoleSpaces)
  ) i_dut (
      .clk_i,
      .rst_ni,
      .rx_valid_i,
      .rx_ready_o        (rx_ready),
      .rx_i,
      .rx_first_i,
      .response_valid_o  (response_valid),
      .response_ready_i,
      .response_o        (response),
      .dma_cmd_o         (command),
      .reads_pending_i,
      .write_valid_o     (write_valid),
      .write_ready_i,
      .write_word_valid_o(write_word_valid),
      .write_word_ready_i,
      .write_word_o      (write_word),
      .write_abort_o     (write_abort),
      .write_error_i,
      .reg_valid_o       (reg_valid),
      .reg_o             (request),
      .reg_rsp_valid_i   (reg_rsp_valid_i && reg_valid),
      .reg_rsp_i,
      .range_o           (range),
      .range_ok_i,
      .pass_valid_o      (pass_valid),
      .pass_ready_i,
      .pass_o            (pass),
      .pass_rsp_valid_i,
      .pass_rsp_refused_i,
      .frame_in_o        (frame_in),
      .bad_frame_o       (bad_frame),
      .bytes_written_o   (bytes_written)
  );

  polyloom_stream_checker #(
      .Width (66),
      .Assume(1'b1)
  ) i_rx (
      .clk_i,
      .rst_ni,
      .valid_i  (rx_valid_i),
      .ready_i  (rx_ready),
      .payload_i({rx_first_i, rx_i})
  );
  polyloom_stream_checker #(
      .Width($bits(response_t) + $bits(dma_cmd_t))
  ) i_response (
      .clk_i,
      .rst_ni,
      .valid_i  (response_valid),
      .ready_i  (response_ready_i),
      .payload_i({response, command})
  );
  polyloom_stream_checker #(
      .Width(65)
  ) i_pass (
      .clk_i,
      .rst_ni,
      .valid_i  (pass_valid),
      .ready_i  (pass_ready_i),
      .payload_i(pass)
  );

  // The reset comes first.
  logic started = 1'b0;
  always_ff @(posedge clk_i) started <= 1'b1;
  always_comb if (!started) assume (!rst_ni);
  if (Steady) begin : gen_steady
    always_comb begin
      assume (rst_ni == started);
      assume (rx_valid_i && !reads_pending_i && reg_rsp_valid_i && pass_rsp_valid_i);
      assume (response_ready_i && write_ready_i && write_word_ready_i && pass_ready_i);
    end
  end

  // The frame under way, from the link alone.
  logic accept, begins, open_q, responded_q;
  logic [63:0] first_word_q;
  logic [ 2:0] frames_q;
  assign accept = rx_valid_i && rx_ready;
  assign begins = accept && (!open_q || rx_first_i);  // a word that is first cuts a frame that is open
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q <= 1'b0;
      responded_q <= 1'b1;
      frames_q <= '0;
    end else begin
      if (accept) open_q <= !rx_i.last;
      if (begins) begin
        responded_q <= 1'b0;
        if (frames_q != '1) frames_q <= frames_q + 3'd1;
      end else if (response_valid && response_ready_i) responded_q <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) if (begins) first_word_q <= rx_i.data;

  always_comb begin
    if (rst_ni) begin
      assert (!(accept && response_valid));
      if (response_valid) begin
        assert (!responded_q);
        if (response.word0[7:0] == OP_FRAME_ERROR && response.word0[63:32] == '0 && response.word1 == first_word_q) begin
          assert (response.word0[31:16] == first_word_q[31:16]);
        end else begin
          assert (response.word0[63:8] == first_word_q[63:8]);
        end
      end
      if (reg_valid) assert (request.index == first_word_q[63:32]);
      // Data go on only inside a frame whose first word said write.
      if (write_word_valid) assert (open_q && !rx_first_i && first_word_q[7:0] == OP_WRITE);
      if (write_abort) assert (open_q);
    end
  end

  logic skipped_q;  // a frame was refused before its end, and skipped
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) skipped_q <= 1'b0;
    else if (open_q && responded_q && accept && !begins && rx_i.last) skipped_q <= 1'b1;
  end
  always_comb begin
    if (!Steady) cover (rst_ni && frames_q == 3'd2 && response_valid && response.word0[7:0] == OP_REG_DATA);
    if (Steady) cover (rst_ni && skipped_q && response_valid && response.word0[7:0] == OP_WRITE_DONE);
  end

  logic unused;
  assign unused = ^{frame_in, bad_frame, bytes_written, write_valid, write_word, command, range};
endmodule
