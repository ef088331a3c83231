# SPDX-License-Identifier: Apache-2.0
# IPv4 and UDP over Ethernet frames of 64-bit words, ARP answers.
udp.vlt
polyloom_udp_pkg.sv
polyloom_udp_rx.sv
polyloom_udp_tx.sv
polyloom_udp_arp.sv
