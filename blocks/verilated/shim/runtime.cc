// SPDX-License-Identifier: Apache-2.0
// What Verilator's runtime calls when a design prints or stops.
#include <cstdarg>
#include <cstdio>
#include <string>

#include "verilated.h"

namespace {

// Designs of several threads print at the same time; each thread's text is its own.
thread_local std::string printed;

[[noreturn]] void stop(const char* file, int line, const char* what) {
  // An assertion has printed its own text, with its place, right before; it says more than the place alone.
  std::string text = printed;
  printed.clear();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const std::string place = std::string(what) + " at " + (file ? file : "?") + ":" + std::to_string(line);
  throw polyloom_rtl::Stopped(text.empty() ? place : text + " (" + place + ")");
}

}  // namespace

int polyloom_rtl_printf(const char* format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int size = std::vsnprintf(nullptr, 0, format, arguments);
  va_end(arguments);
  if (size > 0) {
    const std::size_t before = printed.size();
    printed.resize(before + static_cast<std::size_t>(size) + 1);
    std::vsnprintf(&printed[before], static_cast<std::size_t>(size) + 1, format, again);
    printed.pop_back();
  }
  va_end(again);
  return size;
}

void vl_finish(const char* file, int line, const char*) { stop(file, line, "$finish"); }
void vl_stop(const char* file, int line, const char*) { stop(file, line, "the design stopped"); }
void vl_fatal(const char* file, int line, const char*, const char* message) { stop(file, line, message); }

void polyloom_rtl::flush_print() {
  if (printed.empty()) return;
  std::fwrite(printed.data(), 1, printed.size(), stderr);
  printed.clear();
}

void polyloom_rtl::clear_print() { printed.clear(); }
