// SPDX-License-Identifier: Apache-2.0
// Covers: quantities with units: exact values, refusals, round trips through format; nearest-word
// suggestions. Leaves out: every combination of unit and magnitude; other languages' number forms.
#include "fabric/cluster/units.h"

#include <gtest/gtest.h>

#include <random>

#include "fabric/cluster/suggest.h"

namespace polyloom::fabric {
namespace {

TEST(Units, ReadsExactValues) {
  EXPECT_EQ(parse_frequency("250 MHz"), 250'000'000u);
  EXPECT_EQ(parse_frequency("156.25MHz"), 156'250'000u);
  EXPECT_EQ(parse_rate("10 Gb/s"), 10'000'000'000u);
  EXPECT_EQ(parse_duration("780 ns"), 780'000);
  EXPECT_EQ(parse_duration("0.1 ns"), 100);
  EXPECT_EQ(parse_duration("1 s"), kPicosPerSecond);
  EXPECT_EQ(parse_bytes("2 GiB"), std::uint64_t{1} << 31);
  EXPECT_EQ(parse_bytes("2 GB"), 2'000'000'000u);
  EXPECT_EQ(parse_bytes("0 B"), 0u);
}

TEST(Units, RefusesWhatIsNotANumberAndAUnit) {
  for (const char* text :
       {"", " ", "ns", "780", "780 nS", "780  ns", " 780 ns", "780 ns ", "-1 ns", "+1 ns", "1e3 ns", "1. ns",
        ".5 ns", "1.2.3 ns", "1,5 ns", "0x10 ns", "99999999999999999999 ns", "10000000 s", "780 MHz"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
  EXPECT_FALSE(parse_rate("10 GB/s"));
  EXPECT_FALSE(parse_rate("10 Gbps"));
}

TEST(Units, FormatRoundTrips) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t value = random() >> (random() % 60 + 1);
    EXPECT_EQ(parse_duration(format_duration(static_cast<Time>(value))), static_cast<Time>(value));
    EXPECT_EQ(parse_frequency(format_frequency(value)), value);
    EXPECT_EQ(parse_rate(format_rate(value)), value);
    EXPECT_EQ(parse_bytes(format_bytes(value)), value);
  }
  EXPECT_EQ(format_duration(780'000), "780 ns");
  EXPECT_EQ(format_bytes(std::uint64_t{2} << 30), "2 GiB");
}

TEST(Suggest, FindsNearWordsOnly) {
  const std::vector<std::string> words = {"latency", "rate", "protocol"};
  EXPECT_EQ(nearest("latncy", words), "latency");
  EXPECT_EQ(nearest("Latnecy", words), "latency");
  EXPECT_EQ(nearest("ratte", words), "rate");
  EXPECT_EQ(nearest("speed", words), "");
  EXPECT_EQ(nearest("", words), "");
  EXPECT_EQ(nearest(std::string(10000, 'x'), words), "");
}

}  // namespace
}  // namespace polyloom::fabric
