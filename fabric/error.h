// SPDX-License-Identifier: Apache-2.0
// The one error type that reaches a person.
#pragma once

#include <stdexcept>

namespace polyloom {

/// Something the user gave or the machine lacks. The message names what, where, and what would be right;
/// programs print it after "polyloom: " and exit with status 1. Anything else that is thrown is a defect of
/// ours.
struct UserError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace polyloom
