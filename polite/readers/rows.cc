// SPDX-License-Identifier: Apache-2.0
#include "polite/readers/rows.h"

#include <algorithm>

#include "polite/readers/fields.h"

namespace polyloom::polite {

namespace {

/// No name or note is longer; a quote that is never closed ends here and not at the end of a long file.
constexpr std::size_t kLongestRow = 1 << 20;

}  // namespace

bool Row::split(std::string_view line) {
  fields_.clear();
  unquoted_.clear();
  const bool one_by_one = between_ != Between::any && between_ != Between::blanks;
  const char first = one_by_one ? static_cast<char>(between_) : ' ';
  const char second = one_by_one ? first : '\t', third = between_ == Between::any ? ',' : first;
  const auto separates = [=](char c) { return c == first || c == second || c == third; };
  // In front of a field: blanks, and where several separators are one, these.
  const auto skip = [&] {
    const auto skipped = [&](char c) {
      return one_by_one ? is_blank(c) && c != first : separates(c) || c == '\r';
    };
    line = {std::find_if_not(line.begin(), line.end(), skipped), line.end()};
  };
  for (;;) {
    skip();
    if (line.empty() && (!one_by_one || fields_.empty())) return true;
    if (dictionaries_ && line.starts_with('{')) {
      fields_.push_back(trimmed(line));
      return true;
    }
    if (one_by_one && line.starts_with('"')) {
      std::size_t end = 1;
      bool doubled = false;
      while ((end = line.find('"', end)) != std::string_view::npos && line.substr(end).starts_with("\"\"")) {
        doubled = true;
        end += 2;
      }
      if (end == std::string_view::npos) return false;
      std::string_view field = line.substr(1, end - 1);
      if (doubled) {
        std::string& text = unquoted_.emplace_back();
        for (std::size_t i = 0; i < field.size(); i += field[i] == '"' ? 2 : 1) text += field[i];
        field = text;
      }
      fields_.push_back(field);
      line.remove_prefix(end + 1);
      skip();
      if (line.empty()) return true;
      if (line[0] != first) return false;
    } else {
      const auto end = std::ranges::find_if(line, separates);
      fields_.push_back(trimmed({line.begin(), end}));
      line = {end, line.end()};
      if (line.empty()) return true;
    }
    line.remove_prefix(1);  // the separator: one that ends the line is followed by an empty field
  }
}

void Row::read(TextSource& source, std::string_view line) {
  if (split(line)) return;
  const std::uint64_t first = source.line();
  whole_ = line;
  auto quotes = std::count(line.begin(), line.end(), '"');
  while (quotes % 2 != 0 && whole_.size() < kLongestRow && source.next(line)) {
    quotes += std::count(line.begin(), line.end(), '"');
    whole_.append(1, '\n').append(line);
  }
  if (!split(whole_))
    source.fail_at(first,
                   "a quote is not closed, or does not end its field; a field is \"so\", a quote in it \"\"");
}

}  // namespace polyloom::polite
