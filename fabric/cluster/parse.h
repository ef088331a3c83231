// SPDX-License-Identifier: Apache-2.0
// Text to values with line numbers. Nothing here knows what a cluster is.
#pragma once

#include <string>
#include <string_view>

#include "fabric/cluster/value.h"

namespace polyloom::fabric {

/// The whole document as a table. Throws UserError "FILE:LINE: what is wrong" on bad syntax and on TOML's
/// dates and times, which no cluster file uses.
Value parse_toml(std::string_view text, const std::string& file);

/// The same for a JSON object (RFC 8259); null is refused, a key given twice too.
Value parse_json(std::string_view text, const std::string& file);

}  // namespace polyloom::fabric
