// SPDX-License-Identifier: Apache-2.0
// What C's library does on the host for FPGA ranks: prints, text to numbers and back, files in the working
// directory (PROTOCOL.md, PRINT and CALL).
#pragma once

#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>

#include "roles/mpi/runtime/manager/output.h"

namespace polyloom::mpi {

struct Response {
  std::int64_t value = 0;
  int error = 0;  ///< errno, if the function has set it
  std::vector<std::vector<std::byte>> parts;
};

/// Of one rank.
class Library {
 public:
  /// `say` gets what goes to standard output (stream 1) and standard error (2). Standard input is empty, as
  /// under mpirun for all ranks but the first.
  Library(Strings strings, std::function<void(unsigned stream, const std::string&)> say);

  /// Takes a message of this tag. A response if it is a CALL; nothing for the other messages of records.
  std::optional<Response> hear(int tag, std::vector<std::byte> data);

  /// An ANSWER's first message; the parts that are not empty follow it.
  static std::vector<std::byte> head_of(const Response& response);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, Close>;

  std::optional<Record> take_record(std::vector<std::byte> data);
  void print(std::vector<std::byte> data);
  void write(std::uint64_t file, const std::string& text);
  Response call(Record record);
  Response call_file(unsigned function, std::FILE* file, std::uint64_t handle, long second, long third);
  std::tm take_fields();
  std::FILE* file_of(std::uint64_t handle);
  std::int64_t keep(std::FILE* file);

  Strings strings_;
  std::function<void(unsigned, const std::string&)> say_;
  std::time_t began_ = std::time(nullptr);
  std::vector<std::byte> parts_;  // of the next record
  std::vector<Argument> first_;   // of its arguments
  std::vector<std::byte> data_;   // of the next CALL
  std::int64_t printed_ = 0;      // bytes, by the last print
  std::vector<File> files_;       // by FILE*
};

}  // namespace polyloom::mpi
