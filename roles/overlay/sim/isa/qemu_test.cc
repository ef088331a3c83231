// SPDX-License-Identifier: Apache-2.0
// Covers: random instruction sequences in the reference interpreter against qemu-riscv32: the same ELF runs
// in both, and all registers, fcsr and memory after every block must be equal. Skipped without qemu or the
// compiler. Leaves out: faults, custom CSRs and Send (QEMU has none of ours), backward branches, timing.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "roles/overlay/sim/isa/fp_operands.h"
#include "roles/overlay/sim/isa/reference.h"

namespace polyloom::overlay {
namespace {

// One block's data: memory that it loads and stores, then the registers it starts and ends with.
constexpr unsigned kMemoryBytes = 1024, kDataBytes = 2048;
constexpr unsigned kXAt = kMemoryBytes, kFAt = kXAt + 128, kFcsrAt = kFAt + 128;
constexpr unsigned kBlocks = 300, kLength = 100;
constexpr unsigned kBaseRegister = 31;  // holds the address of the block's data, and is never written inside

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed), operands_(seed + 1) {}

  /// Assembler source of a program that runs kBlocks blocks and writes their data to the standard output.
  std::string program() {
    text_ << ".option norvc\n.option norelax\n.globl _start\n.text\n_start:\n";
    for (unsigned block = 0; block < kBlocks; ++block) emit_block(block);
    text_ << "li a0, 1\nla a1, data\nli a2, " << kBlocks * kDataBytes << "\nli a7, 64\necall\n"
          << "li a0, 0\nli a7, 93\necall\n.data\n.balign 2048\ndata:\n";
    for (unsigned block = 0; block < kBlocks; ++block) emit_data();
    return text_.str();
  }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  void emit_block(unsigned block) {
    text_ << "la x31, data + " << block * kDataBytes << "\n";
    move_registers("flw", "lw");
    text_ << "lw x1, " << kFcsrAt << "(x31)\nfscsr x1\nlw x1, " << kXAt + 4 << "(x31)\n";
    for (unsigned i = 0; i < kLength; ++i) {
      text_ << label(block, i) << ":\n";
      emit_instruction(block, i);
    }
    text_ << label(block, kLength) << ":\n";
    move_registers("fsw", "sw");
    text_ << "frcsr x1\nsw x1, " << kFcsrAt << "(x31)\n";
  }

  void move_registers(const char* f_move, const char* x_move) {
    for (unsigned r = 0; r < 32; ++r) text_ << f_move << " f" << r << ", " << kFAt + 4 * r << "(x31)\n";
    for (unsigned r = 1; r < kBaseRegister; ++r)
      text_ << x_move << " x" << r << ", " << kXAt + 4 * r << "(x31)\n";
  }

  void emit_data() {
    for (unsigned word = 0; word < kDataBytes / 4; ++word) {
      std::uint32_t value = below(2) == 0 ? operands_.any() : operands_.integer();
      if (word == kFcsrAt / 4) value = below(5) << 5;
      text_ << ".word " << value << "\n";
    }
  }

  std::uint32_t random_fields(Op op) {
    const OpInfo& info = op_info(op);
    std::uint32_t word = info.match | (static_cast<std::uint32_t>(random_()) & ~info.mask);
    if (has_rm(info.form)) {
      const unsigned modes[] = {0, 1, 2, 3, 4, kDynamicRounding, kDynamicRounding, kDynamicRounding};
      word = (word & ~0x7000u) | modes[below(8)] << 12;
    }
    if (writes_x(info.form) && (word >> 7 & 31) == kBaseRegister) word ^= 1u << 7;
    return word;
  }

  static std::string label(unsigned block, unsigned step) {
    return ".L" + std::to_string(block) + "_" + std::to_string(step);
  }
  /// A later step of the same block. Jumps name steps, not words, as a step may be several words.
  std::string target(unsigned block, unsigned step) {
    return label(block, step + 1 + below(std::min(kLength - step, 8u)));
  }

  /// An operation that stays inside the block's data and code.
  void emit_instruction(unsigned block, unsigned step) {
    const Op op = static_cast<Op>(1 + below(kNumOps - 1));
    const OpInfo& info = op_info(op);
    std::uint32_t word = random_fields(op);
    switch (info.cls) {
      case OpClass::load: {
        const std::uint32_t offset =
            below(kMemoryBytes / 4) * 4 + below(4) / access_size(op) * access_size(op);
        word = (word & 0x00007fff) | kBaseRegister << 15 | offset << 20;
        break;
      }
      case OpClass::store: {
        const std::uint32_t offset =
            below(kMemoryBytes / 4) * 4 + below(4) / access_size(op) * access_size(op);
        word = (word & 0x01f0707f) | kBaseRegister << 15 | (offset & 31) << 7 | offset >> 5 << 25;
        break;
      }
      case OpClass::branch:
        text_ << info.text << " x" << below(32) << ", x" << below(32) << ", " << target(block, step) << "\n";
        return;
      case OpClass::jump: {
        const unsigned rd = word >> 7 & 31;
        if (op == Op::jal) {
          text_ << "jal x" << rd << ", " << target(block, step) << "\n";
        } else {
          const unsigned base = 1 + below(kBaseRegister - 1);
          text_ << "la x" << base << ", " << target(block, step) << "\njalr x" << rd << ", 0(x" << base
                << ")\n";
        }
        return;
      }
      case OpClass::csr:
        word = csr_word(op, word);
        break;
      case OpClass::send:
      case OpClass::system:
      case OpClass::illegal:
        word = 0x0ff0000f;  // fence
        break;
      default:
        if (op == Op::fence) word = 0x0ff0000f;  // QEMU refuses some reserved fields
        break;
    }
    text_ << ".word " << word << "\n";
  }

  /// CSR accesses to fflags, frm and fcsr that never put a reserved mode into frm.
  std::uint32_t csr_word(Op op, std::uint32_t word) {
    const bool immediate = op_info(op).form == Form::csri;
    const std::uint32_t rest = word & 0x000fffff;
    if (op == Op::csrrwi && below(2) == 0) return (rest & ~0xf8000u) | below(5) << 15 | csr::frm << 20;
    if (immediate && op != Op::csrrwi && below(2) == 0) return rest | csr::fcsr << 20;  // touches flags only
    if (!immediate && below(3) == 0) {
      return (op_info(Op::csrrs).match | (rest & 0xf80)) | (below(2) == 0 ? csr::fcsr : csr::frm)
                                                               << 20;  // reads
    }
    return rest | csr::fflags << 20;
  }

  std::mt19937_64 random_;
  fp::Operands operands_;
  std::ostringstream text_;
};

/// What the loader of Linux would do with a static ELF32 file, and the two system calls of the program.
class Program {
 public:
  explicit Program(const std::vector<char>& elf) : memory_(0x10000, 4 << 20) {
    const auto u32 = [&](std::size_t at) {
      std::uint32_t v = 0;
      std::memcpy(&v, &elf.at(at), 4);
      return v;
    };
    hart_.pc = u32(24);
    const std::uint32_t headers = u32(28), count = u32(44) & 0xffff;
    for (std::uint32_t at = headers; at < headers + 32 * count; at += 32) {
      if (u32(at) != 1) continue;  // PT_LOAD
      const std::uint32_t offset = u32(at + 4), address = u32(at + 8), size = u32(at + 16);
      for (std::uint32_t i = 0; i + 4 <= size; i += 4) memory_.word(address + i) = u32(offset + i);
    }
  }

  /// Standard output of the program.
  std::string output() {
    std::string out;
    for (;;) {
      const auto fault = run(hart_, memory_, 10'000'000);
      if (!fault || fault->cause != FaultCause::environment_call) {
        ADD_FAILURE() << (fault ? fault_name(fault->cause) : "no end") << std::hex << " at " << hart_.pc;
        return out;
      }
      if (hart_.x[17] == 93) return out;
      for (std::uint32_t i = 0; i < hart_.x[12]; i += 4) {
        out.append(reinterpret_cast<const char*>(&memory_.word(hart_.x[11] + i)), 4);
      }
      hart_.pc += 4;
    }
  }
  std::uint64_t instructions() const { return hart_.instret; }

 private:
  FlatMemory memory_;
  Hart hart_;
};

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string out;
  char buffer[4096];
  while (pipe) {
    const std::size_t n = std::fread(buffer, 1, sizeof buffer, pipe.get());
    if (n == 0) break;
    out.append(buffer, n);
  }
  return out;
}

bool works(const std::string& command) { return std::system((command + " > /dev/null 2>&1").c_str()) == 0; }

std::string name_of_word(unsigned word) {
  const unsigned at = word * 4 % kDataBytes;
  if (at < kMemoryBytes) return "memory " + std::to_string(at);
  if (at < kFAt) return "x" + std::to_string((at - kXAt) / 4);
  return at < kFcsrAt ? "f" + std::to_string((at - kFAt) / 4) : "fcsr";
}

class QemuTest : public testing::TestWithParam<std::uint64_t> {};

TEST_P(QemuTest, RandomBlocksEndInTheSameState) {
  if (!works("qemu-riscv32 --version")) GTEST_SKIP() << "qemu-riscv32 is missing: install qemu-user";
  if (!works("riscv64-unknown-elf-gcc --version")) {
    GTEST_SKIP() << "riscv64-unknown-elf-gcc is missing: install gcc-riscv64-unknown-elf";
  }
  const auto folder = std::filesystem::temp_directory_path() /
                      ("polyloom_qemu_" + std::to_string(getpid()) + "_" + std::to_string(GetParam()));
  std::filesystem::create_directories(folder);
  const std::string source = folder / "blocks.s", elf = folder / "blocks.elf";
  std::ofstream(source) << Generator(GetParam()).program();
  ASSERT_TRUE(works(
      "riscv64-unknown-elf-gcc -march=rv32imf_zicsr -mabi=ilp32f -nostdlib -static -Wl,-Ttext=0x11000 -o " +
      elf + " " + source))
      << "the compiler rejects " << source;
  const std::string expected = output_of("qemu-riscv32 " + elf);
  ASSERT_EQ(expected.size(), std::size_t{kBlocks} * kDataBytes) << "qemu-riscv32 stopped early on " << elf;

  std::ifstream file(elf, std::ios::binary);
  const std::vector<char> image{std::istreambuf_iterator<char>(file), {}};
  Program program(image);
  const std::string got = program.output();
  ASSERT_EQ(got.size(), expected.size());
  EXPECT_GT(program.instructions(), std::uint64_t{kBlocks} * kLength / 2);
  int differences = 0;
  for (std::size_t i = 0; i < got.size() && differences < 10; i += 4) {
    std::uint32_t ours = 0, theirs = 0;
    std::memcpy(&ours, &got[i], 4);
    std::memcpy(&theirs, &expected[i], 4);
    if (ours == theirs) continue;
    ++differences;
    ADD_FAILURE() << "block " << i / kDataBytes << " " << name_of_word(static_cast<unsigned>(i / 4))
                  << std::hex << ": " << ours << ", qemu " << theirs << "; sources in " << folder;
  }
  if (differences == 0) std::filesystem::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(Seeds, QemuTest, testing::Values(1, 2, 3, 4));

}  // namespace
}  // namespace polyloom::overlay
