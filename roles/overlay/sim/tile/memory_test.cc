// SPDX-License-Identifier: Apache-2.0
// Covers: the memory map, sparse bytes, MemorySystem's order and fairness, cache partitions against a simple
// model. Leaves out: the channels' own timing (blocks/memory).
#include <gtest/gtest.h>

#include <cstring>
#include <list>
#include <map>
#include <random>

#include "blocks/memory/sim/dram.h"
#include "blocks/memory/sim/sram.h"
#include "fabric/error.h"
#include "roles/overlay/sim/tile/cache.h"
#include "roles/overlay/sim/tile/memory_system.h"

namespace polyloom::overlay {
namespace {

TEST(Region, BordersOfTheMap) {
  EXPECT_EQ(region_of(0), Region::unmapped);
  EXPECT_EQ(region_of(0x7fff), Region::unmapped);
  EXPECT_EQ(region_of(0x8000), Region::scratchpad);
  EXPECT_EQ(region_of(0xffff), Region::scratchpad);
  EXPECT_EQ(region_of(0x10000), Region::unmapped);
  EXPECT_EQ(region_of(0x7fffff), Region::unmapped);
  EXPECT_EQ(region_of(0x800000), Region::sram_a);
  EXPECT_EQ(region_of(0xffffff), Region::sram_a);
  EXPECT_EQ(region_of(0x1000000), Region::sram_b);
  EXPECT_EQ(region_of(0x17fffff), Region::sram_b);
  EXPECT_EQ(region_of(0x1800000), Region::dram);
  EXPECT_EQ(region_of(0x7fffffff), Region::dram);
  EXPECT_EQ(region_of(0x80000000), Region::unmapped);
  EXPECT_EQ(region_of(0xbfffffff), Region::unmapped);
  EXPECT_EQ(region_of(0xc0000000), Region::dram);
  EXPECT_EQ(region_of(0xffffffff), Region::dram);
}

/// Line {1, part9, off16} of the view is line {1, off16, part9} of the memory (32-byte lines).
TEST(Memory, InterleavedView) {
  const Memory m{BoardParams{}};
  const auto at = [](std::uint32_t part, std::uint32_t off, std::uint32_t byte) {
    return 0xc0000000u + (part << 16 | off) * 32 + byte;
  };
  EXPECT_EQ(m.physical(at(0, 0, 5)), 0x40000005u);
  EXPECT_EQ(m.physical(at(1, 0, 0)), 0x40000000u + 32);
  EXPECT_EQ(m.physical(at(511, 0, 0)), 0x40000000u + 511 * 32);
  EXPECT_EQ(m.physical(at(0, 1, 0)), 0x40000000u + 512 * 32);
  EXPECT_EQ(m.physical(at(511, 65535, 31)), 0x7fffffffu);
  EXPECT_EQ(m.physical(0x12345678), 0x12345678u);
}

TEST(Memory, BytesSurviveAnyViewAndSlice) {
  Memory m{BoardParams{}};
  std::vector<std::uint8_t> in(100'000), out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
  m.write(1, 0xc0001237, in.data(), in.size());
  m.read(1, 0xc0001237, out.data(), out.size());
  EXPECT_EQ(in, out);
  std::uint8_t byte = 0;
  m.read(1, m.physical(0xc0001237 + 5000), &byte, 1);
  EXPECT_EQ(byte, in[5000]);
  m.read(0, 0xc0001237 + 5000, &byte, 1);
  EXPECT_EQ(byte, 0);
  EXPECT_LT(m.resident_bytes(), std::size_t{120} << 20);
  const std::uint64_t before = m.digest();
  m.write(0, 0x01800000, out.data(), 4);
  EXPECT_NE(m.digest(), before);
}

TEST(Memory, RangesOutsideAreRefused) {
  Memory m{BoardParams{}};
  std::uint8_t bytes[64] = {};
  EXPECT_THROW(m.read(0, 0x007ffff0, bytes, 4), UserError);
  EXPECT_THROW(m.write(0, 0x7ffffff0, bytes, 17), UserError);
  EXPECT_NO_THROW(m.write(0, 0x7ffffff0, bytes, 16));
  EXPECT_NO_THROW(m.write(0, 0xfffffff0, bytes, 16));
  EXPECT_THROW(m.write(0, 0xfffffff0, bytes, 17), UserError);
  EXPECT_NO_THROW(m.read(0, 0, bytes, 0));
}

// ----- MemorySystem -----

struct Client : MemoryClient {
  void memory_done(Cycle c, std::uint32_t tag, const std::uint8_t* line) override {
    std::uint32_t word;
    std::memcpy(&word, line, 4);
    done.push_back({c, tag, word});
  }
  struct Done {
    Cycle at;
    std::uint32_t tag, word;
    bool operator==(const Done&) const = default;
  };
  std::vector<Done> done;
};

struct Board {
  explicit Board(unsigned clients)
      : memory(params),
        system(params, memory, clients, blocks::DramParams::ddr3_1600(32), blocks::SramParams::qdr2(32)) {}
  BoardParams params;
  Memory memory;
  MemorySystem system;
};

TEST(MemorySystem, ReadAfterWriteOfOneClientSeesIt) {
  for (const std::uint32_t addr : {0x02000000u, 0x00800040u, 0x01000020u, 0xc0000020u}) {
    Board b(1);
    Client client;
    std::array<std::uint8_t, 32> line{};
    for (std::uint32_t i = 1; i <= 20; ++i) {
      std::memcpy(line.data(), &i, 4);
      b.system.write(i, 0, 0, addr, line.data());
      b.system.read(i, 0, client, 0, addr, i);
    }
    for (Cycle c = 0; c < 4000; c += kWindow) b.system.advance(c);
    ASSERT_EQ(client.done.size(), 20u);
    for (std::uint32_t i = 1; i <= 20; ++i) {
      EXPECT_EQ(client.done[i - 1].tag, i);
      EXPECT_EQ(client.done[i - 1].word, i);
    }
  }
}

TEST(MemorySystem, ClientsShareASliceEvenly) {
  Board b(5);
  std::array<Client, 5> clients;
  for (std::uint32_t i = 0; i < 200; ++i) {
    for (unsigned k = 0; k < 5; ++k) {
      b.system.read(0, k, clients[k], 0, 0x02000000 + (i * 5 + k) * 32, i);
    }
  }
  Cycle c = 0;
  while (clients[0].done.size() < 100) b.system.advance(c), c += kWindow;
  for (const Client& client : clients) {
    EXPECT_NEAR(static_cast<double>(client.done.size()), 100.0, 12.0);
  }
}

TEST(MemorySystem, ClientsOfBusyMemoriesOfOneBusShareThemEvenly) {
  // Four clients keep SRAM A busy, four SRAM B. Both are slower than the bus, so whose turn it is at one must
  // not depend on what the bus did for the other in between.
  Board b(8);
  std::array<Client, 8> clients;
  for (std::uint32_t i = 0; i < 400; ++i) {
    for (unsigned k = 0; k < 8; ++k) {
      b.system.read(0, k, clients[k], 0, (k < 4 ? 0x00800000u : 0x01000000u) + (i * 4 + k % 4) * 32, i);
    }
  }
  Cycle c = 0;
  while (clients[0].done.size() < 200) b.system.advance(c), c += kWindow;
  for (const Client& client : clients) {
    EXPECT_NEAR(static_cast<double>(client.done.size()), 200.0, 2.0);
  }
}

TEST(MemorySystem, SlicesDoNotDisturbEachOther) {
  Cycle alone = 0, together = 0;
  for (const bool other : {false, true}) {
    Board b(2);
    Client a, z;
    for (std::uint32_t i = 0; i < 64; ++i) {
      b.system.read(0, 0, a, 0, 0x02000000 + i * 4096, i);
      if (other) b.system.read(0, 1, z, 1, 0x02000000 + i * 4096, i);
    }
    for (Cycle c = 0; c < 8000; c += kWindow) b.system.advance(c);
    ASSERT_EQ(a.done.size(), 64u);
    (other ? together : alone) = a.done.back().at;
  }
  EXPECT_EQ(alone, together);
}

TEST(MemorySystem, IdleWindowsNeedNotBeAdvanced) {
  Board all(3), some(3);
  Client a, b;
  std::mt19937 rng(4);
  std::array<std::uint8_t, 32> line{};
  Cycle at = 0;
  for (Cycle c = 0; c < 200'000; c += kWindow) {
    if (rng() % 30 == 0) {
      at = std::max(at, c + rng() % 20);
      const auto client = static_cast<unsigned>(rng() % 3);
      const std::uint32_t addr = (rng() % 3 == 0 ? 0x00800000u : 0x02000000u) + rng() % 64 * 32;
      const auto tag = static_cast<std::uint32_t>(rng());
      std::memcpy(line.data(), &tag, 4);
      if (rng() % 2 == 0) {
        all.system.read(at, client, a, 0, addr, tag), some.system.read(at, client, b, 0, addr, tag);
      } else {
        all.system.write(at, client, 0, addr, line.data()),
            some.system.write(at, client, 0, addr, line.data());
      }
    }
    all.system.advance(c);
    if (some.system.next_event() < c + kWindow) some.system.advance(c);
  }
  EXPECT_GT(a.done.size(), 100u);
  EXPECT_EQ(a.done, b.done);
  EXPECT_EQ(some.system.next_event(), kNeverCycle);
  EXPECT_EQ(all.memory.digest(), some.memory.digest());
}

// ----- cache partitions -----

/// A tree of nodes, each remembering which half was used last.
struct Tree {
  explicit Tree(unsigned ways) : ways(ways) {
    if (ways > 1) left = std::make_unique<Tree>(ways / 2), right = std::make_unique<Tree>(ways / 2);
  }
  void use(unsigned way) {
    if (ways == 1) return;
    last_right = way >= ways / 2;
    last_right ? right->use(way - ways / 2) : left->use(way);
  }
  unsigned victim() const {
    if (ways == 1) return 0;
    return last_right ? left->victim() : ways / 2 + right->victim();
  }
  unsigned ways;
  bool last_right = true;
  std::unique_ptr<Tree> left, right;
};

TEST(CachePartition, AgreesWithAStraightforwardModel) {
  std::mt19937 rng(11);
  for (const auto& [ways, sets, bytes] : std::vector<std::array<unsigned, 3>>{
           {16, 4, 32}, {8, 4, 64}, {8, 4, 32}, {4, 16, 32}, {1, 8, 32}, {2, 1, 128}}) {
    BoardParams p;
    p.cache_ways = ways, p.cache_sets_per_thread = sets, p.line_bytes = bytes;
    const CacheShape shape(p);
    std::vector<std::uint8_t> data(CacheShape::kMaxLines * bytes);
    CachePartition cache{};
    cache.clear();
    cache.data = data.data(), cache.shape = &shape, cache.line_mask = shape.line_mask;
    std::vector<Tree> trees;
    std::vector<std::vector<std::uint32_t>> held(sets, std::vector<std::uint32_t>(ways, 0));
    for (unsigned s = 0; s < sets; ++s) trees.emplace_back(ways);
    std::vector<std::uint8_t> line(bytes);
    for (int i = 0; i < 20'000; ++i) {
      const std::uint32_t addr =
          0x02000000u + static_cast<std::uint32_t>(rng() % (3 * ways * sets * bytes)) / 4 * 4;
      const std::uint32_t tag = addr / bytes * bytes;
      const unsigned set = addr / bytes % sets;
      unsigned way = 0;
      while (way < ways && held[set][way] != tag) ++way;
      const unsigned slot = cache.find(addr, 4);
      if (way < ways) {
        ASSERT_EQ(slot, set * ways + way);
      } else {
        ASSERT_EQ(slot, CachePartition::kNoLine);
        way = trees[set].victim();
        ASSERT_EQ(cache.victim(addr), set * ways + way);
        std::memcpy(line.data() + addr % bytes, &addr, 4);
        cache.fill(set * ways + way, addr, line.data());
        held[set][way] = tag;
        ASSERT_EQ(cache.word(set * ways + way, addr), addr);
      }
      trees[set].use(way);
      cache.touch(set * ways + way);
    }
    EXPECT_EQ(cache.find(0, 4), CachePartition::kNoLine);  // an empty slot is no line at address 0
  }
}

TEST(CachePartition, StoresMakeLinesDirtyAndMisalignedIsNoHit) {
  const CacheShape shape{BoardParams{}};
  std::vector<std::uint8_t> data(CacheShape::kMaxLines * 32);
  CachePartition cache{};
  cache.clear();
  cache.data = data.data(), cache.shape = &shape, cache.line_mask = shape.line_mask;
  const std::array<std::uint8_t, 32> line{};
  cache.fill(5, 0x02000020, line.data());
  EXPECT_FALSE(cache.is_dirty(5));
  cache.store(5, 0x02000023, 0xab, 1);
  EXPECT_TRUE(cache.is_dirty(5));
  EXPECT_EQ(cache.word(5, 0x02000022), 0xab000000u);
  EXPECT_EQ(cache.find(0x02000022, 4), CachePartition::kNoLine);
  EXPECT_EQ(cache.find(0x02000022, 2), CachePartition::kNoLine);  // slot 5 is of set 0, the address of set 1
  cache.drop(5);
  EXPECT_FALSE(cache.is_dirty(5));
}

TEST(CacheShape, RefusesWhatItCannotBe) {
  BoardParams p;
  p.cache_ways = 3;
  EXPECT_THROW(CacheShape{p}, UserError);
  p.cache_ways = 16, p.cache_sets_per_thread = 8;
  EXPECT_THROW(CacheShape{p}, UserError);
  p.cache_sets_per_thread = 4, p.line_bytes = 48;
  EXPECT_THROW(CacheShape{p}, UserError);
}

}  // namespace
}  // namespace polyloom::overlay
