// SPDX-License-Identifier: Apache-2.0
#include "fabric/cluster/table.h"

#include <algorithm>
#include <cstdio>

#include "fabric/cluster/suggest.h"
#include "fabric/cluster/units.h"
#include "fabric/error.h"

namespace polyloom::fabric {
namespace {

std::string number(double d) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.12g", d);
  return buffer;
}

template <class T>
std::string range_text(const std::string& what, T min, T max) {
  if constexpr (std::is_floating_point_v<T>) {
    return what + " from " + number(min) + " to " + number(max);
  } else {
    return what + " from " + std::to_string(min) + " to " + std::to_string(max);
  }
}

}  // namespace

Table::Table(const Value& source, std::string file, std::string path)
    : source_(&source), file_(std::move(file)), path_(std::move(path)) {}

void Table::fail(const std::string& key, const std::string& problem, const std::string& allowed) const {
  const Value* value = source_->find(key);
  const int line = value && value->line ? value->line : source_->line;
  std::string message = file_ + (line ? ":" + std::to_string(line) : std::string()) + ": ";
  if (!path_.empty()) message += "[" + path_ + "] ";
  message += key;
  if (value) message += " = " + value->text();
  message += ": " + problem;
  if (!allowed.empty()) message += "; allowed: " + allowed;
  throw UserError(message);
}

const Value* Table::request(const std::string& key, bool required, const std::string& allowed) {
  if (std::find(requested_.begin(), requested_.end(), key) == requested_.end()) requested_.push_back(key);
  const Value* value = source_->find(key);
  if (!value && required) {
    std::vector<std::string> others;  // one of them may be this one, misspelt
    for (const auto& [name, member] : source_->members) {
      if (std::find(requested_.begin(), requested_.end(), name) == requested_.end()) others.push_back(name);
    }
    const std::string near = nearest(key, others);
    fail(key, "this key is missing" + (near.empty() ? "" : "; is " + near + " meant for it?"), allowed);
  }
  return value;
}

void Table::wrong_type(const std::string& key, const Value& value, const std::string& wanted) const {
  fail(key, std::string("this is ") + kind_name(value.kind), wanted);
}

unsigned Table::read(const IntegerRange& key, unsigned fallback) {
  return static_cast<unsigned>(key.power_of_two ? power_of_two(key.name, fallback, key.low, key.high)
                                                : integer(key.name, fallback, key.low, key.high));
}

std::string Table::read(const ChoiceKey& key) {
  const std::optional<std::string> fallback =
      key.fallback != nullptr ? std::optional<std::string>(key.fallback) : std::nullopt;
  return choice(key.name, fallback, {key.words.begin(), key.words.end()});
}

bool Table::boolean(const std::string& key, std::optional<bool> fallback) {
  const char* allowed = "true or false";
  const Value* value = request(key, !fallback, allowed);
  if (value && value->kind != Value::Kind::boolean) wrong_type(key, *value, allowed);
  const bool result = value ? value->boolean : *fallback;
  record_->values.set(key, Value::of(result));
  return result;
}

std::int64_t Table::checked_integer(const std::string& key, std::optional<std::int64_t> fallback,
                                    std::int64_t min, std::int64_t max, const std::string& allowed) {
  const Value* value = request(key, !fallback, allowed);
  if (value && value->kind != Value::Kind::integer) wrong_type(key, *value, allowed);
  const std::int64_t result = value ? value->integer : *fallback;
  if (value && (result < min || result > max)) fail(key, "out of range", allowed);
  record_->values.set(key, Value::of(result));
  return result;
}

std::int64_t Table::integer(const std::string& key, std::optional<std::int64_t> fallback, std::int64_t min,
                            std::int64_t max) {
  return checked_integer(key, fallback, min, max, range_text("an integer", min, max));
}

std::int64_t Table::power_of_two(const std::string& key, std::optional<std::int64_t> fallback,
                                 std::int64_t min, std::int64_t max) {
  const std::string allowed = range_text("a power of two", min, max);
  const std::int64_t result = checked_integer(key, fallback, min, max, allowed);
  if (has(key) && (result <= 0 || (result & (result - 1)) != 0)) fail(key, "not a power of two", allowed);
  return result;
}

double Table::real(const std::string& key, std::optional<double> fallback, double min, double max) {
  const std::string allowed = range_text("a number", min, max);
  const Value* value = request(key, !fallback, allowed);
  double result = fallback.value_or(0);
  if (value) {
    if (value->kind == Value::Kind::integer) {
      result = static_cast<double>(value->integer);
    } else if (value->kind == Value::Kind::real) {
      result = value->real;
    } else {
      wrong_type(key, *value, allowed);
    }
    if (!(result >= min && result <= max)) fail(key, "out of range", allowed);  // refuses NaN too
  }
  record_->values.set(key, Value::of(result));
  return result;
}

std::string Table::text(const std::string& key, std::optional<std::string> fallback) {
  const char* allowed = "a string in quotes";
  const Value* value = request(key, !fallback, allowed);
  if (value && value->kind != Value::Kind::string) wrong_type(key, *value, allowed);
  std::string result = value ? value->string : *fallback;
  record_->values.set(key, Value::of(result));
  return result;
}

std::string Table::choice(const std::string& key, std::optional<std::string> fallback,
                          const std::vector<std::string>& allowed) {
  const std::string list = "one of " + joined(allowed);
  const Value* value = request(key, !fallback, list);
  if (value && value->kind != Value::Kind::string) wrong_type(key, *value, list);
  std::string result = value ? value->string : *fallback;
  if (value && std::find(allowed.begin(), allowed.end(), result) == allowed.end()) {
    fail(key, "unknown value" + did_you_mean(result, allowed), list);
  }
  record_->values.set(key, Value::of(result));
  return result;
}

template <class T, class Parse>
T Table::quantity(const std::string& key, std::optional<T> fallback, T min, T max, const char* suffix,
                  Parse parse, const std::string& allowed) {
  const Value* value = request(key, !fallback, allowed);
  T result = fallback.value_or(T{});
  if (value) {
    if (value->kind == Value::Kind::integer || value->kind == Value::Kind::real)
      fail(key, "no unit", allowed);
    if (value->kind != Value::Kind::string) wrong_type(key, *value, allowed);
    const auto parsed = parse(value->string);
    if (!parsed) fail(key, "not a number with a known unit", allowed);
    result = static_cast<T>(*parsed);
    if (result < min || result > max) fail(key, "out of range", allowed);
  }
  record_->values.set(key + suffix, Value::of(static_cast<std::int64_t>(result)));
  return result;
}

std::uint64_t Table::frequency(const std::string& key, std::optional<std::uint64_t> fallback) {
  return quantity<std::uint64_t>(key, fallback, 1, 100'000'000'000, "_hz", parse_frequency,
                                 std::string(kFrequencyAllowed) + ", 1 Hz to 100 GHz");
}

std::uint64_t Table::rate(const std::string& key, std::optional<std::uint64_t> fallback) {
  return quantity<std::uint64_t>(key, fallback, 1, 10'000'000'000'000, "_bps", parse_rate,
                                 std::string(kRateAllowed) + ", 1 b/s to 10 Tb/s");
}

Time Table::duration(const std::string& key, std::optional<Time> fallback, Time min, Time max) {
  return quantity<Time>(
      key, fallback, min, max, "_ps", parse_duration,
      std::string(kDurationAllowed) + ", " + format_duration(min) + " to " + format_duration(max));
}

std::uint64_t Table::bytes(const std::string& key, std::optional<std::uint64_t> fallback, std::uint64_t min,
                           std::uint64_t max) {
  return quantity<std::uint64_t>(
      key, fallback, min, max, "_bytes", parse_bytes,
      std::string(kBytesAllowed) + ", " + format_bytes(min) + " to " + format_bytes(max));
}

std::vector<std::int64_t> Table::integers(const std::string& key,
                                          std::optional<std::vector<std::int64_t>> fallback, std::int64_t min,
                                          std::int64_t max, std::size_t min_count, std::size_t max_count) {
  const std::string count = min_count == max_count
                                ? std::to_string(min_count)
                                : std::to_string(min_count) + " to " + std::to_string(max_count);
  const std::string allowed =
      "an array of " + count + " integers from " + std::to_string(min) + " to " + std::to_string(max);
  const Value* value = request(key, !fallback, allowed);
  std::vector<std::int64_t> result = fallback.value_or(std::vector<std::int64_t>());
  if (value) {
    if (value->kind != Value::Kind::array) wrong_type(key, *value, allowed);
    if (value->items.size() < min_count || value->items.size() > max_count) {
      fail(key, "wrong number of items", allowed);
    }
    result.clear();
    for (const Value& item : value->items) {
      if (item.kind != Value::Kind::integer)
        fail(key, "an item is " + std::string(kind_name(item.kind)), allowed);
      if (item.integer < min || item.integer > max) {
        fail(key, "item " + std::to_string(item.integer) + " is out of range", allowed);
      }
      result.push_back(item.integer);
    }
  }
  Value shown = Value::make_array();
  for (const std::int64_t i : result) shown.items.push_back(Value::of(i));
  record_->values.set(key, std::move(shown));
  return result;
}

std::vector<std::string> Table::texts(const std::string& key,
                                      std::optional<std::vector<std::string>> fallback) {
  const char* allowed = "an array of strings";
  const Value* value = request(key, !fallback, allowed);
  std::vector<std::string> result = fallback.value_or(std::vector<std::string>());
  if (value) {
    if (value->kind != Value::Kind::array) wrong_type(key, *value, allowed);
    result.clear();
    for (const Value& item : value->items) {
      if (item.kind != Value::Kind::string)
        fail(key, "an item is " + std::string(kind_name(item.kind)), allowed);
      result.push_back(item.string);
    }
  }
  Value shown = Value::make_array();
  for (const std::string& s : result) shown.items.push_back(Value::of(s));
  record_->values.set(key, std::move(shown));
  return result;
}

Table Table::table(const std::string& key) {
  static const Value empty;
  const Value* value = request(key, false, "");
  if (value && value->kind != Value::Kind::table) wrong_type(key, *value, "a table ([" + key + "])");
  Table result(value ? *value : empty, file_, path_.empty() ? key : path_ + "." + key);
  record_->tables.emplace_back(key, result.record_);
  return result;
}

Value Table::Record::composed() const {
  Value all = values;
  for (const auto& [key, table] : tables) all.set(key, table->composed());
  return all;
}

Value Table::effective() const { return record_->composed(); }

std::vector<Table> Table::tables(const std::string& key) {
  const std::string allowed = "tables, each headed [[" + key + "]]";
  std::vector<Table> result;
  const Value* value = request(key, false, "");
  if (!value) return result;
  if (value->kind != Value::Kind::array) wrong_type(key, *value, allowed);
  for (const Value& item : value->items) {
    if (item.kind != Value::Kind::table)
      fail(key, "an item is " + std::string(kind_name(item.kind)), allowed);
    result.emplace_back(item, file_, path_.empty() ? key : path_ + "." + key);
  }
  return result;
}

std::vector<std::string> Table::names() const {
  std::vector<std::string> result;
  for (const auto& [key, value] : source_->members) {
    if (value.kind == Value::Kind::table) result.push_back(key);
  }
  return result;
}

const Value* Table::raw(const std::string& key) { return request(key, false, ""); }

void Table::finish() const {
  for (const auto& [key, value] : source_->members) {
    if (std::find(requested_.begin(), requested_.end(), key) == requested_.end()) {
      const std::string now = now_called(path_, key);
      fail(key, "unknown key" + (now.empty() ? did_you_mean(key, requested_) : now),
           requested_.empty() ? "no keys here" : joined(requested_));
    }
  }
}

}  // namespace polyloom::fabric
