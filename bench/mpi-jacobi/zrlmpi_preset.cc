// SPDX-License-Identifier: Apache-2.0
// bench_zrlmpi_preset: time of an iteration of the paper's Jacobi (Listing 5) by its own protocol, in our
// network.
//
//   bench_zrlmpi_preset --dim 1024 --ranks 8 [--iterations 5] [--tree] [--cpu-packet-ns 1000] [--point-cycles
//   2]
//
// Prints one JSON object. Rank 0 is a CPU, the others FPGAs at 156.25 MHz, all on one store-and-forward
// switch; links and switch as in clusters/zrlmpi-4.toml.
#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "bench/mpi-jacobi/zrlmpi_address.h"
#include "bench/mpi-jacobi/zrlmpi_node.h"
#include "blocks/switch/sim/ethernet_switch.h"
#include "fabric/fabric.h"
#include "fabric/guarded.h"
#include "fabric/json_text.h"

namespace {

using namespace polyloom;
using bench::Step;
using Kind = bench::Step::Kind;
using fabric::Time;

constexpr Time kCycle = 6400;                // ps at 156.25 MHz
constexpr Time kLinkLatency = 500'000;       // ps
constexpr Time kForwardLatency = 1'000'000;  // ps
constexpr Time kWordPeriod = 6400;           // 64 bits at 10 Gb/s
constexpr int kGroup = 4;                    // ranks of a tree's group (the public code's constant)

struct Problem {
  std::uint64_t dim = 1024;
  int ranks = 8, iterations = 5;
  bool tree = false;
  Time cpu_packet = 1'000'000;
  std::uint64_t point_cycles = 2;

  std::uint64_t chunk() const { return dim * dim / static_cast<std::uint64_t>(ranks); }
};

/// The FPGA that hands rank r its chunk in the tree form: the first of its group of four; r itself if it is
/// that.
int replicator(int r) { return 1 + (r - 1) / kGroup * kGroup; }

std::vector<int> members(const Problem& p, int head) {
  std::vector<int> all;
  for (int r = head + 1; r < p.ranks && r < head + kGroup; ++r) all.push_back(r);
  return all;
}

/// Scatter or gather as one rank executes it.
void distribute(const Problem& p, int rank, Kind down, std::vector<Step>& script) {
  const Kind up = down == Kind::send ? Kind::receive : Kind::send;
  const bool tree = p.tree && p.ranks > 2;
  if (rank == 0) {
    for (int r = 1; r < p.ranks; r += tree ? kGroup : 1) {
      const std::uint64_t chunks = tree ? members(p, r).size() + 1 : 1;
      add_message(script, down, r, chunks * p.chunk());
    }
    return;
  }
  const int head = tree ? replicator(rank) : rank;
  const auto with_root = [&](std::uint64_t chunks) { add_message(script, up, 0, chunks * p.chunk()); };
  if (rank != head) {
    add_message(script, up, head, p.chunk());
    return;
  }
  const std::vector<int> group = tree ? members(p, rank) : std::vector<int>{};
  if (down == Kind::send) with_root(group.size() + 1);
  for (const int r : group) add_message(script, down, r, p.chunk());
  if (down == Kind::receive) with_root(group.size() + 1);
}

std::vector<Step> script_of(const Problem& p, int rank) {
  std::vector<Step> script;
  for (int i = 0; i < p.iterations; ++i) {
    distribute(p, rank, Kind::send, script);
    for (int r = 1; r < p.ranks; ++r) {
      if (rank != 0 && rank != r) continue;
      for (int row = 0; row < 2; ++row) {
        add_message(script, rank == 0 ? Kind::send : Kind::receive, rank == 0 ? r : 0, p.dim);
      }
    }
    if (rank != 0) {
      script.push_back({Kind::compute, 0, 0, static_cast<Time>(p.chunk() * p.point_cycles) * kCycle});
    }
    distribute(p, rank, Kind::receive, script);
  }
  return script;
}

nlohmann::ordered_json simulate(const Problem& p) {
  fabric::Fabric fabric;
  const int hub = fabric.add_node("switch");
  std::vector<blocks::WireEnds> hub_ends;
  std::vector<bench::ZrlmpiNode*> ranks;
  blocks::EthernetSwitch::MacTable table;
  const fabric::LinkSpec link{.latency = kLinkLatency, .period = kWordPeriod};
  // A CPU's calls are its cost; an FPGA needs some cycles for a header and one for each word.
  const bench::ZrlmpiCosts cpu{p.cpu_packet, p.cpu_packet, 0}, fpga{8 * kCycle, 8 * kCycle, kCycle};
  for (int r = 0; r < p.ranks; ++r) {
    const int id = fabric.add_node("rank." + std::to_string(r));
    const auto [own, far] = fabric.connect(link, link, id, hub);
    auto node = std::make_unique<bench::ZrlmpiNode>(r, script_of(p, r), r == 0 ? cpu : fpga,
                                                    blocks::WireEnds{own.tx, own.rx});
    ranks.push_back(node.get());
    fabric.set_node(id, std::move(node));
    hub_ends.push_back({far.tx, far.rx});
    table[bench::zrlmpi_address(r)] = static_cast<unsigned>(r);
  }
  const blocks::SwitchParams params{
      .forward_latency = kForwardLatency, .queue_bytes = 1 << 20, .check_frames = false};
  fabric.set_node(hub, std::make_unique<blocks::EthernetSwitch>("switch", hub_ends, table, params));
  const fabric::RunResult result = fabric::run(fabric, {});
  std::uint64_t packets = 0;
  for (const auto* rank : ranks) {
    if (!rank->finished()) throw std::runtime_error("the preset's ranks wait for each other");
    packets += rank->packets();
  }
  return {{"dim", p.dim},
          {"ranks", p.ranks},
          {"tree", p.tree},
          {"cpu_packet_ns", p.cpu_packet / 1000},
          {"point_cycles", p.point_cycles},
          {"iterations", p.iterations},
          {"packets", packets},
          {"ms_per_iteration", static_cast<double>(ranks[0]->finished_at()) / p.iterations / 1e9},
          {"end_ps", result.end}};
}

}  // namespace

int main(int argc, char** argv) {
  Problem p;
  std::uint64_t cpu_ns = 1000;
  CLI::App app("Jacobi by the published four-packet protocol, timing only.", "bench_zrlmpi_preset");
  app.add_option("--dim", p.dim, "rows and columns")->check(CLI::Range(2, 65536));
  app.add_option("--ranks", p.ranks)->check(CLI::Range(2, 64));
  app.add_option("--iterations", p.iterations)->check(CLI::Range(1, 1000));
  app.add_flag("--tree", p.tree, "scatter and gather through replicators of four ranks");
  app.add_option("--cpu-packet-ns", cpu_ns, "what a CPU spends on a packet")
      ->check(CLI::Range(0, 10'000'000));
  app.add_option("--point-cycles", p.point_cycles, "of an FPGA")->check(CLI::Range(0, 1000));
  CLI11_PARSE(app, argc, argv);
  p.cpu_packet = static_cast<Time>(cpu_ns) * 1000;
  return polyloom::guarded([&] {
    std::cout << polyloom::json_text(simulate(p)) << std::endl;
    return 0;
  });
}
