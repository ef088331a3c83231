// SPDX-License-Identifier: Apache-2.0
// The clients that simulated time passes without, and when each comes back. The rule stands in README.md.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "fabric/time.h"

namespace polyloom::fabric {

/// A client is present, away (nothing from it until it speaks), at a meeting (until those it names are there
/// too) or has finished. Host nodes report what takes effect in simulated time; release() is for between
/// windows. So the responses depend on simulated time only. Thread safe.
class Absences {
 public:
  /// A client of the run; present.
  void add(unsigned client);
  void leave(unsigned client);
  /// `with`: clients in any order; none: all of the run.
  void meet(unsigned client, std::vector<unsigned> with);
  /// It is back, by release() or of its own accord.
  void present(unsigned client);
  void finish(unsigned client);

  /// The engine has to stop: a client can be released, or (standstill) none ever will.
  bool due() const;
  /// Every client is at a meeting that cannot come about, or has finished.
  bool standstill() const;
  /// Ends the meetings that are complete. If there are none, and no client is present or what is present
  /// waits in vain (`quiet`), brings back the clients that are away. False if none was released.
  bool release(Time now, bool quiet);
  /// When the client comes back; kNever while nothing is decided.
  Time back(unsigned client) const;
  bool knows(unsigned client) const;
  /// "to meet clients 0, 3" or "until it speaks": what an absent client is gone for.
  std::string reason(unsigned client) const;

 private:
  enum class State { present, away, meeting, returning, finished };
  struct Client {
    State state = State::present;
    Time back = kNever;          ///< of returning
    std::vector<unsigned> with;  ///< of meeting: sorted, itself included
  };
  void set(Client& client, State state);
  bool complete(const Client& client) const;
  bool any_present() const;
  bool any_complete() const;

  mutable std::mutex mutex_;
  std::atomic<int> absent_{0};  ///< so that a look costs nothing while none is
  std::map<unsigned, Client> clients_;
};

}  // namespace polyloom::fabric
