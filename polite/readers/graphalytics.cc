// SPDX-License-Identifier: Apache-2.0
// LDBC Graphalytics: NAME.v has a vertex a line, those without edges too, NAME.e an edge a line as edge lists
// have it. Source: "The LDBC Graphalytics Benchmark", section 2.2.3.
#include <filesystem>
#include <string>

#include "polite/readers/fields.h"
#include "polite/readers/formats.h"
#include "polite/readers/name_table.h"
#include "polite/readers/packing.h"
#include "polite/readers/rows.h"

namespace polyloom::polite {

std::string graphalytics_file(const std::string& file, std::string_view ending) {
  std::string name = file, own;
  for (const Packing& packing : packings()) {
    if (lower(file).ends_with(packing.ending)) {
      own = packing.ending;
      name.resize(file.size() - own.size());
    }
  }
  name = std::filesystem::path(name).replace_extension(ending).string();
  std::error_code none;
  if (std::filesystem::exists(name + own, none)) return name + own;
  for (const Packing& packing : packings()) {
    if (std::filesystem::exists(name + std::string(packing.ending), none))
      return name + std::string(packing.ending);
  }
  return name;
}

GraphData read_graphalytics(const std::string& file, const ReadOptions& options) {
  const std::string vertices_file = graphalytics_file(file, ".v"), edges_file = graphalytics_file(file, ".e");
  TextSource vertices(vertices_file), edges(edges_file, options.progress);
  NameTable table(vertices);
  std::uint64_t listed = 0;
  std::string_view line;
  while (vertices.next(line)) {
    Fields fields(vertices, line);
    if (const char c = fields.peek(); c == '\0' || c == '#') continue;
    const std::string_view name = fields.word();
    if (!is_whole_number(name))
      vertices.fail("'" + std::string(name.substr(0, 40)) + "' is no vertex; a whole number is expected");
    fields.end("one vertex");
    if (table.number(without_zeros(name)) != listed++)
      vertices.fail("vertex " + std::string(name) + " is listed a second time; each stands in one line");
  }
  GraphData g = read_edge_list(edges, false);
  std::vector<std::uint32_t> number(g.vertices);
  for (std::uint32_t v = 0; v < g.vertices; ++v) {
    const std::string name = g.names[v];
    if (const std::uint32_t* const known = table.find(name)) {
      number[v] = *known;
      continue;
    }
    TextSource again(edges_file);  // for the line
    while (again.next(line)) {
      Fields fields(again, line);
      for (int end = 0; end < 2 && !fields.empty(); ++end) {
        if (without_zeros(fields.word()) == name)
          again.fail("vertex " + name + " is not listed in " + vertices_file);
      }
    }
  }
  for (Edge& e : g.edges) e = {number[e.from], number[e.to]};
  std::move(table).name_vertices(g, true);
  return g;
}

}  // namespace polyloom::polite
