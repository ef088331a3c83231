// SPDX-License-Identifier: Apache-2.0
// The Debian package graph from apt's package indexes. Source: deb822(5), Debian Policy 7.1 (relationship
// fields).
#include "polite/readers/debian.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <unordered_map>

#include "fabric/error.h"
#include "polite/read_graph.h"
#include "polite/readers/fields.h"
#include "polite/readers/packing.h"

namespace polyloom::polite {

namespace {

/// Calls f with each piece of `list`, blanks trimmed.
template <typename F>
void for_each_piece(std::string_view list, char separator, F f) {
  while (!list.empty()) {
    const std::size_t cut = std::min(list.find(separator), list.size());
    const std::string_view piece = trimmed(list.substr(0, cut));
    if (!piece.empty() && !f(piece)) return;
    list.remove_prefix(std::min(cut + 1, list.size()));
  }
}

/// "libc6:any (>= 2.36)" is about libc6.
std::string package_of(std::string_view relation) {
  return std::string(relation.substr(0, relation.find_first_of(" \t(:[<")));
}

}  // namespace

void PackageIndex::read(TextSource& source) {
  std::string name, depends, provides;
  std::string* continued = nullptr;
  bool any = false;
  auto finish = [&] {
    if (!name.empty()) {
      std::string& relations = packages_[name];  // several versions: their relations together
      if (!relations.empty() && !depends.empty()) relations += ',';
      relations += depends;
      for_each_piece(provides, ',', [&](std::string_view p) {
        const auto [at, fresh] = provider_.emplace(package_of(p), name);
        if (!fresh) at->second = std::min(at->second, name);
        return true;
      });
      any = true;
    }
    name.clear();
    depends.clear();
    provides.clear();
    continued = nullptr;
  };
  std::string_view line;
  while (source.next(line)) {
    if (line.empty()) {
      finish();
    } else if (line[0] == ' ' || line[0] == '\t') {
      if (continued != nullptr) continued->append(line);
    } else {
      const std::size_t colon = line.find(':');
      if (colon == std::string_view::npos) {
        source.fail("no 'Field: value' line; a Packages index of apt is expected");
      }
      const std::string_view field = line.substr(0, colon), value = trimmed(line.substr(colon + 1));
      continued = nullptr;
      if (field == "Package") {
        if (!name.empty()) source.fail("a second package name in one paragraph");
        name = value;
      } else if (field == "Depends" || field == "Pre-Depends") {
        if (!depends.empty()) depends += ',';
        depends += value;
        continued = &depends;
      } else if (field == "Provides") {
        provides = value;
        continued = &provides;
      }
    }
  }
  finish();
  if (!any) source.fail_file("names no package; a Packages index of apt is expected");
}

GraphData PackageIndex::graph() const {
  GraphData g;
  std::vector<std::string> names;
  std::unordered_map<std::string_view, std::uint32_t> number;
  for (const auto& [name, depends] : packages_) {
    number.emplace(name, g.vertices++);
    names.push_back(name);
  }
  g.names = VertexNames::words(std::move(names));
  // The first alternative that exists; failing that, the first that a package provides.
  auto resolve = [&](std::string_view alternatives) -> std::int64_t {
    std::int64_t real = -1, virtual_one = -1;
    for_each_piece(alternatives, '|', [&](std::string_view relation) {
      const std::string name = package_of(relation);
      if (const auto at = number.find(name); at != number.end()) real = at->second;
      if (const auto at = provider_.find(name); virtual_one < 0 && at != provider_.end()) {
        virtual_one = number.at(at->second);
      }
      return real < 0;
    });
    return real >= 0 ? real : virtual_one;
  };
  std::uint32_t v = 0;
  for (const auto& [name, depends] : packages_) {
    std::vector<std::uint32_t> targets;
    for_each_piece(depends, ',', [&](std::string_view alternatives) {
      const std::int64_t to = resolve(alternatives);
      if (to >= 0 && to != v) targets.push_back(static_cast<std::uint32_t>(to));
      return true;
    });
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    for (std::uint32_t to : targets) g.edges.push_back({v, to});
    ++v;
  }
  return g;
}

GraphData read_apt_lists(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const std::size_t at = name.find("_Packages");
    if (at == std::string::npos) continue;
    const std::string rest = name.substr(at + std::string("_Packages").size());
    if (rest.empty() || std::ranges::find(packings(), rest, &Packing::ending) != packings().end())
      files.push_back(entry.path().string());
  }
  if (files.empty()) {
    throw UserError(folder +
                    " holds no package index of apt (*_Packages); run 'apt-get update', or use the snapshot "
                    "that comes with the demo");
  }
  std::sort(files.begin(), files.end());
  PackageIndex index;
  for (const std::string& file : files) {
    TextSource source(file);
    if (source.file_bytes() != 0) index.read(source);
  }
  return index.graph();
}

}  // namespace polyloom::polite
