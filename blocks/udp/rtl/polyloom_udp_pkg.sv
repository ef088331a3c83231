// SPDX-License-Identifier: Apache-2.0
// polyloom_udp_pkg: where things lie in an Ethernet frame of IPv4 and UDP, in 64-bit words, byte 0 lowest.
// How:          numbers of Ethernet, IP and UDP have their first byte highest; here a MAC's first byte is in bits 47:40, an
//               IP address' first byte in bits 31:24. A datagram's data begin with byte 2 of word 5.
// Source: IEEE 802.3, RFC 791, 768, 826.   Tests: test_polyloom_udp_rx.py, test_polyloom_udp_tx.py
package polyloom_udp_pkg;

  localparam logic [15:0] TYPE_IP = 16'h0800;
  localparam logic [15:0] TYPE_ARP = 16'h0806;
  localparam int unsigned IP_AT = 14;  // byte of the frame
  localparam int unsigned DATA_AT = 42;
  localparam logic [47:0] BROADCAST = '1;

  typedef struct packed {
    logic [47:0] mac;
    logic [31:0] ip;
    logic [15:0] port;
  } endpoint_t;

  // The MAC of a node goes with its IP address (roles/mpi/PROTOCOL.md).
  function automatic logic [47:0] mac_of(input logic [31:0] ip);
    return {16'h0250, ip};
  endfunction

  // The byte order of a word the other way round.
  function automatic logic [63:0] swap(input logic [63:0] word);
    for (int unsigned b = 0; b < 8; b++) swap[8*b+:8] = word[8*(7-b)+:8];
  endfunction

endpackage
