// SPDX-License-Identifier: Apache-2.0
#include "polite/native/part.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "fabric/error.h"
#include "polite/graph/added_edges.h"
#include "polite/native/outbox.h"

namespace polyloom::polite {
namespace {

/// What a vertex costs beside its in-edges, in edges: its state is read and written.
constexpr std::uint64_t kVertexWeight = 4;

std::uint32_t whole_blocks(std::uint64_t vertices) {
  return static_cast<std::uint32_t>((vertices + kNativeBlock - 1) / kNativeBlock * kNativeBlock);
}

/// Arrays one after the other in a byte string, each after its length.
class Writer {
 public:
  explicit Writer(Peers::Bytes& bytes) : bytes_(bytes) {}
  template <typename T>
  void add(const std::vector<T>& array) {
    const std::uint64_t size = array.size();
    append(std::as_bytes(std::span(&size, 1)));
    append(std::as_bytes(std::span(array)));
  }

 private:
  void append(std::span<const std::byte> more) { bytes_.insert(bytes_.end(), more.begin(), more.end()); }
  Peers::Bytes& bytes_;
};
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : left_(bytes) {}
  template <typename T>
  std::vector<T> take() {
    std::uint64_t size = 0;
    copy(&size, sizeof size);
    std::vector<T> array(size);
    copy(array.data(), size * sizeof(T));
    return array;
  }

 private:
  void copy(void* to, std::size_t bytes) {
    if (bytes > 0) std::memcpy(to, left_.data(), bytes);
    left_ = left_.subspan(bytes);
  }
  std::span<const std::byte> left_;
};

}  // namespace

std::vector<std::uint32_t> equal_ranges(std::span<const std::uint32_t> in_degree, unsigned parts) {
  const auto n = static_cast<std::uint32_t>(in_degree.size());
  std::uint64_t total = 0, sum = 0;
  for (const std::uint32_t degree : in_degree) total += degree + kVertexWeight;
  std::vector<std::uint32_t> begin{0};
  for (std::uint32_t v = 0; v < n && begin.size() < parts; ++v) {
    const std::uint64_t weight = in_degree[v] + kVertexWeight;
    sum += weight;
    // As many vertices must be left as there are parts to come.
    const bool full =
        static_cast<double>(sum) * parts >= static_cast<double>(total) * static_cast<double>(begin.size());
    const bool last_chance = n - v - 1 == parts - begin.size();
    if (full || last_chance) begin.push_back(v + 1);
  }
  begin.push_back(n);
  return begin;
}

Part::Part(const NativeGraph& whole, std::size_t message_bytes, Peers& peers, const Combining& combining)
    : pins_(whole.num_pins), label_bytes_(whole.label_bytes), store_(whole.num_pins, whole.label_bytes) {
  compare(whole, message_bytes, peers);
  begin_ = equal_ranges(whole.in_degree(), peers.size());
  first_vertex_ = begin_[peers.rank()];
  count_ = begin_[peers.rank() + 1] - first_vertex_;
  Taken taken = take_edges(whole);
  if (taken.edges.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw UserError("process " + std::to_string(peers.rank()) + " would have " +
                    std::to_string(taken.edges.size()) +
                    " edges; one takes at most 4294967295: start more processes");
  }
  std::vector<std::vector<std::uint32_t>> others(peers.size());  // edges by the sender's process
  for (std::size_t e = 0; e < taken.edges.size(); ++e) {
    if (!is_own(taken.edges[e].from))
      others[owner(taken.edges[e].from)].push_back(static_cast<std::uint32_t>(e));
  }
  requests_.resize(peers.size());
  for (unsigned process = 0; process < peers.size(); ++process)
    choose(taken, others[process], combining.allowed && (whole.combine_near || !peers.is_near(process)),
           requests_[process]);
  degree_ = {};
  number_vertices();
  ask(taken, others, peers);
  keep_edges(whole, std::move(taken), combining);
  requests_ = {};
  make_routes();
}

void Part::compare(const NativeGraph& whole, std::size_t message_bytes, Peers& peers) const {
  const std::array<std::uint64_t, 6> mine{whole.num_vertices, whole.num_edges,   whole.num_pins,
                                          whole.label_bytes,  whole.state_bytes, message_bytes};
  static constexpr const char* kWhat[] = {"vertices",      "edges",         "pins",
                                          "bytes a label", "bytes a state", "bytes a message"};
  const std::vector<Peers::Bytes> all = peers.gather(std::as_bytes(std::span(mine)));
  for (unsigned process = 1; process < all.size(); ++process) {
    for (std::size_t i = 0; i < mine.size(); ++i) {
      std::uint64_t first, other;
      std::memcpy(&first, &all[0][8 * i], 8);
      std::memcpy(&other, &all[process][8 * i], 8);
      if (first == other) continue;
      throw UserError("processes must have the same graph, but process 0 has " + std::to_string(first) + " " +
                      kWhat[i] + ", and process " + std::to_string(process) + " has " +
                      std::to_string(other));
    }
  }
  if (whole.num_vertices < peers.size()) {
    throw UserError("a graph of " + std::to_string(whole.num_vertices) +
                    " vertices cannot be divided among " + std::to_string(peers.size()) +
                    " processes; start at most one a vertex");
  }
}

unsigned Part::owner(std::uint32_t v) const {
  return static_cast<unsigned>(std::upper_bound(begin_.begin(), begin_.end(), v) - begin_.begin() - 1);
}

/// Also counts, of own rows, their lengths in the whole graph.
Part::Taken Part::take_edges(const NativeGraph& whole) {
  const AddedEdges added = whole.store->added();
  std::vector<std::uint32_t> lengths(count_ * pins_, 0);
  Taken taken;
  added.each(0, added.size(), [&](std::uint32_t from, std::uint32_t to, std::uint64_t i) {
    const std::uint8_t pin = added.pin == nullptr ? 0 : added.pin[i];
    if (is_own(from)) ++lengths[(from - first_vertex_) * pins_ + pin];
    if (!is_own(to)) return;
    taken.edges.push_back({from, to});
    if (pins_ > 1) taken.pin.push_back(pin);
    if (label_bytes_ == 0) return;
    taken.label.resize(taken.label.size() + label_bytes_);
    if (added.label != nullptr)
      std::memcpy(taken.label.data() + taken.label.size() - label_bytes_, added.label + i * label_bytes_,
                  label_bytes_);
  });
  taken.cut.resize(taken.edges.size());
  degree_.assign(whole.num_vertices * pins_, 0);
  whole_begin_.assign(lengths.size() + 1, 0);  // until local numbers are known
  for (std::size_t row = 0; row < lengths.size(); ++row)
    whole_begin_[row + 1] = whole_begin_[row] + lengths[row];
  return taken;
}

/// Chooses what another process sends for those edges of its vertices: combined messages to the receivers that have
/// most of their senders to themselves, as long as that saves some, and messages of single senders to all others. It
/// finds what is to be found without matchings: on Kronecker graphs it saves a third, of half that could be.
void Part::choose(Taken& taken, const std::vector<std::uint32_t>& edges, bool cut, Request& request) {
  constexpr std::uint32_t kLeastSenders = 3;
  constexpr int kRounds = 4;
  const auto row_of = [&](std::uint32_t e) {
    return taken.edges[e].from * pins_ + (taken.pin.empty() ? 0 : taken.pin[e]);
  };
  for (const std::uint32_t e : edges) ++degree_[row_of(e)];
  std::vector<std::uint32_t> alone(cut ? count_ : 0);
  std::vector<bool> chosen(cut ? count_ : 0);
  for (int round = 0; cut && round < kRounds; ++round) {
    std::fill(alone.begin(), alone.end(), 0);
    for (const std::uint32_t e : edges)
      alone[taken.edges[e].to - first_vertex_] += !taken.cut[e] && degree_[row_of(e)] == 1;
    for (const std::uint32_t e : edges) {
      const std::uint32_t receiver = taken.edges[e].to - first_vertex_;
      if (taken.cut[e] || alone[receiver] < kLeastSenders) continue;
      chosen[receiver] = true;
      taken.cut[e] = true;
      --degree_[row_of(e)];
    }
  }
  for (std::uint32_t v = 0; cut && v < count_; ++v) {
    if (chosen[v]) request.receiver.push_back(v + first_vertex_);
  }
  std::vector<std::uint64_t> rows;
  for (const std::uint32_t e : edges) {
    if (!taken.cut[e]) rows.push_back(row_of(e));
  }
  std::ranges::sort(rows);
  rows.erase(std::ranges::unique(rows).begin(), rows.end());
  for (const std::uint64_t row : rows) {
    request.vertex.push_back(static_cast<std::uint32_t>(row / pins_));
    if (pins_ > 1) request.pin.push_back(static_cast<std::uint8_t>(row % pins_));
  }
}

/// Gives mirrors their numbers.
void Part::number_vertices() {
  const auto vertices = [](const Request& request) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < request.vertex.size(); ++i)
      count += i == 0 || request.vertex[i] != request.vertex[i - 1];
    return count;
  };
  const unsigned own = owner(first_vertex_);
  std::size_t before = 0;
  for (unsigned process = 0; process < own; ++process) before += vertices(requests_[process]);
  first_ = whole_blocks(before);
  std::uint64_t next = 0;
  for (unsigned process = 0; process < requests_.size(); ++process) {
    if (process == own) next = whole_blocks(std::uint64_t{first_} + count_);
    const Request& request = requests_[process];
    if (request.vertex.empty() && request.receiver.empty()) continue;
    Rows& rows = receives_.emplace_back(Rows{process, {}, request.pin});
    for (std::size_t i = 0; i < request.vertex.size(); ++i) {
      next += i > 0 && request.vertex[i] != request.vertex[i - 1];
      rows.vertex.push_back(static_cast<std::uint32_t>(next));
    }
    next += !request.vertex.empty();
  }
  next = std::max<std::uint64_t>(next, whole_blocks(std::uint64_t{first_} + count_));
  for (Rows& rows : receives_) {
    for (std::size_t i = 0; i < requests_[rows.process].receiver.size(); ++i) {
      rows.vertex.push_back(static_cast<std::uint32_t>(next++));
      if (pins_ > 1) rows.pin.push_back(0);
    }
  }
  local_vertices_ = next;
}

void Part::keep_edges(const NativeGraph& whole, Taken taken, const Combining& combining) {
  std::vector<std::uint32_t> number(whole.num_vertices, 0);
  for (std::uint32_t v = 0; v < count_; ++v) number[first_vertex_ + v] = first_ + v;
  for (const Rows& rows : receives_) {
    const std::vector<std::uint32_t>& vertex = requests_[rows.process].vertex;
    for (std::size_t i = 0; i < vertex.size(); ++i) number[vertex[i]] = rows.vertex[i];
  }
  store_.add_vertices(local_vertices_);
  const bool bare = pins_ == 1 && label_bytes_ == 0;
  std::size_t kept = 0;
  if (!bare) store_.reserve(taken.edges.size());
  for (std::size_t e = 0; e < taken.edges.size(); ++e) {
    if (taken.cut[e]) continue;
    const Edge edge{number[taken.edges[e].from], number[taken.edges[e].to]};
    if (bare) {
      taken.edges[kept++] = edge;  // the array itself is taken over
    } else {
      store_.add_edge(edge.from, taken.pin.empty() ? 0 : taken.pin[e], edge.to,
                      label_bytes_ == 0 ? nullptr : &taken.label[e * label_bytes_]);
    }
  }
  if (bare) {
    taken.edges.resize(kept);
    store_.take_edges(std::move(taken.edges));
  }
  for (const Rows& rows : receives_) {
    const Request& request = requests_[rows.process];
    for (std::size_t i = 0; i < request.receiver.size(); ++i) {
      store_.add_edge(rows.vertex[request.vertex.size() + i], 0, number[request.receiver[i]],
                      combining.neutral_label.data());
    }
  }
  store_.finish();
  std::vector<std::uint64_t> begin(local_vertices_ * pins_ + 1, whole_begin_.back());
  std::fill(begin.begin(), begin.begin() + static_cast<std::ptrdiff_t>(first_ * pins_), 0);
  std::copy(whole_begin_.begin(), whole_begin_.end(),
            begin.begin() + static_cast<std::ptrdiff_t>(first_ * pins_));
  whole_begin_ = std::move(begin);
  graph_.num_vertices = store_.vertices();
  graph_.num_pins = whole.num_pins;
  graph_.num_edges = store_.edges();
  graph_.label_bytes = whole.label_bytes;
  graph_.state_bytes = whole.state_bytes;
  graph_.store = &store_;
  graph_.combine = whole.combine;
}

/// Tells each owner which of its vertices have mirrors here and which edges it combines for whom, and hears the same.
void Part::ask(const Taken& taken, const std::vector<std::vector<std::uint32_t>>& edges, Peers& peers) {
  std::vector<unsigned> all;
  std::vector<Peers::Bytes> out;
  for (unsigned process = 0; process < peers.size(); ++process) {
    if (process == peers.rank()) continue;
    all.push_back(process);
    Writer writer(out.emplace_back());
    const Request& request = requests_[process];
    Request cut;
    std::vector<std::byte> label;
    for (const std::uint32_t e : edges[process]) {
      if (!taken.cut[e]) continue;
      const auto receiver =
          std::ranges::lower_bound(request.receiver, taken.edges[e].to) - request.receiver.begin();
      cut.vertex.push_back(taken.edges[e].from);
      cut.receiver.push_back(static_cast<std::uint32_t>(receiver));
      if (pins_ > 1) cut.pin.push_back(taken.pin[e]);
      const auto at = taken.label.begin() + static_cast<std::ptrdiff_t>(e * label_bytes_);
      label.insert(label.end(), at, at + static_cast<std::ptrdiff_t>(label_bytes_));
    }
    writer.add(request.vertex);
    writer.add(request.pin);
    writer.add(std::vector{static_cast<std::uint32_t>(request.receiver.size())});
    writer.add(cut.vertex);
    writer.add(cut.pin);
    writer.add(cut.receiver);
    writer.add(label);
  }
  reach_.assign(count_ * pins_, 0);
  std::vector<std::pair<unsigned, Peers::Bytes>> heard;
  peers.exchange(all, out, all, [&](unsigned process, std::span<const std::byte> bytes) {
    heard.push_back({process, {bytes.begin(), bytes.end()}});
  });
  std::ranges::sort(heard, {}, [](const auto& one) { return one.first; });
  for (const auto& [process, bytes] : heard) hear(process, bytes);
}

void Part::hear(unsigned process, std::span<const std::byte> bytes) {
  Reader reader(bytes);
  Rows rows{process, reader.take<std::uint32_t>(), reader.take<std::uint8_t>()};
  rows.combined = reader.take<std::uint32_t>()[0];
  const auto vertex = reader.take<std::uint32_t>();
  const auto pin = reader.take<std::uint8_t>();
  const auto receiver = reader.take<std::uint32_t>();
  const auto label = reader.take<std::byte>();
  if (rows.size() == 0) return;
  // Each row counts once.
  std::vector<std::size_t> reached;
  const auto row_of = [&](std::uint32_t v, std::span<const std::uint8_t> pins, std::size_t i) {
    return (v - first_vertex_) * pins_ + (pins.empty() ? 0 : pins[i]);
  };
  for (std::size_t i = 0; i < rows.vertex.size(); ++i) reached.push_back(row_of(rows.vertex[i], rows.pin, i));
  for (std::size_t i = 0; i < vertex.size(); ++i) reached.push_back(row_of(vertex[i], pin, i));
  std::ranges::sort(reached);
  reached.erase(std::ranges::unique(reached).begin(), reached.end());
  for (const std::size_t row : reached) ++reach_[row];

  for (std::uint32_t& v : rows.vertex) v = v - first_vertex_ + first_;
  std::vector<std::uint64_t> order(vertex.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::uint64_t e) { return std::pair(receiver[e], vertex[e]); });
  Combined combined;
  combined.begin.assign(rows.combined + std::size_t{1}, 0);
  for (const std::uint64_t e : order) {
    ++combined.begin[receiver[e] + std::size_t{1}];
    combined.vertex.push_back(vertex[e] - first_vertex_ + first_);
    if (pins_ > 1) combined.pin.push_back(pin[e]);
    const auto at = label.begin() + static_cast<std::ptrdiff_t>(e * label_bytes_);
    combined.label.insert(combined.label.end(), at, at + static_cast<std::ptrdiff_t>(label_bytes_));
  }
  std::partial_sum(combined.begin.begin(), combined.begin.end(), combined.begin.begin());
  sends_.push_back(std::move(rows));
  combined_.push_back(std::move(combined));
}

/// Lists by own row where its messages go.
void Part::make_routes() {
  const auto sorted = [&](auto& begin, auto& routes, auto each) {
    begin.assign(count_ * pins_ + 1, 0);
    each([&](std::size_t row, const auto&) { ++begin[row + 1]; });
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    routes.resize(begin.back());
    std::vector<std::uint64_t> next(begin.begin(), begin.end() - 1);
    each([&](std::size_t row, const auto& route) { routes[next[row]++] = route; });
  };
  sorted(route_begin_, routes_, [&](auto body) {
    for (std::uint32_t to = 0; to < sends_.size(); ++to) {
      const Rows& rows = sends_[to];
      for (std::uint32_t i = 0; i < rows.vertex.size(); ++i)
        body(own_row(rows.vertex[i], rows.pin.empty() ? 0 : rows.pin[i]), Route{to, i});
    }
  });
  sorted(combined_begin_, combined_routes_, [&](auto body) {
    for (std::uint32_t to = 0; to < combined_.size(); ++to) {
      const Combined& edges = combined_[to];
      for (std::uint32_t receiver = 0; receiver + 1 < edges.begin.size(); ++receiver) {
        for (std::uint64_t e = edges.begin[receiver]; e < edges.begin[receiver + 1]; ++e)
          body(own_row(edges.vertex[e], edges.pin.empty() ? 0 : edges.pin[e]),
               CombinedRoute{to, receiver, e});
      }
    }
  });
}

}  // namespace polyloom::polite
