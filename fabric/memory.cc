// SPDX-License-Identifier: Apache-2.0
#include "fabric/memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>

#include "fabric/error.h"

namespace polyloom {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// The number that a small file of the system holds; nothing if it is missing or says "max".
std::optional<double> number_in(const std::string& file) {
  std::ifstream in(file);
  double value = 0;
  if (!(in >> value)) return std::nullopt;
  return value;
}

/// The number after `key` in a file of "key number" lines; 0 without it.
double field_of(const std::string& file, const std::string& key) {
  std::ifstream in(file);
  std::string word;
  double value = 0;
  while (in >> word) {
    if (word == key && in >> value) return value;
  }
  return 0;
}

double available() {
  const double kib = field_of("/proc/meminfo", "MemAvailable:");
  return kib > 0 ? kib * 1024 : kNoLimit;
}

struct GroupFiles {
  const char *limit, *used, *reclaimable;
};

/// What the limits of a control group and of those above it leave. Files that the group has read count as
/// used, but give way.
double left_in(const std::string& root, std::string path, const GroupFiles& files) {
  double least = kNoLimit;
  for (;;) {
    const std::string folder = root + path + "/";
    const auto limit = number_in(folder + files.limit), used = number_in(folder + files.used);
    if (limit && used)
      least = std::min(least, *limit - *used + field_of(folder + "memory.stat", files.reclaimable));
    if (path.empty()) return least;
    path.resize(path.find_last_of('/'));
  }
}

double group_leaves() {
  static constexpr GroupFiles kFirst = {"memory.limit_in_bytes", "memory.usage_in_bytes",
                                        "total_inactive_file"};
  static constexpr GroupFiles kSecond = {"memory.max", "memory.current", "inactive_file"};
  double least = kNoLimit;
  std::ifstream in("/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {  // "NUMBER:CONTROLLERS:PATH"
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    std::string path = line.substr(second + 1);
    if (path == "/" || path[0] != '/') path.clear();
    if (controllers.empty()) least = std::min(least, left_in("/sys/fs/cgroup", path, kSecond));
    if (controllers == "memory") least = std::min(least, left_in("/sys/fs/cgroup/memory", path, kFirst));
  }
  return least;
}

double address_space_leaves() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kNoLimit;
  const double pages = number_in("/proc/self/statm").value_or(0);
  return static_cast<double>(limit.rlim_cur) - pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

double memory_there() {
  return std::max(0.0, std::min({available(), group_leaves(), address_space_leaves()}));
}

std::string bytes_text(double bytes) {
  static constexpr const char* kUnits[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  for (; bytes >= 1000 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1000;
  char text[48];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", bytes, kUnits[unit]);
  return text;
}

void require_memory(double bytes, const std::string& what) {
  const double there = memory_there();
  if (bytes <= there) return;
  throw UserError(what + " needs " + bytes_text(bytes) + " of memory; " + bytes_text(there) + " are there");
}

}  // namespace polyloom
