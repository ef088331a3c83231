// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/host/console.h"

namespace polyloom::overlay {
namespace {

std::uint64_t key_of(const ConsoleByte& b) {
  return std::uint64_t{b.board_x} << 48 | std::uint64_t{b.board_y} << 32 | b.core << 8 | b.thread;
}

void print(std::uint64_t key, const std::string& text, std::FILE* out) {
  std::fprintf(out, "%u:%u:%u:%u: %s\n", static_cast<unsigned>(key >> 48),
               static_cast<unsigned>(key >> 32 & 0xffff), static_cast<unsigned>(key >> 8 & 0xffffff),
               static_cast<unsigned>(key & 0xff), text.c_str());
}

}  // namespace

unsigned ConsoleLines::add(const ConsoleByte& byte, std::FILE* out) {
  const std::uint64_t key = key_of(byte);
  std::string& line = open_[key];
  if (byte.byte != '\n') line += static_cast<char>(byte.byte);
  if (byte.byte != '\n' && line.size() < kMaxLine) return 0;
  print(key, line, out);
  open_.erase(key);
  return 1;
}

void ConsoleLines::flush(std::FILE* out) {
  for (const auto& [key, line] : open_) print(key, line, out);
  open_.clear();
}

}  // namespace polyloom::overlay
