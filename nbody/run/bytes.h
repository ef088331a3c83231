// SPDX-License-Identifier: Apache-2.0
// Plain values as bytes, for exchanges.
#pragma once

#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "nbody/run/exchange.h"

namespace polyloom::nbody {

template <typename T>
std::vector<T> values_of(std::span<const std::byte> bytes) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

template <typename T>
Bytes bytes_of(std::span<const T> values) {
  const auto bytes = std::as_bytes(values);
  return {bytes.begin(), bytes.end()};
}

/// One value of each rank.
template <typename T>
std::vector<T> gather(Exchange& exchange, const T& mine) {
  std::vector<T> all;
  for (const Bytes& bytes : exchange.all_gather(std::as_bytes(std::span(&mine, 1)))) {
    all.push_back(values_of<T>(bytes).at(0));
  }
  return all;
}

/// All values of all ranks, in the order of ranks.
template <typename T>
std::vector<T> gather_all(Exchange& exchange, std::span<const T> mine) {
  std::vector<T> all;
  for (const Bytes& bytes : exchange.all_gather(std::as_bytes(mine))) {
    const auto values = values_of<T>(bytes);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

}  // namespace polyloom::nbody
