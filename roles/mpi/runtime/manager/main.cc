// SPDX-License-Identifier: Apache-2.0
// polyloom-mpi-manager JOB.json: rank `size` of that job (cpu/job.h). Exit status: 0 all ranks ended with 0,
// 1 a rank failed or ended the job, 2 the job cannot run, 3 deadlock.
#include <iostream>
#include <nlohmann/json.hpp>

#include "fabric/error.h"
#include "fabric/host/client.h"
#include "fabric/json_text.h"
#include "roles/mpi/runtime/manager/manager.h"

namespace {

int fail(const char* text, bool consequence) {
  const nlohmann::json event{{"event", "error"}, {"text", text}, {"consequence", consequence}};
  std::cout << polyloom::json_text(event) << std::endl;
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  using polyloom::fabric::HostErrorReason, polyloom::fabric::SimulatorError;
  using namespace polyloom::mpi;
  try {
    if (argc != 2) throw polyloom::UserError("usage: polyloom-mpi-manager JOB.json");
    const Job job = read_job(argv[1]);
    if (job.config.rank != job.config.size) {
      throw polyloom::UserError(std::string(argv[1]) + ": rank is not the manager's, which is size");
    }
    Manager manager(job);
    return static_cast<int>(manager.run());
  } catch (const SimulatorError& error) {
    // The launcher knows which program ended before, if perhaps later than we do.
    return fail(error.what(),
                error.reason == HostErrorReason::interrupted || error.reason == HostErrorReason::lost);
  } catch (const std::exception& error) {
    return fail(error.what(), false);
  }
}
