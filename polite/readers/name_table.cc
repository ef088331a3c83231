// SPDX-License-Identifier: Apache-2.0
#include "polite/readers/name_table.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "fabric/memory.h"

namespace polyloom::polite {

namespace {

/// An entry of the two tables, besides the characters.
constexpr std::size_t kBytesAName = sizeof(std::string) + 64;

}  // namespace

std::uint32_t NameTable::number(std::string_view name) {
  if (const std::uint32_t* const known = find(name)) return *known;
  const auto number = static_cast<std::uint32_t>(names_.size());
  numbers_.emplace(names_.emplace_back(name), number);
  bytes_ += kBytesAName + name.size();
  if (bytes_ > checked_) {  // how many come is not known: memory must do to double them
    require_memory(static_cast<double>(bytes_), source_.file() + ": the names of its vertices");
    checked_ *= 2;
  }
  return number;
}

void NameTable::name_vertices(GraphData& g, bool ids) && {
  numbers_ = {};
  ids = ids && std::ranges::all_of(names_, is_whole_number);
  // An id comes before one with more digits.
  using Key = std::pair<std::size_t, std::string_view>;
  const auto key = [&](std::uint32_t i) {
    const std::string_view name = ids ? without_zeros(names_[i]) : std::string_view(names_[i]);
    return Key(ids ? name.size() : 0, name);
  };
  std::vector<std::uint32_t> order(names_.size()), rank(names_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, key);
  std::vector<std::string> words;
  for (const std::uint32_t i : order) {
    const Key own = key(i);
    if (words.empty() || words.back() != own.second) words.emplace_back(own.second);
    rank[i] = static_cast<std::uint32_t>(words.size() - 1);  // 7 and 07 are the same id
  }
  for (Edge& e : g.edges) e = {rank[e.from], rank[e.to]};
  g.vertices = static_cast<std::uint32_t>(words.size());
  g.names = ids ? VertexNames::of(std::move(words)) : VertexNames::words(std::move(words));
}

}  // namespace polyloom::polite
