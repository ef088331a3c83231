// SPDX-License-Identifier: Apache-2.0
#include "fabric/host/progress_line.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace polyloom::fabric {
namespace {

constexpr double kFirst = 2;    // s
constexpr double kAgain = 0.5;  // s, on a terminal
// In a log, which a flood of lines would fill: a line every five seconds, then whenever a quarter more time
// has passed.
constexpr double kLog = 5, kLogShare = 0.25;
constexpr auto kLook = std::chrono::milliseconds(250);  // how often a heartbeat asks whether a line is due

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool wanted() {
  const char* word = std::getenv("POLYLOOM_PROGRESS");
  return word == nullptr || std::string_view(word) != "off";
}

}  // namespace

ProgressLine::ProgressLine()
    : terminal_(::isatty(STDERR_FILENO) == 1), shown_at_all_(wanted()), begin_(now()), next_(kFirst) {}

ProgressLine::~ProgressLine() { clear(); }

double ProgressLine::seconds() const { return now() - begin_; }

void ProgressLine::show(const std::string& text) {
  std::fprintf(stderr, terminal_ ? "\r%s\033[K" : "polyloom: %s\n", text.c_str());
  std::fflush(stderr);
  drawn_ = terminal_;
  next_ = seconds() + (terminal_ ? kAgain : std::max(kLog, kLogShare * seconds()));
}

void ProgressLine::clear() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

Heartbeat::Heartbeat(std::string what) : what_(std::move(what)) {
  thread_ = std::thread([this] {
    ProgressLine line;
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, kLook, [this] { return ended_; })) {
      if (line.due()) line.show(text(line.seconds()));
    }
  });
}

Heartbeat::~Heartbeat() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

std::string Heartbeat::text(double seconds) const {
  const auto done = static_cast<double>(done_), total = static_cast<double>(total_);
  std::string text = what_;
  if (total > 0) text += ", " + std::to_string(static_cast<int>(100 * done / total)) + " %";
  text += ", " + short_duration(seconds);
  if (total > 0 && done > 0) text += ", about " + short_duration(seconds * (total - done) / done) + " left";
  return text;
}

std::string short_duration(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  if (whole < 120) return std::to_string(whole) + " s";
  if (whole < 7200) return std::to_string(whole / 60) + " min";
  return std::to_string(whole / 3600) + " h";
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
