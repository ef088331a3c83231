// SPDX-License-Identifier: Apache-2.0
// Reduce: each of its groups joins streams element by element: sum, minimum, maximum or average of fp32,
// int32 or uint32 (rtl/polyloom_op_reduce.sv).
// Configuration of output g < groups: word = reduce_word(...), mask = the inputs that it joins.
// Order of fp32 sums: balanced binary tree over input numbers, (0,1) (2,3) ..., then those results in pairs;
//   an input outside the mask passes its partner through unchanged.
// Arithmetic: every join rounds to nearest even, with subnormals; a NaN result is 0x7fc00000. An average
//   multiplies the sum by `factor` once. Minimum and maximum of fp32: a NaN loses against a number, -0 < +0,
//   only NaN give 0x7fc00000. Integers: a sum wraps at 32 bit; an average divides the exact sum by `factor`
//   (1 to 64), toward zero. One input alone passes bit by bit (an average still scales).
// Status: [0] errors, [1 + g] beats that group g has joined.
// Latency: 4 * ceil(log2(inputs)) + 7 cycles. Throughput: one beat of every input a cycle.
// Tests: operators_test.cc, operators_rtl_test.cc.
#pragma once

#include <bit>
#include <vector>

#include "blocks/operators/sim/operator.h"

namespace polyloom::blocks::operators {

enum class Function : std::uint8_t { sum = 0, min = 1, max = 2, average = 3 };
enum class Element : std::uint8_t { fp32 = 0, int32 = 1, uint32 = 2 };
inline constexpr unsigned kMaxDivisor = 64;

/// factor: average of fp32: bits of the factor (1/n); of integers: the divisor; else 0.
constexpr std::uint64_t reduce_word(Function function, Element element, std::uint32_t factor = 0) {
  return static_cast<std::uint64_t>(function) | static_cast<std::uint64_t>(element) << 8 |
         std::uint64_t{factor} << 32;
}
/// Word of an average over n: 1/n rounded to nearest for fp32.
inline std::uint64_t average_word(Element element, std::uint32_t n) {
  return reduce_word(
      Function::average, element,
      element == Element::fp32 ? std::bit_cast<std::uint32_t>(1.0f / static_cast<float>(n)) : n);
}

class Reduce : public Operator {
 public:
  Reduce(unsigned inputs, unsigned outputs, unsigned groups);
  static unsigned latency(unsigned inputs) {  ///< of the trees alone
    return 4 * static_cast<unsigned>(std::bit_width(inputs - 1)) + 5;
  }

 protected:
  bool advance() override;
  void configure(std::span<const Config> configs) override;
  void drop() override;
  bool busy() const override;
  void digest_inner(fabric::Digest& digest) const override;

 private:
  struct Flight {
    Beat beat;
    Cycle due = 0;
  };
  struct Group {
    std::uint64_t mask = 0;   ///< 0: not used in this step
    std::uint64_t ended = 0;  ///< inputs whose stream has ended before the others'
    Function function = Function::sum;
    Element element = Element::fp32;
    std::uint32_t factor = 0;
    std::vector<Flight> flights;  ///< ring: in the trees
    unsigned head = 0, count = 0;
  };
  void join(const Group& group, std::uint64_t need, Beat& result) const;

  std::vector<Group> groups_;
  std::uint64_t used_ = 0;
  unsigned latency_, room_;
  Cycle time_ = 0;
};

}  // namespace polyloom::blocks::operators
