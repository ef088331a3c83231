// SPDX-License-Identifier: Apache-2.0
// How: threads read blocks of the file and parse the lines that begin there, eight digits at a time. A block ends at a
// line that is not plain, and so does all that is taken: who reads line by line goes on there, and says what is
// wrong with it.
#include "polite/readers/edge_blocks.h"

#include <sys/mman.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <span>
#include <vector>

#include "fabric/memory.h"
#include "fabric/pool.h"
#include "polite/graph/huge_pages.h"
#include "polite/readers/formats.h"

namespace polyloom::polite {

namespace {

constexpr std::size_t kBlock = 1 << 20;
/// Lines that begin in a block may end so much behind it.
constexpr std::size_t kLongestLine = 64 << 10;
constexpr std::size_t kBlocksAWorker = 4;

bool is_separator(char c) { return c == ' ' || c == '\t' || c == ',' || c == '\r'; }

/// Takes the digits at p, at most 19, which cannot overflow; false if there are none, or more. Reads up to 8 bytes
/// behind them.
__attribute__((always_inline)) inline bool take_digits(const char*& p, std::uint64_t& value) {
  constexpr std::uint64_t kEach = 0x0101010101010101ull;
  std::uint64_t eight;
  std::memcpy(&eight, p, sizeof eight);
  eight ^= kEach * '0';  // digits are 0 .. 9 now
  const std::uint64_t others = ((eight + kEach * (0x80 - 10)) | eight) & kEach * 0x80;
  const unsigned digits = others == 0 ? 8 : static_cast<unsigned>(__builtin_ctzll(others)) / 8;
  if (digits == 0) return false;
  eight <<= 8 * (8 - digits);  // zeros before them
  eight = eight * 10 + (eight >> 8);
  eight = ((eight & 0x000000ff000000ffull) * (100 + (1000000ull << 32)) +
           (eight >> 16 & 0x000000ff000000ffull) * (1 + (10000ull << 32))) >>
          32;
  p += digits;
  if (digits == 8) [[unlikely]] {
    const char* const most = p + (19 - 8);
    while (p <= most && static_cast<unsigned char>(*p - '0') < 10)
      eight = eight * 10 + static_cast<unsigned char>(*p++ - '0');
    if (p > most) return false;
  }
  value = eight;
  return true;
}

class Block {
 public:
  /// Parses the lines that begin in bytes [begin, end) of the file.
  void parse(const TextSource& source, std::uint64_t begin, std::uint64_t end, bool weighted) {
    // The byte before tells whether a line begins at the first.
    const std::size_t before = begin > 0 ? 1 : 0, room = before + (end - begin) + kLongestLine;
    if (text_.empty()) {
      text_ = HugeArray<char>(room + kPadding);  // the first block is no smaller than those that follow
      edges_ = HugeArray<Edge>(room / kLeastLine + 1);
      if (weighted) weights_ = HugeArray<double>(room / kLeastLine + 1);
    }
    const std::size_t got = source.read_at(text_.data(), room, begin - before);
    std::size_t size = got;
    if (got < room && got > before && text_[got - 1] != '\n') text_[size++] = '\n';  // the file's last line
    std::fill_n(text_.data() + size, kPadding - 1, '\0');
    edge_count_ = lines = largest = 0;
    plain = true;
    const char* const first = text_.data();
    const char* p = first;
    if (before == 1 && *p != '\n') {
      p = static_cast<const char*>(std::memchr(p, '\n', size));
      if (p == nullptr) {  // the line began in a block before, where it is too long
        plain = false;
        return;
      }
    }
    p += before;
    const char* const stop = first + std::min<std::size_t>(size, before + (end - begin));
    p = weighted ? take<true>(p, stop) : take<false>(p, stop);
    next = begin - before +
           std::min(static_cast<std::size_t>(p - first), got);  // without what was put behind the last
  }

  std::span<const Edge> edges() const { return edges_.span().first(edge_count_); }
  std::span<const double> weights() const {
    return weights_.span().first(weights_.empty() ? 0 : edge_count_);
  }
  std::uint64_t lines = 0, largest = 0;
  bool plain = true;       ///< all its lines are
  std::uint64_t next = 0;  ///< where in the file the line after the last one taken begins

 private:
  static constexpr std::size_t kPadding = 32;   ///< no digits, and no end of a line
  static constexpr std::size_t kLeastLine = 4;  ///< "1 2"

  /// Returns where the lines that are taken end.
  template <bool kWeighted>
  const char* take(const char* p, const char* stop) {
    std::uint64_t most = 0, others = 0;
    Edge* edge = edges_.data();
    double* to_weight = weights_.data();
    const auto ended = [&](const char* line) {
      edge_count_ = static_cast<std::size_t>(edge - edges_.data());
      lines = edge_count_ + others;
      largest = most;
      plain = line >= stop;
      return line;
    };
    while (p < stop) {
      const char* const line = p;
      std::uint64_t from, to;
      double weight = 0;
      while (is_separator(*p)) ++p;
      if (!take_digits(p, from)) {
        p = behind_nothing(p);
        if (p == nullptr) return ended(line);
        ++others;
        continue;
      }
      if (!is_separator(*p)) return ended(line);
      while (is_separator(*++p)) {
      }
      if (!take_digits(p, to)) return ended(line);
      if (kWeighted) {
        if (!is_separator(*p)) return ended(line);
        while (is_separator(*++p)) {
        }
        if (!take_weight(p, weight)) return ended(line);
      }
      while (is_separator(*p)) ++p;
      if (*p != '\n' || std::max(from, to) > kLargestId) return ended(line);
      ++p;
      most = std::max({most, from, to});
      *edge++ = {static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to)};
      if (kWeighted) *to_weight++ = weight;
    }
    return ended(p);
  }
  /// The end of a line that is empty from p on, or a comment; null if it is neither.
  static const char* behind_nothing(const char* p) {
    if (*p == '\n') return p + 1;
    if (*p != '#') return nullptr;
    while (*p != '\n' && *p != '\0') ++p;
    return *p == '\n' ? p + 1 : nullptr;
  }

  static bool take_weight(const char*& p, double& weight) {
    const char* const start = p;
    std::uint64_t whole;
    if (take_digits(p, whole) && (is_separator(*p) || *p == '\n')) {
      weight = static_cast<double>(whole);
      return true;
    }
    const char* end = start;
    while (!is_separator(*end) && *end != '\n' && *end != '\0') ++end;
    const auto [last, error] = std::from_chars(start, end, weight);
    p = last;
    return error == std::errc() && last == end && weight - weight == 0;
  }

  HugeArray<char> text_;
  HugeArray<Edge> edges_;
  HugeArray<double> weights_;
  std::size_t edge_count_ = 0;
};

template <typename T>
void append(std::vector<T>& all, std::span<const T> more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// Room for `count` in all, on huge pages, if there is memory for it; else it grows as it comes.
template <typename T>
void reserve(std::vector<T>& values, double count) {
  constexpr std::uintptr_t kPage = std::uintptr_t{1} << 21;
  if (count <= static_cast<double>(values.capacity()) || 2 * count * sizeof(T) > memory_there()) return;
  values.reserve(static_cast<std::size_t>(count));
  const auto begin = (reinterpret_cast<std::uintptr_t>(values.data()) + kPage - 1) / kPage * kPage;
  const auto end = reinterpret_cast<std::uintptr_t>(values.data() + values.capacity()) / kPage * kPage;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

}  // namespace

std::uint64_t take_plain_edges(TextSource& source, bool weighted, GraphData& g, std::uint64_t& largest,
                               const std::function<void()>& grows) {
  const std::uint64_t size = source.file_bytes(), start = source.offset();
  const auto rest = [&](std::uint64_t at) { return at < size ? size - at : 0; };
  fabric::Pool pool(rest(start) < 2 * kBlock ? 1 : 0);
  // While one wave of blocks is parsed, what the one before has found is appended.
  std::vector<Block> waves[2];
  for (auto& wave : waves)
    wave.resize(std::min<std::uint64_t>(kBlocksAWorker * pool.workers(), rest(start) / kBlock + 1));
  std::uint64_t lines = 0, next = start, parsed = start;
  bool plain = true;
  const auto append_wave = [&](const std::vector<Block>& wave) {
    for (const Block& block : wave) {
      if (!plain) return;
      append(g.edges, block.edges());
      append(g.weights, block.weights());
      largest = std::max(largest, block.largest);
      lines += block.lines;
      plain = block.plain;
      next = block.next;
    }
  };
  for (unsigned turn = 0;; turn ^= 1) {
    std::vector<Block>& wave = waves[turn];
    const std::size_t blocks = std::min<std::uint64_t>(wave.size(), (rest(parsed) + kBlock - 1) / kBlock);
    const bool begun = parsed != start;
    pool.run(blocks + 1, [&](std::size_t i, unsigned) {
      if (i == 0) {
        if (begun) append_wave(waves[turn ^ 1]);
        return;
      }
      const std::uint64_t begin = parsed + (i - 1) * kBlock;
      wave[i - 1].parse(source, begin, std::min(begin + kBlock, size), weighted);
    });
    wave.resize(blocks);
    if (!begun && blocks != 0) {
      std::size_t found = 0;
      for (const Block& block : wave) found += block.edges().size();
      const double share =
          static_cast<double>(rest(start)) / static_cast<double>(std::min(blocks * kBlock, rest(start)));
      const double all = static_cast<double>(g.edges.size()) + 1.01 * share * static_cast<double>(found);
      reserve(g.edges, all);
      if (weighted) reserve(g.weights, all);
    }
    parsed += std::min(blocks * kBlock, rest(parsed));
    if (!plain || blocks == 0) break;
    grows();
  }
  source.pass(next, lines);
  return lines;
}

}  // namespace polyloom::polite
