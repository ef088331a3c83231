// SPDX-License-Identifier: Apache-2.0
#include "sim/progress.h"

#include <algorithm>
#include <cstdio>

namespace polyloom::simulator {
namespace {

using fabric::short_duration;
using fabric::short_number;

std::string milliseconds(fabric::Time time) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3f ms", static_cast<double>(time) / 1e9);
  return text;
}

/// What programs have done, as far as nodes count it.
std::string work(const fabric::Fabric& fabric) {
  std::uint64_t instructions = 0, supersteps = 0, words = 0;
  fabric.counters([&](std::string_view name, std::uint64_t value) {
    if (name.ends_with(".instret") || name.ends_with(".instructions")) instructions += value;
    if (name.ends_with(".barriers"))
      supersteps = std::max(supersteps, value);  // each board counts the same ones
    if (name.starts_with("link.") && name.ends_with(".words")) words += value;
  });
  std::string text;
  if (instructions != 0) text += ", " + short_number(static_cast<double>(instructions)) + " instructions";
  if (supersteps != 0) text += ", " + std::to_string(supersteps) + " supersteps";
  return text + ", " + short_number(8 * static_cast<double>(words), "B") + " over links";
}

}  // namespace

std::string Progress::text(fabric::Time now, double seconds) {
  const double simulated = static_cast<double>(now - last_) / static_cast<double>(fabric::kPicosPerSecond);
  const double wall = std::max(seconds - last_seconds_, 1e-6);
  std::string text = "simulated " + milliseconds(now) + work(fabric_) + "; " +
                     short_number(simulated * static_cast<double>(clock_hz_) / wall) + " cycles/s";
  if (limit_ != fabric::kNever && limit_ > 0) {
    const double done = static_cast<double>(now) / static_cast<double>(limit_);
    text += "; " + std::to_string(static_cast<int>(100 * done)) + " % of the limit";
    if (now > last_) {
      text += ", at most " +
              short_duration(static_cast<double>(limit_ - now) / static_cast<double>(now - last_) * wall) +
              " left";
    }
  }
  last_ = now;
  last_seconds_ = seconds;
  return text;
}

}  // namespace polyloom::simulator
