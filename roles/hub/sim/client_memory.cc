// SPDX-License-Identifier: Apache-2.0
#include "roles/hub/sim/client_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "fabric/error.h"

namespace polyloom::hub {

ClientMemory::ClientMemory(const std::string& who, std::uint64_t process, std::uint64_t descriptor,
                           std::uint64_t offset, std::uint64_t bytes) {
  const std::string path = "/proc/" + std::to_string(process) + "/fd/" + std::to_string(descriptor);
  const auto refuse = [&](const std::string& what) {
    throw UserError(who + ": the memory of its host program, " + path + ", " + what +
                    "; needed: a memory file of a program of the same user on this machine, in the same "
                    "namespace of processes");
  };
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) refuse(std::string("cannot be opened: ") + std::strerror(errno));
  struct stat facts {};
  const bool known = ::fstat(file, &facts) == 0;
  const auto size = static_cast<std::uint64_t>(facts.st_size);
  const bool fits = known && bytes != 0 && bytes <= size && offset <= size - bytes;
  void* at =
      fits ? ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(offset))
           : MAP_FAILED;
  const int error = errno;
  ::close(file);
  if (!fits) {
    refuse("has " + std::to_string(known ? size : 0) + " bytes, too few to map " + std::to_string(bytes) +
           " from " + std::to_string(offset));
  }
  if (at == MAP_FAILED) refuse(std::string("cannot be mapped: ") + std::strerror(error));
  data_ = static_cast<std::uint8_t*>(at);
  bytes_ = bytes;
}

ClientMemory::~ClientMemory() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

ClientMemory::ClientMemory(ClientMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

ClientMemory& ClientMemory::operator=(ClientMemory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace polyloom::hub
