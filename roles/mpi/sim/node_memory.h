// SPDX-License-Identifier: Apache-2.0
// A node's DRAM as polyloom_kernel_memory and the memory behind it serve it: a word a cycle, either reads or
// writes under way, responses after a fixed latency.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "blocks/cycle.h"
#include "roles/mpi/sim/mpe/units.h"

namespace polyloom::mpi {

using blocks::Cycle;

inline constexpr std::uint32_t kDramBase = 0x8000'0000;  ///< of a kernel's addresses

class NodeMemory {
 public:
  enum Requester : unsigned { kKernel, kWriter, kReader, kRequesters };
  struct Response {
    Cycle at = 0;
    Requester whose = kKernel;
    std::uint64_t word = 0;
  };
  struct Request : mpe::MemoryRequest {
    bool write = false;
  };

  NodeMemory(std::uint64_t bytes, unsigned read_latency, unsigned write_latency)
      : bytes_(bytes), read_latency_(read_latency), write_latency_(write_latency) {}

  /// Takes at most one of the requests in cycle k, whose cycles grow; kRequesters if none could be. Addresses are
  /// those of the kernel. Throws UserError if there is no memory.
  Requester take(Cycle k, const std::array<Request, kRequesters>& requests);
  /// The next word read; nullptr if none is under way. pop() in the cycle of its `at`.
  const Response* response() const { return responses_.empty() ? nullptr : &responses_.front(); }
  void pop() { responses_.pop_front(); }
  std::uint64_t reads() const { return reads_; }
  std::uint64_t writes() const { return writes_; }

 private:
  static constexpr unsigned kOpen = 32;
  static constexpr std::uint64_t kPage = 1 << 16;
  std::uint64_t& word(std::uint32_t address);

  std::uint64_t bytes_;
  unsigned read_latency_, write_latency_;
  std::deque<Response> responses_;
  std::deque<Cycle> reading_, writing_;  ///< when what is under way ends
  unsigned last_ = 0;
  std::vector<std::unique_ptr<std::uint64_t[]>> pages_;  ///< those that were used; the others hold zeros
  std::uint64_t reads_ = 0, writes_ = 0;
};

}  // namespace polyloom::mpi
