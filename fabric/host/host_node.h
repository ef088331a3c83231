// SPDX-License-Identifier: Apache-2.0
// The host side of the fabric: a node whose behaviour is that of client processes (fabric/host/client.h).
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fabric/cluster/role.h"
#include "fabric/host/server.h"
#include "fabric/node.h"

namespace polyloom::fabric {

/// One port for each attached node, one or more clients. Contract:
/// - advance() blocks while a client that simulated time has reached computes; so nothing depends on wall
/// clock.
/// - A call made at t takes effect at t + call_time: a frame is queued then, a look for frames looks then.
/// - Calls are served in order of (effect time, client number); frames are handed out in order of (arrival of
///   the last word, port). A link's frames go to the lowest-numbered client that asked for that link.
/// - A client that is away or at a meeting delays no other (README.md).
/// - Queues have no bound: a host has memory enough.
class HostNode : public Node {
 public:
  /// `clients` belong to `server`, which outlives the node.
  HostNode(std::string name, std::vector<NodePort> ports, Time call_time, HostServer& server,
           std::vector<HostServer::Client*> clients);

  void advance(Time until) override;
  /// Waits for the next call of every client that computes; none does until advance() returns one. For a node
  /// that shares memory with its clients and must not touch it under their hands.
  void settle();
  Time next_event() const override;
  bool wants_stop() const override;
  std::optional<std::uint64_t> work() const override;
  std::string waiting_for() const override;
  void counters(const CounterSink& sink) const override;
  void digest(Digest& digest) const override;

 private:
  enum class State { computing, sending, receiving, leaving, absent, finishing, finished };

  struct Frame {
    int port = 0;
    unsigned keep = 8;
    Time time = 0;  ///< outgoing: when it was queued; incoming: when its last word arrived
    std::vector<std::uint64_t> words;
  };

  struct Client {
    HostServer::Client* remote = nullptr;
    State state = State::computing;
    Time time = 0;               ///< computing: when the last call returned; else when the call takes effect
    Time deadline = 0;           ///< of receiving, and of being away
    std::vector<Frame> frames;   ///< of sending
    bool meets = false;          ///< of leaving: it goes to a meeting
    std::vector<unsigned> with;  ///< the clients that it meets there
    std::deque<Frame> ready;
  };

  struct Out {
    std::deque<Frame> frames;
    std::size_t sent_words = 0;  ///< of the first frame
  };

  struct In {
    std::vector<std::uint64_t> words;
    int client = 0;
  };

  void collect(Time until);
  void serve(Time until);
  void hear(Client& client);
  bool read_call(Client& client);
  bool read_header(Client& client, HostHeader& header);
  bool read_send(Client& client, const HostHeader& header);
  bool read_batch(Client& client, const HostHeader& header);
  bool read_absence(Client& client, const HostHeader& header);
  void add_frame(Client& client, std::uint32_t link, std::uint32_t keep, std::uint64_t words);
  void serve_call(Client& client);
  void leave(const Client& client);
  void response_frames(Client& client, Time now);
  void bring_back(Client& client, Time now);
  void transmit(std::size_t port, Time until);
  Time effect_time(const Client& client) const;

  std::string name_;
  std::vector<NodePort> ports_;
  Time call_time_;
  HostServer& server_;
  std::vector<Client> clients_;
  std::vector<Out> out_;
  std::vector<In> in_;
  bool stopped_ = false;
  std::uint64_t calls_ = 0, frames_in_ = 0, frames_out_ = 0, words_in_ = 0, words_out_ = 0;
};

}  // namespace polyloom::fabric
