// SPDX-License-Identifier: Apache-2.0
#include "polite/image/packing.h"

#include <algorithm>
#include <bit>

namespace polyloom::polite {

namespace {

/// After this many failed candidates later messages for as many threads begin where this one got to:
/// tables filled with holes of the wrong shape would otherwise be searched from end to end for every message.
constexpr int kMaxCandidates = 512;

}  // namespace

PackedTables::PackedTables(unsigned threads, std::uint32_t largest)
    : tables_(threads), begin_(threads + 1, 0), largest_(largest) {}

bool PackedTables::is_used(const Table& table, std::uint32_t index) {
  return index / 64 < table.used.size() && (table.used[index / 64] >> (index % 64) & 1);
}

std::uint32_t PackedTables::next_free(const Table& table, std::uint32_t from) {
  std::uint32_t word = from / 64;
  if (word >= table.used.size()) return from;
  std::uint64_t free = ~table.used[word] & (~std::uint64_t{0} << (from % 64));
  while (free == 0) {
    if (++word >= table.used.size()) return word * 64;
    free = ~table.used[word];
  }
  return word * 64 + static_cast<std::uint32_t>(std::countr_zero(free));
}

std::uint32_t PackedTables::next_used(const Table& table, std::uint32_t from, std::uint32_t limit) {
  for (std::uint32_t word = from / 64; word < table.used.size() && word * 64 < limit; ++word) {
    std::uint64_t used = table.used[word];
    if (word == from / 64) used &= ~std::uint64_t{0} << (from % 64);
    if (used != 0) return std::min(limit, word * 64 + static_cast<std::uint32_t>(std::countr_zero(used)));
  }
  return limit;
}

std::uint32_t PackedTables::next_fit(const Table& table, std::uint32_t from, std::uint32_t length) {
  for (;;) {
    const std::uint32_t start = next_free(table, from);
    if (length == 1) return start;
    const std::uint32_t stop = next_used(table, start, start + length);
    if (stop == start + length) return start;
    from = stop;
  }
}

void PackedTables::take(Table& table, std::uint32_t index, std::uint32_t length) {
  const std::uint32_t last = index + length;
  if (table.used.size() * 64 < last)
    table.used.resize(std::max<std::size_t>((last + 63) / 64, table.used.size() * 2));
  for (std::uint32_t i = index; i < last; ++i) table.used[i / 64] |= std::uint64_t{1} << (i % 64);
  if (index <= table.first_free) table.first_free = next_free(table, table.first_free);
  table.end = std::max(table.end, last);
}

std::uint32_t PackedTables::place(const std::vector<std::uint8_t>& threads,
                                  const std::vector<std::uint32_t>& lengths) {
  std::uint32_t& begin = begin_[threads.size()];
  std::uint32_t index = begin;
  for (std::uint8_t t : threads) index = std::max(index, tables_[t].first_free);
  int candidates = 0;
  for (std::size_t agreed = 0, i = 0; agreed < threads.size(); i = (i + 1) % threads.size()) {
    const std::uint32_t fit = next_fit(tables_[threads[i]], index, lengths[i]);
    if (fit == index) {
      ++agreed;
      continue;
    }
    index = fit;
    agreed = 1;
    if (++candidates % kMaxCandidates == 0) begin = index;
  }
  if (index >= largest_) return largest_;
  for (std::size_t i = 0; i < threads.size(); ++i) take(tables_[threads[i]], index, lengths[i]);
  return index;
}

}  // namespace polyloom::polite
