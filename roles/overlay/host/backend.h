// SPDX-License-Identifier: Apache-2.0
// What HostLink needs of whatever carries its frames: the simulator's socket (sim_backend.h) or a test's
// fake.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fabric/time.h"

namespace polyloom::overlay {

/// The cluster behind a backend. Boards are numbered y * boards_x + x.
struct ClusterFacts {
  std::string name = "native";
  unsigned boards_x = 1, boards_y = 1;
  unsigned tiles_x = 4, tiles_y = 4;
  unsigned cores_per_tile = 4, threads_per_core = 16;
  unsigned slices = 2;
  unsigned instr_words = 2048;
  bool extra_send_slot = false;
  std::vector<std::string> names;  ///< of the boards' nodes

  unsigned boards() const { return boards_x * boards_y; }
  unsigned cores() const { return tiles_x * tiles_y * cores_per_tile; }
};

/// Facts from the JSON text of a cluster (fabric/cluster/dump.h). Throws UserError if it has no
/// mesh of overlay boards.
ClusterFacts facts_of_cluster(const std::string& json);

struct BackendFrame {
  unsigned board = 0;
  std::vector<std::uint64_t> words;
};

/// Frames to and from the shells of all boards (blocks/shell/host_frames.h). Not thread safe. Any call may
/// throw fabric::SimulatorError; deadlock is one of its reasons: nothing can ever happen again.
class HostBackend {
 public:
  virtual ~HostBackend() = default;
  virtual const ClusterFacts& facts() const = 0;
  virtual void send(unsigned board, std::span<const std::uint64_t> frame) = 0;
  /// False if no frame is here now. Costs simulated time.
  virtual bool try_recv(BackendFrame& frame) = 0;
  /// Waits in simulated time.
  virtual BackendFrame recv() = 0;
  virtual fabric::Time now() const = 0;
  /// Ends the run; JSON text of its result.
  virtual std::string finish() = 0;
};

/// Connects to the simulated cluster that the environment names, starting it if need be.
std::unique_ptr<HostBackend> connect_to_simulator();

}  // namespace polyloom::overlay
