// SPDX-License-Identifier: Apache-2.0
// What a message is by its address, and how long.
#pragma once

#include <cstdint>

#include "spec/overlay_keys.h"

namespace polyloom::overlay {

/// What the address of a message means. Reserved from the start (docs/design.md, section 4.4); `reduce` and
/// `control` are for routers that combine messages and for words between routers: no thread sends them.
enum class MessageKind : std::uint8_t { unicast, mask, key, host, reduce, control };

inline constexpr unsigned kFlitWords = 4;  ///< 32-bit words of a flit
inline constexpr unsigned kMaxFlits = keys::max_flits.high;
inline constexpr unsigned kSlotWords =
    kFlitWords * kMaxFlits;  ///< a scratchpad slot holds the longest message

}  // namespace polyloom::overlay
