// SPDX-License-Identifier: Apache-2.0
// The simulator's side of its clients: takes connections, notices when one leaves, tells them how the run
// ended.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "fabric/cluster/spec.h"
#include "fabric/engine.h"
#include "fabric/host/absence.h"
#include "fabric/host/channel.h"
#include "fabric/host/greeting.h"
#include "fabric/phases.h"

namespace polyloom::fabric {

/// Made before the fabric's nodes, ended after the run. All clients are connected before simulated time
/// starts; client k belongs to host node k / clients_per_host. Not thread safe, except stop().
class HostServer {
 public:
  struct Client {
    unsigned number = 0;
    std::vector<unsigned> links;  ///< whose frames it gets; empty = all
    Channel channel;
    std::vector<std::string> command;   ///< its command line, as far as the system tells
    std::atomic<bool> finished{false};  ///< it has called finish()
    std::vector<PhaseMark> phases;      ///< that it has named, in order
    std::optional<Time> phases_end;     ///< of the last one: when it called finish()
  };

  /// `refused`: is called, with one line, for each client that the server turns away. `patience`: for a
  /// client to say hello.
  using Refused = std::function<void(const std::string&)>;
  explicit HostServer(Refused refused = {}, std::chrono::milliseconds patience = std::chrono::seconds(10));
  ~HostServer();
  HostServer(const HostServer&) = delete;
  HostServer& operator=(const HostServer&) = delete;

  /// A client that is already connected (it started us). Waits for its hello. Throws UserError on nonsense.
  void adopt(int fd);
  /// Waits for `count` clients in all; unlinks the path afterwards. Who is of another user, does not know the
  /// run's secret, talks nonsense or stays silent is turned away and delays no other. Throws UserError when
  /// stop() is called meanwhile, or a client leaves.
  void accept_at(const std::string& address, std::size_t count);

  std::size_t size() const { return clients_.size(); }
  /// Client by number; null if it has not connected.
  Client* find(unsigned number);

  /// Sends every client its welcome and starts watching for clients that leave. `spec` gives names and links
  /// of host node `nodes[k / per_host]`.
  void welcome(const ClusterSpec& spec, const std::string& info);

  /// Makes all waiting for clients give up; safe in a signal handler.
  void stop() noexcept;
  bool stopped() const { return stop_.load(std::memory_order_relaxed); }
  /// For EngineOptions::interrupt: an engine asks only nodes with something to do whether they want to stop.
  const std::atomic<bool>& stop_flag() const { return stop_; }
  /// A client's socket has closed: ends the run, with an error for the others if it had not called finish().
  void gone(const Client& client) noexcept;
  /// All clients, of all host nodes, have called finish().
  bool all_finished() const;
  Absences& absences() { return absences_; }
  const Absences& absences() const { return absences_; }
  /// For a host node's wants_stop(): the engine shall stop, for good or to ask go_on().
  bool wants_halt();
  /// For EngineOptions::go_on: lets clients come back that were absent, if it is time.
  bool go_on(RunEnd why, Time now);
  /// True if the run was stopped because a client left before finish().
  bool client_left() const { return client_left_.load(); }

  /// Last words. done: to clients that called finish(); error: to all others (or to all, if `to_all`).
  void finish(const std::string& result_json);
  void fail(HostErrorReason reason, const std::string& text, bool to_all);

 private:
  /// False, and turned away, if it cannot be a client of this run.
  bool enrol(Greeting& greeting);
  void turn_away(Greeting& greeting, const std::string& why);
  void check_present() const;
  void watch();

  const Refused refused_;
  const std::chrono::milliseconds patience_;
  const std::string secret_ = environment_secret();
  std::vector<std::unique_ptr<Client>> clients_;
  Absences absences_;
  std::atomic<bool> stop_{false}, client_left_{false}, ended_{false};
  std::atomic<bool> release_requested_{false};  ///< by wants_halt(), since the last go_on()
  int wake_fd_ = -1;                            ///< readable once stop() was called
  int end_watch_fd_ = -1;                       ///< readable when the watching thread shall end
  std::thread watcher_;
};

}  // namespace polyloom::fabric
