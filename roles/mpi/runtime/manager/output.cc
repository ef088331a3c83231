// SPDX-License-Identifier: Apache-2.0
#include "roles/mpi/runtime/manager/output.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "fabric/error.h"
#include "fabric/json_text.h"
#include "roles/mpi/arch/field.h"
#include "roles/mpi/arch/system.h"

namespace polyloom::mpi {
namespace {

// From the bits of IEEE 754's binary128, rounded once if this machine's long double is shorter.
long double of_quad(std::uint64_t high, std::uint64_t low) {
  const int exponent = static_cast<int>(high >> 48 & 0x7FFF);
  const std::uint64_t fraction = high & 0xFFFF'FFFF'FFFF;
  long double value =
      std::ldexp(static_cast<long double>(fraction), -48) + std::ldexp(static_cast<long double>(low), -112);
  if (exponent == 0x7FFF) {
    value = fraction == 0 && low == 0 ? std::numeric_limits<long double>::infinity()
                                      : std::numeric_limits<long double>::quiet_NaN();
  } else {
    value = exponent == 0 ? std::ldexp(value, -16382) : std::ldexp(value + 1, exponent - 16383);
  }
  return high >> 63 != 0 ? -value : value;
}

// The words after the first two; nothing if the record is cut short.
std::optional<std::vector<Argument>> read_arguments(std::span<const std::byte> record, unsigned count) {
  const auto kinds = get_little<std::uint64_t>(record, 8);
  std::vector<Argument> arguments;
  std::size_t at = 16;
  for (unsigned i = 0; i < count; ++i) {
    Argument a;
    a.kind = static_cast<unsigned>(kinds >> 4 * i & 15);
    if (at + 8 > record.size()) return std::nullopt;
    a.word = get_little<std::uint64_t>(record, at);
    at += 8;
    if (a.kind == POLYLOOM_PRINT_QUAD) {
      if (at + 8 > record.size()) return std::nullopt;
      a.high = get_little<std::uint64_t>(record, at);
      at += 8;
    }
    if (a.kind == POLYLOOM_PRINT_STRING) {
      const std::size_t bytes = a.word & 0xFFFFFFFF;
      a.word >>= 32;  // its address
      if (bytes > record.size() - at) return std::nullopt;
      for (std::size_t k = 0; k < bytes; ++k) a.text.push_back(static_cast<char>(record[at + k]));
      at = std::min(at + (bytes + 7) / 8 * 8, record.size());
    }
    arguments.push_back(std::move(a));
  }
  return arguments;
}

// One conversion of a format: "%-8.3lf" is flags "-", width 8, precision 3, length "l", conversion 'f'.
struct Conversion {
  std::string flags, length;
  int width = -1, precision = -1;
  char letter = 0;
};

constexpr std::string_view kIntegers = "diouxXbB", kReals = "fFeEgGaA", kLetters = "diouxXbBfFeEgGaAcspnm";

class Formatter {
 public:
  Formatter(const std::string& format, std::span<const Argument> arguments)
      : f_(format), arguments_(arguments) {}

  std::string run() {
    while (at_ < f_.size()) {
      if (f_[at_] != '%') {
        out_ += f_[at_++];
      } else {
        const std::size_t begin = at_++;
        const Conversion c = parse();
        if (c.letter == '%') {
          out_ += '%';
        } else if (c.letter == 0 || kLetters.find(c.letter) == std::string_view::npos) {
          out_ += f_.substr(begin, at_ - begin);  // as glibc
        } else {
          put(c);
        }
      }
    }
    return out_;
  }

 private:
  const Argument* next() { return used_ < arguments_.size() ? &arguments_[used_++] : nullptr; }

  // "2$": the next argument is the second (POSIX). False if that is not what comes.
  bool choose() {
    std::size_t end = at_;
    while (end < f_.size() && f_[end] >= '0' && f_[end] <= '9') ++end;
    if (end == at_ || end - at_ > 2 || end == f_.size() || f_[end] != '$') return false;
    used_ = static_cast<std::size_t>(std::stoi(f_.substr(at_, end - at_))) - 1;  // 0$: beyond all
    at_ = end + 1;
    return true;
  }

  int number() {
    if (at_ < f_.size() && f_[at_] == '*') {
      ++at_;
      choose();
      const Argument* a = next();
      return a ? static_cast<int>(a->word) : 0;
    }
    int value = 0;
    while (at_ < f_.size() && f_[at_] >= '0' && f_[at_] <= '9')
      value = std::min(10 * value + (f_[at_++] - '0'), 4096);
    return value;
  }

  Conversion parse() {
    Conversion c;
    const auto is_in = [&](const char* set) {
      return at_ < f_.size() && std::string(set).find(f_[at_]) != std::string::npos;
    };
    const bool positional = choose();
    const std::size_t chosen = used_;
    while (is_in("-+ #0'")) c.flags += f_[at_++];
    if (is_in("*123456789")) c.width = number();
    if (c.width < -1) {  // of a '*'
      c.flags += '-';
      c.width = -c.width;
    }
    if (is_in(".")) {
      ++at_;
      c.precision = number();
    }
    while (is_in("hljztL")) c.length += f_[at_++];
    if (at_ < f_.size()) c.letter = f_[at_++];
    if (positional) used_ = chosen;
    return c;
  }

  static std::string pattern(const Conversion& c, const char* length) {
    std::string p = "%" + c.flags;
    if (c.width >= 0) p += std::to_string(c.width);
    if (c.precision >= 0) p += "." + std::to_string(c.precision);
    return p + length + c.letter;
  }

  template <typename T>
  void print(const std::string& format, T value) {
    const int bytes = std::snprintf(nullptr, 0, format.c_str(), value);
    std::string text(static_cast<std::size_t>(std::max(bytes, 0)) + 1, 0);
    std::snprintf(text.data(), text.size(), format.c_str(), value);
    text.pop_back();
    out_ += text;
  }

  // As a C compiler takes an argument for that length.
  static long long narrowed(const Conversion& c, std::uint64_t word) {
    const bool is_signed = c.letter == 'd' || c.letter == 'i';
    if (c.length.find_first_of("ljzt") != std::string::npos) return static_cast<long long>(word);
    if (c.length == "hh") return is_signed ? static_cast<std::int8_t>(word) : static_cast<std::uint8_t>(word);
    if (c.length == "h")
      return is_signed ? static_cast<std::int16_t>(word) : static_cast<std::uint16_t>(word);
    return is_signed ? static_cast<std::int32_t>(word)
                     : static_cast<long long>(static_cast<std::uint32_t>(word));
  }

  void put(const Conversion& c) {
    const Argument* a = next();
    if (a == nullptr) {
      out_ += "<no argument>";
      return;
    }
    const bool is_number = a->kind == POLYLOOM_PRINT_INTEGER || a->kind == POLYLOOM_PRINT_POINTER;
    const bool is_real = kReals.find(c.letter) != std::string_view::npos;
    const bool has_address = is_number || a->kind == POLYLOOM_PRINT_STRING;
    if (kIntegers.find(c.letter) != std::string_view::npos && is_number) {
      print(pattern(c, "ll"), narrowed(c, a->word));
    } else if (c.letter == 'c' && is_number) {
      print(pattern(c, ""), static_cast<int>(a->word));
    } else if (is_real && a->kind == POLYLOOM_PRINT_DOUBLE) {
      if (c.length == "L") {
        print(pattern(c, "L"), static_cast<long double>(std::bit_cast<double>(a->word)));
      } else {
        print(pattern(c, ""), std::bit_cast<double>(a->word));
      }
    } else if (is_real && a->kind == POLYLOOM_PRINT_QUAD) {
      print(pattern(c, "L"), of_quad(a->high, a->word));
    } else if (c.letter == 's' && a->kind == POLYLOOM_PRINT_STRING) {
      print(pattern(c, ""), a->text.c_str());
    } else if (c.letter == 's' && a->kind == POLYLOOM_PRINT_POINTER && a->word == 0) {
      print(pattern(c, ""), c.precision >= 0 && c.precision < 6 ? "" : "(null)");  // as glibc
    } else if (c.letter == 'm' && is_number) {                                     // perror's
      out_ += std::strerror(static_cast<int>(a->word));
    } else if (c.letter == 'p' && has_address) {
      print(pattern(c, ""), reinterpret_cast<void*>(a->word));
    } else {
      out_ += std::string("<not for %") + c.letter + ">";
    }
  }

  const std::string& f_;
  std::span<const Argument> arguments_;
  std::size_t at_ = 0, used_ = 0;
  std::string out_;
};

}  // namespace

std::optional<Record> read_record(std::span<const std::byte> bytes) {
  if (bytes.size() < 16) return std::nullopt;
  const auto head = get_little<std::uint64_t>(bytes, 0);
  const unsigned count = std::min<unsigned>(head >> 32 & 0xFF, POLYLOOM_RECORD_ARGUMENTS);
  auto arguments = read_arguments(bytes, count);
  if (!arguments) return std::nullopt;
  return Record{static_cast<unsigned>(head >> 40), static_cast<std::uint32_t>(head), *std::move(arguments)};
}

std::string take_format(Record& record, const Strings& strings) {
  if (record.format == 0 && !record.arguments.empty()) {
    std::string format = std::move(record.arguments.front().text);
    record.arguments.erase(record.arguments.begin());
    return format;
  }
  if (const auto found = strings.find(record.format); found != strings.end()) return found->second;
  char text[64];
  std::snprintf(text, sizeof text, "<format at 0x%08x is no constant>\n", record.format);
  record.arguments.clear();
  return text;
}

std::string format_text(const std::string& format, std::span<const Argument> arguments) {
  return Formatter(format, arguments).run();
}

Strings read_strings(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw UserError(path + ": cannot be read; a kernel's report says what its output means");
  try {
    const nlohmann::json report = nlohmann::json::parse(in);
    Strings strings;
    const nlohmann::json table = report.value("strings", nlohmann::json::object());
    for (const auto& [address, text] : table.items()) {
      strings[static_cast<std::uint32_t>(std::stoul(address, nullptr, 0))] = bytes_of(text);
    }
    return strings;
  } catch (const std::exception& error) {
    throw UserError(path + ": " + error.what());
  }
}

}  // namespace polyloom::mpi
