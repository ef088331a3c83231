// SPDX-License-Identifier: Apache-2.0
// A CPU rank: the MPI layer's platform (runtime/mpi/platform.h) on a Station.
#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "fabric/error.h"
#include "fabric/host/client.h"
#include "roles/mpi/arch/history.h"
#include "roles/mpi/arch/messages.h"
#include "roles/mpi/include/mpi.h"
#include "roles/mpi/runtime/cpu/station.h"
#include "roles/mpi/runtime/engine/commands.h"
#include "roles/mpi/runtime/mpi/choose.h"
#include "roles/mpi/runtime/mpi/platform.h"

// Of a program whose own instructions are counted (polyloom/mpirun/counting.py): those since the last call.
extern "C" [[gnu::weak]] std::uint64_t polyloom_instructions_taken(void);

namespace polyloom::mpi {
namespace {

// A look for packets takes a call's time, so it follows many short computations, which then hardly last
// longer.
constexpr Time kUnlooked = 10;
constexpr Time kSecond = 1'000'000'000'000;

struct Rank {
  Job job;
  std::unique_ptr<Station> station;
  std::unique_ptr<Commands> commands;
  bool has_manager = false, finished = false;
  Time finalizing_since = kNever;  // in MPI_Finalize, while sends are not complete
  bool has_finalized = false;      // and waits for the others
  Time began = 0;
  int collectives = POLYLOOM_CHOICE_auto;
  std::vector<std::byte> scratch;
  std::string file;  // of the job
  History history;

  // Time of computing (polyloom mpirun --cpu-time); neither: it is free.
  std::uint64_t instructions_a_second = 0;
  bool measures = false;
  Time left_at = 0;   // measured: when the program was last returned to, by its own clock
  Time unlooked = 0;  // computed since the last look for packets

  std::uint16_t manager() const { return job.config.size; }
};

Rank* rank = nullptr;

void complain(const std::string& text) {
  std::fflush(stdout);
  std::fprintf(stderr, "polyloom: %s\n", text.c_str());
  std::fflush(stderr);
}

[[noreturn]] void die(const std::string& text, int code) {
  complain(text);
  ::_exit(code == 0 ? 1 : code);
}

// A rank's standard output is a pipe of the launcher's, which C would buffer whole; what it printed before a
// deadlock, a signal or the end of others would be lost. Lines, as on a terminal, unless the program itself
// wants otherwise.
[[gnu::constructor]] void print_by_lines() {
  if (std::getenv("POLYLOOM_MPI_JOB") != nullptr) std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
}

// Errors of transports reach the person, not the C program.
template <typename Function>
auto guarded(const Function& function) {
  try {
    return function();
  } catch (const fabric::SimulatorError& error) {
    // What ended the run has said why, or the launcher will; that we cannot go on is no news.
    using enum fabric::HostErrorReason;
    if (error.reason == interrupted || error.reason == lost || error.reason == fault) ::_exit(1);
    die((rank ? "rank " + std::to_string(rank->job.config.rank) + ": " : std::string()) + error.what(), 1);
  } catch (const std::exception& error) {
    die((rank ? "rank " + std::to_string(rank->job.config.rank) + ": " : std::string()) + error.what(), 1);
  }
}

Rank& started(const char* call) {
  if (rank == nullptr) die(std::string(call) + " before MPI_Init; call MPI_Init first", 1);
  if (rank->finished) die(std::string(call) + " after MPI_Finalize", 1);
  return *rank;
}

void put(std::vector<std::byte>& out, const void* data, std::size_t bytes) {
  const auto* from = static_cast<const std::byte*>(data);
  out.insert(out.end(), from, from + bytes);
}

// What we wait for, as the words of a command; all 0: nothing.
std::array<std::uint64_t, 3> waiting(const Rank& r) {
  std::array<std::uint64_t, 3> words{};
  if (const std::uint64_t* command = r.commands->waiting()) {
    std::copy_n(command, words.size(), words.begin());
    // Where a buffer lies differs from run to run, and what goes over the network must not.
    for (const std::size_t i : {1, 2}) words[i] &= 0xFFFFFFFF;
  } else if (const auto send = r.station->engine().open_send(); send && r.finalizing_since != kNever) {
    words = {polyloom_word0(POLYLOOM_FINALIZE, send->type, send->peer, send->tag),
             polyloom_word1(send->comm, 0, nullptr), 0};
  }
  return words;
}

// The manager may ask at any time what we wait for.
void response_questions(Rank& r) {
  if (!r.has_manager || !r.station->take_system(r.manager(), POLYLOOM_QUERY)) return;
  std::vector<std::byte> response;
  const auto words = waiting(r);
  const Time since = r.commands->waiting() ? r.commands->since() : r.finalizing_since;
  put(response, words.data(), sizeof words);
  const Counters& c = r.station->engine().counters();
  const std::uint64_t moved[2] = {c.envelopes_sent + c.envelopes_accepted - c.system, c.bytes_in};
  put(response, &since, sizeof since);
  put(response, moved, sizeof moved);
  r.station->send_system(r.manager(), POLYLOOM_WAITING, std::move(response));
}

// Sends and takes packets, at the latest until then.
void look(Rank& r, Time until) {
  r.station->pump(until);
  r.unlooked = 0;
  response_questions(r);
}

Time own_clock() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * kSecond + Time{t.tv_nsec} * 1000;
}

// What the program has computed since the last call.
Time computed(const Rank& r) {
  if (r.measures) return own_clock() - r.left_at;
  if (r.instructions_a_second == 0) return 0;
  const auto picoseconds = static_cast<unsigned __int128>(polyloom_instructions_taken()) * kSecond;
  return static_cast<Time>(picoseconds / r.instructions_a_second);
}

// Around a call that time matters to. What was computed takes its time first; packets that come meanwhile are
// taken when they come, as by a thread of the library's own, since other ranks give up one that is silent.
class Call {
 public:
  explicit Call(Rank& r) : rank_(r) {
    const Time time = computed(r);
    if (time <= 0) return;
    Transport& transport = r.station->transport();
    const Time until = transport.now() + time, call = transport.call_time();
    r.unlooked += time;
    if (time > call || r.unlooked > kUnlooked * call) {
      do {
        look(r, std::max(transport.now(), until - call));
      } while (transport.now() + call < until);
    }
    transport.compute(until);
  }
  ~Call() {
    if (rank_.measures) rank_.left_at = own_clock();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  Rank& rank_;
};

void command(Rank& r, const std::uint64_t words[3], std::uint64_t response[2]) {
  const Call call(r);
  const auto op = static_cast<unsigned>(words[0] & 0xFF);
  r.history.command(r.station->now(), words);
  r.commands->begin(words, r.station->now());
  if (op == POLYLOOM_TEST || op == POLYLOOM_IPROBE) look(r, 0);
  while (!r.commands->response(response)) look(r, kNever);
  // In simulated time what is started leaves with the next wait, or when the program computes for longer.
  if (r.station->transport().is_real_time() || op >= POLYLOOM_SEND_WAIT) r.station->transport().flush();
  r.history.response(r.station->now(), response);
}

std::string where(const Rank& r) {
  const std::string name = "rank " + std::to_string(r.job.config.rank);
  if (r.has_finalized) return name + " waits in MPI_Finalize for the others";
  Wait wait{r.job.config.rank, {}, 0};
  std::ranges::copy(waiting(r), wait.words);
  if (wait.words[0] == 0) return busy_text(wait.rank);
  wait.since = (r.commands->waiting() ? r.commands->since() : r.finalizing_since) - r.began;
  return wait_text(wait);
}

// The launcher asks before it ends a job. The program may be anywhere, but one that computes costs no memory
// here that it might be about to take, as its words are short.
void report_where(int) {
  const std::string text = where(*rank);
  const int file = ::open((rank->file + kWhere).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return;
  const ssize_t written = ::write(file, text.data(), text.size());
  static_cast<void>(written);
  ::close(file);
}

void report(Rank& r, const polyloom_abort& reason) {
  if (!r.has_manager) return;
  std::vector<std::byte> data;
  put(data, &reason, sizeof reason);
  r.station->send_system(r.manager(), POLYLOOM_ABORT, std::move(data));
  r.station->settle(kSecond / 2);
}

void at_exit(int status, void*) {
  if (rank == nullptr || rank->finished) return;
  complain("rank " + std::to_string(rank->job.config.rank) + ": the program ended without MPI_Finalize");
  guarded([&] { report(*rank, {status == 0 ? 1 : status, 0, 0, 0xFFFF, -1, 0xFFFF}); });
  ::_exit(status == 0 ? 1 : status);
}

void start() {
  auto made = std::make_unique<Rank>();
  const char* path = std::getenv("POLYLOOM_MPI_JOB");
  if (path != nullptr && *path != 0) {
    made->job = read_job(path);
    if (made->job.config.rank >= made->job.config.size)
      throw UserError(std::string(path) + ": rank is the manager's");
    made->has_manager = true;
    made->file = path;
    std::ofstream(std::string(path) + kBegun);
    const auto file = nlohmann::json::parse(made->job.text);
    const std::string choice = file.value("collectives", "auto");
    if (choice != "auto" && choice != "linear" && choice != "tree") {
      throw UserError("collectives = \"" + choice + "\"; allowed: \"auto\", \"linear\", \"tree\"");
    }
    const auto cpu = file.value("cpu", nlohmann::json::object());
    made->measures = cpu.value("measured", false);
    made->instructions_a_second = cpu.value("instructions_a_second", std::uint64_t{0});
    made->collectives = choice == "linear" ? POLYLOOM_CHOICE_linear
                        : choice == "tree" ? POLYLOOM_CHOICE_tree
                                           : POLYLOOM_CHOICE_auto;
  }
  auto transport = made->has_manager ? make_transport(made->job) : make_alone();
  made->station = std::make_unique<Station>(made->job, std::move(transport));
  made->commands = std::make_unique<Commands>(made->station->engine());
  rank = made.release();  // lives until the process ends, also for at_exit
  if (rank->has_manager) {
    // All ranks may run once the manager has set up the FPGAs; arguments come from the command line.
    while (!rank->station->take_system(rank->manager(), POLYLOOM_ARGV)) rank->station->pump(kNever);
  }
  const auto& on_fpga = rank->job.is_fpga;
  rank->history.begin(rank->station->now(),
                      static_cast<unsigned>(std::count(on_fpga.begin(), on_fpga.end(), false)));
  ::on_exit(at_exit, nullptr);
  rank->began = rank->station->now();
  struct sigaction before {};
  if (rank->has_manager && ::sigaction(SIGUSR1, nullptr, &before) == 0 && before.sa_handler == SIG_DFL) {
    struct sigaction action {};
    action.sa_handler = report_where;
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGUSR1, &action, nullptr);
  }
  // Whatever was computed before is free: ranks have begun at no time that others know.
  if (rank->instructions_a_second > 0) polyloom_instructions_taken();
  if (rank->measures) rank->left_at = own_clock();
}

// For the run record: tables beside the job's file, which the launcher adds to those of the simulator.
void leave_history(Rank& r) {
  r.history.end(r.station->now());
  if (r.station->transport().is_real_time()) return;
  std::map<std::string, std::ofstream> tables;
  r.history.tables(r.job.config.rank, false,
                   [&](std::string_view table, std::string_view header, std::string_view row) {
                     const auto [at, fresh] = tables.try_emplace(std::string(table));
                     if (fresh) at->second.open(r.file + "." + at->first + ".csv");
                     if (fresh) at->second << header << '\n';
                     at->second << row << '\n';
                   });
}

// All ranks have ended, and what they sent is here.
void say_what_is_left(Rank& r) {
  const unsigned number = r.job.config.rank;
  if (const auto open = r.history.open(); !open.empty()) complain(left_text(number, open));
  std::vector<Wait> messages;
  for (const Envelope& e : r.station->engine().not_received())
    messages.push_back({number, {polyloom_word0(POLYLOOM_RECV, 0, e.peer, e.tag), e.comm, 0}, 0});
  if (!messages.empty()) complain(not_received_text(number, messages));
}

void finish(Rank& r) {
  const Call call(r);
  if (r.has_manager) {
    r.finalizing_since = r.station->now();
    auto words = waiting(r);
    if (words[0] == 0) words[0] = polyloom_word0(POLYLOOM_FINALIZE, 0, POLYLOOM_ANY_RANK, POLYLOOM_ANY_TAG);
    r.history.command(r.finalizing_since, words.data());
    while (!r.station->engine().quiet()) look(r, kNever);
    r.finalizing_since = kNever;
    constexpr std::uint64_t kNone[2] = {};
    r.history.response(r.station->now(), kNone);
    leave_history(r);
    r.has_finalized = true;
    r.station->send_system(r.manager(), POLYLOOM_FIN, {});
    while (!r.station->take_system(r.manager(), POLYLOOM_RELEASE)) look(r, kNever);
    r.station->part(r.manager());
    say_what_is_left(r);
  }
  r.finished = true;
  r.station->transport().finish();
}

}  // namespace
}  // namespace polyloom::mpi

using namespace polyloom::mpi;

extern "C" {

void polyloom_mpe_command(const uint64_t words[3], uint64_t response[2]) {
  Rank& r = started("an MPI call");
  guarded([&] { command(r, words, response); });
}

void polyloom_platform_start(void) { guarded(start); }

void polyloom_platform_finish(void) {
  Rank& r = started("MPI_Finalize");
  std::fflush(stdout);
  guarded([&] { finish(r); });
}

void polyloom_platform_abort(const polyloom_abort* reason) {
  if (rank == nullptr || rank->finished) die(abort_text(0, *reason), reason->code);
  complain(abort_text(rank->job.config.rank, *reason));
  guarded([&] { report(*rank, *reason); });
  ::_exit(reason->code == 0 ? 1 : reason->code);
}

double polyloom_platform_time(void) {
  Rank& r = started("MPI_Wtime");
  return guarded([&] {
    const Call call(r);
    return static_cast<double>(r.station->now()) * 1e-12;
  });
}

double polyloom_platform_tick(void) { return 1e-9; }

void* polyloom_platform_scratch(uint32_t bytes) {
  Rank& r = started("an MPI call");
  if (r.scratch.size() < bytes) r.scratch.resize(bytes);
  return r.scratch.data();
}

const void* polyloom_platform_copy(const void* data, uint32_t bytes) {
  void* const copy = polyloom_platform_scratch(bytes);
  if (bytes > 0) std::memcpy(copy, data, bytes);
  return copy;
}

void* polyloom_platform_keep(uint32_t bytes) { return std::malloc(std::max(bytes, 1u)); }
void polyloom_platform_release(void* kept) { std::free(kept); }

int polyloom_platform_rank(void) { return started("an MPI call").job.config.rank; }
int polyloom_platform_node(void) {
  const Job& job = started("an MPI call").job;
  return job.on_fabric ? job.config.rank : 0;
}
int polyloom_platform_size(void) { return started("an MPI call").job.config.size; }
int polyloom_platform_collectives(void) { return started("an MPI call").collectives; }

int MPI_Get_processor_name(char* name, int* resultlen) {
  const Rank& r = started("MPI_Get_processor_name");
  *resultlen = std::snprintf(name, MPI_MAX_PROCESSOR_NAME, "cpu-rank-%u", unsigned{r.job.config.rank});
  return MPI_SUCCESS;
}
}
