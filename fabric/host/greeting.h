// SPDX-License-Identifier: Apache-2.0
// A connection to the simulator before it is a client: what it says first is read without waiting for it.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "fabric/host/channel.h"
#include "fabric/host/peer.h"

namespace polyloom::fabric {

/// Key, then hello; not a byte of what follows is read. Owns the socket until release().
class Greeting {
 public:
  using Clock = std::chrono::steady_clock;
  enum class State { waiting, complete, refused };

  /// Says our own key if the other side is trusted.
  Greeting(int fd, std::string secret, Clock::time_point deadline);
  ~Greeting();
  Greeting(Greeting&& other) noexcept;
  Greeting& operator=(Greeting&& other) noexcept;

  int fd() const { return fd_; }
  const Peer& peer() const { return peer_; }
  Clock::time_point deadline() const { return deadline_; }

  /// Takes what has come. Never waits.
  State read();
  State state() const { return state_; }
  /// Of refused: why, for a person.
  const std::string& refusal() const { return refusal_; }
  /// Tells the other side why, and closes.
  void refuse(const std::string& why);

  // Of complete.
  unsigned number() const { return number_; }
  std::vector<unsigned> links() const { return links_; }
  int release();

 private:
  State fail(const std::string& why);
  void take_message();

  int fd_ = -1;
  Peer peer_;
  std::string secret_;
  Clock::time_point deadline_;
  State state_ = State::waiting;
  std::string refusal_;
  bool knows_secret_ = false;
  std::string bytes_;  ///< of the message that is coming
  std::size_t need_ = sizeof(HostHeader);
  unsigned number_ = 0;
  std::vector<unsigned> links_;
};

}  // namespace polyloom::fabric
