// SPDX-License-Identifier: Apache-2.0
// How a contestant's program responds: lines of JSON, and arrays in files.
#pragma once

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fabric/error.h"
#include "fabric/json_text.h"

namespace polyloom::bench {

inline void say(const nlohmann::json& line) { std::cout << json_text(line) << std::endl; }

template <typename T>
void write_array(const std::string& path, const std::vector<T>& values) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(T)));
  if (!file.flush()) throw UserError("bench_native_graph: cannot write " + path);
}

}  // namespace polyloom::bench
