// SPDX-License-Identifier: Apache-2.0
// A kernel as code of this machine (polyloom/hls/README.md, The model): a shared object, loaded once a
// process.
#pragma once

#include <memory>
#include <string>

#include "roles/mpi/arch/kernel_model.h"

namespace polyloom::mpi {

/// Makes kernels of the object at `path`, each with a memory of its own. Throws UserError if it is none.
std::unique_ptr<hls::KernelModel> make_kernel(const std::string& path);

}  // namespace polyloom::mpi
