// SPDX-License-Identifier: Apache-2.0
// Memory of a host program, shared with the simulator: the program's own memory file, opened through
// /proc/PID/fd/N, so nothing lies in a file system and nothing stays behind.
#pragma once

#include <cstdint>
#include <string>

namespace polyloom::hub {

/// Unmapped when it goes. Move only.
class ClientMemory {
 public:
  ClientMemory() = default;
  /// Throws UserError that says what could not be opened and what is needed. `who`: the node, for messages.
  ClientMemory(const std::string& who, std::uint64_t process, std::uint64_t descriptor, std::uint64_t offset,
               std::uint64_t bytes);
  ~ClientMemory();
  ClientMemory(ClientMemory&& other) noexcept;
  ClientMemory& operator=(ClientMemory&& other) noexcept;

  std::uint8_t* data() const { return data_; }
  std::uint64_t bytes() const { return bytes_; }
  bool holds(std::uint64_t offset, std::uint64_t n) const { return n <= bytes_ && offset <= bytes_ - n; }

 private:
  std::uint8_t* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace polyloom::hub
