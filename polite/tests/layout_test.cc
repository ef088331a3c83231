// SPDX-License-Identifier: Apache-2.0
// Covers: sizes and offsets of shared structures, equal for x86-64 and ilp32 (compares what the two compilers
// say); the code size of sample vertex programs. Leaves out: what the code does (the overlay's end-to-end
// tests).
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "polite/tests/layout_probe.h"

namespace polyloom::polite {
namespace {

TEST(Layout, HostAndDeviceAgree) {
  std::ifstream file(POLYLOOM_PROBE_FILE, std::ios::binary);
  ASSERT_TRUE(file) << POLYLOOM_PROBE_FILE;
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  ASSERT_EQ(bytes.size(), sizeof(probe::kProbe));
  for (std::size_t i = 0; i < std::size(probe::kProbe); ++i) {
    std::uint32_t device;
    std::memcpy(&device, bytes.data() + 4 * i, 4);
    EXPECT_EQ(device, probe::kProbe[i]) << "entry " << i;
  }
}

TEST(Layout, UnitsReachEveryVertex) {
  for (std::uint32_t bytes = 1; bytes <= 4096; ++bytes) {
    const std::uint32_t unit = state_unit_for(bytes);
    EXPECT_GE(unit, 16u);
    // 8192 vertices lie within the 15 bits of an in-edge.
    const std::uint32_t size = (bytes + unit - 1) / unit * unit;
    EXPECT_LE(std::uint64_t{8192 - 1} * size / unit, 0x7fffu) << bytes;
  }
}

/// Bytes of code in a Verilog hex file.
std::size_t code_bytes(const std::string& file) {
  std::ifstream in(file);
  EXPECT_TRUE(in) << file;
  std::size_t bytes = 0;
  for (std::string word; in >> word;) bytes += word[0] != '@';
  return bytes;
}

TEST(CodeSize, SampleProgramsAreSmall) {
  // Published POLite applications take 1.3 to 2.3 KB of the 7616 bytes; statistics include printf.
  EXPECT_LE(code_bytes(POLYLOOM_SAMPLE_CODE), 1300u);
  EXPECT_LE(code_bytes(POLYLOOM_SAMPLE_STATS_CODE), 3000u);
}

}  // namespace
}  // namespace polyloom::polite
