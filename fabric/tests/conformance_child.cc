// SPDX-License-Identifier: Apache-2.0
// The other side of ProcessNode: responds to each 64-bit number x on its input with 3x + (calls so far).
#include <unistd.h>

#include <cstdint>

int main() {
  std::uint64_t x = 0;
  for (std::uint64_t calls = 0; ::read(0, &x, sizeof x) == sizeof x; ++calls) {
    x = 3 * x + calls;
    if (::write(1, &x, sizeof x) != sizeof x) return 1;
  }
  return 0;
}
