// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/tests/swap_bench.h"

#include <algorithm>
#include <deque>

#include "fabric/engine.h"

namespace polyloom::collective::swap {
namespace {

using fabric::Segment;
using fabric::Time;

constexpr Time kCycle = 5'000;  ///< of 200 MHz
constexpr Time kStart = 12'000'000, kPause = 20'000'000;
constexpr unsigned kTestMarks = 8;

class Tap final : public fabric::Node {
 public:
  Tap(fabric::Port a, fabric::Port b, Wire* from_a, Wire* from_b, std::size_t first, const Tamper& tamper)
      : ways_{{a.rx, b.tx, from_a, first}, {b.rx, a.tx, from_b, first + 1}}, tamper_(tamper) {}
  void advance(Time until) override {
    for (const Way& w : ways_) {
      while (const Segment* front = w.rx->front()) {
        if (front->first >= until) break;
        Segment s = w.rx->take();
        if (s.words.empty()) w.wire->pulses.push_back(s.first);
        for (std::size_t i = 0; i < s.words.size(); ++i) {
          const bool last = s.tail && i + 1 == s.words.size();
          if (tamper_) s.words[i] = tamper_(w.number, w.wire->words.size(), s.words[i]);
          w.wire->words.push_back({s.word_time(i), s.words[i], last, last ? s.keep : 8u});
        }
        w.tx->send(std::move(s));
      }
    }
  }
  Time next_event() const override { return fabric::kNever; }

 private:
  struct Way {
    fabric::Rx* rx;
    fabric::Tx* tx;
    Wire* wire;
    std::size_t number;
  };
  Way ways_[2];
  const Tamper& tamper_;
};

/// Loads and starts one program a round; at the end it reads the marks.
class Host final : public fabric::Node {
 public:
  Host(fabric::Port port, const Scene& setup, std::size_t node, NodeResult* result)
      : port_(port), setup_(setup), node_(node), result_(result) {
    using blocks::RegWriteFrame;
    std::uint32_t at = 0;
    Time when = 0;
    for (const auto& round : setup.programs) {
      std::vector<std::uint64_t> words;
      for (const Instruction& i : round[node]) {
        for (const std::uint64_t w : i.words()) words.push_back(w);
      }
      const auto bytes = static_cast<std::uint32_t>(8 * words.size());
      starts_.push_back(at / (8 * kInstructionWords));
      when = put(when, blocks::encode(blocks::WriteFrame{1, {blocks::Space::program, 0, at, bytes}, words}));
      at += bytes;
    }
    when = put(when, reg_write(reg::node, node_));
    if (setup.watchdog != 0) put(when, reg_write(reg::watchdog, setup.watchdog));
    const Time skew = setup.skew.empty() ? 0 : kCycle * static_cast<Time>(setup.skew[node]);
    put(kStart + skew, reg_write(reg::start, starts_[0]));
  }

  void advance(Time until) override {
    while (const Segment* s = port_.rx->front()) {
      // The last word wakes this node, the time after it does not.
      if (s->end() - s->period >= until) break;
      if (s->head) frame_.clear();
      frame_.insert(frame_.end(), s->words.begin(), s->words.end());
      if (s->tail) heard(until);
      port_.rx->pop();
    }
    while (!out_.empty() && out_.front().first < until) {
      port_.tx->send(std::move(out_.front()));
      out_.pop_front();
    }
  }
  Time next_event() const override { return out_.empty() ? fabric::kNever : out_.front().first; }

 private:
  static std::vector<std::uint64_t> reg_write(std::uint32_t r, std::uint64_t value) {
    return blocks::encode(blocks::RegWriteFrame{1, blocks::reg::role_base + r, value});
  }
  static std::vector<std::uint64_t> reg_read(std::uint32_t r) {
    return blocks::encode(blocks::RegReadFrame{1, blocks::reg::role_base + r});
  }
  /// One word a cycle, so that both kinds of shell take them at the same edges. The time after it.
  Time put(Time at, std::vector<std::uint64_t> words) {
    Segment s;
    s.first = at;
    s.words = std::move(words);
    const Time end = at + kCycle * static_cast<Time>(s.words.size() + 40);
    out_.push_back(std::move(s));
    return end;
  }
  void heard(Time now) {
    const blocks::HostFrame frame = blocks::decode(frame_);
    if (const auto* event = std::get_if<blocks::EventFrame>(&frame)) {
      if (!result_->events.empty() && !out_.empty()) {  // it had ended, and hears that a peer stopped
        result_->events.back() = *event;
        return;
      }
      result_->events.push_back(*event);
      const std::size_t round = result_->events.size();
      // Rounds begin at times that do not depend on how long frames to the host take.
      Time at = static_cast<Time>(event->finish) * kCycle + kPause;
      at = std::max((at / kPause + 1) * kPause, now);
      if (setup_.every != 0) at = kStart + setup_.every * static_cast<Time>(round) - kPause;
      if (round < starts_.size()) {
        put(at, reg_write(reg::clear, 1));
        put(at + kPause, reg_write(reg::start, starts_[round]));
      } else {
        for (unsigned i = 0; i < kTestMarks; ++i) {
          at = put(at, reg_read(reg::mark + i));
        }
        for (const unsigned word : setup_.status) at = put(at, reg_read(reg::status + word));
      }
    } else if (const auto* value = std::get_if<blocks::RegDataFrame>(&frame)) {
      (result_->marks.size() < kTestMarks ? result_->marks : result_->status).push_back(value->value);
    }
  }

  fabric::Port port_;
  const Scene& setup_;
  std::size_t node_;
  NodeResult* result_;
  std::vector<std::uint32_t> starts_;
  std::deque<Segment> out_;
  std::vector<std::uint64_t> frame_;
};

CollectiveParams params() {
  CollectiveParams p;
  p.channels = kSwapChannels;
  p.channel = {.bytes = kSwapBytes, .read_latency = 24, .write_latency = 8};
  p.program_size = 256;
  p.operators = {OperatorKind::reduce, OperatorKind::partition, OperatorKind::pass};
  p.operator_ports = kSwapPorts;
  p.partitions = 2;
  p.record_beats = kSwapRecord;
  return p;
}

}  // namespace

CollectiveParams checked_params() { return params(); }
CollectiveParams plain_params() {
  CollectiveParams p = params();
  p.block_check = false;
  p.command_cycles = 5;
  p.step_cycles = 7;
  p.partitions = 1;
  return p;
}

std::vector<std::pair<int, int>> mesh(int nodes) {
  std::vector<std::pair<int, int>> links;
  for (int a = 0; a < nodes; ++a) {
    for (int b = a + 1; b < nodes; ++b) links.emplace_back(a, b);
  }
  return links;
}

Outcome run(const Scene& setup, std::uint64_t rtl) {
  const auto count = static_cast<std::size_t>(setup.nodes);
  Outcome out;
  out.nodes.resize(count);
  out.wires.resize(2 * setup.links.size());
  fabric::Fabric fabric;
  for (std::size_t n = 0; n < count; ++n) fabric.add_node("fpga." + std::to_string(n));
  std::vector<NodeSite> sites(count);
  fabric::LinkSpec half = setup.link;
  half.latency /= 2;
  struct Pair {
    int id;
    fabric::Port a, b;
  };
  std::vector<Pair> taps, hosts;
  for (const auto& [a, b] : setup.links) {
    const int tap = fabric.add_node("tap");
    const auto [pa, ta] = fabric.connect(half, half, a, tap);
    const auto [tb, pb] = fabric.connect(half, half, tap, b);
    sites[static_cast<std::size_t>(a)].lanes.push_back({pa.tx, pa.rx});
    sites[static_cast<std::size_t>(b)].lanes.push_back({pb.tx, pb.rx});
    taps.push_back({tap, ta, tb});
  }
  const fabric::LinkSpec bus{.latency = 1'000'000, .period = kCycle};
  for (std::size_t n = 0; n < count; ++n) {
    const int host = fabric.add_node("host." + std::to_string(n));
    const auto [ph, pf] = fabric.connect(bus, bus, host, static_cast<int>(n));
    sites[n].host = {pf.tx, pf.rx};
    sites[n].lanes.resize(kSwapLanes);
    sites[n].name = fabric.node_name(static_cast<int>(n));
    hosts.push_back({host, ph, pf});
  }
  if (setup.partition) setup.partition(fabric);
  std::vector<CollectiveNode*> models(count);
  std::vector<blocks::VerilatedNode*> designs(count);
  for (std::size_t n = 0; n < count; ++n) {
    const int id = static_cast<int>(n);
    if (!fabric.owns(id)) continue;
    if ((rtl >> n & 1) != 0) {
      auto node = make_rtl_node(setup.params, sites[n]);
      designs[n] = node.get();
      for (unsigned c = 0; c < setup.memory[n].size(); ++c) node->memory(c).write(0, setup.memory[n][c]);
      fabric.set_node(id, std::move(node));
    } else {
      auto node = std::make_unique<CollectiveNode>(setup.params, sites[n]);
      models[n] = node.get();
      for (unsigned c = 0; c < setup.memory[n].size(); ++c) {
        std::copy(setup.memory[n][c].begin(), setup.memory[n][c].end(), node->channel(c));
      }
      fabric.set_node(id, std::move(node));
    }
  }
  for (std::size_t i = 0; i < taps.size(); ++i) {
    if (!fabric.owns(taps[i].id)) continue;
    fabric.set_node(taps[i].id, std::make_unique<Tap>(taps[i].a, taps[i].b, &out.wires[2 * i],
                                                      &out.wires[2 * i + 1], 2 * i, setup.tamper));
  }
  for (std::size_t n = 0; n < count; ++n) {
    if (!fabric.owns(hosts[n].id)) continue;
    fabric.set_node(hosts[n].id, std::make_unique<Host>(hosts[n].a, setup, n, &out.nodes[n]));
  }
  fabric::EngineOptions engine = setup.engine;
  engine.limit = std::min<Time>(engine.limit, 2'000'000'000);
  out.digest = fabric::run(fabric, engine).digest;
  for (std::size_t n = 0; n < count; ++n) {
    out.nodes[n].channels.assign(kSwapChannels, Bytes(kSwapBytes));
    for (unsigned c = 0; c < kSwapChannels; ++c) {
      if (designs[n] != nullptr) designs[n]->memory(c).read(0, out.nodes[n].channels[c]);
      if (models[n] != nullptr) {
        std::copy_n(models[n]->channel(c), kSwapBytes, out.nodes[n].channels[c].begin());
      }
    }
  }
  return out;
}

std::string difference(const Outcome& a, const Outcome& b, bool cycles) {
  const auto text = [](auto... parts) { return (... + (std::string(parts) + " ")); };
  const auto number = [](auto v) { return std::to_string(v); };
  for (std::size_t w = 0; w < a.wires.size(); ++w) {
    const std::string wire = "wire " + number(w);
    const auto &x = a.wires[w].words, &y = b.wires[w].words;
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
      const bool same = x[i].value == y[i].value && x[i].last == y[i].last && x[i].keep == y[i].keep;
      if (!same || (cycles && x[i].time != y[i].time)) {
        return text(wire, "word", number(i), "of", number(x.size()), same ? "at" : "differs, at",
                    number(x[i].time), "and", number(y[i].time), "values", number(x[i].value),
                    number(y[i].value));
      }
    }
    if (x.size() != y.size()) return text(wire, "has", number(x.size()), "and", number(y.size()), "words");
    const auto &p = a.wires[w].pulses, &q = b.wires[w].pulses;
    if (p.size() != q.size()) return text(wire, "has", number(p.size()), "and", number(q.size()), "pulses");
    for (std::size_t i = 0; cycles && i < p.size(); ++i) {
      if (p[i] != q[i]) return text(wire, "pulse", number(i), "at", number(p[i]), "and", number(q[i]));
    }
  }
  for (std::size_t n = 0; n < a.nodes.size(); ++n) {
    const std::string node = "node " + number(n);
    const NodeResult &x = a.nodes[n], &y = b.nodes[n];
    if (x.events.size() != y.events.size()) {
      return text(node, "has", number(x.events.size()), "and", number(y.events.size()), "events");
    }
    for (std::size_t i = 0; i < x.events.size(); ++i) {
      const blocks::EventFrame &e = x.events[i], &f = y.events[i];
      if (e.code != f.code || e.detail != f.detail || e.value != f.value) {
        return text(node, "event", number(i), "code", number(e.code), number(f.code), "detail",
                    number(e.detail), number(f.detail), "value", number(e.value), number(f.value));
      }
      if (cycles && (e.begin != f.begin || e.finish != f.finish)) {
        return text(node, "event", number(i), "begins", number(e.begin), number(f.begin), "finishes",
                    number(e.finish), number(f.finish));
      }
    }
    for (std::size_t i = 0; cycles && i < std::max(x.marks.size(), y.marks.size()); ++i) {
      if (x.marks.size() != y.marks.size() || x.marks[i] != y.marks[i]) {
        return text(node, "mark", number(i), "differs:", i < x.marks.size() ? number(x.marks[i]) : "none",
                    i < y.marks.size() ? number(y.marks[i]) : "none");
      }
    }
    for (std::size_t i = 0; i < std::max(x.status.size(), y.status.size()); ++i) {
      if (x.status.size() != y.status.size() || x.status[i] != y.status[i]) {
        return text(node, "status word number", number(i),
                    "differs:", i < x.status.size() ? number(x.status[i]) : "none",
                    i < y.status.size() ? number(y.status[i]) : "none");
      }
    }
    for (std::size_t c = 0; c < x.channels.size(); ++c) {
      const auto d = std::mismatch(x.channels[c].begin(), x.channels[c].end(), y.channels[c].begin());
      if (d.first != x.channels[c].end()) {
        return text(node, "channel", number(c), "differs from byte", number(d.first - x.channels[c].begin()));
      }
    }
  }
  return {};
}

}  // namespace polyloom::collective::swap
