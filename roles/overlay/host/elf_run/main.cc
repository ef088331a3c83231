// SPDX-License-Identifier: Apache-2.0
// polyloom-elf-run MICROSECONDS FILE: what `polyloom isa-test` runs. FILE: a JSON list of programs, [{"name",
// "entry", "tohost", "segments": [{"address", "hex"}]}]; standard output: a JSON line a program, {"name",
// "passed", "tohost", "reason", "microseconds"}. MICROSECONDS: simulated time that a program may take. The
// cluster is named by the environment (POLYLOOM_CLUSTER, POLYLOOM_ON). Ends when all programs have run or all
// instruction memories are used.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "fabric/error.h"
#include "roles/overlay/host/elf_run/elf_runner.h"

namespace {

using polyloom::UserError;
using polyloom::overlay::ElfProgram;
using polyloom::overlay::ElfSegment;

std::vector<std::uint8_t> from_hex(const std::string& text) {
  const auto digit = [](char c) -> unsigned {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
    throw UserError("a segment's hex has the character '" + std::string(1, c) + "'");
  };
  if (text.size() % 2 != 0) throw UserError("a segment's hex has half a byte");
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(digit(text[i]) * 16 + digit(text[i + 1])));
  }
  return bytes;
}

std::vector<ElfProgram> read_programs(const std::string& path) {
  std::vector<ElfProgram> programs;
  std::ifstream file(path);
  if (!file) throw UserError("cannot read " + path);
  try {
    for (const auto& item : nlohmann::json::parse(file)) {
      ElfProgram program{item.at("name"), item.at("entry"), item.at("tohost"), {}};
      for (const auto& segment : item.at("segments")) {
        program.segments.push_back(ElfSegment{segment.at("address"), from_hex(segment.at("hex"))});
      }
      programs.push_back(std::move(program));
    }
  } catch (const nlohmann::json::exception& error) {
    throw UserError(path + " is no list of programs: " + error.what());
  }
  return programs;
}

int run(double limit_us, const std::string& path) {
  const std::vector<ElfProgram> programs = read_programs(path);
  polyloom::overlay::ElfRunner runner(polyloom::overlay::connect_to_simulator());
  for (const ElfProgram& program : programs) {
    if (runner.left() == 0) break;
    const auto result = runner.run(program, limit_us);
    const nlohmann::json line{{"name", program.name},
                              {"passed", result.passed},
                              {"tohost", result.tohost},
                              {"reason", result.reason},
                              {"microseconds", result.microseconds}};
    std::cout << line.dump() << std::endl;  // flushed: somebody watches
  }
  runner.finish();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const double limit_us = argc == 3 ? std::strtod(argv[1], nullptr) : 0;
    if (limit_us <= 0) throw UserError("usage: polyloom-elf-run MICROSECONDS programs.json");
    return run(limit_us, argv[2]);
  } catch (const UserError& error) {
    std::fprintf(stderr, "polyloom: %s\n", error.what());
    return 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "polyloom: defect: %s\n", error.what());
    return 1;
  }
}
