// SPDX-License-Identifier: Apache-2.0
// toml++ 3.3 asserts on some malformed documents (a key that begins with an odd character in an inline
// table); a person must get a message instead, so its assertions throw. With NDEBUG they would turn into
// undefined behaviour.
#undef NDEBUG
#define TOML_HEADER_ONLY 1
namespace {
struct ParserAssertion {};
constexpr void parser_assert(bool holds) {
  if (!holds) throw ParserAssertion();
}
}  // namespace
#define TOML_ASSERT(condition) parser_assert(static_cast<bool>(condition))
#include <toml++/toml.h>

#include <algorithm>
#include <vector>

#include "fabric/cluster/parse.h"
#include "fabric/error.h"

namespace polyloom::fabric {
namespace {

int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

Value convert(const toml::node& node, const std::string& file) {
  Value value;
  if (const auto* table = node.as_table()) {
    value.kind = Value::Kind::table;
    // toml++ sorts keys; a reader of messages and dumps expects the file's order.
    std::vector<std::pair<toml::source_position, std::pair<std::string, const toml::node*>>> order;
    for (const auto& [key, child] : *table) {
      order.push_back({key.source().begin, {std::string(key.str()), &child}});
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [position, member] : order) {
      Value child = convert(*member.second, file);
      // A dotted or bracketed table may start elsewhere than its name.
      if (position.line) child.line = static_cast<int>(position.line);
      value.members.emplace_back(member.first, std::move(child));
    }
  } else if (const auto* array = node.as_array()) {
    value.kind = Value::Kind::array;
    for (const auto& item : *array) value.items.push_back(convert(item, file));
  } else if (const auto* s = node.as_string()) {
    value = Value::of(s->get());
  } else if (const auto* i = node.as_integer()) {
    value = Value::of(i->get());
  } else if (const auto* d = node.as_floating_point()) {
    value = Value::of(d->get());
  } else if (const auto* b = node.as_boolean()) {
    value = Value::of(b->get());
  } else {
    throw UserError(file + ":" + std::to_string(line_of(node)) +
                    ": a date or time stands here; allowed: strings, numbers, true, false, arrays, tables");
  }
  value.line = line_of(node);
  return value;
}

// The line on which the parser's assertion fails: the first that, as the last one, makes it fail.
int line_of_assertion(std::string_view text) {
  int line = 0;
  for (std::size_t end = 0; end < text.size() && line < 2000;) {
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
    ++line;
    try {
      (void)toml::parse(text.substr(0, end));
    } catch (const ParserAssertion&) {
      return line;
    } catch (const toml::parse_error&) {
    }
  }
  return line;
}

}  // namespace

Value parse_toml(std::string_view text, const std::string& file) {
  try {
    const toml::table document = toml::parse(text, std::string_view(file));
    return convert(document, file);
  } catch (const toml::parse_error& error) {
    throw UserError(file + ":" + std::to_string(error.source().begin.line) +
                    ": not valid TOML: " + std::string(error.description()));
  } catch (const ParserAssertion&) {
    throw UserError(file + ":" + std::to_string(line_of_assertion(text)) +
                    ": not valid TOML: a key or value begins with a character that cannot begin one");
  }
}

}  // namespace polyloom::fabric
