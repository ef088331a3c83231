// SPDX-License-Identifier: Apache-2.0
// Forced into every file of a Verilated object: what the design prints and how it stops goes to the shim, not
// to the process's standard output or to exit().
#pragma once

#include <stdexcept>

#define VL_PRINTF polyloom_rtl_printf
#define VL_USER_FINISH
#define VL_USER_STOP
#define VL_USER_FATAL

int polyloom_rtl_printf(const char* format, ...) __attribute__((format(printf, 1, 2)));

namespace polyloom_rtl {

/// The design stops: an assertion, $fatal, $stop or $finish.
struct Stopped : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Sends whole lines that were printed since to stderr, and forgets them.
void flush_print();
/// What was printed in this thread and not flushed.
void clear_print();

}  // namespace polyloom_rtl
