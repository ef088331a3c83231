// SPDX-License-Identifier: Apache-2.0
#include "apps/common/answer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>

#include "fabric/error.h"

namespace polyloom::apps {
namespace {

using nlohmann::json;

std::string format_value(const Answer& answer, double value) {
  char text[64];
  if (std::isnan(value)) return "inf";
  if (answer.integral) {
    std::snprintf(text, sizeof text, "%.0f", value);
  } else {
    std::snprintf(text, sizeof text, "%.9g", value);
  }
  return text;
}

/// Writes a file whole or not at all; a pipe or a device is written as it stands.
void write_file(const std::string& path, const std::string& text) {
  std::error_code none;
  const bool in_place = std::filesystem::exists(path, none) && !std::filesystem::is_regular_file(path, none);
  const std::string partial = in_place ? path : path + ".partial";
  const auto fail = [&](const char* what) {
    const std::string cause = std::strerror(errno);
    if (!in_place) ::unlink(partial.c_str());
    throw UserError(std::string("cannot ") + what + " " + path + ": " + cause);
  };
  std::FILE* file = std::fopen(partial.c_str(), "w");
  if (file == nullptr) fail("write");
  const bool written =
      std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
  if (std::fclose(file) != 0 || !written) fail("write");
  if (!in_place && std::rename(partial.c_str(), path.c_str()) != 0) fail("rename to");
}

std::string csv(const Answer& answer) {
  std::string text = "vertex,value\n";
  text.reserve(answer.values.size() * 20);
  for (std::size_t v = 0; v < answer.values.size(); ++v) {
    text += std::to_string(v) + ',' + format_value(answer, answer.values[v]) + '\n';
  }
  return text;
}

/// The first `count` vertices by value; ties by number, unreachable ones left out.
std::vector<std::size_t> top_vertices(const Answer& answer, unsigned count) {
  std::vector<std::size_t> order;
  order.reserve(answer.values.size());
  for (std::size_t v = 0; v < answer.values.size(); ++v) {
    if (!std::isnan(answer.values[v])) order.push_back(v);
  }
  const std::size_t n = std::min<std::size_t>(count, order.size());
  const auto before = [&](std::size_t a, std::size_t b) {
    if (answer.values[a] != answer.values[b])
      return (answer.values[a] > answer.values[b]) == answer.largest_first;
    return a < b;
  };
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n), order.end(), before);
  order.resize(n);
  return order;
}

std::string vertex_name(const Input& input, std::size_t v) {
  return v < input.names.size() ? input.names[v] : std::to_string(v);
}

/// Where the program runs; "cluster" if each FPGA does as the cluster file says.
std::string where() {
  const char* on = std::getenv("POLYLOOM_ON");
  return on != nullptr && *on != '\0' ? on : "cluster";
}

bool is_native() { return where() == "native"; }

json as_json(const Options& options, const Input& input, const Answer& answer) {
  json j;
  j["app"] = options.app;
  if (!options.mode.empty()) j["mode"] = options.mode;
  j["on"] = where();
  j["graph"] = input.description;
  j["vertices"] = input.vertices;
  j["edges"] = input.edges.size();
  j["load_wall_seconds"] = answer.load_seconds;
  j["compute_simulated_seconds"] = is_native() ? json() : json(answer.seconds);
  j["compute_wall_seconds"] = is_native() ? json(answer.seconds) : json();
  for (const auto& [name, value] : answer.facts) j[name] = value;
  j["top"] = json::array();
  for (const std::size_t v : top_vertices(answer, options.top)) {
    j["top"].push_back({{"vertex", v}, {"name", vertex_name(input, v)}, {"value", answer.values[v]}});
  }
  if (answer.verification.done) {
    const Verification& check = answer.verification;
    j["verified"] = check.ok;
    j["verify_l1"] = check.l1;
    j["verify_worst"] = check.worst;
    j["verify_criterion"] = check.criterion;
  }
  return j;
}

void print(const Options& options, const Input& input, const Answer& answer) {
  std::printf("%s of %s: %u vertices, %zu edges\n", options.app.c_str(), input.description.c_str(),
              input.vertices, input.edges.size());
  int rank = 0;
  for (const std::size_t v : top_vertices(answer, options.top)) {
    std::printf("%4d. %-28s %s\n", ++rank, vertex_name(input, v).c_str(),
                format_value(answer, answer.values[v]).c_str());
  }
  for (const auto& [name, value] : answer.facts) std::printf("%s: %.9g\n", name.c_str(), value);
  std::printf("%s: %.6f s\n", is_native() ? "wall-clock time" : "simulated time", answer.seconds);
  if (answer.verification.done) {
    const Verification& check = answer.verification;
    std::printf("verification: %s (%s; L1 %.3g, worst vertex %.3g)\n", check.ok ? "passed" : "FAILED",
                check.criterion.c_str(), check.l1, check.worst);
  }
}

}  // namespace

int finish(const Options& options, const Input& input, const Answer& answer) {
  if (!options.out.empty()) write_file(options.out, csv(answer));
  const json j = as_json(options, input, answer);
  if (const char* folder = std::getenv("POLYLOOM_RUN_DIR"); folder != nullptr && *folder != 0) {
    write_file(std::string(folder) + "/result.json", j.dump(2) + "\n");
  }
  if (options.json) {
    std::printf("%s\n", j.dump().c_str());
  } else {
    print(options, input, answer);
  }
  if (std::fflush(stdout) != 0)
    throw UserError(std::string("cannot write to standard output: ") + std::strerror(errno));
  return answer.verification.done && !answer.verification.ok ? 1 : 0;
}

std::string device_file(const std::string& name, const std::string& file) {
  const auto self = std::filesystem::read_symlink("/proc/self/exe");
  return (self.parent_path().parent_path() / "device" / name / file).string();
}

}  // namespace polyloom::apps
