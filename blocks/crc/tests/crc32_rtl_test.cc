// SPDX-License-Identifier: Apache-2.0
// Covers: frames of random lengths, beats of every count anywhere in a frame, gaps of random length and none,
//         the cycle of the result, against the C++ model; prints frames and results for another reference
//         (zlib, in Python).
// Leaves out: error detection (crc32_test.cc). Compiled with WORDS. Usage: program SEED FRAMES
#include <cstdio>
#include <cstring>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "Vpolyloom_crc32.h"
#include "blocks/crc/sim/crc32.h"

namespace {

struct Expected {
  std::uint64_t cycle;
  std::uint32_t value;
};

std::string hex(std::uint64_t value, int digits) {
  char text[17];
  std::snprintf(text, sizeof text, "%0*llx", digits, (unsigned long long)value);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  std::mt19937_64 rng(argc > 1 ? std::stoull(argv[1]) : 1);
  const unsigned frames = argc > 2 ? static_cast<unsigned>(std::stoul(argv[2])) : 1000;
  Vpolyloom_crc32 top;
  std::deque<Expected> expected;
  std::uint64_t cycle = 0, beats = 0;
  const auto clock = [&] {
    top.clk_i = 0, top.eval();
    const bool due = !expected.empty() && expected.front().cycle == cycle;
    if (top.rst_ni && (top.crc_valid_o != due || (due && top.crc_o != expected.front().value))) {
      std::fprintf(stderr, "cycle %llu: valid %d, crc %08x, expected %08x\n", (unsigned long long)cycle,
                   top.crc_valid_o, top.crc_o, due ? expected.front().value : 0);
      std::exit(1);
    }
    if (due) expected.pop_front();
    top.clk_i = 1, top.eval();
    ++cycle;
  };
  top.rst_ni = 0, top.valid_i = 0;
  clock();
  top.rst_ni = 1;
  for (unsigned f = 0; f < frames; ++f) {
    polyloom::blocks::Crc32 model;
    std::string text;
    const unsigned gaps = rng() % 3;
    const std::uint64_t length = 1 + rng() % 20;
    for (std::uint64_t b = 0; b < length; ++b, ++beats) {
      // Beats of one frame are full, but for the last; others are tried too.
      const unsigned count = rng() % 2 != 0 ? WORDS : 1 + rng() % WORDS;
      std::uint64_t words[WORDS];
      for (unsigned w = 0; w < WORDS; ++w) words[w] = f % 10 == 0 ? 0 : rng();
      std::memcpy(&top.data_i, words, sizeof words);
      top.valid_i = 1, top.first_i = b == 0, top.count_i = count;
      for (unsigned w = 0; w < count; ++w) model.add_word(words[w]);
      for (unsigned w = 0; w < count; ++w) text += hex(words[w], 16);
      expected.push_back({cycle + 2, model.value()});
      clock();
      top.valid_i = 0, top.first_i = rng() & 1;
      for (std::uint64_t g = gaps == 0 ? 0 : rng() % (2 * gaps); g > 0; --g) clock();
    }
    std::printf("%s %s\n", text.c_str(), hex(model.value(), 8).c_str());
  }
  for (int i = 0; i < 4; ++i) clock();
  if (!expected.empty()) return std::fprintf(stderr, "results are missing\n"), 1;
  std::fprintf(stderr, "%u frames, %llu beats of up to %d words: equal\n", frames, (unsigned long long)beats,
               WORDS);
}
