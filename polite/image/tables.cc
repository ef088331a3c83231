// SPDX-License-Identifier: Apache-2.0
#include "polite/image/tables.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "fabric/error.h"
#include "fabric/parallel.h"
#include "polite/image/packing.h"
#include "polite/layout.h"
#include "polite/mapper/routes.h"

namespace polyloom::polite {

namespace {

/// By which in-edges know each target on its thread (PInEdge::device).
std::vector<std::uint16_t> device_entries(const Placement& placement, const ElementLayout& layout) {
  const Combining& combining = placement.combining;
  const auto units = static_cast<std::uint32_t>(layout.pstate_bytes / layout.state_unit);
  const auto partial_units = static_cast<std::uint32_t>(layout.partial_bytes / layout.state_unit);
  std::vector<std::uint16_t> offset;
  const auto put = [&](std::uint32_t at) { offset.push_back(static_cast<std::uint16_t>(at & 0x7fff)); };
  for (const std::uint32_t local : placement.local)
    put(layout.accumulator_bytes != 0 ? local : local * units);
  for (std::uint32_t i = 0; i < combining.partials.size(); ++i) {
    const std::uint32_t t = combining.partials[i].thread;
    const std::uint32_t devices = placement.thread_begin[t + 1] - placement.thread_begin[t];
    put(devices * units + (i - combining.thread_begin[t]) * partial_units);
  }
  return offset;
}

/// An edge as its destination mailbox sees it.
struct Arrival {
  std::uint32_t row;     // sending (vertex, pin), or partial receiver
  std::uint32_t target;  // receiving vertex or partial receiver
  std::uint32_t edge;
};

/// All edges by destination mailbox, in order of rows.
struct Arrivals {
  std::vector<std::uint64_t> begin;  // mailboxes + 1
  std::vector<Arrival> all;
};

/// A message: the arrivals of one row at one mailbox, or at one of its threads. Those at partial receivers on
/// the sender's own thread are none, but are listed alike.
struct Message {
  std::uint32_t first, count;  // into the mailbox's arrivals
  std::uint32_t threads;       // how many threads receive it
  bool local;
};

/// The edges into the mailboxes [first_mailbox, last_mailbox), `begin` counted from the first of them. The
/// first `labels` edges have labels of their own; those behind are partial receivers'.
Arrivals sort_by_mailbox(const Routes& routes, std::uint64_t labels, const Machine& machine,
                         unsigned first_mailbox, unsigned last_mailbox, unsigned host_threads) {
  const std::size_t rows = routes.rows();
  // Each block of rows counts, then scatters into its own part of every mailbox: stable and parallel.
  const std::size_t blocks = std::min<std::size_t>(std::max<std::size_t>(rows, 1), 64);
  const unsigned mailboxes = last_mailbox - first_mailbox;
  std::vector<std::vector<std::uint64_t>> place(blocks, std::vector<std::uint64_t>(mailboxes, 0));
  auto edges_of = [&](std::size_t block) {
    return std::pair{rows * block / blocks, rows * (block + 1) / blocks};
  };
  // Of other mailboxes: no less than `mailboxes`.
  auto mailbox_at = [&](std::uint64_t e) {
    return machine.mailbox_of(routes.thread[routes.target[e]]) - first_mailbox;
  };
  fabric::parallel_for(blocks, host_threads, [&](std::size_t block) {
    const auto [first, last] = edges_of(block);
    for (std::uint64_t e = routes.begin[first]; e < routes.begin[last]; ++e) {
      if (const unsigned m = mailbox_at(e); m < mailboxes) ++place[block][m];
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
  fabric::parallel_for(blocks, host_threads, [&](std::size_t block) {
    const auto [first, last] = edges_of(block);
    for (std::size_t row = first; row < last; ++row) {
      for (std::uint64_t e = routes.begin[row]; e < routes.begin[row + 1]; ++e) {
        const unsigned m = mailbox_at(e);
        if (m >= mailboxes) continue;
        const std::uint32_t label = e < labels ? static_cast<std::uint32_t>(e) : kNeutralLabel;
        arrivals.all[place[block][m]++] = {static_cast<std::uint32_t>(row), routes.target[e], label};
      }
    }
  });
  return arrivals;
}

/// Builds the in-edge tables of one mailbox's threads.
class MailboxBuilder {
 public:
  MailboxBuilder(const Routes& routes, std::span<const std::uint16_t> offset, const Placement& placement,
                 unsigned mailbox, std::span<Arrival> arrivals, bool labels, Tables& tables)
      : routes_(routes),
        offset_(offset),
        machine_(placement.machine),
        sending_(placement.sending),
        per_tile_(placement.machine.threads_per_tile()),
        mailbox_(mailbox),
        arrivals_(arrivals.data()),
        count_(arrivals.size()),
        labels_(labels),
        tables_(tables),
        packed_(per_tile_, sending_.direct ? kFirstDirect : kNoKey),
        most_(sending_.direct ? kFirstDirect : kNoKey) {}

  std::vector<Sent> build() {
    find_messages();
    std::vector<Sent> sent(messages_.size());
    for (std::uint32_t m : widest_first()) sent[m] = place(messages_[m]);
    return sent;
  }

 private:
  unsigned thread_in_tile(const Arrival& a) const { return routes_.thread[a.target] % per_tile_; }
  bool is_local(const Arrival& a) const { return routes_.is_local(a.row, a.target); }

  void find_messages() {
    for (std::size_t i = 0; i < count_;) {
      std::size_t j = i;
      while (j < count_ && arrivals_[j].row == arrivals_[i].row) ++j;
      // What stays on the thread first; then by thread, partial receivers before vertices; parallel edges
      // keep their order.
      std::sort(arrivals_ + i, arrivals_ + j, [&](const Arrival& a, const Arrival& b) {
        const auto key = [&](const Arrival& x) {
          return std::tuple(!is_local(x), routes_.thread[x.target], !routes_.is_partial(x.target),
                            offset_[x.target], x.edge);
        };
        return key(a) < key(b);
      });
      const Way way = sending_.of(arrivals_[i].row);
      const bool to_threads = way == Way::threads || way == Way::key_and_threads;
      for (std::size_t k = i; k < j;) {
        const bool local = is_local(arrivals_[k]);
        Message message{static_cast<std::uint32_t>(k), 0, 0, local};
        for (; k < j && is_local(arrivals_[k]) == local; ++k) {
          const bool next =
              message.count == 0 || thread_in_tile(arrivals_[k]) != thread_in_tile(arrivals_[k - 1]);
          if (next && message.count != 0 && to_threads) break;
          message.threads += next;
          ++message.count;
        }
        messages_.push_back(message);
      }
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
    const Arrival* const first = arrivals_ + message.first;
    if (sending_.direct && message.count == 1 && !routes_.is_partial(first->target)) {
      const auto entry = static_cast<std::uint16_t>(offset_[first->target] | kLastReceiver);
      if (entry != kNoKey) return {std::uint64_t{1} << thread_in_tile(*first), first->row, entry, false};
    }
    threads_.clear();
    lengths_.clear();
    Sent sent{0, first->row, 0, message.local};
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
    if (key == most_) reject();
    sent.key = static_cast<std::uint16_t>(key);
    const Arrival* a = first;
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      InTable& table = tables_.in[std::size_t{mailbox_} * per_tile_ + threads_[i]];
      if (table.device.size() < packed_.size(threads_[i])) {
        table.device.resize(packed_.size(threads_[i]));
        if (labels_) table.edge.resize(packed_.size(threads_[i]));
      }
      for (std::uint32_t n = 0; n < lengths_[i]; ++n, ++a) {
        const bool last = n + 1 == lengths_[i];
        table.device[key + n] = static_cast<std::uint16_t>(offset_[a->target] | (last ? kLastReceiver : 0));
        if (labels_) table.edge[key + n] = a->edge;
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
                    " in-edges, and messages find their receivers by a 16-bit index of at most " +
                    std::to_string(most_ - 1) + "; spread the graph over more boards (now " +
                    std::to_string(machine_.boards()) + "), or split vertices that have very many in-edges");
  }

  const Routes& routes_;
  const std::span<const std::uint16_t> offset_;
  const Machine& machine_;
  const Sending& sending_;
  const unsigned per_tile_;
  const unsigned mailbox_;
  Arrival* const arrivals_;
  const std::size_t count_;
  const bool labels_;
  Tables& tables_;
  PackedTables packed_;
  const std::uint32_t most_;  ///< indices
  std::vector<Message> messages_;
  std::vector<std::uint8_t> threads_;
  std::vector<std::uint32_t> lengths_;
};

/// Joins the mailboxes' messages into one list a row. A row starts with what stays on its thread, then what
/// goes by key, which has the longest way. The mailboxes follow, its own first and on upwards, so that
/// threads that all start sending at once do not all send to mailbox 0 first.
void join_rows(const Routes& routes, const Placement& placement, const std::vector<std::vector<Sent>>& sent,
               Tables& tables) {
  const Machine& machine = placement.machine;
  const std::size_t rows = routes.rows();
  const std::vector<std::uint32_t>& keys = tables.routers.key;  // none: nothing goes by key
  const auto mailbox_of = [&](std::size_t row) {
    return machine.mailbox_of(routes.thread[routes.sender(row)]);
  };
  const auto goes_by_key = [&](const Sent& s, unsigned m) {
    return !keys.empty() && !s.local &&
           by_key(placement.sending.of(s.row), mailbox_of(s.row) / machine.tiles(), m / machine.tiles());
  };
  const auto key_of = [&](std::size_t row) { return keys.empty() ? 0 : keys[row]; };
  tables.out_begin.assign(rows + 1, 0);
  for (std::size_t row = 0; row < rows; ++row) tables.out_begin[row + 1] = key_of(row) != 0;
  for (unsigned m = 0; m < sent.size(); ++m) {
    for (const Sent& s : sent[m]) tables.out_begin[s.row + 1] += !goes_by_key(s, m);
  }
  std::partial_sum(tables.out_begin.begin(), tables.out_begin.end(), tables.out_begin.begin());
  tables.out.resize(tables.out_begin.back());
  std::vector<std::uint64_t> next(tables.out_begin.begin(), tables.out_begin.end() - 1);
  std::vector<std::uint32_t> below(rows, 0);  // messages of a row to mailboxes below its own
  for (std::size_t row = 0; row < rows; ++row) {
    if (key_of(row) != 0)
      tables.out[next[row]++] = {0, static_cast<std::uint16_t>(Machine::key_mailbox()), key_of(row), 0};
  }
  for (unsigned m = 0; m < sent.size(); ++m) {
    const auto id = static_cast<std::uint16_t>(machine.mailbox_id(m));
    for (const Sent& s : sent[m]) {
      if (goes_by_key(s, m)) continue;
      tables.out[next[s.row]++] = {s.key, s.local ? kThisThread : id, static_cast<std::uint32_t>(s.mask),
                                   static_cast<std::uint32_t>(s.mask >> 32)};
      below[s.row] += m < mailbox_of(s.row);
    }
  }
  for (std::size_t row = 0; row < rows; ++row) {
    const auto begin = tables.out.begin() + static_cast<std::ptrdiff_t>(tables.out_begin[row]);
    const auto first = begin + (key_of(row) != 0);
    const auto last = tables.out.begin() + static_cast<std::ptrdiff_t>(tables.out_begin[row + 1]);
    std::rotate(first, first + below[row], last);
    if (first != last && first->mbox == kThisThread) std::rotate(begin, first, first + 1);
  }
}

}  // namespace

Tables build_tables(const GraphStore& graph, const Placement& placement, const ElementLayout& layout,
                    unsigned host_threads, std::uint64_t edges_at_once) {
  const Machine& machine = placement.machine;
  const Routes routes(graph, placement, placement.combining);
  if (std::max(graph.edges(), std::uint64_t{routes.rows()}) >= kNeutralLabel) {
    throw UserError(
        "the graph does not fit: its tables hold at most 4294967294 edges, and pins of all vertices; it "
        "has " +
        std::to_string(graph.edges()) + " and " + std::to_string(routes.rows()));
  }
  const std::vector<std::uint16_t> offset = device_entries(placement, layout);
  Tables tables;
  tables.in.resize(machine.threads());
  std::vector<std::vector<Sent>> sent(machine.mailboxes());
  // Some mailboxes at a time: an arrival takes three times the memory of an edge.
  const std::uint64_t edges = std::max(edges_at_once, std::uint64_t{routes.target.size()});
  const auto together = std::max(1u, static_cast<unsigned>(edges_at_once * machine.mailboxes() / edges));
  for (unsigned first = 0; first < machine.mailboxes(); first += together) {
    const unsigned last = std::min(first + together, machine.mailboxes());
    Arrivals arrivals = sort_by_mailbox(routes, graph.edges(), machine, first, last, host_threads);
    fabric::parallel_for(last - first, host_threads, [&](std::size_t i) {
      const std::span<Arrival> of_mailbox(
          arrivals.all.begin() + static_cast<std::ptrdiff_t>(arrivals.begin[i]),
          arrivals.begin[i + 1] - arrivals.begin[i]);
      const unsigned m = first + static_cast<unsigned>(i);
      sent[m] =
          MailboxBuilder(routes, offset, placement, m, of_mailbox, graph.label_bytes() != 0, tables).build();
    });
  }
  if (std::ranges::any_of(placement.sending.way, has_key))
    tables.routers = build_router_tables(routes, placement, layout, sent, host_threads);
  join_rows(routes, placement, sent, tables);
  return tables;
}

}  // namespace polyloom::polite
