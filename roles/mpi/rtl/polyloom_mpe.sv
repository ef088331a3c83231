// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe: the message passing engine of an FPGA rank, between whole Ethernet frames and a kernel.
// How:          a small sequencer decides everything, by a program (polyloom_mpe_program_*_pkg); units move what goes a word a
//               cycle. A frame to this node itself turns round at the transmit side.
//                   frames -> UDP --> parse --> [ header ] --> sequencer --> builder --> UDP -+-> store -> frames
//                          ARP |          '--> writer --> memory, store     reader ---^  ARP -'      '-> back, if to this node
// Latency:      see the units and roles/mpi/README.md.
// Throughput:   a word a cycle in both directions; the kernel's memory port gives one access a cycle to both together.
// Backpressure: frames wait at rx_ready_o, but never for a response to ARP or management, which would wait for frames that turn
//               round: a question that comes while another is being answered is thrown away; the transmit store takes whole frames before it sends.
// Order/loss:   PROTOCOL.md.
// Reset:        no job; the kernel is held in reset until it is started.
// Limits:       see the units.
// Cost:         3,900 LUT, 1,358 FF, 51.5 BRAM36, for 1,024 ranks (UltraScale+; `polyloom synth mpe`, Yosys 0.70, 2026-11).
// Source:       PROTOCOL.md, ENGINE.md.   Tests: test_polyloom_mpe.py, test_mpe_faults.py, interop_test.cc
module polyloom_mpe
  import polyloom_mpe_pkg::*;
  import polyloom_mpe_isa_pkg::*;
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

  // The sequencer and what it is told
  place_t next;
  instruction_t code;
  input_e input_number;
  output_e out;
  logic [31:0] in, result;
  logic resting, no_command, response_valid_q, writer_ready, payload_valid, payload_ready, payload_last;
  polyloom_mpe_program i_program (
      .clk_i,
      .at_i  (next),
      .word_o(code)
  );
  polyloom_mpe_sequencer i_sequencer (
      .clk_i,
      .rst_ni,
      .next_o      (next),
      .word_i      (code),
      .rests_o     (resting),
      .input_o     (input_number),
      .input_i     (in),
      .conditions_i({!writer_ready, payload_last, !payload_valid, response_valid_q, no_command}),
      .output_o    (out),
      .result_o    (result)
  );

  // Its settings
  cfg_t cfg_q;
  logic started_q;
  endpoint_t to_q;
  logic [16:0] bytes_q;
  logic [31:0] low_q, response_high_q, response_low_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cfg_q <= '0;
      started_q <= 1'b0;
      response_valid_q <= 1'b0;
    end else begin
      unique case (out)
        O_JOB: cfg_q.job <= result;
        O_RANK: {cfg_q.size, cfg_q.rank} <= result;
        O_EAGER: cfg_q.eager <= result[15:0];
        O_CONTROL: started_q <= result[0];
        default: ;
      endcase
      if (out == O_RESPONSE) response_valid_q <= 1'b1;
      else if (rsp_ready_i || out == O_CONTROL) response_valid_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    unique case (out)
      O_TX_LOW: low_q <= result;
      O_MAC: to_q.mac[31:0] <= result;
      O_PORT_MAC: {to_q.port, to_q.mac[47:32]} <= result;
      O_IP: to_q.ip <= result;
      O_BYTES: bytes_q <= result[16:0];
      O_RESPONSE: {response_high_q, response_low_q} <= {result, low_q};
      default: ;
    endcase
  end
  assign kernel_rst_no = started_q;
  assign rank_o = cfg_q.rank;
  assign rsp_valid_o = response_valid_q;
  assign rsp_o = {response_high_q, response_low_q};
  assign no_command = !(cmd_valid_i && started_q);
  assign cmd_ready_o = out == O_POP_COMMAND;

  // Its inputs
  logic head_valid, head_manage, head_more, parse_ready, parse_dropped, copied, copied_bad;
  logic [63:0] head, payload, wide;
  endpoint_t head_from;
  logic [12:0] head_bytes;
  logic [47:0] counted;
  event_e why;
  status_t status;
  always_comb begin
    status = '0;
    status.more = head_more;
    status.outside = copied_bad;
    status.kernel_done = kernel_done_i && started_q;
    status.bytes = head_bytes;
    unique case (input_number)
      I_WORD_LOW, I_WORD_HIGH: wide = payload;
      I_COMMAND_LOW, I_COMMAND_HIGH: wide = cmd_i;
      I_CYCLE_LOW, I_CYCLE_HIGH: wide = cycle_i;
      I_COUNTER_LOW, I_COUNTER_HIGH: wide = 64'(counted);
      default: wide = head;
    endcase
    unique case (input_number)
      I_MAC: in = head_from.mac[31:0];
      I_PORT_MAC: in = {head_from.port, head_from.mac[47:32]};
      I_IP: in = head_from.ip;
      I_STATUS: in = status;
      I_EVENT: in = 32'(why);
      default: in = input_number[0] ? wide[63:32] : wide[31:0];
    endcase
  end

  // Why it wakes
  logic writer_idle, builder_ready, builder_idle, out_empty, rests;
  polyloom_mpe_events i_events (
      .clk_i,
      .rst_ni,
      .output_i       (out),
      .result_i       (result),
      .rests_o        (rests),
      .command_valid_i(!no_command),
      .head_valid_i   (head_valid),
      .head_manage_i  (head_manage),
      .writer_ready_i (writer_ready),
      .writer_idle_i  (writer_idle),
      .builder_ready_i(builder_ready),
      .builder_idle_i (builder_idle),
      .out_empty_i    (out_empty),
      .copied_i       (copied),
      .response_free_i(!response_valid_q),
      .event_o        (why)
  );

  // Payload in
  logic writer_accepts;
  assign udp_ready = parse_ready;
  polyloom_mpe_parse i_parse (
      .clk_i,
      .rst_ni,
      .cfg_i        (cfg_q),
      .in_valid_i   (udp_valid),
      .in_ready_o   (parse_ready),
      .in_data_i    (udp_data),
      .in_last_i    (udp_last),
      .in_manage_i  (udp_port[1]),
      .in_bytes_i   (udp_bytes),
      .in_from_i    (udp_from),
      .head_valid_o (head_valid),
      .head_manage_o(head_manage),
      .head_ready_i (out == O_HEAD_DONE),
      .head_word_i  (input_number[2:1]),
      .head_o       (head),
      .head_from_o  (head_from),
      .head_bytes_o (head_bytes),
      .head_more_o  (head_more),
      .out_valid_o  (payload_valid),
      .out_ready_i  (payload_ready),
      .out_data_o   (payload),
      .out_last_o   (payload_last),
      .dropped_o    (parse_dropped)
  );
  assign payload_ready = writer_accepts || out == O_POP_WORD;
  logic [1:0] store_en, store_we;
  logic [1:0][STORE_BITS-1:0] store_addr;
  logic [1:0][63:0] store_wdata, store_rdata;
  polyloom_mpe_writer i_writer (
      .clk_i,
      .rst_ni,
      .address_valid_i(out == O_WRITE_AT),
      .address_i      (result),
      .job_valid_i    (out == O_WRITE),
      .job_i          (write_job_t'(result)),
      .ready_o        (writer_ready),
      .idle_o         (writer_idle),
      .in_valid_i     (payload_valid),
      .in_ready_o     (writer_accepts),
      .in_data_i      (payload),
      .in_last_i      (payload_last),
      .store_en_o     (store_en[0]),
      .store_we_o     (store_we[0]),
      .store_addr_o   (store_addr[0]),
      .store_wdata_o  (store_wdata[0]),
      .store_rdata_i  (store_rdata[0]),
      .req_valid_o    (write_valid_o),
      .req_ready_i    (write_ready_i),
      .req_addr_o     (write_addr_o),
      .req_data_o     (write_data_o),
      .req_strb_o     (write_strb_o)
  );
  polyloom_ram_2rw #(
      .Width(64),
      .Depth(STORE_WORDS)
  ) i_store (
      .clk_i,
      .en_i   (store_en),
      .we_i   (store_we),
      .addr_i (store_addr),
      .wdata_i(store_wdata),
      .rdata_o(store_rdata)
  );

  // Payload out
  logic job_valid, words_valid, words_ready, words_last, words_bad, gram_valid, gram_ready, gram_last, reader_ready;
  logic [31:0] job_address;
  logic [10:0] job_bytes;
  logic [63:0] word, gram;
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
      .ready_o        (builder_ready),
      .idle_o         (builder_idle),
      .word_valid_i   (out == O_TX_HIGH || out == O_TX_END),
      .word_last_i    (out == O_TX_END),
      .word_i         ({result, low_q}),
      .address_valid_i(out == O_READ_AT),
      .address_i      (result),
      .job_valid_i    (out == O_READ),
      .job_i          (read_job_t'(result)),
      .copied_o       (copied),
      .copied_bad_o   (copied_bad),
      .reported_i     (out == O_REPORTED),
      .read_valid_o   (job_valid),
      .read_ready_i   (reader_ready),
      .read_address_o (job_address),
      .read_bytes_o   (job_bytes),
      .words_valid_i  (words_valid),
      .words_ready_o  (words_ready),
      .words_i        (word),
      .words_last_i   (words_last),
      .words_bad_i    (words_bad),
      .store_en_o     (store_en[1]),
      .store_we_o     (store_we[1]),
      .store_addr_o   (store_addr[1]),
      .store_wdata_o  (store_wdata[1]),
      .store_rdata_i  (store_rdata[1]),
      .out_valid_o    (gram_valid),
      .out_ready_i    (gram_ready),
      .out_data_o     (gram),
      .out_last_o     (gram_last)
  );

  logic out_idle, frame_out, frame_in;
  polyloom_mpe_out #(
      .Words(TxWords)
  ) i_out (
      .clk_i,
      .rst_ni,
      .ip_i,
      .gram_valid_i (gram_valid),
      .gram_ready_o (gram_ready),
      .gram_data_i  (gram),
      .gram_last_i  (gram_last),
      .gram_to_i    (to_q),
      .gram_manage_i(bytes_q[16]),
      .gram_bytes_i (bytes_q[15:0]),
      .arp_valid_i  (arp_valid),
      .arp_ready_o  (unused_arp_ready),
      .arp_from_i   (arp_from),
      .tx_valid_o,
      .tx_ready_i,
      .tx_data_o,
      .tx_last_o,
      .back_valid_o (back_valid),
      .back_ready_i (back_ready),
      .back_data_o  (back_data),
      .back_last_o  (back_last),
      .back_size_o  (back_size),
      .empty_o      (out_empty),
      .idle_o       (out_idle)
  );

  // Counting
  logic [COUNTERS-1:0] count;
  logic [3:0] counter_q;
  logic [12:0] bytes_in_q;
  logic [9:0] words_q, words_out_q;
  logic counters_idle;
  assign frame_in  = in_valid && in_ready && in_last;
  assign frame_out = tx_valid_o && tx_ready_i && tx_last_o;
  always_comb begin
    count = '0;
    if (out == O_COUNT) count[result[3:0]] = 1'b1;
    count[N_FRAMES_IN] = frame_in;
    count[N_FRAMES_OUT] = frame_out;
    count[N_BAD] = rx_bad_i;
    count[N_FULL] = rx_full_i;
  end
  polyloom_mpe_counters i_counters (
      .clk_i,
      .rst_ni,
      .events_i (count),
      .foreign_i(udp_dropped || parse_dropped),
      .in_i     (bytes_in_q),
      .out_i    ({words_out_q, 3'b0}),
      .index_i  (counter_q),
      .value_o  (counted),
      .idle_o   (counters_idle)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) words_q <= '0;
    else if (frame_out) words_q <= '0;
    else if (tx_valid_o && tx_ready_i) words_q <= words_q + 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (frame_in) bytes_in_q <= in_size;
    if (frame_out) words_out_q <= words_q + 1'b1;
    if (out == O_COUNTER) counter_q <= result[3:0];
  end

  assign idle_o = !in_valid && !in_frame_q && resting && why == EV_NONE && rests && no_command && writer_idle &&
      builder_idle && reader_ready && out_idle && counters_idle && !payload_valid;

  logic unused;
  assign unused = udp_port[0];
endmodule
