// SPDX-License-Identifier: Apache-2.0
// Covers: the protocol engine against a model of MPI's matching, on networks with loss, duplicates and
// reordering; packets a message costs; giving up. Leaves out: transports (test_programs.py) and the RTL
// engine (roles/mpi/tests).
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "roles/mpi/runtime/engine/commands.h"
#include "roles/mpi/runtime/tests/network.h"

namespace polyloom::mpi::testing {
namespace {

constexpr Time kMs = 1'000'000'000;

Config quick() {
  Config c;
  c.retransmission = 100'000'000;
  c.ack_delay = 10'000'000;
  c.credits = 4;
  c.eager_bytes = 256;
  c.window = 4 * 1440;
  c.retries = 50;
  return c;
}

std::vector<std::byte> pattern(std::size_t bytes, unsigned seed) {
  std::vector<std::byte> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(seed * 31 + i * 7 + i / 251);
  return data;
}

TEST(Engine, ShortMessageCostsOnePacketAndItsAcknowledgement) {
  Network net(2, quick(), {}, 1);
  const auto data = pattern(100, 1);
  std::vector<std::byte> got(100);
  const int receive = net[1].receive({0, 5, 0, 0}, got.data(), 100, 0);
  const int send = net[0].send({1, 5, 0, 0}, data.data(), 100, false, 0);
  EXPECT_TRUE(net[0].complete(static_cast<unsigned>(send)));
  ASSERT_TRUE(net.run_until_complete(1, receive, kMs));
  while (net.step()) {
  }
  EXPECT_EQ(got, data);
  EXPECT_EQ(net.packets(Kind::eager), 1u);
  EXPECT_EQ(net.packets(), 2u);
  EXPECT_TRUE(net[0].quiet());
}

TEST(Engine, LongMessageTakesItsDataOnceAndFewWordsBack) {
  Network net(2, quick(), {}, 1);
  const auto data = pattern(40 * 1440, 2);
  std::vector<std::byte> got(data.size());
  const int send = net[0].send({1, 5, 0, 0}, data.data(), static_cast<std::uint32_t>(data.size()), false, 0);
  const int receive = net[1].receive({0, 5, 0, 0}, got.data(), static_cast<std::uint32_t>(got.size()), 0);
  ASSERT_TRUE(net.run_until_complete(1, receive, 10 * kMs));
  ASSERT_TRUE(net.run_until_complete(0, send, 10 * kMs));
  EXPECT_EQ(got, data);
  EXPECT_EQ(net.packets(Kind::rts), 1u);
  EXPECT_EQ(net.packets(Kind::data), 40u);
  EXPECT_EQ(net.packets(Kind::done), 1u);
  EXPECT_LE(net.packets(Kind::cts), 20u);  // one for half a window
  EXPECT_EQ(net.packets(Kind::resume), 0u);
}

TEST(Engine, ALostPieceCostsNoMoreThanAWindow) {
  for (unsigned seed = 1; seed < 20; ++seed) {
    Network net(2, quick(), {.loss = 0.02}, seed);
    const auto data = pattern(200 * 1440, seed);
    std::vector<std::byte> got(data.size());
    const int receive = net[1].receive({0, 5, 0, 0}, got.data(), static_cast<std::uint32_t>(got.size()), 0);
    net[0].send({1, 5, 0, 0}, data.data(), static_cast<std::uint32_t>(data.size()), false, 0);
    ASSERT_TRUE(net.run_until_complete(1, receive, 100 * kMs));
    EXPECT_EQ(got, data);
    EXPECT_LE(net.packets(Kind::data), 200u + 4 * 16);
  }
}

TEST(Engine, SynchronousSendWaitsForItsReceive) {
  Network net(2, quick(), {}, 1);
  int value = 7, got = 0;
  const int send = net[0].send({1, 1, 0, 0x12}, &value, 4, true, 0);
  for (Time end = 50 * kMs; net.step(end);) {
  }
  EXPECT_FALSE(net[0].complete(static_cast<unsigned>(send)));
  const int receive = net[1].receive({POLYLOOM_ANY_RANK, POLYLOOM_ANY_TAG, 0, 0x12}, &got, 4, net.now());
  ASSERT_TRUE(net.run_until_complete(1, receive, 10 * kMs));
  ASSERT_TRUE(net.run_until_complete(0, send, 10 * kMs));
  EXPECT_EQ(got, 7);
  const Result result = net[1].take(static_cast<unsigned>(receive));
  EXPECT_EQ(result.source, 0);
  EXPECT_EQ(result.tag, 1);
}

TEST(Engine, ErrorsOfReceives) {
  for (const std::uint32_t bytes : {100u, 1000u}) {  // eager, rendezvous
    Network net(2, quick(), {}, 1);
    const auto data = pattern(bytes, 1);
    std::vector<std::byte> got(bytes);
    net[0].send({1, 1, 0, 0x12}, data.data(), bytes, false, 0);
    net[0].send({1, 2, 0, 0x12}, data.data(), bytes, false, 0);
    const int cut = net[1].receive({0, 1, 0, 0x12}, got.data(), bytes - 4, 0);
    const int other = net[1].receive({0, 2, 0, 0x33}, got.data(), bytes, 0);
    ASSERT_TRUE(net.run_until_complete(1, cut, 10 * kMs));
    ASSERT_TRUE(net.run_until_complete(1, other, 10 * kMs));
    const Result truncated = net[1].take(static_cast<unsigned>(cut));
    EXPECT_EQ(truncated.error, POLYLOOM_TRUNCATED);
    EXPECT_EQ(truncated.bytes, bytes);
    EXPECT_EQ(net[1].take(static_cast<unsigned>(other)).error, POLYLOOM_TYPE_DIFFERS);
    while (net.step()) {
    }
    EXPECT_TRUE(net[0].quiet());
  }
  Network net(1, quick(), {}, 1);
  EXPECT_EQ(net[0].send({9, 1, 0, 0}, nullptr, 0, false, 0), -POLYLOOM_NO_SUCH);
}

TEST(Engine, SilentRankEndsRequestsWithAnError) {
  Config config = quick();
  config.retries = 5;
  config.buffered = 0;  // a copied send is complete whether it is heard or not
  Network net(3, config, {}, 1);
  std::vector<std::byte> data(1000);
  net.cut(1);
  const int receive = net[0].receive({1, 1, 0, 0}, data.data(), 1000, 0);
  const int send = net[0].send({1, 1, 0, 0}, data.data(), 1000, false, 0);
  const int queued = net[0].send({1, 1, 0, 0}, data.data(), 1000, true, 0);
  const int fine = net[0].send({2, 1, 0, 0}, data.data(), 1000, false, 0);
  ASSERT_TRUE(net.run_until_complete(0, send, 50 * kMs));
  EXPECT_EQ(net[0].take(static_cast<unsigned>(send)).error, POLYLOOM_NO_RESPONSE);
  ASSERT_TRUE(net.run_until_complete(0, queued, 50 * kMs));
  const int later = net[0].send({1, 1, 0, 0}, data.data(), 10, false, net.now());
  EXPECT_EQ(net[0].take(static_cast<unsigned>(later)).error, POLYLOOM_NO_RESPONSE);
  EXPECT_EQ(net[0].take(static_cast<unsigned>(receive)).error, POLYLOOM_NO_RESPONSE);
  const int late = net[0].receive({1, 1, 0, 0}, data.data(), 1000, net.now());
  EXPECT_EQ(net[0].take(static_cast<unsigned>(late)).error, POLYLOOM_NO_RESPONSE);
  // One that merely has no receive yet is no silent rank.
  for (Time end = net.now() + 100 * kMs; net.step(end);) {
  }
  EXPECT_FALSE(net[0].complete(static_cast<unsigned>(fine)));
}

TEST(Engine, CopiedSendIsCompleteAtOnceAndArrivesWhatItWas) {
  Config config = quick();
  config.buffered = 64 << 10;
  Network net(2, config, {.loss = 0.05}, 4);
  std::vector<std::byte> data(config.buffered + 1), got(config.buffered + 1);
  for (const std::uint32_t bytes : {config.eager_bytes + 1u, 5000u, config.buffered, config.buffered + 1}) {
    std::fill(data.begin(), data.end(), std::byte{7});
    const int send = net[0].send({1, 1, 0, 0}, data.data(), bytes, false, net.now());
    const bool at_once = net[0].complete(static_cast<unsigned>(send));
    EXPECT_EQ(at_once, bytes <= config.buffered) << bytes;
    if (at_once) std::fill(data.begin(), data.end(), std::byte{9});
    std::fill(got.begin(), got.end(), std::byte{0});
    const int receive = net[1].receive({0, 1, 0, 0}, got.data(), bytes, net.now());
    ASSERT_TRUE(net.run_until_complete(1, receive, 1000 * kMs));
    ASSERT_TRUE(net.run_until_complete(0, send, 1000 * kMs));
    EXPECT_EQ(net[0].take(static_cast<unsigned>(send)).error, POLYLOOM_OK);
    EXPECT_EQ(net[1].take(static_cast<unsigned>(receive)).bytes, bytes);
    EXPECT_EQ(std::count(got.begin(), got.end(), std::byte{7}), static_cast<std::ptrdiff_t>(bytes));
    for (Time end = net.now() + 1000 * kMs; !net[0].quiet() && net.step(end);) {
    }
    EXPECT_TRUE(net[0].quiet());  // and the copy's room is free again
  }
}

TEST(Engine, DataLeavesAtTheRateOfTheLink) {
  Config config = quick();
  config.rate = 1'000'000'000;
  config.retries = 2;
  config.window = 1 << 20;
  Network net(3, config, {}, 5);
  // The second receiver hears no data for many retransmission times, as the first one's go first.
  const std::uint32_t bytes = 1'000'000, pieces = (bytes + kMaxPayload - 1) / kMaxPayload;
  std::vector<std::byte> data(bytes, std::byte{7}), got[2];
  int send[2], receive[2];
  for (unsigned i = 0; i < 2; ++i) {
    got[i].resize(bytes);
    const auto peer = static_cast<std::uint16_t>(i + 1);
    send[i] = net[0].send({peer, 1, 0, 0}, data.data(), bytes, true, net.now());
    receive[i] = net[peer].receive({0, 1, 0, 0}, got[i].data(), bytes, net.now());
  }
  for (unsigned i = 0; i < 2; ++i) {
    ASSERT_TRUE(net.run_until_complete(0, send[i], 1000 * kMs));
    EXPECT_EQ(net[0].take(static_cast<unsigned>(send[i])).error, POLYLOOM_OK);
    ASSERT_TRUE(net.run_until_complete(i + 1, receive[i], 1000 * kMs));
    EXPECT_EQ(got[i], data);
    const Time least = Time{bytes} * 8 * (i + 1) * 1000;  // 1 ns a bit
    EXPECT_GT(net.now(), least - kMs / 10);
    EXPECT_LT(net.now(), least * 11 / 10);
    EXPECT_NEAR(net.packets(Kind::data), pieces * (i + 1), 1 - i);  // none twice
  }
}

TEST(Engine, SequenceNumbersWrap) {
  Network net(2, quick(), {.loss = 0.001}, 3);
  std::uint32_t next = 0;
  for (std::uint32_t i = 0; i < 70000; ++i) {
    const int send = net[0].send({1, 1, 0, 0}, &i, 4, i % 1000 == 0, net.now());
    std::uint32_t got = 0;
    const int receive = net[1].receive({0, 1, 0, 0}, &got, 4, net.now());
    ASSERT_TRUE(net.run_until_complete(1, receive, 100 * kMs));
    ASSERT_TRUE(net.run_until_complete(0, send, 100 * kMs));
    net[0].take(static_cast<unsigned>(send));
    net[1].take(static_cast<unsigned>(receive));
    ASSERT_EQ(got, next++);
  }
}

// Each rank sends and receives at random. The model: a receive that names its source and tag gets the oldest
// such message that no earlier receive got; with wildcards, some source's oldest message that matches.
struct Message {
  unsigned from;
  std::int32_t tag;
  std::uint16_t comm;
  unsigned number;
  std::vector<std::byte> data;
};

struct Posted {
  Envelope envelope;
  std::vector<std::byte> buffer;
  int handle;
};

void random_traffic(unsigned ranks, const Config& config, const Faults& faults, std::uint64_t seed,
                    unsigned messages) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Network net(ranks, config, faults, seed);
  auto pick = [&](std::uint64_t n) { return static_cast<unsigned>(net.random()() % n); };
  std::vector<std::vector<Message>> sent(ranks);  // by destination, in order of sending for each source
  std::vector<std::vector<Posted>> posted(ranks);
  std::vector<std::pair<unsigned, int>> sends;
  const std::uint32_t lengths[] = {0, 4, 255, 256, 257, 1440, 5000, 20001};
  for (unsigned i = 0; i < messages; ++i) {
    const unsigned from = pick(ranks), to = pick(ranks);
    Message m{from, static_cast<std::int32_t>(pick(3)), static_cast<std::uint16_t>(pick(2)), i, {}};
    m.data = pattern(lengths[pick(8)], i);
    sent[to].push_back(std::move(m));
    // The receives that will take them all: exact or wild, but wild ones only in a communicator where all
    // are.
    const Message& last = sent[to].back();
    const bool wild = last.comm == 1;
    Posted p{{static_cast<std::uint16_t>(wild ? 0xFFFF : from), wild ? -1 : last.tag, last.comm, 0},
             std::vector<std::byte>(20008),
             -1};
    posted[to].push_back(std::move(p));
  }
  for (auto& list : posted) std::shuffle(list.begin(), list.end(), net.random());
  std::vector<std::size_t> next_receive(ranks, 0);
  std::map<unsigned, std::pair<unsigned, const Message*>> order;
  for (unsigned to = 0; to < ranks; ++to) {
    for (const Message& m : sent[to]) order[m.number] = {to, &m};
  }
  auto next = order.begin();
  while (true) {
    if (next != order.end() && pick(2) == 0) {
      const Message& m = *next->second.second;
      const int handle =
          net[m.from].send({static_cast<std::uint16_t>(next->second.first), m.tag, m.comm, 0}, m.data.data(),
                           static_cast<std::uint32_t>(m.data.size()), pick(4) == 0, net.now());
      ASSERT_GE(handle, 0);
      sends.emplace_back(m.from, handle);
      ++next;
    }
    const unsigned rank = pick(ranks);
    if (next_receive[rank] < posted[rank].size()) {
      Posted& p = posted[rank][next_receive[rank]++];
      p.handle = net[rank].receive(p.envelope, p.buffer.data(), static_cast<std::uint32_t>(p.buffer.size()),
                                   net.now());
      ASSERT_GE(p.handle, 0);
    }
    for (unsigned k = pick(6); k > 0; --k) net.step(net.now() + kMs);
    const bool all_posted =
        std::transform_reduce(posted.begin(), posted.end(), next_receive.begin(), true, std::logical_and<>(),
                              [](const auto& list, std::size_t n) { return n == list.size(); });
    if (next == order.end() && all_posted) break;
  }
  for (const auto& [rank, handle] : sends) {
    ASSERT_TRUE(net.run_until_complete(rank, handle, 2000 * kMs)) << "a send of rank " << rank;
    EXPECT_EQ(net[rank].take(static_cast<unsigned>(handle)).error, POLYLOOM_OK);
  }
  for (unsigned rank = 0; rank < ranks; ++rank) {
    std::vector<bool> taken(sent[rank].size(), false);
    for (Posted& p : posted[rank]) {
      ASSERT_TRUE(net.run_until_complete(rank, p.handle, 2000 * kMs)) << "a receive of rank " << rank;
      const Result r = net[rank].take(static_cast<unsigned>(p.handle));
      EXPECT_EQ(r.error, POLYLOOM_OK);
      std::size_t i = 0;
      const auto is_it = [&](const Message& m) {
        const bool right_tag = p.envelope.tag == POLYLOOM_ANY_TAG || m.tag == r.tag;
        return m.from == r.source && m.comm == p.envelope.comm && right_tag;
      };
      while (i < sent[rank].size() && (taken[i] || !is_it(sent[rank][i]))) ++i;
      ASSERT_LT(i, sent[rank].size());
      taken[i] = true;
      const Message& m = sent[rank][i];
      EXPECT_EQ(m.tag, r.tag);
      ASSERT_EQ(m.data.size(), r.bytes);
      EXPECT_TRUE(std::equal(m.data.begin(), m.data.end(), p.buffer.begin()));
    }
  }
}

TEST(EngineRandom, PerfectNetwork) {
  for (std::uint64_t seed = 1; seed <= 15; ++seed) random_traffic(1 + seed % 5, quick(), {}, seed, 120);
}

TEST(EngineRandom, LossDuplicationReordering) {
  for (std::uint64_t seed = 100; seed < 125; ++seed) {
    random_traffic(2 + seed % 4, quick(), {.loss = 0.1, .twice = 0.1, .late = 0.2}, seed, 80);
  }
}

TEST(EngineRandom, OneCreditOneWindow) {
  Config config = quick();
  config.credits = 1;
  config.eager_bytes = 8;
  config.window = 1440;
  for (std::uint64_t seed = 200; seed < 215; ++seed) {
    random_traffic(3, config, {.loss = 0.05, .twice = 0.05, .late = 0.1}, seed, 60);
  }
}

// Receivers without spare places, as FPGAs: receives are posted in the order of the sends, as credits demand.
TEST(EngineRandom, NoPlacesBeyondCredits) {
  for (std::uint64_t seed = 300; seed < 320; ++seed) {
    Config config = quick();
    config.places = 0;
    Network net(2, config, {.loss = 0.1, .twice = 0.1, .late = 0.1}, seed);
    std::vector<int> values(100), got(100), handles;
    std::iota(values.begin(), values.end(), 0);
    for (int& value : values) net[0].send({1, 3, 0, 0}, &value, 4, value % 7 == 0, 0);
    for (Time end = 20 * kMs; net.step(end);) {
    }
    EXPECT_EQ(net[0].counters().envelopes_sent, config.credits);
    for (int& value : got) {
      const int handle = net[1].receive({0, 3, 0, 0}, &value, 4, net.now());
      ASSERT_TRUE(net.run_until_complete(1, handle, 500 * kMs));
      net[1].take(static_cast<unsigned>(handle));
    }
    EXPECT_EQ(got, values);
  }
}

// Started before their receives, all of them match (MPI-3.1, 3.5, progress), though credits do not suffice.
TEST(EngineRandom, ReceivedInTheOppositeOrder) {
  for (std::uint64_t seed = 400; seed < 410; ++seed) {
    Config config = quick();
    config.places = 0;
    config.most_envelopes = 25;
    Network net(2, config, {.loss = 0.1, .twice = 0.1, .late = 0.1}, seed);
    std::vector<int> values(25), got(25);
    std::iota(values.begin(), values.end(), 0);
    for (int& value : values) net[0].send({1, value, 0, 0}, &value, 4, false, 0);
    for (int tag = 25; tag-- > 0;) {
      const int handle = net[1].receive({0, tag, 0, 0}, &got[static_cast<std::size_t>(tag)], 4, net.now());
      ASSERT_TRUE(net.run_until_complete(1, handle, 2000 * kMs)) << tag;
      net[1].take(static_cast<unsigned>(handle));
    }
    EXPECT_EQ(got, values);
  }
}

// Every packet of a small exchange lost, doubled or delayed, in all combinations of two.
TEST(EngineExhaustive, TwoFaultsAnywhere) {
  struct Script final : Sink {
    std::vector<std::vector<std::byte>> packets;
    std::vector<std::uint16_t> to;
    void send(std::uint16_t t, const Header& header, Bytes payload) override {
      packets.emplace_back();
      write_packet(header, payload, packets.back());
      to.push_back(t);
    }
  };
  for (unsigned first = 0; first < 30; ++first) {
    for (unsigned second = first; second < 30; ++second) {
      for (unsigned kinds = 0; kinds < 9; ++kinds) {
        Script wire;
        Config config = quick();
        config.size = 2;
        Engine a(config, wire);
        config.rank = 1;
        Engine b(config, wire);
        const auto data = pattern(4000, 1), small = pattern(50, 2);
        std::vector<std::byte> got(4000), got_small(50), back(300);
        const int r1 = b.receive({0, 1, 0, 0}, got.data(), 4000, 0);
        const int s1 = a.send({1, 1, 0, 0}, data.data(), 4000, false, 0);
        a.send({1, 2, 0, 0}, small.data(), 50, false, 0);
        const int r2 = b.receive({0, 2, 0, 0}, got_small.data(), 50, 0);
        const int s3 = b.send({0, 3, 0, 0}, got_small.data(), 50, true, 0);
        const int r3 = a.receive({1, 3, 0, 0}, back.data(), 300, 0);
        std::vector<std::pair<std::vector<std::byte>, std::uint16_t>> delayed;
        Time now = 0;
        std::size_t at = 0;
        const auto deliver = [&](const std::vector<std::byte>& bytes, std::uint16_t to) {
          const auto p = read_packet(bytes);
          (to == 0 ? a : b).on_packet(p->header, p->payload, now);
        };
        const auto all = [&] {
          return a.complete(static_cast<unsigned>(s1)) && a.complete(static_cast<unsigned>(r3)) &&
                 b.complete(static_cast<unsigned>(r1)) && b.complete(static_cast<unsigned>(r2)) &&
                 b.complete(static_cast<unsigned>(s3));
        };
        for (int round = 0; round < 200 && !all(); ++round) {
          if (at == wire.packets.size()) {
            for (const auto& [bytes, to] : std::exchange(delayed, {})) deliver(bytes, to);
            if (at < wire.packets.size() || all()) continue;
            now = std::max(now, std::min(a.next_timer(), b.next_timer()));
            ASSERT_NE(now, kNever) << first << " " << second << " " << kinds;
            a.on_timer(now);
            b.on_timer(now);
            continue;
          }
          const std::size_t i = at++;
          const auto bytes = wire.packets[i];
          const unsigned fault = i == first ? kinds % 3 : i == second ? kinds / 3 : 3;
          if (fault == 1) deliver(bytes, wire.to[i]);
          if (fault == 2) {
            delayed.emplace_back(bytes, wire.to[i]);
          } else if (fault != 0) {
            deliver(bytes, wire.to[i]);
          }
        }
        ASSERT_TRUE(all()) << first << " " << second << " " << kinds;
        ASSERT_EQ(got, data);
        ASSERT_EQ(got_small, small);
      }
    }
  }
}

TEST(Commands, WordsOfTheContract) {
  Network net(1, quick(), {}, 1);
  Commands commands(net[0]);
  std::uint64_t response[2];
  std::int32_t value = 5, got = 0;
  const auto request = [&](unsigned op, unsigned peer, int tag, unsigned handle, const void* data,
                           std::uint32_t bytes) {
    const std::uint64_t words[3] = {polyloom_word0(op, 0x12, peer, tag), polyloom_word1(0, handle, data),
                                    polyloom_word2(bytes, data)};
    commands.begin(words, net.now());
    return commands.response(response);
  };
  ASSERT_TRUE(request(POLYLOOM_IPROBE, POLYLOOM_ANY_RANK, -1, 0, nullptr, 0));
  EXPECT_EQ(polyloom_response_done(response[0]), 0u);
  ASSERT_TRUE(request(POLYLOOM_SEND, 0, 9, 0, &value, 4));
  const unsigned send = polyloom_response_handle(response[0]);
  ASSERT_TRUE(request(POLYLOOM_IPROBE, POLYLOOM_ANY_RANK, -1, 0, nullptr, 0));
  EXPECT_EQ(polyloom_response_done(response[0]), 1u);
  EXPECT_EQ(polyloom_response_tag(response[0]), 9);
  EXPECT_EQ(polyloom_response_bytes(response[1]), 4u);
  ASSERT_TRUE(request(POLYLOOM_RECV_WAIT, 0, 9, 0, &got, 4));
  EXPECT_EQ(got, 5);
  EXPECT_EQ(response[1] >> 32, 0x12u);
  ASSERT_TRUE(request(POLYLOOM_WAIT, 0, 0, send, nullptr, 0));
  EXPECT_EQ(polyloom_response_error(response[0]), 0u);
  ASSERT_TRUE(request(POLYLOOM_WAIT, 0, 0, send, nullptr, 0));
  EXPECT_EQ(polyloom_response_error(response[0]), POLYLOOM_NO_SUCH);
  EXPECT_FALSE(request(POLYLOOM_RECV_WAIT, 0, 9, 0, &got, 4));
  EXPECT_NE(commands.waiting(), nullptr);
}

}  // namespace
}  // namespace polyloom::mpi::testing
