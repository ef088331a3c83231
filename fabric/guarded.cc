// SPDX-License-Identifier: Apache-2.0
#include "fabric/guarded.h"

#include <csignal>
#include <cstdio>
#include <new>
#include <stdexcept>

#include "fabric/error.h"
#include "fabric/memory.h"

namespace polyloom {
namespace {

/// Memory was asked for that is not there: by the allocator's response, or by a size beyond any memory.
Ending lack_of_memory() {
  return {kUserErrorStatus,
          "not enough memory: " + bytes_text(memory_there()) +
              " are left, and this work needs more; make it smaller, or run it on a machine (or "
              "in a control group) with more"};
}

Ending defect(const char* what) {
  return {kDefectStatus, std::string("a defect of Polyloom, please report it: ") + what};
}

}  // namespace

Ending ending_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const UserError& e) {
    return {kUserErrorStatus, e.what()};
  } catch (const std::bad_alloc&) {
    return lack_of_memory();
  } catch (const std::length_error&) {
    return lack_of_memory();
  } catch (const std::exception& e) {
    return defect(e.what());
  } catch (...) {
    return defect("an exception without a text");
  }
}

int report(const std::exception_ptr& error) noexcept {
  const Ending ending = ending_of(error);
  std::fprintf(stderr, "polyloom: %s\n", ending.text.c_str());
  return ending.status;
}

void heed_file_limits() noexcept { std::signal(SIGXFSZ, SIG_IGN); }

}  // namespace polyloom
