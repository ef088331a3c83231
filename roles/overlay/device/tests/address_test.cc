// SPDX-License-Identifier: Apache-2.0
// Covers: ids, special addresses and partitions of tinsel-interface.h, and derived parameters, against the
// published figures (docs/sources/tinsel.md, 1.3, 1.4, 7). Leaves out: parameters that only the hardware
// uses.
#include <gtest/gtest.h>
#include <tinsel-interface.h>

namespace {

TEST(Addresses, PackAsPublished) {
  // Y[15:13] X[12:10] tileY[9:8] tileX[7:6] core[5:4] thread[3:0].
  EXPECT_EQ(tinselToAddr(1, 0, 0, 0, 0, 0), 1u << 10);
  EXPECT_EQ(tinselToAddr(0, 1, 0, 0, 0, 0), 1u << 13);
  EXPECT_EQ(tinselToAddr(0, 0, 1, 0, 0, 0), 1u << 6);
  EXPECT_EQ(tinselToAddr(0, 0, 0, 1, 0, 0), 1u << 8);
  EXPECT_EQ(tinselToAddr(0, 0, 0, 0, 1, 1), 0x11u);
  for (uint32_t id = 0; id < TinselMaxThreads; ++id) {
    uint32_t bx, by, tx, ty, core, thread;
    tinselFromAddr(id, &bx, &by, &tx, &ty, &core, &thread);
    ASSERT_EQ(tinselToAddr(bx, by, tx, ty, core, thread), id);
  }
}

TEST(Addresses, SpecialOnes) {
  EXPECT_EQ(tinselHostId(), 0x20000u);
  EXPECT_EQ(tinselUseRoutingKey(), 0x1000u);
  EXPECT_EQ(tinselBridgeId(0, 0), 0x20000u);
  EXPECT_EQ(tinselBridgeId(1, 2), 0x20000u | 0x10000u | 2u << 13);
  EXPECT_EQ(tinselAccId(1, 2, 3, 0), 1u << 19 | 2u << 13 | 1u << 10 | 3u << 6);
}

TEST(Addresses, Partitions) {
  // Heap base = (0x80000000 - (p+1) * 2 MiB) | 0x80000000; SRAM 32 KiB at 0x00800000 + p * 32 KiB; p = id mod
  // 512.
  for (const uint32_t id : {0u, 1u, 511u, 512u, 1023u, 65535u}) {
    const uint32_t p = id % 512;
    EXPECT_EQ(tinselHeapBaseGeneric(id), (0x80000000u - (p + 1) * 0x200000u) | 0x80000000u);
    EXPECT_EQ(tinselHeapBaseSRAMGeneric(id), 0x00800000u + p * 0x8000u);
  }
}

TEST(Parameters, DerivedOnesAreThePublished) {
  EXPECT_EQ(TinselLogWordsPerMsg, 4);
  EXPECT_EQ(TinselLogBytesPerMsg, 6);
  EXPECT_EQ(TinselLogBytesPerFlit, 4);
  EXPECT_EQ(TinselMaxFlitsPerMsg, 4);
  EXPECT_EQ(TinselLogThreadsPerMailbox, 6);
  EXPECT_EQ(TinselLogThreadsPerBoard, 10);
  EXPECT_EQ(TinselLogCoresPerBoard, 6);
  EXPECT_EQ(TinselThreadsPerDRAM, 512);
  EXPECT_EQ(TinselMaxThreads, 65536);
  EXPECT_EQ(TinselLogBytesPerDRAM, 31);
  EXPECT_EQ(TinselLogBytesPerSRAM, 23);
  EXPECT_EQ(TinselLogBytesPerDRAMPartition, 21);
  EXPECT_EQ(TinselLogBytesPerSRAMPartition, 15);
  EXPECT_EQ(TinselLogBytesPerLine, 5);
  EXPECT_EQ(TinselLogBytesPerMailbox, 15);
  EXPECT_EQ(TinselDRAMsPerBoard, 2);
  EXPECT_EQ(TinselDCachesPerDRAM, 8);
  EXPECT_EQ(TinselBoardsPerBox, 7);
  EXPECT_EQ(TinselDRAMBase, 0x1800000);
  EXPECT_EQ(TinselPOLiteDRAMGlobalsLength, 16384);
  EXPECT_EQ(TinselPOLiteProgRouterBase, 0x1804000);
  EXPECT_EQ(TinselMaxBootImageBytes, 576);
}

}  // namespace
