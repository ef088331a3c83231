// SPDX-License-Identifier: Apache-2.0
#include "apps/common/outcome.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/common/mapping_json.h"
#include "apps/common/values_file.h"
#include "fabric/error.h"
#include "fabric/host/progress_line.h"
#include "fabric/json_text.h"
#include "fabric/memory.h"
#include "fabric/partial_file.h"
#include "fabric/run/folder.h"
#include "polite/native/peers.h"

namespace polyloom::apps {
namespace {

using nlohmann::json;

/// The first `count` vertices by value; ties by number, unreachable ones left out.
std::vector<std::size_t> top_vertices(const Outcome& outcome, unsigned count) {
  std::vector<std::size_t> order;
  order.reserve(outcome.values.size());
  for (std::size_t v = 0; v < outcome.values.size(); ++v) {
    if (!std::isnan(outcome.values[v])) order.push_back(v);
  }
  const std::size_t n = std::min<std::size_t>(count, order.size());
  const auto before = [&](std::size_t a, std::size_t b) {
    if (outcome.values[a] != outcome.values[b])
      return (outcome.values[a] > outcome.values[b]) == outcome.largest_first;
    return a < b;
  };
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n), order.end(), before);
  order.resize(n);
  return order;
}

json value_json(const Input& input, const Outcome& outcome, std::size_t v) {
  if (!outcome.of_vertices) return outcome.values[v];
  const auto vertex = static_cast<std::uint32_t>(outcome.values[v]);
  return input.names.numeric() ? json(input.names.number(vertex)) : json(input.names[vertex]);
}

std::vector<std::string> notes_of(const Input& input, const Outcome& outcome) {
  std::vector<std::string> notes = input.notes;
  notes.insert(notes.end(), outcome.notes.begin(), outcome.notes.end());
  return notes;
}

/// Where the program runs; "cluster" if each FPGA does as the cluster file says.
std::string where() {
  const char* on = std::getenv("POLYLOOM_ON");
  return on != nullptr && *on != '\0' ? on : "cluster";
}

bool is_native() { return where() == "native"; }

json as_json(const Together& all) {
  return {{"count", all.count},
          {"hosts", all.hosts},
          {"supersteps", all.supersteps},
          {"bytes_sent", all.bytes_sent},
          {"bytes_bound", all.bytes_bound},
          {"exchange_seconds", all.seconds}};
}

json as_json(const Options& options, const Input& input, const Outcome& outcome) {
  json j;
  j["app"] = options.app;
  if (!options.mode.empty()) j["mode"] = options.mode;
  j["on"] = where();
  j["graph"] = input.description;
  j["format"] = input.format.empty() ? json() : json(input.format);
  j["packing"] = input.packing.empty() ? json() : json(input.packing);
  j["vertices"] = input.vertices;
  j["edges"] = input.edges.size();
  if (outcome.of_vertices) j["values_are"] = "vertices";
  j["load_wall_seconds"] = outcome.load_seconds;
  const HostLinkPhases& phases = outcome.phases;
  j["compute_simulated_seconds"] = is_native() ? json() : json(phases.compute);
  j["compute_wall_seconds"] = is_native() ? json(phases.compute) : json();
  if (!is_native()) {
    j["phases"] = {{"load_seconds", phases.load},
                   {"start_seconds", phases.start},
                   {"compute_seconds", phases.compute},
                   {"collect_seconds", phases.collect}};
  }
  for (const Fact& fact : outcome.facts)
    std::visit([&](const auto& value) { j[fact.name] = value; }, fact.value);
  j["notes"] = notes_of(input, outcome);
  if (!outcome.device.empty()) j["device"] = outcome.device;
  if (outcome.processes) j["processes"] = as_json(*outcome.processes);
  if (outcome.mapping) j["mapping"] = summary_of(*outcome.mapping, input.names);
  j["top"] = json::array();
  for (const std::size_t v : top_vertices(outcome, options.top)) {
    const auto vertex = static_cast<std::uint32_t>(v);
    json entry = {{"name", input.names[vertex]}, {"value", value_json(input, outcome, v)}};
    for (const Column& column : outcome.columns) {
      const double value = column.values[v];
      entry[column.name] = std::isnan(value)    ? json()
                           : column.of_vertices ? json(input.names[static_cast<std::uint32_t>(value)])
                                                : json(value);
    }
    j["top"].push_back(std::move(entry));
  }
  if (outcome.verification.done) {
    const Verification& check = outcome.verification;
    j["verified"] = check.ok;
    j["verify_l1"] = check.l1;
    j["verify_worst"] = check.worst;
    j["verify_criterion"] = check.criterion;
    j["verify_covers"] = check.covers;
  }
  return j;
}

void print_fact(const std::string& name, const std::string& value) {
  std::printf("%s: %s\n", name.c_str(), shown(value).c_str());
}
void print_fact(const std::string& name, double value) {
  if (std::isnan(value)) return print_fact(name, std::string("none"));
  std::printf("%s: %.9g\n", name.c_str(), value);
}

void print_verification(const Verification& check) {
  if (std::isinf(check.l1) && !check.ok) {
    std::printf("verification: FAILED (%s)\n", shown(check.criterion).c_str());
    return;
  }
  std::printf("verification: %s (%s; L1 %.3g, worst vertex %.3g; of %s)\n", check.ok ? "passed" : "FAILED",
              check.criterion.c_str(), check.l1, check.worst, check.covers.c_str());
}

std::string duration(double seconds) {
  char text[32];
  const bool long_one = seconds >= 1, short_one = seconds < 1e-3;
  std::snprintf(text, sizeof text, "%.6g %s",
                seconds * (long_one    ? 1
                           : short_one ? 1e6
                                       : 1e3),
                long_one    ? "s"
                : short_one ? "us"
                            : "ms");
  return text;
}

/// The time of the algorithm, and what else a cluster was busy with.
void print_time(const HostLinkPhases& phases) {
  if (is_native()) {
    std::printf("compute time: %.6f s of wall-clock time\n", phases.compute);
    return;
  }
  std::printf("compute time: %s simulated (load %s, start %s, collect %s)\n",
              duration(phases.compute).c_str(), duration(phases.load).c_str(), duration(phases.start).c_str(),
              duration(phases.collect).c_str());
}

void print(const Together& all) {
  std::printf("%u processes on %u host%s: %llu supersteps, %s sent (least: %s), %s in exchanges\n", all.count,
              all.hosts, all.hosts == 1 ? "" : "s", static_cast<unsigned long long>(all.supersteps),
              bytes_text(static_cast<double>(all.bytes_sent)).c_str(),
              bytes_text(static_cast<double>(all.bytes_bound)).c_str(), duration(all.seconds).c_str());
}

/// How the file was read; nothing of a made graph.
std::string taken_as(const Input& input) {
  if (input.format.empty()) return "";
  return " (" + input.format + (input.packing.empty() ? "" : ", " + input.packing) + ")";
}

void print(const Options& options, const Input& input, const Outcome& outcome) {
  std::printf("%s of %s%s: %u vertices, %zu edges\n", options.app.c_str(), input.description.c_str(),
              taken_as(input).c_str(), input.vertices, input.edges.size());
  int rank = 0;
  for (const std::size_t v : top_vertices(outcome, options.top)) {
    std::printf("%4d. %-28s %s\n", ++rank, shown(input.names[static_cast<std::uint32_t>(v)]).c_str(),
                shown(value_text(input, outcome, v)).c_str());
  }
  for (const Fact& fact : outcome.facts)
    std::visit([&](const auto& value) { print_fact(fact.name, value); }, fact.value);
  for (const std::string& note : notes_of(input, outcome)) std::printf("note: %s\n", shown(note).c_str());
  if (options.explain && outcome.mapping)
    std::fputs(explanation_of(*outcome.mapping, input.names).c_str(), stdout);
  print_time(outcome.phases);
  if (outcome.processes) print(*outcome.processes);
  if (outcome.verification.done) print_verification(outcome.verification);
}

}  // namespace

std::optional<Together> together() {
  polite::Peers* const peers = polite::processes();
  if (peers == nullptr) return {};
  const polite::Traffic& own = peers->traffic;
  std::uint64_t sums[] = {own.bytes, own.bound, static_cast<std::uint64_t>(own.seconds * 1e9)};
  peers->sum(sums);
  return Together{peers->size(), peers->hosts(), own.supersteps,
                  sums[0],       sums[1],        static_cast<double>(sums[2]) * 1e-9 / peers->size()};
}

void speak_no_more() {
  for (const char* variable : {"POLYLOOM_RUN_DIR", "POLYLOOM_COMPARE_FOLDER"}) ::unsetenv(variable);
  ::setenv("POLYLOOM_PROGRESS", "off", 1);
}

int finish(const Options& options, const Input& input, const Outcome& outcome) {
  if (!options.out.empty()) {
    const fabric::Heartbeat heartbeat("writing " + options.out);
    write_values(options.out, input, outcome);
  }
  if (!options.rows.empty()) write_rows(options.rows, outcome);
  const json j = as_json(options, input, outcome);
  if (const char* folder = std::getenv("POLYLOOM_RUN_DIR"); folder != nullptr && *folder != 0) {
    fabric::RunFolder record(folder, fabric::RunFolder::Use::add);
    fabric::write_whole(record.claim("result.json"), json_text(j, 2) + "\n");
    if (outcome.mapping) {
      const json mapping = record_of(*outcome.mapping, input.names);
      fabric::write_whole(record.claim("mapping.json"), json_text(mapping, 2) + "\n");
    }
  }
  if (options.json) {
    std::printf("%s\n", json_text(j).c_str());
  } else {
    print(options, input, outcome);
  }
  if (std::fflush(stdout) != 0)
    throw UserError(std::string("cannot write to standard output: ") + std::strerror(errno));
  return outcome.verification.done && !outcome.verification.ok ? 1 : 0;
}

std::string device_folder(const std::string& name) {
  const char* const given = std::getenv("POLYLOOM_DEVICE");
  const std::filesystem::path folder =
      given != nullptr && *given != '\0'
          ? std::filesystem::path(given)
          : std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "device";
  return (folder / name).string();
}

}  // namespace polyloom::apps
