// SPDX-License-Identifier: Apache-2.0
#include "fabric/cluster/value.h"

#include <cstdio>

namespace polyloom::fabric {

const Value* Value::find(const std::string& key) const {
  for (const auto& [name, value] : members) {
    if (name == key) return &value;
  }
  return nullptr;
}

void Value::set(const std::string& key, Value value) {
  for (auto& [name, old] : members) {
    if (name == key) {
      old = std::move(value);
      return;
    }
  }
  members.emplace_back(key, std::move(value));
}

Value Value::of(bool b) {
  Value v;
  v.kind = Kind::boolean;
  v.boolean = b;
  return v;
}

Value Value::of(std::int64_t i) {
  Value v;
  v.kind = Kind::integer;
  v.integer = i;
  return v;
}

Value Value::of(double d) {
  Value v;
  v.kind = Kind::real;
  v.real = d;
  return v;
}

Value Value::of(std::string s) {
  Value v;
  v.kind = Kind::string;
  v.string = std::move(s);
  return v;
}

Value Value::make_array(int line) {
  Value v;
  v.kind = Kind::array;
  v.line = line;
  return v;
}

const char* kind_name(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::boolean:
      return "true or false";
    case Value::Kind::integer:
      return "an integer";
    case Value::Kind::real:
      return "a number";
    case Value::Kind::string:
      return "a string";
    case Value::Kind::array:
      return "an array";
    case Value::Kind::table:
      return "a table";
  }
  return "?";
}

namespace {

// Control characters would garble a message on a terminal.
std::string quoted(const std::string& s) {
  std::string out = "\"";
  for (const char c : s) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      char buffer[8];
      std::snprintf(buffer, sizeof buffer, "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      out += buffer;
    } else {
      out += c;
    }
  }
  return out + '"';
}

void write(const Value& value, std::string& out, std::size_t limit) {
  if (out.size() > limit) return;
  switch (value.kind) {
    case Value::Kind::boolean:
      out += value.boolean ? "true" : "false";
      return;
    case Value::Kind::integer:
      out += std::to_string(value.integer);
      return;
    case Value::Kind::real: {
      char buffer[40];
      std::snprintf(buffer, sizeof buffer, "%.12g", value.real);
      out += buffer;
      return;
    }
    case Value::Kind::string:
      out += quoted(value.string);
      return;
    case Value::Kind::array:
      out += '[';
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        if (i) out += ", ";
        write(value.items[i], out, limit);
      }
      out += ']';
      return;
    case Value::Kind::table:
      out += '{';
      for (std::size_t i = 0; i < value.members.size(); ++i) {
        if (i) out += ", ";
        out += value.members[i].first + " = ";
        write(value.members[i].second, out, limit);
      }
      out += '}';
      return;
  }
}

}  // namespace

std::string Value::text(std::size_t limit) const {
  std::string out;
  write(*this, out, limit);
  if (out.size() > limit) {
    std::size_t cut = limit > 3 ? limit - 3 : 0;
    while (cut > 0 && (static_cast<unsigned char>(out[cut]) & 0xc0) == 0x80) --cut;  // whole UTF-8 characters
    out = out.substr(0, cut) + "...";
  }
  return out;
}

Value merged(const Value& base, const Value& over) {
  if (base.kind != Value::Kind::table || over.kind != Value::Kind::table) return over;
  Value result = base;
  result.line = over.line;
  for (const auto& [key, value] : over.members) {
    const Value* old = result.find(key);
    result.set(key, old ? merged(*old, value) : value);
  }
  return result;
}

}  // namespace polyloom::fabric
