// SPDX-License-Identifier: Apache-2.0
// Covers: every fault in words, peers by lane, causes before echoes. Leaves out: which faults nodes raise
// (tests of sim/).
#include "roles/collective/host/runtime/fault_text.h"

#include <gtest/gtest.h>

#include "roles/collective/arch/program.h"

namespace polyloom::collective {
namespace {

using Events = std::vector<std::optional<blocks::EventFrame>>;

blocks::EventFrame event(Fault fault, unsigned lane = 0, std::uint64_t value = 0, unsigned at = 0) {
  blocks::EventFrame e;
  e.code = static_cast<std::uint8_t>(fault);
  e.detail = lane << 16 | at;
  e.begin = 1000;
  e.finish = 1500;
  e.value = value;
  return e;
}

/// Rank 0 of three, fully connected: lane 0 leads to rank 1, lane 1 to rank 2.
std::string text(Events events) { return fault_text(events, Topology::fully_connected(3), 200e6); }
std::string of_rank_0(const blocks::EventFrame& e) { return text({e, std::nullopt, std::nullopt}); }

TEST(FaultText, NamesThePeer) {
  for (const auto& [fault, words] :
       {std::pair{Fault::signature, "got a block of another operation from rank 2 (lane 1)"},
        {Fault::length, "another length than it expected from rank 2 (lane 1)"},
        {Fault::overflow, "had no room for a beat from rank 2 (lane 1)"},
        {Fault::check, "a damaged block from rank 2 (lane 1)"},
        {Fault::aborted, "stopped because rank 2 (lane 1) did"},
        {Fault::unexpected, "got data from rank 2 (lane 1) where none"}}) {
    EXPECT_NE(of_rank_0(event(fault, 1)).find(words), std::string::npos) << of_rank_0(event(fault, 1));
  }
  EXPECT_NE(of_rank_0(event(Fault::check, 9)).find("block from lane 9"), std::string::npos) << "no such lane";
}

TEST(FaultText, WhoWaitsForWhom) {
  const std::string both = of_rank_0(event(Fault::timeout, 0xff, 0b10 | std::uint64_t{0b11} << 32));
  EXPECT_NE(both.find("rank 0 waits for permission of rank 2 (lane 1) waits for data of rank 1 (lane 0), "
                      "rank 2 (lane 1)"),
            std::string::npos)
      << both;
  EXPECT_NE(of_rank_0(event(Fault::timeout, 0xff, 0)).find("makes no progress"), std::string::npos);
}

TEST(FaultText, WhatWasFound) {
  const std::string bad = of_rank_0(event(Fault::bad_program, 0, 0x2a, 17));
  EXPECT_NE(bad.find("cannot execute (index 17, 0x2a)"), std::string::npos) << bad;
  EXPECT_NE(of_rank_0(event(Fault::operator_error, 0, 8)).find("status 0x8"), std::string::npos);
  EXPECT_NE(bad.find("(2.500 us after its start)"), std::string::npos) << "500 cycles of 5 ns";
  blocks::EventFrame unknown = event(Fault::check);
  unknown.code = 77;
  EXPECT_NE(of_rank_0(unknown).find("stopped with code 77"), std::string::npos);
}

TEST(FaultText, EchoesOnlyIfThereIsNoCause) {
  const std::string cause =
      text({event(Fault::aborted, 0), event(Fault::overflow, 1), event(Fault::aborted, 1)});
  EXPECT_NE(cause.find("rank 1 had no room"), std::string::npos);
  EXPECT_EQ(cause.find("stopped because"), std::string::npos) << cause;
  const std::string echoes = text({event(Fault::aborted, 0), std::nullopt, blocks::EventFrame{}});
  EXPECT_NE(echoes.find("rank 0 stopped because rank 1"), std::string::npos) << echoes;
  EXPECT_EQ(echoes.find("rank 2 "), std::string::npos) << "ended without a fault";
}

}  // namespace
}  // namespace polyloom::collective
