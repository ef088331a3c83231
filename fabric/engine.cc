// SPDX-License-Identifier: Apache-2.0
#include "fabric/engine.h"

#include <algorithm>
#include <chrono>
#include <sstream>
#include <stdexcept>

#include "fabric/error.h"
#include "fabric/fabric.h"
#include "fabric/processes.h"
#include "fabric/team.h"

namespace polyloom::fabric {

void link_counters(const Link& link, const CounterSink& sink);  // fabric.cc

ProcessesFactory& processes_factory() {
  static ProcessesFactory factory;
  return factory;
}

/// One call of run(): the loop over windows, then the account of it. The loop takes its decisions from merged
/// outcomes only, so every engine and every process takes the same ones.
class RunState {
 public:
  RunState(Fabric& fabric, const EngineOptions& options)
      : fabric_(fabric),
        options_(options),
        team_(fabric, options.kind == EngineKind::serial ? 1 : options.threads) {
    if (options.kind == EngineKind::mpi) processes_ = processes_factory()(fabric);
    next_progress_ = begin_;
  }

  RunResult run() {
    try {
      do {
        result_.reason = loop();
        fabric_.now_ = std::max(fabric_.now_, result_.end);
        agree(team_.finish(window_, fabric_.now_));
      } while (goes_on());
    } catch (...) {
      fabric_.failed_ = true;
      throw;
    }
    result_.end = fabric_.now_;
    result_.stopped_by_limit = result_.reason == RunEnd::limit;
    share_traffic_and_digest();
    result_.waiting = waiting();
    if (result_.reason == RunEnd::quiet || result_.reason == RunEnd::standstill)
      result_.stuck = result_.waiting;
    if (options_.collect_counters) collect_counters();
    result_.wall_seconds = seconds_since_start();
    return std::move(result_);
  }

  static void refuse_failed(const Fabric& fabric) {
    if (fabric.failed_)
      throw std::logic_error("a fabric cannot be run again after one of its nodes has failed");
  }

 private:
  using Wall = std::chrono::steady_clock;

  double seconds_since_start() const { return std::chrono::duration<double>(Wall::now() - begin_).count(); }

  /// Merges this process's outcome with the others' and raises what a node threw.
  Outcome agree(Outcome mine) {
    if (options_.interrupt != nullptr) mine.interrupted = options_.interrupt->load(std::memory_order_relaxed);
    if (processes_ != nullptr) {
      const Outcome merged = processes_->exchange(team_, window_, mine);
      if (merged.failed >= 0) fail(merged);
      return merged;
    }
    if (mine.failed >= 0) std::rethrow_exception(mine.error);
    return mine;
  }

  /// Tells all processes why the run fails, then throws in each.
  [[noreturn]] void fail(const Outcome& merged) {
    std::string text;  // 'u' for a UserError, 'r' for anything else, then its message
    if (merged.error) {
      try {
        std::rethrow_exception(merged.error);
      } catch (const UserError& e) {
        text = std::string("u") + e.what();
      } catch (const std::exception& e) {
        text = std::string("r") + e.what();
      } catch (...) {
        text = "runknown exception";
      }
    }
    const std::vector<std::string> all = processes_->gather(text);
    if (merged.error) std::rethrow_exception(merged.error);
    const std::string& reason = all.at(static_cast<std::size_t>(fabric_.owner(merged.failed)));
    const std::string message = "node " + fabric_.node_name(merged.failed) + ": " + reason.substr(1);
    if (reason.front() == 'u') throw UserError(message);
    throw std::runtime_error(message);
  }

  RunEnd loop() {
    const Time longest = fabric_.window();
    Time& now = result_.end;
    now = fabric_.now_;
    window_.until = now;
    for (Outcome known = agree(team_.prepare(now));; known = agree(team_.step(window_))) {
      now = window_.until;
      report_progress(now);
      if (known.stop) return RunEnd::node_stop;
      if (known.interrupted) return RunEnd::interrupted;
      if (known.next == kNever) return RunEnd::quiet;
      if (stands_still(known)) return RunEnd::standstill;
      const Time start = std::max(now, known.next);
      if (start >= options_.limit) {
        now = std::max(now, options_.limit);
        return RunEnd::limit;
      }
      window_.start = start;
      window_.until = options_.limit - start > longest ? start + longest : options_.limit;
      window_.survey = start >= next_survey_;
      ++window_.number;
      ++result_.windows;
    }
  }

  /// Collective: rank 0 knows, and tells by the merged outcome.
  bool goes_on() {
    if (result_.reason != RunEnd::node_stop && result_.reason != RunEnd::quiet) return false;
    Outcome mine;
    mine.stop = options_.go_on && fabric_.rank() == 0 && options_.go_on(result_.reason, fabric_.now_);
    const Outcome merged = agree(mine);
    return merged.stop && !merged.interrupted;
  }

  /// Whether the survey at the end of the last window, if there was one, completes a standstill. Surveys
  /// follow from simulated time alone, so every engine takes the same.
  bool stands_still(const Outcome& known) {
    if (options_.standstill == kNever || (!window_.survey && next_survey_ != kNever)) return false;
    const Time between = std::max<Time>(1, options_.standstill / kSurveys);
    next_survey_ = window_.until > kNever - between ? kNever : window_.until + between;
    idle_surveys_ = known.worked || !window_.survey ? 0 : idle_surveys_ + 1;
    return idle_surveys_ >= kSurveys;
  }

  void report_progress(Time now) {
    if (!options_.progress || fabric_.rank() != 0) return;
    const Wall::time_point wall = Wall::now();
    if (wall < next_progress_) return;
    next_progress_ = wall + std::chrono::duration_cast<Wall::duration>(
                                std::chrono::duration<double>(options_.progress_seconds));
    options_.progress(now);
  }

  /// Makes every process know all links' traffic, and computes the run's digest from nodes and links in
  /// order.
  void share_traffic_and_digest() {
    constexpr std::size_t kFields = 8;
    const auto nodes = static_cast<std::size_t>(fabric_.node_count());
    const auto links = static_cast<std::size_t>(fabric_.link_count());
    std::vector<std::uint64_t> facts(nodes + kFields * links, 0);
    for (std::size_t i = 0; i < nodes; ++i) {
      if (!fabric_.owns(static_cast<int>(i))) continue;
      Digest digest;
      fabric_.node(static_cast<int>(i))->digest(digest);
      facts[i] = digest.value();
    }
    for (std::size_t i = 0; i < links; ++i) {
      const Link& link = fabric_.link(static_cast<int>(i));
      if (!fabric_.owns(link.from())) continue;
      const LinkTraffic& t = link.traffic();
      const std::uint64_t fields[kFields] = {link.digest(), t.frames, t.pulses, t.segments,
                                             t.words,       t.bits,   t.drops,  t.bit_errors};
      std::copy(std::begin(fields), std::end(fields),
                facts.begin() + static_cast<std::ptrdiff_t>(nodes + kFields * i));
    }
    if (processes_ != nullptr) processes_->sum(facts);
    for (std::size_t i = 0; i < links; ++i) {
      const std::uint64_t* f = &facts[nodes + kFields * i];
      fabric_.link(static_cast<int>(i)).restore({f[1], f[2], f[3], f[4], f[5], f[6], f[7]}, f[0]);
    }
    std::uint64_t digest = mix64(static_cast<std::uint64_t>(result_.end));
    for (const std::uint64_t fact : facts) digest = mix64(digest ^ fact);
    result_.digest = digest;
  }

  /// Lines of all processes, each "ORDER TAB text", by ORDER; without it.
  std::vector<std::string> gather_lines(const std::string& mine) {
    std::vector<std::pair<long, std::string>> keyed;
    for (const std::string& text : processes_ != nullptr ? processes_->gather(mine) : std::vector{mine}) {
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) {
        const std::size_t tab = line.find('\t');
        keyed.emplace_back(std::stol(line.substr(0, tab)), line.substr(tab + 1));
      }
    }
    std::stable_sort(keyed.begin(), keyed.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> result;
    for (auto& [key, line] : keyed) result.push_back(std::move(line));
    return result;
  }

  std::vector<std::string> waiting() {
    std::string mine;
    for (int id = 0; id < fabric_.node_count(); ++id) {
      if (!fabric_.owns(id)) continue;
      std::string what = fabric_.node(id)->waiting_for();
      if (what.empty()) continue;
      std::replace(what.begin(), what.end(), '\n', ' ');
      mine += std::to_string(id) + "\t" + fabric_.node_name(id) + ": " + what + "\n";
    }
    return gather_lines(mine);
  }

  void collect_counters() {
    std::string mine;
    long order = 0;
    const CounterSink sink = [&](std::string_view name, std::uint64_t value) {
      mine += std::to_string(order) + "\t" + std::to_string(value) + " " + std::string(name) + "\n";
    };
    for (int id = 0; id < fabric_.node_count(); ++id, ++order) {
      if (fabric_.owns(id)) fabric_.node(id)->counters(sink);
    }
    for (int id = 0; id < fabric_.link_count(); ++id, ++order) {
      if (fabric_.owns(fabric_.link(id).from())) link_counters(fabric_.link(id), sink);
    }
    for (const std::string& line : gather_lines(mine)) {
      const std::size_t space = line.find(' ');
      result_.counters.emplace_back(line.substr(space + 1), std::stoull(line.substr(0, space)));
    }
  }

  Fabric& fabric_;
  const EngineOptions& options_;
  Team team_;
  std::unique_ptr<Processes> processes_;
  Window window_;
  Time next_survey_ = kNever;  ///< of the first window that begins then or later
  int idle_surveys_ = 0;       ///< in a row, in which no node had worked
  RunResult result_;
  Wall::time_point begin_ = Wall::now();
  Wall::time_point next_progress_;
};

RunResult run(Fabric& fabric, const EngineOptions& options) {
  RunState::refuse_failed(fabric);
  if (options.kind == EngineKind::mpi && !processes_factory()) {
    throw UserError(
        "the mpi engine needs a program that was started and built for it: use mpirun with polyloom-sim");
  }
  if (options.kind != EngineKind::serial && options.threads == 0) {
    throw UserError("the engine needs at least one thread; 0 were asked for");
  }
  return RunState(fabric, options).run();
}

}  // namespace polyloom::fabric
