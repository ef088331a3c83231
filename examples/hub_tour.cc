// SPDX-License-Identifier: Apache-2.0
// A tour of hubs in C++: one memory window over all accelerators. Usage: hub_tour [CLUSTER], default
// peach2-2. docs/guides/hub.md explains the calls.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <numeric>
#include <span>

#include "polyloom/hub.h"

using namespace polyloom;
using hub::Unit;

namespace {

constexpr Unit kGpu = Unit::accelerator0;
constexpr std::size_t kBytes = 1 << 20;
// Where things lie in both memories.
constexpr std::uint64_t kFlag = 0, kChain = 4096, kData = 65536;

std::span<std::int32_t> numbers(hub::Node& node, std::size_t count) {
  return {reinterpret_cast<std::int32_t*>(node.memory(kGpu).data() + kData), count};
}

void report(const char* what, hub::Time from, hub::Time to) {
  std::cout << what << ": simulated " << 1e-6 * static_cast<double>(to - from) << " us\n";
}

/// A write and its flag: what one node sends to one other arrives in order.
void write_remote(hub::Session& session, hub::Node& a, hub::Node& b) {
  std::iota(numbers(a, 1000).begin(), numbers(a, 1000).end(), 1);
  const hub::Time begin = session.now();
  a.put(kGpu, kData, b.address(kGpu, kData), 4000);
  a.store64(b.address(kGpu, kFlag), 1);
  report("4000 bytes written to the neighbour", begin, b.wait(kGpu, kFlag, 1).time);
  const auto landed = numbers(b, 1000);
  std::cout << "their sum there: " << std::accumulate(landed.begin(), landed.end(), 0) << "\n";
}

/// The hub's DMA copies a column of a matrix, block by block, and writes a flag behind it.
void copy_column(hub::Session& session, hub::Node& a, hub::Node& b) {
  constexpr std::uint32_t kRows = 64, kRowBytes = 256;
  std::iota(numbers(a, kRows * 64).begin(), numbers(a, kRows * 64).end(), 0);
  const hub::Copy column{.source = a.address(kGpu, kData + 12),
                         .destination = b.address(kGpu, kData),
                         .bytes = 4,
                         .blocks = kRows,
                         .source_stride = kRowBytes,
                         .destination_stride = 4,
                         .flag = hub::Flag{b.address(kGpu, kFlag), 2}};
  const hub::Time begin = session.now();
  a.dma({&column, 1}, kGpu, kChain);
  report("a column of 64 elements, by DMA", begin, b.wait(kGpu, kFlag, 2).time);
  const auto landed = numbers(b, kRows);
  std::cout << "its sum there: " << std::accumulate(landed.begin(), landed.end(), 0) << "\n";
}

/// Nothing is read across the ring: the hub of the source is asked to write it back.
void read_remote(hub::Session& session, hub::Node& a, hub::Node& b) {
  numbers(b, 1)[0] = 42;
  const hub::Time begin = session.now();
  a.get({.source = b.address(kGpu, kData),
         .destination = a.address(kGpu, kData),
         .bytes = 4,
         .flag = hub::Flag{a.address(kGpu, kFlag), 3}});
  report("a word read from the neighbour", begin, a.wait(kGpu, kFlag, 3).time);
  std::cout << "it is " << numbers(a, 1)[0] << "\n";
}

/// A write to a node that is not there: dropped, and its hub says so.
void write_nowhere(hub::Session& session, hub::Node& a) {
  a.store64(hub::address(hub::kMaxNodes - 1, kGpu), 1);
  session.pass(10'000'000);  // ps
  std::cout << "node 0 reports: " << a.faults().text() << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  try {
    ::setenv("POLYLOOM_CLUSTER", argc > 1 ? argv[1] : "peach2-2", 1);
    hub::Session session;
    hub::Node &a = session.node(0), &b = session.node(1);
    a.map(kGpu, kBytes);
    b.map(kGpu, kBytes);
    write_remote(session, a, b);
    copy_column(session, a, b);
    read_remote(session, a, b);
    write_nowhere(session, a);
    session.finish();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "hub_tour: " << error.what() << "\n";
    return 1;
  }
}
