// SPDX-License-Identifier: Apache-2.0
#include "sim/simulator.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "fabric/cluster/dump.h"
#include "fabric/cluster/units.h"
#include "fabric/error.h"
#include "fabric/guarded.h"
#include "fabric/host/assemble.h"
#include "fabric/json_text.h"
#include "fabric/run/record.h"
#include "fabric/trace.h"
#include "sim/options.h"
#include "sim/processes.h"
#include "sim/progress.h"

namespace polyloom::simulator {
namespace {

using namespace fabric;

HostServer* signalled_server = nullptr;

void on_signal(int) { signalled_server->stop(); }

/// Signals end the run cleanly while this lives; those that we were started to ignore (nohup) stay ignored.
class Signals {
 public:
  explicit Signals(HostServer& server) {
    signalled_server = &server;
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);  // a file that grows too large is an error of its write
    struct sigaction action {};
    action.sa_handler = on_signal;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      sigaction(kSignals[i], &action, &before_[i]);
      if (before_[i].sa_handler == SIG_IGN) sigaction(kSignals[i], &before_[i], nullptr);
    }
  }
  ~Signals() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  }

 private:
  static constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
  struct sigaction before_[kSignals.size()]{};
};

/// How a run ended, for people and for clients.
struct Outcome {
  std::string status = "finished";
  HostErrorReason reason = HostErrorReason::interrupted;
  std::string message;  ///< empty if it ended as wished
  int exit_status = 0;
};

std::string with_lines(std::string text, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) text += "\n  " + line;
  return text;
}

class Simulator {
 public:
  Simulator(const Options& options, const RoleRegistry& roles, Processes& processes)
      : options_(options),
        roles_(roles),
        processes_(processes),
        server_([](const std::string& line) { std::cerr << "polyloom: " << line << std::endl; }),
        signals_(server_) {}

  int run_all() {
    try {
      prepare();
      simulate();
    } catch (const UserError& error) {
      outcome_ = {"fault", fault_reason_, error.what(), 1};
    } catch (...) {
      const Ending ending = ending_of(std::current_exception());
      outcome_ = {"fault", HostErrorReason::fault, ending.text, ending.status};
    }
    if (!leads()) {
      leave_if_unprepared();
      return outcome_.exit_status;
    }
    try {
      if (record_ && fabric_) write_record();
    } catch (const UserError& error) {
      outcome_ = {"fault", HostErrorReason::user, error.what(), 1};
    }
    report_clients();
    leave_if_unprepared();
    return outcome_.exit_status;
  }

 private:
  bool leads() const { return processes_.rank() == 0; }

  // The other processes would wait for this one for ever; unwinding through the MPI session ends them.
  void leave_if_unprepared() const {
    if (!prepared_ && processes_.size() > 1) throw UserError(outcome_.message);
  }

  void prepare() {
    if (leads() && options_.connect_fd >= 0) server_.adopt(options_.connect_fd);
    if (leads() && !options_.connect.empty()) server_.adopt(connect_to(options_.connect));
    spec_ = read_cluster(options_.cluster, roles_, options_.read);
    if (leads() && !options_.run_dir.empty()) record_ = std::make_unique<RunRecord>(options_.run_dir);
    const std::size_t clients =
        spec_.nodes_of(NodeKind::host).size() * static_cast<std::size_t>(spec_.host.clients);
    if (leads() && !options_.listen.empty()) server_.accept_at(options_.listen, clients);
    if (leads() && server_.size() != clients) {
      throw UserError("cluster " + spec_.name + " needs " + std::to_string(clients) + " host programs, but " +
                      std::to_string(server_.size()) +
                      " are connected; start it with --listen SOCKET and the programs "
                      "with POLYLOOM_SOCKET");
    }
    if (options_.trace && processes_.size() > 1) {
      throw UserError("--trace needs all nodes in one process; allowed engines: serial, threads:N");
    }
    if (options_.trace) trace_ = std::make_unique<Trace>(record_->path("trace.json"));
    if (!options_.waves.empty() && processes_.size() > 1) {
      throw UserError("--wave needs all nodes in one process; allowed engines: serial, threads:N");
    }
    AssembleOptions assembly;
    assembly.waves = options_.waves;
    for (WaveRequest& wave : assembly.waves) wave.path = record_->path(wave.node + ".fst");
    assembly.seed = options_.seed;
    assembly.trace = trace_.get();
    assembly.partition = processes_.partition();
    fabric_ = std::make_unique<Fabric>();
    assemble(*fabric_, spec_, roles_, leads() ? &server_ : nullptr, assembly);
    if (leads()) server_.welcome(spec_, to_json(spec_, -1));
    prepared_ = true;
  }

  EngineOptions engine_options() {
    EngineOptions engine;
    engine.kind = options_.kind;
    const auto useful = static_cast<unsigned>(spec_.nodes_of(NodeKind::fpga).size());
    engine.threads = options_.threads > 0
                         ? options_.threads
                         : std::max(1u, std::min(std::thread::hardware_concurrency(), useful));
    if (engine.kind == EngineKind::threads && engine.threads == 1) engine.kind = EngineKind::serial;
    engine.limit = options_.max_time;
    if (options_.max_cycles > 0 && !spec_.nodes_of(NodeKind::fpga).empty()) {
      const bool beyond_all_time = options_.max_cycles > Clock(clock_hz()).first_edge_from(kNever);
      if (!beyond_all_time)
        engine.limit = std::min(engine.limit, Clock(clock_hz()).edge(options_.max_cycles));
    }
    if (!spec_.nodes_of(NodeKind::host).empty())
      engine.standstill = options_.standstill.value_or(usual_standstill());
    engine.interrupt = &server_.stop_flag();
    engine.go_on = [this](RunEnd why, Time now) { return server_.go_on(why, now); };
    engine.collect_counters = !options_.run_dir.empty();
    engine_name_ = engine.kind == EngineKind::serial    ? "serial"
                   : engine.kind == EngineKind::threads ? "threads:" + std::to_string(engine.threads)
                                                        : "mpi:" + std::to_string(processes_.size());
    return engine;
  }

  /// Of the first FPGA: what cycles are counted in.
  /// A slow clock needs longer for as much work.
  fabric::Time usual_standstill() const {
    constexpr fabric::Time kLeast = 20'000'000'000;
    constexpr std::uint64_t kCycles = 1'000'000;
    fabric::Time longest = kLeast;
    for (const int node : spec_.nodes_of(NodeKind::fpga))
      longest =
          std::max(longest, Clock(spec_.nodes[static_cast<std::size_t>(node)].clock_hz()).edge(kCycles));
    return longest;
  }

  std::uint64_t clock_hz() const {
    const std::vector<int> fpgas = spec_.nodes_of(NodeKind::fpga);
    return fpgas.empty() ? 250'000'000 : spec_.nodes[static_cast<std::size_t>(fpgas.front())].clock_hz();
  }

  void simulate() {
    EngineOptions engine = engine_options();
    fault_reason_ = HostErrorReason::fault;
    {
      Progress progress(*fabric_, clock_hz(), engine.limit);
      engine.progress = [&](Time now) { progress(now); };
      result_ = run(*fabric_, engine);
    }
    judge(engine);
    fault_reason_ = HostErrorReason::user;
    if (trace_) trace_->close();
    gather_tables();
  }

  void judge(const EngineOptions& engine) {
    bool all_finished = true;
    for (unsigned k = 0; k < server_.size(); ++k) {
      const HostServer::Client* client = server_.find(k);
      all_finished = all_finished && client && client->finished;
    }
    if (server_.client_left()) {
      outcome_ = {"client left", HostErrorReason::interrupted, "another host program left before it finished",
                  0};
    } else if (result_.reason == RunEnd::interrupted || server_.stopped()) {
      outcome_ = {"interrupted", HostErrorReason::interrupted,
                  "the simulator was interrupted at " + format_duration(result_.end), 130};
    } else if (result_.stopped_by_limit) {
      const std::string limit = options_.max_cycles > 0 && engine.limit != options_.max_time
                                    ? std::to_string(options_.max_cycles) + " cycles (--max-cycles)"
                                    : format_duration(engine.limit) + " (--max-time)";
      outcome_ = {"limit", HostErrorReason::limit,
                  with_lines("the run was stopped after " + limit + "; who waits for what:", result_.waiting),
                  1};
    } else if (result_.reason == RunEnd::standstill) {
      outcome_ = {"standstill", HostErrorReason::deadlock,
                  with_lines("standstill at " + format_duration(result_.end) + ": for " +
                                 format_duration(engine.standstill) +
                                 " nothing useful has happened; who waits for what:",
                             result_.stuck),
                  1};
    } else if (result_.reason == RunEnd::quiet && server_.size() > 0) {
      outcome_ = {"deadlock", HostErrorReason::deadlock,
                  with_lines("deadlock at " + format_duration(result_.end) +
                                 ": nothing can happen any more; who waits for what:",
                             result_.stuck),
                  1};
    } else if (server_.absences().standstill()) {
      outcome_ = {"deadlock", HostErrorReason::deadlock,
                  with_lines("deadlock at " + format_duration(result_.end) +
                                 ": host programs wait for meetings that cannot come about:",
                             result_.waiting),
                  1};
    } else if (!all_finished) {
      outcome_ = {
          "fault", HostErrorReason::fault,
          with_lines("a node stopped the run at " + format_duration(result_.end) + ":", result_.waiting), 1};
    }
  }

  // Rows travel as "table \x1f header \x1f row \x1e": no CSV holds these characters.
  void gather_tables() {
    if (options_.run_dir.empty()) return;
    std::string text;
    for (int i = 0; i < fabric_->node_count(); ++i) {
      if (!fabric_->node(i)) continue;
      fabric_->node(i)->tables([&](std::string_view table, std::string_view header, std::string_view row) {
        text.append(table).append("\x1f").append(header).append("\x1f").append(row).append("\x1e");
      });
    }
    const std::string all = processes_.gather(text);
    for (std::size_t at = 0; at < all.size();) {
      const std::size_t header = all.find('\x1f', at), row = all.find('\x1f', header + 1),
                        end = all.find('\x1e', row);
      tables_.add(std::string_view(all).substr(at, header - at),
                  std::string_view(all).substr(header + 1, row - header - 1),
                  std::string_view(all).substr(row + 1, end - row - 1));
      at = end + 1;
    }
  }

  void write_record() {
    if (result_.counters
            .empty()) {  // the run ended with an error: what this process knows is better than nothing
      fabric_->counters(
          [&](std::string_view name, std::uint64_t value) { result_.counters.emplace_back(name, value); });
    }
    record_->write("counters.csv", counters_csv(result_.counters));
    record_->write("cluster.json", to_json(spec_) + "\n");
    RunFacts facts;
    facts.files = {"run.json", "cluster.json", "counters.csv"};
    for (const auto& [name, text] : tables_.tables()) {
      record_->write(name + ".csv", text);
      facts.files.push_back(name + ".csv");
    }
    if (trace_) facts.files.push_back("trace.json");
    facts.status = outcome_.status;
    facts.message = outcome_.message;
    facts.command = options_.command;
    for (unsigned k = 0; k < server_.size(); ++k) {
      const auto* client = server_.find(k);
      if (client == nullptr) continue;
      facts.clients.push_back(client->command);
      if (!facts.phases.empty()) continue;  // those of the first that names any
      facts.phases = client->phases;
      facts.phases_end = client->phases_end;
    }
    facts.cluster = spec_.name;
    facts.cluster_file = spec_.file;
    facts.topology = name_of(spec_.topology.kind);
    for (const int k : spec_.topology.size) facts.topology += " " + std::to_string(k);
    facts.fidelity = fidelity_line(spec_);
    facts.link_latencies = latency_line(spec_);
    facts.engine = engine_name_;
    const char* backdoor = std::getenv("POLYLOOM_BACKDOOR_DIR");
    if (backdoor != nullptr && *backdoor != '\0') facts.load = "backdoor";
    // By a counter of that name any role says so, in whichever process its node lives.
    facts.timing_only =
        std::any_of(result_.counters.begin(), result_.counters.end(), [](const auto& counter) {
          return counter.second != 0 && std::string_view(counter.first).ends_with(".timing_only");
        });
    facts.seed = options_.seed;
    facts.started = started_;
    facts.wall_seconds = result_.wall_seconds;
    facts.end = fabric_->now();
    facts.digest = result_.digest;
    facts.windows = result_.windows;
    facts.waiting = result_.waiting;
    if (!options_.waves.empty()) fabric_.reset();  // the nodes close their wave files
    for (const WaveRequest& wave : options_.waves) {
      const std::string name = wave.node + ".fst";
      if (std::filesystem::exists(record_->path(name))) facts.files.push_back(name);
    }
    record_->write("run.json", run_json(facts));
    record_->commit();
  }

  void report_clients() {
    if (outcome_.message.empty()) {
      char digest[17];
      std::snprintf(digest, sizeof digest, "%016llx", static_cast<unsigned long long>(result_.digest));
      nlohmann::ordered_json done{{"status", outcome_.status},
                                  {"end_ps", result_.end},
                                  {"digest", digest},
                                  {"wall_seconds", result_.wall_seconds},
                                  {"windows", result_.windows},
                                  {"engine", engine_name_},
                                  {"link_latencies", latency_line(spec_)}};
      if (record_) done["run_dir"] = record_->folder();
      server_.finish(json_text(done));
      return;
    }
    server_.fail(outcome_.reason, outcome_.message, true);
    // A client that started us prints it; anyone else looks here.
    if (options_.connect_fd < 0 && options_.connect.empty() && outcome_.exit_status != 0) {
      std::cerr << "polyloom: " << outcome_.message << std::endl;
    } else if (server_.size() == 0) {
      std::cerr << "polyloom: " << outcome_.message << std::endl;
    }
  }

  const Options& options_;
  const RoleRegistry& roles_;
  Processes& processes_;
  HostServer server_;
  Signals signals_;
  ClusterSpec spec_;
  std::unique_ptr<RunRecord> record_;
  std::unique_ptr<Trace> trace_;
  std::unique_ptr<Fabric> fabric_;
  RunResult result_;
  TableCollector tables_;
  Outcome outcome_;
  bool prepared_ = false;
  HostErrorReason fault_reason_ = HostErrorReason::user;
  std::string engine_name_ = "serial", started_ = utc_now();
};

int show(const Options& options, const RoleRegistry& roles) {
  const ClusterSpec spec = read_cluster(options.cluster, roles, options.read);
  std::cout << (options.json ? to_json(spec) + "\n" : to_text(spec)) << std::flush;
  if (!std::cout) throw UserError(std::string("cannot write to standard output: ") + std::strerror(errno));
  return 0;
}

/// The socket of `--connect-fd`, also of a command line that cannot be read; -1 without.
int connected_socket(int argc, char** argv) {
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::string_view(argv[i]) == "--connect-fd") return std::atoi(argv[i + 1]);
  }
  return -1;
}

/// The options. Why they cannot be read is told to the program that started us, if one did: it prints it.
std::optional<Options> read_options(int argc, char** argv, int& status) {
  const int socket = connected_socket(argc, argv);
  try {
    return parse_options(argc, argv, status);
  } catch (const UserError& error) {
    if (socket < 0) throw;
    HostServer server;
    server.adopt(socket);
    server.fail(HostErrorReason::user, error.what(), true);
    status = kUserErrorStatus;
    return std::nullopt;
  }
}

}  // namespace

int simulator_main(int argc, char** argv, const RoleRegistry& roles) {
  return guarded([&] {
    int status = 0;
    const auto options = read_options(argc, argv, status);
    if (!options) return status;
    if (options->show) return show(*options, roles);
    Processes processes(options->kind == EngineKind::mpi, argc, argv);
    return Simulator(*options, roles, processes).run_all();
  });
}

}  // namespace polyloom::simulator
