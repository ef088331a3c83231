// SPDX-License-Identifier: Apache-2.0
// Vertices that are known by a text: names, and ids of any length.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "polite/graph_data.h"
#include "polite/readers/text_source.h"

namespace polyloom::polite {

inline bool is_whole_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

inline std::string_view without_zeros(std::string_view digits) {
  return digits.substr(0, 1) == "0"
             ? digits.substr(std::min(digits.find_first_not_of('0'), digits.size() - 1))
             : digits;
}

/// Numbers names in the order in which they come; name_vertices() puts them in theirs.
class NameTable {
 public:
  explicit NameTable(const TextSource& source) : source_(source) {}
  /// The number of a name, which may be new.
  std::uint32_t number(std::string_view name);
  /// The number of a name, or nothing.
  const std::uint32_t* find(std::string_view name) const {
    const auto at = numbers_.find(name);
    return at == numbers_.end() ? nullptr : &at->second;
  }
  /// Names the vertices of a graph whose edges have numbers of this table, in ascending order: by what they
  /// count if all are whole numbers and these are `ids`, without leading zeros; else by their bytes.
  void name_vertices(GraphData& g, bool ids) &&;

 private:
  const TextSource& source_;
  std::deque<std::string> names_;
  std::unordered_map<std::string_view, std::uint32_t> numbers_;  // views of names_
  std::uint64_t bytes_ = 0, checked_ = 64 << 20;
};

}  // namespace polyloom::polite
