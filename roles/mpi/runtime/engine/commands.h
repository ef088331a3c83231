// SPDX-License-Identifier: Apache-2.0
// ENGINE.md's commands on an Engine: three words in, two words out, one command at a time.
#pragma once

#include "roles/mpi/runtime/engine/engine.h"

namespace polyloom::mpi {

class Commands {
 public:
  explicit Commands(Engine& engine) : engine_(engine) {}

  /// Begins a command; the last one must have been answered.
  void begin(const std::uint64_t words[3], Time now);
  /// Fills the response once there is one.
  bool response(std::uint64_t words[2]);
  /// The words of the command that has no response yet, and since when; nullptr if there is none.
  const std::uint64_t* waiting() const { return pending_ ? words_ : nullptr; }
  Time since() const { return since_; }

 private:
  void start();
  void say(const Result& result, bool done, std::uint16_t handle_or_source);
  void say_error(int error) { say({.error = static_cast<std::uint8_t>(error)}, true, 0); }

  Engine& engine_;
  bool pending_ = false, responded_ = false;
  std::uint64_t words_[3] = {}, response_[2] = {};
  int handle_ = -1;
  Time since_ = 0;
};

}  // namespace polyloom::mpi
