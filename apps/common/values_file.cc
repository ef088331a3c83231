// SPDX-License-Identifier: Apache-2.0
#include "apps/common/values_file.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "fabric/error.h"
#include "fabric/json_text.h"
#include "fabric/partial_file.h"

namespace polyloom::apps {
namespace {

/// Values in files are numbers: of vertices with names the row of the vertex, from 0.
bool by_row(const Input& input, const Outcome& outcome) {
  if (!outcome.of_vertices || input.names.numeric()) return false;
  for (std::uint32_t v = 0; v < input.names.size(); ++v) {  // ids of more than 64 bits are numbers, too
    if (input.names[v].find_first_not_of("0123456789") != std::string::npos) return true;
  }
  return false;
}

std::string csv(const Input& input, const Outcome& outcome) {
  const bool rows = by_row(input, outcome);
  std::string text = "vertex,value";
  text.reserve(outcome.values.size() * 20);
  for (const Column& column : outcome.columns) text += ',' + csv_field(column.name);
  text += '\n';
  for (std::uint32_t v = 0; v < outcome.values.size(); ++v) {
    const std::string value =
        rows ? std::to_string(static_cast<std::uint32_t>(outcome.values[v])) : value_text(input, outcome, v);
    text += csv_field(input.names[v]) + ',' + value;
    for (const Column& column : outcome.columns) text += ',' + csv_field(column_text(input, column, v));
    text += '\n';
  }
  return text;
}

/// Bytes of the longest name.
std::size_t widest(const Input& input) {
  std::size_t most = 1;
  for (std::uint32_t v = 0; v < input.vertices; ++v) most = std::max(most, input.names[v].size());
  return most;
}

template <typename T>
void put(std::string& to, T value) {
  static_assert(std::endian::native == std::endian::little, "arrays are written as they lie in memory");
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// NPY 1.0 (numpy.lib.format): a head of whole 64 bytes, which the records follow.
std::string npy_head(const std::string& fields, std::uint32_t rows) {
  std::string head =
      "{'descr': [" + fields + "], 'fortran_order': False, 'shape': (" + std::to_string(rows) + ",), }";
  constexpr std::size_t kFixed = 10;  // magic, version, length
  head.resize((head.size() + kFixed + 1 + 63) / 64 * 64 - kFixed - 1, ' ');
  head += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  put(out, static_cast<std::uint16_t>(head.size()));
  return out + head;
}

std::string npy(const Input& input, const Outcome& outcome) {
  const bool rows = by_row(input, outcome);
  const std::size_t width = input.names.numeric() ? 0 : widest(input);
  const bool wide = width == 0 && input.vertices > 0 && input.names.number(input.vertices - 1) >> 32 != 0;
  const std::string vertex = width == 0 ? (wide ? "<u8" : "<u4") : "|S" + std::to_string(width);
  std::string fields = "('vertex', '" + vertex + "'), ('value', '" +
                       (rows                  ? "<u4"
                        : outcome.of_vertices ? vertex
                                              : "<f8") +
                       "')";
  for (const Column& column : outcome.columns)
    fields += ", ('" + column.name + "', '" +
              (!column.of_vertices ? "<f8"
               : width == 0        ? "<i8"
                                   : vertex) +
              "')";
  std::string out = npy_head(fields, input.vertices);
  const auto put_vertex = [&](std::uint32_t v) {
    if (wide) {
      put(out, input.names.number(v));
    } else if (width == 0) {
      put(out, static_cast<std::uint32_t>(input.names.number(v)));
    } else {
      out += input.names[v];
      out.append(width - input.names[v].size(), '\0');
    }
  };
  for (std::uint32_t v = 0; v < input.vertices; ++v) {
    const double value = outcome.values[v];
    put_vertex(v);
    if (rows) {
      put(out, static_cast<std::uint32_t>(value));
    } else if (outcome.of_vertices) {
      put_vertex(static_cast<std::uint32_t>(value));
    } else {
      put(out, std::isnan(value) ? std::numeric_limits<double>::infinity() : value);
    }
    for (const Column& column : outcome.columns) {
      const double further = column.values[v];
      if (!column.of_vertices) {
        put(out, further);
      } else if (width > 0) {
        std::string name = column_text(input, column, v);
        name.resize(width, '\0');
        out += name;
      } else {
        put(out, std::isnan(further)
                     ? std::int64_t{-1}
                     : static_cast<std::int64_t>(input.names.number(static_cast<std::uint32_t>(further))));
      }
    }
  }
  return out;
}

/// Fields of a line.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[i++];
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += line[i];
    }
  }
  return fields;
}

/// The lines of a file of rows, without empty ones; a quoted field may have line ends.
template <typename Take>
void each_line(const std::string& path, Take&& take) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  std::size_t number = 0;
  const auto stop = [&](const std::string& what) {
    throw UserError(path + (number > 0 ? ": line " + std::to_string(number) : "") + ": " + what);
  };
  if (!file) stop(std::string("cannot be read: ") + std::strerror(errno));
  while (std::getline(file, line)) {
    ++number;
    for (std::string more; std::ranges::count(line, '"') % 2 != 0 && std::getline(file, more); ++number)
      line += '\n' + more;
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (!line.empty()) take(line, number, stop);
  }
}

}  // namespace

std::string number_text(double value, bool whole) {
  char text[64];
  std::snprintf(text, sizeof text, whole ? "%.0f" : "%.9g", value);
  return text;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string shown(const std::string& text) {
  auto name = nlohmann::json::parse(json_text(nlohmann::json(text))).get<std::string>();
  for (char& c : name) {
    if (static_cast<unsigned char>(c) < 32 || c == 127) c = '?';
  }
  return name;
}

std::string value_text(const Input& input, const Outcome& outcome, std::size_t vertex) {
  const double value = outcome.values[vertex];
  if (std::isnan(value)) return "inf";
  if (outcome.of_vertices) return input.names[static_cast<std::uint32_t>(value)];
  return number_text(value, outcome.integral);
}

std::string column_text(const Input& input, const Column& column, std::size_t vertex) {
  const double value = column.values[vertex];
  if (std::isnan(value)) return "";
  if (column.of_vertices) return input.names[static_cast<std::uint32_t>(value)];
  return number_text(value, false);
}

std::map<std::string, double> read_values(const std::string& path) {
  std::map<std::string, double> values;
  each_line(path, [&](const std::string& line, std::size_t number, const auto& stop) {
    if (number == 1 && line == "vertex,value") return;
    const std::size_t comma = line.rfind(',');
    std::string name = line.substr(0, comma);
    if (name.size() > 1 && name.front() == '"' && name.back() == '"') {
      name = name.substr(1, name.size() - 2);
      for (std::size_t at = 0; (at = name.find("\"\"", at)) != std::string::npos; ++at) name.erase(at, 1);
    }
    const char* const text = comma == std::string::npos ? "" : line.c_str() + comma + 1;
    char* end = nullptr;
    const double value = std::strtod(text, &end);
    if (end == text || *end != '\0') stop("'" + line + "' is no vertex,value");
    if (!values.emplace(name, value).second) stop("a second value of " + name);
  });
  return values;
}

Table read_table(const std::string& path) {
  Table table;
  bool begun = false;
  each_line(path, [&](const std::string& line, std::size_t, const auto& stop) {
    const std::vector<std::string> fields = fields_of(line);
    if (!begun) {
      if (fields[0] != "vertex") stop("'" + line + "' names no columns: vertex and others are expected");
      table.columns.assign(fields.begin() + 1, fields.end());
      begun = true;
      return;
    }
    if (fields.size() != table.columns.size() + 1)
      stop(std::to_string(fields.size()) + " fields; the first line has " +
           std::to_string(table.columns.size() + 1));
    std::vector<double> numbers;
    for (std::size_t i = 1; i < fields.size(); ++i) {
      char* end = nullptr;
      const char* const text = fields[i].c_str();
      numbers.push_back(*text == '\0' ? std::numeric_limits<double>::quiet_NaN() : std::strtod(text, &end));
      if (*text != '\0' && (*end != '\0' || !std::isfinite(numbers.back())))
        stop(table.columns[i - 1] + " is '" + fields[i] + "'; a number is expected");
    }
    if (!table.values.emplace(fields[0], std::move(numbers)).second) stop("a second row of " + fields[0]);
  });
  return table;
}

std::vector<Event> read_events(const std::string& path) {
  std::vector<Event> events;
  each_line(path, [&](const std::string& line, std::size_t number, const auto& stop) {
    if (number == 1 && line == "step,neuron") return;
    std::vector<std::string> fields = fields_of(line);
    const std::uint64_t step = std::strtoull(fields[0].c_str(), nullptr, 10);
    const bool whole = fields[0].find_first_not_of("0123456789") == std::string::npos;
    if (fields.size() != 2 || fields[0].empty() || !whole) stop("'" + line + "' is no step,neuron");
    events.push_back({step, std::move(fields[1])});
  });
  return events;
}

void write_values(const std::string& path, const Input& input, const Outcome& outcome) {
  fabric::write_whole(path, path.ends_with(".npy") ? npy(input, outcome) : csv(input, outcome));
}

void write_rows(const std::string& path, const Outcome& outcome) {
  const auto none = [](double value) { return std::isnan(value); };
  const bool whole = outcome.of_vertices || (outcome.integral && std::ranges::none_of(outcome.values, none));
  std::vector<Column> columns{{"value", outcome.values, whole}};
  columns.insert(columns.end(), outcome.columns.begin(), outcome.columns.end());
  std::string fields;
  for (const Column& column : columns)
    fields += "('" + column.name + "', '" + (column.of_vertices ? "<i8" : "<f8") + "'), ";
  std::string out = npy_head(fields, static_cast<std::uint32_t>(outcome.values.size()));
  out.reserve(out.size() + 8 * columns.size() * outcome.values.size());
  for (std::size_t v = 0; v < outcome.values.size(); ++v) {
    for (const Column& column : columns) {
      const double value = column.values[v];
      if (column.of_vertices) {
        put(out, none(value) ? std::int64_t{-1} : static_cast<std::int64_t>(value));
      } else {
        put(out, none(value) ? std::numeric_limits<double>::infinity() : value);
      }
    }
  }
  std::ofstream file(path, std::ios::binary);
  if (!file.write(out.data(), static_cast<std::streamsize>(out.size())).flush())
    throw UserError(path + ": cannot be written: " + std::strerror(errno));
}

void write_edges(const std::string& path, const Input& input, bool both_ways) {
  const bool weighted = !input.weights.empty() || !input.fractions.empty();
  std::string text = weighted ? "source,target,weight\n" : "source,target\n";
  const auto write = [&](std::size_t e, std::uint32_t from, std::uint32_t to) {
    text += csv_field(input.names[from]) + ',' + csv_field(input.names[to]);
    if (weighted) text += ',' + number_text(input.weight(e), input.fractions.empty());
    text += '\n';
  };
  for (std::size_t e = 0; e < input.edges.size(); ++e) {
    write(e, input.edges[e].from, input.edges[e].to);
    if (both_ways) write(e, input.edges[e].to, input.edges[e].from);
  }
  fabric::write_whole(path, text);
}

}  // namespace polyloom::apps
