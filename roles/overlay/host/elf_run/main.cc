// SPDX-License-Identifier: Apache-2.0
// polyloom-elf-run MICROSECONDS FILE: what `polyloom isa-test` runs for each program. FILE: the program in
// JSON, {"name", "entry", "tohost", "segments": [{"address", "executable", "hex"}]}; standard output: a JSON
// line, {"name", "passed", "tohost", "reason", "microseconds"}. MICROSECONDS: simulated time that the program
// may take. The cluster is named by the environment (POLYLOOM_CLUSTER, POLYLOOM_ON).
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "fabric/error.h"
#include "fabric/guarded.h"
#include "fabric/json_text.h"
#include "roles/overlay/host/elf_run/elf_runner.h"

namespace {

using polyloom::UserError;
using polyloom::overlay::ElfProgram;
using polyloom::overlay::ElfSegment;

/// As `polyloom isa-test` allows: 1000 s of simulated time.
constexpr double kMaxLimitUs = 1e9;

std::vector<std::uint8_t> from_hex(const std::string& text) {
  std::vector<std::uint8_t> bytes((text.size() + 1) / 2);
  const char* at = text.data();
  for (std::uint8_t& byte : bytes) {
    const char* end = std::min(at + 2, text.data() + text.size());
    if (end - at != 2 || std::from_chars(at, end, byte, 16).ptr != end) {
      throw UserError("a segment's hex is no row of bytes at '" + std::string(at, end) + "'");
    }
    at = end;
  }
  return bytes;
}

ElfProgram read_program(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw UserError("cannot read " + path);
  try {
    const auto item = nlohmann::json::parse(file);
    ElfProgram program{item.at("name"), item.at("entry"), item.at("tohost"), {}};
    for (const auto& segment : item.at("segments")) {
      program.segments.push_back(
          ElfSegment{segment.at("address"), segment.at("executable"), from_hex(segment.at("hex"))});
    }
    return program;
  } catch (const nlohmann::json::exception& error) {
    throw UserError(path + " is no program: " + error.what());
  }
}

int run(double limit_us, const std::string& path) {
  const ElfProgram program = read_program(path);
  polyloom::overlay::ElfRunner runner(polyloom::overlay::connect_to_simulator());
  const auto result = runner.run(program, limit_us);
  const nlohmann::json line{{"name", program.name},
                            {"passed", result.passed},
                            {"tohost", result.tohost},
                            {"reason", result.reason},
                            {"microseconds", result.microseconds}};
  std::cout << polyloom::json_text(line) << std::endl;
  runner.finish();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return polyloom::guarded([&] {
    const double limit_us = argc == 3 ? std::strtod(argv[1], nullptr) : 0;
    if (!(limit_us > 0 && limit_us <= kMaxLimitUs)) {
      throw UserError(
          "usage: polyloom-elf-run MICROSECONDS program.json, MICROSECONDS above 0 and at most 1e9");
    }
    return run(limit_us, argv[2]);
  });
}
