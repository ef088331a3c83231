// SPDX-License-Identifier: Apache-2.0
// Covers: what HostLink and DebugLink make of calls (frames, order, addresses, padding, console lines,
// errors), against a fake cluster; facts of a cluster; core numbers. Leaves out: the socket and real boards
// (end-to-end tests do those).
#include "roles/overlay/host/HostLink.h"

#include "fabric/error.h"
#include "roles/overlay/arch/fault_codes.h"
#include "roles/overlay/host/boot_image.h"
#include "roles/overlay/host/hostlink_fixture.h"

namespace polyloom::overlay {
namespace {

TEST_F(HostLinkTest, UsesTheWholeClusterUnlessBoxesAreNamed) {
  open();
  EXPECT_EQ(link_->meshXLen, 4);
  EXPECT_EQ(link_->meshYLen, 2);
  EXPECT_EQ(link_->debugLink->boxMeshXLen, 2);  // the second box is 1 x 2 boards
  EXPECT_EQ(link_->debugLink->boxMeshYLen, 1);
  EXPECT_EQ(link_->slicesPerBoard, 2);
  setenv("HOSTLINK_BOXES_X", "1", 1);
  open();
  EXPECT_EQ(link_->meshXLen, 3);
  EXPECT_EQ(link_->meshYLen, 2);
}

TEST_F(HostLinkTest, RefusesMoreBoxesThanThereAre) {
  setenv("HOSTLINK_BOXES_Y", "2", 1);
  EXPECT_EXIT(open(), testing::ExitedWithCode(1),
              "polyloom: 2 boxes in y were asked for: cluster 'test' has 1");
  setenv("HOSTLINK_BOXES_Y", "two", 1);
  EXPECT_EXIT(open(), testing::ExitedWithCode(1), "HOSTLINK_BOXES_Y='two': expected a number");
}

TEST_F(HostLinkTest, PacksAddressesAsThreadIds) {
  open();
  // docs/sources/tinsel.md, 1.4: Y[15:13] X[12:10] core[9:4] thread[3:0].
  EXPECT_EQ(link_->toAddr(2, 1, 17, 9), (1u << 13) + (2u << 10) + (17u << 4) + 9u);
  uint32_t x, y, core, thread;
  link_->fromAddr(0xffff, &x, &y, &core, &thread);
  EXPECT_EQ(std::vector<uint32_t>({x, y, core, thread}), std::vector<uint32_t>({7, 7, 63, 15}));
}

TEST_F(HostLinkTest, SendsMessagesThroughBoardZero) {
  open();
  uint64_t message[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  const uint32_t dest = link_->toAddr(3, 1, 16 + 3, 5);
  EXPECT_TRUE(link_->send(dest, 1, message));
  EXPECT_TRUE(link_->trySend(dest, 4, message));
  ASSERT_EQ(cluster_->sent.size(), 2u);
  EXPECT_EQ(cluster_->sent[0].dest, dest >> 6);
  EXPECT_EQ(cluster_->sent[0].mask, 1ull << (3 * 16 + 5));
  EXPECT_EQ(cluster_->sent[0].payload, std::vector<uint64_t>({1, 2}));
  EXPECT_EQ(cluster_->sent[1].payload, std::vector<uint64_t>({1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST_F(HostLinkTest, BuffersSendsOnRequest) {
  open();
  uint64_t message[2] = {7, 8};
  link_->useSendBuffer = true;
  for (int i = 0; i < 8191; ++i) link_->send(0, 1, message);
  EXPECT_TRUE(cluster_->sent.empty());
  link_->send(0, 1, message);
  EXPECT_EQ(cluster_->sent.size(), 8192u);
  link_->send(0, 1, message);
  link_->flush();
  EXPECT_EQ(cluster_->sent.size(), 8193u);
  EXPECT_EXIT(link_->send(0, 1, message, false), testing::ExitedWithCode(1), "only blocking sends");
}

/// A board's buffer has 512 flits; what is behind it on the way would wait, too.
TEST_F(HostLinkTest, SendsNoMoreMessagesThanTheClusterHasRoomFor) {
  for (const unsigned flits : {1u, 3u, 4u}) {
    open();
    cluster_->takes_messages = false;
    uint64_t message[8] = {};
    const unsigned fit = 512 / flits;
    for (unsigned i = 0; i < fit; ++i, ++message[0]) EXPECT_TRUE(link_->trySend(0, flits, message)) << i;
    EXPECT_FALSE(link_->trySend(0, flits, message));
    for (int i = 0; i < 200; ++i, ++message[0]) EXPECT_TRUE(link_->send(0, flits, message));
    EXPECT_FALSE(link_->trySend(0, 1, message)) << "behind others, even if it fits";
    EXPECT_EQ(cluster_->sent.size(), fit);
    link_->debugLink->setDest(0, 0, 0, 0);
    link_->debugLink->put(0, 0, 'x');
    EXPECT_EQ(cluster_->input.size(), 1u);
    cluster_->pass(128);
    EXPECT_FALSE(link_->canRecv());
    EXPECT_EQ(cluster_->sent.size(), (512 + 128) / flits);
    cluster_->pass(200 * flits);
    EXPECT_FALSE(link_->canRecv());
    cluster_->pass(512);
    EXPECT_TRUE(link_->trySend(0, flits, message));
    ASSERT_EQ(cluster_->sent.size(), fit + 201);
    for (unsigned i = 0; i < fit + 201; ++i) EXPECT_EQ(cluster_->sent[i].payload[0], i);
  }
}

TEST_F(HostLinkTest, RefusesBadSends) {
  open();
  uint64_t message[8] = {};
  EXPECT_EXIT(link_->send(0, 5, message), testing::ExitedWithCode(1), "5 flits: a message has 1 to 4");
  EXPECT_EXIT(link_->send(0x20000, 1, message), testing::ExitedWithCode(1), "0x20000 is no thread's address");
  EXPECT_EXIT(link_->send(link_->toAddr(4, 0, 0, 0), 1, message), testing::ExitedWithCode(1),
              "no board \\(4,0\\): this HostLink holds 4 x 2");
  EXPECT_EXIT(link_->send(link_->toAddr(0, 0, 8, 0), 1, message), testing::ExitedWithCode(1),
              "no core 8 \\(tile 2,0");
}

TEST_F(HostLinkTest, ScratchpadsReceivedMessages) {
  open();
  EXPECT_FALSE(link_->canRecv());
  for (uint64_t i = 0; i < 5; ++i) cluster_->put_message({i, 100 + i});
  EXPECT_TRUE(link_->canRecv());
  uint64_t message[8];
  std::memset(message, 0xff, sizeof message);
  link_->recv(message);
  EXPECT_EQ(message[1], 100u);
  for (int i = 2; i < 8; ++i) EXPECT_EQ(message[i], 0u);
  uint32_t packed[4] = {9, 9, 9, 9};
  link_->recvMsgs(3, 4, packed);
  EXPECT_EQ(std::vector<uint32_t>(packed, packed + 4), std::vector<uint32_t>({1, 2, 3, 9}));
  uint16_t two = 0xffff;
  link_->recvMsg(&two, 2);
  EXPECT_EQ(two, 4u);
  cluster_->put_message({11, 0});
  cluster_->put_message({12, 0});
  uint64_t bulk[16];
  link_->recvBulk(2, bulk);
  EXPECT_EQ(bulk[8], 12u);
  EXPECT_EXIT(link_->recv(message), testing::ExitedWithCode(1), "nothing can happen");
}

TEST_F(HostLinkTest, BootsEveryBoardBeforeItStartsAny) {
  open();
  const auto code = file("code.v", "@00000240\n13 00 00 00 6F 00 00 00\n");
  const auto data = file("data.v", "@01800000\nAA BB CC\n");
  link_->boot(code.c_str(), data.c_str());
  EXPECT_TRUE(cluster_->starts.empty());
  link_->go();
  ASSERT_EQ(cluster_->starts.size(), 8u);
  const std::vector<uint8_t> boot(boot_image().begin(), boot_image().end());
  for (unsigned b = 0; b < 8; ++b) {
    const auto& start = cluster_->starts[b];
    EXPECT_EQ(start.board, b);
    EXPECT_EQ(start.unanswered, 0u);  // every write was confirmed
    EXPECT_EQ(start.frame.first_core, 0);
    EXPECT_EQ(start.frame.cores, 16);
    EXPECT_EQ(start.frame.threads, 16);
    EXPECT_EQ(start.frame.pc, 0u);
    EXPECT_EQ(cluster_->bytes(b, blocks::Space::instr, blocks::kBroadcast, 0, boot.size()), boot);
    EXPECT_EQ(cluster_->bytes(b, blocks::Space::instr, blocks::kBroadcast, 0x240, 8),
              std::vector<uint8_t>({0x13, 0, 0, 0, 0x6f, 0, 0, 0}));
    for (const auto slice : {blocks::Space::slice0, blocks::Space::slice1}) {
      EXPECT_EQ(cluster_->bytes(b, slice, 0, 0x1800000, 5),
                std::vector<uint8_t>({0xaa, 0xbb, 0xcc, 0, 0xee}));
    }
  }
  EXPECT_EXIT(link_->go(), testing::ExitedWithCode(1), "nothing to start; call boot");
}

// A driver fills a ring and rings once, and takes all completions that are there: the time of a load must not
// grow with the number of its frames at a call each.
TEST_F(HostLinkTest, LoadsInFewCalls) {
  open();
  std::vector<uint32_t> words(4);
  const unsigned writes = 5000;
  for (unsigned i = 0; i < writes; ++i) {
    link_->dmaWrite(i % 4, i % 2, 0, 0x800000 + 16 * i, words.data(), 16);
  }
  const auto code = file("code.v", "@00000240\n13 00 00 00\n"), data = file("data.v", "");
  link_->boot(code.c_str(), data.c_str());
  link_->go();
  EXPECT_EQ(cluster_->starts.size(), 8u);
  EXPECT_LE(cluster_->calls, writes / 100);
}

TEST_F(HostLinkTest, TakesManyMessagesInOneCall) {
  open();
  for (uint64_t i = 0; i < 1000; ++i) cluster_->put_message({i, 0});
  std::vector<uint64_t> got(1000);
  link_->recvMsgs(1000, 8, got.data());
  for (uint64_t i = 0; i < 1000; ++i) EXPECT_EQ(got[i], i);
  EXPECT_EQ(cluster_->calls, 1u);
}

// Times of the fake: each call takes 1 ns, which is one cycle of its boards.
TEST_F(HostLinkTest, TellsLoadStartComputeAndCollectApart) {
  open();
  const auto code = file("code.v", "@00000240\n13 00 00 00\n"), data = file("data.v", "");
  link_->boot(code.c_str(), data.c_str());
  for (unsigned board = 0; board < 8; ++board) {
    cluster_->registers[{board, blocks::reg::cycle}] = board == 3 ? 7 : 4;  // the last thread runs at 7 ns
  }
  link_->go();
  const fabric::Time started = cluster_->now();
  EXPECT_EQ(started, 3000);  // writes, their completions, starts
  for (int i = 0; i < 6; ++i) link_->canRecv();
  EXPECT_EQ(cluster_->now(), 9000);
  cluster_->put_message({1, 2});
  cluster_->put_message({3, 4});
  uint64_t message[8];
  link_->recv(message);  // both arrive at 10 ns
  for (int i = 0; i < 3; ++i) {
    if (!link_->canRecv()) continue;
    link_->recv(message);
  }
  const HostLinkPhases phases = link_->phases();
  EXPECT_DOUBLE_EQ(phases.load, 2e-9);
  EXPECT_DOUBLE_EQ(phases.start, 5e-9);
  EXPECT_DOUBLE_EQ(phases.compute, 3e-9);
  EXPECT_DOUBLE_EQ(phases.load + phases.start + phases.compute + phases.collect, link_->simulatedSeconds());
  ASSERT_EQ(cluster_->marks.size(), 4u);
  const std::vector<fabric::Time> begins = {0, 2000, 7000, 10000};
  const std::vector<std::string> names = {"load", "start", "compute", "collect"};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(cluster_->marks[i].name, names[i]);
    EXPECT_EQ(cluster_->marks[i].begin, begins[i]);
  }
}

TEST_F(HostLinkTest, ComputesOnWhileMessagesOfThatKeyCome) {
  open();
  const auto code = file("code.v", "@00000240\n13 00 00 00\n"), data = file("data.v", "");
  link_->boot(code.c_str(), data.c_str());
  for (unsigned board = 0; board < 8; ++board) cluster_->registers[{board, blocks::reg::cycle}] = 4;
  link_->computeGoesOnAt(5);
  link_->go();
  uint64_t message[8];
  cluster_->put_message({0x70005, 2});  // the key is the first half-word
  link_->recv(message);
  for (int i = 0; i < 6; ++i) link_->canRecv();
  const double before = link_->phases().compute;
  EXPECT_DOUBLE_EQ(link_->phases().collect, 0);
  cluster_->put_message({0x50007, 2});
  link_->recv(message);
  const double compute = link_->phases().compute;
  EXPECT_GE(compute, before);
  for (int i = 0; i < 6; ++i) link_->canRecv();
  EXPECT_DOUBLE_EQ(link_->phases().compute, compute);
  EXPECT_GT(link_->phases().collect, 0);
}

TEST_F(HostLinkTest, ParksTheThreadsOfBoardsThatItDoesNotUse) {
  setenv("HOSTLINK_BOXES_X", "1", 1);
  open();
  const auto code = file("code.v", "@00000240\n13 00 00 00\n"), data = file("data.v", "");
  link_->boot(code.c_str(), data.c_str());
  link_->go();
  ASSERT_EQ(cluster_->starts.size(), 8u);
  for (const auto& start : cluster_->starts) {
    EXPECT_EQ(start.frame.pc, start.board % 4 == 3 ? kParkAddress : 0u) << "board " << start.board;
  }
  EXPECT_EQ(cluster_->bytes(3, blocks::Space::instr, blocks::kBroadcast, 0x240, 1)[0], 0xee);
}

TEST_F(HostLinkTest, LoadsAndStartsSingleCores) {
  open();
  const auto code = file("code.v", "@00000240\n01 02 03 04\n"),
             data = file("data.v", "@02000000\n05 06 07 08\n");
  const uint32_t core = 16 + 6;  // tile (1,1), core 2: dense number 14, pair 7, second slice
  link_->loadInstrsOntoCore(code.c_str(), 1, 0, core);
  link_->loadDataViaCore(data.c_str(), 1, 0, core);
  link_->startOne(1, 0, core, 3);
  link_->goOne(1, 0, core);
  ASSERT_EQ(cluster_->starts.size(), 1u);
  EXPECT_EQ(cluster_->starts[0].board, 1u);
  EXPECT_EQ(cluster_->starts[0].frame.first_core, 14);
  EXPECT_EQ(cluster_->starts[0].frame.cores, 1);
  EXPECT_EQ(cluster_->starts[0].frame.threads, 3);
  EXPECT_EQ(cluster_->bytes(1, blocks::Space::instr, 7, 0x240, 4), std::vector<uint8_t>({1, 2, 3, 4}));
  EXPECT_EQ(cluster_->bytes(1, blocks::Space::slice1, 0, 0x2000000, 4), std::vector<uint8_t>({5, 6, 7, 8}));
  EXPECT_EXIT(link_->goOne(1, 0, core), testing::ExitedWithCode(1), "core 22 was not prepared");
  EXPECT_EXIT(link_->startOne(1, 0, core, 17), testing::ExitedWithCode(1), "17 threads: a core has 1 to 16");
}

TEST_F(HostLinkTest, StoresWordsAsACoreSeesThem) {
  open();
  uint32_t words[3] = {0x11223344, 2, 3};
  link_->setAddr(0, 1, 0, 0x800000);
  link_->store(0, 1, 0, 2, words);
  link_->store(0, 1, 0, 1, words + 2);
  uint32_t back[3];
  link_->dmaRead(0, 1, 0, 0x800000, back, 12);
  EXPECT_EQ(back[0], 0x11223344u);
  EXPECT_EQ(cluster_->bytes(4, blocks::Space::slice0, 0, 0x800000, 12),
            std::vector<uint8_t>({0x44, 0x33, 0x22, 0x11, 2, 0, 0, 0, 3, 0, 0, 0}));
  EXPECT_TRUE(link_->powerOnSelfTest());
  EXPECT_EXIT(link_->dmaWrite(0, 0, 2, 0, words, 4), testing::ExitedWithCode(1), "no memory slice 2");
}

TEST_F(HostLinkTest, NamesTheCallAndTheRangeThatNoMemoryHas) {
  open();
  uint32_t words[16] = {};
  const auto refused = [](const char* text) { return std::string("polyloom: ") + text; };
  const testing::ExitedWithCode one(1);
  EXPECT_EXIT(
      link_->dmaRead(0, 0, 0, 0xfffffffc, words, 64), one,
      refused("HostLink::dmaRead: 64 bytes at 0xfffffffc lie in no memory of a board: it has 0x800000 "
              "to 0x7fffffff .* and 0xc0000000 to 0xffffffff"));
  EXPECT_EXIT(link_->dmaRead(0, 0, 0, 0, words, 64), one, "dmaRead: 64 bytes at 0x0 lie in no memory");
  EXPECT_EXIT(link_->dmaRead(0, 0, 0, 0x7ffffffc, words, 8), one, "dmaRead: 8 bytes at 0x7ffffffc lie in no");
  EXPECT_EXIT(link_->dmaWrite(0, 0, 0, 0x7ffffc, words, 8), one, "dmaWrite: 8 bytes at 0x7ffffc lie in no");
  EXPECT_EXIT(link_->dmaWrite(0, 0, 0, 0xc0000000, words, ~uint64_t{3}), one,
              "dmaWrite: 18446744073709551612 bytes at 0xc0000000 lie in no memory");
  EXPECT_EXIT(link_->dmaWrite(0, 0, 0, 0xbffffffc, words, 4), one, "4 bytes at 0xbffffffc lie in no memory");
  EXPECT_EXIT(link_->dmaRead(0, 0, 99, 0x800000, words, 4), one, "HostLink::dmaRead: no memory slice 99");
  EXPECT_EXIT(link_->dmaRead(5, 5, 0, 0x800000, words, 4), one, "no board .5,5.: this HostLink holds 4 x 2");
  EXPECT_EXIT(link_->dmaWrite(4, 0, 0, 0x800000, words, 0), one, "no board .4,0.");
  EXPECT_EXIT(link_->dmaRead(0, 0, 0, 0x800001, words, 4), one,
              "HostLink::dmaRead: 4 bytes at 0x800001: address and size must be whole words");
  link_->setAddr(0, 0, 0, 0x100);
  EXPECT_EXIT(link_->store(0, 0, 0, 4, words), one, "HostLink::store: 16 bytes at 0x100 lie in no memory");
  link_->setAddr(0, 0, 0, 2);
  EXPECT_EXIT(link_->store(0, 0, 0, 4, words), one, "HostLink::store: 16 bytes at 0x2: address and size");
  const auto code = file("code.v", "@00000240\n01 02 03 04\n"), data = file("data.v", "@00000100\n01 02\n");
  EXPECT_EXIT(link_->boot(code.c_str(), data.c_str()), one,
              "device program data .*data.v: .* at 0x100 lie in no");
  EXPECT_EXIT(link_->loadDataViaCore(data.c_str(), 0, 0, 0), one, "data.v: .* at 0x100 lie in no memory");
  // What is just inside is taken.
  link_->dmaWrite(0, 0, 0, 0x800000, words, 4);
  link_->dmaWrite(0, 0, 1, 0x7ffffffc, words, 4);
  link_->dmaRead(0, 0, 1, 0xfffffffc, words, 4);
}

TEST_F(HostLinkTest, NamesWhatIsNotThereBeforeAnythingIsSent) {
  open();
  uint64_t message[8] = {};
  const testing::ExitedWithCode one(1);
  EXPECT_EXIT(link_->setAddr(0, 0, 99, 0), one, "there is no core 99 ");
  EXPECT_EXIT(link_->setAddr(0, 7, 0, 0), one, "there is no board .0,7.");
  EXPECT_EXIT(link_->store(0, 0, 8, 0, nullptr), one, "there is no core 8 .tile 2,0");
  EXPECT_EXIT(link_->sliceOfCore(99), one, "there is no core 99 ");
  EXPECT_EXIT(link_->goOne(7, 7, 0), one, "there is no board .7,7.");
  EXPECT_EXIT(link_->startOne(0, 0, 0, -1), one, "HostLink::startOne: -1 threads: a core has 1 to 16");
  EXPECT_EXIT(link_->toAddr(99, 0, 0, 0), one,
              "HostLink::toAddr.99, 0, 0, 0.: an address has room for 8 x 8 boards of 64 cores of 16 ");
  EXPECT_EXIT(link_->toAddr(0, 0, 64, 0), one, "HostLink::toAddr.0, 0, 64, 0.");
  EXPECT_EXIT(link_->toAddr(0, 0, 0, 16), one, "HostLink::toAddr.0, 0, 0, 16.");
  EXPECT_EXIT(link_->recvMsgs(-1, 4, message), one, "HostLink::recvMsgs: -1 messages of 4 bytes");
  EXPECT_EXIT(link_->recvMsgs(1, -4, message), one, "HostLink::recvMsgs: 1 messages of -4 bytes");
  link_->useSendBuffer = true;
  EXPECT_EXIT(link_->send(link_->toAddr(0, 0, 8, 0), 1, message), one, "there is no core 8 ");
  EXPECT_EXIT(link_->debugLink->setDest(9, 9, 9, 9), one, "there is no board .9,9.");
  EXPECT_EXIT(link_->debugLink->setDest(0, 0, 0, 16), one, "there is no thread 16 on a core .* it has 16");
  EXPECT_EXIT(link_->debugLink->setDest(0, 0, 99, 0), one, "there is no core 99 ");
  EXPECT_EXIT(link_->debugLink->setBroadcastDest(0, 2, 0), one, "there is no board .0,2.");
  EXPECT_EXIT(link_->debugLink->put(65536, 0, 'x'), one, "there is no board .65536,0.");
  EXPECT_EXIT(link_->debugLink->getBoardTemp(4, 0), one, "there is no board .4,0.");
  EXPECT_EXIT(link_->debugLink->getBridgeTemp(2, 0), one, "no box .2,0.: there are 2 x 1");
  EXPECT_EQ(link_->debugLink->getBoardTemp(3, 1), 40);
}

TEST_F(HostLinkTest, SplitsLongWrites) {
  open();
  std::vector<uint32_t> words((3u << 20) / 4 + 1);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<uint32_t>(i * 2654435761u);
  std::vector<uint32_t> back(words.size());
  link_->dmaWrite(0, 0, 1, 0x1800000, words.data(), 4 * words.size());
  link_->dmaRead(0, 0, 1, 0x1800000, back.data(), 4 * words.size());
  EXPECT_EQ(back, words);
}

TEST_F(HostLinkTest, RefusesCodeThatDoesNotFit) {
  open();
  const auto low = file("low.v", "@00000200\n13 00 00 00\n"), data = file("data.v", "");
  EXPECT_EXIT(link_->boot(low.c_str(), data.c_str()), testing::ExitedWithCode(1),
              "code at 0x200: below 0x240");
  const auto high = file("high.v", "@00001ffe\n13 00 00 00\n");
  EXPECT_EXIT(link_->boot(high.c_str(), data.c_str()), testing::ExitedWithCode(1), "instr_words");
  EXPECT_EXIT(link_->boot("absent.v", data.c_str()), testing::ExitedWithCode(1), "absent.v: No such file");
}

TEST_F(HostLinkTest, PrintsConsoleLinesAsTinselDoes) {
  open();
  // Dense core 5 is tile (1,0) core 1; dense core 9 is tile (0,1) core 1: board-local ids 5 and 17.
  cluster_->put_text(5, 5, 2, "Hel");
  cluster_->put_text(0, 9, 15, "other\n");
  cluster_->put_text(5, 5, 2, "lo\nrest");
  EXPECT_EQ(printed([&](FILE* out) { EXPECT_TRUE(link_->pollStdOut(out)); }),
            "0:0:17:15: other\n1:1:5:2: Hello\n");
  EXPECT_FALSE(link_->pollStdOut(stdout));
  cluster_->put_text(5, 5, 2, std::string(123 + 4, 'x'));
  uint32_t lines = 0;
  EXPECT_EQ(printed([&](FILE* out) { link_->pollStdOut(out, &lines); }),
            "1:1:5:2: rest" + std::string(123, 'x') + "\n");
  EXPECT_EQ(lines, 1u);
  cluster_->put_text(0, 0, 0, "a\nb\nc\n");
  EXPECT_EQ(printed([&](FILE* out) { link_->dumpStdOut(out, 2); }), "0:0:0:0: a\n0:0:0:0: b\n");
  EXPECT_EXIT(link_->dumpStdOut(stdout, 2), testing::ExitedWithCode(1), "waits for 2 console lines, got 1");
  EXPECT_EXIT(link_->dumpStdOut(), testing::ExitedWithCode(0), "");
}

TEST_F(HostLinkTest, GivesConsoleBytesOneByOne) {
  open();
  EXPECT_FALSE(link_->debugLink->canGet());
  cluster_->put_text(7, 8, 3, "A");
  uint32_t x, y, core, thread;
  uint8_t byte;
  EXPECT_TRUE(link_->debugLink->canGet());
  link_->debugLink->get(&x, &y, &core, &thread, &byte);
  EXPECT_EQ(std::vector<uint32_t>({x, y, core, thread, byte}), std::vector<uint32_t>({3, 1, 16, 3, 'A'}));
  EXPECT_EXIT(link_->debugLink->put(1, 1, 'x'), testing::ExitedWithCode(1),
              "no destination on board \\(1,1\\)");
  link_->debugLink->setDest(1, 1, 17, 4);
  link_->debugLink->put(1, 1, 'x');
  link_->debugLink->setBroadcastDest(1, 1, 6);
  link_->debugLink->put(1, 1, 'y');
  ASSERT_EQ(cluster_->input.size(), 2u);
  EXPECT_EQ(cluster_->input[0].first, 5u);
  EXPECT_EQ(cluster_->input[0].second.core, 9);
  EXPECT_EQ(cluster_->input[0].second.thread, 4);
  EXPECT_FALSE(cluster_->input[0].second.broadcast);
  EXPECT_TRUE(cluster_->input[1].second.broadcast);
  EXPECT_EQ(cluster_->input[1].second.byte, 'y');
}

/// A thread holds one byte: the next one leaves when it has read that one, in order, whichever thread waits.
TEST_F(HostLinkTest, QueuesConsoleBytesUntilTheyAreRead) {
  open();
  const auto has_read = [&](unsigned x, unsigned y, unsigned core, unsigned thread) {
    cluster_->put(y * 4 + x, blocks::encode(blocks::FaultFrame{.cause = kConsoleRead,
                                                               .thread = link_->toAddr(x, y, core, thread)}));
    link_->debugLink->canGet();
  };
  const auto text = [&] {
    std::string sent;
    for (const auto& [board, frame] : cluster_->input) sent += static_cast<char>(frame.byte);
    return sent;
  };
  link_->debugLink->setDest(1, 1, 17, 4);
  for (const char c : {'h', 'e', 'l', 'l', 'o'}) link_->debugLink->put(1, 1, static_cast<uint8_t>(c));
  link_->debugLink->setDest(1, 1, 17, 5);
  link_->debugLink->put(1, 1, '!');  // another thread's does not wait
  EXPECT_EQ(text(), "h!");
  has_read(1, 0, 17, 4);  // another board's
  has_read(1, 1, 17, 6);  // another's that held none
  EXPECT_EQ(text(), "h!");
  for (int i = 0; i < 4; ++i) has_read(1, 1, 17, 4);
  EXPECT_EQ(text(), "h!ello");
  EXPECT_EQ(cluster_->input.back().second.core, 9);
  EXPECT_EQ(cluster_->input.back().second.thread, 4);
  has_read(1, 1, 17, 4);
  // For all cores of a board: one frame where all threads are free, else each in its turn.
  cluster_->input.clear();
  link_->debugLink->setBroadcastDest(1, 1, 5);
  link_->debugLink->put(1, 1, 'a');
  EXPECT_EQ(text(), std::string(15, 'a'));  // core 9 holds the '!'
  has_read(1, 1, 17, 5);
  EXPECT_EQ(text(), std::string(16, 'a'));
  link_->debugLink->setBroadcastDest(1, 1, 0);
  link_->debugLink->put(1, 1, 'b');
  link_->debugLink->put(1, 1, 'c');
  EXPECT_EQ(text(), std::string(16, 'a') + 'b');
  EXPECT_TRUE(cluster_->input.back().second.broadcast);
  has_read(1, 1, 0, 0);
  EXPECT_EQ(text(), std::string(16, 'a') + "bc");
  EXPECT_FALSE(cluster_->input.back().second.broadcast);
}

TEST_F(HostLinkTest, SaysWhatIsBadAboutASend) {
  const auto say = [&](SendFault why, uint32_t dest, const char* text) {
    open();
    const auto cause = static_cast<std::uint8_t>(why);
    cluster_->put(0, blocks::encode(blocks::FaultFrame{.cause = cause, .pc = 0x250, .value = dest}));
    uint64_t message[8];
    EXPECT_EXIT(link_->recv(message), testing::ExitedWithCode(1), text);
  };
  // Mailbox addresses, docs/sources/tinsel.md, 1.4: Y[9:7] X[6:4] tile[3:0], host 11, key 12, accelerator 13.
  using enum SendFault;
  say(destination, 0x1000,
      "bad send: the thread sends to a routing key, but this overlay has no programmable routers");
  say(destination, 0x2000, "bad send: the thread sends to a custom accelerator, but this overlay has none");
  say(destination, 0x100,
      "sends to board .0,2. tile .0,0., which does not exist; the cluster has 4x2 boards of 2x2 tiles");
  say(destination, 0x002, "sends to board .0,0. tile .2,0., which does not exist");
  say(busy, 0x001, "sends while its previous message has not left .check tinselCanSend. .value 0x1.");
  say(length, 0x001, "bad send: the thread sends a message that is too long: one has 1 to 4 flits");
  say(no_receiver, 0x001,
      "bad send: the thread sends a message without receivers .its mask is 0. .value 0x1.");
  say(no_thread, 0x001, "sends a message to a thread that does not exist .its mask has bits from 64 on.");
  say(pointer, 0x001, "bad send: the thread sends from a pointer outside the scratchpad");
}

TEST_F(HostLinkTest, ReportsFaultsAndRefusedFrames) {
  open();
  blocks::FaultFrame fault;
  fault.cause = wire_cause(FaultCause::misaligned_load);
  fault.thread = link_->toAddr(1, 1, 17, 3);
  fault.pc = 0x250;
  fault.value = 0x1800001;
  cluster_->put(5, blocks::encode(fault));
  uint64_t message[8];
  EXPECT_EXIT(link_->recv(message), testing::ExitedWithCode(1),
              "polyloom: device program stopped: misaligned load .value 0x1800001. at pc 0x250, on board "
              ".1,1. core 17 "
              "thread 3");
  fault.cause = wire_cause(FaultCause::bad_store);
  for (const auto& [value, text] :
       {std::pair(0xbad50101u,
                  "stopped: a vertex asks to send on Pin.1. of a graph with POLITE_NUM_PINS 1; its pins are "
                  "HostPin and Pin.0. .value 0xbad50101. at pc 0x250"),
        std::pair(0xbad504fdu,
                  "Pin.253. of a graph with POLITE_NUM_PINS 4; its pins are HostPin and Pin.0. to Pin.3."),
        std::pair(0xbad60007u, "stopped: in superstep 7 some vertex did not send on Pin.0. exactly once")}) {
    open();
    fault.value = value;
    cluster_->put(5, blocks::encode(fault));
    EXPECT_EXIT(link_->recv(message), testing::ExitedWithCode(1), text);
  }
  open();
  cluster_->put(4, blocks::encode(blocks::FaultFrame{.cause = kConsoleFault, .thread = fault.thread}));
  EXPECT_EXIT(link_->recv(message), testing::ExitedWithCode(1),
              "core 17 thread 3 of board .0,1. lost a byte of its console");
  open();
  cluster_->put(2, blocks::encode(blocks::FrameErrorFrame{0, blocks::FrameReason::refused, 7}));
  EXPECT_EXIT(link_->recv(message), testing::ExitedWithCode(1),
              "board .2,0. refused a frame of the host .op 7.");
}

TEST(Machine, NumbersCoresDensely) {
  const ClusterFacts facts = small_facts();
  // Core field = tileY[5:4] tileX[3:2] core[1:0] of the thread id (docs/sources/tinsel.md, 1.4).
  EXPECT_EQ(dense_core(facts, 0), 0u);
  EXPECT_EQ(dense_core(facts, 7), 7u);
  EXPECT_EQ(dense_core(facts, 16), 8u);
  EXPECT_EQ(dense_core(facts, 23), 15u);
  for (unsigned d = 0; d < facts.cores(); ++d) EXPECT_EQ(dense_core(facts, core_of_dense(facts, d)), d);
  EXPECT_THROW(dense_core(facts, 8), UserError);
  EXPECT_EQ(slice_of_core(facts, 7), 0u);
  EXPECT_EQ(slice_of_core(facts, 16), 1u);
  const ClusterFacts whole;
  for (unsigned core = 0; core < 64; ++core) {
    EXPECT_EQ(dense_core(whole, core), core);
    EXPECT_EQ(slice_of_core(whole, core), core / 32);  // bit 9 of the thread id
  }
}

TEST(ClusterFactsTest, ReadsWhatTheClusterSays) {
  const ClusterFacts facts = facts_of_cluster(R"({"name": "c", "topology": {"kind": "mesh", "size": [3, 4]},
    "roles": {"overlay": [{"tiles_x": 2, "instr_words": 4096, "extra_send_slot": true}]}})");
  EXPECT_EQ(facts.boards_x, 3u);
  EXPECT_EQ(facts.boards_y, 4u);
  EXPECT_EQ(facts.tiles_x, 2u);
  EXPECT_EQ(facts.tiles_y, 4u);
  EXPECT_EQ(facts.instr_words, 4096u);
  EXPECT_TRUE(facts.extra_send_slot);
}

TEST(ClusterFactsTest, RefusesClustersThatAreNoOverlayMesh) {
  EXPECT_THROW(facts_of_cluster("no JSON"), UserError);
  EXPECT_THROW(facts_of_cluster(R"({"topology": {"kind": "ring", "size": [4]}})"), UserError);
  EXPECT_THROW(facts_of_cluster(R"({"topology": {"kind": "mesh", "size": [1, 1]}, "roles": {"hub": [{}]}})"),
               UserError);
}

}  // namespace
}  // namespace polyloom::overlay
