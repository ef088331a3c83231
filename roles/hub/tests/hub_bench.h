// SPDX-License-Identifier: Apache-2.0
// For tests: rings of hubs with an endpoint each, no processes. A script says what each endpoint's client
// does at what time.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fabric/engine.h"
#include "fabric/fabric.h"
#include "roles/hub/host/runtime/routes.h"
#include "roles/hub/sim/endpoint.h"
#include "roles/hub/sim/node.h"

namespace polyloom::hub::test {

inline constexpr Time kNs = 1000, kUs = 1000 * kNs;
inline constexpr Unit kMemory = Unit::accelerator0;

/// Memory of one node, as a client has it.
class TestMemory {
 public:
  explicit TestMemory(std::uint64_t bytes) : bytes_(bytes) {
    file_ = ::memfd_create("hub-test", 0);
    EXPECT_EQ(::ftruncate(file_, static_cast<off_t>(bytes)), 0);
    data_ = static_cast<std::uint8_t*>(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0));
  }
  ~TestMemory() {
    ::munmap(data_, bytes_);
    ::close(file_);
  }
  TestMemory(const TestMemory&) = delete;
  TestMemory& operator=(const TestMemory&) = delete;
  std::span<std::uint8_t> bytes() const { return {data_, bytes_}; }
  std::vector<std::uint64_t> map_command(Unit unit) const {
    return {static_cast<std::uint64_t>(Command::map) | static_cast<std::uint64_t>(unit) << 8,
            static_cast<std::uint64_t>(::getpid()), static_cast<std::uint64_t>(file_), 0, bytes_};
  }

 private:
  std::uint64_t bytes_;
  int file_ = -1;
  std::uint8_t* data_ = nullptr;
};

/// An endpoint whose client is a script.
class ScriptHost final : public fabric::Node {
 public:
  ScriptHost(const EndpointParams& params, blocks::WireEnds wire)
      : endpoint("endpoint." + std::to_string(params.node), params, wire) {}

  void advance(Time until) override {
    for (;;) {
      const Time call = script.empty() ? fabric::kNever : script.begin()->first;
      endpoint.advance(std::min(call, until));
      if (call >= until) break;
      const auto words = std::move(script.begin()->second);
      script.erase(script.begin());
      endpoint.command(call, words);
    }
    endpoint.flush(until);
    for (; !endpoint.responses().empty() && endpoint.responses().front().time < until;
         endpoint.responses().pop_front()) {
      heard.push_back(endpoint.responses().front());
    }
  }
  Time next_event() const override {
    Time next = std::min(endpoint.next_event(), endpoint.next_departure());
    if (!script.empty()) next = std::min(next, script.begin()->first);
    if (!endpoint.responses().empty()) next = std::min(next, endpoint.responses().front().time);
    return next;
  }
  std::string waiting_for() const override { return endpoint.waiting_for(); }
  void counters(const fabric::CounterSink& sink) const override { endpoint.counters(sink); }
  void digest(fabric::Digest& digest) const override { endpoint.digest(digest); }

  Endpoint endpoint;
  std::multimap<Time, std::vector<std::uint64_t>> script;
  std::vector<Endpoint::Response> heard;
};

/// One direction of a link: what was in its middle, when.
struct Wire {
  struct Word {
    Time time;
    std::uint64_t value;
    bool last;
    unsigned keep;
    bool operator==(const Word&) const = default;
  };
  std::string name;
  std::vector<Word> words;
  std::vector<Time> pulses;
};

/// Sits in the middle of a link.
class Tap final : public fabric::Node {
 public:
  Tap(fabric::Port a, fabric::Port b, Wire* from_a, Wire* from_b)
      : ways_{{a.rx, b.tx, from_a}, {b.rx, a.tx, from_b}} {}
  void advance(Time until) override {
    for (const Way& w : ways_) {
      while (w.rx->front() != nullptr && w.rx->front()->first < until) {
        fabric::Segment s = w.rx->take();
        if (s.words.empty()) w.wire->pulses.push_back(s.first);
        for (std::size_t i = 0; i < s.words.size(); ++i) {
          const bool last = s.tail && i + 1 == s.words.size();
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
  };
  Way ways_[2];
};

struct BenchOptions {
  HubParams params{};
  unsigned size = 2, rings = 1;
  std::uint64_t memory = 1 << 20;  ///< bytes of each node
  fabric::LinkSpec ring{.latency = 250 * kNs, .period = 2 * kNs};
  fabric::LinkSpec across{.latency = 250 * kNs, .period = 1 * kNs};
  fabric::LinkSpec north{.latency = 350 * kNs, .period = 2 * kNs};
  bool routes = true;
  bool taps = false;  ///< note what passes on every link
  /// Makes the hub of a node; null: the fast model.
  std::function<std::unique_ptr<fabric::Node>(const HubParams&, const HubSite&)> make = {};
};

inline HubParams bench_params() {
  HubParams p;
  p.kinds = {blocks::operators::Kind::pass};
  p.lanes = 4;
  p.store_latency = 300 * kNs;
  p.write_latency = 300 * kNs;
  p.read_latency = 300 * kNs;
  p.poll_latency = 100 * kNs;
  p.memory_bits = 20;
  return p;
}

class Bench {
 public:
  explicit Bench(const BenchOptions& o) : o_(o), nodes_(o.size * o.rings) {
    std::vector<HubSite> sites(nodes_);
    std::vector<fabric::Port> ends;
    for (unsigned n = 0; n < nodes_; ++n) {
      sites[n].name = "fpga." + std::to_string(n);
      sites[n].node = n;
      fabric_.add_node(sites[n].name);
    }
    for (unsigned n = 0; n < nodes_; ++n) fabric_.add_node("host." + std::to_string(n));
    const auto join = [&](unsigned a, Port pa, unsigned b, Port pb, const fabric::LinkSpec& spec) {
      const auto [x, y] = connect(spec, static_cast<int>(a), static_cast<int>(b));
      sites[a].links[static_cast<std::size_t>(pa)] = {x.tx, x.rx};
      sites[b].links[static_cast<std::size_t>(pb)] = {y.tx, y.rx};
    };
    for (unsigned r = 0; r < o.rings; ++r) {
      for (unsigned i = 0; i < o.size && o.size > 1; ++i) {
        join(r * o.size + i, Port::east, r * o.size + (i + 1) % o.size, Port::west, o.ring);
      }
    }
    for (unsigned i = 0; i < o.size && o.rings == 2; ++i)
      join(i, Port::south, o.size + i, Port::south, o.across);
    for (unsigned n = 0; n < nodes_; ++n) {
      const auto [x, y] = connect(o.north, static_cast<int>(n), static_cast<int>(nodes_ + n));
      sites[n].links[static_cast<std::size_t>(Port::north)] = {x.tx, x.rx};
      ends.push_back(y);
    }
    for (unsigned n = 0; n < nodes_; ++n) make_node(sites[n], ends[n]);
  }

  fabric::Fabric& fabric() { return fabric_; }
  const std::deque<Wire>& wires() const { return wires_; }
  unsigned nodes() const { return nodes_; }
  HubNode& hub(unsigned n) { return *hubs_[n]; }
  ScriptHost& host(unsigned n) { return *hosts_[n]; }
  std::span<std::uint8_t> memory(unsigned n) { return memories_[n]->bytes(); }
  std::uint64_t word(unsigned n, std::uint64_t offset) {
    std::uint64_t value;
    std::memcpy(&value, memory(n).data() + offset, 8);
    return value;
  }
  const BenchOptions& options() const { return o_; }

  // The script.
  void at(Time t, unsigned n, std::vector<std::uint64_t> words) {
    host(n).script.emplace(t, std::move(words));
  }
  void put(Time t, unsigned n, std::uint64_t offset, std::uint64_t to, std::uint64_t bytes) {
    at(t, n,
       {static_cast<std::uint64_t>(Command::put) | static_cast<std::uint64_t>(kMemory) << 8, offset, to,
        bytes});
  }
  void store(Time t, unsigned n, std::uint64_t to, const void* data, std::size_t bytes) {
    std::vector<std::uint64_t> words(2 + (bytes + 7) / 8);
    words[0] = static_cast<std::uint64_t>(Command::store) | std::uint64_t{bytes} << 32;
    words[1] = to;
    std::memcpy(words.data() + 2, data, bytes);
    at(t, n, std::move(words));
  }
  void store64(Time t, unsigned n, std::uint64_t to, std::uint64_t value) { store(t, n, to, &value, 8); }
  void load(Time t, unsigned n, std::uint32_t offset) {
    at(t, n, {static_cast<std::uint64_t>(Command::load), address(n, Unit::hub, offset)});
  }
  void wait(Time t, unsigned n, std::uint64_t offset, std::uint64_t value) {
    at(t, n,
       {static_cast<std::uint64_t>(Command::wait) | static_cast<std::uint64_t>(kMemory) << 8, offset, ~0ull,
        value, static_cast<std::uint64_t>(fabric::kNever)});
  }
  fabric::RunResult run(Time limit = fabric::kNever, fabric::EngineOptions engine = {}) {
    engine.limit = limit;
    return fabric::run(fabric_, engine);
  }

 private:
  std::pair<fabric::Port, fabric::Port> connect(fabric::LinkSpec spec, int a, int b) {
    if (!o_.taps) return fabric_.connect(spec, spec, a, b);
    const std::string names = fabric_.node_name(a) + " - " + fabric_.node_name(b);
    const int tap = fabric_.add_node("tap." + std::to_string(wires_.size()));
    spec.latency /= 2;
    const auto [x, in] = fabric_.connect(spec, spec, a, tap);
    const auto [out, y] = fabric_.connect(spec, spec, tap, b);
    wires_.push_back({names, {}, {}});
    wires_.push_back({names + " back", {}, {}});
    fabric_.set_node(tap, std::make_unique<Tap>(in, out, &wires_[wires_.size() - 2], &wires_.back()));
    return {x, y};
  }
  void make_node(const HubSite& site, fabric::Port end) {
    const unsigned n = site.node;
    const HubParams& p = o_.params;
    std::unique_ptr<fabric::Node> node;
    if (o_.make) node = o_.make(p, site);
    if (!node) node = std::make_unique<HubNode>(p, site);
    hubs_.push_back(dynamic_cast<HubNode*>(node.get()));
    fabric_.set_node(static_cast<int>(n), std::move(node));
    const EndpointParams e{.node = n,
                           .max_payload = p.max_payload,
                           .slots = p.slots,
                           .store_latency = p.store_latency,
                           .write_latency = p.write_latency,
                           .read_latency = p.read_latency,
                           .poll_latency = p.poll_latency};
    auto host = std::make_unique<ScriptHost>(e, blocks::WireEnds{end.tx, end.rx});
    hosts_.push_back(host.get());
    fabric_.set_node(static_cast<int>(nodes_ + n), std::move(host));
    memories_.push_back(std::make_unique<TestMemory>(o_.memory));
    at(0, n, memories_.back()->map_command(kMemory));
    if (!o_.routes || o_.size < 2) return;
    const RouteTable table = ring_routes(n, o_.size, o_.rings);
    for (const Port port : {Port::east, Port::south, Port::west}) {
      const auto i = static_cast<unsigned>(port);
      for (unsigned r = 0; r < 2; ++r) {
        store64(1 * kNs, n, address(n, Unit::hub, reg::rules + 16 * i + 8 * r), table.rules[i][r]);
      }
    }
  }

  BenchOptions o_;
  unsigned nodes_;
  fabric::Fabric fabric_;
  std::deque<Wire> wires_;
  std::vector<HubNode*> hubs_;  ///< null where it is another model
  std::vector<ScriptHost*> hosts_;
  std::vector<std::unique_ptr<TestMemory>> memories_;
};

/// Routes are set, nothing moves.
inline constexpr Time kReady = 10 * kUs;

inline BenchOptions ring(unsigned size, unsigned rings = 1) {
  BenchOptions o;
  o.params = bench_params();
  o.size = size;
  o.rings = rings;
  return o;
}

}  // namespace polyloom::hub::test
