// SPDX-License-Identifier: Apache-2.0
// Covers: programs with random instructions and with damaged fields, on one of two nodes, with and without
// block checks: both nodes end or both stop, what the other node keeps is not touched, and the RTL reports
// the same code, instruction, lane and value as the model. Afterwards both work again. Leaves out: programs
// that move more than some kilobytes; memories after a fault (how far it had come is a node's own matter).
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "fabric/full_tests.h"
#include "roles/collective/tests/swap_pair.h"

namespace polyloom::collective {
namespace {

using namespace swap;

class Fuzzer {
 public:
  explicit Fuzzer(unsigned seed) : random_(seed * 2654435761u + 1) {}

  /// Small, a power of two, near the top, or anything.
  std::uint64_t number(unsigned bits) {
    const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    switch (random_() % 4) {
      case 0:
        return random_() % 8 & mask;
      case 1:
        return std::uint64_t{1} << random_() % bits;
      case 2:
        return mask - random_() % 4;
      default:
        return random_() & mask;
    }
  }

  Instruction anything() {
    Instruction i;
    i.op = static_cast<Op>(random_() % 8 == 0 ? number(8) : random_() % 9);
    i.index = static_cast<std::uint8_t>(random_() % 2 ? random_() % 4 : number(8));
    const std::uint8_t sources[] = {0, 1, kFromLane, kFromLane + 1, kFromOperator, kFromNone};
    i.source = random_() % 4 ? sources[random_() % 6] : static_cast<std::uint8_t>(number(8));
    i.flags = static_cast<std::uint8_t>(random_() % 2 ? 0 : random_() % 2 ? number(3) : number(8));
    i.run_bytes = static_cast<std::uint32_t>(random_() % 2 ? 32 * (1 + random_() % 8) : number(32));
    i.base = random_() % 4 ? random_() % kSwapBytes / 32 * 32 : number(64);
    i.stride = static_cast<std::int64_t>(random_() % 4 ? random_() % 4096 / 32 * 32 : number(64));
    i.runs = static_cast<std::uint32_t>(random_() % 2 ? 1 : number(32));
    i.extra = static_cast<std::uint32_t>(random_() % 2 ? 0x1234 : number(32));
    return bounded(i);
  }

  /// One to three instructions changed in one field, lost, doubled or replaced.
  Program damaged(Program p) {
    for (unsigned k = 1 + random_() % 3; k != 0; --k) {
      const std::size_t at = random_() % (p.size() - 1);
      const auto here = p.begin() + static_cast<std::ptrdiff_t>(at);
      const Instruction other = anything();
      switch (random_() % 9) {
        case 0:
          p.insert(here, Instruction(*here));
          break;
        case 1:
          if (p.size() > 2) p.erase(here);
          break;
        case 2:
          *here = other;
          break;
        case 3:
          here->index = other.index;
          break;
        case 4:
          here->source = other.source;
          break;
        case 5:
          here->flags = other.flags;
          break;
        case 6:
          here->base = other.base, here->stride = other.stride;
          break;
        case 7:
          here->run_bytes = other.run_bytes, here->runs = other.runs;
          break;
        default:
          here->extra = other.extra;
      }
      p[at] = bounded(p[at]);
    }
    return p;
  }

  Program wild() {
    Program p;
    for (unsigned n = 1 + random_() % 8; n != 0; --n) p.push_back(anything());
    if (random_() % 2) p.push_back(test::go());
    p.push_back(test::end());
    return p;
  }

 private:
  /// A pattern without end would be a program without end.
  static Instruction bounded(Instruction i) {
    if (std::uint64_t{i.run_bytes} * i.runs > 8192) {
      i.run_bytes %= 2048;
      i.runs %= 4;
    }
    return i;
  }
  std::mt19937_64 random_;
};

Program with_operator() {
  using namespace test;
  Instruction sum;
  sum.op = Op::config;
  sum.stride = 3;  // both inputs
  sum.extra = static_cast<std::uint32_t>(OperatorKind::reduce);
  return {read(0, {0, 256, 1, 0}),
          read(1, {0, 256, 1, 0}),
          block(Op::feed, 0, kFromRead, 0, 0),
          block(Op::feed, 1, kFromRead + 1, 0, 0),
          sum,
          write(2, {kHalf, 256, 1, 0}, kFromOperator),
          go(3),
          end()};
}

/// The memory of a node but for where a valid exchange writes.
bool untouched(const Scene& s, const Outcome& out, std::size_t n) {
  for (unsigned c = 0; c < kSwapChannels; ++c) {
    Bytes before = c < s.memory[n].size() ? s.memory[n][c] : Bytes();
    before.resize(kSwapBytes);
    Bytes after = out.nodes[n].channels[c];
    const unsigned written = n == 1 && c == 0 ? kBytes : n == 0 && c == 1 ? kBack : 0;
    for (const std::uint64_t at : {kHalf, kHalf + kRoom}) {
      for (unsigned i = 0; i < written; ++i) after[at + i] = before[at + i] = 0;
    }
    if (before != after) return false;
  }
  return true;
}

struct Tally {
  unsigned good = 0, own = 0, peer = 0;
};

void fuzz(const CollectiveParams& params, unsigned first, unsigned last, Tally& tally) {
  for (unsigned seed = first; seed <= last; ++seed) {
    Fuzzer fuzzer(seed);
    Scene s = scene(params);
    s.links = {{0, 1}, {0, 1}, {0, 1}};  // the RTL does not know which lanes lead nowhere
    const std::size_t wild = seed % 2;
    Program& program = s.programs[0][wild];
    switch (seed % 4) {
      case 0:
        program = fuzzer.wild();
        break;
      case 1:
        program = fuzzer.damaged(with_operator());
        break;
      default:
        program = fuzzer.damaged(program);
    }
    std::string what = "seed " + std::to_string(seed) + ", node " + std::to_string(wild) + "; ";
    const Outcome model = run(s, 0);
    const unsigned codes = judge(s, model, what, static_cast<int>(wild));
    EXPECT_TRUE(untouched(s, model, 1 - wild)) << what;
    ++(codes == 0                                                            ? tally.good
       : (codes >> 8 * wild & 0xff) == static_cast<unsigned>(Fault::aborted) ? tally.peer
                                                                             : tally.own);
    const Outcome design = run(s, 3);
    judge(s, design, what + "RTL, ", static_cast<int>(wild));
    EXPECT_TRUE(untouched(s, design, 1 - wild)) << what << "RTL";
    same_events(model, design, what);
    if (codes == 0) {
      EXPECT_EQ(difference(model, design, false), "") << what;
    }
    if (testing::Test::HasFailure()) {
      for (const Instruction& i : program) {
        const auto w = i.words();
        ADD_FAILURE() << std::hex << w[0] << " " << w[1] << " " << w[2] << " " << w[3];
      }
      return;
    }
  }
}

unsigned rounds() { return fabric::full_tests() ? 1500 : 24; }

TEST(SwapFuzz, WithBlockChecks) {
  Tally tally;
  fuzz(checked_params(), 1, rounds(), tally);
  EXPECT_GT(tally.own, rounds() / 4);
  EXPECT_GT(tally.peer, 0u);
  EXPECT_GT(tally.good, 0u);
}
TEST(SwapFuzz, WithoutBlockChecks) {
  Tally tally;
  fuzz(plain_params(), 5001, 5000 + rounds(), tally);
  EXPECT_GT(tally.own, rounds() / 4);
}

}  // namespace
}  // namespace polyloom::collective
