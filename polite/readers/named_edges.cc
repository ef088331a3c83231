// SPDX-License-Identifier: Apache-2.0
// Edges between vertices that are known by a text: lists of names or long ids, lists as NetworkX writes them
// (a dictionary of data at the end of a line), and tables with a header (CSV).
#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "polite/readers/fields.h"
#include "polite/readers/formats.h"
#include "polite/readers/name_table.h"
#include "polite/readers/rows.h"

namespace polyloom::polite {

namespace {

constexpr const char* kForm = "'from to' or 'from to weight'";
constexpr const char* kColumns = "--columns SOURCE,TARGET or --columns SOURCE,TARGET,WEIGHT";

/// A finite number; nothing if the text is none.
std::optional<double> number_in(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value - value == 0)) return std::nullopt;
  return value;
}

/// For messages: what a terminal shows, and not too long.
std::string quoted(std::string_view text) {
  std::string shown(text.substr(0, 40));
  for (char& c : shown) c = static_cast<unsigned char>(c) < 32 || c == 127 ? '?' : c;
  return "'" + shown + "'";
}

std::string listed(const std::vector<std::string_view>& fields) {
  std::string all;
  for (const std::string_view field : fields) all += (all.empty() ? "" : ", ") + quoted(field);
  return all;
}

double weight_of(const TextSource& source, std::string_view text) {
  const std::optional<double> weight = number_in(text);
  if (!weight) {
    source.fail(text.empty() ? "the weight is missing; a finite number is expected"
                             : quoted(text) + " is no weight; a finite number is expected");
  }
  return *weight;
}

/// The value of 'weight' in a dictionary as Python prints it, {'weight': 3.5, 'colour': 'red'}, if it is
/// there: a number, or one in a wrapping that NumPy prints, np.float64(3.5).
std::optional<double> weight_in(const TextSource& source, std::string_view text) {
  std::optional<double> weight;
  std::string_view key;
  std::size_t depth = 0, value = 0;  // where the value of `key` begins
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\'' || c == '"') {
      const std::size_t begin = ++i;
      while (i < text.size() && text[i] != c) i += text[i] == '\\' ? 2 : 1;
      if (i >= text.size()) break;
      if (depth == 1 && value == 0) key = text.substr(begin, i - begin);
    } else if (c == '{' || c == '[' || c == '(') {
      ++depth;
    } else if (depth == 1 && c == ':' && value == 0) {
      value = i + 1;
    } else if (c == '}' || c == ']' || c == ')' || c == ',') {
      if (depth == 1 && value != 0 && key == "weight") {
        std::string_view number = trimmed(text.substr(value, i - value));
        if (number.ends_with(')')) {
          number.remove_suffix(1);
          number.remove_prefix(number.find('(') + 1);
        }
        weight = weight_of(source, number);
      }
      if (depth == 1) value = 0;
      if (c != ',' && --depth == 0) {
        if (i + 1 < text.size()) source.fail(quoted(text.substr(i + 1)) + " is too much behind a dictionary");
        return weight;
      }
    }
  }
  source.fail("the dictionary " + quoted(text) + " does not end; it is {'weight': NUMBER, ...}");
}

/// Takes edges, and says what is wrong with one.
class Edges {
 public:
  Edges(const TextSource& source, GraphData& g, bool ids)
      : source_(source), g_(g), ids_(ids), names_(source) {}

  void add(std::string_view from, std::string_view to) {
    const std::uint32_t first = vertex(from);
    g_.edges.push_back({first, vertex(to)});
    if (g_.edges.size() < checked_) return;
    require_memory_for(source_, 0, checked_);
    checked_ *= 2;
  }
  /// `ids`: whole numbers are such if all vertices are called by one.
  void finish(bool ids) { std::move(names_).name_vertices(g_, ids); }

 private:
  std::uint32_t vertex(std::string_view name) {
    if (ids_ ? !is_whole_number(name) : name.empty() || (name[0] == '-' && is_whole_number(name.substr(1)))) {
      source_.fail(
          (name.empty() ? "nothing stands" : quoted(name) + " stands") + " where a vertex is expected: " +
          (ids_ ? "a whole number, as in the lines before; if vertices have names, say --format names"
                : "a name, or a whole number from 0 on"));
    }
    return names_.number(name);
  }

  const TextSource& source_;
  GraphData& g_;
  bool ids_;  ///< nothing but these
  NameTable names_;
  std::uint64_t checked_ = 1 << 22;
};

/// "from to", "from to weight", "from to {...}".
bool is_edge(const std::vector<std::string_view>& fields) {
  if (fields.size() < 2 || fields.size() > 3 || fields[0].empty() || fields[1].empty()) return false;
  return fields.size() == 2 || fields[2].starts_with('{') || number_in(fields[2]);
}

/// What separates the fields of a list whose first line this is; nothing if it is no edge in any way.
std::optional<Between> between_in(std::string_view line) {
  for (const Between between :
       {Between::any, Between::tab, Between::comma, Between::semicolon, Between::blanks}) {
    Row row(between, true);
    if (!row.split(line) || !is_edge(row.fields())) continue;
    // Names may hold what separates numbers.
    const bool numbers = is_whole_number(row.fields()[0]) && is_whole_number(row.fields()[1]);
    if (between != Between::any || numbers) return between;
  }
  return std::nullopt;
}

/// A column's name as it is compared: "From_Node-ID" is "fromnode".
std::string plain(std::string_view name) {
  std::string text = lower(name);
  std::erase_if(text, [](char c) { return c == ' ' || c == '_' || c == '-' || c == '.' || c == ':'; });
  if (text.size() > 2 && text.ends_with("id")) text.resize(text.size() - 2);
  return text;
}

using Columns = std::vector<std::string_view>;
constexpr std::size_t kNone = ~std::size_t{0};

/// Where the ends and the weight of an edge stand in a row.
struct Places {
  std::size_t from = kNone, to = kNone, weight = kNone;
  bool complete() const { return from != kNone && to != kNone; }
};

/// By the names that people use.
Places usual_places(const Columns& columns) {
  static constexpr std::pair<std::string_view, std::size_t Places::*> kUsual[] = {
      {"source", &Places::from},     {"target", &Places::to},      {"from", &Places::from},
      {"to", &Places::to},           {"src", &Places::from},       {"dst", &Places::to},
      {"sourcenode", &Places::from}, {"targetnode", &Places::to},  {"fromnode", &Places::from},
      {"tonode", &Places::to},       {"dest", &Places::to},        {"destination", &Places::to},
      {"start", &Places::from},      {"end", &Places::to},         {"node1", &Places::from},
      {"node2", &Places::to},        {"weight", &Places::weight},  {"weights", &Places::weight},
      {"cost", &Places::weight},     {"distance", &Places::weight}};
  Places places;
  for (const auto& [name, place] : kUsual) {
    const auto at = std::ranges::find(columns, name, plain) - columns.begin();
    if (places.*place == kNone && static_cast<std::size_t>(at) < columns.size())
      places.*place = static_cast<std::size_t>(at);
  }
  return places;
}

constexpr Between kOfTables[] = {Between::comma, Between::tab, Between::semicolon, Between::blanks};

/// What separates the columns of a header: where these, or else the usual ones, are found; or most columns.
Between between_columns(std::string_view header, const Columns& requested) {
  Between best = Between::comma;
  std::size_t most = 0;
  for (const Between between : kOfTables) {
    Row row(between, false);
    if (!row.split(header)) continue;
    const Columns& found = row.fields();
    const bool all =
        requested.empty() ? usual_places(found).complete() : std::ranges::all_of(requested, [&](auto name) {
          return std::ranges::find(found, name) != found.end();
        });
    if (all) return between;
    if (found.size() > most && (between != Between::blanks || most < 2)) {
      most = found.size();
      best = between;
    }
  }
  return best;
}

Places places_of(const TextSource& source, const Columns& columns, const std::string& requested) {
  Row names(Between::comma, false);
  if (!requested.empty() &&
      (!names.split(requested) || names.fields().size() < 2 || names.fields().size() > 3))
    source.fail_file("--columns " + requested + ": expected " + kColumns);
  Places places = usual_places(columns);
  if (requested.empty()) {
    if (!places.complete())
      source.fail("the columns are " + listed(columns) + ", none called source and target; say " + kColumns);
    return places;
  }
  places = {};
  std::size_t Places::*const order[] = {&Places::from, &Places::to, &Places::weight};
  for (std::size_t i = 0; i < names.fields().size(); ++i) {
    const auto at = std::ranges::find(columns, names.fields()[i]);
    if (at == columns.end())
      source.fail("no column " + quoted(names.fields()[i]) + "; the columns are " + listed(columns));
    places.*order[i] = static_cast<std::size_t>(at - columns.begin());
  }
  return places;
}

/// What of a table is not used, for people.
void report_ignored(GraphData& g, const Columns& columns, const Places& places) {
  Columns left;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i != places.from && i != places.to && i != places.weight) left.push_back(columns[i]);
  }
  if (left.size() > 8) left.resize(9);
  std::string names = listed(left);
  if (left.size() == 9) names = names.substr(0, names.rfind(", ")) + " ...";
  if (!left.empty()) g.notes.push_back("columns that are not used: " + names);
}

}  // namespace

bool is_table_header(std::string_view line) {
  return std::ranges::any_of(kOfTables, [&](Between between) {
    Row row(between, false);
    return row.split(trimmed(line)) && usual_places(row.fields()).complete();
  });
}

void read_named_list(TextSource& source, std::string_view line, GraphData& g, bool names) {
  const std::string first_line(line);
  const std::uint64_t first = source.line();
  const bool begun = !g.edges.empty();
  const std::optional<Between> between = begun ? Between::any : between_in(line);
  Row row(between.value_or(Between::blanks), true);
  row.read(source, line);
  if (!between) {
    source.fail("no edge; a line is " + std::string(kForm) + "; of a table with a header say " + kColumns);
  }
  const auto is_id = [&](std::size_t i) { return is_whole_number(row.fields()[i]); };
  const bool ids = !names && (begun || (is_id(0) && is_id(1)));
  const bool dictionaries = row.fields().size() > 2 && row.fields()[2].starts_with('{');
  bool weighted = begun ? !g.weights.empty() : row.fields().size() > 2, given = !dictionaries,
       missing = false;
  Edges edges(source, g, ids);
  GraphData before = std::exchange(g, {});
  g.undirected_at = before.undirected_at;
  g.weights = std::move(before.weights);
  for (const Edge& e : before.edges) edges.add(std::to_string(e.from), std::to_string(e.to));
  before = {};
  bool more = true;
  for (bool read = true; more; more = source.next(line)) {
    if (!read) {
      const char c = Fields(source, line).peek();
      if (c == '\0' || c == '#' || c == '%') continue;
      row.read(source, line);
    }
    read = false;
    const auto& fields = row.fields();
    edges.add(fields[0], fields.size() > 1 ? fields[1] : "");
    if (!ids && !names && g.edges.size() == 2 && is_id(0) && is_id(1)) {
      Row header(*between, true);
      header.split(first_line);
      if (std::ranges::none_of(header.fields(), is_whole_number))
        source.fail_at(first, listed(header.fields()) +
                                  " may be the names of columns, as numbers follow; say " + kColumns +
                                  ", or --format names if it is an edge");
    }
    if (fields.size() > (weighted ? 3u : 2u)) {
      source.fail(quoted(fields[weighted ? 3 : 2]) + " is too much; a line is " +
                  (weighted ? kForm : "'from to' in this file, as its first line is"));
    }
    if (!weighted) continue;
    if (dictionaries) {
      const std::optional<double> weight = fields.size() > 2 ? weight_in(source, fields[2]) : std::nullopt;
      given |= weight.has_value();
      missing |= !weight;
      g.weights.push_back(weight.value_or(1));
    } else {
      if (fields.size() < 3) source.fail("the weight is missing; earlier lines are 'from to weight'");
      g.weights.push_back(weight_of(source, fields[2]));
    }
  }
  if (!given) g.weights.clear();
  if (given && missing) g.notes.push_back("edges whose data have no weight: their weight is 1");
  edges.finish(!names && ids);
  if (!ids && !names && (between == Between::comma || between == Between::semicolon)) {
    g.notes.push_back("line " + std::to_string(first) + " is taken for an edge; if it names columns, say " +
                      kColumns);
  }
}

GraphData read_table(TextSource& source, const std::string& columns) {
  GraphData g;
  std::string_view line;
  char c = '\0';
  while (c == '\0' || c == '#' || c == '%') {
    if (!source.next(line)) return g;
    c = Fields(source, line).peek();
  }
  Row requested(Between::comma, false);
  requested.split(columns);
  const Between between = between_columns(line, requested.fields());
  Row header(between, false);
  const std::string kept(line);
  header.read(source, kept);
  const Places places = places_of(source, header.fields(), columns);
  Row row(between, false);
  Edges edges(source, g, false);
  while (source.next(line)) {
    if (trimmed(line).empty()) continue;
    row.read(source, line);
    const auto& fields = row.fields();
    if (fields.size() != header.fields().size()) {
      source.fail("a row of " + std::to_string(fields.size()) + " columns; the header has " +
                  std::to_string(header.fields().size()) + ": " + listed(header.fields()));
    }
    edges.add(fields[places.from], fields[places.to]);
    if (places.weight != kNone) g.weights.push_back(weight_of(source, fields[places.weight]));
  }
  edges.finish(true);
  report_ignored(g, header.fields(), places);
  return g;
}

}  // namespace polyloom::polite
