// SPDX-License-Identifier: Apache-2.0
#include "polite/read_graph.h"

#include <string_view>

#include "fabric/error.h"
#include "polite/readers/formats.h"
#include "polite/readers/packing.h"

namespace polyloom::polite {

void check_announced(const TextSource& source, std::uint64_t count, std::uint64_t bytes, const char* what) {
  const std::uint64_t most = source.most_text() / bytes + 1;  // the last one may lack its line end
  if (count <= most) return;
  source.fail("the header announces " + std::to_string(count) + " " + what + ", but the file's " +
              std::to_string(source.file_bytes()) + " bytes hold at most " + std::to_string(most));
}

void require_memory_for(const TextSource& source, std::uint64_t vertices, std::uint64_t edges) {
  require_graph_memory(static_cast<double>(vertices), static_cast<double>(edges),
                       source.file() + ": a graph of " + std::to_string(vertices) + " vertices and " +
                           std::to_string(edges) + " edges");
}

GraphData read_graph(const std::string& file, const ReadOptions& options) {
  TextSource source(file, options.progress, options.called);
  const Format& format = format_of(source, file, options);
  GraphData g;
  try {
    g = format.read(source, file, options);
  } catch (const UserError&) {
    source.require_undamaged();  // what a damaged packing gives before its end is no text to blame
    throw;
  }
  g.format = format.name;
  g.packing = source.packing();
  if (g.packing.empty()) {
    for (const Packing& packing : packings()) {
      if (file.ends_with(packing.ending))
        g.notes.push_back("its name ends in " + std::string(packing.ending) +
                          ", but it is not packed: it was read as it is");
    }
  }
  if (options.undirected) g.add_reverse_edges();
  return g;
}

}  // namespace polyloom::polite
