// SPDX-License-Identifier: Apache-2.0
#include "roles/mpi/sim/zrlmpi.h"

#include <algorithm>
#include <charconv>

#include "fabric/cluster/build.h"
#include "fabric/cluster/topology.h"
#include "fabric/error.h"

namespace polyloom::mpi {
namespace {

using namespace fabric;

constexpr const char* kAllowed = "a rank, a range \"1 - 32\", or an array of both, ranks from 0 to 4094";

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

int rank_of(std::string_view text, const Table& nodes, const std::string& key) {
  text = trimmed(text);
  int rank = -1;
  const auto r = std::from_chars(text.data(), text.data() + text.size(), rank);
  if (r.ec != std::errc() || r.ptr != text.data() + text.size() || rank < 0 || rank >= kMaxNodes - 1) {
    nodes.fail(key, "\"" + std::string(text) + "\" is not a rank", kAllowed);
  }
  return rank;
}

void add_ranks(const Value& value, const Table& nodes, const std::string& key, std::vector<int>& ranks) {
  switch (value.kind) {
    case Value::Kind::integer:
      ranks.push_back(rank_of(std::to_string(value.integer), nodes, key));
      return;
    case Value::Kind::string: {
      const std::string_view text = value.string;
      const std::size_t dash = text.find('-');
      const int first = rank_of(text.substr(0, dash), nodes, key);
      const int last = dash == std::string_view::npos ? first : rank_of(text.substr(dash + 1), nodes, key);
      if (last < first) nodes.fail(key, "the range ends before it begins", kAllowed);
      for (int rank = first; rank <= last; ++rank) ranks.push_back(rank);
      if (ranks.size() > static_cast<std::size_t>(kMaxNodes)) nodes.fail(key, "too many ranks", kAllowed);
      return;
    }
    case Value::Kind::array:
      for (const Value& item : value.items) {
        if (item.kind == Value::Kind::array) nodes.fail(key, "an array in an array", kAllowed);
        add_ranks(item, nodes, key, ranks);
      }
      return;
    default:
      nodes.fail(key, std::string("this holds ") + kind_name(value.kind), kAllowed);
  }
}

std::vector<int> read_ranks(Table& nodes, const std::string& key) {
  std::vector<int> ranks;
  if (const Value* value = nodes.raw(key)) add_ranks(*value, nodes, key, ranks);
  return ranks;
}

// Ranks must be 0..n-1, each once; the original does not check and goes wrong later.
void check_ranks(const Table& nodes, const std::vector<int>& cpus, const std::vector<int>& fpgas) {
  std::vector<std::pair<int, const char*>> all;
  for (const int r : cpus) all.emplace_back(r, "cpu");
  for (const int r : fpgas) all.emplace_back(r, "fpga");
  std::sort(all.begin(), all.end());
  if (all.size() > static_cast<std::size_t>(kMaxNodes - 1)) nodes.fail("fpga", "too many ranks", kAllowed);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0 && all[i].first == all[i - 1].first) {
      nodes.fail(all[i].second, "rank " + std::to_string(all[i].first) + " is given twice", "each rank once");
    }
    if (all[i].first != static_cast<int>(i)) {
      nodes.fail(all[i].second, "rank " + std::to_string(i) + " is missing",
                 "ranks from 0 on without gaps, cpu and fpga together");
    }
  }
}

}  // namespace

void read_zrlmpi(const Value& document, const std::string& file, ClusterSpec& spec) {
  Table top(document, file, "");
  if (!top.has("nodes"))
    top.fail("nodes", "this key is missing", "{\"nodes\": {\"cpu\": [0], \"fpga\": \"1 - 3\"}}");
  Table nodes = top.table("nodes");
  const std::vector<int> cpus = read_ranks(nodes, "cpu");
  const std::vector<int> fpgas = read_ranks(nodes, "fpga");
  nodes.finish();
  check_ranks(nodes, cpus, fpgas);
  if (cpus.empty()) nodes.fail("cpu", "no rank is a CPU", kAllowed);
  if (fpgas.empty()) nodes.fail("fpga", "no rank is an FPGA", kAllowed);
  Table config = top.table("config");
  spec.config["com_opt"] = config.integer("com_opt", 1, 0, 3);
  spec.config["mem_opt"] = config.integer("mem_opt", 0, 0, 1);
  config.finish();
  top.finish();

  LinkQuality ethernet;
  ethernet.protocol = "udp";
  ethernet.latency = 500'000;  // cable and two transceivers
  ethernet.rate_bps = 10'000'000'000;
  spec.topology = {TopologyKind::star, {static_cast<int>(fpgas.size())}};
  spec.network_switch = {1'000'000, 1u << 20};
  expand_topology(spec, ethernet);
  for (std::size_t i = 0; i < fpgas.size(); ++i) {
    ClusterNode& node = spec.nodes[i];
    node.rank = fpgas[i];
    node.name = "fpga." + std::to_string(fpgas[i]);
    node.role = "mpi";
    node.fidelity = Fidelity::rtl;  // the only one that executes kernels
    node.clocks["core"] = 156'250'000;
  }
  attach_hosts(spec, {static_cast<int>(cpus.size()) + 1, true, {}, ethernet});
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    ClusterNode& node = spec.nodes[fpgas.size() + 1 + i];
    node.rank = cpus[i];
    node.name = "host." + std::to_string(cpus[i]);
  }
  spec.nodes.back().name = "manager";
}

std::optional<std::string> zrlmpi_of_name(const std::string& name) {
  constexpr std::string_view kFamily = "zrlmpi:";
  constexpr int kLeast = 2, kMost = 1024;  // ranks
  if (!name.starts_with(kFamily)) return std::nullopt;
  int ranks = 0;
  const char* const end = name.data() + name.size();
  const auto r = std::from_chars(name.data() + kFamily.size(), end, ranks);
  if (r.ec != std::errc() || r.ptr != end || ranks < kLeast || ranks > kMost) {
    throw UserError("cluster \"" + name + "\": no such number of ranks; allowed: zrlmpi:" +
                    std::to_string(kLeast) + " to zrlmpi:" + std::to_string(kMost));
  }
  return "{\"nodes\": {\"cpu\": 0, \"fpga\": \"1 - " + std::to_string(ranks - 1) + "\"}}";
}

}  // namespace polyloom::mpi
