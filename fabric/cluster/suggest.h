// SPDX-License-Identifier: Apache-2.0
// "Did you mean": the nearest of a list of words, for error messages.
#pragma once

#include <string>
#include <vector>

namespace polyloom::fabric {

/// The candidate with the fewest edits (insert, delete, replace, swap of neighbours) from `word`, if that is
/// at most a third of its length (at least 1); else empty. Case is ignored.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

/// " (did you mean X?)" or empty.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates);

/// "; it is now called NAME" if a key of this table, or with an empty `table` a table or role, was called
/// `former` in an earlier version; else empty.
std::string now_called(const std::string& table, const std::string& former);

/// "a, b, c" in the given order.
std::string joined(const std::vector<std::string>& words);

}  // namespace polyloom::fabric
