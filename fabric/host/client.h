// SPDX-License-Identifier: Apache-2.0
// What a host program links to use a simulated cluster: frames to and from nodes, in simulated time. POSIX
// only.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/error.h"
#include "fabric/host/protocol.h"
#include "fabric/time.h"

namespace polyloom::fabric {

/// The run cannot go on: what() says why, with one "NODE: what it waits for" line for each node that waits.
struct SimulatorError : UserError {
  SimulatorError(HostErrorReason why, const std::string& message) : UserError(message), reason(why) {}
  HostErrorReason reason;
};

struct Received {
  int link = -1;
  std::vector<std::uint64_t> words;
  unsigned keep = 8;  ///< valid bytes of the last word
  Time arrival = 0;   ///< of the last word
};

/// A frame to send. An empty one is a pulse.
struct Outgoing {
  int link = 0;
  std::span<const std::uint64_t> words;
  unsigned keep = 8;
};

/// Where the simulator comes from. Empty fields: the environment (POLYLOOM_SOCKET, POLYLOOM_CLIENT,
/// POLYLOOM_SECRET, POLYLOOM_CLUSTER, POLYLOOM_ON, POLYLOOM_ENGINE, POLYLOOM_RUN_DIR,
/// POLYLOOM_MAX_CYCLES, POLYLOOM_SEED), which the simulator reads itself.
struct HostOptions {
  std::string socket;                  ///< of a simulator that is already there
  std::string simulator;               ///< program to start instead of polyloom-sim
  std::vector<std::string> arguments;  ///< further arguments for it
  /// Number of this client, when several processes share a simulator: host node x host.clients + number at
  /// it.
  unsigned client = 0;
  std::vector<unsigned> links;  ///< links whose frames this client gets; empty = all
};

/// A connection to one host node of the simulated cluster. Simulated time stands still while the program
/// computes and moves by call_time() with each call of send, try_recv, recv, wait, away and meet, and by what
/// compute() says; so runs are reproducible. Every call may throw SimulatorError; after that only the
/// destructor may be called. Not thread safe.
class HostClient {
 public:
  struct LinkInfo {
    std::string peer;  ///< the node at the other end, e.g. "fpga.0.0"
    Time latency = 0;
    Time period = 0;  ///< ps a 64-bit word
  };

  /// Connects to POLYLOOM_SOCKET, or starts polyloom-sim (find_simulator() in launch.h). Throws UserError if
  /// there is none, or POLYLOOM_ON is native.
  HostClient();
  explicit HostClient(const HostOptions& options);
  /// Ends the simulator if this object started it; no process is left behind.
  ~HostClient();
  HostClient(const HostClient&) = delete;
  HostClient& operator=(const HostClient&) = delete;

  int num_links() const { return static_cast<int>(links_.size()); }
  const LinkInfo& link(int i) const { return links_.at(static_cast<std::size_t>(i)); }
  /// Link to the node of that name, or -1.
  int find_link(const std::string& peer) const;
  /// JSON text of the cluster, as `polyloom-sim --show --json` prints it.
  const std::string& info() const { return info_; }

  Time now() const { return now_; }
  Time call_time() const { return call_time_; }
  /// Says that the program has computed for so long: its next call is made that much later.
  void compute(Time duration) {
    need_presence();
    now_ += duration;
  }

  /// Puts a frame in the link's queue; frames of a link leave in order, at the link's rate. An empty frame is
  /// a pulse.
  void send(int link, std::span<const std::uint64_t> frame, unsigned keep = 8);
  /// All of these in one call: they are queued in order at the same time, as by a driver that fills a ring
  /// and rings its bell once.
  void send(std::span<const Outgoing> frames);
  /// The oldest frame that has wholly arrived, if any.
  std::optional<Received> try_recv();
  /// Waits, in simulated time, for a frame. Throws SimulatorError (deadlock) when none can ever come.
  Received recv();
  /// The next `count` frames. A call takes what is there, however many: as a driver that polls its ring.
  std::vector<Received> recv(std::size_t count);
  /// What has arrived, in one call, which waits at most `max` ps for the first frame; none if there is none.
  std::vector<Received> recv_within(Time max);
  /// Waits for a frame for at most `max` ps after the call; true if there is one, which the next recv will
  /// return.
  bool wait(Time max);

  // Waiting for anything outside of the simulation: without these simulated time would stand still, and who
  // is waited for may need it. Between away() and back() no other call, and no memory shared with nodes.
  /// Nothing from here until back(). Returns at once. Simulated time passes without this client until no
  /// other one can go on (each is away too, has finished, or waits for what cannot come), or for `most` ps.
  void away(Time most = kNever);
  /// Waits until simulated time has come to that point, if it has not, and goes on from there.
  void back();
  /// Waits until these clients (none named: all of the run) have said the same, or have finished; all go on
  /// at the same simulated time. It stands still until each has made its next call.
  void meet(std::span<const unsigned> clients = {});
  /// Says that from `at` on, now or earlier, the run is in a phase of that name: run.json then tells how long
  /// each phase took. Costs no simulated time. Marks may not run backwards.
  void mark(std::string_view phase, Time at);

  /// Ends the run: the simulator writes its run record. Returns JSON: {"end_ps", "digest", "run_dir" ...}.
  std::string finish();

 private:
  struct Process;
  void connect(const HostOptions& options);
  void exchange_keys();
  void say_hello(const HostOptions& options);
  void check(int link, unsigned keep) const;
  void need_presence() const;
  /// Asks for frames that arrive until `deadline`; leaves them in ready_.
  void fetch(Time deadline);
  HostHeader response(HostMessage type, std::string& body);
  [[noreturn]] void fail(HostErrorReason reason, const std::string& message);

  std::unique_ptr<Process> process_;
  std::unique_ptr<class Channel> channel_;
  std::vector<LinkInfo> links_;
  std::string info_;
  Time now_ = 0, call_time_ = 0;
  bool away_ = false;
  Time marked_ = 0;  ///< when the phase began that the last mark named
  std::deque<Received> ready_;
  std::optional<SimulatorError> failed_;
};

}  // namespace polyloom::fabric
