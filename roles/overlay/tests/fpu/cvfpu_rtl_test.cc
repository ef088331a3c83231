// SPDX-License-Identifier: Apache-2.0
// Covers: polyloom_overlay_fpu against CVFPU, results and flags: all pairs of corner values in all modes and
//   random operands, for every operation on fp32; both against the lines of $VECTORS (exact arithmetic).
// Leaves out: times, load, several threads (overlay_fpu_rtl_test.cc); integer multiplication and division.
#include <gtest/gtest.h>
#include <verilated.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "Vcvfpu_tb.h"
#include "roles/overlay/sim/isa/fp_operands.h"

namespace polyloom::overlay {
namespace {

/// An operation: fpu_op_e of the overlay; operation_e, op_mod and (where it selects) mode of CVFPU; the first
/// of CVFPU's operands that is used, how many there are.
struct Operation {
  const char* name;
  unsigned ours, cv, mod, select, first, count;
};
constexpr unsigned kMode = 8;  ///< CVFPU's mode is the mode
constexpr std::array kOperations{
    Operation{"fadd", 8, 2, 0, kMode, 1, 2},
    Operation{"fsub", 9, 2, 1, kMode, 1, 2},
    Operation{"fmul", 10, 3, 0, kMode, 0, 2},
    Operation{"fdiv", 11, 4, 0, kMode, 0, 2},
    Operation{"fsqrt", 12, 5, 0, kMode, 0, 1},
    Operation{"fmadd", 13, 0, 0, kMode, 0, 3},
    Operation{"fmsub", 14, 0, 1, kMode, 0, 3},
    Operation{"fnmsub", 15, 1, 0, kMode, 0, 3},
    Operation{"fnmadd", 16, 1, 1, kMode, 0, 3},
    Operation{"fmin", 17, 7, 0, 0, 0, 2},
    Operation{"fmax", 18, 7, 0, 1, 0, 2},
    Operation{"feq", 19, 8, 0, 2, 0, 2},
    Operation{"flt", 20, 8, 0, 1, 0, 2},
    Operation{"fle", 21, 8, 0, 0, 0, 2},
    Operation{"fclass", 22, 9, 0, 0, 0, 1},
    Operation{"fcvt.w.s", 23, 11, 0, kMode, 0, 1},
    Operation{"fcvt.wu.s", 24, 11, 1, kMode, 0, 1},
    Operation{"fcvt.s.w", 25, 12, 0, kMode, 0, 1},
    Operation{"fcvt.s.wu", 26, 12, 1, kMode, 0, 1},
};

struct Response {
  std::uint32_t data = 0, flags = 0;
  bool operator==(const Response&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Response& a) {
  return out << std::hex << "0x" << a.data << " flags 0x" << a.flags;
}

class CvFpu : public testing::Test {
 protected:
  CvFpu() {
    top_.rst_ni = 0;
    tick();
    tick();
    top_.rst_ni = 1;
  }

  struct Both {
    Response ours, cv;
  };
  Both run(const Operation& op, unsigned mode, std::array<std::uint32_t, 3> x) {
    top_.op_i = static_cast<CData>(op.ours);
    top_.rm_i = static_cast<CData>(mode);
    top_.a_i = x[0], top_.b_i = x[1], top_.c_i = x[2];
    top_.cv_op_i = static_cast<CData>(op.cv);
    top_.cv_mod_i = static_cast<CData>(op.mod);
    top_.cv_rm_i = static_cast<CData>(op.select == kMode ? mode : op.select);
    for (unsigned i = 0; i < 3; ++i) top_.cv_operands_i[i] = 0;
    for (unsigned i = 0; i < op.count; ++i) top_.cv_operands_i[op.first + i] = x[i];
    top_.req_valid_i = top_.cv_valid_i = 1;
    Both both;
    bool ours = false, cv = false;
    for (unsigned n = 0; n < 100 && !(ours && cv); ++n) {
      top_.eval();
      if (top_.valid_o) ours = true, both.ours = {top_.data_o, top_.flags_o};
      if (top_.cv_valid_o && !cv) cv = true, both.cv = {top_.cv_data_o, top_.cv_flags_o};
      const bool taken = top_.cv_ready_o;
      tick();
      top_.req_valid_i = 0;
      if (taken) top_.cv_valid_i = 0;
    }
    EXPECT_TRUE(ours && cv) << op.name << ": no response";
    top_.cv_valid_i = 0;
    return both;
  }
  void compare(const Operation& op, unsigned mode, std::array<std::uint32_t, 3> x) {
    const Both both = run(op, mode, x);
    ASSERT_EQ(both.ours, both.cv) << op.name << " mode " << mode << std::hex << " of 0x" << x[0] << " 0x"
                                  << x[1] << " 0x" << x[2] << "; the second is CVFPU's";
  }

  Vcvfpu_tb top_;

 private:
  void tick() {
    top_.clk_i = 0;
    top_.eval();
    top_.clk_i = 1;
    top_.eval();
  }
};

unsigned rounds() {
  const char* text = std::getenv("ROUNDS");
  return text == nullptr ? 1 : static_cast<unsigned>(std::strtoul(text, nullptr, 0));
}

TEST_F(CvFpu, SaysTheSameOfCorners) {
  std::vector<std::uint32_t> corners;
  for (const std::uint32_t bits : {0u, 1u, 0x007fffffu, 0x00800000u, 0x00800001u, 0x33800000u, 0x3f7fffffu,
                                   0x3f800000u, 0x3f800001u, 0x3fc00000u, 0x4b7fffffu, 0x4f000000u,
                                   0x4f7fffffu, 0x7f7fffffu, 0x7f800000u, 0x7f800001u, 0x7fc00000u}) {
    corners.push_back(bits);
    corners.push_back(bits | 0x80000000u);
  }
  unsigned at = 0;
  for (const Operation& op : kOperations) {
    for (const std::uint32_t a : corners) {
      for (const std::uint32_t b : corners) {
        for (unsigned mode = 0; mode < 5; ++mode) {
          compare(op, mode, {a, b, corners[at++ * 7 % corners.size()]});
          if (HasFailure()) return;
        }
        if (op.count == 1) break;
      }
    }
  }
}

TEST_F(CvFpu, SaysTheSameOfRandomNumbers) {
  fp::Operands operands(31);
  std::mt19937_64 rng(5);
  for (unsigned n = 0; n < 60'000 * rounds(); ++n) {
    const Operation& op = kOperations[rng() % kOperations.size()];
    const std::uint32_t a = op.cv == 12 ? operands.integer() : operands.any();
    const std::uint32_t b = operands.near(a);
    compare(op, static_cast<unsigned>(rng() % 5), {a, b, operands.near(rng() % 2 != 0 ? a : b)});
    if (HasFailure()) return;
  }
}

/// Lines: name, mode, three operands, result, flags.
TEST_F(CvFpu, BothSayWhatTheFileSays) {
  const char* path = std::getenv("VECTORS");
  if (path == nullptr) GTEST_SKIP() << "no $VECTORS";
  std::ifstream file(path);
  std::string name;
  unsigned mode = 0, lines = 0;
  Response right;
  for (std::array<std::uint32_t, 3> x{};
       file >> name >> std::hex >> mode >> x[0] >> x[1] >> x[2] >> right.data >> right.flags; ++lines) {
    const auto op =
        std::find_if(kOperations.begin(), kOperations.end(), [&](const auto& o) { return name == o.name; });
    ASSERT_NE(op, kOperations.end()) << name;
    const Both both = run(*op, mode, x);
    const auto what = [&] {
      std::ostringstream text;
      text << name << " mode " << mode << std::hex << " of 0x" << x[0] << " 0x" << x[1] << " 0x" << x[2];
      return text.str();
    };
    ASSERT_EQ(both.ours, right) << what() << ": ours is wrong";
    ASSERT_EQ(both.cv, right) << what() << ": CVFPU's is wrong";
  }
  EXPECT_GT(lines, 0u);
}

}  // namespace
}  // namespace polyloom::overlay
