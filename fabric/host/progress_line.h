// SPDX-License-Identifier: Apache-2.0
// How far a long run is, on standard error: one line that is rewritten where a person looks at it, now and
// then a line of its own where a log is written. Nothing in the first seconds, and nothing at all with
// POLYLOOM_PROGRESS=off. The twin in Python, with the same times and the same form, is
// polyloom/base/progress.py.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

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

/// Says what goes on for as long as this lives: since when, and how far it is where that is known. A thread
/// shows it, so that one long call is no silence.
class Heartbeat {
 public:
  explicit Heartbeat(std::string what);
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  /// So much of `total` is done; a total of 0: not known.
  void at(std::uint64_t done, std::uint64_t total) {
    total_ = total;
    done_ = done;
  }
  /// The line after so many seconds.
  std::string text(double seconds) const;

 private:
  std::string what_;
  std::atomic<std::uint64_t> done_{0}, total_{0};
  std::mutex mutex_;  ///< of ended_
  std::condition_variable changed_;
  bool ended_ = false;
  std::thread thread_;
};

/// "45 s", "12 min", "3 h".
std::string short_duration(double seconds);

/// "1.23 MB": three digits, and the unit with its prefix.
std::string short_number(double value, const std::string& unit = "");

}  // namespace polyloom::fabric
