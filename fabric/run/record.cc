// SPDX-License-Identifier: Apache-2.0
#include "fabric/run/record.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "fabric/error.h"
#include "fabric/json_text.h"

namespace polyloom::fabric {
namespace fs = std::filesystem;
namespace {

constexpr const char* kRunJson = "run.json";

[[noreturn]] void fail(const std::string& folder, const std::string& what, int error) {
  std::string message = "run record \"" + folder + "\": cannot " + what + ": " + std::strerror(error);
  if (error == ENOSPC || error == EFBIG || error == EDQUOT) {
    message +=
        "; nothing was left there; free some space or choose another folder (--run-dir, POLYLOOM_RUN_DIR)";
  }
  throw UserError(message);
}

/// What simulated_seconds contains, whatever ran.
constexpr const char* kSpan =
    "from reset to the end of the last host program: loading, starting and reading back are in it";

double seconds(Time t) { return static_cast<double>(t) / static_cast<double>(kPicosPerSecond); }

}  // namespace

RunRecord::RunRecord(std::string folder) : folder_(std::move(folder), RunFolder::Use::replace) {
  folder_.remove_partial();  // of a run that was killed
  partial_ = folder_.claim(std::string(RunFolder::kPartial) + "/");
  if (::mkdir(partial_.c_str(), 0777) != 0) fail(folder_.path(), "make " + partial_, errno);
}

RunRecord::~RunRecord() {
  if (committed_) return;
  try {
    folder_.remove_partial();
    folder_.give_up();
  } catch (const UserError&) {
    // What led here is told already, and the earlier record stays in RunFolder::kPrevious.
  }
}

void RunRecord::write(const std::string& name, std::string_view text) {
  const std::string file = path(name);
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) fail(folder_.path(), "create " + name, errno);
  int error = 0;
  while (!text.empty() && error == 0) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n >= 0) {
      text.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  // Some file systems tell only now that the disk is full.
  if (error == 0 && ::fsync(fd) != 0 && errno != EINVAL && errno != EROFS) error = errno;
  if (::close(fd) != 0 && error == 0 && errno != EINTR) error = errno;
  if (error != 0) fail(folder_.path(), "write " + name, error);
}

// run.json comes last and goes first: a folder with one is whole.
void RunRecord::commit() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(partial_)) {
    if (const std::string name = entry.path().filename().string(); name != kRunJson) names.push_back(name);
  }
  if (fs::exists(path(kRunJson))) names.emplace_back(kRunJson);
  for (const std::string& name : names) folder_.claim(name);
  ::unlink((folder_.path() + "/" + kRunJson).c_str());
  for (const std::string& name : names) {
    if (::rename(path(name).c_str(), (folder_.path() + "/" + name).c_str()) != 0)
      fail(folder_.path(), "put " + name + " in place", errno);
  }
  ::rmdir(partial_.c_str());
  committed_ = true;
  folder_.release();
}

std::string run_json(const RunFacts& facts) {
  char digest[17];
  std::snprintf(digest, sizeof digest, "%016llx", static_cast<unsigned long long>(facts.digest));
  nlohmann::ordered_json out;
  out["polyloom"] = {{"version", polyloom_version()}, {"commit", polyloom_commit()}};
  out["status"] = facts.status;
  if (!facts.message.empty()) out["message"] = facts.message;
  out["command"] = facts.command;
  out["clients"] = facts.clients;
  out["cluster"] = {{"name", facts.cluster},
                    {"file", facts.cluster_file},
                    {"topology", facts.topology},
                    {"link_latencies", facts.link_latencies}};
  out["fidelity"] = facts.fidelity;
  out["engine"] = facts.engine;
  if (!facts.load.empty()) out["load"] = facts.load;
  if (facts.timing_only) out["timing_only"] = true;
  out["seed"] = facts.seed;
  out["started"] = facts.started;
  out["wall_seconds"] = facts.wall_seconds;
  out["simulated_ps"] = facts.end;
  out["simulated_seconds"] = seconds(facts.end);
  out["simulated_span"] = kSpan;
  for (const auto& [name, length] : phase_lengths(facts.phases, facts.phases_end.value_or(facts.end))) {
    out["phases"][name + "_seconds"] = seconds(length);
  }
  out["windows"] = facts.windows;
  out["digest"] = digest;
  out["reproducible"] = true;
  if (!facts.waiting.empty()) out["waiting"] = facts.waiting;
  out["files"] = facts.files;
  return json_text(out, 2) + "\n";
}

std::string counters_csv(const std::vector<std::pair<std::string, std::uint64_t>>& counters) {
  std::string out = "name,value\n";
  for (const auto& [name, value] : counters) out += name + "," + std::to_string(value) + "\n";
  return out;
}

void TableCollector::add(std::string_view table, std::string_view header, std::string_view row) {
  for (auto& [name, text] : tables_) {
    if (name != table) continue;
    text.append(row) += '\n';
    return;
  }
  tables_.emplace_back(table, std::string(header) + "\n" + std::string(row) + "\n");
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace polyloom::fabric
