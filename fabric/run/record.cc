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

namespace polyloom::fabric {
namespace fs = std::filesystem;
namespace {

// A record, or what an earlier program left of one: safe to replace.
bool is_record(const fs::path& folder) {
  std::error_code error;
  return fs::is_regular_file(folder / "run.json", error) || fs::is_empty(folder, error);
}

[[noreturn]] void fail(const std::string& folder, const std::string& what, int error) {
  std::string message = "run record \"" + folder + "\": cannot " + what + ": " + std::strerror(error);
  if (error == ENOSPC || error == EFBIG || error == EDQUOT) {
    message +=
        "; nothing was left there; free some space or choose another folder (--run-dir, POLYLOOM_RUN_DIR)";
  }
  throw UserError(message);
}

}  // namespace

RunRecord::RunRecord(std::string folder) : folder_(std::move(folder)) {
  while (folder_.size() > 1 && folder_.back() == '/') folder_.pop_back();
  if (folder_.empty()) throw UserError("run record: the folder's name is empty");
  std::error_code error;
  if (fs::exists(folder_, error) && !(fs::is_directory(folder_, error) && is_record(folder_))) {
    throw UserError(
        "run record \"" + folder_ +
        "\": this exists and is not a run record; allowed: a new name, an empty folder, or a folder with "
        "a run.json");
  }
  const fs::path parent = fs::absolute(folder_, error).parent_path();
  fs::create_directories(parent, error);
  partial_ = folder_ + ".partial-" + std::to_string(::getpid());
  fs::remove_all(partial_, error);
  if (::mkdir(partial_.c_str(), 0777) != 0) fail(folder_, "make " + partial_, errno);
}

RunRecord::~RunRecord() {
  if (committed_) return;
  std::error_code error;
  fs::remove_all(partial_, error);
}

void RunRecord::write(const std::string& name, std::string_view text) {
  const std::string file = path(name);
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) fail(folder_, "create " + name, errno);
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
  if (error != 0) fail(folder_, "write " + name, error);
}

void RunRecord::commit() {
  const std::string old = folder_ + ".old-" + std::to_string(::getpid());
  std::error_code ignored;
  const bool replaces = fs::exists(folder_, ignored);
  if (replaces && ::rename(folder_.c_str(), old.c_str()) != 0)
    fail(folder_, "replace the earlier record", errno);
  if (::rename(partial_.c_str(), folder_.c_str()) != 0) {
    const int error = errno;
    if (replaces) ::rename(old.c_str(), folder_.c_str());
    fail(folder_, "rename " + partial_, error);
  }
  committed_ = true;
  if (replaces) fs::remove_all(old, ignored);
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
  out["simulated_seconds"] = static_cast<double>(facts.end) / static_cast<double>(kPicosPerSecond);
  out["windows"] = facts.windows;
  out["digest"] = digest;
  out["reproducible"] = true;
  if (!facts.waiting.empty()) out["waiting"] = facts.waiting;
  out["files"] = facts.files;
  return out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
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
