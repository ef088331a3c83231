// SPDX-License-Identifier: Apache-2.0
// Covers: ranks as processes whose trees and LETs lie in given, shared buffers, against ranks as threads, bit
// by bit. Leaves out: a hub between them (roles/hub).
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <new>

#include "nbody/problems/problems.h"
#include "nbody/run/local_run.h"
#include "nbody/tree/let.h"

namespace polyloom::nbody {
namespace {

constexpr unsigned kRanks = 3;
constexpr std::size_t kBytes = 1 << 20, kNodes = 1 << 13;

/// What the processes share. Each rank's tree lies in its own `tree`; peers write their LETs into `lets`.
struct Shared {
  struct Rank {
    std::size_t gathered = 0, sent[kRanks] = {}, nodes = 0, let_nodes[kRanks] = {}, result = 0;
    std::byte gather[kBytes], send[kRanks][kBytes], bodies[kBytes];
    NodeRecord tree[kNodes], lets[kRanks][kNodes];
  };
  pthread_barrier_t barrier;
  Rank ranks[kRanks];
};

/// Where the hub's Exchange has DMA, this one has a copy; where it waits for a flag, this one has a barrier.
class ProcessExchange final : public Exchange {
 public:
  ProcessExchange(Shared& shared, unsigned rank) : shared_(shared), rank_(rank) {}
  unsigned rank() const override { return rank_; }
  unsigned size() const override { return kRanks; }
  bool carries_second() const override { return false; }
  double waited() const override { return 0; }

  std::vector<Bytes> all_gather(std::span<const std::byte> mine) override {
    put(shared_.ranks[rank_].gather, shared_.ranks[rank_].gathered, mine);
    meet();
    std::vector<Bytes> all;
    for (const auto& r : shared_.ranks) all.emplace_back(r.gather, r.gather + r.gathered);
    meet();
    return all;
  }
  std::vector<Bytes> all_to_all(std::vector<Bytes> parts) override {
    auto& own = shared_.ranks[rank_];
    for (unsigned to = 0; to < kRanks; ++to) put(own.send[to], own.sent[to], parts[to]);
    meet();
    std::vector<Bytes> all;
    for (const auto& r : shared_.ranks) all.emplace_back(r.send[rank_], r.send[rank_] + r.sent[rank_]);
    meet();
    return all;
  }
  std::span<NodeRecord> tree_memory(std::size_t count) override {
    if (count > kNodes) std::abort();
    return std::span(shared_.ranks[rank_].tree).first(count);
  }
  std::vector<TreeView> exchange_lets(const TreeView& local, std::span<const Summary> summaries) override {
    if (local.nodes.data() != shared_.ranks[rank_].tree) std::abort();  // what the hub would read
    shared_.ranks[rank_].nodes = local.nodes.size();
    meet();
    // As a hub would: the LET of the sender's records goes straight into the receiver's memory.
    for (unsigned to = 0; to < kRanks; ++to) {
      if (to == rank_ || !summaries[to].any) continue;
      const std::span tree(shared_.ranks[rank_].tree, shared_.ranks[rank_].nodes);
      auto& receiver = shared_.ranks[to];
      receiver.let_nodes[rank_] = make_let({tree, {}}, summaries[to].target, receiver.lets[rank_]);
    }
    meet();
    std::vector<TreeView> received;
    const auto& own = shared_.ranks[rank_];
    for (unsigned from = 0; from < kRanks; ++from) {
      if (from == rank_ || own.let_nodes[from] == 0) continue;
      received.push_back({std::span(own.lets[from]).first(own.let_nodes[from]), {}});
    }
    return received;
  }

 private:
  static void put(std::byte* to, std::size_t& size, std::span<const std::byte> bytes) {
    if (bytes.size() > kBytes) std::abort();
    size = bytes.size();
    if (size != 0) std::memcpy(to, bytes.data(), size);
  }
  void meet() { pthread_barrier_wait(&shared_.barrier); }

  Shared& shared_;
  const unsigned rank_;
};

Bodies share_of(const Bodies& all, unsigned rank) {
  std::vector<std::uint32_t> own;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (std::size_t{i} * kRanks / all.size() == rank) own.push_back(i);
  }
  Bodies mine = all;
  mine.arrange(own);
  return mine;
}

TEST(ProcessTest, TreesInGivenMemoryGiveTheTrajectoryOfThreads) {
  constexpr unsigned kSteps = 5;
  Settings s;
  s.mac.criterion = Criterion::kAcceleration;
  const Bodies all = make_problem("plummer", 1200, 4);
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  Shared& shared = *new (memory) Shared;
  pthread_barrierattr_t attributes;
  pthread_barrierattr_init(&attributes);
  pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&shared.barrier, &attributes, kRanks);
  std::vector<pid_t> children;
  for (unsigned rank = 0; rank < kRanks; ++rank) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(60);  // a rank that fails would leave the others at the barrier
      ProcessExchange exchange(shared, rank);
      Simulation simulation(s, exchange, 1, share_of(all, rank), Clock{});
      for (unsigned step = 0; step < kSteps; ++step) simulation.step();
      const auto positions = std::as_bytes(std::span(simulation.bodies().position));
      std::memcpy(shared.ranks[rank].bodies, positions.data(), positions.size());
      shared.ranks[rank].result = positions.size();
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  LocalRun run(s, kRanks, LetMode::kHost, 1, all, {}, Clock{});
  run.advance(kSteps);
  for (unsigned rank = 0; rank < kRanks; ++rank) {
    const auto expected = std::as_bytes(std::span(run.simulation(rank).bodies().position));
    ASSERT_EQ(shared.ranks[rank].result, expected.size());
    EXPECT_EQ(std::memcmp(shared.ranks[rank].bodies, expected.data(), expected.size()), 0);
  }
  munmap(memory, sizeof(Shared));
}

}  // namespace
}  // namespace polyloom::nbody
