// SPDX-License-Identifier: Apache-2.0
// Vertices of edges under any whole numbers become 0 .. n-1, in ascending order of these numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace polyloom::polite {

/// One end of every edge, as a column of an array.
template <typename Id>
struct Ends {
  const Id* first;
  std::ptrdiff_t step;  ///< elements from one to the next
  Id operator[](std::size_t i) const { return first[static_cast<std::ptrdiff_t>(i) * step]; }
};

/// Writes two numbers an edge to `out`. The result: the ids by number; empty where `count` vertices are
/// called 0 .. count-1. Throws UserError for more vertices than a graph may have.
template <typename Id>
std::vector<Id> number_vertices(Ends<Id> from, Ends<Id> to, std::size_t edges, std::uint32_t* out,
                                std::uint64_t& count);

extern template std::vector<std::int32_t> number_vertices(Ends<std::int32_t>, Ends<std::int32_t>, std::size_t,
                                                          std::uint32_t*, std::uint64_t&);
extern template std::vector<std::uint32_t> number_vertices(Ends<std::uint32_t>, Ends<std::uint32_t>,
                                                           std::size_t, std::uint32_t*, std::uint64_t&);
extern template std::vector<std::int64_t> number_vertices(Ends<std::int64_t>, Ends<std::int64_t>, std::size_t,
                                                          std::uint32_t*, std::uint64_t&);
extern template std::vector<std::uint64_t> number_vertices(Ends<std::uint64_t>, Ends<std::uint64_t>,
                                                           std::size_t, std::uint32_t*, std::uint64_t&);

}  // namespace polyloom::polite
