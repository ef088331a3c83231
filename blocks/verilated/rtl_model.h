// SPDX-License-Identifier: Apache-2.0
// A Verilated design in this process: builds it on demand, loads it, gives access to its ports.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "blocks/verilated/shim/abi.h"
#include "fabric/time.h"

namespace polyloom::blocks {

/// Which design: what decides on the shared object that is loaded.
struct RtlShape {
  std::string top;
  std::vector<std::string> files;                 ///< file lists; relative ones from the checkout's root
  std::map<std::string, std::string> parameters;  ///< of the top; values as Verilog literals
  bool trace = false;                             ///< able to write waves; slower
  std::vector<std::string>
      lanes{};        ///< modules whose instances are lanes (polyloom/rtl/lanes); not of a trace
  std::string app{};  ///< the top is a shell, built once: the module that is joined with its ports app_*
  std::vector<std::string> app_files{};  ///< as `files`, of the app

  bool operator<(const RtlShape& o) const {
    return std::tie(top, files, parameters, trace, lanes, app, app_files) <
           std::tie(o.top, o.files, o.parameters, o.trace, o.lanes, o.app, o.app_files);
  }
};

/// Path of the shape's shared object; builds it (polyloom.rtl.node_build, some 10 s up to minutes, progress
/// on stderr) if the cache has none. Thread safe; asks once for each shape. Needs $POLYLOOM_PYTHON, or the
/// Python of .venv in home() (fabric/home.h) or of the environment in which that is installed. Throws
/// UserError with what the tools said.
std::string build_rtl(const RtlShape& shape);

/// One instance of a design. Not thread safe, but may wander between threads. What the design says by an
/// assertion, $fatal or $finish comes out of settle() and step() as UserError.
class RtlModel {
 public:
  /// `name` is for messages. Throws UserError if the object cannot be loaded.
  RtlModel(std::string name, const std::string& object, std::uint64_t seed);
  ~RtlModel();
  RtlModel(const RtlModel&) = delete;
  RtlModel& operator=(const RtlModel&) = delete;

  struct Port {
    std::uint8_t* data = nullptr;  ///< null: the design has no such port
    unsigned bits = 0;
    explicit operator bool() const { return data != nullptr; }
    bool bit(unsigned i) const { return (data[i / 8] >> (i % 8) & 1) != 0; }
    void set_bit(unsigned i, bool value) const {
      const auto mask = static_cast<std::uint8_t>(1u << (i % 8));
      data[i / 8] = static_cast<std::uint8_t>(value ? data[i / 8] | mask : data[i / 8] & ~mask);
    }
  };
  Port input(const std::string& port) const { return find(port, true); }
  Port output(const std::string& port) const { return find(port, false); }
  const polyloom_rtl_api& api() const { return *api_; }

  void settle() { check(api_->settle(handle_)); }
  void step() { check(api_->step(handle_)); }

  void trace_open(const std::string& path) { check(api_->trace_open(handle_, path.c_str())); }
  void trace_dump(fabric::Time t) { check(api_->trace_dump(handle_, static_cast<std::uint64_t>(t))); }
  void trace_close() { api_->trace_close(handle_); }

 private:
  Port find(const std::string& port, bool input) const;
  void check(int failed) const {
    if (failed != 0) fail();
  }
  [[noreturn]] void fail() const;

  std::string name_;
  std::shared_ptr<void> library_;
  const polyloom_rtl_api* api_ = nullptr;
  void* handle_ = nullptr;
};

}  // namespace polyloom::blocks
