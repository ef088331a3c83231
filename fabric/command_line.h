// SPDX-License-Identifier: Apache-2.0
// How our programs report a command line that they cannot read: in one line, as every other error.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>

namespace polyloom::fabric {

/// What is wrong with a command line, in one line.
inline std::string command_line_text(const CLI::App* app, const CLI::Error& error) {
  std::string text = error.what();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text + "; all options: " + app->get_name() + " --help";
}

/// For CLI::App::failure_message.
inline std::string command_line_error(const CLI::App* app, const CLI::Error& error) {
  return "polyloom: " + command_line_text(app, error) + "\n";
}

/// Of options of unsigned type, which would take "-1" for the largest number.
inline const CLI::Validator not_negative(
    [](const std::string& text) { return text.starts_with('-') ? text + ": a number from 0 on" : ""; }, "",
    "");

}  // namespace polyloom::fabric
