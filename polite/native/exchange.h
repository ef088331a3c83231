// SPDX-License-Identifier: Apache-2.0
// Brings the messages of a round to the mirrors of their senders in other processes (part.h).
//
// A process sends another one byte string a round: how many messages, the messages of the senders that have mirrors
// there, in the order of these, and which they are, unless it is all: as bits, or as the distances from one to the
// next, whichever is shorter. Messages that are combined for receivers there follow those of single senders (part.h).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "fabric/pool.h"
#include "polite/combiner.h"
#include "polite/native/labels.h"
#include "polite/native/outbox.h"
#include "polite/native/part.h"
#include "polite/native/peers.h"
#include "polite/types.h"

namespace polyloom::polite {

/// Places of messages among the rows of a Part::Rows, ascending, written as distances of 1 to 5 bytes.
inline void write_distances(std::span<const std::uint32_t> entries, Peers::Bytes& out) {
  std::uint32_t expected = 0;
  for (const std::uint32_t entry : entries) {
    std::uint32_t distance = entry - expected;
    for (; distance >= 0x80; distance >>= 7) out.push_back(static_cast<std::byte>(distance | 0x80));
    out.push_back(static_cast<std::byte>(distance));
    expected = entry + 1;
  }
}

template <typename Dev, typename E, typename M>
class Exchange {
  using Labels = LabelTraits<Dev, E, M>;
  using Combiner = CombinerOf<Dev, E, M>;
  static_assert(std::is_trivially_copyable_v<M>);

 public:
  Exchange(const Part& part, Peers& peers, fabric::Pool& pool)
      : part_(part),
        peers_(peers),
        pool_(pool),
        out_(part.sends().size()),
        entries_(out_.size()),
        partial_(out_.size()) {
    for (std::size_t to = 0; to < out_.size(); ++to) partial_[to].of.resize(part.sends()[to].combined);
    for (const Part::Rows& rows : part.sends()) to_.push_back(rows.process);
    for (const Part::Rows& rows : part.receives()) from_.push_back(rows.process);
  }

  /// Brings own messages to mirrors elsewhere, and others' messages to the mirrors here.
  void run(Outbox<M>& now) {
    const auto begin = std::chrono::steady_clock::now();
    Traffic& traffic = peers_.traffic;
    now.total.senders* kDenseShare >= part_.last() - part_.first() ? write_all(now) : write_few(now);
    for (const Peers::Bytes& bytes : out_) traffic.bytes += bytes.size();
    peers_.exchange(to_, out_, from_, [&](unsigned process, std::span<const std::byte> bytes) {
      const auto rows = std::ranges::lower_bound(part_.receives(), process, {}, &Part::Rows::process);
      if (!bytes.empty()) read(*rows, bytes, now);
    });
    now.sum_up();
    ++traffic.supersteps;
    traffic.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

  /// Forgets what mirrors have here: after the round.
  void forget(Outbox<M>& now) const {
    const std::size_t first = part_.first() / kNativeBlock;
    const std::size_t last = (std::size_t{part_.last()} + kNativeBlock - 1) / kNativeBlock;
    for (std::size_t block = 0; block < first; ++block) now.clear(block);
    for (std::size_t block = last; block < now.tally.size(); ++block) now.clear(block);
  }

 private:
  /// If at least one in so many vertices sends, rows are looked at, else senders.
  static constexpr std::uint64_t kDenseShare = 8;
  /// How the entries that follow the messages are written.
  enum class Form : std::uint32_t { all, bits, distances };
  struct Head {
    std::uint32_t count;
    Form form;
  };

  static PPin pin_of(const Part::Rows& rows, std::size_t entry) {
    return rows.pin.empty() ? Pin(0) : Pin(rows.pin[entry]);
  }

  void write_all(const Outbox<M>& now) {
    pool_.run(out_.size(), [&](std::size_t to, unsigned) {
      const Part::Rows& rows = part_.sends()[to];
      std::vector<std::uint32_t>& entries = entries_[to];
      Peers::Bytes& out = out_[to];
      entries.resize(rows.size());
      out.resize(sizeof(Head) + rows.size() * sizeof(M));
      std::size_t count = 0;
      for (std::size_t i = 0; i < rows.vertex.size(); ++i) {
        const std::uint32_t v = rows.vertex[i];
        std::memcpy(out.data() + sizeof(Head) + count * sizeof(M), &now.message[v], sizeof(M));
        entries[count] = static_cast<std::uint32_t>(i);
        count += now.pin[v] == pin_of(rows, i);
      }
      for (std::uint32_t receiver = 0; receiver < rows.combined; ++receiver) {
        M combined;
        if (!combine_all(now, part_.combined()[to], receiver, combined)) continue;
        std::memcpy(out.data() + sizeof(Head) + count * sizeof(M), &combined, sizeof(M));
        entries[count++] = static_cast<std::uint32_t>(rows.vertex.size() + receiver);
      }
      entries.resize(count);
      out.resize(sizeof(Head) + count * sizeof(M));
      close(to);
    });
    std::uint64_t values = 0;
    for (std::uint32_t v = part_.first(); v < part_.last(); ++v) {
      if (now.pin[v] != No && now.pin[v] != HostPin) values += part_.reach(v, index_of(now.pin[v]));
    }
    peers_.traffic.bound += values * sizeof(M);
  }

  static unsigned index_of(PPin pin) { return static_cast<unsigned>(pin - Pin(0)); }
  /// What is combined for a receiver. False if none of its senders has sent.
  bool combine_all(const Outbox<M>& now, const Part::Combined& edges, std::uint32_t receiver,
                   M& combined) const {
    bool some = false;
    for (std::uint64_t e = edges.begin[receiver]; e < edges.begin[receiver + 1]; ++e) {
      const std::uint32_t v = edges.vertex[e];
      if (now.pin[v] != (edges.pin.empty() ? Pin(0) : Pin(edges.pin[e]))) continue;
      add_along(now.message[v], edges, e, some, combined);
    }
    return some;
  }
  /// Adds what a message is once it has come along an edge to what is combined, if there is some.
  static void add_along(M message, const Part::Combined& edges, std::uint64_t e, bool& some, M& combined) {
    if constexpr (Labels::kLabelled && Combiner::kExists) {
      E label;
      std::memcpy(&label, edges.label.data() + e * sizeof(E), sizeof(E));
      Combiner::along(message, label);
    }
    if (!some) combined = Combiner::identity();
    some = true;
    Combiner::combine(combined, message);
  }

  void write_few(const Outbox<M>& now) {
    for (std::size_t to = 0; to < out_.size(); ++to) {
      entries_[to].clear();
      out_[to].resize(sizeof(Head));
    }
    std::uint64_t values = 0;
    for (std::size_t block = part_.first() / kNativeBlock; block * kNativeBlock < part_.last(); ++block) {
      if (now.tally[block].senders == 0) continue;
      now.each_sender(block, [&](std::uint32_t v) {
        if (now.pin[v] == HostPin) return;
        const unsigned pin = index_of(now.pin[v]);
        values += part_.reach(v, pin);
        for (const Part::Route& route : part_.routes(v, pin)) append(route.to, route.entry, now.message[v]);
        for (const Part::CombinedRoute& route : part_.combined_routes(v, pin)) {
          Partial& partial = partial_[route.to];
          typename Partial::One& one = partial.of[route.receiver];
          if (!one.some) partial.touched.push_back(route.receiver);
          add_along(now.message[v], part_.combined()[route.to], route.edge, one.some, one.message);
        }
      });
    }
    for (std::uint32_t to = 0; to < out_.size(); ++to) {
      Partial& partial = partial_[to];
      std::ranges::sort(partial.touched);
      for (const std::uint32_t receiver : partial.touched) {
        append(to, static_cast<std::uint32_t>(part_.sends()[to].vertex.size() + receiver),
               partial.of[receiver].message);
        partial.of[receiver].some = false;
      }
      partial.touched.clear();
      close(to);
    }
    peers_.traffic.bound += values * sizeof(M);
  }
  void append(std::uint32_t to, std::uint32_t entry, const M& message) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&message);
    out_[to].insert(out_[to].end(), bytes, bytes + sizeof(M));
    entries_[to].push_back(entry);
  }

  /// Writes which entries the messages are of.
  void close(std::size_t to) {
    const std::vector<std::uint32_t>& entries = entries_[to];
    Peers::Bytes& out = out_[to];
    const std::size_t rows = part_.sends()[to].size(), end = out.size(), bits = (rows + 7) / 8;
    if (entries.empty()) return out.clear();
    Head head{static_cast<std::uint32_t>(entries.size()), Form::all};
    if (entries.size() < rows) {
      head.form = Form::bits;
      if (entries.size() < bits) {
        head.form = Form::distances;
        write_distances(entries, out);
      }
      if (head.form == Form::bits || out.size() - end > bits) {
        head.form = Form::bits;
        out.resize(end);
        out.resize(end + bits, std::byte{0});
        for (const std::uint32_t entry : entries) out[end + entry / 8] |= std::byte{1} << (entry % 8);
      }
    }
    std::memcpy(out.data(), &head, sizeof head);
  }

  void read(const Part::Rows& rows, std::span<const std::byte> bytes, Outbox<M>& now) {
    Head head;
    std::memcpy(&head, bytes.data(), sizeof head);
    const std::byte* message = bytes.data() + sizeof head;
    const std::byte* which = message + std::size_t{head.count} * sizeof(M);
    const auto take = [&](std::size_t entry) {
      const std::uint32_t v = rows.vertex[entry];
      const PPin pin = pin_of(rows, entry);
      now.pin[v] = pin;
      std::memcpy(static_cast<void*>(&now.message[v]), message, sizeof(M));
      message += sizeof(M);
      Tally& tally = now.tally[v / kNativeBlock];
      const std::size_t row = std::size_t{v} * part_.graph().num_pins + static_cast<unsigned>(pin - Pin(0));
      ++tally.senders;
      tally.edges += begin_[row + 1] - begin_[row];
    };
    if (head.form == Form::all) {
      for (std::size_t entry = 0; entry < head.count; ++entry) take(entry);
    } else if (head.form == Form::bits) {
      for (std::size_t at = 0; at < rows.vertex.size(); at += 8, ++which) {
        for (auto bits = static_cast<unsigned>(*which); bits != 0; bits &= bits - 1)
          take(at + static_cast<std::size_t>(__builtin_ctz(bits)));
      }
    } else {
      std::size_t entry = 0;
      for (std::uint32_t i = 0; i < head.count; ++i, ++entry) {
        unsigned shift = 0;
        for (;; shift += 7) {
          const auto byte = static_cast<std::size_t>(*which++);
          entry += (byte & 0x7f) << shift;
          if (byte < 0x80) break;
        }
        take(entry);
      }
    }
  }

  const Part& part_;
  Peers& peers_;
  fabric::Pool& pool_;
  std::span<const std::uint64_t> begin_ = part_.begin();
  std::vector<unsigned> to_, from_;
  std::vector<Peers::Bytes> out_;                    ///< by index in the part's sends()
  std::vector<std::vector<std::uint32_t>> entries_;  ///< of their rows, that send in this round
  /// What is combined in a round in which few send, by receiver.
  struct Partial {
    struct One {
      bool some = false;
      M message;
    };
    std::vector<One> of;
    std::vector<std::uint32_t> touched;
  };
  std::vector<Partial> partial_;
};

}  // namespace polyloom::polite
