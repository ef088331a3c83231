// SPDX-License-Identifier: Apache-2.0
// Random mutations of a description of a cluster, for tests of its readers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace polyloom::fabric::testing {

/// Changes bytes, words and pieces of a text: mutator(text), again and again.
class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::string operator()(std::string text) {
    for (int n = 1 + below(3); n > 0; --n) change(text);
    return text;
  }

 private:
  int below(std::size_t n) { return static_cast<int>(random_() % n); }

  void change(std::string& text) {
    static const std::vector<std::string> words = {"-1",
                                                   "0",
                                                   "99999999999999999999",
                                                   "\"\"",
                                                   "[]",
                                                   "{}",
                                                   "true",
                                                   "nan",
                                                   "inf",
                                                   "1e308",
                                                   "[[node]]\n",
                                                   "[link]\n",
                                                   "\"explicit\"",
                                                   "\"star\"",
                                                   "\"hypercube\"",
                                                   "[4095, 2]",
                                                   "\"0 ns\"",
                                                   "\n",
                                                   "\"",
                                                   "'''",
                                                   "=",
                                                   ".",
                                                   "\\u0000",
                                                   "[",
                                                   "clocks = { core = \"1 Hz\" }\n",
                                                   "[[connect]]\na = \"x:0\"\n",
                                                   "{\"nodes\":",
                                                   "[1,[2]]",
                                                   "\"1 - 4000\""};
    if (text.empty()) text = "x";
    const auto at = static_cast<std::size_t>(below(text.size()));
    switch (below(6)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        return;
      case 1:
        text.erase(at, static_cast<std::size_t>(below(20)));
        return;
      case 2:
        text.insert(at, words[static_cast<std::size_t>(below(words.size()))]);
        return;
      case 3: {  // replace what follows an '='
        const std::size_t equals = text.find('=', at);
        if (equals == std::string::npos) return;
        const std::size_t end = std::min(text.find('\n', equals), text.size());
        text.replace(equals + 1, end - equals - 1, words[static_cast<std::size_t>(below(words.size()))]);
        return;
      }
      case 4: {  // repeat a piece elsewhere
        const std::string piece = text.substr(at, static_cast<std::size_t>(below(60)));
        text.insert(static_cast<std::size_t>(below(text.size())), piece);
        return;
      }
      default:
        text.resize(at);
    }
  }

  std::mt19937_64 random_;
};

}  // namespace polyloom::fabric::testing
