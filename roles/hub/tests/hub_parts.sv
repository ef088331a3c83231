// SPDX-License-Identifier: Apache-2.0
// hub_parts: what the switch and the local unit are made of, each part alone; a part of hub_tb.
module hub_parts
  import polyloom_hub_pkg::*;
  import polyloom_hub_registers_pkg::*;
(
    input logic clk_i,
    input logic rst_ni
);

  if (1) begin : gen_counters
    events_t [PORTS-1:0] events = '0;
    logic [2:0] from_port = '0, from_event = '0;
    logic [63:0] rdata;
    polyloom_hub_counters i_dut (
        .clk_i,
        .rst_ni,
        .events_i(events),
        .port_i  (from_port),
        .event_i (from_event),
        .rdata_o (rdata)
    );
  end

  for (genvar k = 0; k < 2; k++) begin : gen_queue  // of 2, 3 slots
    logic in_valid = 1'b0, in_first = 1'b0, room, to_stream, grant, beat_valid, beat_ready = 1'b0, last_out;
    logic fault_valid, fault_ready = 1'b0;
    logic [PORTS-1:0] request, allow = '0;  // an output that is free grants at once
    beat_t in = '0, beat;
    route_t in_route = '0;
    fault_t fault;
    assign grant = (request & allow) != '0;
    polyloom_hub_queue #(
        .Port (1 + k),
        .Slots(2 + k)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .in_valid_i   (in_valid),
        .in_first_i   (in_first),
        .in_i         (in),
        .in_route_i   (in_route),
        .room_o       (room),
        .request_o    (request),
        .stream_o     (to_stream),
        .grant_i      (grant),
        .beat_valid_o (beat_valid),
        .beat_ready_i (beat_ready),
        .beat_o       (beat),
        .last_out_o   (last_out),
        .fault_valid_o(fault_valid),
        .fault_ready_i(fault_ready),
        .fault_o      (fault)
    );
  end

  for (genvar p = 0; p < 4; p++) begin : gen_input  // of each link
    localparam int unsigned Sizes[4] = '{4, 3, 2, 5};
    rules_t rules = '0;
    logic [LINKS-1:0] links = '0;
    logic in_valid = 1'b0, in_ready, left, to_stream, fault_valid, fault_ready = 1'b0, idle;
    logic [PORTS-1:0] request, grant, allow = '0, beat_valid, beat_ready = '0;
    beat_t in = '0;
    beat_t [PORTS-1:0] beat;
    fault_t fault;
    events_t events;
    assign grant = request & allow;
    polyloom_hub_input #(
        .Port (p),
        .Slots(Sizes[p])
    ) i_dut (
        .clk_i,
        .rst_ni,
        .rules_i      (rules),
        .links_i      (links),
        .in_valid_i   (in_valid),
        .in_ready_o   (in_ready),
        .in_i         (in),
        .left_o       (left),
        .request_o    (request),
        .stream_o     (to_stream),
        .grant_i      (grant),
        .beat_valid_o (beat_valid),
        .beat_ready_i (beat_ready),
        .beat_o       (beat),
        .fault_valid_o(fault_valid),
        .fault_ready_i(fault_ready),
        .fault_o      (fault),
        .events_o     (events),
        .idle_o       (idle)
    );
  end

  for (genvar k = 0; k < 3; k++) begin : gen_output  // 2 credits, 5, none
    logic [INPUTS-1:0] request = '0, grant, beat_valid = '0, beat_ready;
    beat_t [INPUTS-1:0] beat = '0;
    logic credit = 1'b0, out_valid, out_ready = 1'b0, tlp_out, beat_out, idle;
    struct packed {
      logic [2:0] source;
      beat_t beat;
    } out;
    polyloom_hub_output #(
        .Slots     (k == 0 ? 2 : 5),
        .HasCredits(k != 2),
        .Enters    (k == 0 ? 6'b010101 : 6'b100110)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .request_i   (request),
        .grant_o     (grant),
        .beat_valid_i(beat_valid),
        .beat_ready_o(beat_ready),
        .beat_i      (beat),
        .credit_i    (credit),
        .out_valid_o (out_valid),
        .out_ready_i (out_ready),
        .out_o       (out.beat),
        .source_o    (out.source),
        .tlp_o       (tlp_out),
        .beat_o      (beat_out),
        .idle_o      (idle)
    );
  end

  if (1) begin : gen_local  // the registers are a function of the address; one in eight refuses
    logic [3:0] node = '0;
    struct packed {
      logic [2:0] source;
      beat_t beat;
    } in = '0;
    logic in_valid = 1'b0, in_ready;
    logic start_valid, start_ready = 1'b0, memory_valid, memory_ready = 1'b0, memory_idle = 1'b0;
    logic [41:0] start;  // address, bytes
    beat_t beat, memory;
    logic write, write_ok, read_ok_q, proxy_valid, proxy_ready = 1'b0;
    logic [15:0] waddr, raddr, raddr_q;
    logic [63:0] wdata, rdata_q;
    logic [511:0] proxy;
    logic reads_header, reads_expected, reads_valid, reads_final, reads_bad;
    logic [7:0] reads_tag, due_tag = '0;
    logic stream_valid, stream_ready = 1'b0;
    beat_t stream, reply;
    logic [9:0] stream_free = '0;
    logic reply_valid, reply_ready = 1'b0, fault_valid, fault_ready = 1'b0, idle;
    fault_t fault;
    assign memory = beat;
    assign write_ok = waddr[5:3] != 3'd5;
    assign reads_expected = reads_header && reads_tag == due_tag;
    always_ff @(posedge clk_i) begin
      raddr_q   <= raddr;
      rdata_q   <= {~raddr_q, raddr_q, 16'h5a3c, raddr_q};
      read_ok_q <= raddr_q[5:3] != 3'd6;
    end
    polyloom_hub_local i_dut (
        .clk_i,
        .rst_ni,
        .node_i             (node),
        .in_valid_i         (in_valid),
        .in_ready_o         (in_ready),
        .in_i               (in.beat),
        .source_i           (in.source),
        .memory_start_o     (start_valid),
        .memory_ready_i     (start_ready),
        .memory_address_o   (start[41:10]),
        .memory_bytes_o     (start[9:0]),
        .memory_valid_o     (memory_valid),
        .memory_data_ready_i(memory_ready),
        .memory_idle_i      (memory_idle),
        .write_o            (write),
        .waddr_o            (waddr),
        .wdata_o            (wdata),
        .write_ok_i         (write_ok),
        .raddr_o            (raddr),
        .rdata_i            (rdata_q),
        .read_ok_i          (read_ok_q),
        .proxy_valid_o      (proxy_valid),
        .proxy_ready_i      (proxy_ready),
        .proxy_o            (proxy),
        .reads_header_o     (reads_header),
        .reads_tag_o        (reads_tag),
        .reads_expected_i   (reads_expected),
        .reads_valid_o      (reads_valid),
        .reads_final_o      (reads_final),
        .reads_bad_o        (reads_bad),
        .stream_valid_o     (stream_valid),
        .stream_ready_i     (stream_ready),
        .stream_o           (stream),
        .stream_free_i      (stream_free),
        .reply_valid_o      (reply_valid),
        .reply_ready_i      (reply_ready),
        .reply_o            (reply),
        .fault_valid_o      (fault_valid),
        .fault_ready_i      (fault_ready),
        .fault_o            (fault),
        .beat_o             (beat),
        .idle_o             (idle)
    );
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
    logic [7:0] strap = '0;
    logic [63:0] cycle = '0, wdata = '0, rdata, counter = '0, chain_address, config_word;
    logic write = 1'b0, write_ok, read_ok, clear, fault_more = 1'b0, chain_start;
    logic [15:0] waddr = '0, raddr = '0;
    rules_t rules;
    logic [LINKS-1:0] links;
    logic [3:0] node;
    fault_t fault = '0;
    logic [CAUSES-1:0][31:0] drops = '0;
    logic [2:0] counter_port, counter_event;
    dma_state_t dma = '0;
    function_command_t command;
    lane_t [Cfg.lanes-1:0] lanes;
    function_state_t function_state = '0;
    logic [1+Cfg.lanes:0][63:0] status = '0;
    logic [Cfg.lanes-1:0][63:0] bytes = '0;
    polyloom_hub_regs #(
        .Cfg(Cfg)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .strap_i        (strap),
        .cycle_i        (cycle),
        .write_i        (write),
        .waddr_i        (waddr),
        .wdata_i        (wdata),
        .write_ok_o     (write_ok),
        .raddr_i        (raddr),
        .rdata_o        (rdata),
        .read_ok_o      (read_ok),
        .rules_o        (rules),
        .links_o        (links),
        .node_o         (node),
        .clear_o        (clear),
        .fault_i        (fault),
        .fault_more_i   (fault_more),
        .drops_i        (drops),
        .counter_port_o (counter_port),
        .counter_event_o(counter_event),
        .counter_i      (counter),
        .chain_start_o  (chain_start),
        .chain_address_o(chain_address),
        .dma_i          (dma),
        .command_o      (command),
        .config_o       (config_word),
        .lanes_o        (lanes),
        .function_i     (function_state),
        .status_i       (status),
        .bytes_i        (bytes)
    );
  end
endmodule
