// SPDX-License-Identifier: Apache-2.0
#include "roles/mpi/sim/image.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "fabric/error.h"

namespace polyloom::mpi {
namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw UserError("POLYLOOM_KERNELS = " + path + ": " + what +
                  "; right: {\"fpga.0\": {\"files\": [\"/abs/kernel.f\"]}, ...}");
}

json read(const std::string& path) {
  std::ifstream file(path);
  if (!file) refuse(path, "the file cannot be read");
  try {
    json all = json::parse(file);
    if (!all.is_object()) refuse(path, "not an object");
    return all;
  } catch (const json::exception& error) {
    refuse(path, error.what());
  }
}

std::vector<std::string> files_of(const json& entry, const std::string& path, const std::string& node) {
  std::vector<std::string> files;
  if (entry.is_object() && entry.contains("files") && entry["files"].is_array()) {
    for (const json& file : entry["files"]) {
      if (file.is_string()) files.push_back(file.get<std::string>());
    }
  }
  if (files.empty()) refuse(path, "node " + node + " has no \"files\", an array of file lists");
  return files;
}

// The node's entry of the file that the environment names; null if there is none.
json entry_of(const std::string& node) {
  const char* path = std::getenv("POLYLOOM_KERNELS");
  if (path == nullptr || *path == '\0') return nullptr;
  static const json all = read(path);  // once, as a large cluster has as many entries as nodes that ask
  const auto entry = all.contains(node) ? all.find(node) : all.find("*");
  return entry == all.end() ? json() : *entry;
}

}  // namespace

std::vector<std::string> kernel_files(const std::string& node, const std::string& image) {
  std::vector<std::string> files;
  if (const json entry = entry_of(node); !entry.is_null()) {
    files = files_of(entry, std::getenv("POLYLOOM_KERNELS"), node);
  }
  if (files.empty() && !image.empty()) files = {image};
  if (files.empty()) {
    throw UserError(
        "node " + node +
        " has no kernel to run; name one in the JSON file that POLYLOOM_KERNELS names (polyloom mpirun "
        "does) or by image = \"/abs/kernel.f\" in [kernel] of the cluster file");
  }
  for (const std::string& file : files) {
    if (!std::filesystem::exists(file)) throw UserError("node " + node + ": no kernel at " + file);
  }
  return files;
}

std::string kernel_code(const std::string& node) {
  const json entry = entry_of(node);
  if (!entry.is_object() || !entry.contains("code") || !entry["code"].is_string()) {
    throw UserError("node " + node +
                    " has no kernel to run; name its code in the JSON file that POLYLOOM_KERNELS names, "
                    "{\"fpga.0\": {\"code\": \"/abs/kernel.so\"}, ...} (polyloom mpirun does)");
  }
  return entry["code"];
}

}  // namespace polyloom::mpi
