// SPDX-License-Identifier: Apache-2.0
// A trace of a run in Chrome's JSON form, to look at in Perfetto: what each node does when, and how busy
// links are.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/time.h"

namespace polyloom::fabric {

struct TraceOptions {
  std::uint64_t max_bytes = 256ull << 20;  ///< size of the file; later events are left out and counted
  Time bucket = 1'000'000;                 ///< ps over which a link's occupancy is averaged
};

/// The file: a JSON object that is closed anew after each write, so it can be read however the run ends.
/// Thread safe.
class TraceFile {
 public:
  /// Throws UserError if the file cannot be written.
  TraceFile(std::string path, std::uint64_t max_bytes);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  /// Appends complete events, each one ",\n{...}"; `events` tells how many. Throws UserError when the disk is
  /// full, after restoring the file to its last valid state.
  void append(std::string_view text, std::uint64_t events);
  std::uint64_t left_out() const { return left_out_; }
  void finish();

 private:
  void write_at_end(std::string_view text);

  std::mutex mutex_;
  std::string path_;
  int fd_ = -1;
  std::uint64_t size_ = 0, max_bytes_, left_out_ = 0;
};

/// One group of rows: a node, or all links. Times are simulated. Each track has a buffer of its own and
/// belongs to one thread at a time: the one that advances its node.
class TraceTrack {
 public:
  TraceTrack(TraceFile& file, unsigned pid, std::string_view name);

  /// Something that lasted from `from` to `to`, on row `lane`.
  void complete(std::string_view what, Time from, Time to, unsigned lane = 0);
  /// Something that has no length.
  void instant(std::string_view what, Time at, unsigned lane = 0);
  /// A value that holds from `at` on, drawn as a graph named `what`.
  void counter(std::string_view what, Time at, double value);
  /// Names a row, e.g. lane 3 "core 3".
  void name_lane(unsigned lane, std::string_view name);
  void flush();

 private:
  void begin(char phase, std::string_view what, unsigned lane);
  void end();

  TraceFile& file_;
  unsigned pid_;
  std::string buffer_;
  std::uint64_t events_ = 0;
};

/// Share of time that a link is sending, averaged over buckets. Belongs to the sending node's thread.
class LinkTrace {
 public:
  LinkTrace(TraceFile& file, unsigned pid, std::string name, Time bucket);
  /// The serialiser is busy from `from` to `to`; calls come in order of time.
  void busy(Time from, Time to);
  void flush();

 private:
  void close_bucket();

  TraceTrack track_;
  std::string name_;
  Time bucket_;
  Time index_ = 0;        ///< bucket being filled
  Time busy_ = 0;         ///< ps of it that were busy
  Time last_share_ = -1;  ///< last value written, in hundredths of a per cent
};

/// The trace of one fabric. Make it, give it to Fabric::set_trace before nodes are made, keep it until after
/// run().
class Trace {
 public:
  explicit Trace(std::string path, TraceOptions options = {});
  ~Trace();

  /// The track of a node; owned by the trace.
  TraceTrack* add_track(std::string_view name);
  LinkTrace* add_link(std::string name);
  /// Writes what is buffered and a note on what was left out. The destructor does the same but swallows
  /// errors.
  void close();
  std::uint64_t left_out() const { return file_.left_out(); }

 private:
  TraceOptions options_;
  TraceFile file_;
  unsigned next_pid_ = 1;
  bool closed_ = false;
  std::vector<std::unique_ptr<TraceTrack>> tracks_;
  std::vector<std::unique_ptr<LinkTrace>> links_;
};

}  // namespace polyloom::fabric
