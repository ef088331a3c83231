// SPDX-License-Identifier: Apache-2.0
// Sparse rounds of the native engine: senders push messages along their out-edges.
//
// How: the edges that carry something are sorted into bins by receiver, message and label with them, so that
// serving a bin reads them in a row and touches few states; then each bin is served by one worker. Small
// rounds skip the bins. Both ways a receiver gets its messages ordered by sender.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "fabric/pool.h"
#include "polite/native/labels.h"
#include "polite/native/outbox.h"
#include "polite/native_view.h"
#include "polite/types.h"

namespace polyloom::polite {

template <typename Dev, typename E, typename M>
class Deliveries {
  using Labels = LabelTraits<Dev, E, M>;

 public:
  /// `out` may get its targets and labels later, before the first push.
  Deliveries(const OutEdges& out, unsigned pins, std::size_t blocks) : out_(out), pins_(pins) {
    while ((blocks + blocks_a_bin_ - 1) / blocks_a_bin_ > kMaxBins) blocks_a_bin_ *= 2;
    bins_ = (blocks + blocks_a_bin_ - 1) / blocks_a_bin_;
  }

  /// Calls deliver(to, message, label) for every edge that carries something, on this thread. `active` are
  /// the blocks with senders, in order.
  template <typename Deliver>
  void push_directly(Outbox<M>& sent, const std::vector<std::uint32_t>& active, Deliver&& deliver) {
    for (const std::uint32_t block : active) {
      sent.each_sender(block, [&](std::uint32_t u) {
        each_edge(u, sent.pin[u], [&](std::uint64_t e) {
          deliver(out_.target[e], &sent.message[u],
                  const_cast<const std::byte*>(out_.label) + e * Labels::kBytes);
        });
      });
    }
  }

  /// The same on all workers of the pool; a receiver's block is served by one of them.
  template <typename Deliver>
  void push_by_bins(Outbox<M>& sent, const std::vector<std::uint32_t>& active, fabric::Pool& pool,
                    Deliver&& deliver) {
    // Chunks of senders hold about equal numbers of edges and are in order, so bins read chunk by chunk are
    // too.
    const std::size_t chunks = cut_into_chunks(sent, active, 4 * pool.workers());
    if (lists_.size() < chunks * bins_) lists_.resize(chunks * bins_);
    pool.run(chunks, [&](std::size_t chunk, unsigned) {
      std::vector<Entry>* const lists = &lists_[chunk * bins_];
      for (std::size_t bin = 0; bin < bins_; ++bin) lists[bin].clear();
      for (std::size_t i = chunk_begin_[chunk]; i < chunk_begin_[chunk + 1]; ++i) {
        sent.each_sender(active[i], [&](std::uint32_t u) { spread(sent, u, lists); });
      }
    });
    pool.run(bins_, [&](std::size_t bin, unsigned) {
      for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
        for (Entry& entry : lists_[chunk * bins_ + bin]) serve(sent, entry, deliver);
      }
    });
  }

 private:
  /// So few that a bin's open ends stay in the cache, so many that the states of a bin do.
  static constexpr std::size_t kMaxBins = 256;
  /// Small messages and read-only labels travel in the entry; others are looked up.
  static constexpr bool kCarriesMessage = sizeof(M) <= 8;
  static constexpr bool kCarriesLabel = Labels::kReadOnly && sizeof(E) <= 8;

  struct Entry {
    std::uint32_t to;
    std::conditional_t<kCarriesMessage, M, std::uint32_t> message;
    [[no_unique_address]] std::conditional_t<!Labels::kLabelled, None,
                                             std::conditional_t<kCarriesLabel, E, std::uint64_t>>
        label;
  };

  template <typename Body>
  INLINE void each_edge(std::uint32_t u, PPin pin, Body&& body) {
    if (pin == HostPin) return;
    const std::uint64_t row = static_cast<std::uint64_t>(u) * pins_ + (pin - Pin(0));
    const std::uint64_t end = out_.begin[row + 1];
    for (std::uint64_t e = out_.begin[row]; e < end; ++e) body(e);
  }

  void spread(const Outbox<M>& sent, std::uint32_t u, std::vector<Entry>* lists) {
    Entry entry;
    if constexpr (kCarriesMessage) {
      entry.message = sent.message[u];
    } else {
      entry.message = u;
    }
    each_edge(u, sent.pin[u], [&](std::uint64_t e) {
      entry.to = out_.target[e];
      if constexpr (Labels::kLabelled && kCarriesLabel) {
        std::memcpy(&entry.label, out_.label + e * sizeof(E), sizeof(E));
      } else if constexpr (Labels::kLabelled) {
        entry.label = e;
      }
      lists[entry.to / kNativeBlock / blocks_a_bin_].push_back(entry);
    });
  }

  template <typename Deliver>
  INLINE void serve(Outbox<M>& sent, Entry& entry, Deliver&& deliver) {
    M* message;
    if constexpr (kCarriesMessage) {
      message = &entry.message;
    } else {
      message = &sent.message[entry.message];
    }
    const std::byte* label = reinterpret_cast<const std::byte*>(&entry.label);
    if constexpr (Labels::kLabelled && !kCarriesLabel) label = out_.label + entry.label * sizeof(E);
    deliver(entry.to, message, label);
  }

  /// Cuts `active` into at most `most` runs of about equal work, listed in chunk_begin_. Returns how many.
  std::size_t cut_into_chunks(const Outbox<M>& sent, const std::vector<std::uint32_t>& active,
                              std::size_t most) {
    chunk_begin_.assign(1, 0);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < active.size(); ++i) {
      sum += sent.tally[active[i]].edges;
      if (sum * most >= sent.total.edges * chunk_begin_.size() && chunk_begin_.size() < most) {
        chunk_begin_.push_back(i + 1);
      }
    }
    if (chunk_begin_.back() != active.size()) chunk_begin_.push_back(active.size());
    return chunk_begin_.size() - 1;
  }

  const OutEdges& out_;
  unsigned pins_;
  std::size_t blocks_a_bin_ = 1;
  std::size_t bins_ = 0;
  std::vector<std::size_t> chunk_begin_;
  std::vector<std::vector<Entry>> lists_;  ///< chunk by chunk, a list for each bin
};

}  // namespace polyloom::polite
