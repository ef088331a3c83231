// SPDX-License-Identifier: Apache-2.0
// Covers: times of calls against hand-derived ones, order, caching of frames, long frames, several clients,
// deadlock, limit, fault, a client that leaves. Leaves out: starting and ending a simulator process
// (sim).
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <random>
#include <thread>

#include "fabric/host/client.h"
#include "fabric/host/test_simulator.h"

namespace polyloom::fabric {
namespace {

using namespace testing;

// A 64 Gb/s link takes 1 ns a word. A call made at 0 takes effect at 2 us; n words leave from then on, the
// last one arrives 1 us + (n-1) ns later, its echo begins at once and its last word is back 1 us + (n-1) ns
// after that.
TEST(Host, CallsTakeTheStatedTime) {
  Simulator simulator(cluster_text(2));
  auto host = simulator.client();
  ASSERT_EQ(host->num_links(), 2);
  EXPECT_EQ(host->link(1).peer, "fpga.1.0");
  EXPECT_EQ(host->find_link("fpga.1.0"), 1);
  EXPECT_EQ(host->link(0).period, 1 * kNs);
  EXPECT_EQ(host->call_time(), 2 * kUs);
  EXPECT_EQ(host->now(), 0);
  host->send(1, words(5, 100));
  EXPECT_EQ(host->now(), 2 * kUs);
  EXPECT_FALSE(host->try_recv());  // looks at 4 us; the echo is complete at 4.008 us
  EXPECT_EQ(host->now(), 4 * kUs);
  const auto late = host->try_recv();
  ASSERT_TRUE(late);
  EXPECT_EQ(late->words, words(5, 101));
  EXPECT_EQ(late->link, 1);
  EXPECT_EQ(late->arrival, 4008 * kNs);
  EXPECT_EQ(host->now(), 6 * kUs);

  host->send(0, words(1, 7), 3);  // queued at 8 us, back at 10 us
  EXPECT_EQ(host->recv().keep, 3u);
  EXPECT_EQ(host->now(), 10 * kUs);  // the call takes effect at 10 us, just when it is there
  host->send(0, words(11, 7));       // queued at 12 us; complete at 14.020 us
  EXPECT_EQ(host->recv().arrival, 14020 * kNs);
  EXPECT_EQ(host->now(), 14020 * kNs);
  EXPECT_FALSE(host->wait(1 * kUs));  // looks from 16.020 us for 1 us
  EXPECT_EQ(host->now(), 17020 * kNs);
  host->send(0, {});                 // a pulse: queued at 19.020 us, back 2 us later
  EXPECT_TRUE(host->wait(1 * kUs));  // from 21.020 us
  EXPECT_EQ(host->now(), 21020 * kNs);
  EXPECT_TRUE(host->recv().words.empty());
  EXPECT_EQ(host->now(), 23020 * kNs);
  EXPECT_EQ(host->finish(), "{}");
  simulator.join();
  EXPECT_EQ(simulator.result.reason, RunEnd::node_stop);
  EXPECT_EQ(simulator.error, "");
}

// A frame that comes meanwhile has its own time of arrival; what is sent after it leaves after it.
TEST(Host, ComputingTakesTheTimeThatIsSaid) {
  Simulator simulator(cluster_text(1));
  auto host = simulator.client();
  host->send(0, words(5, 100));  // complete at 4.008 us, as above
  host->compute(100 * kUs);
  EXPECT_EQ(host->now(), 102 * kUs);
  const Received frame = host->recv();  // looks at 104 us
  EXPECT_EQ(frame.arrival, 4008 * kNs);
  EXPECT_EQ(host->now(), 104 * kUs);
  host->compute(50 * kUs);
  host->send(0, words(1, 7));  // queued at 156 us, back 2 us later
  EXPECT_EQ(host->recv().arrival, 158 * kUs);
  host->finish();
}

// Asking frame by frame gives the same times whether a frame came with an earlier response or not.
TEST(Host, ManyFramesComeInOrderOfArrival) {
  Simulator simulator(cluster_text(3));
  auto host = simulator.client();
  const int count = 20'000;
  for (int i = 0; i < count; ++i) host->send(i % 3, words(static_cast<std::size_t>(1 + i % 4), 1000 * i + 1));
  EXPECT_EQ(host->now(), count * 2 * kUs);
  Time last = 0;
  for (int i = 0; i < count; ++i) {
    const Time before = host->now();
    const Received frame = host->recv();
    EXPECT_EQ(frame.link, i % 3);
    EXPECT_EQ(frame.words, words(static_cast<std::size_t>(1 + i % 4), 1000 * i + 2));
    EXPECT_GE(frame.arrival, last);
    EXPECT_EQ(host->now(), std::max(before + 2 * kUs, frame.arrival));
    last = frame.arrival;
  }
  host->finish();
}

// One call for all: both links begin at 2 us; of two frames on one link the second follows the first.
TEST(Host, ABatchTakesTheTimeOfOneCall) {
  Simulator simulator(cluster_text(2));
  auto host = simulator.client();
  const auto first = words(5, 100), second = words(3, 200), other = words(1, 300);
  host->send(std::vector<Outgoing>{{0, first}, {1, other, 3}, {0, second}, {1, {}}});
  EXPECT_EQ(host->now(), 2 * kUs);
  const auto frames = host->recv(4);
  ASSERT_EQ(frames.size(), 4u);
  // Back after 1 us there and 1 us here: on link 1 a word and a pulse, on link 0 eight words in a row.
  EXPECT_EQ(frames[0].link, 1);
  EXPECT_EQ(frames[0].keep, 3u);
  EXPECT_EQ(frames[0].words, words(1, 301));
  EXPECT_EQ(frames[0].arrival, 4 * kUs);
  EXPECT_TRUE(frames[1].words.empty());
  EXPECT_EQ(frames[2].words, words(5, 101));
  EXPECT_EQ(frames[2].arrival, 4008 * kNs);
  EXPECT_EQ(frames[3].words, words(3, 201));
  EXPECT_EQ(host->now(), 6 * kUs);  // the first look, at 4 us, found one frame; the second all others
  EXPECT_THROW(host->send(std::vector<Outgoing>{{0, first}, {2, other}}), UserError);
  host->send(std::vector<Outgoing>{});
  EXPECT_EQ(host->now(), 6 * kUs);
  host->finish();
}

// Marks cost no time, are no calls, and may name a time that is over, but not run backwards.
TEST(Host, MarksNameThePhasesOfARun) {
  Simulator simulator(cluster_text(1));
  auto host = simulator.client();
  host->mark("load", 0);
  host->send(0, words(1, 7));
  EXPECT_EQ(host->recv().arrival, 4 * kUs);
  host->mark("compute", 3 * kUs);
  EXPECT_EQ(host->now(), 4 * kUs);
  EXPECT_THROW(host->mark("early", 2 * kUs), UserError);
  EXPECT_THROW(host->mark("late", 5 * kUs), UserError);
  host->finish();
  simulator.join();
  const auto lengths = phase_lengths(simulator.server.find(0)->phases, simulator.result.end);
  ASSERT_EQ(lengths.size(), 2u);
  EXPECT_EQ(lengths[0], (std::pair<std::string, Time>("load", 3 * kUs)));
  EXPECT_EQ(lengths[1], (std::pair<std::string, Time>("compute", simulator.result.end - 3 * kUs)));
}

// 8 MiB through a link whose window holds a few hundred words.
TEST(Host, LongFrames) {
  Simulator simulator(cluster_text(1));
  auto host = simulator.client();
  const std::size_t n = 1 << 20;
  host->send(0, words(n, 5));
  const Received frame = host->recv();
  EXPECT_EQ(frame.words, words(n, 6));
  // Out and back: the echo waits for the whole frame.
  EXPECT_EQ(frame.arrival, 2 * kUs + 2 * (1 * kUs + static_cast<Time>(n - 1) * kNs));
  host->finish();
}

TEST(Host, TimeAdvancesOnlyWhenAllClientsCall) {
  std::uint64_t digest = 0;
  for (int round = 0; round < 3; ++round) {
    Simulator simulator(cluster_text(2), {}, 2);
    std::thread other([&] {
      auto host = simulator.client(1, {1});
      for (int i = 0; i < 50; ++i) {
        if (round == 1) std::this_thread::sleep_for(std::chrono::microseconds(300));
        host->send(1, words(2, 10));
        EXPECT_EQ(host->recv().link, 1);
      }
      host->finish();
    });
    auto host = simulator.client(0, {0});
    for (int i = 0; i < 70; ++i) {
      if (round == 2) std::this_thread::sleep_for(std::chrono::microseconds(200));
      host->send(i % 2, words(3, 20));  // link 1's echoes are the other client's, which takes the first 50
      if (i % 2 == 0) {
        EXPECT_EQ(host->recv().link, 0);
      }
    }
    host->finish();
    other.join();
    simulator.join();
    if (round == 0) digest = simulator.result.digest;
    EXPECT_EQ(simulator.result.digest, digest);
  }
}

TEST(Host, EnginesAgree) {
  std::vector<std::uint64_t> digests;
  for (const unsigned threads : {0u, 1u, 2u, 3u}) {
    EngineOptions options;
    options.kind = threads == 0 ? EngineKind::serial : EngineKind::threads;
    options.threads = std::max(1u, threads);
    Simulator simulator(cluster_text(4), options);
    auto host = simulator.client();
    for (int i = 0; i < 100; ++i) {
      host->send(i % 4, words(static_cast<std::size_t>(i), 1));
      if (i % 3 == 0) host->try_recv();
      if (i % 7 == 0) host->wait(5 * kUs);
    }
    host->finish();
    simulator.join();
    digests.push_back(simulator.result.digest);
  }
  for (const std::uint64_t digest : digests) EXPECT_EQ(digest, digests[0]);
}

TEST(Host, DeadlockReachesTheClient) {
  Simulator simulator(cluster_text(1, "[echo]\nswallow = 13\n"));
  auto host = simulator.client();
  host->send(0, words(1, 13));
  std::string message;
  EXPECT_EQ(reason_of([&] { host->recv(); }, &message), HostErrorReason::deadlock);
  EXPECT_NE(message.find("fpga.0.0: a word that it can bear"), std::string::npos) << message;
  EXPECT_EQ(reason_of([&] { host->recv(); }), HostErrorReason::deadlock);
}

TEST(Host, LimitReachesTheClient) {
  EngineOptions options;
  options.limit = 100 * kUs;
  Simulator simulator(cluster_text(1), options);
  auto host = simulator.client();
  EXPECT_EQ(reason_of([&] {
              for (int i = 0; i < 1000; ++i) host->wait(1 * kUs);
            }),
            HostErrorReason::limit);
  EXPECT_LE(host->now(), 100 * kUs);
}

TEST(Host, NodeFaultReachesTheClient) {
  Simulator simulator(cluster_text(1, "[echo]\nfault = 66\n"));
  auto host = simulator.client();
  host->send(0, words(1, 66));
  std::string message;
  EXPECT_EQ(reason_of([&] { host->recv(); }, &message), HostErrorReason::fault);
  EXPECT_NE(message.find("the fatal word came"), std::string::npos) << message;
}

TEST(Host, AClientThatLeavesEndsTheRun) {
  Simulator simulator(cluster_text(2), {}, 2);
  std::unique_ptr<HostClient> stays;
  std::thread other([&] { stays = simulator.client(1); });
  auto leaves = simulator.client(0);
  leaves->send(0, words(1, 1));
  other.join();
  leaves.reset();
  EXPECT_EQ(reason_of([&] { stays->recv(); }), HostErrorReason::interrupted);
  simulator.join();
  EXPECT_TRUE(simulator.server.client_left());
}

// The simulator is busy for ever and does not listen to the client, which waits for a frame and then dies.
TEST(Host, AClientThatDiesIsNoticedDuringARun) {
  Simulator simulator(cluster_text(1, "[echo]\ntick = \"100 ns\"\n"));
  Channel channel(simulator.connect());
  channel.put(HostMessage::key, 0, key_body(""));
  BodyWriter hello;
  hello.u32(0);
  hello.u32(0);
  channel.put(HostMessage::hello, 0, hello.body());
  channel.flush();
  HostHeader header{};
  std::string body;
  for (const HostMessage type : {HostMessage::key, HostMessage::welcome}) {
    ASSERT_EQ(channel.receive(header), Channel::Outcome::message);
    ASSERT_TRUE(channel.read(header, body));
    EXPECT_EQ(header.type, type);
  }
  BodyWriter request;
  request.i64(kNever);
  channel.put(HostMessage::receive, 0, request.body());
  channel.flush();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  channel.close();
  simulator.join();
  EXPECT_TRUE(simulator.server.client_left());
  EXPECT_GT(simulator.result.end, 100 * kUs);
}

// Random bytes, and messages with random headers: the simulator ends with an error or goes on, but does not
// crash.
TEST(Host, NonsenseIsTurnedAway) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 200; ++round) {
    Simulator simulator(cluster_text(1));
    Channel channel(simulator.connect());
    channel.put(HostMessage::key, 0, key_body(""));
    BodyWriter hello;
    hello.u32(0);
    hello.u32(0);
    channel.put(HostMessage::hello, 0, hello.body());
    for (int i = 0; i < 3; ++i) {
      std::string junk(random() % 64, '\0');
      for (char& c : junk) c = static_cast<char>(random() % 5);
      channel.put(static_cast<HostMessage>(random() % 8), static_cast<Time>(random() % 3), junk);
    }
    channel.flush();
    channel.close();
    simulator.join();
  }
}

TEST(Host, BadArgumentsAreRefused) {
  Simulator simulator(cluster_text(1));
  auto host = simulator.client();
  EXPECT_THROW(host->send(1, {}), UserError);
  EXPECT_THROW(host->send(-1, {}), UserError);
  EXPECT_THROW(host->send(0, words(1, 1), 9), UserError);
  host->finish();
}

}  // namespace
}  // namespace polyloom::fabric
