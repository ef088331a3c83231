// SPDX-License-Identifier: Apache-2.0
// The second reading of lists and tables whose vertices are texts: names, or ids of any length. Sources: RFC
// 4180 (rows, quotes), networkx.write_edgelist (data of an edge as a dictionary of Python).
#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "apps/verify/second_reading.h"
#include "fabric/error.h"

namespace polyloom::apps {
namespace {

using Record = std::vector<std::string>;
struct TextArc {
  std::string from, to;
  double weight;
};

bool is_id(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

/// Vertices are numbered as their names are sorted: ids by what they count, others by bytes. Those that are
/// `alone` need no edge.
NamedGraph graph_of(std::vector<TextArc> arcs, bool ids, const Record& alone = {}) {
  for (const TextArc& arc : arcs) ids = ids && is_id(arc.from) && is_id(arc.to);
  const auto before = [ids](const std::string& a, const std::string& b) {
    return ids && a.size() != b.size() ? a.size() < b.size() : a < b;
  };
  std::map<std::string, std::uint32_t, decltype(before)> number(before);
  for (TextArc& arc : arcs) {
    for (std::string* end : {&arc.from, &arc.to}) {
      if (ids) end->erase(0, std::min(end->find_first_not_of('0'), end->size() - 1));
      number.emplace(*end, 0);
    }
  }
  for (const std::string& name : alone) number.emplace(name, 0);
  NamedGraph graph;
  for (auto& [name, at] : number) {
    at = static_cast<std::uint32_t>(graph.names.size());
    graph.names.push_back(name);
  }
  for (const TextArc& arc : arcs) graph.arcs.push_back({number.at(arc.from), number.at(arc.to), arc.weight});
  return graph;
}

std::string without_ends(std::string text) {
  text.erase(0, std::min(text.find_first_not_of(" \t\r"), text.size()));
  text.erase(text.find_last_not_of(" \t\r") + 1);
  return text;
}

/// Takes the next record off `text`. The separator ' ' is any number of blanks and tabs, '*' of commas too.
/// Of a list (not a table) a field that begins with a brace is the rest of the line.
Record next_record(std::string_view& text, char separator, bool list) {
  Record record;
  const std::string several = separator == '*' ? " \t," : " \t";
  const bool one = separator != '*' && separator != ' ';
  std::size_t at = 0;
  const auto ends = [&](char c) { return one ? c == separator : several.find(c) != std::string::npos; };
  const auto at_end = [&] { return at == text.size() || text[at] == '\n'; };
  bool expected = one;  // a field, be it an empty one
  for (;;) {
    while (!at_end() &&
           (one ? std::string(" \r\t").find(text[at]) != std::string::npos && text[at] != separator
                : ends(text[at]) || text[at] == '\r'))
      ++at;
    if (at_end() && !expected) break;
    std::string field;
    if (list && !at_end() && text[at] == '{') {
      while (!at_end()) field += text[at++];
      field = without_ends(field);
    } else if (one && !at_end() && text[at] == '"') {
      for (++at; at < text.size() && (text[at] != '"' || text.substr(at).starts_with("\"\"")); ++at) {
        if (text[at] == '"') ++at;
        if (text[at] == '\r' && text.substr(at).starts_with("\r\n")) ++at;
        field += text[at];
      }
      ++at;
      while (!at_end() && !ends(text[at])) ++at;
    } else {
      while (!at_end() && !ends(text[at])) field += text[at++];
      field = without_ends(field);
    }
    record.push_back(field);
    expected = one && !at_end();
    if (expected) ++at;
  }
  text.remove_prefix(std::min(at + 1, text.size()));
  return record;
}

/// Moves on to the first line that is neither blank nor a comment.
void skip_comments(std::string_view& text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t first = line.find_first_not_of(" \t,\r");
    if (first != std::string_view::npos && line[first] != '#' && line[first] != '%') return;
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
}

bool is_number(const std::string& text) {
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return !text.empty() && *end == 0;
}

/// What follows 'weight': in the outermost braces; "1" if nothing does.
std::string weight_reported(const std::string& dictionary) {
  int depth = 0;
  char quote = 0;
  std::string flat;  // the outermost level, each word of it in single quotes
  for (std::size_t i = 0; i < dictionary.size(); ++i) {
    const char c = dictionary[i];
    if (quote != 0) {
      if (c == '\\') {
        ++i;
      } else if (c == quote) {
        quote = 0;
        if (depth == 1) flat += '\'';
      } else if (depth == 1) {
        flat += c == '\'' || c == ',' ? '?' : c;
      }
      continue;
    }
    if (c == '\'' || c == '"') {
      quote = c;
      if (depth == 1) flat += '\'';
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    } else if (depth == 1) {
      flat += c;
    }
  }
  flat = "," + flat;
  std::erase(flat, ' ');
  const std::string key = ",'weight':";
  const std::size_t at = flat.find(key);
  if (at == std::string::npos) return "1";
  std::string value = flat.substr(at + key.size());
  value.resize(std::min(value.find(','), value.size()));
  if (value.ends_with(')')) value = value.substr(value.find('(') + 1, value.size() - value.find('(') - 2);
  return value;
}

double weight_in(const std::string& text) {
  const std::string reported = text.starts_with('{') ? weight_reported(text) : text;
  if (!is_number(reported)) throw UserError("'" + reported + "' is no weight");
  return std::strtod(reported.c_str(), nullptr);
}

/// Names of columns that people use for a part of an edge, in small letters and without what joins words.
const std::map<std::string, std::vector<std::string>>& usual() {
  static const std::map<std::string, std::vector<std::string>> kUsual = {
      {"from", {"source", "from", "src", "sourcenode", "fromnode", "start", "node1"}},
      {"to", {"target", "to", "dst", "targetnode", "tonode", "dest", "destination", "end", "node2"}},
      {"weight", {"weight", "weights", "cost", "distance"}}};
  return kUsual;
}

/// Which column is the one; none: -1.
int column_of(const Record& header, const std::string& part) {
  for (const std::string& wanted : usual().at(part)) {
    for (std::size_t i = 0; i < header.size(); ++i) {
      std::string name = in_small_letters(header[i]);
      std::erase_if(name, [](char c) { return std::string(" _-.:").find(c) != std::string::npos; });
      if (name == wanted || name == wanted + "id") return static_cast<int>(i);
    }
  }
  return -1;
}

bool has_ends(const Record& header) { return column_of(header, "from") >= 0 && column_of(header, "to") >= 0; }

/// Whether a line is the header of a table whose columns have the usual names.
bool names_columns(std::string_view word, std::string_view line, const std::string&) {
  if (word[0] == '#' || word[0] == '%') return false;
  for (const char separator : {',', '\t', ';', ' '}) {
    std::string_view text = line;
    if (has_ends(next_record(text, separator, false))) return true;
  }
  return false;
}

}  // namespace

NamedGraph list_again(const std::string& text, bool names) {
  std::string_view left = text;
  skip_comments(left);
  char separator = 0;  // blanks, if nothing makes an edge
  bool ids = false;
  for (const char candidate : {'*', '\t', ',', ';', ' '}) {
    std::string_view copy = left;
    const Record first = next_record(copy, candidate, true);
    const bool shaped =
        first.size() == 2 || (first.size() == 3 && (first[2][0] == '{' || is_number(first[2])));
    if (separator != 0 || !shaped || first[0].empty() || first[1].empty()) continue;
    const bool numbers = is_id(first[0]) && is_id(first[1]);
    if (candidate == '*' && !numbers) continue;
    separator = candidate;
    ids = numbers && !names;
  }
  if (separator == 0) separator = ' ';
  std::vector<TextArc> arcs;
  for (skip_comments(left); !left.empty(); skip_comments(left)) {
    const Record record = next_record(left, separator, true);
    if (record.size() < 2 || record.size() > 3 || (ids && !(is_id(record[0]) && is_id(record[1]))))
      throw UserError("an edge is expected");
    arcs.push_back({record[0], record[1], record.size() == 3 ? weight_in(record[2]) : 1});
  }
  return graph_of(std::move(arcs), ids);
}

namespace {

NamedGraph graphalytics_again(const GraphFile& file) {
  Record listed;
  const std::string vertices = whole_text(beside(file.path, ".v"));
  Lines lines(vertices);
  for (std::string_view line; lines.next(line);) {
    const auto words = words_of(line);
    if (words.empty() || words[0][0] == '#') continue;
    std::string id(words[0]);
    if (words.size() != 1 || !is_id(id)) lines.stop("an id is expected");
    listed.push_back(id.erase(0, std::min(id.find_first_not_of('0'), id.size() - 1)));
  }
  const NamedGraph list = edges_again(whole_text(beside(file.path, ".e")));
  std::vector<TextArc> arcs;
  for (const auto& [from, to, weight] : list.arcs) arcs.push_back({list.names[from], list.names[to], weight});
  return graph_of(std::move(arcs), true, listed);
}

NamedGraph table_again(const GraphFile& file) {
  const std::string& columns = file.columns;
  std::string_view left = file.text, requested_text = columns;
  skip_comments(left);
  const Record requested = columns.empty() ? Record{} : next_record(requested_text, ',', false);
  for (const char separator : {',', '\t', ';', ' '}) {
    std::string_view rows = left;
    const Record header = next_record(rows, separator, false);
    const auto place = [&](std::size_t i, const char* part) {
      if (requested.empty()) return column_of(header, part);
      const auto at =
          i < requested.size() ? std::find(header.begin(), header.end(), requested[i]) : header.end();
      return at == header.end() ? -1 : static_cast<int>(at - header.begin());
    };
    const int from = place(0, "from"), to = place(1, "to"), weight = place(2, "weight");
    if (from < 0 || to < 0 || (requested.size() > 2 && weight < 0)) continue;
    std::vector<TextArc> arcs;
    while (!rows.empty()) {
      if (without_ends(std::string(rows.substr(0, rows.find('\n')))).empty()) {
        rows.remove_prefix(std::min(rows.find('\n'), rows.size() - 1) + 1);
        continue;
      }
      const Record record = next_record(rows, separator, false);
      if (record.size() != header.size()) throw UserError("a row has not as many columns as the header");
      const auto at = [&](int i) { return record[static_cast<std::size_t>(i)]; };
      arcs.push_back({at(from), at(to), weight < 0 ? 1 : weight_in(at(weight))});
    }
    return graph_of(std::move(arcs), true);
  }
  throw UserError("the header names no source and target");
}

/// Edges without a list of vertices are a list of edges.
bool is_half_of_two(const GraphFile& file) {
  return file.ending == ".v" || (file.ending == ".e" && !beside(file.path, ".v").empty());
}

}  // namespace

std::span<const SecondReader> text_formats() {
  static const SecondReader kFormats[] = {
      {"csv", {}, names_columns, table_again},
      {"names", {}, nullptr, [](const GraphFile& file) { return list_again(file.text, true); }},
      {"graphalytics", {}, nullptr, graphalytics_again, is_half_of_two}};
  return kFormats;
}

}  // namespace polyloom::apps
