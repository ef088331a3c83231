// SPDX-License-Identifier: Apache-2.0
// kernel_units: the parts of a kernel node alone, a scope each, whose signals a test drives; stands in kernel_tb, so that the
// tests of whole nodes and those of parts share a binary.
module kernel_units
  import polyloom_mpe_pkg::*;
  import polyloom_mpe_isa_pkg::*;
  import polyloom_udp_pkg::endpoint_t;
(
    input logic clk_i,
    input logic rst_ni
);

  if (1) begin : gen_counters
    logic [9:0] events = '0;
    logic foreign = 1'b0, idle;
    logic [12:0] bytes_in = '0, bytes_out = '0;
    logic [ 3:0] index = '0;
    logic [47:0] value;
    polyloom_mpe_counters i_dut (
        .clk_i,
        .rst_ni,
        .events_i (events),
        .foreign_i(foreign),
        .in_i     (bytes_in),
        .out_i    (bytes_out),
        .index_i  (index),
        .value_o  (value),
        .idle_o   (idle)
    );
  end

  if (1) begin : gen_events
    logic [5:0] code = '0;
    logic [31:0] result = '0;
    logic [9:0] said = '0;
    logic rests;
    event_e why;
    polyloom_mpe_events i_dut (
        .clk_i,
        .rst_ni,
        .output_i       (output_e'(code)),
        .result_i       (result),
        .rests_o        (rests),
        .command_valid_i(said[0]),
        .head_valid_i   (said[1]),
        .head_manage_i  (said[2]),
        .writer_ready_i (said[3]),
        .writer_idle_i  (said[4]),
        .builder_ready_i(said[5]),
        .builder_idle_i (said[6]),
        .out_empty_i    (said[7]),
        .copied_i       (said[8]),
        .response_free_i(said[9]),
        .event_o        (why)
    );
  end

  if (1) begin : gen_parse
    cfg_t cfg = '0;
    logic in_valid = 1'b0, in_ready, out_valid, out_ready = 1'b0, head_valid, head_ready = 1'b0, dropped;
    logic [174:0] in = '0;  // bytes, from, manage, last, data
    logic [ 64:0] out;  // last, data
    logic [  1:0] head_word = '0;
    logic [ 63:0] head;
    logic [110:0] about;  // from, bytes, manage, more
    polyloom_mpe_parse i_dut (
        .clk_i,
        .rst_ni,
        .cfg_i        (cfg),
        .in_valid_i   (in_valid),
        .in_ready_o   (in_ready),
        .in_data_i    (in[63:0]),
        .in_last_i    (in[64]),
        .in_manage_i  (in[65]),
        .in_bytes_i   (in[174:162]),
        .in_from_i    (in[161:66]),
        .head_valid_o (head_valid),
        .head_manage_o(about[1]),
        .head_ready_i (head_ready),
        .head_word_i  (head_word),
        .head_o       (head),
        .head_from_o  (about[110:15]),
        .head_bytes_o (about[14:2]),
        .head_more_o  (about[0]),
        .out_valid_o  (out_valid),
        .out_ready_i  (out_ready),
        .out_data_o   (out[63:0]),
        .out_last_o   (out[64]),
        .dropped_o    (dropped)
    );
  end

  for (genvar g = 0; g < 3; g++) begin : gen_reader
    logic job_valid = 1'b0, job_ready, out_valid, out_ready = 1'b0, out_bad, req_valid, req_ready = 1'b0;
    logic [42:0] job = '0;  // address, bytes
    logic [64:0] out;  // last, data
    logic [31:0] req;
    logic rsp_valid = 1'b0;
    logic [64:0] rsp = '0;  // error, data
    polyloom_mpe_reader #(
        .Beats(g == 0 ? 32 : g == 1 ? 5 : 1)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .job_valid_i  (job_valid),
        .job_ready_o  (job_ready),
        .job_address_i(job[42:11]),
        .job_bytes_i  (job[10:0]),
        .out_valid_o  (out_valid),
        .out_ready_i  (out_ready),
        .out_data_o   (out[63:0]),
        .out_last_o   (out[64]),
        .out_bad_o    (out_bad),
        .req_valid_o  (req_valid),
        .req_ready_i  (req_ready),
        .req_addr_o   (req),
        .rsp_valid_i  (rsp_valid),
        .rsp_data_i   (rsp[63:0]),
        .rsp_error_i  (rsp[64])
    );
  end

  if (1) begin : gen_writer
    logic address_valid = 1'b0, job_valid = 1'b0, ready, idle;
    logic [31:0] address = '0, job = '0;
    logic in_valid = 1'b0, in_ready, req_valid, req_ready = 1'b0, store_we, store_en;
    logic [64:0] in = '0;  // last, data
    logic [103:0] req;  // address, data (0 where it is not written), strobe
    logic [63:0] req_data;
    logic [31:0] req_addr;
    logic [7:0] req_strb;
    logic [polyloom_mpe_pkg::STORE_BITS-1:0] store_addr;
    logic [63:0] store_wdata, store_rdata = '0;
    polyloom_mpe_writer i_dut (
        .clk_i,
        .rst_ni,
        .address_valid_i(address_valid),
        .address_i      (address),
        .job_valid_i    (job_valid),
        .job_i          (write_job_t'(job)),
        .ready_o        (ready),
        .idle_o         (idle),
        .in_valid_i     (in_valid),
        .in_ready_o     (in_ready),
        .in_data_i      (in[63:0]),
        .in_last_i      (in[64]),
        .store_we_o     (store_we),
        .store_en_o     (store_en),
        .store_addr_o   (store_addr),
        .store_wdata_o  (store_wdata),
        .store_rdata_i  (store_rdata),
        .req_valid_o    (req_valid),
        .req_ready_i    (req_ready),
        .req_addr_o     (req_addr),
        .req_data_o     (req_data),
        .req_strb_o     (req_strb)
    );
    assign {req[103:72], req[7:0]} = {req_addr, req_strb};
    for (genvar b = 0; b < 8; b++) begin : gen_byte
      assign req[8+8*b+:8] = req_strb[b] ? req_data[8*b+:8] : 8'd0;
    end
  end

  if (1) begin : gen_builder
    logic ready, idle, word_valid = 1'b0, word_last = 1'b0, address_valid = 1'b0, job_valid = 1'b0, reported = 1'b0;
    logic [31:0] address = '0, job = '0;
    logic [63:0] word = '0;
    logic copied, copied_bad, read_valid, read_ready = 1'b0, words_valid = 1'b0, words_ready;
    logic [42:0] read;  // address, bytes
    logic [65:0] words = '0;  // bad, last, data
    logic store_we, store_en, out_valid, out_ready = 1'b0;
    logic [polyloom_mpe_pkg::STORE_BITS-1:0] store_addr;
    logic [63:0] store_wdata, store_rdata = '0;
    logic [64:0] out;  // last, data
    polyloom_mpe_builder i_dut (
        .clk_i,
        .rst_ni,
        .ready_o        (ready),
        .idle_o         (idle),
        .word_valid_i   (word_valid),
        .word_last_i    (word_last),
        .word_i         (word),
        .address_valid_i(address_valid),
        .address_i      (address),
        .job_valid_i    (job_valid),
        .job_i          (read_job_t'(job)),
        .copied_o       (copied),
        .copied_bad_o   (copied_bad),
        .reported_i     (reported),
        .read_valid_o   (read_valid),
        .read_ready_i   (read_ready),
        .read_address_o (read[42:11]),
        .read_bytes_o   (read[10:0]),
        .words_valid_i  (words_valid),
        .words_ready_o  (words_ready),
        .words_i        (words[63:0]),
        .words_last_i   (words[64]),
        .words_bad_i    (words[65]),
        .store_en_o     (store_en),
        .store_we_o     (store_we),
        .store_addr_o   (store_addr),
        .store_wdata_o  (store_wdata),
        .store_rdata_i  (store_rdata),
        .out_valid_o    (out_valid),
        .out_ready_i    (out_ready),
        .out_data_o     (out[63:0]),
        .out_last_o     (out[64])
    );
  end

  for (genvar g = 0; g < 2; g++) begin : gen_out
    logic [31:0] ip = '0;
    logic gram_valid = 1'b0, gram_ready, arp_valid = 1'b0, arp_ready, empty, idle;
    logic [177:0] gram = '0;  // bytes, manage, to, last, data
    endpoint_t arp = '0;
    logic tx_valid, tx_ready = 1'b0, back_valid, back_ready = 1'b0;
    logic [64:0] tx;  // last, data
    logic [77:0] back;  // size, last, data
    polyloom_mpe_out #(
        .Words(g == 0 ? 512 : 21)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .ip_i         (ip),
        .gram_valid_i (gram_valid),
        .gram_ready_o (gram_ready),
        .gram_data_i  (gram[63:0]),
        .gram_last_i  (gram[64]),
        .gram_to_i    (gram[160:65]),
        .gram_manage_i(gram[161]),
        .gram_bytes_i (gram[177:162]),
        .arp_valid_i  (arp_valid),
        .arp_ready_o  (arp_ready),
        .arp_from_i   (arp),
        .tx_valid_o   (tx_valid),
        .tx_ready_i   (tx_ready),
        .tx_data_o    (tx[63:0]),
        .tx_last_o    (tx[64]),
        .back_valid_o (back_valid),
        .back_ready_i (back_ready),
        .back_data_o  (back[63:0]),
        .back_last_o  (back[64]),
        .back_size_o  (back[77:65]),
        .empty_o      (empty),
        .idle_o       (idle)
    );
  end

  if (1) begin : gen_program
    place_t at = '0;
    instruction_t word;
    polyloom_mpe_program i_dut (
        .clk_i,
        .at_i  (at),
        .word_o(word)
    );
  end

  if (1) begin : gen_sequencer
    place_t next;
    instruction_t word = '0;
    logic rests;
    input_e requested;
    output_e code;
    logic [31:0] given = '0, result;
    logic [4:0] conditions = '0;
    polyloom_mpe_sequencer i_dut (
        .clk_i,
        .rst_ni,
        .next_o      (next),
        .word_i      (word),
        .rests_o     (rests),
        .input_o     (requested),
        .input_i     (given),
        .conditions_i(conditions),
        .output_o    (code),
        .result_o    (result)
    );
  end

  for (genvar g = 0; g < 3; g++) begin : gen_memory
    logic [2:0] request_valid = '0, request_ready, request_write, rsp_valid;
    logic [2:0][104:0] request = '0;  // write, address, data, strobe
    logic [2:0][ 31:0] addr;
    logic [2:0][ 63:0] wdata;
    logic [2:0][  7:0] strb;
    logic [63:0] rdata, r = '0;
    logic ar_valid, ar_ready = 1'b0, r_valid = 1'b0, aw_valid, aw_ready = 1'b0, w_valid, w_ready = 1'b0, b_valid = 1'b0;
    logic [39:0] ar, aw;
    logic [71:0] w;  // data, strobe
    logic idle;
    for (genvar n = 0; n < 3; n++) begin : gen_request
      assign {request_write[n], addr[n], wdata[n], strb[n]} = request[n];
    end
    polyloom_kernel_memory #(
        .Open(g == 0 ? 32 : g == 1 ? 3 : 1)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .valid_i    (request_valid),
        .ready_o    (request_ready),
        .write_i    (request_write),
        .addr_i     (addr),
        .wdata_i    (wdata),
        .strb_i     (strb),
        .rsp_valid_o(rsp_valid),
        .rdata_o    (rdata),
        .ar_valid_o (ar_valid),
        .ar_ready_i (ar_ready),
        .ar_addr_o  (ar),
        .r_valid_i  (r_valid),
        .r_data_i   (r),
        .aw_valid_o (aw_valid),
        .aw_ready_i (aw_ready),
        .aw_addr_o  (aw),
        .w_valid_o  (w_valid),
        .w_ready_i  (w_ready),
        .w_data_o   (w[71:8]),
        .w_strb_o   (w[7:0]),
        .b_valid_i  (b_valid),
        .idle_o     (idle)
    );
  end
endmodule
