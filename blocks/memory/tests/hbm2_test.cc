// SPDX-License-Identifier: Apache-2.0
// Covers: who is served of a read and a write in each pair of halves, latencies at N-1 and N, rates of long
// streams; the backing store alone and as a shared file. Leaves out: the role that moves data
// (roles/collective).
#include "blocks/memory/sim/hbm2.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "blocks/memory/sim/backing_store.h"
#include "fabric/error.h"

namespace polyloom::blocks {
namespace {

constexpr std::uint64_t kSize = 1 << 20, kHalf = kSize / 2;
using Grant = Hbm2Channel::Grant;

TEST(Hbm2, HalvesSplitExactly) {
  const Hbm2Channel m({kSize, 30, 10});
  EXPECT_EQ(m.pseudo_channel(0), 0u);
  EXPECT_EQ(m.pseudo_channel(kHalf - 1), 0u);
  EXPECT_EQ(m.pseudo_channel(kHalf), 1u);
  EXPECT_EQ(m.pseudo_channel(kSize - 1), 1u);
  EXPECT_EQ(m.read_ready(100), 130u);
  EXPECT_EQ(m.write_done(100), 110u);
}

// Beats that a stream of reads and one of writes move in `cycles`, each always wanting the next.
std::pair<int, int> moved(std::uint64_t read_base, std::uint64_t write_base, int cycles) {
  Hbm2Channel m({kSize, 30, 10});
  std::uint64_t r = read_base, w = write_base;
  std::pair<int, int> beats;
  for (int c = 0; c < cycles; ++c) {
    const Grant g = m.arbitrate(true, r, true, w);
    if (g.read) r += Hbm2Channel::kBeatBytes, ++beats.first;
    if (g.write) w += Hbm2Channel::kBeatBytes, ++beats.second;
  }
  return beats;
}

TEST(Hbm2, StreamsInDifferentHalvesRunAtFullRateAndShareOne) {
  EXPECT_EQ(moved(0, kHalf, 1000), (std::pair{1000, 1000}));
  EXPECT_EQ(moved(kHalf, 0, 1000), (std::pair{1000, 1000}));
  EXPECT_EQ(moved(0, 0x8000, 1000), (std::pair{500, 500}));
  EXPECT_EQ(moved(kHalf, kHalf + 0x8000, 1001), (std::pair{501, 500}));  // the read comes first
  // The read crosses into the other half after 10 beats: 10 at full rate, then shared.
  EXPECT_EQ(moved(kHalf - 320, kHalf, 30), (std::pair{20, 20}));
}

TEST(Hbm2, WhoComesAloneIsServedAndConflictsAlternate) {
  Hbm2Channel m({kSize, 30, 10});
  EXPECT_EQ(m.arbitrate(false, 0, false, 0), (Grant{false, false}));
  EXPECT_EQ(m.arbitrate(false, 0, true, 0), (Grant{false, true}));
  EXPECT_EQ(m.arbitrate(true, 0, true, 32), (Grant{true, false}));
  EXPECT_EQ(m.arbitrate(true, 0, true, 32), (Grant{false, true}));
  EXPECT_EQ(m.arbitrate(true, 0, false, 0), (Grant{true, false}));
  EXPECT_EQ(m.arbitrate(true, 0, true, 32), (Grant{false, true}));  // the write waited least lately
  EXPECT_EQ(m.conflicts(), 3u);
}

TEST(BackingStore, IsSparseAndZero) {
  BackingStore store("fpga.0", 1ull << 36);  // 64 GiB: more than this machine has
  std::uint64_t word = 1;
  store.read((1ull << 36) - 8, &word, 8);
  EXPECT_EQ(word, 0u);
  word = 0x1234;
  store.write(5, &word, 8);
  EXPECT_EQ(store.data()[5], 0x34);
  EXPECT_FALSE(store.shared());
}

TEST(BackingStore, IsSharedThroughAFile) {
  char folder[] = "/tmp/polyloom-backdoor-XXXXXX";
  ASSERT_NE(::mkdtemp(folder), nullptr);
  ::setenv("POLYLOOM_BACKDOOR_DIR", folder, 1);
  const std::string path = std::string(folder) + "/fpga.3.mem";
  {
    BackingStore store("fpga.3", 1 << 20);
    EXPECT_TRUE(store.shared());
    store.write(4096, "abc", 3);
    std::ifstream in(path, std::ios::binary);
    in.seekg(4096);
    char text[4] = {};
    in.read(text, 3);
    EXPECT_STREQ(text, "abc");
    struct stat info {};
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_size, 1 << 20);
  }
  {
    BackingStore again("fpga.3", 1 << 20);
    EXPECT_EQ(again.data()[4097], 'b');
  }
  ::setenv("POLYLOOM_BACKDOOR_DIR", (std::string(folder) + "/none").c_str(), 1);
  EXPECT_THROW(BackingStore("fpga.3", 4096), UserError);
  ::unsetenv("POLYLOOM_BACKDOOR_DIR");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace polyloom::blocks
