// SPDX-License-Identifier: Apache-2.0
// The hub's register space, causes and straps: shared by host library, fast model and RTL
// (rtl/polyloom_hub_pkg.sv repeats the numbers; test_hub_package.py compares the two).
//
// Access: an MWr from anywhere to an offset of the hub unit below 64 KiB, aligned to 8 bytes, of a multiple
// of 8 bytes;
//   word i goes to register offset + 8 i. An MRd of 8 aligned bytes from port N is answered by a CplD; one
//   that cannot be answered (another unit's, unaligned, of another length, no such register) by a poisoned
//   CplD of 8 bytes of ones. A write to an offset without a register, or to a read-only one, is a fault
//   `refused`, nothing else happens. A register write happens after all earlier writes to on-board memory are
//   acknowledged.
#pragma once

#include <cstdint>

namespace polyloom::hub {

/// Ports, also the order of lanes and of register blocks a port.
enum class Port : std::uint8_t { north = 0, east = 1, south = 2, west = 3, local = 4 };
inline constexpr unsigned kPorts = 5;

/// Why a TLP was dropped, or a local write refused. The first that holds, in this order of the checks:
/// malformed, poisoned, refused (kind against port), unmapped, overlap, refused (MRd to another port than L),
/// turn, absent; then, at L: refused, proxy_full, function_full.
enum class Cause : std::uint8_t {
  none = 0,
  unmapped = 1,   ///< outside the window, or no port's rules match
  overlap = 2,    ///< rules of two ports match
  absent = 3,     ///< the port has no link
  poisoned = 4,   ///< EP set
  turn = 5,       ///< E, S, W: would leave by the port it came in
  malformed = 6,  ///< unknown type, no bytes or more than the largest payload, across 4 KiB
  refused = 7,    ///< MRd not from N to L, CplD not from N, no such register, beyond the memory, busy
  proxy_full = 8,
  function_full = 9,  ///< function input: no step active, or from E, S, W, L and no room
};
inline constexpr unsigned kCauses = 10;

/// Why a DMA stopped.
enum class DmaError : std::uint8_t {
  none = 0,
  not_local = 1,   ///< source: another node, registers, beyond the memory, across units, or N has no link
  outside = 2,     ///< source or destination (or flag): outside the window
  zero = 3,        ///< block bytes or block count
  misaligned = 4,  ///< descriptor (64) or flag (8)
  crosses = 5,     ///< a destination block crosses the window's end
  loop = 6,        ///< more than kChainMax descriptors
  reserved = 7,    ///< a reserved bit is set
  function = 8,    ///< function bit, and no function or no active step
  poisoned = 9,    ///< a completion was poisoned: its data went nowhere
};
inline constexpr unsigned kChainMax = 65536;
inline constexpr unsigned kProxyDepth = 16;
inline constexpr unsigned kDescriptorBytes = 64;

/// strap_i: reset values of `node` and `links`.
///   [3:0] node; [7:4] links present: N, E, S, W from bit 4.
/// After reset all rules are invalid but two of the own node: L rule 0 = the hub unit, N rule 0 = units 0
/// to 2.
inline constexpr unsigned kStrapLinks = 4;

/// A rule, one word: lower[14:0] upper[30:16] mask[46:32] valid[63], on address bits 38:24.
inline constexpr unsigned kRuleShift = 24;
constexpr std::uint64_t rule(std::uint64_t mask, std::uint64_t lower, std::uint64_t upper) {
  return lower | upper << 16 | mask << 32 | std::uint64_t{1} << 63;
}

namespace reg {                              // byte offsets in the register space; R read, W write
inline constexpr std::uint32_t id = 0x0000;  ///< R: kMagic
inline constexpr std::uint32_t shape =
    0x0008;  ///< R: [9:0] max payload, [15:10] slots, [19:16] function lanes,
             ///< [35:20] function kinds below 16, [44:36] function width, [51:45] tags, [57:52] memory bits
inline constexpr std::uint32_t node = 0x0010;    ///< RW: [3:0]
inline constexpr std::uint32_t links = 0x0018;   ///< RW: [3:0] N, E, S, W present
inline constexpr std::uint32_t status = 0x0020;  ///< R: the first fault since cleared: [7:0] Cause, [11:8]
                                                 ///< port it came in, [12] more since, [13] chain error, [14]
                                                 ///< proxy error, [15] function error, [63:16] address[47:0]
inline constexpr std::uint32_t status_clear =
    0x0028;  ///< W: any value clears status, DMA errors, drop counters by cause
inline constexpr std::uint32_t cycle = 0x0030;     ///< R: cycle number
inline constexpr std::uint32_t rules = 0x0100;     ///< RW: + 16 port + 8 rule
inline constexpr std::uint32_t counters = 0x0200;  ///< R: + 64 port + 8 Counter; 40 bits, wrap
inline constexpr std::uint32_t drops = 0x0400;     ///< R: + 8 Cause; 32 bits, wrap

// DMA
inline constexpr std::uint32_t chain =
    0x0800;  ///< RW: write = start at this descriptor (busy: refused); R: descriptor in work
inline constexpr std::uint32_t dma_state =
    0x0808;  ///< R: [0] chain busy, [1] proxy busy, [12:8] proxies queued
inline constexpr std::uint32_t chain_error =
    0x0810;  ///< R: [7:0] DmaError, [63:16] descriptor's address[47:0]
inline constexpr std::uint32_t proxy_error =
    0x0818;  ///< R: the same of the proxy queue's first error; the address is 0
inline constexpr std::uint32_t dma_done =
    0x0820;  ///< R: descriptors done (data and flag handed to the switch): [31:0] chain, [63:32] proxy; wrap

// Function (reads 0 and refuses writes where there is none)
inline constexpr std::uint32_t function_control =
    0x1000;  ///< W: [0] begin a step, [1] flush (stop, forget all); [15:8] kind, [31:16] lanes used
inline constexpr std::uint32_t function_config = 0x1008;  ///< RW: configuration word, same for all lanes
inline constexpr std::uint32_t function_state =
    0x1010;  ///< R: [0] step active, [1] nothing in flight, [31:16] lanes done, [47:32] lanes overflowed
inline constexpr std::uint32_t function_status =
    0x1100;  ///< R: + 8 word: status words of the operator, 2 + lanes of them
inline constexpr std::uint32_t lanes = 0x1400;  ///< RW: + 32 lane + Lane

inline constexpr std::uint32_t proxy = 0x4000;  ///< W: one TLP of 64 bytes: a descriptor
}  // namespace reg

enum class Counter : std::uint8_t {
  tlps_in = 0,
  tlps_out = 1,
  beats_in = 2,
  beats_out = 3,
  stalls = 4,
  drops = 5
};

/// Registers of a function lane (offsets). base and capacity are multiples of the largest payload.
enum class Lane : std::uint8_t {
  base = 0,      ///< RW: window address of the output
  capacity = 8,  ///< RW: bytes; what is beyond is dropped
  flag = 16,     ///< RW: window address of a 64-bit word, multiple of 8; written behind the data; 0: none
  bytes = 24,    ///< R: bytes produced in this step (also those beyond capacity)
};
inline constexpr std::uint64_t kFlagOverflow = std::uint64_t{1} << 63;  ///< flag word = bytes produced | this

/// Function input (offset 1 << 28 of the hub unit): payload bytes are appended to the stream; this address
/// bit says that the TLP's last byte ends it.
inline constexpr std::uint64_t kFunctionLast = std::uint64_t{1} << 27;

/// Words of a descriptor.
struct Descriptor {
  std::uint64_t source, destination;
  std::uint32_t block_bytes, blocks;
  std::int64_t source_stride, destination_stride;
  std::uint32_t control;  ///< kLast ...
  std::uint32_t id;       ///< value that the flag gets
  std::uint64_t next, flag;
};
static_assert(sizeof(Descriptor) == kDescriptorBytes);
inline constexpr std::uint32_t kLast =
    1;  ///< of the chain; with kFunction: its last byte ends the function's stream
inline constexpr std::uint32_t kFlag = 2;
inline constexpr std::uint32_t kFunction =
    4;  ///< data go to the function's stream; destination and its stride are not looked at

inline constexpr std::uint64_t kMagic = 0x3130'4255'484c'5950;  ///< "PYLHUB01"

}  // namespace polyloom::hub
