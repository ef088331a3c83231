// SPDX-License-Identifier: Apache-2.0
// Covers: console output (what each conversion prints, a UART that is often busy) and the memory functions
// against the C library's. Leaves out: the code as compiled for RISC-V (compat/tinsel/tests runs it).
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

extern "C" {
int device_putchar(int c);
int device_puts(const char* s);
int device_puthex(unsigned x);
int device_printf(const char* format, ...);
void* device_memcpy(void* to, const void* from, std::size_t n);
void* device_memmove(void* to, const void* from, std::size_t n);
void* device_memset(void* to, int c, std::size_t n);
int device_memcmp(const void* a, const void* b, std::size_t n);

static std::string uart;
static unsigned busy = 0;
uint32_t tinselUartTryPut(uint8_t byte) {
  if (++busy % 3 != 0) return 0;
  uart += static_cast<char>(byte);
  return 1;
}
}

namespace {

template <class... Args>
std::string printed(const char* format, Args... args) {
  uart.clear();
  const int n = device_printf(format, args...);
  EXPECT_EQ(static_cast<std::size_t>(n), uart.size()) << format;
  return uart;
}

TEST(Console, PrintsHexWithEightDigits) {  // docs/sources/tinsel.md, 2
  EXPECT_EQ(printed("H:%x,M:%x", 0x1au, 0xdeadbeefu), "H:0000001a,M:deadbeef");
  EXPECT_EQ(printed("%x", 0u), "00000000");
}

TEST(Console, PrintsStringsAndAdditions) {
  EXPECT_EQ(printed("%s and %s\n", "a", ""), "a and \n");
  EXPECT_EQ(printed("%d %d %d", 0, -2147483647 - 1, 2147483647), "0 -2147483648 2147483647");
  EXPECT_EQ(printed("%u%c%%", 4294967295u, '!'), "4294967295!%");
  EXPECT_EQ(printed("%q%"), "%q%");
}

TEST(Console, PutsAddsNoNewline) {
  uart.clear();
  device_puts("one");
  device_putchar('-');
  device_puthex(255);
  EXPECT_EQ(uart, "one-000000ff");
}

TEST(Memory, BehavesAsTheCLibrary) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<std::uint8_t> ours(96), theirs;
    for (auto& byte : ours) byte = static_cast<std::uint8_t>(random());
    theirs = ours;
    const std::size_t n = random() % 40, from = random() % 48, to = random() % 48, far = 48 + random() % 8;
    const int fill = static_cast<int>(random());
    device_memmove(&ours[to], &ours[from], n);
    std::memmove(&theirs[to], &theirs[from], n);
    device_memset(&ours[from], fill, n);
    std::memset(&theirs[from], fill, n);
    device_memcpy(&ours[far], &ours[from % 8], n);
    std::memcpy(&theirs[far], &theirs[from % 8], n);
    ASSERT_EQ(ours, theirs);
    const auto sign = [](int x) { return (x > 0) - (x < 0); };
    ASSERT_EQ(sign(device_memcmp(&ours[from], &ours[to], n)), sign(std::memcmp(&ours[from], &ours[to], n)));
  }
}

}  // namespace
