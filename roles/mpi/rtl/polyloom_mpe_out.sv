// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_out: joins datagrams and ARP's responses into whole frames, and turns round what is for this node.
// How:          datagrams get their headers; frames are stored whole, so the wire sees no holes.
//                   datagrams --> UDP --+--> [ store ] --+--> wire
//                                 ARP --'                '--> back
// Latency:      5 cycles of header, and the frame's length in the store.
// Throughput:   a word a cycle.
// Backpressure: registers and the store's room; a frame back waits for the receive side, and what is behind it too.
// Order/loss:   frames of one source in order, nothing lost.
// Reset:        empty.   Limits:       frames of at most Words words.
// Cost:         1 BRAM36; not measured alone.   Source: own design.   Tests: test_polyloom_mpe_out.py, interop_test.cc
module polyloom_mpe_out
  import polyloom_udp_pkg::*;
  import polyloom_mpe_pkg::MPI_PORT, polyloom_mpe_pkg::MANAGEMENT_PORT;
#(
    parameter int unsigned Words = 512
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic      [31:0] ip_i,
    // Datagrams
    input  logic             gram_valid_i,
    output logic             gram_ready_o,
    input  logic      [63:0] gram_data_i,
    input  logic             gram_last_i,
    input  endpoint_t        gram_to_i,
    input  logic             gram_manage_i,  // from management's port, else MPI's
    input  logic      [15:0] gram_bytes_i,
    // ARP requests
    input  logic             arp_valid_i,
    output logic             arp_ready_o,
    input  endpoint_t        arp_from_i,
    // Frames to the wire
    output logic             tx_valid_o,
    input  logic             tx_ready_i,
    output logic      [63:0] tx_data_o,
    output logic             tx_last_o,
    // Frames to this node
    output logic             back_valid_o,
    input  logic             back_ready_i,
    output logic      [63:0] back_data_o,
    output logic             back_last_o,
    output logic      [12:0] back_size_o,
    output logic             empty_o,        // no frame or part of one is here
    output logic             idle_o
);

  // The sender: chosen when none sends, until its frame ends.
  logic arps_q, in_frame_q, udp_in_ready, udp_valid, udp_ready, udp_last, arp_valid, arp_ready, arp_last;
  logic [63:0] udp_data, arp_data, data;
  logic valid, ready, last;
  assign gram_ready_o = !arps_q && udp_in_ready;

  polyloom_udp_tx i_udp (
      .clk_i,
      .rst_ni,
      .ip_i,
      .in_valid_i (gram_valid_i && !arps_q),
      .in_ready_o (udp_in_ready),
      .in_data_i  (gram_data_i),
      .in_last_i  (gram_last_i),
      .in_to_i    (gram_to_i),
      .in_port_i  (gram_manage_i ? MANAGEMENT_PORT : MPI_PORT),
      .in_bytes_i (gram_bytes_i),
      .out_valid_o(udp_valid),
      .out_ready_i(udp_ready),
      .out_data_o (udp_data),
      .out_last_o (udp_last)
  );
  polyloom_udp_arp i_arp (
      .clk_i,
      .rst_ni,
      .ip_i,
      .req_valid_i(arp_valid_i),
      .req_ready_o(arp_ready_o),
      .req_from_i (arp_from_i),
      .out_valid_o(arp_valid),
      .out_ready_i(arp_ready),
      .out_data_o (arp_data),
      .out_last_o (arp_last)
  );
  assign valid = arps_q ? arp_valid : udp_valid;
  assign data = arps_q ? arp_data : udp_data;
  assign last = arps_q ? arp_last : udp_last;
  assign arp_ready = arps_q && ready;
  assign udp_ready = !arps_q && ready;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      arps_q <= 1'b0;
      in_frame_q <= 1'b0;
    end else begin
      if (valid && ready) in_frame_q <= !last;
      if (valid && ready && last) arps_q <= !arps_q && arp_valid;
      else if (!valid && !in_frame_q) arps_q <= arp_valid;
    end
  end

  // Whole frames
  logic out_valid, out_ready, out_last, first_q, back_q, back, unused_dropped;
  logic [63:0] out_data;
  logic [ 3:0] unused_bytes;
  polyloom_ethernet_store #(
      .Words(Words),
      .Waits(1'b1)
  ) i_store (
      .clk_i,
      .rst_ni,
      .in_valid_i (valid),
      .in_ready_o (ready),
      .in_data_i  (data),
      .in_bytes_i (4'd8),
      .in_last_i  (last),
      .in_bad_i   (1'b0),
      .out_valid_o(out_valid),
      .out_ready_i(out_ready),
      .out_data_o (out_data),
      .out_bytes_o(unused_bytes),
      .out_last_o (out_last),
      .out_size_o (back_size_o),
      .dropped_o  (unused_dropped),
      .empty_o    (empty_o)
  );
  assign back = first_q ? swap(out_data) >> 16 == 64'(mac_of(ip_i)) : back_q;
  assign out_ready = back ? back_ready_i : tx_ready_i;
  assign tx_valid_o = out_valid && !back;
  assign back_valid_o = out_valid && back;
  assign tx_data_o = out_data;
  assign back_data_o = out_data;
  assign tx_last_o = out_last;
  assign back_last_o = out_last;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) first_q <= 1'b1;
    else if (out_valid && out_ready) first_q <= out_last;
  end
  always_ff @(posedge clk_i) if (first_q) back_q <= back;

  assign idle_o = !gram_valid_i && empty_o && arp_ready_o;
endmodule
