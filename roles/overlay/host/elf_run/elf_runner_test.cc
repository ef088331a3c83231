// SPDX-License-Identifier: Apache-2.0
// Covers: where segments go and which are refused; that a verdict is asked of a word that was cleared;
// programs that cannot be loaded. Leaves out: programs that run (tests/test_isa.py).
#include "roles/overlay/host/elf_run/elf_runner.h"

#include <gtest/gtest.h>

#include "fabric/error.h"
#include "roles/overlay/host/fake_cluster.h"

namespace polyloom::overlay {
namespace {

using blocks::MemRange;
using blocks::Space;

ClusterFacts facts_with(unsigned instr_words) {
  ClusterFacts facts;
  facts.name = "test";
  facts.instr_words = instr_words;
  return facts;
}

/// Documented map: instruction memory from 0; scratchpad 0x8000..0xffff; SRAM and DRAM 0x800000..0x7fffffff;
/// DRAM again from 0xc0000000 on.
TEST(ElfRunner, FindsWhereASegmentLies) {
  const ClusterFacts facts = facts_with(2048);
  const auto place = [&](bool executable, std::uint32_t address, std::uint64_t bytes) {
    return place_of(facts, executable, address, bytes, "x");
  };
  EXPECT_EQ(place(true, 0, 0x2000), (MemRange{Space::instr, 0, 0, 0x2000}));
  EXPECT_EQ(place(true, 0x240, 8), (MemRange{Space::instr, 0, 0x90, 8}));
  EXPECT_EQ(place(false, 0x8000, 0x8000), (MemRange{Space::scratchpad, 0, 0, 0x8000}));
  EXPECT_EQ(place(false, 0x800000, 4), (MemRange{Space::slice0, 0, 0x800000, 4}));
  EXPECT_EQ(place(false, 0x7ffffffc, 4), (MemRange{Space::slice0, 0, 0x7ffffffc, 4}));
  EXPECT_EQ(place(false, 0xfffffff0, 16), (MemRange{Space::slice0, 0, 0xfffffff0, 16}));
  EXPECT_EQ(place(true, 0x1800000, 4).space, Space::slice0);  // data that a linker marked so
}

TEST(ElfRunner, CodeAndDataAreTwoAddressSpaces) {
  const ClusterFacts large = facts_with(16384);  // 64 KiB: instructions at 0x8000 too
  EXPECT_EQ(place_of(large, true, 0x8000, 64, "x"), (MemRange{Space::instr, 0, 0x2000, 64}));
  EXPECT_EQ(place_of(large, false, 0x8000, 64, "x"), (MemRange{Space::scratchpad, 0, 0, 64}));
}

TEST(ElfRunner, RefusesByNameWhatLiesNowhere) {
  struct Case {
    bool executable;
    std::uint32_t address;
    std::uint64_t bytes;
  };
  constexpr Case kCases[] = {
      {true, 0x1ffc, 8},       // runs out of the instruction memory
      {true, 0x7000, 4},       // behind it
      {false, 0x240, 4},       // data where threads load nothing
      {false, 0xfffc, 8},      // runs out of the scratchpad
      {false, 0x10000, 4},     // between the memories
      {false, 0x7ffffffc, 8},  // runs out of the DRAM
      {false, 0x80000000, 4},  //
      {false, 0xbffffffc, 8},  //
      {false, 0xfffffff0, 32}  // past the last address
  };
  for (const Case& c : kCases) {
    try {
      place_of(facts_with(2048), c.executable, c.address, c.bytes, "far.elf: a segment of data");
      ADD_FAILURE() << std::hex << c.address << " was found";
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find("far.elf: a segment of data at 0x"), std::string::npos);
      EXPECT_NE(std::string(error.what()).find("lies in no memory: on cluster 'test'"), std::string::npos);
    }
  }
}

struct Boards {
  FakeCluster* cluster = new FakeCluster(facts_with(2048));  // the runner's
  ElfRunner runner{std::unique_ptr<HostBackend>(cluster)};
};

TEST(ElfRunner, ClearsTohostBeforeTheProgramStarts) {
  Boards boards;
  // No segment covers tohost, and a 1 stands there.
  boards.cluster->memory[{0, static_cast<unsigned>(Space::scratchpad), 0}][0x40] = 1;
  const ElfProgram program{"p.elf", 0, 0x8040, {{0, true, {0x6f, 0, 0, 0}}}};
  const ElfResult result = boards.runner.run(program, 1e-5);
  EXPECT_FALSE(result.passed);
  EXPECT_NE(result.reason.find("nothing was written to tohost"), std::string::npos) << result.reason;
  EXPECT_EQ(boards.cluster->starts.size(), 1u);
}

TEST(ElfRunner, RefusesProgramsThatCannotStartOrTell) {
  const std::vector<ElfSegment> code = {{0, true, {0x6f, 0, 0, 0}}};
  EXPECT_THROW(Boards().runner.run({"p.elf", 0x2000, 0x8000, code}, 1), UserError);
  EXPECT_THROW(Boards().runner.run({"p.elf", 2, 0x8000, code}, 1), UserError);
  EXPECT_THROW(Boards().runner.run({"p.elf", 0, 0x8002, code}, 1), UserError);
  EXPECT_THROW(Boards().runner.run({"p.elf", 0, 0x100, code}, 1), UserError);
}

}  // namespace
}  // namespace polyloom::overlay
