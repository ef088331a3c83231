// SPDX-License-Identifier: Apache-2.0
// Covers: every unit of units.toml in RTL against the CPU's arithmetic, bit for bit, with random stalls, and
//   against results in a file: all pairs of corner values, then random operands (ROUNDS times 40,000 for
//   pipelines); results in exactly the cycle that units.toml says; divider and square root at the shortest
//   interval and at longer ones.
// Leaves out: payload and sign of NaN results; conversions to integers out of range (undefined in C).
#include <gtest/gtest.h>
#include <verilated.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "Vfloat_tb.h"

namespace {

using Word = std::uint64_t;
using Random = std::mt19937_64;

struct Unit {
  const char* name;
  unsigned latency, interval;
};
constexpr Unit kUnits[] = {
#include "units.h"
};

struct Operands {
  Word a = 0, b = 0;
  bool mode = false;          ///< subtract; signed
  std::optional<Word> known;  ///< the result, if not the CPU is to say it
};

template <typename Float>
using Bits = std::conditional_t<sizeof(Float) == 4, std::uint32_t, std::uint64_t>;
template <typename Float>
Float number(Word bits) {
  return std::bit_cast<Float>(static_cast<Bits<Float>>(bits));
}
template <typename Float>
Word bits(Float value) {
  return std::bit_cast<Bits<Float>>(value);
}

template <typename Float>
constexpr int kMan = std::numeric_limits<Float>::digits - 1;
template <typename Float>
constexpr int kExpMax = sizeof(Float) == 4 ? 255 : 2047;

/// Zeros, ones, ends of the subnormal, normal and integer ranges, infinities, NaN; each with both signs.
template <typename Float>
std::vector<Word> corners() {
  using L = std::numeric_limits<Float>;
  std::vector<Word> all;
  const Word one_ulp = 1, inf = bits(L::infinity());
  for (Word value : {Word{0},
                     one_ulp,
                     Word{2},
                     Word{3},
                     bits(L::min()) - 1,
                     bits(L::min()),
                     bits(L::min()) + 1,
                     bits(L::min()) / 2,
                     bits(L::max()),
                     bits(L::max()) - 1,
                     inf,
                     inf + 1,
                     bits(L::quiet_NaN()),
                     inf | (bits(L::min()) - 1),
                     bits(Float(1)),
                     bits(Float(1)) + 1,
                     bits(Float(1)) - 1,
                     bits(Float(2)),
                     bits(Float(2)) - 1,
                     bits(Float(3)),
                     bits(Float(4)) - 1,
                     bits(Float(0.5)),
                     bits(Float(1.5)),
                     bits(L::epsilon()),
                     bits(L::epsilon() / 2),
                     bits(Float(0x1p31)),
                     bits(Float(0x1p31)) - 1,
                     bits(Float(0x1p32)),
                     bits(Float(0x1p32)) - 1,
                     bits(Float(0x1p63)),
                     bits(Float(0x1p63)) - 1,
                     bits(Float(0x1p64)) - 1,
                     bits(std::sqrt(L::min())),
                     bits(std::sqrt(L::max())),
                     bits(Float(10) / 3)}) {
    all.push_back(value);
    all.push_back(value | Word{1} << (sizeof(Float) * 8 - 1));
  }
  return all;
}

/// A random number: any bits, a moderate exponent, few ones or few zeros in the fraction, subnormal, a
/// corner.
template <typename Float>
Word random_number(Random& random) {
  static const std::vector<Word> kCorners = corners<Float>();
  constexpr Word kFraction = (Word{1} << kMan<Float>)-1;
  const Word sign = (random() & 1) << (sizeof(Float) * 8 - 1);
  Word exp = random() % (kExpMax<Float> + 1), fraction = random() & kFraction;
  const unsigned kind = random() % 8;
  if (kind == 0) return kCorners[random() % kCorners.size()];
  if (kind <= 4) exp = kExpMax<Float> / 2 - 8 + random() % 17;
  if (kind == 5) exp = 0, fraction >>= random() % kMan<Float>;
  if (kind == 6) exp = random() % 2 != 0 ? random() % 4 : kExpMax<Float> - random() % 4;
  if (random() % 3 == 0) fraction &= kFraction << (random() % kMan<Float>);
  if (random() % 8 == 0) fraction |= kFraction >> (random() % kMan<Float>);
  return sign | exp << kMan<Float> | fraction;
}

/// The other operand: unrelated; of a near exponent; or such that sum, product or quotient is near the
/// smallest.
template <typename Float>
Word random_partner(Random& random, Word a) {
  Word b = random_number<Float>(random);
  const int exp_a = static_cast<int>(a >> kMan<Float> & kExpMax<Float>);
  int exp = -1;
  switch (random() % 5) {
    case 0:
      return a ^ (random() & 1) << (sizeof(Float) * 8 - 1) ^ random() % 4;
    case 1:
      exp = exp_a + static_cast<int>(random() % (2 * kMan<Float> + 8)) - kMan<Float> - 4;
      break;
    case 2:
      exp = kExpMax<Float> / 2 - exp_a + static_cast<int>(random() % 8) -
            static_cast<int>(random() % kMan<Float>);
      break;
    case 3:
      exp = exp_a - kExpMax<Float> / 2 + static_cast<int>(random() % (kMan<Float> + 4)) - 2;
      break;
    default:
      return b;
  }
  if (exp < 0 || exp > kExpMax<Float>) return b;
  const Word mask = Word{kExpMax<Float>} << kMan<Float>;
  return (b & ~mask) | Word(exp) << kMan<Float>;
}

Word random_integer(Random& random, unsigned width) {
  Word value = random() >> random() % 64;
  if (random() % 2 != 0) value = -value;
  if (random() % 4 == 0) value = (Word{1} << random() % 64) + random() % 3 - 1;
  return width == 32 ? value & 0xffffffff : value;
}

/// What a unit computes, on this CPU.
struct Reference {
  std::string operation;
  unsigned width = 0, other = 0;  ///< of the number taken; of the integer, or the number made

  explicit Reference(std::string name) {
    if (name.ends_with("_deep")) name.resize(name.size() - 5);
    const auto tail = [&name] {
      const std::size_t at = name.rfind('_');
      std::string last = name.substr(at + 1);
      name.resize(at);
      return static_cast<unsigned>(std::stoi(last[0] == 'i' ? last.substr(1) : last));
    };
    const bool two =
        name.starts_with("fp_from") || name.starts_with("fp_to") || name.starts_with("fp_resize");
    width = tail();
    if (two) other = tail();
    if (two && !name.starts_with("fp_from")) std::swap(width, other);
    operation = name.substr(3);
  }

  template <typename Float>
  std::optional<Word> compute(const Operands& x) const {
    const volatile Float a = number<Float>(x.a), b = number<Float>(x.b);
    if (operation == "add") return bits<Float>(x.mode ? a - b : a + b);
    if (operation == "mul") return bits<Float>(a * b);
    if (operation == "div") return bits<Float>(a / b);
    if (operation == "sqrt") return bits<Float>(std::sqrt(Float{a}));
    if (operation == "cmp")
      return Word{a < b} | Word{a == b} << 1 | Word{std::isunordered(Float{a}, Float{b})} << 2;
    if (operation == "resize")
      return width == 32 ? bits<double>(Float{a}) : bits<float>(static_cast<float>(Float{a}));
    if (operation == "from_int") {
      if (other == 64) return bits<Float>(x.mode ? Float(static_cast<std::int64_t>(x.a)) : Float(x.a));
      const auto low = static_cast<std::uint32_t>(x.a);
      return bits<Float>(x.mode ? Float(static_cast<std::int32_t>(low)) : Float(low));
    }
    if (operation == "to_int") {
      const Float limit = std::ldexp(Float(1), static_cast<int>(other - x.mode)),
                  value = std::trunc(Float{a});
      if (!(value < limit) || value < (x.mode ? -limit : Float(0))) return std::nullopt;
      const Word word =
          x.mode ? static_cast<Word>(static_cast<std::int64_t>(value)) : static_cast<Word>(value);
      return other == 32 ? word & 0xffffffff : word;
    }
    ADD_FAILURE() << "no reference for " << operation;
    return 0;
  }
  std::optional<Word> operator()(const Operands& x) const {
    return width == 32 ? compute<float>(x) : compute<double>(x);
  }
  unsigned result_width() const { return operation == "to_int" || operation == "resize" ? other : width; }
  bool makes_number() const { return operation != "to_int" && operation != "cmp"; }
  bool same(Word got, Word expected) const {
    if (!makes_number()) return got == expected;
    const bool nan =
        result_width() == 32 ? std::isnan(number<float>(expected)) : std::isnan(number<double>(expected));
    if (!nan) return got == expected;
    const Word quiet = result_width() == 32 ? 0x7fc00000 : 0x7ff8000000000000;
    return (got & quiet) == quiet;
  }
  std::vector<Word> corner_values() const {
    if (operation != "from_int") return width == 32 ? corners<float>() : corners<double>();
    std::vector<Word> all;
    for (unsigned bit = 0; bit < other; ++bit) {
      for (int d = -2; d <= 2; ++d) all.push_back((Word{1} << bit) + Word(d)), all.push_back(-all.back());
    }
    for (Word& value : all) value = other == 32 ? value & 0xffffffff : value;
    return all;
  }
  Operands random_operands(Random& random) const {
    Operands x{.mode = random() % 2 != 0};
    if (operation == "from_int") {
      x.a = random_integer(random, other);
    } else if (width == 32) {
      x.a = random_number<float>(random), x.b = random_partner<float>(random, x.a);
    } else {
      x.a = random_number<double>(random), x.b = random_partner<double>(random, x.a);
    }
    return x;
  }
};

class UnitTest : public testing::TestWithParam<std::size_t> {
 protected:
  UnitTest() : unit_(kUnits[GetParam()]), reference_(unit_.name) {
    dut_.rst_ni = 0;
    edge();
    dut_.rst_ni = 1;
  }

  /// One operation: waits a random number of cycles (as few as the unit allows, most often), then starts it.
  void feed(const Operands& x) {
    const unsigned wait = unit_.interval - 1 + (random_() % 8 == 0 ? random_() % 40 : 0);
    for (unsigned n = 0; n < wait && !HasFatalFailure(); ++n) cycle(nullptr);
    cycle(&x);
  }
  void drain() {
    for (unsigned n = 0; n <= unit_.latency && !HasFatalFailure(); ++n) cycle(nullptr);
  }
  /// An enabled cycle, after some that are not; operands stand random where there is no operation.
  void cycle(const Operands* x) {
    while (random_() % 4 == 0) step(false, reference_.random_operands(random_), random_() % 2 != 0);
    step(true, x != nullptr ? *x : reference_.random_operands(random_), x != nullptr);
  }

  Random random_{1};
  Unit unit_;
  Reference reference_;

 private:
  struct Due {
    Operands operands;
    Word cycle;
  };
  void step(bool enabled, const Operands& x, bool start) {
    dut_.en_i = enabled;
    dut_.mode_i = x.mode;
    dut_.start_i = start ? 1u << GetParam() : 0;
    dut_.a32_i = dut_.n32_i = static_cast<std::uint32_t>(x.a);
    dut_.b32_i = static_cast<std::uint32_t>(x.b);
    dut_.a64_i = dut_.n64_i = x.a;
    dut_.b64_i = x.b;
    dut_.eval();
    // Before its cycle a result must not be looked at, after it another may stand there.
    if (!due_.empty() && due_.front().cycle == now_) {
      const Operands& was = due_.front().operands;
      const std::optional<Word> expected = was.known ? was.known : reference_(was);
      if (expected) {
        ASSERT_TRUE(reference_.same(dut_.z_o[GetParam()], *expected))
            << unit_.name << std::hex << " a " << was.a << " b " << was.b << " mode " << was.mode << " got "
            << dut_.z_o[GetParam()] << " expected " << *expected;
      }
      if (enabled) due_.pop_front();
    }
    if (enabled && start) due_.push_back({x, now_ + unit_.latency});
    edge();
    now_ += enabled;
  }
  void edge() {
    dut_.clk_i = 1;
    dut_.eval();
    dut_.clk_i = 0;
    dut_.eval();
  }

  Vfloat_tb dut_;
  std::deque<Due> due_;
  Word now_ = 0;  ///< enabled cycles
};

TEST_P(UnitTest, EqualsTheCpu) {
  const std::vector<Word> corner_values = reference_.corner_values();
  const bool two = reference_.operation != "sqrt" && corner_values.size() < 100;
  for (Word a : corner_values) {
    for (Word b : two ? corner_values : std::vector<Word>{0}) {
      for (bool mode : {false, true}) feed({a, b, mode});
      if (HasFatalFailure()) return;
    }
  }
  const char* more = std::getenv("ROUNDS");
  const unsigned rounds = 40000 * (more != nullptr ? static_cast<unsigned>(std::atoi(more)) : 1);
  for (unsigned n = 0; n < rounds && !HasFatalFailure(); ++n) feed(reference_.random_operands(random_));
  drain();
}

/// Lines of $VECTORS: operands, mode, result.
TEST_P(UnitTest, GivesWhatTheFileSays) {
  const char* path = std::getenv("VECTORS");
  if (path == nullptr) GTEST_SKIP() << "no $VECTORS";
  std::ifstream file(path);
  Word mode = 0, known = 0;
  unsigned lines = 0;
  for (Operands x; file >> std::hex >> x.a >> x.b >> mode >> known && !HasFatalFailure(); ++lines) {
    x.mode = mode != 0;
    x.known = known;
    feed(x);
  }
  drain();
  EXPECT_GT(lines, 0u);
}

INSTANTIATE_TEST_SUITE_P(Units, UnitTest, testing::Range<std::size_t>(0, std::size(kUnits)),
                         [](const auto& which) { return std::string(kUnits[which.param].name); });

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
