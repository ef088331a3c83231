// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "fabric/error.h"
#include "polite/placed_graph.h"

namespace polyloom::polite {

namespace {

[[noreturn]] void on_terminate() {
  if (std::exception_ptr error = std::current_exception()) {
    try {
      std::rethrow_exception(error);
    } catch (const UserError& e) {
      std::fprintf(stderr, "polyloom: %s\n", e.what());
      std::fflush(nullptr);
      std::_Exit(1);
    } catch (const std::exception& e) {
      std::fprintf(stderr, "polyloom: defect: %s\n", e.what());
    } catch (...) {
      std::fprintf(stderr, "polyloom: defect: unknown exception\n");
    }
  }
  std::abort();
}

}  // namespace

void report_uncaught_errors() {
  static const auto previous = std::set_terminate(on_terminate);
  (void)previous;
}

}  // namespace polyloom::polite
