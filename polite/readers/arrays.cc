// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <vector>

#include "fabric/error.h"
#include "polite/graph_arrays.h"
#include "polite/readers/formats.h"

namespace polyloom::polite {

namespace {

static_assert(std::endian::native == std::endian::little, "arrays are taken as they lie in the file");

enum NamesKind : std::uint32_t { kNoNames, kNumbers, kWords };

/// A file in memory, for as long as this lives.
class Mapping {
 public:
  Mapping(const std::string& file, const std::string& called) {
    const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat facts {};
    if (fd >= 0 && ::fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0) {
      size_ = static_cast<std::size_t>(facts.st_size);
      start_ = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, fd, 0);
    }
    const int error = errno;
    if (fd >= 0) ::close(fd);
    if (fd < 0 || (size_ > 0 && start_ == MAP_FAILED))
      throw UserError(called + ": cannot be read: " + std::strerror(error));
    if (size_ == 0) throw UserError(called + ": arrays are mapped, so a file that is not empty is expected");
  }
  ~Mapping() { ::munmap(start_, size_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(start_), size_}; }

 private:
  void* start_ = nullptr;
  std::size_t size_ = 0;
};

/// Takes arrays off the front of a file.
class Arrays {
 public:
  Arrays(std::span<const std::byte> rest, const std::string& called) : rest_(rest), called_(called) {}

  template <typename T>
  std::span<const T> next(std::uint64_t count) {
    if (count > rest_.size() / sizeof(T)) fail("ends too early");
    const std::span<const T> array(reinterpret_cast<const T*>(rest_.data()), count);
    rest_ = rest_.subspan(count * sizeof(T));
    return array;
  }
  [[noreturn]] void fail(const std::string& why) const { throw UserError(called_ + ": is damaged: " + why); }
  void end() const {
    if (!rest_.empty()) fail("something stands behind its end");
  }

 private:
  std::span<const std::byte> rest_;
  std::string called_;
};

VertexNames read_names(Arrays& arrays, const GraphArraysHead& head) {
  const auto vertices = static_cast<std::uint32_t>(head.vertices);
  if (head.names == kNoNames) return VertexNames::consecutive(vertices);
  if (head.names == kNumbers) {
    const auto numbers = arrays.next<std::uint64_t>(vertices);
    if (std::ranges::adjacent_find(numbers, std::greater_equal<>()) != numbers.end())
      arrays.fail("its numbers do not ascend");
    return VertexNames::numbers({numbers.begin(), numbers.end()});
  }
  if (head.names != kWords) arrays.fail("its names are of no known kind");
  const auto ends = arrays.next<std::uint64_t>(vertices);
  const auto bytes = arrays.next<char>(head.word_bytes);
  std::vector<std::string> words;
  words.reserve(vertices);
  std::uint64_t begin = 0;
  for (const std::uint64_t end : ends) {
    if (end < begin || end > bytes.size()) arrays.fail("a name lies outside");
    words.emplace_back(bytes.data() + begin, end - begin);
    begin = end;
  }
  return VertexNames::of(std::move(words));
}

template <typename T>
void put(std::string& to, std::span<const T> array) {
  to.append(reinterpret_cast<const char*>(array.data()), array.size_bytes());
}

/// All before the edges, and all behind them.
std::pair<std::string, std::string> around_edges(const GraphData& graph) {
  GraphArraysHead head{};
  std::memcpy(head.magic, kArraysMagic, sizeof head.magic);
  head.vertices = graph.vertices;
  head.edges = graph.edges.size();
  head.has_weights = graph.weights.empty() ? 0 : 1;
  head.mirrored = graph.mirrored ? 1 : 0;
  head.names = graph.names.are_indices() ? kNoNames : graph.names.numeric() ? kNumbers : kWords;
  std::string names, words;
  for (std::uint32_t v = 0; head.names != kNoNames && v < graph.vertices; ++v) {
    if (head.names == kWords) words += graph.names[v];
    const std::uint64_t number = head.names == kWords ? words.size() : graph.names.number(v);
    put<std::uint64_t>(names, {&number, 1});
  }
  head.word_bytes = words.size();
  std::string before, behind;
  put<GraphArraysHead>(before, {&head, 1});
  put<double>(behind, graph.weights);
  return {before, behind + names + words};
}

}  // namespace

MappedEdges map_graph_arrays(const std::string& file, const std::string& called, GraphData& rest) {
  const auto mapping = std::make_shared<const Mapping>(file, called);
  Arrays arrays(mapping->bytes(), called);
  const GraphArraysHead head = arrays.next<GraphArraysHead>(1)[0];
  if (std::memcmp(head.magic, kArraysMagic, sizeof head.magic) != 0)
    throw UserError(called + ": holds no arrays; those begin with " + kArraysMagic);
  if (head.vertices > kLargestId + 1) arrays.fail("it has too many vertices");
  rest = {};
  rest.vertices = static_cast<std::uint32_t>(head.vertices);
  rest.mirrored = head.mirrored != 0;
  rest.format = "arrays";
  const auto edges = arrays.next<Edge>(head.edges);
  const auto inside = [&](const Edge& e) { return e.from < rest.vertices && e.to < rest.vertices; };
  if (!std::ranges::all_of(edges, inside)) arrays.fail("an edge leaves the graph");
  if (head.has_weights != 0) {
    const auto weights = arrays.next<double>(head.edges);
    rest.weights.assign(weights.begin(), weights.end());
    if (!std::ranges::all_of(weights, [](double weight) { return weight - weight == 0; }))
      throw UserError(called + ": a weight is no finite number");
  }
  rest.names = read_names(arrays, head);
  arrays.end();
  return {mapping, edges};
}

GraphData read_arrays(const std::string& file, const std::string& called) {
  GraphData graph;
  const MappedEdges mapped = map_graph_arrays(file, called, graph);
  graph.edges.assign(mapped.edges.begin(), mapped.edges.end());
  return graph;
}

void write_graph_arrays(const GraphData& graph, const std::string& file) {
  const auto [before, behind] = around_edges(graph);
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  bool good = fd >= 0;
  const auto write_all = [&](const void* data, std::size_t size) {
    for (const char* at = static_cast<const char*>(data); good && size > 0;) {
      const ssize_t n = ::write(fd, at, std::min<std::size_t>(size, 1 << 30));
      good = n > 0 || (n < 0 && errno == EINTR);
      if (n > 0) at += n, size -= static_cast<std::size_t>(n);
    }
  };
  write_all(before.data(), before.size());
  write_all(graph.edges.data(), graph.edges.size() * sizeof(Edge));
  write_all(behind.data(), behind.size());
  const int error = errno;
  if (fd >= 0) good = ::close(fd) == 0 && good;
  if (!good) throw UserError(file + ": cannot be written: " + std::strerror(error));
}

}  // namespace polyloom::polite
