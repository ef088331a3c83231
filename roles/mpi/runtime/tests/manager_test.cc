// SPDX-License-Identifier: Apache-2.0
// Covers: PRINT records against the C library's printf, also damaged ones; CALLs against its functions;
// sentences about waits and aborts; circles. Leaves out: the manager at work (test_programs.py,
// test_kernel.py).
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <random>

#include "roles/mpi/arch/calls.h"
#include "roles/mpi/runtime/manager/library.h"
#include "roles/mpi/runtime/manager/scan.h"
#include "roles/mpi/runtime/manager/watch.h"

namespace polyloom::mpi {
namespace {

class Words {
 public:
  Words& integer(long long value) { return put(POLYLOOM_PRINT_INTEGER, static_cast<std::uint64_t>(value)); }
  Words& real(double value) { return put(POLYLOOM_PRINT_DOUBLE, std::bit_cast<std::uint64_t>(value)); }
  Words& pointer(std::uint64_t value) { return put(POLYLOOM_PRINT_POINTER, value); }
  Words& quad(std::uint64_t high, std::uint64_t low) {
    put(POLYLOOM_PRINT_QUAD, low);
    words_.push_back(high);
    return *this;
  }
  Words& text(const std::string& value) {
    put(POLYLOOM_PRINT_STRING, value.size());
    words_.resize(words_.size() + (value.size() + 7) / 8);
    std::memcpy(words_.data() + words_.size() - (value.size() + 7) / 8, value.data(), value.size());
    return *this;
  }
  std::vector<std::byte> bytes(std::uint32_t format, unsigned stream) const {
    std::vector<std::uint64_t> all{format | std::uint64_t{count_} << 32 | std::uint64_t{stream} << 40,
                                   kinds_};
    all.insert(all.end(), words_.begin(), words_.end());
    std::vector<std::byte> out(all.size() * 8);
    std::memcpy(out.data(), all.data(), out.size());
    return out;
  }

 private:
  Words& put(unsigned kind, std::uint64_t word) {
    kinds_ |= std::uint64_t{kind} << 4 * count_++;
    words_.push_back(word);
    return *this;
  }
  unsigned count_ = 0;
  std::uint64_t kinds_ = 0;
  std::vector<std::uint64_t> words_;
};

std::string shown(const std::vector<std::byte>& bytes, const Strings& strings) {
  std::optional<Record> record = read_record(bytes);
  if (!record) return "cut short";
  const std::string format = take_format(*record, strings);
  return format_text(format, record->arguments);
}

std::string format(const std::string& text, const Words& record) {
  return shown(record.bytes(0x10000, 1), {{0x10000, text}});
}

template <typename... T>
std::string c(const char* text, T... arguments) {
  char buffer[512];
  std::snprintf(buffer, sizeof buffer, text, arguments...);
  return buffer;
}

TEST(Print, AsTheCLibrary) {
  EXPECT_EQ(format("no arguments %% at all\n", {}), "no arguments % at all\n");
  EXPECT_EQ(format("%d %i", Words().integer(-5).integer(7)), "-5 7");
  EXPECT_EQ(format("%u %x %X %o", Words().integer(-1).integer(-1).integer(255).integer(8)),
            c("%u %x %X %o", -1, -1, 255, 8));
  EXPECT_EQ(format("%lu %lld %zx", Words().integer(-1).integer(-1).integer(1ll << 40)),
            c("%lu %lld %zx", -1ul, -1ll, 1ul << 40));
  EXPECT_EQ(format("%hhd %hu", Words().integer(300).integer(70000)), c("%hhd %hu", 300, 70000));
  EXPECT_EQ(format("[%-8d|%+5d|% d|%08.3f]", Words().integer(1).integer(2).integer(3).real(-3.14159)),
            c("[%-8d|%+5d|% d|%08.3f]", 1, 2, 3, -3.14159));
  EXPECT_EQ(
      format("%*d %-*d|%.*f", Words().integer(6).integer(1).integer(4).integer(2).integer(2).real(1.005)),
      c("%*d %-*d|%.*f", 6, 1, 4, 2, 2, 1.005));
  EXPECT_EQ(format("%g %e %a %lf", Words().real(1e100).real(1e-5).real(0.1).real(2.5)),
            c("%g %e %a %lf", 1e100, 1e-5, 0.1, 2.5));
  EXPECT_EQ(
      format("%s and %10s and %-3s.%.2s", Words().text("").text("eight chars").text("a").text("abcdef")),
      c("%s and %10s and %-3s.%.2s", "", "eight chars", "a", "abcdef"));
  EXPECT_EQ(format("%2$d %1$5.2f %2$x|%3$*2$s|", Words().real(2.5).integer(7).text("far")),
            c("%2$d %1$5.2f %2$x|%3$*2$s|", 2.5, 7, "far"));
  EXPECT_EQ(format("%p", Words().text("a")), c("%p", nullptr));
  EXPECT_EQ(format("%c%c", Words().integer('x').integer('\n')), "x\n");
  EXPECT_EQ(read_record(Words().bytes(0x10000, 2))->stream, 2u);
  EXPECT_EQ(format("%s: %m", Words().text("x").integer(ENOENT)), "x: No such file or directory");
  EXPECT_EQ(format("%'d %b", Words().integer(1234567).integer(10)), c("%'d %b", 1234567, 10));
  EXPECT_EQ(format("%s|%8.6s|%.5s|", Words().pointer(0).pointer(0).pointer(0)),
            "(null)|  (null)||");  // glibc
}

TEST(Print, WhatIsNoConversionStays) {
  EXPECT_EQ(format("100%\n%d", Words().integer(5)), c("100%\n%d", 5));
  EXPECT_EQ(format("%-5y|%5%|%", {}),
            "%-5y|%|%");  // as glibc 2.36, but for the last, of which it prints none
}

TEST(Print, TheFormatMayComeWithTheRecord) {
  EXPECT_EQ(shown(Words().text("%2$s%1$d %%\n").integer(5).text("x").bytes(0, 2), {}), "x5 %\n");
  EXPECT_EQ(shown(Words().text("").bytes(0, 1), {}), "");
}

TEST(Print, LongDoubles) {
  EXPECT_EQ(format("%.3Lf %La %Lg", Words().real(1.5).real(-0.1).real(INFINITY)),
            c("%.3Lf %La %Lg", 1.5L, static_cast<long double>(-0.1), HUGE_VALL));
  // Bits of binary128 as clang for riscv64 writes them.
  EXPECT_EQ(format("%.18Lf %.0Lf %Lg", Words()
                                           .quad(0x3FFB'9999'9999'9999, 0x9999'9999'9999'999A)
                                           .quad(0x403C'FFFF'FFFF'FFFF, 0xFFF8'0000'0000'0000)
                                           .quad(0xFFFF'0000'0000'0000, 0)),
            c("%.18Lf %.0Lf %Lg", 0.1L, 4611686018427387903.L, -HUGE_VALL));
  EXPECT_EQ(format("%.20Le", Words().quad(0xBFFF'0000'0000'0000, 0x0002'0000'0000'0000)),
            c("%.20Le", -(1 + 0x1p-63L)));
}

TEST(Print, BytesThatAreNoTextStay) {
  EXPECT_EQ(format("caf\xe9 %s", Words().text("\xff\xfe")), "caf\xe9 \xff\xfe");
  const std::string path = testing::TempDir() + "report.json";
  std::ofstream(path) << R"({"strings": {"0x00010000": "text", "0x00010010": [99, 255]}})";
  EXPECT_EQ(read_strings(path), (Strings{{0x10000, "text"}, {0x10010, "c\xff"}}));
}

TEST(Print, WhatAKernelMayNotSendIsShown) {
  EXPECT_EQ(format("%d", {}), "<no argument>");
  EXPECT_EQ(format("%d", Words().real(1)), "<not for %d>");
  EXPECT_EQ(format("%2$d %0$d", Words().integer(1)), "<no argument> <no argument>");
  EXPECT_EQ(format("%n", Words().integer(1)), "<not for %n>");
  EXPECT_EQ(shown(Words().bytes(0x20000, 1), {}), "<format at 0x00020000 is no constant>\n");
  std::mt19937 random(3);
  for (int i = 0; i < 100000; ++i) {
    std::vector<std::byte> bytes = Words().text("some text").integer(3).real(2).text("x").bytes(0x10000, 1);
    bytes.resize(random() % (bytes.size() + 1));
    bytes.shrink_to_fit();
    for (int k = 0; k < 3 && !bytes.empty(); ++k)
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    (void)shown(bytes, {{0x10000, "%s %d %f %s %*d %p"}});
  }
}

// What the C library stores with these places, and what it returns; places begin as -1.
template <typename... T>
void expect_scan(const std::string& text, const std::string& with, T... places) {
  const Scanned got = scan_text(text, with, sizeof...(T));
  (std::memset(&places, 0xFF, sizeof places), ...);
  EXPECT_EQ(got.value, std::sscanf(text.c_str(), with.c_str(), &places...)) << with;
  std::size_t at = 0;
  const auto check = [&](const void* want, std::size_t bytes) {
    const auto part = at < got.parts.size() ? got.parts[at++] : std::vector<std::byte>{};
    std::vector<std::byte> place(bytes, std::byte{0xFF});
    ASSERT_LE(part.size(), bytes);
    std::copy(part.begin(), part.end(), place.begin());
    EXPECT_EQ(std::memcmp(place.data(), want, bytes), 0) << with << ", place " << at;
  };
  (check(&places, sizeof places), ...);
}

struct Text {
  char bytes[32];
};

TEST(Scan, AsTheCLibrary) {
  expect_scan("12 -3 0x1f 077", "%d %i %x %o", 0, 0, 0u, 0u);
  expect_scan("12 x", "%d %d", 0, 0);
  expect_scan("", "%d", 0);
  expect_scan("1.5 2.5e3 nan", "%lf%f%le", 0.0, 0.0f, 0.0);
  expect_scan("300 70000 9999999999 8 7 6", "%hhd %hd %ld %lld %zu %jd", '\0', short{}, 0l, 0ll, 0ul, 0l);
  expect_scan("words of letters", "%s %3c%[a-z ]", Text{}, Text{}, Text{});
  expect_scan("a]b^c-]", "%[]a]%*c%[^]-]%[^^]", Text{}, Text{}, Text{});
  expect_scan("key = 5%", "%31[^ =] = %d%%%n", Text{}, 0, 0);
  expect_scan("10,x", "%d,%n%d%n", 0, 0, 0, 0);
  expect_scan("123456", "%*2d%2d%d", 0, 0);
  EXPECT_TRUE(scan_text(std::string(100000, 'x'), "%s%[", 2).parts[0].size() == 65536);
}

TEST(Library, WhatAKernelMayNotSendDoesNoHarm) {
  Library library({{0x10000, "%s %d %[a"}}, [](unsigned, const std::string&) {});
  std::mt19937 random(5);
  for (int i = 0; i < 100000; ++i) {
    const unsigned functions[] = {POLYLOOM_C_printf,   POLYLOOM_C_snprintf, POLYLOOM_C_sscanf,
                                  POLYLOOM_C_strtod,   POLYLOOM_C_time,     POLYLOOM_C_fscanf,
                                  POLYLOOM_C_strerror, POLYLOOM_C_fclose,   POLYLOOM_C_fread,
                                  POLYLOOM_C_fgets,    POLYLOOM_C_ungetc,   POLYLOOM_C_fseek};
    Words words;
    if (random() % 2) words.text("12 x");
    words.integer(random() % 8).integer(random() % 40).integer(random() % 99);
    std::vector<std::byte> bytes = words.bytes(random() % 2 ? 0x10000 : 0, functions[random() % 12]);
    bytes.resize(random() % 4 ? bytes.size() : random() % bytes.size());
    if (random() % 2 && bytes.size() > 20)  // but not the function
      bytes[8 + random() % (bytes.size() - 8)] = static_cast<std::byte>(random());
    library.hear(random() % 3 ? POLYLOOM_CALL : POLYLOOM_PRINT_FIRST, bytes);
  }
}

Wait wait_of(unsigned rank, unsigned op, unsigned peer, int tag, unsigned comm, unsigned type = 0) {
  Wait w;
  w.rank = rank;
  w.words[0] = polyloom_word0(op, type, peer, tag);
  w.words[1] = polyloom_word1(comm, 0, nullptr);
  w.since = 1'500'000'000;
  return w;
}

TEST(Waits, Sentences) {
  EXPECT_EQ(wait_text(wait_of(1, POLYLOOM_RECV_WAIT, 0, 7, 0)),
            "rank 1 waits in MPI_Recv for a message from rank 0, tag 7, MPI_COMM_WORLD, since 1.500000 ms");
  EXPECT_EQ(
      wait_text(wait_of(1, POLYLOOM_RECV_WAIT, 0xFFFF, -1, 6)),
      "rank 1 waits in MPI_Recv for a message from any rank, any tag, communicator 3, since 1.500000 ms");
  EXPECT_EQ(wait_text(wait_of(1, POLYLOOM_WAIT, 2, POLYLOOM_CALL_Allreduce, 1, POLYLOOM_RECV)),
            "rank 1 waits in MPI_Allreduce for a message from rank 2, MPI_COMM_WORLD, since 1.500000 ms");
  EXPECT_EQ(wait_text(wait_of(3, POLYLOOM_SSEND_WAIT, 2, 5, 0)),
            "rank 3 waits in MPI_Ssend for rank 2 to receive, tag 5, MPI_COMM_WORLD, since 1.500000 ms");
}

TEST(Waits, Circles) {
  const auto on = [](unsigned rank, unsigned peer) { return wait_of(rank, POLYLOOM_RECV_WAIT, peer, 0, 0); };
  EXPECT_EQ(circle({on(0, 1), on(1, 2), on(2, 1)}), (std::vector<unsigned>{1, 2}));
  EXPECT_EQ(circle({on(0, 1), on(1, 2)}), std::vector<unsigned>{});
  EXPECT_EQ(circle({on(0, 0xFFFF), on(1, 0)}), std::vector<unsigned>{});
  EXPECT_EQ(circle({on(4, 4)}), std::vector<unsigned>{4});
}

TEST(Aborts, Sentences) {
  EXPECT_EQ(
      abort_text(2, {1, 10, POLYLOOM_CALL_Recv, 1, 5, 0}),
      "rank 2: MPI_Recv: the message is longer than the receive's buffer (rank 1, tag 5, MPI_COMM_WORLD)");
  EXPECT_EQ(abort_text(2, {42, 0, POLYLOOM_CALL_Abort, 0xFFFF, -1, 0}),
            "rank 2: MPI_Abort: the program ended the job with code 42");
}

}  // namespace
}  // namespace polyloom::mpi
