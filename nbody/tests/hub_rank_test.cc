// SPDX-License-Identifier: Apache-2.0
// Covers: ranks on a cluster of hubs whose measured computation is uneven, as on a busy machine, and who wait
// for a master between requests: every request is answered. Leaves out: what they compute
// (test_nbody_cluster.py).
#include "nbody/hub/hub_rank.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "nbody/problems/problems.h"

extern char** environ;

namespace polyloom::nbody {
namespace {

constexpr unsigned kRanks = 8, kRequests = 100;

pid_t start_simulator(const std::string& socket) {
  std::vector<std::string> words{
      POLYLOOM_HUB_SIM, "--cluster", "peach2-8", "--clients", std::to_string(kRanks),
      "--engine",       "serial",    "--listen", socket};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = -1;
  EXPECT_EQ(::posix_spawn(&pid, POLYLOOM_HUB_SIM, nullptr, nullptr, argv.data(), environ), 0);
  return pid;
}

std::unique_ptr<HubRank> join(const std::string& socket, unsigned rank) {
  HubPlace place;
  place.socket = socket;
  place.rank = rank;
  place.ranks = kRanks;
  place.let = HubLet::kHost;
  place.compute = ComputeTime::kMeasured;
  for (int tries = 0;; ++tries) {
    try {
      return std::make_unique<HubRank>(place, Settings{}, 1, make_problem("plummer", 16, rank), Clock{});
    } catch (const fabric::SimulatorError&) {
      throw;
    } catch (const UserError&) {
      if (tries > 5000) throw;                                    // none will
      std::this_thread::sleep_for(std::chrono::milliseconds(2));  // the simulator does not listen yet
    }
  }
}

// What a rank has computed is its process's CPU time: here that of all ranks' threads and of one that never
// rests, so ranks come to their calls at times that are far apart.
TEST(HubRank, UnevenRanksRespondToEveryRequest) {
  const std::string socket = "/tmp/polyloom-hub-rank-test-" + std::to_string(::getpid());
  const pid_t simulator = start_simulator(socket);
  ASSERT_GT(simulator, 0);  // what the watchdog kills is a process, not all of them
  std::atomic<bool> over{false};
  std::atomic<unsigned> responded{0};
  std::thread busy([&] {
    while (!over) {
    }
  });
  std::thread watchdog([&] {
    for (int tenths = 0; tenths < 1200 && !over; ++tenths)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (!over) ::kill(simulator, SIGKILL);
  });
  std::barrier master(kRanks);  // the next request comes when all have answered the last one
  std::vector<std::thread> ranks;
  for (unsigned r = 0; r < kRanks; ++r) {
    ranks.emplace_back([&, r] {
      try {
        const auto rank = join(socket, r);
        for (unsigned request = 0; request < kRequests; ++request) {
          rank->advance(1);
          ++responded;
          master.arrive_and_wait();
        }
        rank->finish();
      } catch (const std::exception& error) {
        ADD_FAILURE() << "rank " << r << ": " << error.what();
        master.arrive_and_drop();
      }
    });
  }
  for (std::thread& rank : ranks) rank.join();
  over = true;
  busy.join();
  watchdog.join();
  int status = 0;
  ::waitpid(simulator, &status, 0);
  EXPECT_EQ(responded, kRanks * kRequests);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace polyloom::nbody
