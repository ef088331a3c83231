// SPDX-License-Identifier: Apache-2.0
// polyloom_hub_packets: makes write TLPs from payload; a TLP begins only when all of it is here.
// How:          payload --> [ beats ] --.
//               commit  --> [ headers ] --+--> header, payload, header, ...
//               A commit says of how many of the bytes put in the next TLP is; void throws them away instead. So a TLP in the
//               switch never waits for data that may be stuck behind another TLP: no output is held without need.
// Latency:      commit at edge k: header valid before edge k + 1.
// Throughput:   a beat a cycle out, header included; a beat a cycle in.
// Backpressure: data_ready_o, commit_ready_o depend on registers only.
// Order/loss:   in order.
// Reset:        empty.
// Limits:       payload at most Cfg.max_payload a TLP; the commit comes with or after its last beat; 0 bytes: void only.
//               data_i.last is not looked at.
// Cost:         see polyloom_hub_node.
// Source: own design.   Tests: test_polyloom_hub_dma.py.
module polyloom_hub_packets
  import polyloom_hub_pkg::*;
#(
    parameter cfg_t Cfg = SMALL
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    // Payload
    input  logic               data_valid_i,
    output logic               data_ready_o,
    input  beat_t              data_i,
    // Its header
    input  logic               commit_valid_i,
    output logic               commit_ready_o,
    input  logic               commit_void_i,
    input  logic  [ADDR_W-1:0] commit_address_i,
    input  logic  [       9:0] commit_bytes_i,
    // To the switch
    output logic               out_valid_o,
    input  logic               out_ready_i,
    output beat_t              out_o,
    output logic               idle_o
);
  localparam int unsigned Beats = 2 * beats_of(Cfg.max_payload);
  typedef struct packed {
    logic              no;       // throw away
    logic [ADDR_W-1:0] address;
    logic [9:0]        bytes;
  } commit_t;

  commit_t commit;
  logic commit_valid, commit_pop, data_valid, data_pop;
  beat_t data;
  logic [$clog2(Beats+1)-1:0] usage;
  polyloom_stream_ram_fifo #(
      .T    (beat_t),
      .Depth(Beats)
  ) i_data (
      .clk_i,
      .rst_ni,
      .flush_i    (1'b0),
      .in_valid_i (data_valid_i),
      .in_ready_o (data_ready_o),
      .in_i       (data_i),
      .out_valid_o(data_valid),
      .out_ready_i(data_pop),
      .out_o      (data),
      .usage_o    (usage)
  );
  polyloom_stream_lut_fifo #(
      .T    (commit_t),
      .Depth(8)
  ) i_commits (
      .clk_i,
      .rst_ni,
      .flush_i    (1'b0),
      .in_valid_i (commit_valid_i),
      .in_ready_o (commit_ready_o),
      .in_i       ({commit_void_i, commit_address_i, commit_bytes_i}),
      .out_valid_o(commit_valid),
      .out_ready_i(commit_pop),
      .out_o      (commit)
  );

  logic body_q, void_q;  // the header is out; payload is thrown away
  logic [5:0] left_q, beats;  // beats of the payload
  assign beats = 6'((11'(commit.bytes) + 11'd15) >> 4);
  header_t header;
  assign header = '{
          address: 64'(commit.address),
          length: 32'(commit.bytes),
          zero: '0,
          tag: '0,
          reserved: '0,
          poisoned: 1'b0,
          kind: TYPE_WRITE
      };
  assign out_valid_o = body_q ? data_valid && !void_q : commit_valid && !commit.no;
  assign out_o = body_q ?
      '{last: left_q == 6'd1, top: data.top, data: data.data} :
      '{last: 1'b0, top: 4'd15, data: header};
  assign commit_pop = !body_q && (out_ready_i || commit.no);
  assign data_pop = body_q && (out_ready_i || void_q);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      body_q <= 1'b0;
      void_q <= 1'b0;
    end else if (commit_valid && commit_pop) begin
      body_q <= beats != '0;
      void_q <= commit.no;
      assert (commit.no || beats != '0);
    end else if (data_valid && data_pop && left_q == 6'd1) body_q <= 1'b0;
  end
  always_ff @(posedge clk_i) begin
    if (!body_q) left_q <= beats;
    else if (data_valid && data_pop) left_q <= left_q - 6'd1;
  end
  assign idle_o = usage == '0 && !commit_valid && !body_q;

  logic unused;
  assign unused = data.last;
endmodule
