// SPDX-License-Identifier: Apache-2.0
// Rows of spec/keys/ as Table::read takes them: name, range, default. The headers that hold them are made
// from spec/ (`#include "spec/overlay_keys.h"`), with a struct of the values. A ...Range has no default of
// its own: its reader says one, or wants the key.
#pragma once

#include <cstdint>
#include <span>

#include "fabric/time.h"

namespace polyloom::fabric {

struct IntegerRange {
  const char* name;
  unsigned low, high;
  bool power_of_two;
};
struct IntegerKey : IntegerRange {
  unsigned fallback;
  unsigned paper;  ///< default of a preset that is as published
};

struct BooleanKey {
  const char* name;
  bool fallback;
};

struct ChoiceKey {
  const char* name;
  std::span<const char* const> words;
  const char* fallback;  ///< null: must be given
};

struct NamesKey {
  const char* name;
  std::span<const char* const> fallback;
};

struct BytesRange {
  const char* name;
  std::uint64_t low, high;
};
struct BytesKey : BytesRange {
  std::uint64_t fallback;
};

struct DurationRange {
  const char* name;
  Time low, high;
};
struct DurationKey : DurationRange {
  Time fallback;
};

}  // namespace polyloom::fabric
