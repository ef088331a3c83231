// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/host/source_line.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>

namespace polyloom::overlay {
namespace {

std::string shell_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string first_line(std::string& text) {
  const std::size_t end = text.find('\n');
  std::string line = text.substr(0, end);
  text.erase(0, end == std::string::npos ? end : end + 1);
  return line;
}

}  // namespace

std::string elf_beside(const std::string& code_file) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path folder = fs::absolute(code_file, error).parent_path();
  if (fs::exists(folder / "app.elf", error)) return (folder / "app.elf").string();
  std::string found;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() != ".elf") continue;
    if (!found.empty()) return {};
    found = it->path().string();
  }
  return found;
}

std::string source_line(const std::string& elf, std::uint32_t pc) {
  if (elf.empty()) return {};
  char address[16];
  std::snprintf(address, sizeof address, "0x%x", pc);
  const std::string command =
      "riscv64-unknown-elf-addr2line -f -C -s -e " + shell_quoted(elf) + " " + address + " 2>/dev/null";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
  if (!pipe) return {};
  std::string text;
  std::array<char, 512> buffer;
  while (std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr) text += buffer.data();
  const std::string function = first_line(text);
  std::string place = first_line(text);
  place = place.substr(0, place.find(" (discriminator"));
  if (place.empty() || place[0] == '?') return {};
  return function.empty() || function[0] == '?' ? place : place + " in " + function;
}

}  // namespace polyloom::overlay
