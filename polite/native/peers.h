// SPDX-License-Identifier: Apache-2.0
// The processes that run one vertex program together: what the native engine asks of them. They all run the
// same host program, so that they call each of these in the same order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace polyloom::polite {

/// How much a process has exchanged with others while programs ran.
struct Traffic {
  std::uint64_t supersteps = 0;  ///< in which messages were delivered
  std::uint64_t bytes = 0;       ///< that this process has sent for them
  std::uint64_t bound = 0;  ///< their own bytes: of a message, once for each other process with a receiver
  double seconds = 0;       ///< in exchanges
};

/// One process's view. Calls come from one thread at a time.
class Peers {
 public:
  using Bytes = std::vector<std::byte>;

  virtual ~Peers() = default;
  virtual unsigned rank() const = 0;
  virtual unsigned size() const = 0;
  /// How many hosts they are on, how many of them on this one, and its name.
  virtual unsigned hosts() const = 0;
  virtual unsigned on_this_host() const = 0;
  virtual std::string host() const = 0;
  /// Whether a process is on this host.
  virtual bool is_near(unsigned process) const = 0;

  /// Puts in the place of each value its sum over all processes.
  virtual void sum(std::span<std::uint64_t> values) = 0;
  /// What each process has given, by process; every process gets all of it.
  virtual std::vector<Bytes> gather(std::span<const std::byte> mine) = 0;
  /// Sends out[i] to process to[i] and hands take(process, bytes) one message of each process in `from`, in the
  /// order in which they come. Every process that is in `to` has this one in its `from`. May change `out`.
  using Take = std::function<void(unsigned process, std::span<const std::byte> bytes)>;
  virtual void exchange(std::span<const unsigned> to, std::vector<Bytes>& out, std::span<const unsigned> from,
                        const Take& take) = 0;

  Traffic traffic;
};

/// The processes that this one belongs to, by POLYLOOM_PROCESSES; null if it is alone. The first call joins
/// them, by a library of its own that has MPI. Throws UserError if there is none, or if they are not as many.
Peers* processes();
/// Whether this process is the one that speaks for all: prints, writes files.
bool is_first_process();

}  // namespace polyloom::polite
