// SPDX-License-Identifier: Apache-2.0
// What an application says at its end: to a person, to a machine, and into files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/common/input.h"
#include "apps/common/options.h"

namespace polyloom::apps {

/// Result of an independent computation of the same thing.
struct Verification {
  bool done = false;
  bool ok = false;
  double l1 = 0;          ///< sum of absolute differences
  double worst = 0;       ///< largest difference of one vertex
  std::string criterion;  ///< what was asked for, in words
};

/// Everything about a finished run. Values print with 9 significant digits; NaN stands for "no value" and
/// prints as "inf" (an unreachable vertex).
struct Answer {
  std::vector<double> values;  ///< by vertex
  bool integral = false;       ///< values are integers
  bool largest_first = true;   ///< order of the top list
  double seconds = 0;          ///< between go and the last answer: simulated, or wall time when native
  double load_seconds = 0;     ///< wall: reading, mapping, writing
  std::vector<std::pair<std::string, double>> facts;  ///< more figures, name and value
  Verification verification;
};

/// Prints, writes --out and the run folder's result.json. Returns the exit status: 0, or 1 if a verification
/// failed.
int finish(const Options& options, const Input& input, const Answer& answer);

/// Where the application's device program lies: ".../build/device/NAME/FILE", seen from the running
/// executable.
std::string device_file(const std::string& name, const std::string& file);

}  // namespace polyloom::apps
