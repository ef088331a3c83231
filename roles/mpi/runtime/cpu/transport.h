// SPDX-License-Identifier: Apache-2.0
// How datagrams of a process reach others: real sockets in real time, or frames of the simulated cluster.
#pragma once

#include <functional>
#include <memory>

#include "roles/mpi/runtime/cpu/job.h"

namespace polyloom::mpi {

class Transport {
 public:
  using Receiver = std::function<void(const Endpoint& from, Bytes datagram)>;

  virtual ~Transport() = default;
  virtual Time now() = 0;
  /// Queues a datagram; it leaves with flush().
  virtual void send(const Endpoint& to, Bytes datagram) = 0;
  virtual void flush() = 0;
  /// Hands over what has come; waits for it until that time.
  virtual void receive(Time until, const Receiver& receiver) = 0;
  /// Real time passes while the program computes, so what is queued must not wait for the next call.
  virtual bool is_real_time() const = 0;
  /// What a flush or a look for datagrams costs.
  virtual Time call_time() const { return 0; }
  /// The program has computed until then, or longer. Real time passes by itself.
  virtual void compute(Time until) { (void)until; }
  /// Nothing will be sent or received any more. Returns JSON about the run, or nothing.
  virtual std::string finish() = 0;
};

/// For table entry `self` of the job.
std::unique_ptr<Transport> make_udp(const Job& job, unsigned self);
std::unique_ptr<Transport> make_fabric(const Job& job, unsigned self);
/// A job of one rank: there is no other.
std::unique_ptr<Transport> make_alone();
std::unique_ptr<Transport> make_transport(const Job& job);

}  // namespace polyloom::mpi
