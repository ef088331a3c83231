// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_slice: the network between the caches of some tiles (and the host's DMA) and their three memories.
// How:          one request a cycle: memories with room that are asked take turns, and at each of them the clients whose oldest
//               request is for it. The interleaved view of DRAM is undone here. Lines go back one a cycle on one bus.
//                   clients --> FIFO each --> turn of memory, turn of client --> AR, or AW with W   (0 DRAM, 1 and 2 SRAM)
//                   clients <-- register <-- DRAM before SRAM A before SRAM B <---------------- R, by id {client, tag}
// Latency:      a request may be granted in the cycle after it was taken (the DMA's in the same one); the line is at the client
//               one cycle after its last beat.
// Throughput:   one request a cycle; a write of a 64-byte line takes two. One line back a cycle.
// Backpressure: line_ready_o depends on registers, but for the DMA, whose request is taken when the memory has it. A channel's
//               valid depends on the readies of all channels, and a choice that was not taken may change: the memories' ready
//               must not wait for valid, and means room. A controller of a board gets a small FIFO on AR, AW and W, after
//               which all is AXI4. W beats follow their AW at once; both are taken together.
// Order/loss:   a client's requests are passed on in order, so memory order is the order of acceptance on AR and AW. The memory
//               must serve requests to the same line in that order, across AR and AW; others as it likes.
// Reset:        FIFOs emptied. Takes requests in the first cycle after reset.
// Limits:       Clients 2..64; lines of 32 or 64 bytes (checked at elaboration); addresses in DRAM or SRAM; W is ready for the
//               second beat of a line in the cycle after the first (asserted).
// Cost:         9 clients: 3,460 LUT, 317 FF (UltraScale+); 7,297 LUT4 (ECP5); half of it the clients' FIFOs. Yosys 0.70,
//               2026-11.
// Source:       rule: roles/overlay/sim/tile/README.md "Memory"; map: docs/sources/tinsel.md, 1.3.
// Tests:        test_polyloom_overlay_slice.py, memory_rtl_test.cc
module polyloom_overlay_slice
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_memory_pkg::*;
#(
    parameter  cfg_t        Cfg        = TINY,
    parameter  int unsigned Clients    = 2,                       // tiles, and the DMA, which is the last
    localparam int unsigned LineBytes  = Cfg.line_bytes,
    localparam int unsigned LineBits   = 8 * LineBytes,
    localparam int unsigned ClientBits = $clog2(Clients),
    localparam int unsigned IdBits     = ClientBits + INDEX_BITS
) (
    input  logic                                       clk_i,
    input  logic                                       rst_ni,
    output logic                                       idle_o,            // holds nothing
    // From the clients
    input  logic      [   Clients-1:0]                 line_valid_i,
    output logic      [   Clients-1:0]                 line_ready_o,
    input  line_req_t [   Clients-1:0]                 line_i,
    input  logic      [   Clients-1:0][  LineBits-1:0] line_wdata_i,
    input  logic      [ LineBytes-1:0]                 dma_wstrb_i,
    // To the clients
    output logic      [   Clients-1:0]                 line_rsp_valid_o,
    output logic      [INDEX_BITS-1:0]                 line_rsp_tag_o,
    output logic      [  LineBits-1:0]                 line_rsp_data_o,
    // To and from the memories
    output logic      [  CHANNELS-1:0]                 mem_ar_valid_o,
    input  logic      [  CHANNELS-1:0]                 mem_ar_ready_i,
    output logic      [  CHANNELS-1:0][          39:0] mem_ar_addr_o,
    output logic      [  CHANNELS-1:0][           7:0] mem_ar_len_o,
    output logic      [  CHANNELS-1:0][    IdBits-1:0] mem_ar_id_o,
    input  logic      [  CHANNELS-1:0]                 mem_r_valid_i,
    output logic      [  CHANNELS-1:0]                 mem_r_ready_o,
    input  logic      [  CHANNELS-1:0][ BEAT_BITS-1:0] mem_r_data_i,
    input  logic      [  CHANNELS-1:0]                 mem_r_last_i,
    input  logic      [  CHANNELS-1:0][    IdBits-1:0] mem_r_id_i,
    output logic      [  CHANNELS-1:0]                 mem_aw_valid_o,
    input  logic      [  CHANNELS-1:0]                 mem_aw_ready_i,
    output logic      [  CHANNELS-1:0][          39:0] mem_aw_addr_o,
    output logic      [  CHANNELS-1:0][           7:0] mem_aw_len_o,
    output logic      [  CHANNELS-1:0][    IdBits-1:0] mem_aw_id_o,
    output logic      [  CHANNELS-1:0]                 mem_w_valid_o,
    input  logic      [  CHANNELS-1:0]                 mem_w_ready_i,
    output logic      [  CHANNELS-1:0][ BEAT_BITS-1:0] mem_w_data_o,
    output logic      [  CHANNELS-1:0][BEAT_BYTES-1:0] mem_w_strb_o,
    output logic      [  CHANNELS-1:0]                 mem_w_last_o,
    // Acknowledgements of writes say nothing that matters here.
    // verilator lint_off UNUSEDSIGNAL
    input  logic      [  CHANNELS-1:0]                 mem_b_valid_i,
    // verilator lint_on UNUSEDSIGNAL
    output logic      [  CHANNELS-1:0]                 mem_b_ready_o
);

  localparam int unsigned BEATS = LineBytes / BEAT_BYTES;
  localparam int unsigned DMA = Clients - 1;

  if (Clients < 2 || Clients > 64) begin : gen_bad_clients
    $error("%m: %0d clients; 2 to 64, the DMA's port included", Clients);
  end
  if (!(Cfg.line_bytes inside {32, 64})) begin : gen_bad_line
    $error("%m: line_bytes %0d; 32 or 64", Cfg.line_bytes);
  end

  typedef logic [ClientBits-1:0] client_t;
  typedef logic [1:0] channel_t;
  typedef struct packed {
    line_req_t           req;
    logic [LineBits-1:0] data;
  } request_t;

  // ---- each client's oldest requests ----

  logic [Clients-1:0] waits, accepted;
  request_t oldest[Clients];

  for (genvar c = 0; c < DMA; c++) begin : gen_client
    polyloom_stream_lut_fifo #(
        .T(request_t),
        .Depth(2)
    ) i_fifo (
        .clk_i,
        .rst_ni,
        .flush_i(1'b0),
        .in_valid_i(line_valid_i[c]),
        .in_ready_o(line_ready_o[c]),
        .in_i('{req: line_i[c], data: line_wdata_i[c]}),
        .out_valid_o(waits[c]),
        .out_ready_i(accepted[c]),
        .out_o(oldest[c])
    );
  end
  assign waits[DMA] = line_valid_i[DMA];
  assign oldest[DMA] = '{req: line_i[DMA], data: line_wdata_i[DMA]};
  assign line_ready_o[DMA] = accepted[DMA];

  // ---- which one is served ----

  logic [Clients-1:0] requests[CHANNELS];
  logic [Clients-1:0] mine;  // the clients that request the chosen channel
  logic [CHANNELS-1:0] requested;
  logic granted, second;  // second: the other half of a line is being written
  channel_t channel, last_channel_q;
  client_t client;
  client_t [CHANNELS-1:0] last_client_q;

  always_comb begin
    for (int unsigned m = 0; m < CHANNELS; m++) requests[m] = '0;
    for (int unsigned c = 0; c < Clients; c++) begin
      channel_t to;
      to = channel_of(oldest[c].req.addr[31:23]);
      for (int unsigned m = 0; m < CHANNELS; m++) begin
        requests[m][c] = waits[c] && to == channel_t'(m) &&
            (oldest[c].req.write ? mem_aw_ready_i[m] && mem_w_ready_i[m] : mem_ar_ready_i[m]);
      end
    end
    for (int unsigned m = 0; m < CHANNELS; m++) requested[m] = |requests[m];
  end

  // The first after the last served, of channels and of the chosen channel's clients.
  always_comb begin
    channel = last_channel_q;
    for (int unsigned i = CHANNELS; i >= 1; i--) begin
      if (requested[channel_t'((32'(last_channel_q)+i)%CHANNELS)])
        channel = channel_t'((32'(last_channel_q) + i) % CHANNELS);
    end
  end
  assign mine = requests[channel];
  always_comb begin
    client = '0;
    for (int unsigned c = Clients; c-- > 0;) begin
      if (mine[c]) client = client_t'(c);
    end
    for (int unsigned c = Clients; c-- > 0;) begin
      if (mine[c] && 32'(last_client_q[channel]) < c) client = client_t'(c);
    end
  end
  assign granted = |requested && !second;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      last_channel_q <= channel_t'(CHANNELS - 1);
      last_client_q  <= {CHANNELS{client_t'(Clients - 1)}};
    end else if (granted) begin
      last_channel_q <= channel;
      last_client_q[channel] <= client;
    end
  end

  // ---- the request ----

  request_t request;
  logic read, write;
  logic [31:0] addr;
  assign request = oldest[client];
  assign read = granted && !request.req.write;
  assign write = granted && request.req.write;

  // Where a line of DRAM lies whose address is of the interleaved view: the partition's number comes below the line's.
  localparam int unsigned LINE_SHIFT = $clog2(LineBytes);
  localparam int unsigned OFFSET_BITS = 30 - 9 - LINE_SHIFT;
  always_comb begin
    addr = request.req.addr;
    if (addr[31:30] == 2'b11) begin
      addr = {
        2'b01, request.req.addr[LINE_SHIFT+:OFFSET_BITS], request.req.addr[29-:9], request.req.addr[LINE_SHIFT-1:0]
      };
    end
    if (channel != '0) addr[31:23] = '0;
  end

  logic [LineBytes-1:0] strobe;
  channel_t written;  // to which memory a beat goes
  logic beat;
  logic [BEAT_BITS-1:0] beat_data;
  logic [BEAT_BYTES-1:0] beat_strobe;
  assign strobe = client == client_t'(DMA) ? dma_wstrb_i : '1;

  if (BEATS == 1) begin : gen_one_beat
    assign second = 1'b0;
    assign written = channel;
    assign beat = write;
    assign accepted = granted ? Clients'(1) << client : '0;
    assign beat_data = request.data;
    assign beat_strobe = strobe;
  end else begin : gen_two_beats
    // The client's request stands while its second half goes out: its turn is not over.
    logic second_q;
    channel_t second_channel_q;
    client_t second_client_q;
    request_t whose;
    logic [LineBytes-1:0] whose_strobe;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) second_q <= 1'b0;
      else second_q <= write;
    end
    always_ff @(posedge clk_i) begin
      second_channel_q <= channel;
      second_client_q  <= client;
    end
    assign second = second_q;
    assign written = second ? second_channel_q : channel;
    assign beat = write || second;
    assign accepted = second ? Clients'(1) << second_client_q : read ? Clients'(1) << client : '0;
    assign whose = oldest[second_client_q];
    assign whose_strobe = second_client_q == client_t'(DMA) ? dma_wstrb_i : '1;
    assign beat_data = second ? whose.data[BEAT_BITS+:BEAT_BITS] : request.data[BEAT_BITS-1:0];
    assign beat_strobe = second ? whose_strobe[BEAT_BYTES+:BEAT_BYTES] : strobe[BEAT_BYTES-1:0];
    always_ff @(posedge clk_i) assert (!second_q || mem_w_ready_i[second_channel_q]);
  end

  for (genvar m = 0; m < CHANNELS; m++) begin : gen_memory
    assign mem_ar_valid_o[m] = read && channel == channel_t'(m);
    assign mem_aw_valid_o[m] = write && channel == channel_t'(m);
    assign mem_w_valid_o[m]  = beat && written == channel_t'(m);
  end
  assign mem_ar_addr_o = {CHANNELS{{8'b0, addr}}};
  assign mem_ar_len_o = {CHANNELS{8'(BEATS - 1)}};
  assign mem_ar_id_o = {CHANNELS{{client, request.req.tag}}};
  assign mem_aw_addr_o = mem_ar_addr_o;
  assign mem_aw_len_o = mem_ar_len_o;
  assign mem_aw_id_o = mem_ar_id_o;
  assign mem_w_data_o = {CHANNELS{beat_data}};
  assign mem_w_strb_o = {CHANNELS{beat_strobe}};
  assign mem_w_last_o = {CHANNELS{BEATS == 1 || second}};
  assign mem_b_ready_o = '1;

  assign idle_o = !(|waits) && !(|line_rsp_valid_o);

  // ---- lines back ----

  polyloom_overlay_slice_lines #(
      .Cfg(Cfg),
      .Clients(Clients)
  ) i_lines (
      .clk_i,
      .rst_ni,
      .mem_r_valid_i,
      .mem_r_ready_o,
      .mem_r_data_i,
      .mem_r_last_i,
      .mem_r_id_i,
      .line_rsp_valid_o,
      .line_rsp_tag_o,
      .line_rsp_data_o
  );

endmodule
