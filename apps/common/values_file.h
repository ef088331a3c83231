// SPDX-License-Identifier: Apache-2.0
// Values by vertex as files, and as people read them: a vertex goes by its name, the file's own.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "apps/common/input.h"
#include "apps/common/outcome.h"

namespace polyloom::apps {

/// A vertex's value with 9 significant digits; "inf" for none; a vertex's name where values are vertices.
std::string value_text(const Input& input, const Outcome& outcome, std::size_t vertex);

/// A name for a terminal: UTF-8, and what would move the cursor or colour the screen becomes a question mark.
std::string shown(const std::string& text);

/// The same of a further column; empty for none.
std::string column_text(const Input& input, const Column& column, std::size_t vertex);

/// Writes `vertex,value` rows (RFC 4180), or for a name that ends in .npy an array of (vertex, value)
/// records: numbers as uint32, or uint64 where one is larger, names as bytes, values as float64, vertices
/// among them as the vertices, or by their row from 0 where vertices have names. Further columns follow; of
/// numbered vertices as int64, -1 for none. Throws UserError.
void write_values(const std::string& path, const Input& input, const Outcome& outcome);

/// Writes an array of (value, further columns) records, one a vertex, for a reader that knows the vertices by
/// row: whole numbers and rows of vertices as int64 (-1: none), all others as float64 (infinite: none). In
/// place, so that it may be memory without a name. Throws UserError.
void write_rows(const std::string& path, const Outcome& outcome);

/// Numbers by name, from rows `vertex,value` as they are written, the header or not. Throws UserError.
std::map<std::string, double> read_values(const std::string& path);

/// With 9 significant digits, which tell single precision; `whole`: all of a whole number.
std::string number_text(double value, bool whole);

/// A field of a CSV file: quoted where it must be (RFC 4180).
std::string csv_field(const std::string& text);

/// Numbers by name, in columns that a first line names, of which the first one is "vertex".
struct Table {
  std::vector<std::string> columns;                   ///< behind "vertex"
  std::map<std::string, std::vector<double>> values;  ///< by name; NaN where a field is empty
};
/// Reads such a file, as write_values writes it. Throws UserError.
Table read_table(const std::string& path);

/// When something happened to a vertex.
struct Event {
  std::uint64_t step;
  std::string vertex;
};
/// Reads lines `step,neuron`, which the first one may say. Throws UserError.
std::vector<Event> read_events(const std::string& path);

/// Writes `source,target[,weight]` rows (RFC 4180); with `both_ways` each edge's reverse, too.
void write_edges(const std::string& path, const Input& input, bool both_ways);

}  // namespace polyloom::apps
