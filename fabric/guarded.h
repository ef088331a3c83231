// SPDX-License-Identifier: Apache-2.0
// What the end of a program by an exception looks like, everywhere: one line on standard error and a status.
#pragma once

#include <exception>
#include <string>

namespace polyloom {

inline constexpr int kUserErrorStatus = 1;
/// A defect of ours, as sysexits.h's EX_SOFTWARE.
inline constexpr int kDefectStatus = 70;

/// What an exception comes to: kUserErrorStatus for a UserError and where memory was lacking, kDefectStatus
/// for all else, which is told as a defect.
struct Ending {
  int status;
  std::string text;
};
Ending ending_of(const std::exception_ptr& error);

/// Prints the text as "polyloom: TEXT" and returns the status.
int report(const std::exception_ptr& error) noexcept;

/// A file that grows past its limit (ulimit -f) makes a write fail, which is told, instead of ending the
/// process.
void heed_file_limits() noexcept;

/// The body of a main(): its status, or what tell() makes of what it throws.
template <typename Body>
int guarded(Body&& body) noexcept {
  heed_file_limits();
  try {
    return body();
  } catch (...) {
    return report(std::current_exception());
  }
}

}  // namespace polyloom
