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
#include "spec/overlay_keys.h"

namespace polyloom::overlay {

/// The cluster behind a backend. Boards are numbered y * boards_x + x.
struct ClusterFacts {
  std::string name = "native";
  unsigned boards_x = 1, boards_y = 1;
  unsigned tiles_x = keys::tiles_x.fallback, tiles_y = keys::tiles_y.fallback;
  unsigned cores_per_tile = keys::cores_per_tile.fallback, threads_per_core = keys::threads_per_core.fallback;
  unsigned slices = keys::dram_channels.fallback;
  unsigned instr_words = keys::instr_words.fallback;
  unsigned max_flits = keys::max_flits.fallback;
  bool extra_send_slot = keys::extra_send_slot.fallback;
  bool programmable_routers = keys::programmable_routers.fallback;
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
  fabric::Time arrival = 0;  ///< at the host, of one received
};

/// Frames to and from the shells of all boards (blocks/shell/host_frames.h). A call of send, recv or try_recv
/// costs the host's call time, whatever it moves: a driver fills a ring and rings a bell, or empties a ring.
/// Not thread safe. Any call may throw fabric::SimulatorError; deadlock is one of its reasons: nothing can
/// ever happen again.
class HostBackend {
 public:
  virtual ~HostBackend() = default;
  virtual const ClusterFacts& facts() const = 0;
  /// Frames to one board leave in order.
  virtual void send(std::span<const BackendFrame> frames) = 0;
  /// The frames that are here now, in order of arrival; none if there is none.
  virtual std::vector<BackendFrame> try_recv() = 0;
  /// The same, but waits, in simulated time, until there is one.
  virtual std::vector<BackendFrame> recv() = 0;
  virtual fabric::Time now() const = 0;
  /// For the run's record: from `at` on, now or earlier, the run is in a phase of that name. Never backwards.
  virtual void mark(const char* phase, fabric::Time at) = 0;
  /// Ends the run; JSON text of its result.
  virtual std::string finish() = 0;
};

/// Connects to the simulated cluster that the environment names, starting it if need be.
std::unique_ptr<HostBackend> connect_to_simulator();

}  // namespace polyloom::overlay
