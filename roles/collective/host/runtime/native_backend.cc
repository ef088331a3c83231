// SPDX-License-Identifier: Apache-2.0
// Native fidelity: memory in this process, and programs executed on it byte by byte; no time. Operations as a
// whole: native.h.
#include <algorithm>
#include <cstring>

#include "roles/collective/host/runtime/backend.h"
#include "roles/collective/host/schedule/machine.h"

namespace polyloom::collective {
namespace {

class NativeBackend : public Backend {
 public:
  NativeBackend(const Topology& topology, const NodeShape& shape, std::uint64_t channel_bytes)
      : ranks_(topology.size()),
        machine_(topology, shape.channels, shape.operator_inputs, shape.operator_outputs, channel_bytes) {}

  void write(int rank, unsigned channel, std::uint64_t base, std::span<const std::uint8_t> bytes) override {
    if (bytes.empty()) return;
    std::memcpy(view(rank, channel, base, bytes.size()).data(), bytes.data(), bytes.size());
  }
  void read(int rank, unsigned channel, std::uint64_t base, std::span<std::uint8_t> bytes) override {
    if (bytes.empty()) return;
    std::memcpy(bytes.data(), view(rank, channel, base, bytes.size()).data(), bytes.size());
  }
  std::span<std::uint8_t> view(int rank, unsigned channel, std::uint64_t base, std::uint64_t bytes) override {
    return machine_.channel(rank, channel).subspan(base, bytes);
  }
  std::vector<NodeRun> run(const std::vector<std::vector<Instruction>>& programs,
                           const RunOptions& options) override {
    if (options.status_words > 0) throw UserError("native programs have no operator status; use on = sim");
    for (int rank = 0; rank < ranks_; ++rank) machine_.load(rank, programs[static_cast<std::size_t>(rank)]);
    try {
      machine_.run(options.start_order);
    } catch (const ProgramError& e) {
      machine_.clear();
      throw UserError(std::string("the operation was stopped: ") + e.what());
    }
    std::vector<NodeRun> runs(programs.size());
    for (int rank = 0; rank < ranks_; ++rank) {
      NodeRun& run = runs[static_cast<std::size_t>(rank)];
      run.marks.assign(options.marks, 0);
    }
    return runs;
  }

 private:
  int ranks_;
  Machine machine_;
};

}  // namespace

std::unique_ptr<Backend> make_native_backend(const Topology& topology, const NodeShape& shape,
                                             std::uint64_t channel_bytes) {
  return std::make_unique<NativeBackend>(topology, shape, channel_bytes);
}

}  // namespace polyloom::collective
