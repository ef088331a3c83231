// SPDX-License-Identifier: Apache-2.0
#include "blocks/memory/sim/backing_store.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "fabric/error.h"

namespace polyloom::blocks {

std::string BackingStore::backdoor_folder() {
  const char* folder = std::getenv("POLYLOOM_BACKDOOR_DIR");
  return folder ? folder : "";
}

BackingStore::BackingStore(const std::string& node, std::uint64_t bytes) : bytes_(bytes) {
  const std::string folder = backdoor_folder();
  shared_ = !folder.empty();
  std::string what = std::to_string(bytes) + " bytes of memory for " + node;
  int fd = -1;
  if (shared_) {
    const std::string path = folder + "/" + node + ".mem";
    what = path;
    fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    // A host program may have made the file; a longer one is left as it is.
    if (fd < 0 || (::lseek(fd, 0, SEEK_END) < static_cast<off_t>(bytes) &&
                   ::ftruncate(fd, static_cast<off_t>(bytes)) != 0)) {
      const std::string reason = std::strerror(errno);
      if (fd >= 0) ::close(fd);
      throw UserError(path + ": cannot make this memory file (POLYLOOM_BACKDOOR_DIR): " + reason);
    }
  }
  void* mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        shared_ ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, fd, 0);
  const std::string reason = std::strerror(errno);
  if (fd >= 0) ::close(fd);
  if (mapped == MAP_FAILED) throw UserError(what + ": cannot be mapped: " + reason);
  data_ = static_cast<std::uint8_t*>(mapped);
}

void BackingStore::will_fill(std::uint64_t offset, std::uint64_t bytes) {
#ifdef MADV_HUGEPAGE
  // Whole large pages inside of the range only: what lies beside it stays sparse.
  constexpr std::uintptr_t kLarge = std::uintptr_t{2} << 20;
  if (offset >= bytes_) return;
  bytes = std::min(bytes, bytes_ - offset);
  const auto base = reinterpret_cast<std::uintptr_t>(data_) + offset;
  const std::uintptr_t first = (base + kLarge - 1) / kLarge * kLarge;
  const std::uintptr_t last = (base + bytes) / kLarge * kLarge;
  // A system without large pages refuses; then small ones do.
  if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#else
  static_cast<void>(offset), static_cast<void>(bytes);
#endif
}

BackingStore::~BackingStore() { ::munmap(data_, bytes_); }

}  // namespace polyloom::blocks
