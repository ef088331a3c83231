// SPDX-License-Identifier: Apache-2.0
// A HostLink over a fake cluster of 4 x 2 boards, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "roles/overlay/host/HostLink.h"
#include "roles/overlay/host/core.h"
#include "roles/overlay/host/fake_cluster.h"

namespace polyloom::overlay {

namespace fs = std::filesystem;

inline ClusterFacts small_facts() {
  ClusterFacts facts;
  facts.name = "test";
  facts.boards_x = 4;
  facts.boards_y = 2;
  facts.tiles_x = facts.tiles_y = 2;
  return facts;
}

class HostLinkTest : public testing::Test {
 protected:
  HostLinkTest() {
    testing::FLAGS_gtest_death_test_style = "fast";
    unsetenv("HOSTLINK_BOXES_X");
    unsetenv("HOSTLINK_BOXES_Y");
    folder_ = fs::temp_directory_path() / ("polyloom-hostlink-" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  ~HostLinkTest() override { fs::remove_all(folder_); }

  void open() {
    cluster_ = new FakeCluster(small_facts());
    link_ = std::make_unique<HostLink>(cluster_);
  }
  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  // Everything that a call prints to a FILE.
  template <class F>
  std::string printed(F&& f) {
    const fs::path path = folder_ / "out";
    std::FILE* out = std::fopen(path.c_str(), "w");
    f(out);
    std::fclose(out);
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  FakeCluster* cluster_ = nullptr;  // the link's
  std::unique_ptr<HostLink> link_;
  fs::path folder_;
};

}  // namespace polyloom::overlay
