// SPDX-License-Identifier: Apache-2.0
// How far a long run is, on standard error: one line that is rewritten where a person looks at it, now and
// then a line of its own where a log is written. Nothing in the first two seconds, and nothing at all with
// POLYLOOM_PROGRESS=off.
#pragma once

#include <string>

namespace polyloom::fabric {

/// Not thread safe. The line is removed when this goes.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Seconds since this was made.
  double seconds() const;
  /// Whether something should be shown now; cheap enough to be asked often.
  bool due() const { return shown_at_all_ && seconds() >= next_; }
  /// Shows a line, which has no newline.
  void show(const std::string& text);
  /// Takes the line off a terminal, so that something else can be said.
  void clear();

 private:
  bool terminal_, shown_at_all_, drawn_ = false;
  double begin_, next_;
};

/// "1.23 MB": three digits, and the unit with its prefix.
std::string short_number(double value, const std::string& unit = "");

}  // namespace polyloom::fabric
