// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "fabric/tests/dummies.h"

namespace polyloom::fabric::testing {
namespace {

template <typename T, typename... Args>
Sketch::Make make(Args... args) {
  return [=](std::vector<Port> ports) { return std::make_unique<T>(std::move(ports), args...); };
}

Sketch ethernet(std::uint64_t seed) {
  Sketch s;
  const LinkSpec lossy{
      .latency = 500'000, .period = 6400, .bit_error_rate = 2e-5, .drop_rate = 0.05, .seed = seed};
  for (const char* pair : {"east", "west"}) {
    const int a = s.node(std::string(pair) + ".sender", make<EthernetSender>(60u, 20'000'000, seed));
    const int b = s.node(std::string(pair) + ".receiver", make<EthernetReceiver>());
    s.link(a, b, lossy);
  }
  return s;
}

Sketch stream(std::uint64_t seed) {
  Sketch s;
  const LinkSpec fast{.latency = 60'000, .period = 5000}, slow{.latency = 81'234, .period = 7000};
  const int source = s.node("source", make<StreamSource>(2000u, seed));
  const int relay1 = s.node("relay1", make<StreamRelay>(Clock(200'000'000)));
  const int relay2 = s.node("relay2", make<StreamRelay>(Clock(322'265'625)));
  const int sink = s.node("sink", make<StreamSink>());
  s.link(source, relay1, fast);
  s.link(relay1, relay2, slow);
  s.link(relay2, sink, fast);
  return s;
}

Sketch credited(std::uint64_t seed) {
  Sketch s;
  const LinkSpec pcie{.latency = 150'000, .period = 2000};
  for (int i = 0; i < 2; ++i) {
    const std::string name = "pair" + std::to_string(i);
    const int a = s.node(name + ".root", make<CreditedPeer>(300u, 90'000, seed + 1));
    const int b = s.node(name + ".end", make<CreditedPeer>(200u, 40'000, seed + 2));
    s.link(a, b, pcie);
  }
  return s;
}

Sketch udp(std::uint64_t seed) {
  Sketch s;
  constexpr int kHosts = 5;
  const int hub = s.node("switch", make<UdpSwitch>(4u, 800'000));
  for (int h = 0; h < kHosts; ++h) {
    Random random(seed + 100 * static_cast<std::uint64_t>(h));
    std::vector<UdpHost::Send> plan;
    for (int i = 0; i < 100; ++i) {
      plan.push_back({static_cast<Time>(random.below(100'000'000)), static_cast<int>(random.below(2)),
                      static_cast<unsigned>(8 + random.below(180))});
    }
    const int host = s.node("host" + std::to_string(h), make<UdpHost>(plan));
    s.link(host, hub, {.latency = 300'000, .period = 6400});
  }
  return s;
}

Sketch bulk(std::uint64_t seed) {
  Sketch s;  // frames of many windows, as a DMA sends them
  Random random(seed);
  for (int h = 0; h < 3; ++h) {
    std::vector<UdpHost::Send> plan;
    for (int i = 0; i < 10; ++i) {
      plan.push_back(
          {static_cast<Time>(random.below(100'000'000)), 0, static_cast<unsigned>(500 + random.below(6000))});
    }
    s.node("host" + std::to_string(h), make<UdpHost>(plan));
  }
  for (int h = 0; h < 3; ++h) s.link(h, (h + 1) % 3, {.latency = 300'000, .period = 1600});
  return s;
}

Sketch process(std::uint64_t) {
  Sketch s;
  const int child = s.node("process", make<ProcessNode>(), {.weight = 0.1, .on_rank_zero = true});
  const LinkSpec link{.latency = 200'000, .period = 8000};
  for (int i = 0; i < 3; ++i) {
    s.link(s.node("client" + std::to_string(i), make<ProcessClient>(40u + 3 * static_cast<unsigned>(i))),
           child, link);
  }
  return s;
}

Sketch random_topology(std::uint64_t seed) {
  Sketch s;
  Random random(seed * 1000);
  const auto nodes = 3 + random.below(10);
  constexpr std::uint64_t kClocks[] = {250'000'000, 156'250'000, 333'333'333};
  for (std::uint64_t n = 0; n < nodes; ++n) {
    s.node("n" + std::to_string(n),
           make<Gossip>(random.next(), Clock(kClocks[random.below(3)]), 1 + random.below(8)),
           {.weight = 1.0 + static_cast<double>(random.below(4)), .on_rank_zero = n == 0});
  }
  const auto spec = [&] {
    LinkSpec l{.latency = static_cast<Time>(100'000 + random.below(900'000)),
               .period = static_cast<Time>(1000 + random.below(9000))};
    if (random.below(3) == 0) l.bit_error_rate = 1e-4, l.drop_rate = 0.02, l.seed = random.next();
    return l;
  };
  for (std::uint64_t n = 1; n < nodes; ++n)
    s.link(static_cast<int>(n), static_cast<int>(random.below(n)), spec(), spec());
  for (std::uint64_t extra = random.below(2 * nodes); extra != 0; --extra) {  // loops and parallel links too
    s.link(static_cast<int>(random.below(nodes)), static_cast<int>(random.below(nodes)), spec(), spec());
  }
  return s;
}

}  // namespace

const std::vector<std::string>& scenario_names() {
  static const std::vector<std::string> names{"ethernet", "stream",  "credited", "udp",
                                              "bulk",     "process", "random"};
  return names;
}

Sketch scenario(const std::string& name, std::uint64_t seed) {
  if (name == "ethernet") return ethernet(seed);
  if (name == "stream") return stream(seed);
  if (name == "credited") return credited(seed);
  if (name == "udp") return udp(seed);
  if (name == "bulk") return bulk(seed);
  if (name == "process") return process(seed);
  if (name == "random") return random_topology(seed);
  throw std::invalid_argument("no scenario is called " + name);
}

}  // namespace polyloom::fabric::testing
