// SPDX-License-Identifier: Apache-2.0
// Covers: rows of the run record from commands and responses: times, peers of what came, questions in vain,
// sums of more calls than are kept. Leaves out: what is made of the rows (polyloom/report/tests).
#include "roles/mpi/arch/history.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "roles/mpi/arch/calls.h"
#include "roles/mpi/arch/command.h"
#include "roles/mpi/arch/system.h"

namespace polyloom::mpi {
namespace {

using Rows = std::map<std::string, std::vector<std::string>, std::less<>>;

Rows rows_of(const History& history) {
  Rows rows;
  history.tables(3, true, [&](std::string_view table, std::string_view, std::string_view row) {
    rows[std::string(table)].emplace_back(row);
  });
  return rows;
}

struct Command {
  unsigned op, type, peer;
  int tag;
  unsigned comm, handle;
  std::uint32_t bytes;
};
struct Response {
  bool done;
  unsigned handle;
  int tag;
  std::uint32_t bytes;
};

void request(History& history, History::Time begin, History::Time end, const Command& c, const Response& a) {
  const std::uint64_t words[3] = {polyloom_word0(c.op, c.type, c.peer, c.tag),
                                  polyloom_word1(c.comm, c.handle, nullptr), c.bytes};
  const std::uint64_t response[2] = {std::uint64_t{a.done} << 8 | std::uint64_t{a.handle} << 16 |
                                         std::uint64_t{static_cast<std::uint32_t>(a.tag)} << 32,
                                     a.bytes};
  history.command(begin, words);
  history.response(end, response);
}

TEST(History, NothingOfARankThatHasNotBegun) { EXPECT_TRUE(rows_of({}).empty()); }

TEST(History, SendsAndReceivesWithTheMessageThatCame) {
  History h;
  h.begin(100, 4);
  request(h, 110, 120, {POLYLOOM_SEND_WAIT, 4, 2, 7, 0, 0, 64}, {true, 0, 0, 0});
  request(h, 130, 190, {POLYLOOM_RECV_WAIT, 4, POLYLOOM_ANY_RANK, POLYLOOM_ANY_TAG, 0, 0, 256},
          {true, 1, 9, 16});
  request(h, 200, 201, {POLYLOOM_RECV, 4, POLYLOOM_ANY_RANK, 5, 0, 0, 256}, {false, 21, 0, 0});
  request(h, 210, 260, {POLYLOOM_WAIT, POLYLOOM_RECV, POLYLOOM_ANY_RANK, 5, 0, 21, 0}, {true, 2, 5, 32});
  h.dram(12);
  h.end(300);
  const Rows rows = rows_of(h);
  EXPECT_EQ(rows.at("mpi_ranks"), std::vector<std::string>{"3,1,100,300,121,12,4,4,1,64,2,48"});
  EXPECT_EQ(rows.at("mpi_calls"), (std::vector<std::string>{
                                      "3,110,120,MPI_Send,both,1,2,0,0,64,1,7",
                                      "3,130,190,MPI_Recv,both,0,1,0,0,16,1,9",
                                      "3,200,201,MPI_Irecv,start,0,65535,0,21,256,1,5",
                                      "3,210,260,MPI_Wait of a receive,wait,0,2,0,21,32,1,5",
                                  }));
  EXPECT_EQ(rows.at("mpi_waits"), (std::vector<std::string>{
                                      "3,MPI_Irecv,0,65535,1,1",
                                      "3,MPI_Recv,0,1,1,60",
                                      "3,MPI_Send,1,2,1,10",
                                      "3,MPI_Wait of a receive,0,2,1,50",
                                  }));
}

TEST(History, CollectivesAndTheManagerAreCalledByTheirNames) {
  History h;
  h.begin(0, 4);
  request(h, 0, 10, {POLYLOOM_SEND, 4, 1, POLYLOOM_CALL_Bcast, 1, 0, 8}, {false, 3, 0, 0});
  request(h, 10, 30, {POLYLOOM_WAIT, POLYLOOM_SEND, 1, POLYLOOM_CALL_Bcast, 1, 3, 0}, {true, 0, 0, 0});
  request(h, 30, 35, {POLYLOOM_SEND_WAIT, 0, 4, POLYLOOM_PRINT, POLYLOOM_SYSTEM, 0, 40}, {true, 0, 0, 0});
  request(h, 35, 38, {POLYLOOM_RECV_WAIT, 0, 4, POLYLOOM_RESPONSE, POLYLOOM_SYSTEM, 0, 16},
          {true, 4, POLYLOOM_RESPONSE, 16});
  h.end(40);
  const Rows rows = rows_of(h);
  EXPECT_EQ(rows.at("mpi_waits"),
            (std::vector<std::string>{"3,C's library,0,4,1,3", "3,MPI_Bcast,1,1,2,30", "3,printf,1,4,1,5"}));
  EXPECT_EQ(rows.at("mpi_ranks")[0], "3,1,0,40,38,0,4,4,1,8,0,0") << "what the manager hears is no message";
}

TEST(History, ARankThatWasStoppedHasRunToItsLastCall) {
  History h;
  h.begin(100, 4);
  request(h, 110, 150, {POLYLOOM_SEND_WAIT, 4, 2, 7, 0, 0, 64}, {true, 0, 0, 0});
  EXPECT_EQ(rows_of(h).at("mpi_ranks")[0], "3,1,100,150,40,0,1,1,1,64,0,0");
}

// MPI_Waitany asks again and again: one call, and what passes between the questions is its time.
TEST(History, QuestionsInVainAreOneWait) {
  History h;
  h.begin(0, 2);
  for (int i = 0; i < 5; ++i) {
    request(h, 100 * i, 100 * i + 40, {POLYLOOM_TEST, POLYLOOM_RECV, 1, 5, 0, 9, 0}, {false, 0, 0, 0});
  }
  request(h, 500, 540, {POLYLOOM_TEST, POLYLOOM_RECV, 1, 5, 0, 9, 0}, {true, 1, 5, 8});
  request(h, 1'000'000'000, 1'000'000'001, {POLYLOOM_IPROBE, 0, 1, 5, 0, 0, 0}, {false, 0, 0, 0});
  h.end(1'000'000'100);
  const Rows rows = rows_of(h);
  EXPECT_EQ(rows.at("mpi_calls"), (std::vector<std::string>{
                                      "3,0,540,MPI_Test,wait,0,1,0,9,8,1,5",
                                      "3,1000000000,1000000001,MPI_Iprobe,look,0,1,0,0,0,0,5",
                                  }));
  EXPECT_EQ(rows.at("mpi_ranks")[0], "3,1,0,1000000100,541,0,2,2,0,0,1,8");
}

TEST(History, WhatIsNotCompletedAtTheEndIsTold) {
  History h;
  h.begin(0, 1);
  request(h, 1, 2, {POLYLOOM_RECV, 4, 1, 5, 0, 0, 8}, {false, 20, 0, 0});
  request(h, 3, 4, {POLYLOOM_SEND, 4, 2, 6, 0, 0, 8}, {false, 21, 0, 0});
  request(h, 5, 6, {POLYLOOM_TEST, 0x81, 2, 6, 0, 21, 0}, {true, 0, 0, 0});
  EXPECT_EQ(rows_of(h).count("mpi_left"), 0u) << "before the end";
  h.end(10);
  EXPECT_EQ(rows_of(h).at("mpi_left"),
            std::vector<std::string>{
                "3,\"rank 3: 2 requests were never completed, the first one a receive from rank 1, tag 5\""});
  request(h, 11, 12, {POLYLOOM_WAIT, POLYLOOM_RECV, 1, 5, 0, 20, 0}, {true, 1, 5, 8});
  EXPECT_EQ(rows_of(h).at("mpi_left"),
            std::vector<std::string>{"3,\"rank 3: 1 send to rank 2, tag 6, was never completed\""});
  request(h, 13, 14, {POLYLOOM_TEST, POLYLOOM_SEND, 2, 6, 0, 21, 0}, {true, 2, 6, 8});
  EXPECT_EQ(rows_of(h).count("mpi_left"), 0u);
  for (unsigned i = 0; i < 3; ++i)  // the messages of one
    request(h, 15, 16, {POLYLOOM_SEND, 0, i, POLYLOOM_CALL_Ibarrier | 1 << 16, 1, 0, 0},
            {false, 22 + i, 0, 0});
  EXPECT_EQ(rows_of(h).at("mpi_left"),
            std::vector<std::string>{"3,\"rank 3: 1 MPI_Ibarrier was never completed\""});
  EXPECT_EQ(rows_of(h).at("mpi_pairs"), (std::vector<std::string>{"3,1,0,1", "3,2,1,0"}));
}

TEST(History, SumsAreOfAllCallsAlsoOfThoseThatAreNotKept) {
  History h;
  constexpr int kRanks = 1024, kCalls = 5000;
  h.begin(0, kRanks);
  for (int i = 0; i < kCalls; ++i) {
    const auto peer = static_cast<unsigned>(i % 2000);  // more than there are sums
    request(h, 10 * i, 10 * i + 4, {POLYLOOM_SEND_WAIT, 4, peer, i, 0, 0, 8}, {true, 0, 0, 0});
  }
  h.end(10 * kCalls);
  const Rows rows = rows_of(h);
  EXPECT_EQ(rows.at("mpi_ranks")[0], "3,1,0,50000,20000,0,5000,128,5000,40000,0,0");
  EXPECT_EQ(rows.at("mpi_calls").size(), 128u);
  ASSERT_EQ(rows.at("mpi_waits").size(), 1025u);
  std::uint64_t count = 0, time = 0;
  for (const std::string& row : rows.at("mpi_waits")) {
    const auto comma = row.rfind(',');
    time += std::stoull(row.substr(comma + 1));
    count += std::stoull(row.substr(row.rfind(',', comma - 1) + 1));
  }
  EXPECT_EQ(count, 5000u);
  EXPECT_EQ(time, 20000u);
}

}  // namespace
}  // namespace polyloom::mpi
