// SPDX-License-Identifier: Apache-2.0
// Receiver packing: where in the in-edge tables of a tile's threads the receivers of each message go.
// Source: Multicast paper V.C (the receiver packing problem, solved greedily over bitmaps).
#pragma once

#include <cstdint>
#include <vector>

namespace polyloom::polite {

/// Tables of the threads of one mailbox while they are being filled. A message addressed to several threads
/// must find its receivers at the same index on each; on thread t they take length[t] consecutive entries.
class PackedTables {
 public:
  /// `largest` is the first index that can no longer be a key.
  explicit PackedTables(unsigned threads, std::uint32_t largest = 0xffff);

  /// Reserves entries for a message: `threads[i]` (distinct) gets lengths[i] >= 1 entries. Returns their
  /// common index, or `largest` if there is none below it; nothing is reserved then.
  std::uint32_t place(const std::vector<std::uint8_t>& threads, const std::vector<std::uint32_t>& lengths);

  /// Entries of a thread's table, holes included.
  std::uint32_t size(unsigned thread) const { return tables_[thread].end; }

 private:
  struct Table {
    std::vector<std::uint64_t> used;  // one bit an entry; beyond it everything is free
    std::uint32_t first_free = 0;
    std::uint32_t end = 0;
  };
  static bool is_used(const Table& table, std::uint32_t index);
  static std::uint32_t next_free(const Table& table, std::uint32_t from);
  static std::uint32_t next_used(const Table& table, std::uint32_t from, std::uint32_t limit);
  static std::uint32_t next_fit(const Table& table, std::uint32_t from, std::uint32_t length);
  static void take(Table& table, std::uint32_t index, std::uint32_t length);

  std::vector<Table> tables_;
  std::vector<std::uint32_t> begin_;  // by how many threads receive: where the search begins
  std::uint32_t largest_;
};

}  // namespace polyloom::polite
