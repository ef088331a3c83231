// SPDX-License-Identifier: Apache-2.0
#include "fabric/host/progress_line.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace polyloom::fabric {
namespace {

constexpr double kFirst = 2, kAgain = 0.5;          // s, on a terminal
constexpr double kFirstLine = 10, kAgainLine = 30;  // s, elsewhere

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool wanted() {
  const char* word = std::getenv("POLYLOOM_PROGRESS");
  return word == nullptr || std::string_view(word) != "off";
}

}  // namespace

ProgressLine::ProgressLine()
    : terminal_(::isatty(STDERR_FILENO) == 1),
      shown_at_all_(wanted()),
      begin_(now()),
      next_(terminal_ ? kFirst : kFirstLine) {}

ProgressLine::~ProgressLine() { clear(); }

double ProgressLine::seconds() const { return now() - begin_; }

void ProgressLine::show(const std::string& text) {
  std::fprintf(stderr, terminal_ ? "\r%s\033[K" : "%s\n", text.c_str());
  std::fflush(stderr);
  drawn_ = terminal_;
  next_ = seconds() + (terminal_ ? kAgain : kAgainLine);
}

void ProgressLine::clear() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

std::string short_number(double value, const std::string& unit) {
  static constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T", "P"};
  std::size_t prefix = 0;
  while (value >= 999.5 && prefix + 1 < std::size(kPrefixes)) value /= 1000, ++prefix;
  const int digits = prefix == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  const std::string of = kPrefixes[prefix] + unit;
  return text + (of.empty() ? of : " " + of);
}

}  // namespace polyloom::fabric
