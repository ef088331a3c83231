// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/host/verilog_hex.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "fabric/error.h"

namespace polyloom::overlay {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

class Reader {
 public:
  Reader(const std::string& file, std::string text) : file_(file), text_(std::move(text)) {}

  std::vector<MemoryImage> images() {
    while (skip_space()) {
      if (text_[at_] == '@') {
        ++at_;
        pieces_.push_back({number(8, "an address of 1 to 8 hexadecimal digits after '@'"), {}});
      } else {
        const auto byte = static_cast<std::uint8_t>(number(2, "a byte of 1 or 2 hexadecimal digits"));
        if (pieces_.empty()) pieces_.emplace_back();
        pieces_.back().bytes.push_back(byte);
      }
    }
    return whole_words(std::move(pieces_));
  }

 private:
  bool skip_space() {
    for (; at_ < text_.size() && is_space(text_[at_]); ++at_) line_ += text_[at_] == '\n';
    return at_ < text_.size();
  }

  std::uint32_t number(int max_digits, const char* what) {
    std::uint32_t value = 0;
    int digits = 0;
    for (; at_ < text_.size() && !is_space(text_[at_]); ++at_, ++digits) {
      const int digit = hex_digit(text_[at_]);
      if (digit < 0 || digits == max_digits) fail(what);
      value = value << 4 | static_cast<std::uint32_t>(digit);
    }
    if (digits == 0) fail(what);
    return value;
  }

  [[noreturn]] void fail(const char* what) const {
    throw UserError(file_ + ":" + std::to_string(line_) + ": not Verilog hex: expected " + what +
                    "; make the file with objcopy -O verilog");
  }

  const std::string& file_;
  std::string text_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::vector<MemoryImage> pieces_;
};

}  // namespace

std::vector<MemoryImage> read_verilog_hex(const std::string& file) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(
      std::fopen(file.c_str(), "rb"), [](std::FILE* f) { return f == nullptr ? 0 : std::fclose(f); });
  std::string text;
  std::array<char, 1 << 16> block;
  std::size_t n = 0;
  while (in && (n = std::fread(block.data(), 1, block.size(), in.get())) > 0) text.append(block.data(), n);
  if (!in || std::ferror(in.get())) {
    throw UserError("device program " + file + ": " + std::strerror(errno) +
                    ". Build it first; paths are relative to the current folder");
  }
  return Reader(file, std::move(text)).images();
}

}  // namespace polyloom::overlay
