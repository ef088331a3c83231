// SPDX-License-Identifier: Apache-2.0
// Fields of a line: numbers separated by blanks, tabs or commas.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "polite/readers/text_source.h"

namespace polyloom::polite {

/// ASCII letters made small.
inline std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// A text without the blanks around it.
inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Reads a line from left to right. Each failure is an error at the source's current line.
class Fields {
 public:
  Fields(const TextSource& source, std::string_view line)
      : source_(source), at_(line.data()), end_(line.data() + line.size()) {}

  /// True if nothing but separators is left.
  bool empty() {
    skip();
    return at_ == end_;
  }

  /// First character that is no separator; 0 at the end of the line.
  char peek() {
    skip();
    return at_ == end_ ? '\0' : *at_;
  }

  /// Takes a whole number up to `most`; false if there is none, and then nothing is taken.
  bool take_number(std::uint64_t most, std::uint64_t& value) {
    skip();
    value = 0;
    const char* p = at_;
    while (p != end_ && static_cast<unsigned char>(*p - '0') < 10) {
      value = value * 10 + static_cast<std::uint64_t>(*p++ - '0');
    }
    // 19 digits cannot overflow.
    if (p == at_ || p - at_ > 19 || value > most || (p != end_ && !is_separator(*p))) return false;
    at_ = p;
    return true;
  }

  /// A whole number from `least` to `most`; `what` names it in messages.
  std::uint64_t number(const char* what, std::uint64_t least, std::uint64_t most) {
    std::uint64_t value = 0;
    const char* const start = at_;
    if (!take_number(most, value) || value < least) {
      at_ = start;
      skip();
      reject(what, least, most);
    }
    return value;
  }

  /// A weight: any finite decimal number.
  double weight() {
    skip();
    double value = 0;
    const char* const start = at_ != end_ && *at_ == '+' ? at_ + 1 : at_;
    const auto [p, error] = std::from_chars(start, end_, value);
    if (error != std::errc() || (p != end_ && !is_separator(*p)) || !(value - value == 0)) {
      source_.fail("'" + token() + "' is no weight; a finite number is expected");
    }
    at_ = p;
    return value;
  }

  /// The next word as it stands; empty at the end of the line.
  std::string_view word() {
    skip();
    const char* const start = at_;
    while (at_ != end_ && !is_separator(*at_)) ++at_;
    return {start, static_cast<std::size_t>(at_ - start)};
  }

  /// Nothing may follow.
  void end(const char* expected) {
    if (!empty()) source_.fail("'" + token() + "' is too much; a line is " + expected);
  }

 private:
  static bool is_separator(char c) { return c == ' ' || c == '\t' || c == ',' || c == '\r'; }
  void skip() {
    while (at_ != end_ && is_separator(*at_)) ++at_;
  }
  std::string token() const {
    const char* p = at_;
    while (p != end_ && !is_separator(*p) && p - at_ < 40) ++p;
    std::string text(at_, p);
    for (char& c : text) {
      if (static_cast<unsigned char>(c) < 32 || static_cast<unsigned char>(c) > 126) c = '?';
    }
    return text;
  }
  [[noreturn]] void reject(const char* what, std::uint64_t least, std::uint64_t most) const {
    const std::string found = at_ == end_ ? "the line ends" : "'" + token() + "' stands";
    source_.fail(found + " where " + what + " is expected: a whole number from " + std::to_string(least) +
                 " to " + std::to_string(most));
  }

  const TextSource& source_;
  const char* at_;
  const char* end_;
};

}  // namespace polyloom::polite
