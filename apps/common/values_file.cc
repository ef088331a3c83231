// SPDX-License-Identifier: Apache-2.0
#include "apps/common/values_file.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "fabric/json_text.h"
#include "fabric/partial_file.h"

namespace polyloom::apps {
namespace {

/// As RFC 4180 asks: quoted if it holds a separator, a quote or a line end.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string csv(const Input& input, const Answer& answer) {
  std::string text = "vertex,value\n";
  text.reserve(answer.values.size() * 20);
  for (std::uint32_t v = 0; v < answer.values.size(); ++v)
    text += csv_field(input.names[v]) + ',' + csv_field(value_text(input, answer, v)) + '\n';
  return text;
}

/// Bytes of the longest name.
std::size_t widest(const Input& input) {
  std::size_t most = 1;
  for (std::uint32_t v = 0; v < input.vertices; ++v) most = std::max(most, input.names[v].size());
  return most;
}

template <typename T>
void put(std::string& to, T value) {
  static_assert(std::endian::native == std::endian::little, "arrays are written as they lie in memory");
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// NPY 1.0 (numpy.lib.format): a head of whole 64 bytes, then the records.
std::string npy(const Input& input, const Answer& answer) {
  const std::size_t width = input.names.numeric() ? 0 : widest(input);
  const bool wide = width == 0 && input.vertices > 0 && input.names.number(input.vertices - 1) >> 32 != 0;
  const std::string vertex = width == 0 ? (wide ? "<u8" : "<u4") : "|S" + std::to_string(width);
  std::string head = "{'descr': [('vertex', '" + vertex + "'), ('value', '" +
                     (answer.of_vertices ? vertex : "<f8") + "')], 'fortran_order': False, 'shape': (" +
                     std::to_string(input.vertices) + ",), }";
  constexpr std::size_t kFixed = 10;  // magic, version, length
  head.resize((head.size() + kFixed + 1 + 63) / 64 * 64 - kFixed - 1, ' ');
  head += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  put(out, static_cast<std::uint16_t>(head.size()));
  out += head;
  const auto put_vertex = [&](std::uint32_t v) {
    if (wide) {
      put(out, input.names.number(v));
    } else if (width == 0) {
      put(out, static_cast<std::uint32_t>(input.names.number(v)));
    } else {
      out += input.names[v];
      out.append(width - input.names[v].size(), '\0');
    }
  };
  for (std::uint32_t v = 0; v < input.vertices; ++v) {
    const double value = answer.values[v];
    put_vertex(v);
    if (answer.of_vertices) {
      put_vertex(static_cast<std::uint32_t>(value));
    } else {
      put(out, std::isnan(value) ? std::numeric_limits<double>::infinity() : value);
    }
  }
  return out;
}

}  // namespace

std::string shown(const std::string& text) {
  auto name = nlohmann::json::parse(json_text(nlohmann::json(text))).get<std::string>();
  for (char& c : name) {
    if (static_cast<unsigned char>(c) < 32 || c == 127) c = '?';
  }
  return name;
}

std::string value_text(const Input& input, const Answer& answer, std::size_t vertex) {
  const double value = answer.values[vertex];
  if (std::isnan(value)) return "inf";
  if (answer.of_vertices) return input.names[static_cast<std::uint32_t>(value)];
  char text[64];
  std::snprintf(text, sizeof text, answer.integral ? "%.0f" : "%.9g", value);
  return text;
}

void write_values(const std::string& path, const Input& input, const Answer& answer) {
  fabric::write_whole(path, path.ends_with(".npy") ? npy(input, answer) : csv(input, answer));
}

void write_edges(const std::string& path, const Input& input) {
  std::string text = input.weights.empty() ? "source,target\n" : "source,target,weight\n";
  for (std::size_t e = 0; e < input.edges.size(); ++e) {
    text += csv_field(input.names[input.edges[e].from]) + ',' + csv_field(input.names[input.edges[e].to]);
    if (!input.weights.empty()) text += ',' + std::to_string(input.weights[e]);
    text += '\n';
  }
  fabric::write_whole(path, text);
}

}  // namespace polyloom::apps
