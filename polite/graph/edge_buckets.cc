// SPDX-License-Identifier: Apache-2.0
#include "polite/graph/edge_buckets.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "polite/graph/huge_pages.h"
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace polyloom::polite {

namespace {

/// Edges of a bucket, about: two copies of them fit a near cache.
constexpr std::uint64_t kEdgesABucket = 1 << 14;
/// More buckets are dealt to more slowly than is saved by their being small.
constexpr unsigned kMostBucketBits = 11;
/// Up to so many, a near cache holds the page and the line in which each grows; with more, lines are filled apart.
constexpr std::size_t kFewBuckets = 64;
/// A part of fewer edges is not worth a worker.
constexpr std::uint64_t kLeastPart = 1 << 15;

unsigned bits_of(std::uint32_t vertices) { return vertices < 2 ? 0 : std::bit_width(vertices - 1); }

/// How an edge is kept in a bucket. `local` is its row's owner, counted from the bucket's first.
struct SlimForm {  ///< no labels, one pin
  using Record = std::uint32_t;
  static constexpr bool kPins = false;
  unsigned bits;  ///< of `other`; those of `local` have room beside them
  Record make(std::uint32_t local, std::uint32_t other, const AddedEdges&, std::uint64_t) const {
    return static_cast<Record>(std::uint64_t{local} << bits | other);
  }
  std::uint32_t local(Record r) const { return static_cast<std::uint32_t>(std::uint64_t{r} >> bits); }
  std::uint32_t other(Record r) const {
    return static_cast<std::uint32_t>(r & ((std::uint64_t{1} << bits) - 1));
  }
  void set_other(Record& r, std::uint32_t other) const { r = r - this->other(r) + other; }
  std::uint8_t pin(Record, const AddedEdges&) const { return 0; }
  void write(Record r, const AddedEdges&, const RowArrays& out, std::uint64_t at) const {
    out.other[at] = other(r);
  }
};

struct Ends {
  std::uint32_t local_, other_;
};
template <typename R>
struct WideForm {
  using Record = R;
  static constexpr bool kPins = false;
  std::uint32_t local(const Record& r) const { return r.local_; }
  std::uint32_t other(const Record& r) const { return r.other_; }
  void set_other(Record& r, std::uint32_t other) const { r.other_ = other; }
  std::uint8_t pin(const Record&, const AddedEdges&) const { return 0; }
};
struct PlainForm : WideForm<Ends> {  ///< no labels, one pin
  Record make(std::uint32_t local, std::uint32_t other, const AddedEdges&, std::uint64_t) const {
    return {local, other};
  }
  void write(const Record& r, const AddedEdges&, const RowArrays& out, std::uint64_t at) const {
    out.other[at] = r.other_;
  }
};

struct LabelledEnds : Ends {
  std::array<std::byte, 4> label;
};
struct LabelledForm : WideForm<LabelledEnds> {  ///< labels of four bytes, one pin
  Record make(std::uint32_t local, std::uint32_t other, const AddedEdges& edges, std::uint64_t i) const {
    Record r{{local, other}, {}};
    std::memcpy(&r.label, edges.label + i * sizeof r.label, sizeof r.label);
    return r;
  }
  void write(const Record& r, const AddedEdges&, const RowArrays& out, std::uint64_t at) const {
    out.other[at] = r.other_;
    std::memcpy(out.label + at * sizeof r.label, &r.label, sizeof r.label);
  }
};

struct IndexedEnds : Ends {
  std::uint64_t index;
};
struct IndexedForm : WideForm<IndexedEnds> {  ///< anything
  static constexpr bool kPins = true;
  Record make(std::uint32_t local, std::uint32_t other, const AddedEdges&, std::uint64_t i) const {
    return {{local, other}, i};
  }
  std::uint8_t pin(const Record& r, const AddedEdges& edges) const {
    return edges.pin == nullptr ? 0 : edges.pin[r.index];
  }
  void write(const Record& r, const AddedEdges& edges, const RowArrays& out, std::uint64_t at) const {
    out.other[at] = r.other_;
    if (out.pin != nullptr) out.pin[at] = pin(r, edges);
    const std::size_t bytes = edges.label_bytes;
    if (bytes != 0) std::memcpy(out.label + at * bytes, edges.label + r.index * bytes, bytes);
  }
};

/// Appends records to buckets. A bucket's next few are kept in a line of their own, and go to memory together
/// and past the caches: else each line of the buckets would be read before it is written.
template <typename Record>
class Dealer {
 public:
  /// `begin`: where each bucket grows, among `records`.
  Dealer(Record* records, std::vector<std::uint64_t> begin)
      : records_(records), first_(std::move(begin)), next_(first_), lines_(first_.size() * kGroup) {}
  void put(std::size_t bucket, const Record& record) {
    const std::uint64_t at = next_[bucket]++;
    Record* const line = lines_.data() + bucket * kGroup;
    line[at % kGroup] = record;
    if (at % kGroup == kGroup - 1) write_line(bucket, at + 1 - kGroup);
  }
  void finish() {
    for (std::size_t bucket = 0; bucket < first_.size(); ++bucket)
      copy(bucket, std::max(first_[bucket], next_[bucket] / kGroup * kGroup), next_[bucket]);
#if defined(__SSE2__)
    _mm_sfence();
#endif
  }

 private:
  static constexpr std::size_t kLine = 64;
  static constexpr std::size_t kGroup = kLine / std::gcd(sizeof(Record), kLine);  ///< fill whole lines

  void write_line(std::size_t bucket, std::uint64_t at) {
    if (at < first_[bucket]) return copy(bucket, first_[bucket], at + kGroup);
#if defined(__SSE2__)
    const auto* from = reinterpret_cast<const __m128i*>(lines_.data() + bucket * kGroup);
    auto* to = reinterpret_cast<__m128i*>(records_ + at);
    for (std::size_t i = 0; i < kGroup * sizeof(Record) / sizeof *to; ++i)
      _mm_stream_si128(to + i, _mm_load_si128(from + i));
#else
    copy(bucket, at, at + kGroup);
#endif
  }
  /// [from, to) are of one group.
  void copy(std::size_t bucket, std::uint64_t from, std::uint64_t to) {
    if (from < to) std::copy_n(lines_.data() + bucket * kGroup + from % kGroup, to - from, records_ + from);
  }

  Record* records_;
  std::vector<std::uint64_t> first_, next_;
  HugeArray<Record> lines_;
};

template <typename Form>
class Buckets final : public EdgeBuckets {
  using Record = typename Form::Record;

 public:
  /// `ends(from, to)` are an edge's owner, which is in bucket owner >> shift, and its other end, of `other_bits` bits.
  template <typename EndsOf>
  Buckets(const Form& form, const AddedEdges& edges, std::uint32_t vertices, std::size_t buckets,
          unsigned shift, unsigned other_bits, bool by_receiver, EndsOf ends, fabric::Pool& pool)
      : form_(form),
        edges_(edges),
        vertices_(vertices),
        buckets_(buckets),
        shift_(shift),
        other_bits_(std::max(other_bits, 1u)),
        by_receiver_(by_receiver),
        begin_(buckets_ + 1, 0),
        records_(edges.size()),
        workers_(pool.workers()) {
    deal(pool, ends);
  }

  void count(std::uint32_t* degree, fabric::Pool& pool) const override {
    pool.run(buckets_, [&](std::size_t bucket, unsigned) {
      const Form form = form_;
      std::uint32_t* const own = degree + (bucket << shift_);
      std::fill_n(own, owners(bucket), 0);
      const std::uint64_t end = begin_[bucket + 1];
      for (std::uint64_t i = begin_[bucket]; i < end; ++i) ++own[form.local(records_[i])];
    });
  }

  void write_rows(const std::uint64_t* begin, const std::uint32_t* place, const RowArrays& out,
                  fabric::Pool& pool) override {
    const std::size_t pins = by_receiver_ ? 1 : edges_.pins;
    pool.run(buckets_, [&](std::size_t bucket, unsigned worker) {
      const std::size_t size = begin_[bucket + 1] - begin_[bucket];
      Record* records = records_.data() + begin_[bucket];
      if (by_receiver_) {
        records = by_sender(records, size, worker, place);
      } else if (place != nullptr) {
        to_places(records, size, place);
      }
      std::vector<std::uint64_t>& next = workers_[worker].next;
      next.resize(owners(bucket) * pins);
      for (std::size_t local = 0; local < owners(bucket); ++local) {
        const std::size_t v = (bucket << shift_) + local;
        std::copy_n(begin + (place == nullptr ? v : place[v]) * pins, pins, next.data() + local * pins);
      }
      write_bucket(records, size, pins, next.data(), out);
    });
  }

  void write_tiles(std::uint64_t* begin, const RowArrays& out, fabric::Pool& pool) override {
    std::ranges::copy(begin_, begin);
    pool.run(buckets_, [&](std::size_t bucket, unsigned worker) {
      const std::uint64_t first = begin_[bucket], end = begin_[bucket + 1];
      const Record* const records = by_sender(records_.data() + first, end - first, worker, nullptr);
      const Form form = form_;
      const AddedEdges edges = edges_;
      const RowArrays arrays = out;
      const unsigned bits = shift_;
      for (std::uint64_t at = first; at < end; ++at) {
        const Record& r = records[at - first];
        form.write(r, edges, arrays, at);
        arrays.other[at] = form.other(r) << bits | form.local(r);
      }
    });
  }

 private:
  std::size_t owners(std::size_t bucket) const {
    return std::min<std::size_t>(std::size_t{1} << shift_, vertices_ - (bucket << shift_));
  }

  /// ends(from, to) are the end that owns the row and the other.
  template <typename EndsOf>
  void deal(fabric::Pool& pool, EndsOf ends) {
    // Copies of members stay in registers; what is written could else be one of them.
    const Form form = form_;
    const AddedEdges edges = edges_;
    const unsigned shift = shift_;
    const std::uint64_t size = edges.size();
    const std::size_t parts = std::clamp<std::size_t>(size / kLeastPart, 1, 2 * pool.workers());
    const auto cut = [&](std::size_t part) { return size * part / parts; };
    std::vector<std::vector<std::uint64_t>> next(parts);
    pool.run(parts, [&](std::size_t part, unsigned) {
      std::vector<std::uint64_t> counts(buckets_, 0);
      edges.each(cut(part), cut(part + 1),
                 [&counts, ends, shift](std::uint32_t from, std::uint32_t to, std::uint64_t) {
                   ++counts[ends(from, to).first >> shift];
                 });
      next[part] = std::move(counts);
    });
    std::uint64_t sum = 0;
    for (std::size_t bucket = 0; bucket < buckets_; ++bucket) {
      begin_[bucket] = sum;
      for (auto& of_part : next) sum += std::exchange(of_part[bucket], sum);
    }
    if (buckets_ != 0) begin_[buckets_] = sum;
    const std::uint32_t local = (std::uint32_t{1} << shift) - 1;
    pool.run(parts, [&](std::size_t part, unsigned) {
      const auto deal_part = [&](auto&& put) {
        edges.each(
            cut(part), cut(part + 1),
            [&put, ends, shift, local, form, edges](std::uint32_t from, std::uint32_t to, std::uint64_t i) {
              const auto [own, other] = ends(from, to);
              put(own >> shift, form.make(static_cast<std::uint32_t>(own & local), other, edges, i));
            });
      };
      if (buckets_ <= kFewBuckets) {
        std::uint64_t* const at = next[part].data();
        Record* const records = records_.data();
        deal_part([&](std::size_t bucket, const Record& record) { records[at[bucket]++] = record; });
      } else {
        Dealer<Record> dealer(records_.data(), std::move(next[part]));
        deal_part([&](std::size_t bucket, const Record& record) { dealer.put(bucket, record); });
        dealer.finish();
      }
    });
  }

  /// Writes a bucket's edges to its rows; next[i] is where its i-th row begins.
  void write_bucket(const Record* records, std::size_t size, std::size_t pins, std::uint64_t* next,
                    const RowArrays& arrays) const {
    const Form form = form_;
    const AddedEdges edges = edges_;
    const RowArrays out = arrays;
    for (std::size_t i = 0; i < size; ++i) {
      const Record r = records[i];
      std::size_t row = form.local(r);
      if constexpr (Form::kPins) {
        if (pins > 1) row = row * pins + form.pin(r, edges);
      }
      form.write(r, edges, out, next[row]++);
    }
  }
  /// Renames the other ends. Does nothing else, and fetches ahead: most of the names are far.
  void to_places(Record* records, std::size_t size, const std::uint32_t* place) const {
    constexpr std::size_t kAhead = 32;
    const Form form = form_;
    for (std::size_t i = 0; i < size; ++i) {
      __builtin_prefetch(place + form.other(records[std::min(i + kAhead, size - 1)]));
      form.set_other(records[i], place[form.other(records[i])]);
    }
  }
  /// Sorts a bucket's records by the other end's place, then pin; returns where they are then.
  Record* by_sender(Record* records, std::size_t size, unsigned worker, const std::uint32_t* place) {
    constexpr unsigned kMostDigitBits = 11;
    const Form form = form_;
    const AddedEdges edges = edges_;
    const unsigned digits = (other_bits_ + kMostDigitBits - 1) / kMostDigitBits;
    const unsigned digit_bits = (other_bits_ + digits - 1) / digits;
    Worker& own = workers_[worker];
    if (own.scratch.size() < size) own.scratch = HugeArray<Record>(size + size / 4);
    own.counts.assign(std::size_t{digits} << digit_bits, 0);
    if (place != nullptr) to_places(records, size, place);
    const auto sorted = [&](auto each_digit) {
      bool in_order = true;
      std::uint64_t before = 0;
      for (std::size_t i = 0; i < size; ++i) {
        const std::uint32_t other = form.other(records[i]);
        std::uint64_t key = other;
        if constexpr (Form::kPins) key = key << 8 | form.pin(records[i], edges);
        in_order &= before <= key;
        before = key;
        each_digit(other);
      }
      return in_order;
    };
    std::uint64_t* const counts = own.counts.data();
    const std::uint32_t mask = (std::uint32_t{1} << digit_bits) - 1;
    // Two digits are by far the most usual.
    const bool in_order = digits == 2 ? sorted([counts, mask, digit_bits](std::uint32_t other) {
      ++counts[other & mask];
      ++counts[mask + 1 + (other >> digit_bits)];
    })
                                      : sorted([&](std::uint32_t other) {
                                          for (unsigned d = 0; d < digits; ++d)
                                            ++counts[(d << digit_bits) + (other >> d * digit_bits & mask)];
                                        });
    if (in_order) return records;
    Record* scratch = own.scratch.data();
    const auto pass = [&](std::uint64_t* next, std::size_t values, auto&& value) {
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < values; ++i) sum += std::exchange(next[i], sum);
      for (std::size_t i = 0; i < size; ++i) scratch[next[value(records[i])]++] = records[i];
      std::swap(records, scratch);
    };
    if constexpr (Form::kPins) {
      std::array<std::uint64_t, 256> pins{};
      for (std::size_t i = 0; i < size; ++i) ++pins[form.pin(records[i], edges)];
      pass(pins.data(), pins.size(), [form, edges](const Record& r) { return form.pin(r, edges); });
    }
    for (unsigned d = 0; d < digits; ++d) {
      pass(counts + (std::size_t{d} << digit_bits), mask + std::size_t{1},
           [form, mask, low = d * digit_bits](const Record& r) { return form.other(r) >> low & mask; });
    }
    return records;
  }

  struct Worker {
    HugeArray<Record> scratch;
    std::vector<std::uint64_t> next, counts;
  };

  Form form_;
  AddedEdges edges_;
  std::uint32_t vertices_;
  std::size_t buckets_;
  unsigned shift_, other_bits_;
  bool by_receiver_;
  std::vector<std::uint64_t> begin_;  ///< of buckets among the records, and the end
  HugeArray<Record> records_;
  std::vector<Worker> workers_;
};

/// The form that edges of this kind have; slim ones if the ends have room.
template <typename Make>
std::unique_ptr<EdgeBuckets> with_form(const AddedEdges& edges, unsigned local_bits, unsigned other_bits,
                                       Make make) {
  if (edges.pins == 1 && edges.label_bytes == 0) {
    if (local_bits + other_bits <= 32) return make(SlimForm{other_bits});
    return make(PlainForm());
  }
  if (edges.pins == 1 && edges.label_bytes == 4) return make(LabelledForm());
  return make(IndexedForm());
}

}  // namespace

std::unique_ptr<EdgeBuckets> EdgeBuckets::deal(const AddedEdges& edges, std::uint32_t vertices, By by,
                                               fabric::Pool& pool) {
  const unsigned bits = bits_of(vertices);
  const unsigned wanted = std::bit_width(edges.size() / kEdgesABucket);
  const unsigned shift = std::min(bits - std::min({bits, wanted, kMostBucketBits}), 31u);
  const std::size_t buckets = vertices == 0 ? 0 : ((vertices - 1) >> shift) + std::size_t{1};
  return with_form(edges, shift, bits, [&](auto form) -> std::unique_ptr<EdgeBuckets> {
    using Of = Buckets<decltype(form)>;
    if (by == By::kSender) {
      return std::make_unique<Of>(
          form, edges, vertices, buckets, shift, bits, false,
          [](std::uint32_t from, std::uint32_t to) { return std::pair(from, to); }, pool);
    }
    return std::make_unique<Of>(
        form, edges, vertices, buckets, shift, bits, true,
        [](std::uint32_t from, std::uint32_t to) { return std::pair(to, from); }, pool);
  });
}

std::unique_ptr<EdgeBuckets> EdgeBuckets::deal_tiles(const AddedEdges& edges, std::uint32_t vertices,
                                                     unsigned bits, const std::uint32_t* place,
                                                     fabric::Pool& pool) {
  const unsigned sender_bits = 32 - bits;
  const std::uint64_t tiles = ((vertices - 1) >> bits) + std::uint64_t{1};
  const std::uint64_t segments = (std::uint64_t{vertices - 1} >> sender_bits) + 1;
  const auto ends = [=](std::uint32_t from, std::uint32_t to) {
    const std::uint64_t bucket = (to >> bits) * segments + (std::uint64_t{from} >> sender_bits);
    return std::pair(bucket << bits | (to & ((std::uint32_t{1} << bits) - 1)),
                     static_cast<std::uint32_t>(from & ((std::uint64_t{1} << sender_bits) - 1)));
  };
  return with_form(edges, bits, sender_bits, [&](auto form) -> std::unique_ptr<EdgeBuckets> {
    using Of = Buckets<decltype(form)>;
    if (place == nullptr)
      return std::make_unique<Of>(form, edges, vertices, tiles * segments, bits, sender_bits, true, ends,
                                  pool);
    return std::make_unique<Of>(
        form, edges, vertices, tiles * segments, bits, sender_bits, true,
        [=](std::uint32_t from, std::uint32_t to) { return ends(place[from], place[to]); }, pool);
  });
}

}  // namespace polyloom::polite
