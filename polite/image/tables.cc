// SPDX-License-Identifier: Apache-2.0
#include "polite/image/tables.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "fabric/error.h"
#include "polite/image/packing.h"
#include "polite/layout.h"
#include "polite/mapper/parallel.h"

namespace polyloom::polite {

namespace {

/// An edge as its destination mailbox sees it.
struct Arrival {
  std::uint64_t row;     // sending (vertex, pin)
  std::uint32_t target;  // receiving vertex
  std::uint32_t edge;
};

/// All edges by destination mailbox, in order of rows.
struct Arrivals {
  std::vector<std::uint64_t> begin;  // mailboxes + 1
  std::vector<Arrival> all;
};

/// A message: the arrivals of one row at one mailbox.
struct Message {
  std::uint32_t first, count;  // into the mailbox's arrivals
  std::uint32_t threads;       // how many threads receive it
};

/// What a mailbox's packing says about one message.
struct Sent {
  std::uint64_t row;
  std::uint64_t mask;
  std::uint16_t key;
};

Arrivals sort_by_mailbox(const GraphStore& graph, const Placement& placement, unsigned host_threads) {
  const Machine& machine = placement.machine;
  const auto begin = graph.out_begin();
  const auto target = graph.out_target();
  const std::size_t rows = begin.size() - 1;
  // Each block of rows counts, then scatters into its own part of every mailbox: stable and parallel.
  const std::size_t blocks = std::min<std::size_t>(std::max<std::size_t>(rows, 1), 64);
  const unsigned mailboxes = machine.mailboxes();
  std::vector<std::vector<std::uint64_t>> place(blocks, std::vector<std::uint64_t>(mailboxes, 0));
  auto edges_of = [&](std::size_t block) {
    return std::pair{rows * block / blocks, rows * (block + 1) / blocks};
  };
  parallel_for(blocks, host_threads, [&](std::size_t block) {
    const auto [first, last] = edges_of(block);
    for (std::uint64_t e = begin[first]; e < begin[last]; ++e) {
      ++place[block][machine.mailbox_of(placement.thread[target[e]])];
    }
  });
  Arrivals arrivals;
  arrivals.begin.assign(mailboxes + 1, 0);
  std::uint64_t sum = 0;
  for (unsigned m = 0; m < mailboxes; ++m) {
    arrivals.begin[m] = sum;
    for (auto& counts : place) sum += std::exchange(counts[m], sum);
  }
  arrivals.begin[mailboxes] = sum;
  arrivals.all.resize(sum);
  parallel_for(blocks, host_threads, [&](std::size_t block) {
    const auto [first, last] = edges_of(block);
    for (std::size_t row = first; row < last; ++row) {
      for (std::uint64_t e = begin[row]; e < begin[row + 1]; ++e) {
        const unsigned mailbox = machine.mailbox_of(placement.thread[target[e]]);
        arrivals.all[place[block][mailbox]++] = {row, target[e], static_cast<std::uint32_t>(e)};
      }
    }
  });
  return arrivals;
}

/// Builds the in-edge tables of one mailbox's threads.
class MailboxBuilder {
 public:
  MailboxBuilder(const Placement& placement, const ElementLayout& layout, unsigned mailbox, Arrival* arrivals,
                 std::size_t count, Tables& tables)
      : placement_(placement),
        units_per_device_(static_cast<std::uint32_t>(layout.pstate_bytes / layout.state_unit)),
        per_tile_(placement.machine.threads_per_tile()),
        mailbox_(mailbox),
        arrivals_(arrivals),
        count_(count),
        tables_(tables),
        packed_(per_tile_, kNoKey) {}

  std::vector<Sent> build() {
    find_messages();
    std::vector<Sent> sent(messages_.size());
    for (std::uint32_t m : widest_first()) sent[m] = place(messages_[m]);
    return sent;
  }

 private:
  unsigned thread_in_tile(const Arrival& a) const { return placement_.thread[a.target] % per_tile_; }

  void find_messages() {
    for (std::size_t i = 0; i < count_;) {
      std::size_t j = i;
      while (j < count_ && arrivals_[j].row == arrivals_[i].row) ++j;
      // By thread, then vertex; parallel edges keep their order.
      std::sort(arrivals_ + i, arrivals_ + j, [&](const Arrival& a, const Arrival& b) {
        const auto key = [&](const Arrival& x) {
          return std::tuple(placement_.thread[x.target], placement_.local[x.target], x.edge);
        };
        return key(a) < key(b);
      });
      std::uint32_t threads = 1;
      for (std::size_t k = i + 1; k < j; ++k)
        threads += thread_in_tile(arrivals_[k]) != thread_in_tile(arrivals_[k - 1]);
      messages_.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j - i), threads});
      i = j;
    }
  }

  /// Messages for many threads are hardest to place; those for one fill the holes that they leave.
  std::vector<std::uint32_t> widest_first() const {
    std::vector<std::uint32_t> start(per_tile_ + 2, 0);
    for (const Message& m : messages_) ++start[per_tile_ - m.threads + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    std::vector<std::uint32_t> order(messages_.size());
    for (std::uint32_t i = 0; i < messages_.size(); ++i) order[start[per_tile_ - messages_[i].threads]++] = i;
    return order;
  }

  Sent place(const Message& message) {
    threads_.clear();
    lengths_.clear();
    const Arrival* const first = arrivals_ + message.first;
    Sent sent{first->row, 0, 0};
    for (const Arrival* a = first; a != first + message.count; ++a) {
      const unsigned t = thread_in_tile(*a);
      if (threads_.empty() || threads_.back() != t) {
        threads_.push_back(static_cast<std::uint8_t>(t));
        lengths_.push_back(0);
        sent.mask |= std::uint64_t{1} << t;
      }
      ++lengths_.back();
    }
    const std::uint32_t key = packed_.place(threads_, lengths_);
    if (key == kNoKey) reject();
    sent.key = static_cast<std::uint16_t>(key);
    const Arrival* a = first;
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      auto& table = tables_.in[std::size_t{mailbox_} * per_tile_ + threads_[i]];
      if (table.size() < packed_.size(threads_[i])) table.resize(packed_.size(threads_[i]));
      for (std::uint32_t n = 0; n < lengths_[i]; ++n, ++a) {
        const std::uint32_t offset = placement_.local[a->target] * units_per_device_;
        const bool last = n + 1 == lengths_[i];
        table[key + n] = {static_cast<std::uint16_t>((offset & 0x7fff) | (last ? kLastReceiver : 0)),
                          a->edge};
      }
    }
    return sent;
  }

  [[noreturn]] void reject() const {
    std::uint64_t most = 0;
    std::vector<std::uint64_t> in(per_tile_, 0);
    for (std::size_t i = 0; i < count_; ++i) most = std::max(most, ++in[thread_in_tile(arrivals_[i])]);
    throw UserError("the graph does not fit: a thread of mailbox " + std::to_string(mailbox_) + " has " +
                    std::to_string(most) +
                    " in-edges, and messages find their receivers by a 16-bit index of at most "
                    "65534; spread the graph over more boards (now " +
                    std::to_string(placement_.machine.boards()) +
                    "), or split vertices that have very many in-edges");
  }

  const Placement& placement_;
  const std::uint32_t units_per_device_;
  const unsigned per_tile_;
  const unsigned mailbox_;
  Arrival* const arrivals_;
  const std::size_t count_;
  Tables& tables_;
  PackedTables packed_;
  std::vector<Message> messages_;
  std::vector<std::uint8_t> threads_;
  std::vector<std::uint32_t> lengths_;
};

/// Joins the mailboxes' messages into one list a row. A row starts with its own mailbox and goes on upwards,
/// so that threads that all start sending at once do not all send to mailbox 0 first.
void join_rows(const GraphStore& graph, const Placement& placement,
               const std::vector<std::vector<Sent>>& sent, Tables& tables) {
  const Machine& machine = placement.machine;
  const std::size_t rows = graph.out_begin().size() - 1;
  tables.out_begin.assign(rows + 1, 0);
  for (const auto& mailbox : sent) {
    for (const Sent& s : mailbox) ++tables.out_begin[s.row + 1];
  }
  std::partial_sum(tables.out_begin.begin(), tables.out_begin.end(), tables.out_begin.begin());
  tables.out.resize(tables.out_begin.back());
  std::vector<std::uint64_t> next(tables.out_begin.begin(), tables.out_begin.end() - 1);
  std::vector<std::uint32_t> below(rows, 0);  // messages of a row to mailboxes below its own
  for (unsigned m = 0; m < sent.size(); ++m) {
    const auto id = static_cast<std::uint16_t>(machine.mailbox_id(m));
    for (const Sent& s : sent[m]) {
      tables.out[next[s.row]++] = {s.key, id, s.mask};
      if (m < machine.mailbox_of(placement.thread[s.row / graph.pins()])) ++below[s.row];
    }
  }
  for (std::size_t row = 0; row < rows; ++row) {
    const auto first = tables.out.begin() + static_cast<std::ptrdiff_t>(tables.out_begin[row]);
    const auto last = tables.out.begin() + static_cast<std::ptrdiff_t>(tables.out_begin[row + 1]);
    std::rotate(first, first + below[row], last);
  }
}

}  // namespace

Tables build_tables(const GraphStore& graph, const Placement& placement, const ElementLayout& layout,
                    unsigned host_threads) {
  if (graph.edges() > 0xffffffffull) {
    throw UserError("the graph does not fit: its tables hold at most 4294967295 edges, it has " +
                    std::to_string(graph.edges()));
  }
  Tables tables;
  tables.in.resize(placement.machine.threads());
  Arrivals arrivals = sort_by_mailbox(graph, placement, host_threads);
  std::vector<std::vector<Sent>> sent(placement.machine.mailboxes());
  parallel_for(sent.size(), host_threads, [&](std::size_t m) {
    MailboxBuilder builder(placement, layout, static_cast<unsigned>(m),
                           arrivals.all.data() + arrivals.begin[m], arrivals.begin[m + 1] - arrivals.begin[m],
                           tables);
    sent[m] = builder.build();
  });
  join_rows(graph, placement, sent, tables);
  return tables;
}

}  // namespace polyloom::polite
