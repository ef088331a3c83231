// SPDX-License-Identifier: Apache-2.0
// polyloom_hub_node: a whole hub: four ports that carry TLPs, the switch between them, and what is inside: registers,
//               on-board memory, DMA, function.
// How:          N E S W <-> switch <-> L: local unit --> registers, memory, proxy queue, function
//                                      L: DMA and function write; reads and responses leave by N
// Latency:      a TLP from one port to another: header in at edge k, out at edge k + 4; others: timing.h.
// Throughput:   a beat of 16 bytes a cycle, port and direction: 4 GB/s at 250 MHz.
// Backpressure: credits on links (polyloom_hub_output); the local unit always drains.
// Order/loss:   kept between an input and an output; faults are dropped and counted. Deadlock: README.md.
// Reset:        empty; node and links from strap_i, the own node reachable from N. First TLP in the first cycle after it.
// Limits:       parameters as checked below.
// Cost:         `polyloom synth hub`, README.md.
// Source: PEACH2 section 2.2 and figure 2; own design.   Tests: test_polyloom_hub_node.py.
module polyloom_hub_node
  import polyloom_hub_pkg::*;
  import polyloom_hub_registers_pkg::*;
#(
    parameter int unsigned MaxPayload      = 512,        // 128, 256, 512 bytes
    parameter int unsigned Slots           = 8,          // TLPs of a link's receive buffer
    parameter int unsigned Tags            = 16,         // reads under way
    parameter int unsigned MemoryBits      = 29,         // on-board memory of 2^this bytes
    parameter int unsigned ChainMax        = CHAIN_MAX,
    parameter int unsigned Lanes           = 1,          // outputs of the function
    parameter int unsigned FunctionKinds   = 0,          // bit k: operator k is there; 0: no function
    parameter int unsigned FunctionWidth   = 256,        // bits an edge of its clock: 128, 256
    parameter int unsigned FunctionNum     = 1,          // its clock has FunctionNum of FunctionDen edges
    parameter int unsigned FunctionDen     = 1,
    parameter int unsigned OpenDepth       = 4096,       // LET: opened nodes that wait
    parameter int unsigned GeometryLatency = 40          // LET: stages
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic [     63:0]        cycle_i,          // number of the coming edge
    output logic                    idle_o,
    input  logic [      7:0]        strap_i,          // [3:0] node, [7:4] links present
    // lanes: N, E, S, W
    input  logic [LINKS-1:0]        lane_rx_valid_i,
    input  logic [LINKS-1:0][127:0] lane_rx_data_i,
    input  logic [LINKS-1:0][ 15:0] lane_rx_keep_i,
    input  logic [LINKS-1:0]        lane_rx_last_i,
    input  logic [LINKS-1:0]        lane_rx_pulse_i,  // a credit
    output logic [LINKS-1:0]        lane_tx_valid_o,
    input  logic [LINKS-1:0]        lane_tx_ready_i,
    output logic [LINKS-1:0][127:0] lane_tx_data_o,
    output logic [LINKS-1:0][ 15:0] lane_tx_keep_o,
    output logic [LINKS-1:0]        lane_tx_last_o,
    output logic [LINKS-1:0]        lane_tx_pulse_o,  // a credit
    // on-board memory
    output logic [      0:0]        mem_ar_valid_o,
    input  logic [      0:0]        mem_ar_ready_i,
    output logic [      0:0][ 39:0] mem_ar_addr_o,
    output logic [      0:0][  7:0] mem_ar_len_o,
    input  logic [      0:0]        mem_r_valid_i,
    output logic [      0:0]        mem_r_ready_o,
    input  logic [      0:0][127:0] mem_r_data_i,
    input  logic [      0:0]        mem_r_last_i,
    output logic [      0:0]        mem_aw_valid_o,
    input  logic [      0:0]        mem_aw_ready_i,
    output logic [      0:0][ 39:0] mem_aw_addr_o,
    output logic [      0:0][  7:0] mem_aw_len_o,
    output logic [      0:0]        mem_w_valid_o,
    input  logic [      0:0]        mem_w_ready_i,
    output logic [      0:0][127:0] mem_w_data_o,
    output logic [      0:0][ 15:0] mem_w_strb_o,
    output logic [      0:0]        mem_w_last_o,
    input  logic [      0:0]        mem_b_valid_i,
    output logic [      0:0]        mem_b_ready_o
);
  localparam cfg_t Cfg = '{
      max_payload: MaxPayload,
      slots: Slots,
      tags: Tags,
      memory_bits: MemoryBits,
      chain_max: ChainMax,
      lanes: Lanes,
      function_kinds: FunctionKinds,
      function_width: FunctionWidth,
      function_num: FunctionNum,
      function_den: FunctionDen,
      open_depth: OpenDepth,
      geometry_latency: GeometryLatency
  };
  if (MaxPayload != 128 && MaxPayload != 256 && MaxPayload != 512) begin : gen_bad_payload
    $error("%m: MaxPayload must be 128, 256 or 512");
  end
  if (Slots < 2 || Slots > 32 || Tags < 1 || Tags > 32 || MemoryBits < 16 || MemoryBits > 32) begin : gen_bad_size
    $error("%m: Slots must be 2 to 32, Tags 1 to 32, MemoryBits 16 to 32");
  end
  if (Lanes < 1 || Lanes > 8 || (FunctionWidth != 128 && FunctionWidth != 256)) begin : gen_bad_function
    $error("%m: Lanes must be 1 to 8, FunctionWidth 128 or 256");
  end
  if (ChainMax < 1 || ChainMax > CHAIN_MAX) begin : gen_bad_chain
    $error("%m: ChainMax must be 1 to 65536");
  end

  // The switch.
  rules_t rules;
  logic [LINKS-1:0] links;
  logic [INPUTS-1:0] in_valid, in_ready, in_idle;
  beat_t [INPUTS-1:0] in;
  logic [PORTS-1:0] out_valid, out_ready, out_idle;
  beat_t [PORTS-1:0] out;
  logic [2:0] local_source;
  logic [INPUTS:0] fault_valid, fault_ready;
  fault_t [INPUTS:0] fault;
  events_t [PORTS-1:0] events;
  logic stream_room;
  for (genvar l = 0; l < int'(LINKS); l++) begin : gen_link
    always_comb begin
      in[l] = '{last: lane_rx_last_i[l], top: '0, data: lane_rx_data_i[l]};
      for (int unsigned i = 0; i < 16; i++) if (lane_rx_keep_i[l][i]) in[l].top = 4'(i);
      for (int unsigned i = 0; i < 16; i++) lane_tx_keep_o[l][i] = 4'(i) <= out[l].top;
    end
    assign lane_tx_data_o[l] = out[l].data;
    assign lane_tx_last_o[l] = out[l].last;
  end
  assign in_valid[LINKS-1:0] = lane_rx_valid_i;
  assign lane_tx_valid_o = out_valid[LINKS-1:0];
  assign out_ready[LINKS-1:0] = lane_tx_ready_i;
  polyloom_hub_switch #(
      .Cfg(Cfg)
  ) i_switch (
      .clk_i,
      .rst_ni,
      .rules_i       (rules),
      .links_i       (links),
      .in_valid_i    (in_valid),
      .in_ready_o    (in_ready),
      .in_i          (in),
      .left_o        (lane_tx_pulse_o),
      .out_valid_o   (out_valid),
      .out_ready_i   (out_ready),
      .out_o         (out),
      .credit_i      (lane_rx_pulse_i),
      .local_source_o(local_source),
      .stream_room_i (stream_room),
      .fault_valid_o (fault_valid[INPUTS-1:0]),
      .fault_ready_i (fault_ready[INPUTS-1:0]),
      .fault_o       (fault[INPUTS-1:0]),
      .events_o      (events),
      .in_idle_o     (in_idle),
      .out_idle_o    (out_idle)
  );

  // The local unit.
  logic [3:0] node;
  logic memory_start, memory_ready, memory_valid, memory_data_ready, memory_idle;
  logic [31:0] memory_address;
  logic [ 9:0] memory_bytes;
  logic write, write_ok, read_ok, proxy_valid, proxy_ready, local_idle;
  logic [15:0] waddr, raddr;
  logic [63:0] wdata, rdata;
  logic [511:0] proxy;
  logic reads_header, reads_expected, reads_valid, reads_final, reads_bad;
  logic [7:0] reads_tag;
  logic network_valid, network_ready, reply_valid, reply_ready;
  beat_t network, reply, local_beat;
  logic [9:0] stream_free;
  polyloom_hub_local #(
      .Cfg(Cfg)
  ) i_local (
      .clk_i,
      .rst_ni,
      .node_i             (node),
      .in_valid_i         (out_valid[LOCAL]),
      .in_ready_o         (out_ready[LOCAL]),
      .in_i               (out[LOCAL]),
      .source_i           (local_source),
      .memory_start_o     (memory_start),
      .memory_ready_i     (memory_ready),
      .memory_address_o   (memory_address),
      .memory_bytes_o     (memory_bytes),
      .memory_valid_o     (memory_valid),
      .memory_data_ready_i(memory_data_ready),
      .memory_idle_i      (memory_idle),
      .write_o            (write),
      .waddr_o            (waddr),
      .wdata_o            (wdata),
      .write_ok_i         (write_ok),
      .raddr_o            (raddr),
      .rdata_i            (rdata),
      .read_ok_i          (read_ok),
      .proxy_valid_o      (proxy_valid),
      .proxy_ready_i      (proxy_ready),
      .proxy_o            (proxy),
      .reads_header_o     (reads_header),
      .reads_tag_o        (reads_tag),
      .reads_expected_i   (reads_expected),
      .reads_valid_o      (reads_valid),
      .reads_final_o      (reads_final),
      .reads_bad_o        (reads_bad),
      .stream_valid_o     (network_valid),
      .stream_ready_i     (network_ready),
      .stream_o           (network),
      .stream_free_i      (stream_free),
      .reply_valid_o      (reply_valid),
      .reply_ready_i      (reply_ready),
      .reply_o            (reply),
      .fault_valid_o      (fault_valid[INPUTS]),
      .fault_ready_i      (fault_ready[INPUTS]),
      .fault_o            (fault[INPUTS]),
      .beat_o             (local_beat),
      .idle_o             (local_idle)
  );
  polyloom_hub_memory_write i_memory_write (
      .clk_i,
      .rst_ni,
      .start_valid_i  (memory_start),
      .start_ready_o  (memory_ready),
      .start_address_i(memory_address & 32'((33'd1 << MemoryBits) - 33'd1)),
      .start_bytes_i  (memory_bytes),
      .in_valid_i     (memory_valid),
      .in_ready_o     (memory_data_ready),
      .in_i           (local_beat),
      .idle_o         (memory_idle),
      .mem_aw_valid_o (mem_aw_valid_o[0]),
      .mem_aw_ready_i (mem_aw_ready_i[0]),
      .mem_aw_addr_o  (mem_aw_addr_o[0]),
      .mem_aw_len_o   (mem_aw_len_o[0]),
      .mem_w_valid_o  (mem_w_valid_o[0]),
      .mem_w_ready_i  (mem_w_ready_i[0]),
      .mem_w_data_o   (mem_w_data_o[0]),
      .mem_w_strb_o   (mem_w_strb_o[0]),
      .mem_w_last_o   (mem_w_last_o[0]),
      .mem_b_valid_i  (mem_b_valid_i[0]),
      .mem_b_ready_o  (mem_b_ready_o[0])
  );

  // Registers, faults, counters.
  logic clear, fault_more, chain_start;
  fault_t first_fault;
  logic [CAUSES-1:0][31:0] drops;
  logic [2:0] counter_port, counter_event;
  logic [63:0] counter, chain_address, function_config;
  dma_state_t dma_state;
  function_command_t command;
  lane_t [Lanes-1:0] lanes;
  function_state_t function_state;
  logic [1+Lanes:0][63:0] function_status;
  logic [Lanes-1:0][63:0] lane_bytes;
  polyloom_hub_regs #(
      .Cfg(Cfg)
  ) i_regs (
      .clk_i,
      .rst_ni,
      .strap_i,
      .cycle_i,
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
      .fault_i        (first_fault),
      .fault_more_i   (fault_more),
      .drops_i        (drops),
      .counter_port_o (counter_port),
      .counter_event_o(counter_event),
      .counter_i      (counter),
      .chain_start_o  (chain_start),
      .chain_address_o(chain_address),
      .dma_i          (dma_state),
      .command_o      (command),
      .config_o       (function_config),
      .lanes_o        (lanes),
      .function_i     (function_state),
      .status_i       (function_status),
      .bytes_i        (lane_bytes)
  );
  polyloom_hub_faults #(
      .Sources(INPUTS + 1)
  ) i_faults (
      .clk_i,
      .rst_ni,
      .clear_i      (clear),
      .fault_valid_i(fault_valid),
      .fault_ready_o(fault_ready),
      .fault_i      (fault),
      .first_o      (first_fault),
      .more_o       (fault_more),
      .counts_o     (drops)
  );
  polyloom_hub_counters i_counters (
      .clk_i,
      .rst_ni,
      .events_i(events),
      .port_i  (counter_port),
      .event_i (counter_event),
      .rdata_o (counter)
  );

  // DMA.
  logic mrd_valid, mrd_ready, dma_stream_valid, dma_stream_ready, dma_idle, settled;
  beat_t mrd, dma_stream;
  logic [Lanes:0] writer_valid, writer_ready;  // the DMA, then the function's lanes
  beat_t [Lanes:0] writer;
  assign settled = in_idle[LOCAL] && out_idle[LOCAL] && local_idle && memory_idle;
  polyloom_hub_dma #(
      .Cfg(Cfg)
  ) i_dma (
      .clk_i,
      .rst_ni,
      .node_i          (node),
      .north_i         (links[NORTH]),
      .function_i      (function_state.active),
      .start_i         (chain_start),
      .start_address_i (chain_address),
      .clear_i         (clear),
      .state_o         (dma_state),
      .proxy_valid_i   (proxy_valid),
      .proxy_ready_o   (proxy_ready),
      .proxy_i         (proxy),
      .reads_header_i  (reads_header),
      .reads_tag_i     (reads_tag),
      .reads_expected_o(reads_expected),
      .reads_valid_i   (reads_valid),
      .reads_final_i   (reads_final),
      .reads_bad_i     (reads_bad),
      .reads_i         (local_beat),
      .settled_i       (settled),
      .mem_ar_valid_o  (mem_ar_valid_o[0]),
      .mem_ar_ready_i  (mem_ar_ready_i[0]),
      .mem_ar_addr_o   (mem_ar_addr_o[0]),
      .mem_ar_len_o    (mem_ar_len_o[0]),
      .mem_r_valid_i   (mem_r_valid_i[0]),
      .mem_r_ready_o   (mem_r_ready_o[0]),
      .mem_r_data_i    (mem_r_data_i[0]),
      .mem_r_last_i    (mem_r_last_i[0]),
      .mrd_valid_o     (mrd_valid),
      .mrd_ready_i     (mrd_ready),
      .mrd_o           (mrd),
      .out_valid_o     (writer_valid[0]),
      .out_ready_i     (writer_ready[0]),
      .out_o           (writer[0]),
      .stream_valid_o  (dma_stream_valid),
      .stream_ready_i  (dma_stream_ready),
      .stream_o        (dma_stream),
      .idle_o          (dma_idle)
  );

  // What the inside sends.
  polyloom_hub_merge #(
      .Inputs(1 + Lanes)
  ) i_writers (
      .clk_i,
      .rst_ni,
      .in_valid_i (writer_valid),
      .in_ready_o (writer_ready),
      .in_i       (writer),
      .out_valid_o(in_valid[LOCAL]),
      .out_ready_i(in_ready[LOCAL]),
      .out_o      (in[LOCAL])
  );
  polyloom_hub_merge #(
      .Inputs(2)
  ) i_to_north (
      .clk_i,
      .rst_ni,
      .in_valid_i ({reply_valid, mrd_valid}),
      .in_ready_o ({reply_ready, mrd_ready}),
      .in_i       ({reply, mrd}),
      .out_valid_o(in_valid[REPLY]),
      .out_ready_i(in_ready[REPLY]),
      .out_o      (in[REPLY])
  );

  // The function.
  logic function_idle;
  if (FunctionKinds != 0) begin : gen_function
    polyloom_hub_function #(
        .Cfg(Cfg)
    ) i_function (
        .clk_i,
        .rst_ni,
        .command_i      (command),
        .config_i       (function_config),
        .lanes_i        (lanes),
        .state_o        (function_state),
        .status_o       (function_status),
        .bytes_o        (lane_bytes),
        .network_valid_i(network_valid),
        .network_ready_o(network_ready),
        .network_i      (network),
        .free_o         (stream_free),
        .room_o         (stream_room),
        .dma_valid_i    (dma_stream_valid),
        .dma_ready_o    (dma_stream_ready),
        .dma_i          (dma_stream),
        .out_valid_o    (writer_valid[Lanes:1]),
        .out_ready_i    (writer_ready[Lanes:1]),
        .out_o          (writer[Lanes:1]),
        .idle_o         (function_idle)
    );
  end else begin : gen_no_function
    assign function_state = '0;
    assign function_status = '0;
    assign lane_bytes = '0;
    assign network_ready = 1'b1;
    assign stream_free = '0;
    assign stream_room = 1'b1;
    assign dma_stream_ready = 1'b1;
    assign writer_valid[Lanes:1] = '0;
    assign writer[Lanes:1] = '0;
    assign function_idle = 1'b1;
    logic unused;
    assign unused = ^{command, function_config, lanes, network, network_valid, dma_stream, dma_stream_valid,
                      writer_ready[Lanes:1]};
  end

  assign idle_o = in_idle == '1 && out_idle == '1 && local_idle && memory_idle && dma_idle && function_idle && !reply_valid;
endmodule
