// SPDX-License-Identifier: Apache-2.0
// Covers: which instruction memories programs are loaded into, and when that is refused, against a fake
// cluster. Leaves out: everything else of HostLink (hostlink_test.cc).
#include "roles/overlay/host/hostlink_fixture.h"

namespace polyloom::overlay {
namespace {

using HostLinkLoadTest = HostLinkTest;

/// Nothing stops a program or waits at its end: new code under it would give wrong results in silence.
TEST_F(HostLinkLoadTest, RefusesToLoadUnderThreadsThatWereStarted) {
  open();
  const auto code = file("code.v", "@00000240\n13 00 00 00\n"), data = file("data.v", "");
  const auto load_onto = [&](unsigned core) { link_->loadInstrsOntoCore(code.c_str(), 1, 0, core); };
  for (const unsigned core : {16u, 18u}) {
    load_onto(core);
    link_->startOne(1, 0, core, 1);
    load_onto(core);  // nothing runs yet
  }
  link_->goOne(1, 0, 18);
  load_onto(16);  // an instruction memory of its own
  const char* refused = "code.v cannot be loaded: core 18 of board .1,0. executes .* a process of its own";
  EXPECT_EXIT(load_onto(18), testing::ExitedWithCode(1), refused);
  EXPECT_EXIT(load_onto(19), testing::ExitedWithCode(1), refused);  // shares core 18's
  EXPECT_EXIT(link_->boot(code.c_str(), data.c_str()), testing::ExitedWithCode(1), refused);
  link_->loadDataViaCore(data.c_str(), 1, 0, 18);
  open();
  link_->boot(code.c_str(), data.c_str());
  link_->boot(code.c_str(), data.c_str());
  link_->go();
  const auto& written =
      cluster_->memory[{0, static_cast<unsigned>(blocks::Space::instr), blocks::kBroadcast}];
  const auto before = written;
  EXPECT_EXIT(link_->boot(code.c_str(), data.c_str()), testing::ExitedWithCode(1),
              "code.v cannot be loaded: core 0 of board .0,0. executes");
  EXPECT_EXIT(link_->loadInstrsOntoCore(code.c_str(), 3, 1, 7), testing::ExitedWithCode(1),
              "core 6 of board .3,1. executes");
  EXPECT_EQ(written, before);
}

/// Cores 16 and 17 execute from one memory, 18 and 19 from another.
TEST_F(HostLinkLoadTest, RefusesTwoProgramsInOneInstructionMemory) {
  const auto one = file("one.v", "@00000240\n13 00 00 00\n"), two = file("two.v", "@00000240\n93 00 00 00\n");
  const auto same = file("same.v", "@00000240\n13 00 00 00\n"), data = file("data.v", "");
  const auto load = [&](const std::string& code, unsigned core) {
    link_->loadInstrsOntoCore(code.c_str(), 1, 0, core);
    link_->startOne(1, 0, core, 1);
  };
  const auto start = [&](unsigned core) { link_->goOne(1, 0, core); };
  const auto refused = [](const char* cores) {
    return std::string("polyloom: cores ") + cores + " of board .1,0. share an instruction memory, .*: .*";
  };
  open();
  load(one, 16);
  load(two, 17);
  load(two, 18);  // of another pair
  start(18);
  EXPECT_EXIT(start(16), testing::ExitedWithCode(1),
              refused("16 and 17") + "one.v was loaded for core 16, and .*two.v over it");
  start(17);
  EXPECT_EQ(cluster_->starts.size(), 2u);
  open();
  load(two, 19);
  load(one, 18);
  EXPECT_EXIT(start(19), testing::ExitedWithCode(1), refused("18 and 19") + "two.v was loaded for core 19");
  load(same, 19);  // the same program, in another file
  start(18);
  start(19);
  open();
  link_->boot(one.c_str(), data.c_str());
  link_->loadInstrsOntoCore(two.c_str(), 1, 0, 7);
  EXPECT_EXIT(link_->go(), testing::ExitedWithCode(1), refused("6 and 7") + "one.v was loaded for core 6");
  link_->loadInstrsOntoCore(two.c_str(), 1, 0, 6);
  link_->go();
}

TEST_F(HostLinkLoadTest, CountsInstructionMemoriesOfTilesWithOneCore) {
  ClusterFacts facts = small_facts();
  facts.cores_per_tile = 1;
  cluster_ = new FakeCluster(facts);
  link_ = std::make_unique<HostLink>(cluster_);
  const auto code = file("code.v", "@00000240\n01 02 03 04\n");
  link_->loadInstrsOntoCore(code.c_str(), 0, 0, 16);  // the core of tile (0,1), the third
  link_->flush();
  EXPECT_EQ(cluster_->bytes(0, blocks::Space::instr, 2, 0x240, 4), std::vector<uint8_t>({1, 2, 3, 4}));
}

}  // namespace
}  // namespace polyloom::overlay
