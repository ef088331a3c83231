// SPDX-License-Identifier: Apache-2.0
// Covers: decode() and disassemble() of every instruction against binutils' assembler, reserved encodings,
// random words against binutils' disassembler (skipped without it), no word that is two instructions. Leaves
// out: all 2^32 words; what instructions do (exec_test.cc).
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "roles/overlay/sim/isa/inst.h"

namespace polyloom::overlay {
namespace {

struct Line {
  std::uint32_t pc, word;
  const char* text;
};

// Made with riscv64-unknown-elf-as and -objdump -M no-aliases 2.40; CSR names written as numbers.
constexpr Line kLines[] = {
    {0x0, 0xfffff537, "lui a0, 0xfffff"},
    {0x4, 0x00001037, "lui zero, 0x1"},
    {0x8, 0x80000297, "auipc t0, 0x80000"},
    {0xc, 0x80058513, "addi a0, a1, -2048"},
    {0x10, 0x00000013, "addi zero, zero, 0"},
    {0x14, 0x7ffda513, "slti a0, s11, 2047"},
    {0x18, 0xfff53f93, "sltiu t6, a0, -1"},
    {0x1c, 0xfff54513, "xori a0, a0, -1"},
    {0x20, 0x0014e413, "ori s0, s1, 1"},
    {0x24, 0x0ff6f613, "andi a2, a3, 255"},
    {0x28, 0x01f59513, "slli a0, a1, 0x1f"},
    {0x2c, 0x0015d513, "srli a0, a1, 0x1"},
    {0x30, 0x41f5d513, "srai a0, a1, 0x1f"},
    {0x34, 0x00c58533, "add a0, a1, a2"},
    {0x38, 0x41ee8e33, "sub t3, t4, t5"},
    {0x3c, 0x00c59533, "sll a0, a1, a2"},
    {0x40, 0x00c5a533, "slt a0, a1, a2"},
    {0x44, 0x00c5b533, "sltu a0, a1, a2"},
    {0x48, 0x00c5c533, "xor a0, a1, a2"},
    {0x4c, 0x00c5d533, "srl a0, a1, a2"},
    {0x50, 0x40c5d533, "sra a0, a1, a2"},
    {0x54, 0x00c5e533, "or a0, a1, a2"},
    {0x58, 0x00c5f533, "and a0, a1, a2"},
    {0x5c, 0x0ff0000f, "fence"},
    {0x60, 0x800000ef, "jal ra, 0xfff00060"},
    {0x64, 0x7fbff06f, "jal zero, 0x10005e"},
    {0x68, 0x800300e7, "jalr ra, -2048(t1)"},
    {0x6c, 0x80b50063, "beq a0, a1, 0xfffff06c"},
    {0x70, 0x7eb51fe3, "bne a0, a1, 0x106e"},
    {0x74, 0x00b540e3, "blt a0, a1, 0x874"},
    {0x78, 0xfeb55fe3, "bge a0, a1, 0x76"},
    {0x7c, 0x00b56163, "bltu a0, a1, 0x7e"},
    {0x80, 0x54b57a63, "bgeu a0, a1, 0x5d4"},
    {0x84, 0xfff10503, "lb a0, -1(sp)"},
    {0x88, 0x00219503, "lh a0, 2(gp)"},
    {0x8c, 0x7ff22503, "lw a0, 2047(tp)"},
    {0x90, 0x8005c503, "lbu a0, -2048(a1)"},
    {0x94, 0x0005d503, "lhu a0, 0(a1)"},
    {0x98, 0x00412507, "flw fa0, 4(sp)"},
    {0x9c, 0xfea10fa3, "sb a0, -1(sp)"},
    {0xa0, 0x54a59aa3, "sh a0, 1365(a1)"},
    {0xa4, 0x80a5a023, "sw a0, -2048(a1)"},
    {0xa8, 0x7ff5afa7, "fsw ft11, 2047(a1)"},
    {0xac, 0x02c58533, "mul a0, a1, a2"},
    {0xb0, 0x02c59533, "mulh a0, a1, a2"},
    {0xb4, 0x02c5a533, "mulhsu a0, a1, a2"},
    {0xb8, 0x02c5b533, "mulhu a0, a1, a2"},
    {0xbc, 0x02c5c533, "div a0, a1, a2"},
    {0xc0, 0x02c5d533, "divu a0, a1, a2"},
    {0xc4, 0x02c5e533, "rem a0, a1, a2"},
    {0xc8, 0x02c5f533, "remu a0, a1, a2"},
    {0xcc, 0x20c58553, "fsgnj.s fa0, fa1, fa2"},
    {0xd0, 0x21b41053, "fsgnjn.s ft0, fs0, fs11"},
    {0xd4, 0x20c5a553, "fsgnjx.s fa0, fa1, fa2"},
    {0xd8, 0xe0058553, "fmv.x.w a0, fa1"},
    {0xdc, 0xf0058553, "fmv.w.x fa0, a1"},
    {0xe0, 0xe0059553, "fclass.s a0, fa1"},
    {0xe4, 0x28c58553, "fmin.s fa0, fa1, fa2"},
    {0xe8, 0x28c59553, "fmax.s fa0, fa1, fa2"},
    {0xec, 0xa0c5a553, "feq.s a0, fa1, fa2"},
    {0xf0, 0xa0c59553, "flt.s a0, fa1, fa2"},
    {0xf4, 0xa0c58553, "fle.s a0, fa1, fa2"},
    {0xf8, 0xc0059553, "fcvt.w.s a0, fa1, rtz"},
    {0xfc, 0xc015c553, "fcvt.wu.s a0, fa1, rmm"},
    {0x100, 0xd005f553, "fcvt.s.w fa0, a1"},
    {0x104, 0xd015a553, "fcvt.s.wu fa0, a1, rdn"},
    {0x108, 0x00c5f553, "fadd.s fa0, fa1, fa2"},
    {0x10c, 0x08c5b553, "fsub.s fa0, fa1, fa2, rup"},
    {0x110, 0x10c58553, "fmul.s fa0, fa1, fa2, rne"},
    {0x114, 0xf8c5f543, "fmadd.s fa0, fa1, fa2, ft11"},
    {0x118, 0x68c59547, "fmsub.s fa0, fa1, fa2, fa3, rtz"},
    {0x11c, 0x68c5f54b, "fnmsub.s fa0, fa1, fa2, fa3"},
    {0x120, 0xa0c5f54f, "fnmadd.s fa0, fa1, fa2, fs4"},
    {0x124, 0x18c5f553, "fdiv.s fa0, fa1, fa2"},
    {0x128, 0x5805f553, "fsqrt.s fa0, fa1"},
    {0x12c, 0xc0001573, "csrrw a0, 0xc00, zero"},
    {0x130, 0xf1402573, "csrrs a0, 0xf14, zero"},
    {0x134, 0x8027b073, "csrrc zero, 0x802, a5"},
    {0x138, 0x806fd573, "csrrwi a0, 0x806, 31"},
    {0x13c, 0x0010e573, "csrrsi a0, 0x1, 1"},
    {0x140, 0x00387073, "csrrci zero, 0x3, 16"},
    {0x144, 0x00000073, "ecall"},
    {0x148, 0x00100073, "ebreak"},
    {0, 0x00b50008, "send a0, a1"},  // the word that the published API always uses
};

TEST(Decode, EveryInstructionReadsAsTheAssemblerWroteIt) {
  std::set<Op> seen;
  for (const Line& line : kLines) {
    EXPECT_EQ(disassemble(line.word, line.pc), line.text);
    seen.insert(decode(line.word).op);
  }
  EXPECT_EQ(seen.size() + 1, kNumOps) << "an instruction of opcodes.h is missing from this table";
}

TEST(Decode, FieldsOfTheCompactForm) {
  const Inst addi = decode(0x80058513);
  EXPECT_EQ(addi, (Inst{Op::addi, 10, 11, 0, -2048}));
  const Inst fmsub = decode(0x68c59547);  // fmsub.s fa0, fa1, fa2, fa3, rtz
  EXPECT_EQ(fmsub.op, Op::fmsub_s);
  EXPECT_EQ(fmsub.rs3(), 13u);
  EXPECT_EQ(fmsub.rm(), 1u);
  const Inst csr_write = decode(0xc0001573);  // csrrw a0, 0xc00, zero
  EXPECT_EQ(csr_write.csr(), csr::cycle);
  EXPECT_EQ(csr_write.rs1, 0);
}

TEST(Decode, WritesToX0GoToTheSink) {
  EXPECT_EQ(decode(0x00000013).rd, kSinkReg);  // addi zero, zero, 0
  EXPECT_EQ(decode(0x0ff0000f).rd, kSinkReg);  // fence
  EXPECT_EQ(decode(0x00c5a023).rd, kSinkReg);  // sw a2, 0(a1)
  EXPECT_EQ(decode(0x00c5f053).rd, 0);         // fadd.s ft0, fa1, fa2: a register like any other
}

TEST(Decode, ReservedEncodingsAreIllegal) {
  const std::uint32_t words[] = {
      0x00000000,           0xffffffff,
      0x0000100f,  // fence.i
      0x02059513,  // slli by 32
      0x42b5d513,  // srai with bit 25
      0x80c58533,  // add with bit 31
      0x40c5f533,  // and with the bit of sub
      0x04c58533,  // funct7 = 2
      0x0005b503,  // ld
      0x0005e503,  // lwu
      0x00c5b023,  // sd
      0x00001067,  // jalr with funct3 = 1
      0x00002063,  // branch with funct3 = 2
      0x0005b507,  // fld
      0x02c58553,  // fadd.d
      0x00c5d553,  // fadd.s with rm = 5
      0x00c5e553,  // fadd.s with rm = 6
      0x58c5f553,  // fsqrt.s with rs2
      0xc025f553,  // fcvt.l.s
      0xe0058553 | 1 << 20,
      0x20c5b553,  // fsgnj with funct3 = 3
      0x28c5a553,  // fmin with funct3 = 2
      0x6ac5f543,  // fmadd.d
      0x68c5d543,  // fmadd.s with rm = 5
      0x00004073,  // system with funct3 = 4
      0x000000f3,  // ecall with rd
      0x00008073,  // ecall with rs1
      0x00200073,  // uret
      0x30200073,  // mret
      0x10500073,  // wfi
      0x00c5a52f,  // amoadd.w
      0x0000000b,  // custom-0
      0x00004501,  // compressed: li a0, 0
      0x00b50088,  // send with rd
      0x00b51008,  // send with funct3
      0x02b50008,  // send with funct7
  };
  for (const std::uint32_t word : words) {
    EXPECT_EQ(decode(word).op, Op::illegal) << std::hex << word << " " << disassemble(word, 0);
    EXPECT_EQ(static_cast<std::uint32_t>(decode(word).imm), word);
  }
  EXPECT_EQ(disassemble(0x0000100f, 0), ".word 0x0000100f");
}

/// Words near instructions: a row of the table with random operands, a third of them with one bit flipped.
/// Only those that the standard encodes in 32 bits, so that a listing keeps in step.
std::vector<std::uint32_t> random_words(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint32_t> words;
  while (words.size() < count) {
    const OpInfo& info = kOpInfo[1 + random() % (kNumOps - 1)];
    auto word = info.match | (static_cast<std::uint32_t>(random()) & ~info.mask);
    if (random() % 3 == 0) word ^= 1u << random() % 32;
    if ((word & 3) == 3 && (word & 0x1c) != 0x1c) words.push_back(word);
  }
  return words;
}

TEST(Decode, NoWordIsTwoInstructions) {
  for (std::size_t a = 1; a < kNumOps; ++a) {
    EXPECT_EQ(kOpInfo[a].match & ~kOpInfo[a].mask, 0u) << kOpInfo[a].text;
    for (std::size_t b = a + 1; b < kNumOps; ++b) {
      const std::uint32_t common = kOpInfo[a].mask & kOpInfo[b].mask;
      EXPECT_NE(kOpInfo[a].match & common, kOpInfo[b].match & common)
          << kOpInfo[a].text << " " << kOpInfo[b].text;
    }
  }
}

TEST(Decode, AnyWordDecodesInRange) {
  std::mt19937 random(3);
  for (int i = 0; i < 2'000'000; ++i) {
    const std::uint32_t word = random();
    const Inst in = decode(word);
    ASSERT_LT(static_cast<std::size_t>(in.op), kNumOps);
    ASSERT_LE(in.rd, kSinkReg);
    ASSERT_LT(in.rs1, 32);
    ASSERT_LT(in.rs2, 32);
    if (in.op != Op::illegal && op_info(in.op).form == Form::fr4) {
      ASSERT_LT(in.rs3(), 32u);
    }
    if (i % 16 == 0) {
      ASSERT_FALSE(disassemble(word, word).empty());
    }
  }
}

/// The numbers of docs/sources/tinsel.md, 1.2: all others are illegal, for every instruction and operand.
TEST(Decode, KnowsTheCsrsByTheirNumbers) {
  const std::set<unsigned> known = {0x001, 0x002, 0x003, 0x800, 0x801, 0x802, 0x803, 0x805, 0x806, 0x807,
                                    0x808, 0x809, 0x80a, 0x80b, 0x80c, 0x80d, 0x80e, 0x80f, 0xc00, 0xc01,
                                    0xc07, 0xc08, 0xc09, 0xc0a, 0xc0b, 0xc0c, 0xc0d, 0xc0e, 0xc0f, 0xf14};
  for (unsigned number = 0; number < 4096; ++number) {
    for (const unsigned f3 : {1u, 2u, 3u, 5u, 6u, 7u}) {
      const std::uint32_t word = number << 20 | f3 << 12 | 0x73u, named = 5u << 15 | 6u << 7;
      for (const std::uint32_t w : {word, word | named}) {
        EXPECT_EQ(decode(w).op != Op::illegal, known.contains(number)) << std::hex << w;
      }
    }
  }
}

/// CSR names of binutils that stand for numbers of any value would need its table, so CSR operands are not
/// compared.
bool is_csr_text(const std::string& text) { return text.starts_with("csrr"); }

/// binutils' text of each word, in the spelling of disassemble().
std::vector<std::string> binutils_texts(const std::vector<std::uint32_t>& words) {
  const auto path =
      std::filesystem::temp_directory_path() / ("polyloom_decode_" + std::to_string(getpid()) + ".bin");
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(words.data()), static_cast<std::streamsize>(4 * words.size()));
  const std::string command =
      "riscv64-unknown-elf-objdump -D -z -b binary -m riscv:rv32 -M no-aliases '" + path.string() + "'";
  std::vector<std::string> texts(words.size());
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  char line[256];
  while (pipe && std::fgets(line, sizeof line, pipe.get()) != nullptr) {
    unsigned address = 0, word = 0;
    int end = 0;
    // Only whole words at word addresses: after a compressed instruction the listing goes on with its upper
    // half.
    if (std::sscanf(line, " %x: %8x %n", &address, &word, &end) != 2 || address % 4 != 0) continue;
    if (word != words[address / 4]) continue;
    std::string text;
    for (const char* p = line + end; *p != 0 && *p != '\n' && *p != '<' && *p != '#'; ++p) {
      if (*p == '\t')
        text += ' ';
      else if (*p == ',')
        text += ", ";
      else
        text += *p;
    }
    while (!text.empty() && text.back() == ' ') text.pop_back();
    texts[address / 4] = text;
  }
  std::filesystem::remove(path);
  return texts;
}

/// Jump targets are bare hexadecimal in binutils' listing.
std::string with_hex_target(const std::string& text) {
  const bool jump =
      text.starts_with("jal ") || (text.starts_with("b") && text.find(", ") != std::string::npos);
  const std::size_t at = text.rfind(", ");
  if (!jump || text.compare(at + 2, 2, "0x") == 0) return text;
  return text.substr(0, at + 2) + "0x" + text.substr(at + 2);
}

TEST(Decode, RandomWordsReadAsBinutilsReadsThem) {
  if (std::system("riscv64-unknown-elf-objdump --version > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "riscv64-unknown-elf-objdump is missing: install binutils-riscv64-unknown-elf";
  }
  std::set<std::string> mnemonics;
  for (const OpInfo& info : kOpInfo) mnemonics.insert(info.text);
  const std::vector<std::uint32_t> words = random_words(60'000, 4);
  const std::vector<std::string> texts = binutils_texts(words);
  int compared = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (texts[i].empty()) continue;
    const Inst in = decode(words[i]);
    const std::string expected = with_hex_target(texts[i]);
    const std::string mnemonic = expected.substr(0, expected.find(' '));
    if (in.op == Op::illegal) {
      // binutils knows more instructions, prints "unknown" for a reserved rounding mode, and shows RV64's
      // shift amounts (bit 25) also for RV32.
      const bool wide_shift = (words[i] & 0x0200007f) == 0x02000013;
      const bool no_csr = is_csr_text(expected) && !csr::exists(words[i] >> 20);
      EXPECT_TRUE(wide_shift || no_csr || !mnemonics.contains(mnemonic) ||
                  expected.find("unknown") != std::string::npos)
          << std::hex << words[i] << " is illegal here, but " << expected;
    } else if (in.op == Op::fence) {
      // Unused fields of a fence shall be ignored (ISA 2.7); binutils shows words that use them as data.
      EXPECT_TRUE(mnemonic == "fence" || mnemonic == "fence.tso" || mnemonic == ".4byte") << expected;
    } else if (is_csr_text(expected)) {
      EXPECT_EQ(mnemonic, op_info(in.op).text) << std::hex << words[i];
    } else {
      EXPECT_EQ(disassemble(words[i], static_cast<std::uint32_t>(4 * i)), expected) << std::hex << words[i];
    }
    ++compared;
  }
  EXPECT_GT(compared, 59'000);
}

}  // namespace
}  // namespace polyloom::overlay
