// SPDX-License-Identifier: Apache-2.0
#include "roles/mpi/sim/node_memory.h"

#include "blocks/verilated/axi_memory.h"

namespace polyloom::mpi {
namespace {

constexpr unsigned kWordBytes = 8;

}  // namespace

std::uint64_t& NodeMemory::word(std::uint32_t address) {
  const std::uint64_t at = address - kDramBase;
  blocks::check_burst("word", at, 1, kWordBytes, bytes_);
  if (pages_.empty()) pages_.resize((bytes_ + kPage - 1) / kPage);
  std::unique_ptr<std::uint64_t[]>& page = pages_[at / kPage];
  if (page == nullptr) page = std::make_unique<std::uint64_t[]>(kPage / kWordBytes);
  return page[at % kPage / kWordBytes];
}

NodeMemory::Requester NodeMemory::take(Cycle k, const std::array<Request, kRequesters>& requests) {
  // What is under way is so until the cycle after its response.
  while (!reading_.empty() && reading_.front() < k) reading_.pop_front();
  while (!writing_.empty() && writing_.front() < k) writing_.pop_front();
  unsigned pick = kRequesters;
  for (unsigned i = 1; i <= kRequesters && pick == kRequesters; ++i) {
    const unsigned requester = (last_ + i) % kRequesters;
    const Request& request = requests[requester];
    const bool may = request.write ? reading_.empty() && writing_.size() < kOpen
                                   : writing_.empty() && reading_.size() < kOpen;
    if (request.valid && may) pick = requester;
  }
  if (pick == kRequesters) return kRequesters;
  last_ = pick;
  const Request& request = requests[pick];
  std::uint64_t& stored = word(request.address);
  if (request.write) {
    auto* bytes = reinterpret_cast<std::uint8_t*>(&stored);
    for (unsigned i = 0; i < kWordBytes; ++i) {
      if (request.strobe >> i & 1) bytes[i] = static_cast<std::uint8_t>(request.data >> 8 * i);
    }
    writing_.push_back(k + 1 + write_latency_);
    ++writes_;
  } else {
    responses_.push_back({k + 1 + read_latency_, static_cast<Requester>(pick), stored});
    reading_.push_back(k + 1 + read_latency_);
    ++reads_;
  }
  return static_cast<Requester>(pick);
}

}  // namespace polyloom::mpi
