// SPDX-License-Identifier: Apache-2.0
// Registers and numbers of the hub: docs/reference/registers.md. Made from spec/ by python -m spec; do not edit.
// clang-format off
#pragma once

#include <cstdint>

namespace polyloom::hub {

/// Also the order of lanes and of registers that each port has.
enum class Port : std::uint8_t {
  /// the host's PCI Express
  north = 0,
  /// the ring
  east = 1,
  /// the other ring
  south = 2,
  /// the ring
  west = 3,
  /// the hub's own unit: memory, registers, function
  local = 4,
};
inline constexpr unsigned kPorts = 5;

/// Why a packet was dropped, or a local write refused: the first that holds, checked in the order malformed,
/// poisoned, refused (kind against port), unmapped, overlap, refused (a read to another port than L), u_turn,
/// absent; then, at L, refused, proxy_full, function_full.
enum class Cause : std::uint8_t {
  /// nothing happened
  none = 0,
  /// outside the window, or no port's rules match
  unmapped = 1,
  /// rules of two ports match
  overlap = 2,
  /// the port has no link
  absent = 3,
  /// the packet's poison bit is set
  poisoned = 4,
  /// E, S, W: it would leave by the port it came in
  u_turn = 5,
  /// unknown type, no bytes or more than the largest payload, across 4 KiB
  malformed = 6,
  /// a read not from N to L, a completion not from N, no such register, beyond the memory, busy
  refused = 7,
  /// no room in the proxy queue
  proxy_full = 8,
  /// input of the function: no step is active, or from E, S, W, L and no room
  function_full = 9,
};
inline constexpr unsigned kCauses = 10;

/// Why a DMA stopped.
enum class DmaError : std::uint8_t {
  /// it did not
  none = 0,
  /// source: another node, registers, beyond the memory, across units, or N has no link
  not_local = 1,
  /// source or destination (or flag): outside the window
  outside = 2,
  /// block bytes or block count
  zero = 3,
  /// descriptor (64) or flag (8)
  misaligned = 4,
  /// a destination block crosses the window's end
  crosses = 5,
  /// more descriptors than a chain may have
  loop = 6,
  /// a reserved bit is set
  reserved = 7,
  /// function bit, and no function or no active step
  function = 8,
  /// a completion was poisoned: its data went nowhere
  poisoned = 9,
};
inline constexpr unsigned kDmaErrors = 10;

/// Of a port.
enum class Counter : std::uint8_t {
  /// packets in
  tlps_in = 0,
  /// packets out
  tlps_out = 1,
  /// beats of 16 B in
  beats_in = 2,
  /// beats out
  beats_out = 3,
  /// cycles in which a packet waited
  stalls = 4,
  /// packets dropped
  drops = 5,
};
inline constexpr unsigned kCounters = 6;

/// Registers of an output of the function, by offset. `base` and `capacity` are multiples of the largest payload.
enum class Lane : std::uint8_t {
  /// RW: window address of the output
  base = 0,
  /// RW: bytes; what is beyond is dropped
  capacity = 8,
  /// RW: window address of a 64-bit word, written behind the data; 0: none
  flag = 16,
  /// R: bytes produced in this step, also those beyond the capacity
  bytes = 24,
};
inline constexpr unsigned kLanes = 4;

/// Bits of a descriptor's control word.
inline constexpr std::uint32_t kLast = 1;  ///< of the chain; with function: its last byte ends the function's stream
inline constexpr std::uint32_t kFlag = 2;  ///< the flag is written when the data are there
inline constexpr std::uint32_t kFunction = 4;  ///< data go to the function's stream; destination and its stride are not looked at

inline constexpr unsigned kChainMax = 65536;  ///< descriptors of a chain
inline constexpr unsigned kProxyDepth = 16;  ///< descriptors in the proxy queue
inline constexpr unsigned kDescriptorBytes = 64;  ///< of a descriptor
inline constexpr unsigned kRuleShift = 24;  ///< lowest address bit that rules look at
inline constexpr std::uint64_t kMagic = 0x31304255484c5950;  ///< what `id` reads: PYLHUB01

namespace reg {  // byte offsets; R read, W write
/// R: the magic number
inline constexpr std::uint32_t id = 0x0000;
/// R: what the hub is made of: [9:0] max_payload, [15:10] slots, [19:16] lanes, [35:20] kinds, [44:36]
/// function_width, [51:45] tags, [57:52] memory_bits
inline constexpr std::uint32_t shape = 0x0008;
/// RW: number in the window: [3:0] node
inline constexpr std::uint32_t node = 0x0010;
/// RW: which ports have a link: [3:0] present
inline constexpr std::uint32_t links = 0x0018;
/// R: the first fault since it was cleared: [7:0] cause, [11:8] port, [12] more, [13] chain_error, [14]
/// proxy_error, [15] function_error, [63:16] address
inline constexpr std::uint32_t status = 0x0020;
/// W: any value clears status, DMA errors and drop counters by cause
inline constexpr std::uint32_t status_clear = 0x0028;
/// R: number of the cycle
inline constexpr std::uint32_t cycle = 0x0030;
/// RW: where a packet goes: + 16 port + 8 rule; it matches if lower <= (address[38:24] & mask) <= upper: [14:0]
/// lower, [30:16] upper, [46:32] mask, [63] valid
inline constexpr std::uint32_t rules = 0x0100;
/// R: + 64 port + 8 `Counter`; 40 bits, wrap
inline constexpr std::uint32_t counters = 0x0200;
/// R: + 8 `Cause`; 32 bits, wrap
inline constexpr std::uint32_t drops = 0x0400;
/// RW: a write starts at this descriptor (busy: refused); reads the one in work
inline constexpr std::uint32_t chain = 0x0800;
/// R: of the DMA: [0] chain_busy, [1] proxy_busy, [12:8] queued
inline constexpr std::uint32_t dma_state = 0x0808;
/// R: why the chain stopped: [7:0] error, [63:16] address
inline constexpr std::uint32_t chain_error = 0x0810;
/// R: the same of the proxy queue's first error; the address is 0
inline constexpr std::uint32_t proxy_error = 0x0818;
/// R: descriptors whose data and flag the switch has; wrap: [31:0] chain, [63:32] proxy
inline constexpr std::uint32_t dma_done = 0x0820;
/// W: the function, as all below, if there is one: [0] step, [1] flush, [15:8] kind, [31:16] used
inline constexpr std::uint32_t function_control = 0x1000;
/// RW: configuration word, same for all lanes
inline constexpr std::uint32_t function_config = 0x1008;
/// R: of the step: [0] active, [1] idle, [31:16] done, [47:32] overflow
inline constexpr std::uint32_t function_state = 0x1010;
/// R: + 8 word: status words of the operator, 2 + lanes of them
inline constexpr std::uint32_t function_status = 0x1100;
/// RW: + 32 lane + `Lane`
inline constexpr std::uint32_t lanes = 0x1400;
/// W: one packet of 64 bytes: a descriptor
inline constexpr std::uint32_t proxy = 0x4000;
}  // namespace reg

/// Bits of a register.
struct Field {
  unsigned low, width;
  constexpr std::uint64_t of(std::uint64_t word) const {
    return word >> low & ((std::uint64_t{1} << width) - 1);
  }
};
namespace field {
inline constexpr Field shape_max_payload{0, 10};
inline constexpr Field shape_slots{10, 6};
inline constexpr Field shape_lanes{16, 4};
inline constexpr Field shape_kinds{20, 16};
inline constexpr Field shape_function_width{36, 9};
inline constexpr Field shape_tags{45, 7};
inline constexpr Field shape_memory_bits{52, 6};
inline constexpr Field node_node{0, 4};
inline constexpr Field links_present{0, 4};
inline constexpr Field status_cause{0, 8};
inline constexpr Field status_port{8, 4};
inline constexpr Field status_more{12, 1};
inline constexpr Field status_chain_error{13, 1};
inline constexpr Field status_proxy_error{14, 1};
inline constexpr Field status_function_error{15, 1};
inline constexpr Field status_address{16, 48};
inline constexpr Field rules_lower{0, 15};
inline constexpr Field rules_upper{16, 15};
inline constexpr Field rules_mask{32, 15};
inline constexpr Field rules_valid{63, 1};
inline constexpr Field dma_state_chain_busy{0, 1};
inline constexpr Field dma_state_proxy_busy{1, 1};
inline constexpr Field dma_state_queued{8, 5};
inline constexpr Field chain_error_error{0, 8};
inline constexpr Field chain_error_address{16, 48};
inline constexpr Field dma_done_chain{0, 32};
inline constexpr Field dma_done_proxy{32, 32};
inline constexpr Field function_control_step{0, 1};
inline constexpr Field function_control_flush{1, 1};
inline constexpr Field function_control_kind{8, 8};
inline constexpr Field function_control_used{16, 16};
inline constexpr Field function_state_active{0, 1};
inline constexpr Field function_state_idle{1, 1};
inline constexpr Field function_state_done{16, 16};
inline constexpr Field function_state_overflow{32, 16};
}  // namespace field

}  // namespace polyloom::hub
