// SPDX-License-Identifier: Apache-2.0
// Covers: the reader of device program files: sections, padding, line ends, errors with their line.
// Leaves out: files above a few hundred bytes.
#include "roles/overlay/host/verilog_hex.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "fabric/error.h"

namespace polyloom::overlay {
namespace {

std::vector<MemoryImage> read(const std::string& text) {
  const std::string file = "/tmp/polyloom-hex-" + std::to_string(getpid()) + ".v";
  std::ofstream(file) << text;
  struct Remove {
    const std::string& file;
    ~Remove() { std::remove(file.c_str()); }
  } remove{file};
  return read_verilog_hex(file);
}

std::string error_of(const std::string& text) {
  try {
    read(text);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(VerilogHex, ReadsSections) {
  const auto images = read("@00000240\r\n13 05 a0 0F\r\n67\r\n@01800000\n01 02\n");
  ASSERT_EQ(images.size(), 2u);
  EXPECT_EQ(images[0].address, 0x240u);
  EXPECT_EQ(images[0].bytes, std::vector<std::uint8_t>({0x13, 0x05, 0xa0, 0x0f, 0x67, 0, 0, 0}));
  EXPECT_EQ(images[1].address, 0x1800000u);
  EXPECT_EQ(images[1].bytes, std::vector<std::uint8_t>({1, 2, 0, 0}));
}

TEST(VerilogHex, JoinsSectionsThatShareAWord) {
  const auto images = read("@1800000\n01 02\n@1800003\n04\n@1800101\n05\n");
  ASSERT_EQ(images.size(), 2u);
  EXPECT_EQ(images[0].bytes, std::vector<std::uint8_t>({1, 2, 0, 4}));
  EXPECT_EQ(images[1].address, 0x1800100u);
  EXPECT_EQ(images[1].bytes, std::vector<std::uint8_t>({0, 5, 0, 0}));
}

TEST(VerilogHex, JoinsSectionsThatShareAWordInAnyOrder) {
  const auto images = read("@1800006\n07 08\n@1800001\n02\n@1800005\n06\n@1800100\n09\n@1800002\n03 04 05\n");
  ASSERT_EQ(images.size(), 2u);
  EXPECT_EQ(images[0].address, 0x1800000u);
  EXPECT_EQ(images[0].bytes, std::vector<std::uint8_t>({0, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(images[1].address, 0x1800100u);
  EXPECT_EQ(images[1].bytes, std::vector<std::uint8_t>({9, 0, 0, 0}));
}

TEST(VerilogHex, AnEmptyFileIsNoData) {
  EXPECT_TRUE(read("").empty());
  EXPECT_TRUE(read("@01800000\n\n").empty());
}

TEST(VerilogHex, NamesTheLineOfAnError) {
  EXPECT_NE(error_of("@240\n13 05\nhello\n").find(".v:3: not Verilog hex: expected a byte"),
            std::string::npos);
  EXPECT_NE(error_of("@240\n13 055\n").find(".v:2: "), std::string::npos);
  EXPECT_NE(error_of("@123456789\n").find(".v:1: not Verilog hex: expected an address"), std::string::npos);
  EXPECT_THROW(read_verilog_hex("/nowhere/code.v"), UserError);
  EXPECT_THROW(read_verilog_hex("/tmp"), UserError);
}

}  // namespace
}  // namespace polyloom::overlay
