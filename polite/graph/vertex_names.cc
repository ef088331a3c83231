// SPDX-License-Identifier: Apache-2.0
#include "polite/vertex_names.h"

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "fabric/error.h"

namespace polyloom::polite {

VertexNames VertexNames::consecutive(std::uint32_t count, std::uint32_t first) {
  VertexNames names;
  names.count_ = count;
  names.first_ = first;
  return names;
}

VertexNames VertexNames::numbers(std::vector<std::uint64_t> ascending) {
  const auto count = static_cast<std::uint32_t>(ascending.size());
  // Without gaps they need no memory.
  const bool gaps = count != 0 && ascending.back() - ascending.front() != count - 1;
  VertexNames names;
  names.count_ = count;
  names.first_ = count == 0 ? 0 : ascending.front();
  if (gaps) names.numbers_ = std::move(ascending);
  return names;
}

VertexNames VertexNames::words(std::vector<std::string> words) {
  std::unordered_set<std::string_view> seen;
  seen.reserve(words.size());
  for (const std::string& word : words) {
    if (!seen.insert(word).second)
      throw UserError("two vertices are called '" + word + "'; names tell vertices apart");
  }
  VertexNames names;
  names.count_ = static_cast<std::uint32_t>(words.size());
  names.words_ = std::move(words);
  return names;
}

VertexNames VertexNames::of(std::vector<std::string> words) {
  std::vector<std::uint64_t> ascending;
  ascending.reserve(words.size());
  for (const std::string& word : words) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    const bool whole =
        error == std::errc() && end == word.data() + word.size() && std::to_string(number) == word;
    if (!whole || (!ascending.empty() && ascending.back() >= number))
      return VertexNames::words(std::move(words));
    ascending.push_back(number);
  }
  return numbers(std::move(ascending));
}

std::optional<std::uint32_t> VertexNames::find(std::string_view name) const {
  if (!numeric()) {
    const auto at = std::find(words_.begin(), words_.end(), name);
    if (at == words_.end()) return std::nullopt;
    return static_cast<std::uint32_t>(at - words_.begin());
  }
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  if (numbers_.empty()) {
    if (number < first_ || number - first_ >= count_) return std::nullopt;
    return static_cast<std::uint32_t>(number - first_);
  }
  const auto at = std::lower_bound(numbers_.begin(), numbers_.end(), number);
  if (at == numbers_.end() || *at != number) return std::nullopt;
  return static_cast<std::uint32_t>(at - numbers_.begin());
}

std::string VertexNames::summary() const {
  if (count_ == 0) return "none";
  if (!numeric()) return std::to_string(count_) + " names, the first is '" + words_.front() + "'";
  const std::string first = std::to_string(number(0)), last = std::to_string(number(count_ - 1));
  if (numbers_.empty()) return "numbers from " + first + " to " + last;
  return std::to_string(count_) + " numbers between " + first + " and " + last;
}

}  // namespace polyloom::polite
