// SPDX-License-Identifier: Apache-2.0
// Package indexes of apt, several together, as a graph.
#pragma once

#include <map>
#include <string>

#include "polite/graph_data.h"
#include "polite/readers/text_source.h"

namespace polyloom::polite {

class PackageIndex {
 public:
  /// Adds the packages of one index. Throws UserError if it is none.
  void read(TextSource& source);
  /// Vertices in order of package names; edges in order of (package, what it depends on), each once.
  GraphData graph() const;

 private:
  std::map<std::string, std::string> packages_;  // name -> relations
  std::map<std::string, std::string> provider_;  // virtual name -> first package that provides it
};

}  // namespace polyloom::polite
