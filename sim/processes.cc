// SPDX-License-Identifier: Apache-2.0
#include "sim/processes.h"

#include "fabric/error.h"

#ifdef POLYLOOM_WITH_MPI
#include <mpi.h>

#include "fabric/mpi/session.h"
#endif

namespace polyloom::simulator {

#ifdef POLYLOOM_WITH_MPI

struct Processes::Session : fabric::mpi::Session {
  using fabric::mpi::Session::Session;
};

Processes::Processes(bool use_mpi, int& argc, char**& argv) {
  if (use_mpi) session_ = std::make_unique<Session>(argc, argv);
}

int Processes::rank() const { return session_ ? session_->rank() : 0; }
int Processes::size() const { return session_ ? session_->size() : 1; }

std::function<void(fabric::Fabric&)> Processes::partition() const {
  if (!session_) return {};
  return [this](fabric::Fabric& fabric) { session_->partition(fabric); };
}

std::string Processes::gather(const std::string& text) const {
  if (!session_) return text;
  const int own = static_cast<int>(text.size());
  std::vector<int> sizes(static_cast<std::size_t>(size())), begins(sizes.size());
  MPI_Gather(&own, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  int total = 0;
  for (std::size_t i = 0; rank() == 0 && i < sizes.size(); ++i) {
    begins[i] = total;
    total += sizes[i];
  }
  std::string all(static_cast<std::size_t>(total), '\0');
  MPI_Gatherv(text.data(), own, MPI_CHAR, all.data(), sizes.data(), begins.data(), MPI_CHAR, 0,
              MPI_COMM_WORLD);
  return all;
}

#else

struct Processes::Session {};

Processes::Processes(bool use_mpi, int&, char**&) {
  if (use_mpi) {
    throw UserError(
        "engine mpi: this program was built without MPI, as all in a wheel are; use threads:N, or install "
        "libopenmpi-dev and build from the source tree");
  }
}

int Processes::rank() const { return 0; }
int Processes::size() const { return 1; }
std::function<void(fabric::Fabric&)> Processes::partition() const { return {}; }
std::string Processes::gather(const std::string& text) const { return text; }

#endif

Processes::~Processes() = default;

}  // namespace polyloom::simulator
