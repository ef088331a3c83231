// SPDX-License-Identifier: Apache-2.0
// For tests of readers: files in a folder of their own, and what graphs hold.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "fabric/error.h"
#include "polite/read_graph.h"

namespace polyloom::polite {

class Files : public testing::Test {
 protected:
  Files() : folder_(std::filesystem::temp_directory_path() / ("polite_read_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Files() override { std::filesystem::remove_all(folder_); }
  std::string put(const std::string& name, const std::string& text) const {
    const std::string file = (folder_ / name).string();
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  std::string put_gzip(const std::string& name, const std::string& text) const {
    const std::string file = (folder_ / name).string();
    gzFile gz = gzopen(file.c_str(), "wb");
    gzwrite(gz, text.data(), static_cast<unsigned>(text.size()));
    gzclose(gz);
    return file;
  }
  std::string error_of(const std::string& file, const ReadOptions& options = {}) const {
    try {
      read_graph(file, options);
    } catch (const UserError& e) {
      const std::string text = e.what();
      const std::string prefix = folder_.string() + "/";
      EXPECT_TRUE(text.starts_with(prefix)) << text;
      return text.substr(prefix.size());
    }
    return "no error";
  }
  std::filesystem::path folder_;
};

using Edges = std::vector<Edge>;
using Weights = std::vector<double>;
using Names = std::vector<std::string>;

inline Names names_of(const GraphData& g) {
  Names names;
  EXPECT_EQ(g.names.size(), g.vertices);
  for (std::uint32_t v = 0; v < g.vertices; ++v) names.push_back(g.names[v]);
  return names;
}

}  // namespace polyloom::polite
