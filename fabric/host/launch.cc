// SPDX-License-Identifier: Apache-2.0
#include "fabric/host/launch.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>

#include "fabric/error.h"
#include "fabric/home.h"
#include "fabric/host/channel.h"
#include "fabric/host/peer.h"

extern char** environ;

namespace polyloom::fabric {
namespace fs = std::filesystem;
namespace {

constexpr int kPatience = 5000;  // ms for a simulator to end by itself once its client has left

bool is_program(const std::string& path) { return ::access(path.c_str(), X_OK) == 0; }

std::string in_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string rest = path ? path : "/usr/local/bin:/usr/bin:/bin";
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const std::string folder = rest.substr(0, colon);
    if (!folder.empty() && is_program(folder + "/" + name)) return folder + "/" + name;
    rest = colon == std::string::npos ? std::string() : rest.substr(colon + 1);
  }
  return {};
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& s : strings) result.push_back(s.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

std::string find_simulator() {
  // Tests live in build/tests, libraries in build/lib, programs in build/bin.
  std::vector<fs::path> places;
  for (const fs::path& folder : program_folders()) {
    places.push_back(folder);
    places.push_back(folder.parent_path() / "bin");
  }
  places.push_back(home() / "build/bin");
  std::string looked;
  for (const fs::path& place : places) {
    if (const fs::path program = place / "polyloom-sim"; is_program(program)) return program;
    looked += place.string() + ", ";
  }
  if (const std::string found = in_path("polyloom-sim"); !found.empty()) return found;
  throw UserError("cannot find the simulator polyloom-sim (looked in " + looked +
                  "and PATH); build it, or set POLYLOOM_HOME to the checkout or installation that has it");
}

LaunchPlan plan_for_engine(const std::string& engine) {
  LaunchPlan plan;
  if (engine.rfind("mpi", 0) != 0) return plan;  // the simulator checks the rest of the word
  plan.mpi = true;
  plan.processes = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  if (engine == "mpi") return plan;
  char* end = nullptr;
  const long n = engine.size() > 4 && engine[3] == ':' ? std::strtol(engine.c_str() + 4, &end, 10) : 0;
  if (n < 1 || n > 1024 || *end != '\0') {
    throw UserError("POLYLOOM_ENGINE = \"" + engine +
                    "\"; allowed: serial, threads:N, mpi, mpi:N (N from 1 to 1024)");
  }
  plan.processes = static_cast<int>(n);
  return plan;
}

SimulatorProcess::SimulatorProcess(const std::string& program, const std::vector<std::string>& arguments,
                                   const LaunchPlan& plan) {
  if (!is_program(program)) throw UserError("simulator \"" + program + "\": not a program that can be run");
  secret_ = new_secret();
  Channel::interrupted = false;
  if (plan.mpi) {
    spawn_under_mpi(program, arguments, plan);
    return;
  }
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw UserError(std::string("cannot make a socket: ") + std::strerror(errno));
  }
  std::vector<std::string> command{program, "--connect-fd", std::to_string(ends[1])};
  command.insert(command.end(), arguments.begin(), arguments.end());
  socket_ = ends[0];
  spawn(command, ends[1]);
  ::close(ends[1]);
}

// mpirun hands no descriptor on, so the simulator's first process connects to a socket of ours: one that no
// other user can reach, and at which only processes that we have started are heard.
void SimulatorProcess::spawn_under_mpi(const std::string& program, const std::vector<std::string>& arguments,
                                       const LaunchPlan& plan) {
  const std::string mpirun = in_path("mpirun");
  if (mpirun.empty()) {
    throw UserError(
        "engine mpi: mpirun is not in PATH; install Open MPI (Debian: openmpi-bin) or use threads:N");
  }
  const PrivateFolder folder;
  const std::string address = folder.path() + "/simulator";
  const int listener = listen_at(address, 8);
  std::vector<std::string> command{
      mpirun,      "-np",  std::to_string(plan.processes), "--oversubscribe", "--quiet", program,
      "--connect", address};
  command.insert(command.end(), arguments.begin(), arguments.end());
  try {
    spawn(command, -1);
    socket_ = await_connection(listener, address);
  } catch (...) {
    ::close(listener);
    throw;
  }
  ::close(listener);
}

// Between fork and exec only calls that are safe there: the program may have threads.
void SimulatorProcess::spawn(const std::vector<std::string>& command, int inherited_fd) {
  std::vector<std::string> arguments = command;
  std::vector<std::string> environment;
  for (char** e = environ; *e; ++e) {
    if (!std::string_view(*e).starts_with("POLYLOOM_SECRET=")) environment.emplace_back(*e);
  }
  environment.push_back("POLYLOOM_SECRET=" + secret_);
  if (inherited_fd < 0 && ::geteuid() == 0) {  // Open MPI refuses root otherwise; containers have no one else
    environment.emplace_back("OMPI_ALLOW_RUN_AS_ROOT=1");
    environment.emplace_back("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1");
  }
  const std::vector<char*> argv = pointers(arguments), envp = pointers(environment);
  // The death signal follows the thread that forks, so it is of use only if that one lives as long as the
  // program.
  const pid_t parent = ::getpid();
  const bool main_thread = ::syscall(SYS_gettid) == parent;
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  pid_ = ::fork();
  if (pid_ < 0) {
    if (null >= 0) ::close(null);
    throw UserError(std::string("cannot start the simulator: ") + std::strerror(errno));
  }
  if (pid_ == 0) {
    if (main_thread) {
      ::prctl(PR_SET_PDEATHSIG, SIGTERM);
      if (::getppid() != parent) ::_exit(0);
    }
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    if (null >= 0) ::dup2(null, 0);
    if (inherited_fd >= 0) ::fcntl(inherited_fd, F_SETFD, 0);
    ::execve(argv[0], argv.data(), envp.data());
    ::_exit(127);
  }
  if (null >= 0) ::close(null);
}

int SimulatorProcess::await_connection(int listener, const std::string& address) {
  for (int waited = 0; waited < 60'000; waited += 50) {
    pollfd fd{listener, POLLIN, 0};
    if (::poll(&fd, 1, 50) > 0) {
      const int socket = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket >= 0) {
        const Peer peer = peer_of(socket);
        if (peer.is_trusted() && peer.descends_from(pid_)) return socket;
        ::close(socket);
        std::fprintf(stderr,
                     "polyloom: refused %s at socket \"%s\": it is not the simulator that was started\n",
                     peer.text().c_str(), address.c_str());
      }
    }
    if (const std::string how = ended(0); !how.empty()) {
      throw UserError("the simulator ended before it connected (" + how + "); what it said stands above");
    }
  }
  throw UserError("the simulator did not connect within a minute");
}

int SimulatorProcess::take_socket() {
  const int fd = socket_;
  socket_ = -1;
  return fd;
}

std::string SimulatorProcess::ended(int milliseconds) {
  for (int waited = 0, step = 1; pid_ > 0; step = std::min(step * 2, 50)) {
    const pid_t r = ::waitpid(pid_, &status_, WNOHANG);
    if (r == pid_ || (r < 0 && errno == ECHILD)) {  // ECHILD: the host program ignores or reaps its children
      pid_ = -1;
      break;
    }
    if (waited >= milliseconds) return {};
    ::usleep(static_cast<useconds_t>(step) * 1000);
    waited += step;
  }
  if (WIFSIGNALED(status_)) return "killed by signal " + std::to_string(WTERMSIG(status_));
  return "exit status " + std::to_string(WEXITSTATUS(status_));
}

SimulatorProcess::~SimulatorProcess() {
  if (socket_ >= 0) ::close(socket_);
  // It may be building or computing, and then hears nothing else.
  if (pid_ > 0 && Channel::interrupted) ::kill(pid_, SIGTERM);
  if (!ended(kPatience).empty()) return;
  ::kill(pid_, SIGTERM);
  if (!ended(kPatience).empty()) return;
  ::kill(pid_, SIGKILL);
  ended(kPatience);
}

}  // namespace polyloom::fabric
