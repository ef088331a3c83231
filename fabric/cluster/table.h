// SPDX-License-Identifier: Apache-2.0
// Checked reading of one table of a cluster file. Asking for a key declares it: its type, default and range
// come from its row in spec/keys/, or are said in the call. finish() then refuses every key that was not
// asked for and names those that exist.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fabric/cluster/keys.h"
#include "fabric/cluster/value.h"
#include "fabric/time.h"

namespace polyloom::fabric {

/// View of a table. Every reader takes the key and its default; std::nullopt as default makes the key
/// required. A wrong type, unit or range throws UserError: "FILE:LINE: [table] key = VALUE: what is wrong;
/// allowed: ...". Quantities are strings with a unit ("250 MHz", "10 Gb/s", "780 ns", "2 GiB"); a bare number
/// is refused. Not thread safe. `source` must outlive the view.
class Table {
 public:
  /// `path` is the table's name for messages, e.g. "overlay"; empty for the file's top level.
  Table(const Value& source, std::string file, std::string path);

  bool has(const std::string& key) const { return source_->find(key) != nullptr; }
  int line() const { return source_->line; }
  const std::string& file() const { return file_; }

  // Keys that spec/ describes.
  unsigned read(const IntegerRange& key, unsigned fallback);
  unsigned read(const IntegerKey& key) { return read(key, key.fallback); }
  bool read(const BooleanKey& key) { return boolean(key.name, key.fallback); }
  std::string read(const ChoiceKey& key);
  std::vector<std::string> read(const NamesKey& key) {
    return texts(key.name, std::vector<std::string>(key.fallback.begin(), key.fallback.end()));
  }
  std::uint64_t read(const BytesRange& key, std::optional<std::uint64_t> fallback = std::nullopt) {
    return bytes(key.name, fallback, key.low, key.high);
  }
  std::uint64_t read(const BytesKey& key) { return read(key, key.fallback); }
  Time read(const DurationKey& key) { return duration(key.name, key.fallback, key.low, key.high); }

  bool boolean(const std::string& key, std::optional<bool> fallback);
  std::int64_t integer(const std::string& key, std::optional<std::int64_t> fallback, std::int64_t min,
                       std::int64_t max);
  /// An integer that is a power of two within [min, max].
  std::int64_t power_of_two(const std::string& key, std::optional<std::int64_t> fallback, std::int64_t min,
                            std::int64_t max);
  double real(const std::string& key, std::optional<double> fallback, double min, double max);
  std::string text(const std::string& key, std::optional<std::string> fallback);
  /// One of `allowed`.
  std::string choice(const std::string& key, std::optional<std::string> fallback,
                     const std::vector<std::string>& allowed);

  /// Hertz; e.g. "250 MHz". 1 Hz .. 100 GHz.
  std::uint64_t frequency(const std::string& key, std::optional<std::uint64_t> fallback);
  /// Bits a second; e.g. "10 Gb/s". 1 b/s .. 10 Tb/s.
  std::uint64_t rate(const std::string& key, std::optional<std::uint64_t> fallback);
  /// Picoseconds; e.g. "780 ns".
  Time duration(const std::string& key, std::optional<Time> fallback, Time min = 0,
                Time max = 3600 * kPicosPerSecond);
  /// Bytes; e.g. "512 B", "8 MiB", "2 GiB".
  std::uint64_t bytes(const std::string& key, std::optional<std::uint64_t> fallback, std::uint64_t min = 0,
                      std::uint64_t max = std::uint64_t{1} << 50);

  /// An array of integers, each in [min, max], of min_count..max_count items.
  std::vector<std::int64_t> integers(const std::string& key,
                                     std::optional<std::vector<std::int64_t>> fallback, std::int64_t min,
                                     std::int64_t max, std::size_t min_count = 1, std::size_t max_count = 64);
  std::vector<std::string> texts(const std::string& key, std::optional<std::vector<std::string>> fallback);

  /// A sub-table; an absent one reads as empty, so its keys take their defaults.
  Table table(const std::string& key);
  /// An array of tables ([[key]]); empty if absent.
  std::vector<Table> tables(const std::string& key);
  /// The names of all members that are tables, for tables with free names ([memory.NAME]).
  std::vector<std::string> names() const;
  /// A member as parsed, declared as known and left to the caller; null if absent.
  const Value* raw(const std::string& key);

  /// Refuses keys that were not asked for, with the nearest known one. Call after the last reader.
  void finish() const;

  /// Throws UserError about `key` (its line, its value): `problem`, then what is allowed.
  [[noreturn]] void fail(const std::string& key, const std::string& problem,
                         const std::string& allowed) const;

  /// Every key asked for so far with the value in force, defaults included. Quantities appear as integers in
  /// base units under suffixed keys: clock_hz, rate_bps, latency_ps, size_bytes.
  Value effective() const;

 private:
  const Value* request(const std::string& key, bool required, const std::string& allowed);
  [[noreturn]] void wrong_type(const std::string& key, const Value& value, const std::string& wanted) const;
  std::int64_t checked_integer(const std::string& key, std::optional<std::int64_t> fallback, std::int64_t min,
                               std::int64_t max, const std::string& allowed);
  template <class T, class Parse>
  T quantity(const std::string& key, std::optional<T> fallback, T min, T max, const char* suffix, Parse parse,
             const std::string& allowed);

  const Value* source_;
  std::string file_, path_;
  std::vector<std::string> requested_;
  // Shared, because readers of sub-tables are values that may live shorter or longer than this one.
  struct Record {
    Value values;
    std::vector<std::pair<std::string, std::shared_ptr<Record>>> tables;
    Value composed() const;
  };
  std::shared_ptr<Record> record_ = std::make_shared<Record>();
};

}  // namespace polyloom::fabric
