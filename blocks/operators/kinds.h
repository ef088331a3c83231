// SPDX-License-Identifier: Apache-2.0
// Operators. Made from spec/ by python -m spec; do not edit.
// clang-format off
#pragma once

#include <cstdint>

namespace polyloom::blocks::operators {

/// Numbers of `config` instructions.
enum class Kind : std::uint8_t {
  none = 0,
  reduce = 1,  ///< element by element: sum, least, greatest, average of its inputs
  partition = 2,  ///< deals keys, and values after them, to its outputs by ranges or bits
  pass = 3,  ///< an input as it is
  let = 4,  ///< a Barnes-Hut tree in, for each output the part that its domain needs
  kUser = 16,  ///< the first of users
};

/// What they are called.
inline constexpr struct {
  Kind kind;
  const char* name;
} kBuiltIn[] = {
    {Kind::reduce, "reduce"},
    {Kind::partition, "partition"},
    {Kind::pass, "pass"},
    {Kind::let, "let"},
};

}  // namespace polyloom::blocks::operators
