// SPDX-License-Identifier: Apache-2.0
// What a cluster file holds once parsed, whatever its syntax: values that know the line they stand in.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace polyloom::fabric {

/// One value of a cluster file. Plain data; members of a table keep the order of the file.
struct Value {
  enum class Kind { boolean, integer, real, string, array, table };

  Kind kind = Kind::table;
  int line = 0;  ///< 1-based; 0 for a value that no file holds (a default)
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0;
  std::string string;
  std::vector<Value> items;                            ///< of an array
  std::vector<std::pair<std::string, Value>> members;  ///< of a table

  const Value* find(const std::string& key) const;
  /// Sets or replaces a member of a table.
  void set(const std::string& key, Value value);
  /// The value as a person would write it in TOML, shortened to `limit` characters.
  std::string text(std::size_t limit = 60) const;

  static Value of(bool b);
  static Value of(std::int64_t i);
  static Value of(double d);
  static Value of(std::string s);
  static Value make_array(int line = 0);
};

/// The kind's name for messages: "an integer", "a table" ...
const char* kind_name(Value::Kind kind);

/// Table `over` laid on table `base`: members of `over` win, tables are merged.
Value merged(const Value& base, const Value& over);

}  // namespace polyloom::fabric
