// SPDX-License-Identifier: Apache-2.0
// polyloom_kernel_app: a stand-in for a generated kernel in tests: its memory and its commands are words that a test puts.
// How:          a block RAM of 64 KiB from 0x0001_0000 on serves DMA; commands come from an array, responses go to one. The test
//               reads and writes both arrays through the simulator, or, in a Verilated node, through the memory: on start the
//               player copies its script from DRAM (word 0: number of commands, then three words each) and at the end writes
//               the responses behind it. The handle of a WAIT or TEST is the number of the command that got the handle.
// Source: ENGINE.md.   Tests: test_polyloom_mpe.py, interop_test.cc
/* verilator lint_off DECLFILENAME */  // it stands in for the generated module of that name
module polyloom_kernel_app (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic [15:0] rank_i,
    input  logic [63:0] cycle_i,
    output logic        done_o,
    output logic        idle_o,
    output logic        cmd_valid_o,
    input  logic        cmd_ready_i,
    output logic [63:0] cmd_o,
    input  logic        rsp_valid_i,
    output logic        rsp_ready_o,
    input  logic [63:0] rsp_i,
    input  logic        dma_req_valid_i,
    output logic        dma_req_ready_o,
    input  logic        dma_write_i,
    input  logic [31:0] dma_addr_i,
    input  logic [63:0] dma_wdata_i,
    input  logic [ 7:0] dma_strb_i,
    output logic        dma_rsp_valid_o,
    output logic [63:0] dma_rdata_o,
    output logic        dma_error_o,
    output logic        dram_req_valid_o,
    input  logic        dram_req_ready_i,
    output logic        dram_write_o,
    output logic [31:0] dram_addr_o,
    output logic [63:0] dram_wdata_o,
    output logic [ 7:0] dram_strb_o,
    input  logic        dram_rsp_valid_i,
    input  logic [63:0] dram_rdata_i
);

  localparam int unsigned WORDS = 8192;
  logic [63:0] memory[WORDS]  /*verilator public_flat_rw*/;

  // DMA
  logic inside_memory;
  logic [31:0] offset;
  assign offset = dma_addr_i - 32'h1_0000;
  assign inside_memory = dma_addr_i >= 32'h1_0000 && offset < 8 * WORDS;
  logic dma_late = 1'b0, response_late = 1'b0;  // a test may make the engine wait
  assign dma_req_ready_o = !dma_late;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) dma_rsp_valid_o <= 1'b0;
    else dma_rsp_valid_o <= dma_req_valid_i && dma_req_ready_o && !dma_write_i;
  end
  always_ff @(posedge clk_i) begin
    dma_rdata_o <= memory[offset[15:3]];
    dma_error_o <= !inside_memory;
    for (int unsigned b = 0; b < 8; b++) begin
      if (dma_req_valid_i && dma_req_ready_o && dma_write_i && inside_memory && dma_strb_i[b]) begin
        memory[offset[15:3]][8*b+:8] <= dma_wdata_i[8*b+:8];
      end
    end
  end

  // Script in DRAM
  typedef enum logic [2:0] {
    LENGTH,
    FETCH,
    COMMAND,
    RESPONSE,
    STORE,
    HALT
  } step_e;
  step_e step_q;
  logic [31:0] commands_q, at_q;
  logic [1:0] word_q;
  logic requested_q, by_handle_q;
  logic [15:0] handles_q[1024];
  logic [63:0] cmd_q, rsp_q;
  localparam logic [31:0] SCRIPT = 32'h8000_0000;
  localparam logic [31:0] RESPONSES = 32'h8010_0000;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      step_q <= LENGTH;
      requested_q <= 1'b0;
      at_q <= '0;
      word_q <= '0;
    end else begin
      if (dram_req_valid_o && dram_req_ready_i && !dram_write_o) requested_q <= 1'b1;
      unique case (step_q)
        LENGTH:
        if (dram_rsp_valid_i) begin
          commands_q <= dram_rdata_i[31:0];
          requested_q <= 1'b0;
          step_q <= dram_rdata_i == '0 ? HALT : FETCH;
        end
        FETCH:
        if (dram_rsp_valid_i) begin
          cmd_q <= dram_rdata_i;
          if (word_q == 2'd0) by_handle_q <= dram_rdata_i[7:0] == 8'd4 || dram_rdata_i[7:0] == 8'd5;
          if (word_q == 2'd1 && by_handle_q) cmd_q[31:16] <= handles_q[dram_rdata_i[25:16]];
          requested_q <= 1'b0;
          step_q <= COMMAND;
        end
        COMMAND:
        if (cmd_ready_i) begin
          word_q <= word_q == 2'd2 ? '0 : word_q + 1'b1;
          step_q <= word_q == 2'd2 ? RESPONSE : FETCH;
        end
        RESPONSE:
        if (rsp_valid_i && rsp_ready_o) begin
          rsp_q <= rsp_i;
          if (word_q == 2'd0) handles_q[at_q[9:0]] <= rsp_i[31:16];
          step_q <= STORE;
        end
        STORE:
        if (dram_req_ready_i) begin
          word_q <= word_q == 2'd1 ? '0 : 2'd1;
          step_q <= RESPONSE;
          if (word_q == 2'd1) begin
            at_q   <= at_q + 1'b1;
            step_q <= at_q + 1'b1 == commands_q ? HALT : FETCH;
          end
        end
        default: ;
      endcase
    end
  end
  assign dram_req_valid_o = ((step_q == LENGTH || step_q == FETCH) && !requested_q) || step_q == STORE;
  assign dram_write_o = step_q == STORE;
  assign dram_addr_o = step_q == LENGTH ? SCRIPT : step_q == FETCH ? SCRIPT + 8 + 24 * at_q + {27'd0, word_q, 3'd0} :
      RESPONSES + 16 * at_q + {27'd0, word_q, 3'd0};
  assign dram_wdata_o = rsp_q;
  assign dram_strb_o = '1;
  assign cmd_valid_o = step_q == COMMAND;
  assign cmd_o = cmd_q;
  assign rsp_ready_o = step_q == RESPONSE && !response_late;
  assign done_o = step_q == HALT;
  assign idle_o = (step_q == RESPONSE && !rsp_valid_i) || step_q == HALT;

  logic unused;
  assign unused = ^{rank_i, cycle_i, dma_addr_i[2:0]};
endmodule
