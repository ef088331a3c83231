// SPDX-License-Identifier: Apache-2.0
// Covers: host programs through polyloom-sim: put and flag, registers, chains, proxy reads, faults in words,
// the time of an uncontended write, several processes' clients. Leaves out: cycles inside a hub
// (switch_test.cc).
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <sstream>
#include <thread>
#include <vector>

#include "polyloom/hub.h"
#include "roles/hub/tests/random_tree.h"

namespace polyloom::hub {
namespace {

SessionOptions on(const std::string& cluster) {
  SessionOptions options;
  options.host.simulator = POLYLOOM_HUB_SIM;
  options.host.arguments = {"--cluster", cluster};
  return options;
}

constexpr Unit kMemory = Unit::accelerator0;

TEST(HubHost, PutAndFlag) {
  Session session(on("peach2-2"));
  Node &a = session.node(0), &b = session.node(1);
  auto from = a.map(kMemory, 1 << 16), to = b.map(kMemory, 1 << 16);
  std::iota(from.begin(), from.end(), std::uint8_t{3});
  a.put(kMemory, 5, b.address(kMemory, 777), 9001);
  a.store64(b.address(kMemory, 0), 42);
  const Held held = b.wait(kMemory, 0, 42);
  EXPECT_EQ(held.value, 42u);
  EXPECT_TRUE(std::equal(from.begin() + 5, from.begin() + 5 + 9001, to.begin() + 777));
  EXPECT_EQ(to[776], 0);
  EXPECT_EQ(to[777 + 9001], 0);
  a.check();
  b.check();
  session.finish();
}

/// What an uncontended 8-byte write takes, from the call's effect to its landing in the neighbour's memory.
Time write_time(const std::string& cluster) {
  Session session(on(cluster));
  Node &a = session.node(0), &b = session.node(1);
  a.map(kMemory, 4096);
  b.map(kMemory, 4096);
  const Time issued = session.now() + session.client().call_time();
  a.store64(b.address(kMemory, 8), 7);
  const Time landed = b.wait(kMemory, 8, 7).time;
  session.finish();
  return landed - issued;
}

TEST(HubHost, ARemoteWriteTakesTwoMicrosecondsAsPublished) {
  // store 300 ns, N 350, E 250, N 350, write 706; two hubs of 4 cycles, and words on three wires.
  const Time paper = write_time("peach2-paper-8");
  EXPECT_NEAR(static_cast<double>(paper), 2.0e6, 0.01e6);
  EXPECT_EQ(write_time("peach2-8"), paper);
}

TEST(HubHost, ChainsAndProxies) {
  Session session(on("peach2-8"));
  Node &a = session.node(2), &b = session.node(5);
  auto mine = a.map(kMemory, 1 << 20);
  auto other = b.map(kMemory, 1 << 20);
  std::iota(mine.begin(), mine.begin() + 10000, std::uint8_t{1});
  std::iota(other.begin(), other.begin() + 10000, std::uint8_t{77});
  const Copy chain[] = {
      {.source = a.address(kMemory, 0),
       .destination = b.address(kMemory, 0x20000),
       .bytes = 100,
       .blocks = 30,
       .source_stride = 200,
       .destination_stride = 100},
      {.source = a.address(kMemory, 5),
       .destination = b.address(kMemory, 0x40000),
       .bytes = 5000,
       .flag = Flag{b.address(kMemory, 0x80000), 3}},
  };
  a.dma(chain, kMemory, 0x90000);
  b.wait(kMemory, 0x80000, 3);
  for (unsigned k = 0; k < 30; ++k) {
    EXPECT_TRUE(
        std::equal(mine.begin() + 200 * k, mine.begin() + 200 * k + 100, other.begin() + 0x20000 + 100 * k));
  }
  EXPECT_TRUE(std::equal(mine.begin() + 5, mine.begin() + 5005, other.begin() + 0x40000));
  a.get({.source = b.address(kMemory, 9),
         .destination = a.address(kMemory, 0x30000),
         .bytes = 7000,
         .flag = Flag{a.address(kMemory, 0x80000), 8}});
  a.wait(kMemory, 0x80000, 8);
  EXPECT_TRUE(std::equal(other.begin() + 9, other.begin() + 7009, mine.begin() + 0x30000));
  for (unsigned n : session.own()) session.node(n).check();
  EXPECT_EQ(a.read_register(reg::dma_done), 1u << 1);
  session.finish();
}

TEST(HubHost, FunctionsOnTheWay) {
  Session session(on("peach2-8"));
  Node& a = session.node(0);
  auto mine = a.map(kMemory, 1 << 20);
  std::iota(mine.begin(), mine.begin() + 3000, std::uint8_t{4});
  std::vector<LaneOutput> lanes(3);
  for (unsigned n : {1u, 3u}) {
    Node& to = session.node(n);
    to.map(kMemory, 1 << 16);
    lanes[n == 1 ? 0 : 2] = {to.address(kMemory, 0), 1 << 13, to.address(kMemory, 0x8000)};
  }
  a.start_function(3, 0, lanes);
  const Copy feed[] = {{.source = a.address(kMemory, 0), .bytes = 3000, .to_function = true}};
  a.dma(feed, kMemory, 0x90000);
  for (unsigned n : {1u, 3u}) {
    session.node(n).wait(kMemory, 0x8000, 3000);
    EXPECT_TRUE(std::equal(mine.begin(), mine.begin() + 3000, session.node(n).memory(kMemory).begin()));
  }
  a.check();
  session.finish();
}

TEST(HubHost, LetsForAllPeersInOnePass) {
  using namespace blocks::operators;
  Session session(on("peach2-8"));
  Node& a = session.node(4);
  auto mine = a.map(kMemory, 1 << 20);
  const auto tree = test::random_tree(4, 5, 8, 1);
  const std::size_t bytes = tree.size() * sizeof(NodeRecord);
  for (unsigned n = 0; n < 8; ++n) {
    if (n != 4) session.node(n).map(kMemory, 1 << 17);
  }
  for (const bool empty : {false, true}) {
    std::memcpy(mine.data() + 0x20000, tree.data(), bytes);
    std::vector<LetLane> lanes;
    std::vector<LetTarget> targets;
    for (unsigned n = 0; n < 7; ++n) {
      Node& to = session.node(n < 4 ? n : n + 1);
      std::memset(to.memory(kMemory).data() + 0x10000, 0xff, 8);  // the flag is written over that
      const float at = static_cast<float>(10 * n);
      targets.push_back({{at, -1, -1}, {at + 5, 1, 1}, 1, 0});
      LetLane lane{{}, {to.address(kMemory, 0), 1 << 16, to.address(kMemory, 0x10000)}};
      std::memcpy(lane.target.data(), &targets.back(), sizeof(LetTarget));
      lanes.push_back(lane);
    }
    a.let(kMemory, 0x20000, empty ? 0 : bytes, lanes, 0x80000);
    for (unsigned n = 0; n < 7; ++n) {
      Node& to = session.node(n < 4 ? n : n + 1);
      const auto expected = empty ? std::vector<NodeRecord>() : make_let(tree, targets[n]);
      const std::size_t size = expected.size() * sizeof(NodeRecord);
      EXPECT_EQ(to.wait(kMemory, 0x10000, size).value, size);
      EXPECT_EQ(std::memcmp(to.memory(kMemory).data(), expected.data(), size), 0);
    }
    a.check();
  }
  session.finish();
}

template <typename Act>
std::string said(Act act) {
  try {
    act();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(HubHost, FaultsAreToldInWords) {
  Session session(on("peach2-2"));
  Node& a = session.node(0);
  a.map(kMemory, 4096);
  const auto wait_for = [&] { a.wait(kMemory, 0, 1, Compare::equal, ~0ull, 50'000'000); };
  EXPECT_NE(said(wait_for).find("its hub reports no fault"), std::string::npos);
  a.store64(address(9, kMemory), 1);
  EXPECT_NE(said(wait_for).find("no port has this address"), std::string::npos) << said(wait_for);
  EXPECT_NE(said([&] { a.check(); }).find("0x4800000000"), std::string::npos) << said([&] { a.check(); });
  a.clear_faults();
  a.check();
  const Copy bad[] = {{.source = address(1, kMemory), .destination = a.address(kMemory), .bytes = 8}};
  a.dma(bad, kMemory, 1024);
  session.pass(20'000'000);
  EXPECT_NE(said([&] { a.check(); }).find("its source is not in a memory of the own node"),
            std::string::npos);
  a.clear_faults();
  a.store64(a.address(kMemory, 8192), 1);  // beyond what is mapped
  session.pass(20'000'000);
  EXPECT_NE(said([&] { a.check(); }).find("1 writes to memory that this node has not mapped"),
            std::string::npos);
  // What the library itself refuses.
  EXPECT_NE(said([&] { a.put(kMemory, 4000, 0, 200); }).find("4096 bytes are mapped"), std::string::npos);
  EXPECT_NE(said([&] { a.map(Unit::hub, 1); }).find("allowed: accelerator0"), std::string::npos);
  EXPECT_NE(said([&] { a.read_register(0x7000); }).find("no register"), std::string::npos);
  EXPECT_NE(said([&] { session.node(7); }).find("belongs to another process"), std::string::npos);
  session.finish();
}

TEST(HubHost, WhatNoHubCanDoIsRefusedAtOnce) {
  Session session(on("peach2-2"));
  Node &a = session.node(0), &b = session.node(1);
  const auto mine = a.map(kMemory, 1 << 16);
  b.map(kMemory, 1 << 16);
  const Copy good{.source = a.address(kMemory, 1), .destination = b.address(kMemory, 3), .bytes = 7};
  const auto with = [&](const auto& change) {
    Copy copy = good;
    change(copy);
    return copy;
  };
  const Copy flag = with([&](Copy& c) { c.flag = Flag{b.address(kMemory, 8196), 1}; });
  const Copy empty = with([](Copy&c) { c.bytes = 0; }), none = with([](Copy&c) { c.blocks = 0; });
  const auto expect = [](const std::string& said, const std::string& what) {
    EXPECT_NE(said.find(what), std::string::npos) << said;
  };
  const auto chain = [&](std::vector<Copy> copies, std::uint64_t at) {
    return said([&] { a.dma(copies, kMemory, at); });
  };
  expect(chain({good}, 4100), "the offset of the descriptors is 4100; allowed: multiples of 64");
  expect(chain({good, flag}, 4096),
         "dma: copy 1: the address of its flag is 34359746564; allowed: multiples of 8");
  expect(chain({empty}, 4096), "dma: copy 0 has 1 blocks of 0 bytes; allowed: at least one block");
  expect(chain({none}, 4096), "dma: copy 0 has 0 blocks of 7 bytes");
  expect(said([&] { a.get(flag); }), "allowed: multiples of 8");
  expect(said([&] { a.push(none); }), "allowed: at least one block");
  expect(said([&] { a.read_register(4); }), "the offset is 4; allowed: multiples of 8");
  expect(said([&] { a.write_register(0x101, 0); }), "the offset is 257");
  expect(said([&] { a.start_function(3, 0, std::vector<LaneOutput>(8)); }),
         "8 lanes; allowed: up to 7 at this hub");
  expect(said([&] { a.let(kMemory, 0, 48, std::vector<LetLane>(1), 4100); }),
         "is 4100; allowed: multiples of 64");
  expect(said([&] { b.wait(kMemory, (1 << 16) - 7, 1); }),
         "wait: 8 bytes from 65529 of unit 0 of node 1, where 65536 bytes are mapped");
  // A memory that was given out stays: a second map would leave packets on their way to neither.
  expect(said([&] { a.map(kMemory, 100); }),
         "unit 0 of node 0 is mapped already, with 65536 bytes; allowed: one map");
  mine[1] = 42;
  const Copy sound[] = {with([&](Copy& c) { c.flag = Flag{b.address(kMemory, 8192), 1}; })};
  a.dma(sound, kMemory, 4096);
  b.wait(kMemory, 8192, 1);
  EXPECT_EQ(b.memory(kMemory)[3], 42);
  a.check();
  session.finish();
}

TEST(HubHost, WaitingForNothingIsADeadlockWithNames) {
  Session session(on("peach2-2"));
  Node& a = session.node(0);
  a.map(kMemory, 4096);
  const std::string error = said([&] { a.wait(kMemory, 16, 5, Compare::equal, ~0ull, fabric::kNever); });
  EXPECT_NE(error.find("deadlock"), std::string::npos) << error;
  EXPECT_NE(error.find("endpoint.0 waits for the word at 16 of unit 0 to be 5; it is 0"), std::string::npos)
      << error;
}

/// What an act says on a cluster whose file has other lines in it.
template <typename Act>
std::string changed(const std::string& from, const std::string& to, Act act) {
  std::ifstream in("clusters/peach2-2.toml");
  std::stringstream text;
  text << in.rdbuf();
  std::string all = text.str();
  const std::size_t at = all.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  all.replace(at, from.size(), to);
  const std::string path = testing::TempDir() + "hub-" + std::to_string(::getpid()) + ".toml";
  std::ofstream(path) << all;
  const std::string error = said([&] {
    Session session(on(path));
    act(session);
  });
  std::filesystem::remove(path);
  return error;
}

TEST(HubHost, AnOperatorThatStoppedSaysWhy) {
  const auto tree = test::random_tree(4, 5, 8, 1);
  const std::string error = changed("\n[hub]", "\n[hub]\nopen_depth = 4", [&](Session& session) {
    Node& a = session.node(0);
    Node& b = session.node(1);
    const std::size_t bytes = tree.size() * sizeof(tree[0]);
    std::memcpy(a.map(kMemory, 1 << 20).data(), tree.data(), bytes);
    b.map(kMemory, 1 << 20);
    const LetLane lane{{-9, -9, -9, 9, 9, 9, 1, 0},
                       {b.address(kMemory, 0), 1 << 16, b.address(kMemory, 1 << 17)}};
    a.let(kMemory, 0, bytes, std::span(&lane, 1), 0x80000);
    b.wait(kMemory, 1 << 17, 0, Compare::not_equal);
  });
  EXPECT_NE(error.find("fpga.0: the function's operator stopped: more opened nodes of a tree wait for their "
                       "children than open_depth"),
            std::string::npos)
      << error;
}

TEST(HubCluster, WhatCannotBeIsRefused) {
  const auto expect = [](const std::string& from, const std::string& to, const std::string& what) {
    const std::string error = changed(from, to, [](Session&) {});
    EXPECT_NE(error.find(what), std::string::npos) << to << ": " << error;
  };
  expect("\n[hub]", "\n[hub]\nmax_payload = 100", "max_payload = 100");
  expect("\n[hub]", "\n[hub]\nmax_payload = 1024", "max_payload = 1024");
  expect("\n[hub]", "\n[hub]\nslots = 1", "slots = 1");
  expect("\n[hub]", "\n[hub]\nlanes = 9", "lanes = 9");
  expect("\n[hub]", "\n[hub]\nfunction = [\"lett\"]", "\"lett\" is no operator of a hub");
  expect("\n[hub]", "\n[hub]\nfunction_clock = \"160 MHz\"", "no whole number of fifths");
  expect("\n[hub]", "\n[hub]\nfunction_width = 200", "function_width = 200");
  expect("\n[hub]", "\n[hub]\ngeometry_latency = 3", "less than the arithmetic takes");
  expect("\n[hub]", "\n[hub]\npreset = \"papers\"", "preset = \"papers\"");
  expect("\n[hub]", "\n[hub]\nmaxpayload = 128", "did you mean max_payload");
  expect("kind = \"ring\"\nsize = [2]", "kind = \"mesh\"\nsize = [2, 1]",
         "topologies: ring, double_ring, explicit, not mesh");
  expect("rate = \"32 Gb/s\"     #", "rate = \"32 Gb/s\"\nbit_error_rate = 1e-9 #",
         "the data link layer of PCI Express");
  expect("size = [2]", "size = [17]", "a window has room for 16 hubs");
  // A hub counts credits and packets of a neighbour by its own table.
  const std::string own = "[[node]]\nname = \"fpga.1\"\n[node.hub]\n";
  expect("[link]", own + "slots = 2\n[link]", "slots = 2: is 2 at fpga.1 and 8 at fpga.0");
  expect("[link]", own + "slots = 15\n[link]", "allowed: the same slots at both ends of a link, here 8");
  expect("[link]", own + "max_payload = 128\n[link]",
         "max_payload = 128: is 128 at fpga.1 and 512 at fpga.0");
  expect("[link]", own + "preset = \"paper\"\n[link]",
         "[hub] max_payload: is 256 at fpga.1 and 512 at fpga.0");
  expect("[link]", own + "tags = 1\nlanes = 1\nmemory_bits = 16\nfunction_width = 128\n[link]", "no error");
}

TEST(HubHost, MemoryThatCannotBeOpenedIsRefused) {
  for (const std::uint64_t process : {std::uint64_t{0}, static_cast<std::uint64_t>(::getpid())}) {
    Session session(on("peach2-2"));
    const std::uint64_t command[] = {1, process, 9999, 0, 4096};
    session.client().send(0, command);
    const std::string error = said([&] { session.pass(1'000'000); });
    EXPECT_NE(error.find("/fd/9999, cannot be opened: No such file or directory; needed: a memory file"),
              std::string::npos)
        << error;
  }
}

/// Eight clients, one a node, each in a thread of its own as if it were a process; neighbours exchange.
std::string exchange(const std::string& engine, const std::string& socket) {
  const std::string command = std::string(POLYLOOM_HUB_SIM) + " --cluster peach2-8 --clients 8 --engine " +
                              engine + " --listen " + socket + " &";
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::string digest;
  std::vector<std::thread> programs;
  for (unsigned n = 0; n < 8; ++n) {
    programs.emplace_back([&, n] {
      SessionOptions options;
      options.host.socket = socket;
      options.host.client = n;
      options.nodes = {n};
      std::unique_ptr<Session> session;
      for (int tries = 0; tries < 500 && !session; ++tries) {
        try {
          session = std::make_unique<Session>(options);
        } catch (const fabric::SimulatorError&) {
          throw;
        } catch (const UserError&) {
          std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
      }
      ASSERT_TRUE(session);
      Node& me = session->node(n);
      auto memory = me.map(kMemory, 1 << 16);
      for (unsigned round = 1; round <= 5; ++round) {
        std::fill_n(memory.begin() + 0x4000, 3000, static_cast<std::uint8_t>(n + 10 * round));
        for (unsigned to : {(n + 1) % 8, (n + 7) % 8}) {
          const std::uint64_t place = to == (n + 1) % 8 ? 0 : 0x2000;
          me.put(kMemory, 0x4000, address(to, kMemory, place), 3000);
          me.store64(address(to, kMemory, place + 4096), round);
        }
        me.wait(kMemory, 4096, round);
        me.wait(kMemory, 0x2000 + 4096, round);
        EXPECT_EQ(memory[0], (n + 7) % 8 + 10 * round);
        EXPECT_EQ(memory[0x2000 + 2999], (n + 1) % 8 + 10 * round);
        // No node overwrites what a slower neighbour still reads: a barrier by flags.
        for (unsigned to : {(n + 1) % 8, (n + 7) % 8}) {
          me.store64(address(to, kMemory, (to == (n + 1) % 8 ? 0x8000 : 0x9000)), round);
        }
        me.wait(kMemory, 0x8000, round);
        me.wait(kMemory, 0x9000, round);
      }
      const std::string done = session->finish();
      if (n == 0) digest = done.substr(done.find("digest") + 9, 16);
    });
  }
  for (std::thread& program : programs) program.join();
  return digest;
}

TEST(HubHost, AProcessANodeAndAnyEngineGiveTheSameRun) {
  const std::string socket = "@polyloom-hub-test-" + std::to_string(::getpid());
  const std::string serial = exchange("serial", socket + "a");
  EXPECT_EQ(serial.size(), 16u);
  EXPECT_EQ(exchange("serial", socket + "b"), serial);
  EXPECT_EQ(exchange("threads:3", socket + "c"), serial);
}

}  // namespace
}  // namespace polyloom::hub
