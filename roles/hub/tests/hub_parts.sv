// SPDX-License-Identifier: Apache-2.0
// hub_parts: what the switch and the local unit are made of, each part alone; a part of hub_tb.
// verilog_format: off
module hub_parts
  import polyloom_hub_pkg::*;
  import polyloom_hub_registers_pkg::*;
(
    input logic clk_i,
    input logic rst_ni
);

  if (1) begin : gen_counters
    polyloom_hub_counters i_dut (.port_i(from_port), .event_i(from_event), .*);
  end

  for (genvar k = 0; k < 2; k++) begin : gen_queue  // of 2, 3 slots
    // of 2, 3 slots
    logic grant;
    logic [PORTS-1:0] request, allow = '0;  // an output that is free grants at once
    assign grant = (request & allow) != '0;
    polyloom_hub_queue #(.Port(1 + k), .Slots(2 + k)) i_dut (.request_o(request), .stream_o(to_stream), .grant_i(grant),
        .*);
  end

  for (genvar p = 0; p < 4; p++) begin : gen_input  // of each link
    localparam int unsigned Sizes[4] = '{4, 3, 2, 5};
    logic [PORTS-1:0] request, grant, allow = '0;
    assign grant = request & allow;
    polyloom_hub_input #(.Port(p), .Slots(Sizes[p])) i_dut (.request_o(request), .stream_o(to_stream), .grant_i(grant),
        .*);
  end

  for (genvar k = 0; k < 3; k++) begin : gen_output  // 2 credits, 5, none
    beat_t [INPUTS-1:0] beat = '0;
    struct packed {
      logic [2:0] source;
      beat_t beat;
    } out;
    polyloom_hub_output #(.Slots(k == 0 ? 2 : 5), .HasCredits(k != 2), .Enters(k == 0 ? 6'b010101 : 6'b100110)) i_dut
        (.beat_i(beat), .out_o(out.beat), .source_o(out.source), .tlp_o(tlp_out), .beat_o(beat_out), .*);
  end

  if (1) begin : gen_local  // the registers are a function of the address; one in eight refuses
    struct packed {
      logic [2:0] source;
      beat_t beat;
    } in = '0;
    logic [41:0] start;  // address, bytes
    beat_t beat, memory;
    logic write_ok, read_ok_q;
    logic [15:0] waddr, raddr, raddr_q;
    logic [63:0] rdata_q;
    logic reads_header, reads_expected;
    logic [7:0] reads_tag, due_tag = '0;
    assign memory = beat;
    assign write_ok = waddr[5:3] != 3'd5;
    assign reads_expected = reads_header && reads_tag == due_tag;
    always_ff @(posedge clk_i) begin
      raddr_q   <= raddr;
      rdata_q   <= {~raddr_q, raddr_q, 16'h5a3c, raddr_q};
      read_ok_q <= raddr_q[5:3] != 3'd6;
    end
    polyloom_hub_local i_dut (.in_i(in.beat), .source_i(in.source), .memory_start_o(start_valid),
        .memory_ready_i(start_ready), .memory_address_o(start[41:10]), .memory_bytes_o(start[9:0]),
        .memory_data_ready_i(memory_ready), .waddr_o(waddr), .write_ok_i(write_ok), .raddr_o(raddr), .rdata_i(rdata_q),
        .read_ok_i(read_ok_q), .reads_header_o(reads_header), .reads_tag_o(reads_tag),
        .reads_expected_i(reads_expected), .beat_o(beat), .*);
  end

  // With two lanes; without a function; the largest numbers.
  function automatic cfg_t config_of(int unsigned k);
    cfg_t c;
    c = SMALL;
    if (k == 1) begin
      c.lanes = 1;
      c.function_kinds = 0;
    end else if (k == 2) begin
      c.max_payload = 512;
      c.slots = 31;
      c.tags = 17;
      c.memory_bits = 32;
      c.lanes = 8;
      c.function_kinds = 24;
      c.function_width = 128;
    end
    return c;
  endfunction
  for (genvar k = 0; k < 3; k++) begin : gen_regs
    localparam cfg_t Cfg = config_of(k);
    polyloom_hub_regs #(.Cfg(Cfg)) i_dut (.config_o(config_word), .function_i(function_state), .*);
  end
endmodule
