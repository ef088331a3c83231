// SPDX-License-Identifier: Apache-2.0
// Covers: when absent clients come back, against hand-derived times; meetings that cannot come about; misuse.
// Leaves out: delays of clients and several host nodes (schedule_test.cc).
#include "fabric/host/absence.h"

#include <gtest/gtest.h>

#include <array>

#include "fabric/host/test_simulator.h"

namespace polyloom::fabric {
namespace {

using namespace testing;

TEST(Absences, AMeetingEndsWhenAllHaveComeOrFinished) {
  Absences a;
  for (unsigned client = 0; client < 4; ++client) a.add(client);
  EXPECT_FALSE(a.due());
  a.meet(2, {0, 3});
  a.meet(0, {3, 2});
  EXPECT_FALSE(a.due());
  a.meet(3, {0, 1, 2});  // another meeting
  EXPECT_FALSE(a.due());
  a.present(3);
  a.meet(3, {2, 0});
  EXPECT_TRUE(a.due());
  EXPECT_EQ(a.back(0), kNever);
  EXPECT_TRUE(a.release(70, false));
  EXPECT_FALSE(a.due());
  for (const unsigned client : {0u, 2u, 3u}) EXPECT_EQ(a.back(client), 70);
  a.present(0), a.present(2), a.finish(3);
  a.meet(1, {3});
  EXPECT_TRUE(a.due());  // who has finished is not waited for
  EXPECT_TRUE(a.release(80, false));
  EXPECT_EQ(a.back(1), 80);
}

TEST(Absences, AClientThatIsAwayComesBackWhenNoOtherCanGoOn) {
  Absences a;
  for (unsigned client = 0; client < 3; ++client) a.add(client);
  a.leave(0);
  EXPECT_FALSE(a.due());
  EXPECT_FALSE(a.release(10, false));
  EXPECT_TRUE(a.release(20, true));  // the others wait for what cannot come
  EXPECT_EQ(a.back(0), 20);
  a.present(0);
  a.leave(0);
  a.meet(1, {2});
  a.finish(2);
  EXPECT_TRUE(a.release(30, false));  // a meeting ends before a client is called back
  EXPECT_EQ(a.back(1), 30);
  EXPECT_EQ(a.back(0), kNever);
  a.present(1);
  a.meet(1, {0});
  EXPECT_TRUE(a.due());  // only client 0 can end that
  EXPECT_FALSE(a.standstill());
  EXPECT_TRUE(a.release(40, false));
  EXPECT_EQ(a.back(0), 40);
  a.present(0);
  a.meet(0, {2});
  a.finish(1);
  EXPECT_TRUE(a.release(50, false));
}

TEST(Absences, AStandstillIsSeen) {
  Absences a;
  for (unsigned client = 0; client < 3; ++client) a.add(client);
  a.meet(0, {1});
  a.meet(1, {2});
  EXPECT_FALSE(a.standstill());
  a.meet(2, {0});
  EXPECT_TRUE(a.standstill());
  EXPECT_TRUE(a.due());
  EXPECT_FALSE(a.release(10, true));
  EXPECT_EQ(a.reason(1), "to meet client 2");
}

/// Runs each program as client of its number, all at one host node.
void run_clients(Simulator& simulator, const std::vector<std::function<void(HostClient&)>>& programs) {
  std::vector<std::thread> threads;
  for (unsigned k = 0; k < programs.size(); ++k) {
    threads.emplace_back([&, k] {
      auto host = simulator.client(k, {k});
      programs[k](*host);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Boards are 500 ns apart, so a window is 500 ns. Client 0 calls at 0 and is there at 2 us, client 1 at 32
// us: windows with nothing to do are left out, that of 32 us ends at 32.5 us.
TEST(Away, AMeetingEndsWithTheWindowOfTheLastComer) {
  Simulator simulator(cluster_text(2), {}, 2);
  run_clients(simulator, {[](HostClient& host) {
                            host.meet();
                            EXPECT_EQ(host.now(), 32'500 * kNs);
                            host.finish();
                          },
                          [](HostClient& host) {
                            host.wait(28 * kUs);  // from 2 us on
                            EXPECT_EQ(host.now(), 30 * kUs);
                            const std::array<unsigned, 1> other{0};
                            host.meet(other);
                            EXPECT_EQ(host.now(), 32'500 * kNs);
                            host.finish();
                          }});
}

TEST(Away, TimePassesUntilTheDeadlineOrUntilTheOthersAreThrough) {
  Simulator simulator(cluster_text(2), {}, 2);
  run_clients(simulator, {[](HostClient& host) {
                            host.away(10 * kUs);  // from 2 us on
                            EXPECT_THROW(host.try_recv(), UserError);
                            EXPECT_THROW(host.send(0, words(1, 1)), UserError);
                            host.back();
                            EXPECT_EQ(host.now(), 12 * kUs);
                            host.away();
                            host.back();
                            EXPECT_EQ(host.now(), 102'500 * kNs);
                            host.finish();
                          },
                          [](HostClient& host) {
                            for (int i = 0; i < 10; ++i) host.wait(8 * kUs);
                            EXPECT_EQ(host.now(), 100 * kUs);
                            host.finish();  // at 102 us; that window ends at 102.5 us
                          }});
}

// Client 1 waits for a frame that only client 0 can cause: the fabric is quiet, so client 0 is called back.
TEST(Away, AClientThatWaitsForAnAwayClientGetsIt) {
  Simulator simulator(cluster_text(2), {}, 2);
  run_clients(simulator, {[](HostClient& host) {
                            host.away();
                            host.back();
                            host.send(1, words(1, 5));
                            host.finish();
                          },
                          [](HostClient& host) {
                            EXPECT_EQ(host.recv().words, words(1, 6));
                            host.finish();
                          }});
}

TEST(Away, AloneItTakesACall) {
  Simulator simulator(cluster_text(1));
  auto host = simulator.client();
  host->away();
  host->back();
  EXPECT_EQ(host->now(), 3 * kUs);
  host->meet();
  EXPECT_EQ(host->now(), 6 * kUs);
  host->finish();
}

// Also where boards are never idle.
TEST(Away, MeetingsThatCannotComeAboutAreADeadlock) {
  Simulator simulator(cluster_text(3, "[echo]\ntick = \"100 ns\"\n"), {}, 3);
  const auto meets = [](unsigned whom) {
    return [whom](HostClient& host) {
      const std::array<unsigned, 1> with{whom};
      std::string message;
      EXPECT_EQ(reason_of([&] { host.meet(with); }, &message), HostErrorReason::deadlock);
      EXPECT_NE(message.find("client 1 is away since 2 us, to meet client 2"), std::string::npos) << message;
    };
  };
  run_clients(simulator, {meets(1), meets(2), meets(0)});
}

TEST(Away, AMeetingWithAClientThatIsNotThereIsRefused) {
  Simulator simulator(cluster_text(1));
  auto host = simulator.client();
  const std::array<unsigned, 1> with{7};
  std::string message;
  EXPECT_EQ(reason_of([&] { host->meet(with); }, &message), HostErrorReason::fault);
  EXPECT_NE(message.find("client 0 wants to meet client 7; the run has no client"), std::string::npos)
      << message;
}

}  // namespace
}  // namespace polyloom::fabric
