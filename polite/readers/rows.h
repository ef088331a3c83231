// SPDX-License-Identifier: Apache-2.0
// Lines as rows of fields: separated by a comma, tab or semicolon and quoted as in RFC 4180, or by blanks.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "polite/readers/text_source.h"

namespace polyloom::polite {

/// What stands between two fields.
enum class Between : char {
  any = '*',     ///< blanks, tabs and commas, several for one: numbers as people write them
  blanks = ' ',  ///< blanks and tabs, several for one
  tab = '\t',
  comma = ',',
  semicolon = ';'
};

/// A row of a file. Fields are without quotes and the blanks around them.
class Row {
 public:
  /// With `dictionaries` a field that begins with a brace takes the rest of the line.
  Row(Between between, bool dictionaries) : between_(between), dictionaries_(dictionaries) {}

  /// Splits a line alone; false where its quotes are not those of a whole row.
  bool split(std::string_view line);
  /// Splits what begins with a line of the source, and goes on in the next ones where a quoted field does.
  /// Throws UserError where quotes are wrong.
  void read(TextSource& source, std::string_view line);

  const std::vector<std::string_view>& fields() const { return fields_; }

 private:
  Between between_;
  bool dictionaries_;
  std::vector<std::string_view> fields_;
  std::deque<std::string> unquoted_;  ///< fields that had two quotes for one
  std::string whole_;                 ///< a row of several lines
};

}  // namespace polyloom::polite
