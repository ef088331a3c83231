// SPDX-License-Identifier: Apache-2.0
// A reader of our own because messages need the line of each value, which nlohmann::json does not keep.
#include <cctype>
#include <charconv>
#include <cmath>

#include "fabric/cluster/parse.h"
#include "fabric/error.h"

namespace polyloom::fabric {
namespace {

class JsonReader {
 public:
  JsonReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Value document() {
    Value value = any(0);
    blank();
    if (at_ != text_.size()) fail("text after the end of the document");
    if (value.kind != Value::Kind::table) fail("the document is not an object");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw UserError(file_ + ":" + std::to_string(line_) + ": not valid JSON: " + what);
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void blank() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r' || text_[at_] == '\n')) {
      if (text_[at_] == '\n') ++line_;
      ++at_;
    }
  }

  bool take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  void expect(char c) {
    blank();
    if (at_ >= text_.size()) fail(std::string("the text ends where '") + c + "' is due");
    if (text_[at_] != c) fail(std::string("'") + c + "' is due here");
    ++at_;
  }

  Value any(int depth) {
    if (depth > 64) fail("nested too deeply");
    blank();
    const int line = line_;
    Value value;
    switch (peek()) {
      case '{':
        value = object(depth);
        break;
      case '[':
        value = array(depth);
        break;
      case '"':
        value = Value::of(string());
        break;
      default:
        if (take("true")) {
          value = Value::of(true);
        } else if (take("false")) {
          value = Value::of(false);
        } else {
          value = number();
        }
    }
    value.line = line;
    return value;
  }

  Value object(int depth) {
    Value value;
    expect('{');
    blank();
    if (peek() == '}') {
      ++at_;
      return value;
    }
    for (;;) {
      blank();
      if (peek() != '"') fail("a key in quotes is due here");
      const std::string key = string();
      if (value.find(key)) fail("the key \"" + key + "\" is given twice");
      expect(':');
      value.members.emplace_back(key, any(depth + 1));
      blank();
      if (peek() != ',') break;
      ++at_;
    }
    expect('}');
    return value;
  }

  Value array(int depth) {
    Value value = Value::make_array();
    expect('[');
    blank();
    if (peek() == ']') {
      ++at_;
      return value;
    }
    for (;;) {
      value.items.push_back(any(depth + 1));
      blank();
      if (peek() != ',') break;
      ++at_;
    }
    expect(']');
    return value;
  }

  std::string string() {
    std::string out;
    ++at_;
    for (;;) {
      if (at_ >= text_.size() || text_[at_] == '\n') fail("a string without its closing quote");
      const char c = text_[at_++];
      if (c == '"') return out;
      if (c == '\\') {
        escape(out);
      } else {
        out += c;
      }
    }
  }

  void escape(std::string& out) {
    const char c = peek();
    ++at_;
    switch (c) {
      case '"':
      case '\\':
      case '/':
        out += c;
        return;
      case 'n':
        out += '\n';
        return;
      case 't':
        out += '\t';
        return;
      case 'r':
        out += '\r';
        return;
      default:
        fail("an unknown escape in a string");  // node names and ranges need no others
    }
  }

  Value number() {
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isdigit(static_cast<unsigned char>(text_[at_])) || text_[at_] == '-' || text_[at_] == '+' ||
            text_[at_] == '.' || text_[at_] == 'e' || text_[at_] == 'E')) {
      ++at_;
    }
    const char* first = text_.data() + begin;
    const char* last = text_.data() + at_;
    if (first == last) fail("a value is due here");
    std::int64_t i = 0;
    if (const auto r = std::from_chars(first, last, i); r.ec == std::errc() && r.ptr == last)
      return Value::of(i);
    double d = 0;
    if (const auto r = std::from_chars(first, last, d);
        r.ec == std::errc() && r.ptr == last && std::isfinite(d)) {
      return Value::of(d);
    }
    fail("\"" + std::string(first, last) + "\" is not a number");
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

Value parse_json(std::string_view text, const std::string& file) { return JsonReader(text, file).document(); }

}  // namespace polyloom::fabric
