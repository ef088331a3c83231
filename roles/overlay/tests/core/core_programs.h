// SPDX-License-Identifier: Apache-2.0
// Programs for the cores: an assembler of a few lines, and random ones.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace polyloom::overlay::test {

using Word = std::uint32_t;

constexpr Word r_type(Word f7, Word rs2, Word rs1, Word f3, Word rd, Word major) {
  return f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | major;
}
constexpr Word i_type(int imm, Word rs1, Word f3, Word rd, Word major) {
  return static_cast<Word>(imm) << 20 | rs1 << 15 | f3 << 12 | rd << 7 | major;
}
constexpr Word s_type(int imm, Word rs2, Word rs1, Word f3, Word major) {
  const auto i = static_cast<Word>(imm);
  return (i >> 5 & 127) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (i & 31) << 7 | major;
}
constexpr Word b_type(int imm, Word rs2, Word rs1, Word f3) {
  const auto i = static_cast<Word>(imm);
  return (i >> 12 & 1) << 31 | (i >> 5 & 63) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (i >> 1 & 15) << 8 |
         (i >> 11 & 1) << 7 | 0x63;
}
constexpr Word jal(int imm, Word rd) {
  const auto i = static_cast<Word>(imm);
  return (i >> 20 & 1) << 31 | (i >> 1 & 1023) << 21 | (i >> 11 & 1) << 20 | (i >> 12 & 255) << 12 | rd << 7 |
         0x6f;
}
constexpr Word addi(Word rd, Word rs1, int imm) { return i_type(imm, rs1, 0, rd, 0x13); }
constexpr Word lui(Word rd, Word upper) { return upper << 12 | rd << 7 | 0x37; }
constexpr Word csr_reg(Word number, Word f3, Word rs1, Word rd) {
  return i_type(static_cast<int>(number), rs1, f3, rd, 0x73);
}

/// Random programs: what every word in [first, words) is. Registers x1..x15 and f0..f15 are used by most,
/// x28..x30 hold where memories are; the words before `first` may be patched by threads. A thread has to
/// start at 4 * first once.
class RandomProgram {
 public:
  RandomProgram(std::uint64_t seed, unsigned first, unsigned words, bool fpu)
      : rng_(seed), first_(first), words_(words), fpu_(fpu) {
    for (Word r = 1; r < 32; ++r) add(lui(r, below(1 << 20))), add(addi(r, r, random_imm()));
    for (Word r = 0; r < 32; ++r)
      if (fpu) add(r_type(0x78, 0, below(16), 0, r, 0x53));
    add(lui(28, 0x01800)), add(lui(29, 0x8)), add(lui(30, 0xc0000));
    body_ = first_ + static_cast<unsigned>(code_.size());
    while (first_ + code_.size() < words_) add(instruction());
  }
  const std::vector<Word>& code() const { return code_; }
  unsigned body() const { return body_; }  ///< first word after the initial ones

 private:
  Word below(Word n) { return static_cast<Word>(rng_() % n); }
  void add(Word w) { code_.push_back(w); }
  Word x() { return below(16); }
  int random_imm() { return static_cast<int>(below(4096)) - 2048; }
  /// Offset to some word of the body.
  int somewhere() {
    const unsigned here = first_ + static_cast<unsigned>(code_.size());
    return 4 * (static_cast<int>(body_ + below(words_ - body_)) - static_cast<int>(here));
  }

  Word instruction() {
    switch (below(32)) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
        return alu();
      case 5:
      case 6:
      case 7:
      case 8:
        return i_type(random_imm(), x(), below(4) * 2, x(), 0x13);
      case 9:
      case 10:
        return shift();
      case 11:
        return lui(x(), below(1 << 20)) ^ (below(2) << 5);  // or auipc
      case 12:
      case 13:
      case 14:
        return b_type(below(200) == 0 ? somewhere() + 2 : somewhere(), x(), x(), below(8));
      case 15:
        return jal(below(100) == 0 ? somewhere() + 2 : somewhere(), x());
      case 16:
        return i_type(static_cast<int>(4 * (body_ + below(500 - body_)) + below(50) / 48), 0, 0, x(), 0x67);
      case 17:
      case 18:
      case 19:
      case 20:
      case 21:
      case 22:
        return memory();
      case 23:
        return r_type(1, x(), x(), below(8), x(), 0x33);
      case 24:
      case 25:
      case 26:
        return fpu_ || below(20) == 0 ? fp() : alu();
      case 27:
      case 28:
      case 29:
      case 30:
        return special();
      default:
        return rare();
    }
  }
  Word alu() {
    const Word f3 = below(8), f7 = (f3 == 0 || f3 == 5) ? below(2) * 32 : 0;
    return r_type(f7, x(), x(), f3, x(), 0x33);
  }
  Word shift() {
    const Word right = below(2);
    return r_type(right * below(2) * 32, below(32), x(), 1 + 4 * right, x(), 0x13);
  }
  Word memory() {
    static constexpr Word kLoads[] = {0, 1, 2, 4, 5, 2};
    const Word base = 28 + below(3);
    const bool fp = below(fpu_ ? 6 : 60) == 0, store = below(2) != 0;
    const Word f3 = fp ? 2 : store ? below(3) : kLoads[below(6)];
    int imm = static_cast<int>(below(2048));
    if (below(30) != 0) imm &= ~((1 << (f3 & 3)) - 1);
    const Word at = below(60) == 0 ? x() : base;
    if (store) return s_type(imm, x(), at, f3, fp ? 0x27 : 0x23);
    return i_type(imm, at, f3, x(), fp ? 0x07 : 0x03);
  }
  Word fp() {
    static constexpr Word kF7[] = {0x00, 0x04, 0x08, 0x0c, 0x2c, 0x10, 0x14,
                                   0x60, 0x68, 0x70, 0x50, 0x78, 0x10, 0x60};
    if (below(4) == 0) return r_type(below(16) << 2, x(), x(), rm(), x(), 0x43 + 4 * below(4));
    const Word f7 = kF7[below(14)];
    const Word rs2 = f7 == 0x60 || f7 == 0x68 ? below(2) : f7 == 0x2c || f7 == 0x70 || f7 == 0x78 ? 0 : x();
    const Word f3 = f7 == 0x10 || f7 == 0x50   ? below(3)
                    : f7 == 0x14 || f7 == 0x70 ? below(2)
                    : f7 == 0x78               ? 0
                                               : rm();
    return r_type(f7, rs2, x(), f3, x(), 0x53);
  }
  Word rm() { return below(8) < 4 ? 7 : below(5); }
  Word special() {
    static constexpr Word kNumbers[] = {0x001, 0x002, 0x003, 0x800, 0x801, 0x802, 0x803, 0x805,
                                        0x806, 0x807, 0x808, 0x809, 0x80a, 0x80b, 0x80c, 0x80d,
                                        0x80e, 0x80f, 0xc00, 0xc01, 0xc07, 0xc0b, 0xc0c, 0xc0d,
                                        0xc0e, 0xc0f, 0xf14, 0x7c0, 0x804, 0xc08, 0xc09, 0xc0a};
    if (below(4) == 0) return r_type(0, x(), x(), 0, 0, 0x08);  // Send
    const Word number = kNumbers[below(32)];
    Word f3 = 1 + below(3) + 4 * below(2), source = x();
    const bool bounded = number == 0x800 || number == 0x806;  // held in fewer bits: no clearing
    if (bounded && f3 % 4 == 3) f3 -= 2;
    if (number == 0x800) f3 |= 4, source = below(32);
    if (number == 0x002 || number == 0xc07 || number == 0x80d) f3 |= 4;
    if (number == 0x002) source = below(20) == 0 ? x() : below(5), f3 = 5;
    if (number == 0x003 && below(10) != 0) f3 = 5, source = below(32);
    if (number == 0x80e && below(4) != 0) source = 0, f3 = 6;  // seldom kill
    if (number == 0xc07) source = below(4);
    return csr_reg(number, f3, source, x());
  }
  Word rare() {
    switch (below(24)) {
      case 0:
        return below(2) == 0 ? 0x00000073 : 0x00100073;  // ecall, ebreak
      case 1:
        return static_cast<Word>(rng_());
      case 2:
        return i_type(random_imm(), x(), 0, x(), 0x67);  // jalr anywhere
      default:
        return i_type(random_imm(), x(), 0, x(), 0x0f);  // fence
    }
  }

  std::mt19937_64 rng_;
  unsigned first_, words_, body_ = 0;
  bool fpu_;
  std::vector<Word> code_;
};

}  // namespace polyloom::overlay::test
