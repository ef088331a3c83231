// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/host/schedule/timeline.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "roles/collective/arch/timing.h"
#include "roles/collective/host/schedule/topology.h"

namespace polyloom::collective {
namespace {

constexpr double kSwitchToWire = kTiming.switch_cycles + kTiming.tx_cycles;
constexpr double kWaiting = kTxBeats + 2;  ///< beats between the switch and the wire
constexpr double kFed = 4;                 ///< beats between the switch and an operator's join
constexpr double kOperatorEnd = 2;         ///< from its last beat to the end of its part

/// The edge at which something that comes at a time is seen.
double edge(double time) { return std::ceil(time - 1e-6); }

}  // namespace

Timeline::Timeline(int ranks, const CostParameters& parameters, double scale)
    : p_(parameters), scale_(scale), nodes_(index(ranks)), pulses_(index(ranks)) {}

void Timeline::start(int rank, double cycle) { node(rank).fetch = node(rank).free = node(rank).done = cycle; }

double& Timeline::pulse_of(int rank, int lane) {
  auto& lanes = pulses_[index(rank)];
  if (lanes.size() <= index(lane)) lanes.resize(index(lane) + 1, 0);
  return lanes[index(lane)];
}

double Timeline::beats(const Stream& s) const {
  return std::max(1.0, std::floor(scale_ * static_cast<double>(s.beat_bytes()) / kBeatBytes));
}

Timeline::Wire Timeline::wire(const Hop& hop) const {
  const LinkCost link = p_.link(hop.from, hop.tx);
  return {link.latency / p_.cycle, link.rate > 0 ? 8 / link.rate / p_.cycle : 0};
}

double Timeline::arrival(const Wire& wire, double departure, double words) {
  return edge(departure + wire.latency + (words - 1) * wire.word);
}

void Timeline::finish(int rank, double cycle) { node(rank).done = std::max(node(rank).done, cycle); }

double Timeline::earliest_done() const {
  double done = latest_done();
  for (const Node& n : nodes_) done = std::min(done, n.done);
  return done;
}
double Timeline::latest_done() const {
  double done = 0;
  for (const Node& n : nodes_) done = std::max(done, n.done);
  return done;
}

/// An instruction a cycle while the step before runs; go when it is over.
void Timeline::begin_steps(const Step& step) {
  for (Node& n : nodes_) {
    n.instructions = 0;
    n.active = false;
  }
  for (const Stream& s : step.streams) {
    if (s.bytes > 0 && s.output < 0) ++node(s.rank).instructions;
    for (const Hop& h : s.hops) {
      ++node(h.from).instructions;
      ++node(h.to).instructions;
    }
    for (const Write& w : s.writes) ++node(w.rank).instructions;
    for (const Feed& f : s.feeds) ++node(f.rank).instructions;
  }
  for (const OperatorUse& u : step.operators) ++node(u.rank).instructions;
  for (Node& n : nodes_) {
    if (n.instructions == 0) continue;
    n.active = true;
    n.go = std::max(n.fetch + n.instructions, n.free);
    n.fetch = n.go + 1;
    n.done = n.go;
  }
}

/// When the source of each stream begins, from the pulses of the nodes below it.
std::vector<double> Timeline::begins(const Step& step) {
  std::vector<double> begin(step.streams.size());
  may_.assign(step.streams.size(), {});
  std::vector<double> all(nodes_.size(), 0);  // every lane that the node sends on
  for (std::size_t i = 0; i < step.streams.size(); ++i) {
    const Stream& s = step.streams[i];
    std::map<int, double>& may = may_[i];
    for (auto hop = s.hops.rbegin(); hop != s.hops.rend(); ++hop) {
      double& pulse = pulse_of(hop->from, hop->tx);
      double counts = pulse;
      if (!s.eager) {
        const bool relays = may.count(hop->to) != 0;
        const double sent =
            relays ? std::max(may[hop->to], node(hop->to).go + kTiming.go_to_begin) : node(hop->to).go;
        counts =
            std::max(counts, edge(sent + kTiming.go_to_pulse + wire(*hop).latency) + kTiming.pulse_to_count);
        pulse = counts;
      }
      may[hop->from] = std::max(may[hop->from], counts);
      all[index(hop->from)] = std::max(all[index(hop->from)], counts);
      if (s.bytes == 0) finish(hop->to, node(hop->to).go + 1);
    }
    begin[i] = std::max(may.count(s.rank) ? may[s.rank] : 0.0, node(s.rank).go + kTiming.go_to_begin);
  }
  for (std::size_t i = 0; i < step.streams.size(); ++i) {
    const Stream& s = step.streams[i];
    if (step.together[index(s.rank)]) begin[i] = std::max(begin[i], all[index(s.rank)]);
    if (s.bytes == 0) finish(s.rank, begin[i]);
  }
  return begin;
}

Timeline::Span Timeline::source(const Step& step, const Stream& s, double begin,
                                const std::vector<Span>& results) const {
  const double n = beats(s);
  if (s.output >= 0) {
    for (std::size_t u = 0; u < step.operators.size(); ++u) {
      const OperatorUse& use = step.operators[u];
      if (use.rank != s.rank || static_cast<int>(use.output) != s.output) continue;
      const double first = std::max(results[u].first, begin);
      return {first, std::max(results[u].last, first + n - 1)};
    }
  }
  const double first =
      begin + kTiming.begin_to_request + std::round(p_.read_latency / p_.cycle) + kTiming.read_to_source;
  return {first, first + n - 1};
}

/// What passes the switch at `from` and leaves on a lane: when it does (in `from`'s last too, as the FIFO is
/// short), when the sender's part is done, and what the receiver sees.
Timeline::Span Timeline::over_lane(const Stream& s, const Wire& wire, const Span& from, double opened,
                                   double& sent, double& checked) const {
  const double n = beats(s);
  const std::uint64_t rest = s.bytes % kBeatBytes;
  double words = rest == 0 ? kBeatWords : std::ceil(static_cast<double>(rest) / 8);
  if (!p_.block_check && n == 1) words = std::max(words, 2.0);  // program.h, short_keep()
  const double wire_free = p_.block_check ? opened + kTiming.tx_cycles + wire.word : 0;
  const double first = std::max(from.first + kSwitchToWire, wire_free);
  const double last = std::max(from.last + kSwitchToWire, first + (n - 1) * kBeatWords * wire.word);
  sent = std::floor(last + 1e-6);
  checked = 0;
  if (p_.block_check) {
    const double check = std::max(sent + kTiming.last_to_check, last + words * wire.word);
    checked = arrival(wire, check, 1);
    sent = std::floor(check + 1e-6);
  }
  Span to;
  to.first = arrival(wire, first, n > 1 ? kBeatWords : words) + kTiming.rx_cycles;
  to.last = std::max(arrival(wire, last, words) + kTiming.rx_cycles, to.first + n - 1);
  return to;
}

/// One stream, from its source down its tree. results: joins' inputs are added to those of their operator.
void Timeline::move(const Step& step, std::size_t i, double begin, const std::vector<Span>& results) {
  const Stream& s = step.streams[i];
  const double n = beats(s);
  std::map<int, Span> at;
  std::map<int, double> opened;
  at[s.rank] = source(step, s, begin, results);
  opened[s.rank] = begin;
  const auto stretch = [&](int rank) {  // the wire takes a beat in more than a cycle, behind a short FIFO
    Span& span = at[rank];
    double longest = 0;  // from the switch to the far end
    for (const Hop& h : s.hops) {
      if (h.from != rank) continue;
      const auto [latency, word] = wire(h);
      span.last =
          std::max(span.last, edge(span.first + kSwitchToWire + (n - 1 - kWaiting) * kBeatWords * word));
      longest = std::max(longest, kSwitchToWire + latency + 3 * word + kTiming.rx_cycles);
    }
    // Copied to an own join too: that waits for the others' beats, and only a few fit before it.
    const bool fed =
        std::any_of(s.feeds.begin(), s.feeds.end(), [&](const Feed& f) { return f.rank == rank; });
    if (fed && longest > 0 && n > kFed) {
      span.last = std::max(span.last, span.first + std::floor((n - 1) / kFed) * (longest + kFed));
    }
  };
  stretch(s.rank);
  for (const Hop& h : s.hops) {
    double sent = 0, checked = 0;
    const Wire way = wire(h);
    Span to = over_lane(s, way, at[h.from], opened[h.from], sent, checked);
    finish(h.from, sent);
    const Node& there = node(h.to);
    double from = there.go + kTiming.go_to_begin;
    if (p_.block_check) {
      const double signature = arrival(way, opened[h.from] + kTiming.tx_cycles, 1);
      from = std::max(there.go, signature) + kTiming.go_to_begin + kTiming.signature_compare;
    }
    const auto passes_on = may_[i].find(h.to);
    if (passes_on != may_[i].end()) from = std::max(from, passes_on->second);
    to.first = std::max(to.first, from);
    to.last = std::max(to.last, to.first + n - 1);
    opened[h.to] = std::max(from, there.go + kTiming.go_to_begin);
    at[h.to] = to;
    stretch(h.to);
    const double moved = at[h.to].last;
    finish(h.to,
           p_.block_check ? std::max(moved + kTiming.moved_to_done, checked + kTiming.check_to_done) : moved);
    if (s.eager) {
      pulse_of(h.from, h.tx) = edge(moved + kTiming.go_to_pulse + way.latency) + kTiming.pulse_to_count;
    }
  }
  for (const Write& w : s.writes) {
    finish(w.rank, at[w.rank].last + 1 + std::round(p_.write_latency / p_.cycle) + kTiming.write_to_done);
  }
  for (const Feed& f : s.feeds) fed_[{f.rank, f.input}] = at[f.rank];
}

void Timeline::add(const Step& step) {
  begin_steps(step);
  const std::vector<double> begin = begins(step);
  fed_.clear();
  for (std::size_t i = 0; i < step.streams.size(); ++i) {
    if (step.streams[i].bytes > 0 && step.streams[i].output < 0) move(step, i, begin[i], {});
  }
  std::vector<Span> results;
  for (const OperatorUse& use : step.operators) {
    Span result;
    for (unsigned in = 0; in < 64; ++in) {
      if (!(use.inputs >> in & 1)) continue;
      const Span fed = fed_[{use.rank, in}];
      result.first = std::max(result.first, fed.first);
      result.last = std::max(result.last, fed.last);
    }
    for (const Stream& s : step.streams) {
      for (const Feed& f : s.feeds) {
        if (f.rank != use.rank || !(use.inputs >> f.input & 1) || s.rank == use.rank) continue;
        const Span fed = fed_[{f.rank, f.input}];
        const double waits = std::max(result.first - fed.first, result.last - fed.last);
        const auto way =
            std::find_if(s.hops.begin(), s.hops.end(), [&](const Hop& h) { return h.to == f.rank; });
        most_held_ = std::max(most_held_, std::min(beats(s), waits / (kBeatWords * wire(*way).word)));
      }
    }
    const double delay = 3 + 4 * std::bit_width(std::max(1u, p_.operator_ports) - 1) + 5;
    result.first += delay;
    result.last += delay;
    results.push_back(result);
    finish(use.rank, result.last + kOperatorEnd);
  }
  for (std::size_t i = 0; i < step.streams.size(); ++i) {
    if (step.streams[i].output >= 0) move(step, i, begin[i], results);
  }
  for (Node& n : nodes_) {
    if (n.active) n.free = n.done + kTiming.done_to_go + p_.step_cycles;
  }
}

}  // namespace polyloom::collective
