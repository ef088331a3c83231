// SPDX-License-Identifier: Apache-2.0
// Numbers from one node's memory to its neighbour's, multiplied on the way by the operator of scale_by.cc.
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <vector>

#include "polyloom/hub.h"

namespace hub = polyloom::hub;

namespace {

constexpr auto kGpu = hub::Unit::accelerator0;
constexpr std::uint8_t kScaleBy = 16;  ///< the number under which scale_by.cc adds it
constexpr std::uint64_t kChain = 1 << 16, kFlag = 1 << 17,
                        kBytes = 1 << 18;  ///< places in memory, and its size

/// What node 1 has of `numbers` of node 0.
std::vector<std::uint32_t> scaled(hub::Session& session, const std::vector<std::uint32_t>& numbers,
                                  std::uint32_t factor) {
  hub::Node &a = session.node(0), &b = session.node(1);
  auto* from = reinterpret_cast<std::uint32_t*>(a.map(kGpu, kBytes).data());
  const auto* to = reinterpret_cast<const std::uint32_t*>(b.map(kGpu, kBytes).data());
  std::copy(numbers.begin(), numbers.end(), from);
  const auto bytes = static_cast<std::uint32_t>(numbers.size() * sizeof(std::uint32_t));
  const hub::LaneOutput lane{.base = b.address(kGpu), .capacity = kChain, .flag = b.address(kGpu, kFlag)};
  a.start_function(kScaleBy, factor, {&lane, 1});
  const hub::Copy feed{.source = a.address(kGpu), .bytes = bytes, .to_function = true};
  a.dma({&feed, 1}, kGpu, kChain);
  b.wait(kGpu, kFlag, bytes);
  a.check();
  return {to, to + numbers.size()};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: hub_operator CLUSTER.toml FACTOR\n";
    return 2;
  }
  try {
    ::setenv("POLYLOOM_CLUSTER", argv[1], 1);
    hub::Session session;
    std::vector<std::uint32_t> numbers(100);
    std::iota(numbers.begin(), numbers.end(), 1);
    for (const std::uint32_t n : scaled(session, numbers, static_cast<std::uint32_t>(std::stoul(argv[2])))) {
      std::cout << n << " ";
    }
    std::cout << "\n";
    session.finish();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "hub_operator: " << error.what() << "\n";
    return 1;
  }
}
