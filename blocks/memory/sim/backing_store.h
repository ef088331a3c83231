// SPDX-License-Identifier: Apache-2.0
// The bytes of a node's memories: one sparse mapping, zero until written, whatever its size.
//
// Contract: pages take room only once they are written, so nodes of many gigabytes fit a small machine. With
//   POLYLOOM_BACKDOOR_DIR set, the store of node NAME is the file DIR/NAME.mem mapped shared: a host program
//   that maps the same file sees and fills the memory without a copy (marked "load": "backdoor" in the run
//   record).
// Errors: UserError that names the file or the size.
// Thread safety: none; a host program must not touch a file's bytes while a program of the node uses them.
// Tests: hbm2_test.cc.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

namespace polyloom::blocks {

class BackingStore {
 public:
  /// `bytes` > 0. `node` names the file if there is a backdoor.
  BackingStore(const std::string& node, std::uint64_t bytes);
  ~BackingStore();
  BackingStore(const BackingStore&) = delete;
  BackingStore& operator=(const BackingStore&) = delete;

  std::uint8_t* data() { return data_; }
  const std::uint8_t* data() const { return data_; }
  std::uint64_t bytes() const { return bytes_; }
  bool shared() const { return shared_; }

  /// `to` and `from` may be null if n is 0.
  void read(std::uint64_t offset, void* to, std::size_t n) const {
    if (n != 0) std::memcpy(to, data_ + offset, n);
  }
  void write(std::uint64_t offset, const void* from, std::size_t n) {
    if (n != 0) std::memcpy(data_ + offset, from, n);
  }

  /// A range that will be written whole (what of it lies outside is left out): the system gives it in large
  /// pages, if it can, which saves most of the time that first touches take. Changes no byte.
  void will_fill(std::uint64_t offset, std::uint64_t bytes);

  /// The folder of POLYLOOM_BACKDOOR_DIR; empty if there is no backdoor.
  static std::string backdoor_folder();

 private:
  std::uint8_t* data_ = nullptr;
  std::uint64_t bytes_;
  bool shared_ = false;
};

}  // namespace polyloom::blocks
