// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "fabric/guarded.h"
#include "polite/placed_graph.h"

namespace polyloom::polite {

namespace {

[[noreturn]] void on_terminate() {
  const std::exception_ptr error = std::current_exception();
  if (!error) std::abort();
  const int status = report(error);
  std::fflush(nullptr);
  std::_Exit(status);
}

}  // namespace

void report_uncaught_errors() {
  static const auto previous = std::set_terminate(on_terminate);
  (void)previous;
}

}  // namespace polyloom::polite
