// SPDX-License-Identifier: Apache-2.0
// The addresses of a cluster's nodes (PROTOCOL.md "Addresses"): FPGAs, hosts and switches alike, by node
// index.
#pragma once

#include <cstdint>

namespace polyloom::mpi {

/// First byte of the address in bits 31:24: 10.80.0.1 is node 0.
constexpr std::uint32_t ip_of_node(int node) { return 0x0A50'0001u + static_cast<std::uint32_t>(node); }

/// First byte on the wire in bits 47:40.
constexpr std::uint64_t mac_of_node(int node) { return std::uint64_t{0x0250} << 32 | ip_of_node(node); }

/// As the lowest bytes of a frame's first word hold it: first byte on the wire in bits 7:0 (blocks/switch).
constexpr std::uint64_t wire_mac_of_node(int node) {
  std::uint64_t mac = mac_of_node(node), word = 0;
  for (int byte = 0; byte < 6; ++byte, mac >>= 8) word = word << 8 | (mac & 0xFF);
  return word;
}
static_assert(wire_mac_of_node(0) == 0x0100'500A'5002);

}  // namespace polyloom::mpi
