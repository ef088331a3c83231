// SPDX-License-Identifier: Apache-2.0
// Covers: every single bit of every word that two nodes exchange, flipped on the way: signatures, data,
// checks, aborts; rendezvous and eager blocks. With block checks each either changes nothing or stops both
// nodes with a code; never a wrong byte under a good end, never a node that runs on. Without them: no hang,
// and no byte is wrong but the damaged. The RTL says the same as the model. Afterwards both work again.
// Leaves out: frames that vanish (test_link_faults.py), pulses (they have no bits).
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "fabric/full_tests.h"
#include "roles/collective/tests/swap_pair.h"

namespace polyloom::collective {
namespace {

using namespace swap;

struct DamagedPlace {
  std::size_t wire, word;
  unsigned bit;
};

Outcome damaged(Scene s, const std::vector<DamagedPlace>& places, std::uint64_t rtl = 0) {
  s.tamper = [&places](std::size_t wire, std::size_t word, std::uint64_t value) {
    for (const DamagedPlace& p : places) {
      if (p.wire == wire && p.word == word) value ^= std::uint64_t{1} << p.bit;
    }
    return value;
  };
  return run(s, rtl);
}

std::string text(const std::vector<DamagedPlace>& places) {
  std::string t;
  for (const DamagedPlace& p : places) {
    t += "wire " + std::to_string(p.wire) + " word " + std::to_string(p.word) + " bit " +
         std::to_string(p.bit) + "; ";
  }
  return t;
}

/// All places in words [first, last of the wire) of an undamaged (or so far damaged) run.
std::vector<DamagedPlace> places_of(const Outcome& out, std::size_t first0, std::size_t first1,
                                    std::size_t last0, std::size_t last1) {
  std::vector<DamagedPlace> places;
  for (std::size_t wire = 0; wire < 2; ++wire) {
    const std::size_t last = std::min(out.wires[wire].words.size(), wire == 0 ? last0 : last1);
    for (std::size_t word = wire == 0 ? first0 : first1; word < last; ++word) {
      for (unsigned bit = 0; bit < 64; ++bit) places.push_back({wire, word, bit});
    }
  }
  return places;
}

TEST(SwapDamage, EveryBitIsCheckedOrHarmless) {
  const Scene s = scene(checked_params());
  const Outcome good = run(s, 0);
  ASSERT_EQ(judge(s, good, ""), 0u);
  // A round: signature, data, check.
  const std::size_t forth = 2 + (kBytes + 7) / 8, back = 2 + (kBack + 7) / 8;
  ASSERT_EQ(good.wires[0].words.size(), 2 * forth);
  ASSERT_EQ(good.wires[1].words.size(), 2 * back);
  std::map<unsigned, unsigned> seen;
  unsigned n = 0;
  for (const DamagedPlace& place : places_of(good, 0, 0, forth, back)) {
    const std::vector<DamagedPlace> places{place};
    const std::string what = text(places);
    const Outcome out = damaged(s, places);
    const unsigned codes = judge(s, out, what);
    if (codes == 0) {
      EXPECT_EQ(wrong_bits(s, out, 0), 0) << what << "wrong bytes under a good end";
    }
    ++seen[codes];
    const bool data = place.word != 0 && place.word + 1 != (place.wire == 0 ? forth : back);
    if (data) {
      EXPECT_TRUE((codes & 0xff) == static_cast<unsigned>(Fault::check) ||
                  codes >> 8 == static_cast<unsigned>(Fault::check) || codes == 0)
          << what << codes;
    }
    // Verilated nodes take longer: one bit in 37 of control words, one in 397 of data.
    if (fabric::full_tests() || n++ % (data ? 397 : 37) == 0) same_events(out, damaged(s, places, 3), what);
    if (HasFailure()) return;
  }
  EXPECT_GE(seen.size(), 3u) << "damage of data, of signatures and of kinds of words is told apart";
  EXPECT_LE(seen[0], (1 + 1) * 2 * 8 + 32u)
      << "only fields that nothing reads and bytes beyond the block's are free";
}

/// Node 1 finds the block too long and says abort, as node 0 does then; each bit of both is flipped.
void damage_aborts(const CollectiveParams& params) {
  Scene s = scene(params);
  s.programs[0][1][1].run_bytes = 64;
  const Outcome once = damaged(s, {});
  ASSERT_EQ(judge(s, once, "too long a block"), 0x06u | 0x03u << 8);
  const unsigned around = params.block_check ? 2 : 0;  // signature and check
  const std::size_t forth = around + (kBytes + 7) / 8, back = around + (kBack + 7) / 8;
  const std::size_t aborts0 = once.wires[0].words.size() - 2 * forth,
                    aborts1 = once.wires[1].words.size() - back;
  ASSERT_GE(aborts0, 1u);
  ASSERT_GE(aborts1, 1u);
  unsigned n = 0;
  for (const DamagedPlace& place : places_of(once, forth, 0, forth + aborts0, aborts1)) {
    const std::vector<DamagedPlace> places{place};
    const std::string what = text(places);
    const Outcome out = damaged(s, places);
    EXPECT_NE(judge(s, out, what), 0u) << what;
    if (fabric::full_tests() || n++ % 47 == 0) same_events(out, damaged(s, places, 3), what);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(SwapDamage, AbortsStopTheirHearerOrTheWatchdogDoes) { damage_aborts(checked_params()); }
TEST(SwapDamage, AbortsWithoutChecks) { damage_aborts(plain_params()); }

TEST(SwapDamage, WithoutChecksOnlyTheDamagedBitIsWrong) {
  const Scene s = scene(plain_params());
  const Outcome good = run(s, 0);
  ASSERT_EQ(judge(s, good, ""), 0u);
  const std::size_t forth = (kBytes + 7) / 8, back = (kBack + 7) / 8;
  unsigned passed = 0, n = 0;
  for (const DamagedPlace& place : places_of(good, 0, 0, forth, back)) {
    const std::vector<DamagedPlace> places{place};
    const std::string what = text(places);
    const Outcome out = damaged(s, places);
    const unsigned codes = judge(s, out, what);
    if (codes == 0) {
      const int wrong = wrong_bits(s, out, 0);
      EXPECT_TRUE(wrong == 0 || wrong == 1) << what << wrong << " bits are wrong";
      passed += wrong == 1;
    }
    if (fabric::full_tests() || n++ % 97 == 0) same_events(out, damaged(s, places, 3), what);
    if (HasFailure()) return;
  }
  EXPECT_EQ(passed, 8 * (kBytes + kBack)) << "nothing looks at data when checks are off";
}

}  // namespace
}  // namespace polyloom::collective
