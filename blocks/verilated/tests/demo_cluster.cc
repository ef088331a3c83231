// SPDX-License-Identifier: Apache-2.0
#include "blocks/verilated/tests/demo_cluster.h"

#include <algorithm>
#include <random>

namespace polyloom::blocks::testing {

using fabric::Fabric;
using fabric::kNever;
using fabric::LinkSpec;
using fabric::Port;
using fabric::Segment;
using fabric::Time;

void Probe::send(std::size_t port, Time at, std::vector<std::uint64_t> frame, unsigned keep) {
  Segment segment;
  segment.first = at;
  segment.keep = static_cast<std::uint8_t>(keep);
  segment.words = std::move(frame);
  out_[port].push_back(std::move(segment));
}

void Probe::advance(Time until) {
  now_ = until;
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    const Port& port = ports_[p];
    for (const Segment* s; (s = port.rx->front()) != nullptr && s->first < until; port.rx->pop()) {
      if (s->head && s->tail && s->words.empty()) pulses[p].push_back(s->first);
      std::size_t& i = position_[p];
      for (; i < s->words.size() && s->word_time(i) < until; ++i) {
        const bool last = s->tail && i + 1 == s->words.size();
        words[p].push_back({s->word_time(i), s->words[i], last, last ? s->keep : 8u});
      }
      if (i < s->words.size()) break;
      i = 0;
    }
    for (; !out_[p].empty(); out_[p].pop_front()) {
      Segment& s = out_[p].front();
      s.first = std::max(s.first, port.tx->free_at());
      if (s.first >= until) break;
      port.tx->send(s);
    }
  }
}

Time Probe::next_event() const {
  Time next = stay_ > now_ ? stay_ : kNever;
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    if (!out_[p].empty()) next = std::min(next, std::max(out_[p].front().first, ports_[p].tx->free_at()));
  }
  return next;
}

void Probe::digest(fabric::Digest& digest) const {
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    for (const Word& w : words[p]) {
      digest.add(static_cast<std::uint64_t>(w.time));
      digest.add(w.value);
      digest.add(w.last ? w.keep : 0);
    }
    for (const Time t : pulses[p]) digest.add(static_cast<std::uint64_t>(t));
  }
}

RtlShape wide_shape() {
  return {"demo_node", {kDemoFiles}, {{"Lanes", "2"}, {"LaneWidth", "256"}, {"Shift", "1"}}, false};
}

RtlShape narrow_shape() {
  return {"demo_node",
          {kDemoFiles},
          {{"Lanes", "3"}, {"LaneWidth", "64"}, {"Channels", "2"}, {"MemWidth", "64"}},
          false};
}

namespace {

std::vector<std::unique_ptr<AxiMemory>> memories_of(const RtlShape& shape) {
  const auto number = [&](const char* key, unsigned otherwise) {
    const auto it = shape.parameters.find(key);
    return it == shape.parameters.end() ? otherwise : static_cast<unsigned>(std::stoul(it->second));
  };
  std::vector<std::unique_ptr<AxiMemory>> memories;
  for (unsigned c = 0; c < number("Channels", 1); ++c) {
    memories.push_back(make_fixed_memory({.bytes = 1 << 16, .beat_bytes = number("MemWidth", 256) / 8}));
  }
  return memories;
}

WireEnds ends(const Port& port) { return {port.tx, port.rx}; }

VerilatedParams params_of(std::string name, const RtlShape& shape, std::uint64_t clock_hz,
                          const std::vector<Port>& lanes, const Port& host) {
  VerilatedParams params;
  params.name = std::move(name);
  params.shape = shape;
  params.clock_hz = clock_hz;
  for (const Port& lane : lanes) params.lanes.push_back(ends(lane));
  params.host = ends(host);
  return params;
}

}  // namespace

Bench::Bench(const RtlShape& shape, const LinkSpec& link, std::uint64_t clock_hz,
             const fabric::WaveRequest* wave)
    : lanes(static_cast<unsigned>(std::stoul(shape.parameters.at("Lanes")))) {
  fabric.add_node("probe");
  fabric.add_node("dut");
  std::vector<Port> mine, theirs;
  for (unsigned l = 0; l <= lanes; ++l) {
    const auto [a, b] = fabric.connect(link, link, 0, 1);
    mine.push_back(a), theirs.push_back(b);
  }
  const Port host = theirs.back();
  theirs.pop_back();
  auto owned = std::make_unique<Probe>(mine);
  probe = owned.get();
  fabric.set_node(0, std::move(owned));
  VerilatedParams params = params_of("dut", shape, clock_hz, theirs, host);
  params.wave = wave;
  fabric.set_node(1, std::make_unique<VerilatedNode>(std::move(params), memories_of(shape)));
}

void build_cluster(Fabric& fabric, std::uint64_t seed, bool skip_idle,
                   const std::function<void(Fabric&)>& partition) {
  const LinkSpec wire{.latency = 150'000, .period = 4100}, pcie{.latency = 400'000, .period = 1600};
  const int west = fabric.add_node("west"), east = fabric.add_node("east");
  const int a = fabric.add_node("a"), b = fabric.add_node("b"), c = fabric.add_node("c");
  const auto [west_a, a0] = fabric.connect(wire, wire, west, a);
  const auto [a1, b0] = fabric.connect(wire, wire, a, b);
  const auto [b1, c0] = fabric.connect(wire, wire, b, c);
  const auto [c1, east_c] = fabric.connect(wire, wire, c, east);
  const auto [c0_back, east_back] = fabric.connect(wire, wire, c, east);
  std::vector<Port> hosts;
  std::vector<Port> west_ports{west_a};
  for (const int node : {a, b, c}) {
    const auto [root, end] = fabric.connect(pcie, pcie, west, node);
    west_ports.push_back(root);
    hosts.push_back(end);
  }
  if (partition) partition(fabric);

  const auto rtl = [&](int id, const RtlShape& shape, std::uint64_t hz, const std::vector<Port>& lanes,
                       const Port& host) {
    if (!fabric.owns(id)) return;
    VerilatedParams params = params_of(fabric.node_name(id), shape, hz, lanes, host);
    params.skip_idle = skip_idle;
    fabric.set_node(id, std::make_unique<VerilatedNode>(std::move(params), memories_of(shape)));
  };
  rtl(a, wide_shape(), 250'000'000, {a0, a1}, hosts[0]);
  rtl(b, wide_shape(), 300'000'000, {b0, b1}, hosts[1]);
  rtl(c, narrow_shape(), 322'265'625, {c0, c1, c0_back}, hosts[2]);

  std::mt19937_64 random(seed);
  const auto traffic = [&](std::vector<Port> ports, std::vector<std::size_t> lanes) {
    auto probe = std::make_unique<Probe>(std::move(ports));
    for (const std::size_t lane : lanes) {
      Time at = 0;
      for (int i = 0; i < 40; ++i) {
        at += static_cast<Time>(random() % 1'500'000);
        std::vector<std::uint64_t> frame(random() % 4 == 0 ? 0 : 1 + random() % 30);
        for (auto& word : frame) word = random();
        probe->send(lane, at, frame, 1 + static_cast<unsigned>(random() % 8));
      }
    }
    probe->stay_until(kClusterEnd);
    return probe;
  };
  auto first = traffic(west_ports, {0});
  for (std::size_t host = 1; host <= 3; ++host) {
    Time at = 0;
    for (int i = 0; i < 12; ++i) {
      at += static_cast<Time>(random() % 4'000'000);
      if (random() % 2 == 0) {
        first->send(host, at, {3, random(), random()});
      } else {
        first->send(host, at, {2, (random() % 32) << 56 | (random() % 64) * 32, (random() % 64) * 32 + 4096});
      }
    }
  }
  auto second = traffic({east_c, east_back}, {0, 1});
  if (fabric.owns(west)) fabric.set_node(west, std::move(first));
  if (fabric.owns(east)) fabric.set_node(east, std::move(second));
}

}  // namespace polyloom::blocks::testing
