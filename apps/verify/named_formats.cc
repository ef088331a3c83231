// SPDX-License-Identifier: Apache-2.0
// The second reading of formats whose vertices have names: apt's index (deb822(5), Debian Policy 7.1) and our
// snapshot (polite/readers/snapshot.cc says how it lies).
#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "apps/verify/second_reading.h"
#include "fabric/error.h"

namespace polyloom::apps {
namespace {

using Texts = std::vector<std::string>;

std::string stripped(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

Texts split(const std::string& text, char between) {
  Texts pieces(1);
  for (const char c : text) {
    if (c == between) {
      pieces.emplace_back();
    } else {
      pieces.back() += c;
    }
  }
  Texts kept;
  for (const std::string& piece : pieces) {
    if (!stripped(piece).empty()) kept.push_back(stripped(piece));
  }
  return kept;
}

/// The package of "libc6:any (>= 2.36) [amd64]".
std::string package_in(const std::string& relation) {
  return relation.substr(0, relation.find_first_of(" \t(:[<"));
}

/// Paragraphs of "Field: value", values going on in lines that begin with a blank.
std::vector<std::map<std::string, std::string>> paragraphs_of(const std::string& text) {
  std::vector<std::map<std::string, std::string>> all(1);
  std::string field;
  Lines lines(text);
  for (std::string_view line; lines.next(line);) {
    if (line.empty()) {
      all.emplace_back();
    } else if (line[0] == ' ' || line[0] == '\t') {
      all.back()[field] += line;
    } else {
      const std::size_t colon = line.find(':');
      if (colon == std::string_view::npos) lines.stop("no field");
      field = line.substr(0, colon);
      all.back()[field] = line.substr(colon + 1);
    }
  }
  return all;
}

/// 7 bits a byte, the lowest first.
std::uint64_t packed_number(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; !bytes.empty() && shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes[0]);
    bytes.remove_prefix(1);
    value += static_cast<std::uint64_t>(byte % 128) << shift;
    if (byte < 128) return value;
  }
  throw UserError("a number of the snapshot does not end");
}

NamedGraph packages_again(const GraphFile& file) {
  std::map<std::string, Texts> needs;                     // package -> "a | b" relations
  std::map<std::string, std::set<std::string>> provides;  // virtual name -> packages
  for (auto& paragraph : paragraphs_of(file.text)) {
    const std::string name = stripped(paragraph["Package"]);
    if (name.empty()) continue;
    Texts& mine = needs[name];
    for (const char* field : {"Depends", "Pre-Depends"}) {
      for (const std::string& relation : split(paragraph[field], ',')) mine.push_back(relation);
    }
    for (const std::string& offer : split(paragraph["Provides"], ','))
      provides[package_in(offer)].insert(name);
  }
  NamedGraph graph;
  std::map<std::string, std::uint32_t> number;
  for (const auto& [name, relations] : needs) {
    number[name] = static_cast<std::uint32_t>(graph.names.size());
    graph.names.push_back(name);
  }
  const auto target = [&](const std::string& alternatives) -> std::optional<std::string> {
    std::optional<std::string> offered;
    for (const std::string& one : split(alternatives, '|')) {
      const std::string name = package_in(one);
      if (needs.contains(name)) return name;
      if (!offered && provides.contains(name)) offered = *provides[name].begin();
    }
    return offered;
  };
  for (const auto& [name, relations] : needs) {
    std::set<std::string> targets;
    for (const std::string& relation : relations) {
      if (const auto found = target(relation); found && *found != name) targets.insert(*found);
    }
    for (const std::string& to : targets) graph.arcs.push_back({number[name], number[to], 1});
  }
  return graph;
}

NamedGraph snapshot_again(const GraphFile& file) {
  Lines lines(file.text);
  std::string_view line;
  lines.next(line);
  const auto head = words_of(line);
  if (head.size() < 4) lines.stop("no head of a snapshot");
  const bool weighted = std::find(head.begin(), head.end(), "weights") != head.end();
  const std::uint64_t vertices = id_of(lines, head[2]), edges = id_of(lines, head[3]);
  NamedGraph graph;
  graph.both_directions = std::find(head.begin(), head.end(), "mirrored") != head.end();
  std::string name;
  bool named = false;
  for (std::uint64_t v = 0; v < vertices; ++v) {
    if (!lines.next(line)) lines.stop("a name is missing");
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos) lines.stop("no name");
    name = name.substr(0, id_of(lines, line.substr(0, blank))) + std::string(line.substr(blank + 1));
    named = named || !name.empty();
    graph.names.push_back(name);
  }
  if (!named) {
    for (std::uint64_t v = 0; v < vertices; ++v) graph.names[v] = std::to_string(v);
  }
  std::string_view bytes = lines.left();
  for (std::uint32_t v = 0; v < vertices; ++v) {
    std::uint64_t to = 0;
    for (std::uint64_t n = packed_number(bytes); n > 0; --n) {
      to += packed_number(bytes);
      if (to >= vertices) throw UserError("an edge of the snapshot leads nowhere");
      graph.arcs.push_back({v, static_cast<std::uint32_t>(to), 1});
    }
  }
  if (graph.arcs.size() != edges || (weighted && bytes.size() != 8 * edges))
    throw UserError("the snapshot's edges are not as many as it says");
  for (std::size_t e = 0; weighted && e < edges; ++e) std::memcpy(&graph.arcs[e].weight, &bytes[8 * e], 8);
  return graph;
}

bool is_index(const GraphFile& file) {
  return file.name == "packages" || file.name.starts_with("packages.") ||
         file.name.find("_packages") != std::string::npos;
}

}  // namespace

std::span<const SecondReader> named_formats() {
  static const SecondReader kFormats[] = {
      {"debian",
       {},
       [](std::string_view word, std::string_view, const std::string&) {
         return word.starts_with("package:");
       },
       packages_again,
       is_index},
      {"snapshot",
       {".plg"},
       [](std::string_view word, std::string_view, const std::string&) { return word == "polyloom-graph"; },
       snapshot_again}};
  return kFormats;
}

}  // namespace polyloom::apps
