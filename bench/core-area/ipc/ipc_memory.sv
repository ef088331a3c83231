// SPDX-License-Identifier: Apache-2.0
// ipc_memory: program and data of 32 KiB for a core whose instructions a cycle are measured; no waiting beyond the answer.
// A store to an address with its top bit set ends the run. Pipelined: a request a cycle, answered in the next one;
// else a request stands until its answer, which comes in its cycle (Same) or in the next.
module ipc_memory #(
    parameter bit Same      = 0,
    parameter bit Pipelined = 0
) (
    input  logic        clk_i,
    input  logic        code_req_i,
    input  logic [31:0] code_addr_i,
    output logic        code_ack_o,
    output logic [31:0] code_data_o,
    input  logic        data_req_i,
    input  logic        data_we_i,
    input  logic [ 3:0] data_be_i,
    input  logic [31:0] data_addr_i,
    input  logic [31:0] data_wdata_i,
    output logic        data_ack_o,
    output logic [31:0] data_rdata_o
);
  logic [31:0] memory[8192];
  initial $readmemh("program.hex", memory);

  logic code_ack_q = 0, data_ack_q = 0;
  logic [31:0] code_q, data_q;
  longint unsigned cycles = 0, fetches = 0;
  logic data_new;
  assign data_new = data_req_i && (Same || Pipelined || !data_ack_q);
  assign code_ack_o = Same ? code_req_i : code_ack_q;
  assign data_ack_o = Same ? data_req_i : data_ack_q;
  assign code_data_o = Same ? memory[code_addr_i[14:2]] : code_q;
  assign data_rdata_o = Same ? memory[data_addr_i[14:2]] : data_q;

  always_ff @(posedge clk_i) begin
    cycles <= cycles + 1;
    code_ack_q <= code_req_i && (Pipelined || !code_ack_q);
    data_ack_q <= data_new;
    code_q <= memory[code_addr_i[14:2]];
    data_q <= memory[data_addr_i[14:2]];
    if (code_ack_o) fetches <= fetches + 1;
    if (data_new && data_we_i) begin
      for (int unsigned i = 0; i < 4; i++) begin
        if (data_be_i[i]) memory[data_addr_i[14:2]][8*i+:8] <= data_wdata_i[8*i+:8];
      end
      if (data_addr_i[31]) begin
        $display("cycles %0d fetches %0d result %08x", cycles, fetches, data_wdata_i);
        $finish;
      end
    end
    if (cycles == 64'd20_000_000) $fatal(1, "no result after %0d cycles", cycles);
  end
endmodule
