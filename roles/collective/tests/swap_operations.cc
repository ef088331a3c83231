// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/tests/swap_operations.h"

#include <algorithm>
#include <random>

#include "roles/collective/host/schedule/algorithms.h"
#include "roles/collective/host/schedule/cost.h"
#include "roles/collective/host/schedule/machine.h"

namespace polyloom::collective::swap {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Request random_request(Operation op, int nodes, std::uint64_t largest, std::mt19937& random) {
  Request r;
  r.operation = op;
  r.type = r.reduces() ? (random() % 2 ? DataType::fp32 : DataType::int32) : DataType::bytes;
  r.reduce = static_cast<ReduceOp>(random() % 4);
  r.root = static_cast<int>(random() % static_cast<unsigned>(nodes));
  r.destination = (r.root + 1 + static_cast<int>(random() % static_cast<unsigned>(nodes - 1))) % nodes;
  const std::size_t count = sizes_of(op, nodes);
  const bool variable = random() % 2;
  const std::uint64_t same = 1 + random() % largest;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t size = variable ? 1 + random() % largest : same;
    r.sizes.push_back((size + size_of(r.type) - 1) / size_of(r.type) * size_of(r.type));
  }
  return r;
}

}  // namespace

std::vector<OperationCase> operation_cases(int nodes, std::uint64_t bytes, std::uint64_t eager_bytes,
                                           std::uint64_t largest, unsigned seed) {
  std::mt19937 random(seed);
  const Topology topology = Topology::fully_connected(nodes);
  const NodeShape shape{4, 4, 2, eager_bytes, 4096, bytes / 2};
  std::vector<OperationCase> cases;
  for (const Operation op : kOperations) {
    const Request request = random_request(op, nodes, largest, random);
    for (const std::string& algorithm : algorithms({request, topology, shape})) {
      const Compiled prepared = compile(algorithm, {request, topology, shape});
      OperationCase c;
      c.name = std::string(name_of(op)) + " " + algorithm + " on " + std::to_string(nodes) + " nodes";
      Machine machine(topology, shape.channels, shape.operator_inputs, shape.operator_outputs, bytes);
      for (int rank = 0; rank < nodes; ++rank) {
        std::vector<std::vector<std::uint8_t>> channels(shape.channels);
        for (unsigned k = 0; k < shape.channels; ++k) {
          channels[k].resize(bytes);
          for (auto& byte : channels[k]) byte = static_cast<std::uint8_t>(random());
          std::copy(channels[k].begin(), channels[k].end(), machine.channel(rank, k).begin());
        }
        c.before.push_back(std::move(channels));
      }
      c.programs = programs(prepared.schedule, nodes, {static_cast<std::uint32_t>(random()), 0, true});
      for (int rank = 0; rank < nodes; ++rank) machine.load(rank, c.programs[at(rank)]);
      machine.run();
      for (int rank = 0; rank < nodes; ++rank) {
        c.after.emplace_back();
        for (unsigned k = 0; k < shape.channels; ++k) {
          const auto bytes = machine.channel(rank, k);
          c.after.back().emplace_back(bytes.begin(), bytes.end());
        }
      }
      cases.push_back(std::move(c));
    }
  }
  return cases;
}

}  // namespace polyloom::collective::swap
