// SPDX-License-Identifier: Apache-2.0
#include "roles/mpi/sim/kernel_code.h"

#include <dlfcn.h>

#include <map>
#include <mutex>

#include "fabric/error.h"

namespace polyloom::mpi {
namespace {

using Make = hls::KernelModel* (*)();

Make load(const std::string& path) {
  void* object = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* make = object == nullptr ? nullptr : ::dlsym(object, "polyloom_kernel_model");
  if (make == nullptr) throw UserError(path + " is no kernel: " + ::dlerror());
  return reinterpret_cast<Make>(make);
}

}  // namespace

std::unique_ptr<hls::KernelModel> make_kernel(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, Make> known;  // never unloaded: kernels may outlive any owner
  const std::lock_guard lock(mutex);
  const auto [at, fresh] = known.try_emplace(path, nullptr);
  if (fresh) at->second = load(path);
  return std::unique_ptr<hls::KernelModel>(at->second());
}

}  // namespace polyloom::mpi
