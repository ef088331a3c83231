// SPDX-License-Identifier: Apache-2.0
// What a graph's vertices are called where the graph comes from. Inside, vertices are 0 .. n-1; what a person
// gives and gets are these names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace polyloom::polite {

/// Names of the vertices 0 .. size()-1, no two alike: consecutive numbers (no memory), other numbers in
/// ascending order (8 bytes each), or words.
class VertexNames {
 public:
  VertexNames() = default;
  /// The numbers first, first + 1, ...
  static VertexNames consecutive(std::uint32_t count, std::uint32_t first = 0);
  /// These numbers; ascending.
  static VertexNames numbers(std::vector<std::uint64_t> ascending);
  /// Throws UserError if two are alike.
  static VertexNames words(std::vector<std::string> words);
  /// Numbers if all words are such, written without leading zeros and in ascending order; else words. Throws
  /// UserError if two are alike.
  static VertexNames of(std::vector<std::string> words);

  std::uint32_t size() const { return count_; }
  /// False for words.
  bool numeric() const { return words_.empty(); }
  /// True if every vertex is called by its number inside.
  bool are_indices() const { return numeric() && numbers_.empty() && first_ == 0; }
  /// Of a numeric name.
  std::uint64_t number(std::uint32_t vertex) const {
    return numbers_.empty() ? first_ + vertex : numbers_[vertex];
  }
  std::string operator[](std::uint32_t vertex) const {
    return numeric() ? std::to_string(number(vertex)) : words_[vertex];
  }
  /// The vertex of that name; numbers as people write them ("7", "07").
  std::optional<std::uint32_t> find(std::string_view name) const;
  /// In a few words: "numbers from 0 to 9", "5 numbers between 1 and 11", "names, the first is 'bash'".
  std::string summary() const;

 private:
  std::uint32_t count_ = 0;
  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> numbers_;
  std::vector<std::string> words_;
};

}  // namespace polyloom::polite
