// SPDX-License-Identifier: Apache-2.0
// Where things lie in the memory of an accelerator (unit accelerator0 of its node), the same on every node:
// a peer knows from its own rank where to write.
//
//   flags      a line of 64 bytes a peer and purpose
//   scratch    of hub::Node::let: targets of the LETs that this node makes, descriptors
//   mail in    two boxes a peer (messages alternate), mail out the same
//   tree       records of the local tree
//   LETs in    one region a peer, LETs out likewise (LETs made by the host)
//
// The file behind it is sparse: memory is taken where data are.
#pragma once

#include <cstdint>

#include "roles/hub/arch/window.h"

namespace polyloom::nbody::layout {

inline constexpr unsigned kPeers = hub::kMaxNodes;
inline constexpr std::uint64_t kMega = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kLine = 64;

inline constexpr std::uint64_t kMailFlags = 0;  ///< (message << 32 | bytes), box by box, peer by peer
inline constexpr std::uint64_t kLetFlags =
    kMailFlags + 2 * kPeers * kLine;  ///< bytes of the LET; kNoLet: none yet
inline constexpr std::uint64_t kLetScratch = 64 << 10;
inline constexpr std::uint64_t kMailBytes = 64 * kMega;  ///< of a box
inline constexpr std::uint64_t kMailIn = kMega;
inline constexpr std::uint64_t kMailOut = kMailIn + 2 * kPeers * kMailBytes;
inline constexpr std::uint64_t kTree = kMailOut + 2 * kPeers * kMailBytes;
inline constexpr std::uint64_t kTreeBytes = 512 * kMega;
inline constexpr std::uint64_t kLetBytes = 96 * kMega;  ///< of a region
inline constexpr std::uint64_t kLetsIn = kTree + kTreeBytes;
inline constexpr std::uint64_t kLetsOut = kLetsIn + kPeers * kLetBytes;
inline constexpr std::uint64_t kBytes = kLetsOut + kPeers * kLetBytes;
static_assert(kBytes <= hub::kUnitBytes);

inline constexpr std::uint64_t kNoLet = ~std::uint64_t{0};

constexpr std::uint64_t mail_flag(unsigned peer, unsigned box) {
  return kMailFlags + (2 * peer + box) * kLine;
}
constexpr std::uint64_t let_flag(unsigned peer) { return kLetFlags + peer * kLine; }
constexpr std::uint64_t mail_in(unsigned peer, unsigned box) {
  return kMailIn + (2 * peer + box) * kMailBytes;
}
constexpr std::uint64_t mail_out(unsigned peer, unsigned box) {
  return kMailOut + (2 * peer + box) * kMailBytes;
}
constexpr std::uint64_t let_in(unsigned peer) { return kLetsIn + peer * kLetBytes; }
constexpr std::uint64_t let_out(unsigned peer) { return kLetsOut + peer * kLetBytes; }

}  // namespace polyloom::nbody::layout
