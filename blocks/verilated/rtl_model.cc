// SPDX-License-Identifier: Apache-2.0
#include "blocks/verilated/rtl_model.h"

#include <dlfcn.h>

#include <cstring>

#include "fabric/error.h"

namespace polyloom::blocks {

RtlModel::RtlModel(std::string name, const std::string& object, std::uint64_t seed) : name_(std::move(name)) {
  void* library = ::dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw UserError(name_ + ": cannot load the RTL model: " + ::dlerror());
  library_ = std::shared_ptr<void>(library, ::dlclose);
  using Entry = const polyloom_rtl_api* (*)();
  const auto entry = reinterpret_cast<Entry>(::dlsym(library, POLYLOOM_RTL_ABI_SYMBOL));
  if (entry == nullptr) throw UserError(name_ + ": " + object + " is no RTL model of Polyloom");
  api_ = entry();
  if (api_->version != POLYLOOM_RTL_ABI_VERSION) {
    throw UserError(name_ + ": " + object + " speaks version " + std::to_string(api_->version) +
                    " of the RTL interface, this program version " +
                    std::to_string(POLYLOOM_RTL_ABI_VERSION) + "; delete it, so that it is built anew");
  }
  handle_ = api_->create(seed);
  if (handle_ == nullptr) throw UserError(name_ + ": no memory for another RTL model of " + api_->top);
  for (std::uint32_t i = 0; i < api_->port_count; ++i) {  // they start at random, too
    if (api_->ports[i].is_input) std::memset(api_->port(handle_, i), 0, api_->ports[i].bytes);
  }
}

RtlModel::~RtlModel() {
  if (handle_ != nullptr) api_->destroy(handle_);
}

RtlModel::Port RtlModel::find(const std::string& port, bool input) const {
  for (std::uint32_t i = 0; i < api_->port_count; ++i) {
    const polyloom_rtl_port& p = api_->ports[i];
    if (port != p.name) continue;
    if ((p.is_input != 0) != input) {
      throw UserError(name_ + ": port " + port + " of " + api_->top + " has the wrong direction");
    }
    return {api_->port(handle_, i), p.bits};
  }
  return {};
}

void RtlModel::fail() const { throw UserError(name_ + ": " + api_->error(handle_)); }

}  // namespace polyloom::blocks
