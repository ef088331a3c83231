// SPDX-License-Identifier: Apache-2.0
// How vertices take messages and the labels of edges.
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
  static constexpr bool kAccumulates = !__is_empty(typename Dev::Accumulator);

  INLINE static void receive(Dev& d, M* message, const std::byte* label) {
    if constexpr (!kLabelled) {
      E none;
      take(d, message, &none);
    } else if constexpr (kReadOnly) {
      take(d, message, reinterpret_cast<const E*>(label));
    } else {
      take(d, message, reinterpret_cast<E*>(const_cast<std::byte*>(label)));
    }
  }

 private:
  template <typename Label>
  INLINE static void take(Dev& d, M* message, Label* label) {
    if constexpr (kAccumulates) {
      if (d.recv(message, label)) d.absorb();
    } else {
      d.recv(message, label);
    }
  }
};

}  // namespace polyloom::polite
