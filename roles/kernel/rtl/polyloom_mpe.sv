// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe: the message passing engine of an FPGA rank, between whole Ethernet frames and a kernel.
// How:          frames are sorted into MPI packets, management and ARP; the engine decides, the writer and the reader move
//               payload. A frame to this node itself turns round at the transmit side.
//                   frames -> UDP -+-> parse -> engine -> builder --.
//                                  '-> management ------------------+-> UDP -+-> store -> frames
//                             ARP ----------------------------------'        '-> back, if to this node
// Latency:      see the units.
// Throughput:   a word a cycle in both directions; the kernel's memory port gives one access a cycle to both together.
// Backpressure: frames wait at rx_ready_o, but never for an answer of management or ARP, which would wait for frames that turn
//               round; the transmit store takes whole frames before it sends.
// Order/loss:   PROTOCOL.md.
// Reset:        no job; the kernel is held in reset until it is started.
// Limits:       see the units.
// Cost:         9,872 LUT, 3,103 FF, 6 BRAM36, 2 DSP (UltraScale+; `polyloom synth mpe`, Yosys 0.70, 2026-11).   Source: PROTOCOL.md, ENGINE.md.   Tests: test_polyloom_mpe.py, test_mpe_faults.py, interop_test.cc
module polyloom_mpe
  import polyloom_mpe_pkg::*;
  import polyloom_udp_pkg::endpoint_t;
#(
    parameter int unsigned TxWords   = 512,  // of the transmit store
    parameter int unsigned ReadBeats = 32    // words of memory asked for ahead
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic [31:0] ip_i,              // of this node
    input  logic [63:0] cycle_i,
    // Whole frames from the wire, without check sequence
    input  logic        rx_valid_i,
    output logic        rx_ready_o,
    input  logic [63:0] rx_data_i,
    input  logic        rx_last_i,
    input  logic [12:0] rx_size_i,
    input  logic        rx_bad_i,          // pulses: one was damaged, one found no room
    input  logic        rx_full_i,
    // Frames to the wire
    output logic        tx_valid_o,
    input  logic        tx_ready_i,
    output logic [63:0] tx_data_o,
    output logic        tx_last_o,
    // Kernel
    output logic        kernel_rst_no,
    output logic [15:0] rank_o,
    input  logic        kernel_done_i,
    input  logic        cmd_valid_i,
    output logic        cmd_ready_o,
    input  logic [63:0] cmd_i,
    output logic        rsp_valid_o,
    input  logic        rsp_ready_i,
    output logic [63:0] rsp_o,
    // Memory: writes, reads
    output logic        write_valid_o,
    input  logic        write_ready_i,
    output logic [31:0] write_addr_o,
    output logic [63:0] write_data_o,
    output logic [ 7:0] write_strb_o,
    output logic        read_valid_o,
    input  logic        read_ready_i,
    output logic [31:0] read_addr_o,
    input  logic        read_rsp_valid_i,
    input  logic [63:0] read_data_i,
    input  logic        read_error_i,
    output logic        idle_o
);

  cfg_t cfg;

  // In: the wire's frames and those that turn round, one frame at a time.
  logic back_valid, back_ready, back_last, in_valid, in_ready, in_last;
  logic [63:0] back_data, in_data;
  logic [12:0] back_size, in_size;
  logic in_frame_q, from_back_q, from_back;
  assign from_back = in_frame_q ? from_back_q : back_valid;
  assign in_valid = from_back ? back_valid : rx_valid_i;
  assign in_data = from_back ? back_data : rx_data_i;
  assign in_last = from_back ? back_last : rx_last_i;
  assign in_size = from_back ? back_size : rx_size_i;
  assign rx_ready_o = in_ready && !from_back;
  assign back_ready = in_ready && from_back;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) in_frame_q <= 1'b0;
    else if (in_valid) begin
      in_frame_q <= !(in_ready && in_last);
    end
  end
  always_ff @(posedge clk_i) if (!in_frame_q) from_back_q <= back_valid;

  logic udp_valid, udp_ready, udp_last, arp_valid, unused_arp_ready, udp_dropped;
  logic [63:0] udp_data;
  logic [ 1:0] udp_port;
  logic [12:0] udp_bytes;
  endpoint_t udp_from, arp_from;
  polyloom_udp_rx #(
      .Ports(2)
  ) i_udp_rx (
      .clk_i,
      .rst_ni,
      .ip_i,
      .ports_i    ({MANAGEMENT_PORT, MPI_PORT}),
      .in_valid_i (in_valid),
      .in_ready_o (in_ready),
      .in_data_i  (in_data),
      .in_last_i  (in_last),
      .in_size_i  (in_size),
      .out_valid_o(udp_valid),
      .out_ready_i(udp_ready),
      .out_data_o (udp_data),
      .out_last_o (udp_last),
      .out_port_o (udp_port),
      .out_from_o (udp_from),
      .out_bytes_o(udp_bytes),
      .arp_valid_o(arp_valid),
      .arp_ready_i(1'b1),
      .arp_from_o (arp_from),
      .dropped_o  (udp_dropped)
  );

  // Frames that turn round wait for the receive side, so it must not wait for an answer to get into the transmit store: what is
  // asked while the question before is being answered is thrown away. Who asked asks again.
  logic parse_ready, management_ready, management_valid, busy, busy_q, in_gram_q, question;
  assign question = udp_valid && udp_port[1];
  assign busy = in_gram_q ? busy_q : !management_ready;
  assign management_valid = question && !busy;
  assign udp_ready = udp_port[0] ? parse_ready : busy || management_ready;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) in_gram_q <= 1'b0;
    else if (question && udp_ready) in_gram_q <= !udp_last;
  end
  always_ff @(posedge clk_i) if (!in_gram_q) busy_q <= busy;

  header_t head;
  logic head_valid, head_ready, payload_valid, payload_ready, payload_last, parse_dropped;
  logic [31:0] head_ip;
  logic [15:0] head_port;
  logic [10:0] head_bytes;
  logic [63:0] payload;
  polyloom_mpe_parse i_parse (
      .clk_i,
      .rst_ni,
      .cfg_i       (cfg),
      .in_valid_i  (udp_valid && udp_port[0]),
      .in_ready_o  (parse_ready),
      .in_data_i   (udp_data),
      .in_last_i   (udp_last),
      .in_bytes_i  (udp_bytes),
      .in_from_i   (udp_from),
      .head_valid_o(head_valid),
      .head_ready_i(head_ready),
      .head_o      (head),
      .head_ip_o   (head_ip),
      .head_port_o (head_port),
      .head_bytes_o(head_bytes),
      .out_valid_o (payload_valid),
      .out_ready_i (payload_ready),
      .out_data_o  (payload),
      .out_last_o  (payload_last),
      .dropped_o   (parse_dropped)
  );

  // Management, start and stop. A stop waits until no payload moves, then forgets everything.
  logic start, stopping, stopped, started_q, engine_ready, table_valid, table_ready, waits, management_dropped;
  logic management_idle, answer_valid, answer_ready, answer_last;
  logic [63:0] answer, table_word;
  logic [2:0][63:0] words;
  endpoint_t answer_to;
  logic [15:0] answer_bytes;
  table_op_t table_op;
  logic [3:0] counter;
  logic [31:0] counted;
  logic [47:0] bytes_in_q, bytes_out_q;
  logic writer_ready, builder_idle, reader_ready;
  polyloom_mpe_management i_management (
      .clk_i,
      .rst_ni,
      .cycle_i,
      .in_valid_i   (management_valid),
      .in_ready_o   (management_ready),
      .in_data_i    (udp_data),
      .in_last_i    (udp_last),
      .in_bytes_i   (udp_bytes),
      .in_from_i    (udp_from),
      .out_valid_o  (answer_valid),
      .out_ready_i  (answer_ready),
      .out_data_o   (answer),
      .out_last_o   (answer_last),
      .out_to_o     (answer_to),
      .out_bytes_o  (answer_bytes),
      .table_valid_o(table_valid),
      .table_ready_i(table_ready),
      .table_o      (table_op),
      .table_i      (table_word),
      .cfg_o        (cfg),
      .start_o      (start),
      .stop_o       (stopping),
      .stopped_i    (stopped),
      .started_i    (started_q),
      .kernel_done_i(kernel_done_i && started_q),
      .waits_i      (waits),
      .words_i      (words),
      .counter_o    (counter),
      .counter_i    (counted),
      .bytes_in_i   (bytes_in_q),
      .bytes_out_i  (bytes_out_q),
      .dropped_o    (management_dropped),
      .idle_o       (management_idle)
  );
  assign stopped = stopping && cfg.job == '0 && writer_ready && builder_idle && reader_ready && engine_ready &&
      !head_valid;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) started_q <= 1'b0;
    else if (stopped) started_q <= 1'b0;
    else if (start) started_q <= 1'b1;
  end
  assign kernel_rst_no = started_q;
  assign rank_o = 16'(cfg.rank);

  move_t move;
  logic written, packet_valid, packet_ready, copied, copied_bad, engine_idle;
  req_t written_idx, copied_idx;
  packet_t   packet;
  endpoint_t packet_to;
  seq_t packet_ack, packet_credit;
  logic [COUNTERS-1:0] engine_count, count;
  polyloom_mpe_engine i_engine (
      .clk_i,
      .rst_ni,
      .clear_i       (stopped),
      .ready_o       (engine_ready),
      .cfg_i         (cfg),
      .cmd_valid_i   (cmd_valid_i && started_q),
      .cmd_ready_o,
      .cmd_i,
      .rsp_valid_o,
      .rsp_ready_i,
      .rsp_o,
      .words_o       (words),
      .waits_o       (waits),
      .head_valid_i  (head_valid),
      .head_ready_o  (head_ready),
      .head_i        (head),
      .head_ip_i     (head_ip),
      .head_port_i   (head_port),
      .head_bytes_i  (head_bytes),
      .move_o        (move),
      .move_ready_i  (writer_ready),
      .written_i     (written),
      .written_idx_i (written_idx),
      .packet_valid_o(packet_valid),
      .packet_ready_i(packet_ready),
      .packet_o      (packet),
      .to_o          (packet_to),
      .ack_o         (packet_ack),
      .credit_o      (packet_credit),
      .copied_i      (copied),
      .copied_idx_i  (copied_idx),
      .copied_bad_i  (copied_bad),
      .table_valid_i (table_valid),
      .table_ready_o (table_ready),
      .table_i       (table_op),
      .table_o       (table_word),
      .count_o       (engine_count),
      .idle_o        (engine_idle)
  );

  // Payload in
  logic pool_we, pool_re;
  logic [9:0] pool_waddr, pool_raddr;
  logic [63:0] pool_wdata, pool_rdata;
  polyloom_mpe_writer i_writer (
      .clk_i,
      .rst_ni,
      .job_i       (move),
      .job_ready_o (writer_ready),
      .done_o      (written),
      .done_idx_o  (written_idx),
      .in_valid_i  (payload_valid),
      .in_ready_o  (payload_ready),
      .in_data_i   (payload),
      .in_last_i   (payload_last),
      .pool_we_o   (pool_we),
      .pool_waddr_o(pool_waddr),
      .pool_wdata_o(pool_wdata),
      .pool_re_o   (pool_re),
      .pool_raddr_o(pool_raddr),
      .pool_rdata_i(pool_rdata),
      .req_valid_o (write_valid_o),
      .req_ready_i (write_ready_i),
      .req_addr_o  (write_addr_o),
      .req_data_o  (write_data_o),
      .req_strb_o  (write_strb_o)
  );
  polyloom_ram_1r1w #(
      .Width(64),
      .Depth(POOL_BYTES / 8)
  ) i_pool (
      .clk_i,
      .we_i   (pool_we),
      .be_i   (1'b1),
      .waddr_i(pool_waddr),
      .wdata_i(pool_wdata),
      .re_i   (pool_re),
      .raddr_i(pool_raddr),
      .rdata_o(pool_rdata)
  );

  // Payload out
  logic job_valid, words_valid, words_ready, words_last, words_bad, gram_valid, gram_ready, gram_last;
  logic [31:0] job_address;
  logic [10:0] job_bytes;
  logic [63:0] word, gram;
  endpoint_t gram_to;
  logic [15:0] gram_bytes;
  polyloom_mpe_reader #(
      .Beats(ReadBeats)
  ) i_reader (
      .clk_i,
      .rst_ni,
      .job_valid_i  (job_valid),
      .job_ready_o  (reader_ready),
      .job_address_i(job_address),
      .job_bytes_i  (job_bytes),
      .out_valid_o  (words_valid),
      .out_ready_i  (words_ready),
      .out_data_o   (word),
      .out_last_o   (words_last),
      .out_bad_o    (words_bad),
      .req_valid_o  (read_valid_o),
      .req_ready_i  (read_ready_i),
      .req_addr_o   (read_addr_o),
      .rsp_valid_i  (read_rsp_valid_i),
      .rsp_data_i   (read_data_i),
      .rsp_error_i  (read_error_i)
  );
  polyloom_mpe_builder i_builder (
      .clk_i,
      .rst_ni,
      .cfg_i         (cfg),
      .packet_valid_i(packet_valid),
      .packet_ready_o(packet_ready),
      .packet_i      (packet),
      .to_i          (packet_to),
      .ack_i         (packet_ack),
      .credit_i      (packet_credit),
      .copied_o      (copied),
      .copied_idx_o  (copied_idx),
      .copied_bad_o  (copied_bad),
      .read_valid_o  (job_valid),
      .read_ready_i  (reader_ready),
      .read_address_o(job_address),
      .read_bytes_o  (job_bytes),
      .words_valid_i (words_valid),
      .words_ready_o (words_ready),
      .words_i       (word),
      .words_last_i  (words_last),
      .words_bad_i   (words_bad),
      .out_valid_o   (gram_valid),
      .out_ready_i   (gram_ready),
      .out_data_o    (gram),
      .out_last_o    (gram_last),
      .out_to_o      (gram_to),
      .out_bytes_o   (gram_bytes),
      .idle_o        (builder_idle)
  );

  logic out_idle, frame_out, frame_in;
  polyloom_mpe_out #(
      .Words(TxWords)
  ) i_out (
      .clk_i,
      .rst_ni,
      .ip_i,
      .packet_valid_i(gram_valid),
      .packet_ready_o(gram_ready),
      .packet_data_i (gram),
      .packet_last_i (gram_last),
      .packet_to_i   (gram_to),
      .packet_bytes_i(gram_bytes),
      .answer_valid_i(answer_valid),
      .answer_ready_o(answer_ready),
      .answer_data_i (answer),
      .answer_last_i (answer_last),
      .answer_to_i   (answer_to),
      .answer_bytes_i(answer_bytes),
      .arp_valid_i   (arp_valid),
      .arp_ready_o   (unused_arp_ready),
      .arp_from_i    (arp_from),
      .tx_valid_o,
      .tx_ready_i,
      .tx_data_o,
      .tx_last_o,
      .back_valid_o  (back_valid),
      .back_ready_i  (back_ready),
      .back_data_o   (back_data),
      .back_last_o   (back_last),
      .back_size_o   (back_size),
      .idle_o        (out_idle)
  );

  // Counting
  assign frame_in  = in_valid && in_ready && in_last;
  assign frame_out = tx_valid_o && tx_ready_i && tx_last_o;
  always_comb begin
    count = engine_count;
    count[N_FRAMES_IN] = frame_in;
    count[N_FRAMES_OUT] = frame_out;
    count[N_BAD] = rx_bad_i;
    count[N_FULL] = rx_full_i;
  end
  logic counters_idle;
  polyloom_mpe_counters i_counters (
      .clk_i,
      .rst_ni,
      .events_i (count),
      .foreign_i(udp_dropped || parse_dropped || management_dropped),
      .index_i  (counter),
      .value_o  (counted),
      .idle_o   (counters_idle)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      bytes_in_q  <= '0;
      bytes_out_q <= '0;
    end else begin
      if (frame_in) bytes_in_q <= bytes_in_q + 48'(in_size);
      if (tx_valid_o && tx_ready_i) bytes_out_q <= bytes_out_q + 48'd8;
    end
  end

  assign idle_o = !in_valid && !in_frame_q && engine_idle && writer_ready && builder_idle && reader_ready && out_idle &&
      management_idle && counters_idle && !payload_valid;
endmodule
