// SPDX-License-Identifier: Apache-2.0
// How vertices take the labels of edges.
#pragma once

#include <cstddef>

#include "polite/types.h"

namespace polyloom::polite {

/// How recv takes labels. If it leaves them alone (takes a const E*), they may be read from copies.
template <typename Dev, typename E, typename M>
struct LabelTraits {
  static constexpr bool kLabelled = !__is_empty(E);
  static constexpr bool kReadOnly = requires(Dev d, M* message, const E* label) { d.recv(message, label); };
  static constexpr bool kCanPull = !kLabelled || kReadOnly;
  static constexpr std::size_t kBytes = kLabelled ? sizeof(E) : 0;

  INLINE static void receive(Dev& d, M* message, const std::byte* label) {
    if constexpr (!kLabelled) {
      E none;
      d.recv(message, &none);
    } else if constexpr (kReadOnly) {
      d.recv(message, reinterpret_cast<const E*>(label));
    } else {
      d.recv(message, reinterpret_cast<E*>(const_cast<std::byte*>(label)));
    }
  }
};

}  // namespace polyloom::polite
