// SPDX-License-Identifier: Apache-2.0
// Starting polyloom-sim for a host program, and ending it whatever happens. Internal to the client library.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace polyloom::fabric {

/// Path of polyloom-sim: of program_folders() (fabric/home.h), in build/bin of home(), in PATH. Throws
/// UserError that lists where it looked.
std::string find_simulator();

/// What to start: serial and threads engines in one process, "mpi" or "mpi:N" under mpirun. Throws UserError.
struct LaunchPlan {
  int processes = 1;  ///< > 1: under mpirun
  bool mpi = false;
};
LaunchPlan plan_for_engine(const std::string& engine);

/// A started simulator, connected. Move-free owner: its destructor closes the door, waits, then asks, then
/// kills.
class SimulatorProcess {
 public:
  /// `arguments` follow the connection's. Throws UserError if the process cannot be started.
  SimulatorProcess(const std::string& program, const std::vector<std::string>& arguments,
                   const LaunchPlan& plan);
  ~SimulatorProcess();
  SimulatorProcess(const SimulatorProcess&) = delete;
  SimulatorProcess& operator=(const SimulatorProcess&) = delete;

  /// The connected socket; the caller takes it over.
  int take_socket();
  /// Of the run: what the simulator was told, too.
  const std::string& secret() const { return secret_; }
  /// "exit status 1", "killed by signal 9"; empty while it runs after waiting `milliseconds` for it.
  std::string ended(int milliseconds);

 private:
  void spawn(const std::vector<std::string>& command, int inherited_fd);
  void spawn_under_mpi(const std::string& program, const std::vector<std::string>& arguments,
                       const LaunchPlan& plan);
  int await_connection(int listener, const std::string& address);

  pid_t pid_ = -1;
  int socket_ = -1;
  std::string secret_;
  int status_ = 0;
};

}  // namespace polyloom::fabric
