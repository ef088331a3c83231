// SPDX-License-Identifier: Apache-2.0
// EdgeList as POLite applications use it (docs/sources/tinsel.md, 5.6): pairs of unsigned numbers "src dst",
// separated by any white space; nodes are 0 .. largest id, those that occur nowhere too. Header only, so that
// plain PC programs can include it too. Failures print one message that begins with "polyloom: " and end the
// program with status 1. For other formats, gzip, large files and ids with gaps use polite/read_graph.h.
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

struct EdgeList {
  uint32_t numNodes = 0;
  uint32_t numEdges = 0;
  /// neighbours[i][0] is the out-degree of i; its targets follow, the last of the file first.
  uint32_t** neighbours = nullptr;

  EdgeList() = default;
  EdgeList(const EdgeList&) = delete;
  EdgeList& operator=(const EdgeList&) = delete;
  ~EdgeList() { free_rows(); }

  void read(const char* filename) {
    std::vector<uint32_t> ids = numbers_of(filename);
    if (ids.size() % 2 != 0) fail(filename, "holds an odd count of numbers; an edge is a pair 'src dst'");
    numEdges = (uint32_t)(ids.size() / 2);
    numNodes = 0;
    for (uint32_t id : ids) numNodes = std::max(numNodes, id + 1);
    free_rows();
    std::vector<uint32_t> degree(numNodes, 0);
    for (size_t e = 0; e < ids.size(); e += 2) ++degree[ids[e]];
    cells_.assign((size_t)numNodes + numEdges, 0);
    neighbours = new uint32_t*[std::max(numNodes, 1u)];
    uint32_t* row = cells_.data();
    for (uint32_t i = 0; i < numNodes; ++i) {
      neighbours[i] = row;
      row += degree[i] + 1;
    }
    for (size_t e = ids.size(); e != 0; e -= 2) {
      uint32_t* const from = neighbours[ids[e - 2]];
      from[++from[0]] = ids[e - 1];
    }
  }

  uint32_t maxFanOut() const {
    uint32_t most = 0;
    for (uint32_t i = 0; i < numNodes; ++i) most = std::max(most, neighbours[i][0]);
    return most;
  }
  uint32_t minFanOut() const {
    uint32_t least = numNodes == 0 ? 0 : ~0u;
    for (uint32_t i = 0; i < numNodes; ++i) least = std::min(least, neighbours[i][0]);
    return least;
  }

 private:
  std::vector<uint32_t> cells_;

  void free_rows() {
    delete[] neighbours;
    neighbours = nullptr;
  }
  [[noreturn]] static void fail(const char* file, const std::string& what) {
    fprintf(stderr, "polyloom: %s: %s\n", file, what.c_str());
    exit(1);
  }
  static std::vector<uint32_t> numbers_of(const char* filename) {
    FILE* file = fopen(filename, "rb");
    if (file == nullptr) fail(filename, "cannot be opened");
    std::vector<uint32_t> ids;
    std::vector<char> block(1 << 20);
    uint64_t value = 0, line = 1;
    bool digits = false;
    for (size_t got; (got = fread(block.data(), 1, block.size(), file)) != 0;) {
      for (size_t i = 0; i < got; ++i) {
        const char c = block[i];
        if (c >= '0' && c <= '9') {
          value = value * 10 + (uint64_t)(c - '0');
          digits = true;
          if (value >= 0xffffffffu)
            fail(filename, "line " + std::to_string(line) + ": a vertex is below 4294967295");
        } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
          if (digits) ids.push_back((uint32_t)value);
          digits = false;
          value = 0;
          line += c == '\n';
        } else {
          fail(filename, "line " + std::to_string(line) + ": only digits and white space are expected");
        }
      }
    }
    const bool failed = ferror(file) != 0;
    fclose(file);
    if (failed) fail(filename, "cannot be read to its end");
    if (digits) ids.push_back((uint32_t)value);
    return ids;
  }
};
