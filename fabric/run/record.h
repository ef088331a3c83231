// SPDX-License-Identifier: Apache-2.0
// The folder that every run leaves: all of it or nothing (docs/design.md, section 4.8).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fabric/phases.h"
#include "fabric/run/folder.h"
#include "fabric/time.h"

namespace polyloom::fabric {

/// Files are written into FOLDER/.partial, from where commit() puts them into FOLDER, run.json last; the
/// destructor removes what was not committed. FOLDER is a RunFolder: an earlier record of that name is
/// replaced, and a folder with a file that is not ours is refused. Every failure is a UserError that names
/// the file and the cause (a full disk: what to do about it).
class RunRecord {
 public:
  /// Makes the working folder, so that what cannot be written is known before the run.
  explicit RunRecord(std::string folder);
  ~RunRecord();
  RunRecord(const RunRecord&) = delete;
  RunRecord& operator=(const RunRecord&) = delete;

  /// Where to put a file that something else writes (a trace), to be committed with the rest.
  std::string path(const std::string& name) const { return partial_ + "/" + name; }
  /// Writes a whole file and makes sure that it reached the disk.
  void write(const std::string& name, std::string_view text);
  /// The record appears under its name.
  void commit();
  const std::string& folder() const { return folder_.path(); }

 private:
  RunFolder folder_;
  std::string partial_;
  bool committed_ = false;
};

/// What run.json says. Times with suffix; absent facts are left out.
struct RunFacts {
  std::string status;   ///< "finished", "deadlock", "limit", "fault", "interrupted", "client left"
  std::string message;  ///< what the user was told, if it did not finish
  std::vector<std::string> command;               ///< of the simulator
  std::vector<std::vector<std::string>> clients;  ///< command lines of the host programs
  std::string cluster, cluster_file, topology, fidelity, link_latencies;
  std::string engine;        ///< "serial", "threads:2", "mpi:3"
  std::string load;          ///< "backdoor" if host programs shared the memories' files, else empty
  bool timing_only = false;  ///< a node kept no contents of its memories: data are no result
  std::uint64_t seed = 0;
  std::string started;  ///< UTC, ISO 8601
  double wall_seconds = 0;
  Time end = 0;
  std::vector<PhaseMark> phases;   ///< that a host program named
  std::optional<Time> phases_end;  ///< where its last one ended; none: `end`
  std::uint64_t digest = 0, windows = 0;
  std::vector<std::string> waiting;  ///< "NODE: what it waits for"
  std::vector<std::string> files;    ///< of the record
};

std::string run_json(const RunFacts& facts);

/// "name,value" lines under that header, in the given order.
std::string counters_csv(const std::vector<std::pair<std::string, std::uint64_t>>& counters);

/// Rows of named tables, as Node::tables gives them, collected into one text for each table.
class TableCollector {
 public:
  void add(std::string_view table, std::string_view header, std::string_view row);
  /// (table, CSV text), in order of first appearance.
  const std::vector<std::pair<std::string, std::string>>& tables() const { return tables_; }

 private:
  std::vector<std::pair<std::string, std::string>> tables_;
};

/// "0.1.0", and the commit that the program was built from ("unknown" outside a checkout, "+" if it was
/// changed).
const char* polyloom_version();
const char* polyloom_commit();
/// The time now: "2026-01-31T12:00:00Z".
std::string utc_now();

}  // namespace polyloom::fabric
