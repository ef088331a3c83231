// SPDX-License-Identifier: Apache-2.0
// The simulator's side of its clients: takes connections, notices when one leaves, tells them how the run
// ended.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "fabric/cluster/spec.h"
#include "fabric/host/channel.h"

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
  };

  HostServer();
  ~HostServer();
  HostServer(const HostServer&) = delete;
  HostServer& operator=(const HostServer&) = delete;

  /// A client that is already connected (it started us). Reads its hello. Throws on nonsense.
  void adopt(int fd);
  /// Waits for `count` clients in all; unlinks the path afterwards. Throws UserError when stop() is called
  /// meanwhile.
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
  /// True if the run was stopped because a client left before finish().
  bool client_left() const { return client_left_.load(); }

  /// Last words. done: to clients that called finish(); error: to all others (or to all, if `to_all`).
  void finish(const std::string& result_json);
  void fail(HostErrorReason reason, const std::string& text, bool to_all);

 private:
  void greet(Channel channel);
  void watch();

  std::vector<std::unique_ptr<Client>> clients_;
  std::atomic<bool> stop_{false}, client_left_{false}, ended_{false};
  int wake_fd_ = -1;       ///< readable once stop() was called
  int end_watch_fd_ = -1;  ///< readable when the watching thread shall end
  std::thread watcher_;
};

}  // namespace polyloom::fabric
