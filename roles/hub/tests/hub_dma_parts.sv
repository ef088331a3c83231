// SPDX-License-Identifier: Apache-2.0
// hub_dma_parts: the parts of the DMA, each alone; a part of hub_tb.
// verilog_format: off
module hub_dma_parts
  import polyloom_hub_pkg::*;
  import polyloom_hub_registers_pkg::*;
(
    input logic clk_i,
    input logic rst_ni
);
  localparam int unsigned Tags[2] = '{1, 3};
  localparam int unsigned Bits[2] = '{16, 32};
  localparam int unsigned Most[2] = '{128, 512};
  localparam int unsigned Chain[2] = '{8, 1};
  function automatic cfg_t config_of(int unsigned k);
    cfg_t c;
    c = SMALL;
    c.tags = Tags[k];
    c.memory_bits = Bits[k];
    c.max_payload = Most[k];
    c.chain_max = Chain[k];
    return c;
  endfunction

  for (genvar k = 0; k < 2; k++) begin : gen_control  // chains of 8, of 1
    dma_error_e walk_error;
    logic [3:0] walk_error_bits = '0;
    assign walk_error = dma_error_e'(walk_error_bits);
    polyloom_hub_dma_control #(.Cfg(config_of(k))) i_dut (.function_i(has_function), .proxy_queued_i(queued),
        .request_address_o(request), .walk_error_i(walk_error), .*);
  end

  for (genvar k = 0; k < 2; k++) begin : gen_read  // 1 read under way, 3
    struct packed {
      logic fetch;
      logic [9:0] bytes;
      logic [ADDR_W-1:0] address;
    } request = '0;
    logic [47:0] ar;  // address, length
    logic [128:0] r = '0;  // data, last
    descriptor_t fetch;
    polyloom_hub_dma_read #(.Cfg(config_of(k))) i_dut (.request_address_i(request.address),
        .request_bytes_i(request.bytes), .request_fetch_i(request.fetch), .mem_ar_valid_o(ar_valid),
        .mem_ar_ready_i(ar_ready), .mem_ar_addr_o(ar[47:8]), .mem_ar_len_o(ar[7:0]), .mem_r_valid_i(r_valid),
        .mem_r_ready_o(r_ready), .mem_r_data_i(r[128:1]), .mem_r_last_i(r[0]), .fetch_o(fetch), .*);
  end

  for (genvar k = 0; k < 2; k++) begin : gen_walk  // a memory of 64 KiB, of 4 GiB
    struct packed {
      logic [9:0] bytes;
      logic [ADDR_W-1:0] address;
    } request;
    polyloom_hub_dma_walk #(.Cfg(config_of(k))) i_dut (.request_address_o(request.address),
        .request_bytes_o(request.bytes), .*);
  end

  for (genvar k = 0; k < 2; k++) begin : gen_write  // TLPs of 128 bytes, of 512
    polyloom_hub_dma_write #(.Cfg(config_of(k))) i_dut (.*);
  end
endmodule
