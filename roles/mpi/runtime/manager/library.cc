// SPDX-License-Identifier: Apache-2.0
#include "roles/mpi/runtime/manager/library.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "roles/mpi/arch/field.h"
#include "roles/mpi/arch/system.h"
#include "roles/mpi/runtime/manager/scan.h"

namespace polyloom::mpi {
namespace {

constexpr std::uint64_t kMostBytes = 0x7000'0000;  // of a kernel's memory

std::vector<std::byte> bytes_of_text(const std::string& text) {
  const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

// The text and its zero, cut to `most` bytes.
std::vector<std::byte> string_of(std::string text, std::uint64_t most) {
  if (most == 0) return {};
  text.resize(std::min<std::uint64_t>(text.size(), most - 1));
  text.push_back(0);
  return bytes_of_text(text);
}

// What kernels have of struct tm: its nine numbers.
constexpr std::size_t kFieldsBytes = 9 * sizeof(int);

std::vector<std::byte> bytes_of_fields(const std::tm& fields) {
  std::vector<std::byte> bytes(kFieldsBytes);
  std::memcpy(bytes.data(), &fields, bytes.size());
  return bytes;
}

// The number at the begin of a text, and how many characters it takes.
template <typename Read>
Response real(const std::string& text, const Read& read) {
  char* end = nullptr;
  const double value = read(text.c_str(), &end);
  std::vector<std::byte> taken;
  put_little(taken, static_cast<std::uint32_t>(end - text.c_str()));
  return {std::bit_cast<std::int64_t>(value), errno, {taken}};
}

}  // namespace

Library::Library(Strings strings, std::function<void(unsigned, const std::string&)> say)
    : strings_(std::move(strings)), say_(std::move(say)), files_(POLYLOOM_STDIN + 1) {}

std::optional<Response> Library::hear(int tag, std::vector<std::byte> data) {
  std::optional<Record> record;
  switch (tag) {
    case POLYLOOM_PRINT_PART:
      parts_.insert(parts_.end(), data.begin(), data.end());
      break;
    case POLYLOOM_PRINT_FIRST:
      if ((record = take_record(std::move(data)))) first_ = std::move(record->arguments);
      break;
    case POLYLOOM_PRINT:
      print(std::move(data));
      break;
    case POLYLOOM_CALL_DATA:
      data_ = std::move(data);
      break;
    case POLYLOOM_CALL: {
      record = take_record(std::move(data));
      errno = 0;
      Response response = record ? call(*std::move(record)) : Response{-1, EINVAL, {}};
      if (response.value <= 0 && response.error == 0) response.error = errno;
      return response;
    }
    default:
      break;
  }
  return std::nullopt;
}

// With the words that came before it, where its arguments begin, and the arguments before these.
std::optional<Record> Library::take_record(std::vector<std::byte> data) {
  data.insert(data.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(data.size(), 16)),
              parts_.begin(), parts_.end());
  parts_.clear();
  std::optional<Record> record = read_record(data);
  if (record) record->arguments.insert(record->arguments.begin(), first_.begin(), first_.end());
  first_.clear();
  return record;
}

void Library::print(std::vector<std::byte> data) {
  std::optional<Record> record = take_record(std::move(data));
  if (!record) return say_(POLYLOOM_STDERR, "<a print record that is cut short>\n");
  const std::string format = take_format(*record, strings_);
  const std::string text = format_text(format, record->arguments);
  printed_ = static_cast<std::int64_t>(text.size());
  write(record->stream, text);
}

void Library::write(std::uint64_t file, const std::string& text) {
  if (file == POLYLOOM_STDOUT || file == POLYLOOM_STDERR) return say_(static_cast<unsigned>(file), text);
  if (std::FILE* const to = file_of(file)) {
    std::fwrite(text.data(), 1, text.size(), to);
    std::fflush(to);  // other ranks may read it
  }
}

std::tm Library::take_fields() {
  std::tm fields{};
  data_.resize(kFieldsBytes);
  std::memcpy(&fields, data_.data(), kFieldsBytes);
  return fields;
}

std::FILE* Library::file_of(std::uint64_t handle) {
  if (handle == POLYLOOM_STDIN && !files_[handle]) files_[handle].reset(std::fopen("/dev/null", "r"));
  return handle < files_.size() ? files_[handle].get() : nullptr;
}

std::int64_t Library::keep(std::FILE* file) {
  if (file == nullptr) return 0;
  auto free = std::find(files_.begin() + POLYLOOM_STDIN + 1, files_.end(), nullptr);
  if (free == files_.end()) free = files_.emplace(free);
  free->reset(file);
  return free - files_.begin();
}

Response Library::call(Record record) {
  const unsigned function = record.stream;
  std::string format;
  if (function == POLYLOOM_C_snprintf || function == POLYLOOM_C_sscanf || function == POLYLOOM_C_fscanf)
    format = take_format(record, strings_);
  std::vector<Argument>& arguments = record.arguments;
  if (arguments.size() < 3) arguments.resize(3);
  const Argument &first = arguments[0], &second = arguments[1];
  const auto scanned = [](Scanned s) { return Response{s.value, 0, std::move(s.parts)}; };
  switch (function) {
    case POLYLOOM_C_printf:
      return {printed_, 0, {}};
    case POLYLOOM_C_snprintf: {
      const std::string text = format_text(format, std::span(arguments).subspan(1));
      return {static_cast<std::int64_t>(text.size()), 0, {string_of(text, first.word)}};
    }
    case POLYLOOM_C_sscanf:
      return scanned(scan_text(first.text, format, second.word));
    case POLYLOOM_C_strtod:
      return real(first.text, [](const char* text, char** end) { return std::strtod(text, end); });
    case POLYLOOM_C_strtof:
      return real(first.text, [](const char* text, char** end) { return std::strtof(text, end); });
    case POLYLOOM_C_strerror:
      return {0, 0, {string_of(std::strerror(static_cast<int>(first.word)), 64)}};
    case POLYLOOM_C_tgamma:
      return {std::bit_cast<std::int64_t>(std::tgamma(std::bit_cast<double>(first.word))), 0, {}};
    case POLYLOOM_C_tgammaf: {
      const auto x = static_cast<float>(std::bit_cast<double>(first.word));
      return {std::bit_cast<std::int64_t>(static_cast<double>(std::tgamma(x))), 0, {}};
    }
    case POLYLOOM_C_time:
      return {began_, 0, {}};
    case POLYLOOM_C_gmtime:
    case POLYLOOM_C_localtime: {
      const auto time = static_cast<std::time_t>(first.word);
      const std::tm* const fields =
          function == POLYLOOM_C_gmtime ? std::gmtime(&time) : std::localtime(&time);
      return {0, 0, {bytes_of_fields(fields != nullptr ? *fields : std::tm{})}};
    }
    case POLYLOOM_C_mktime: {
      std::tm fields = take_fields();
      const std::time_t time = std::mktime(&fields);
      return {time, 0, {bytes_of_fields(fields)}};
    }
    case POLYLOOM_C_strftime: {
      const std::tm fields = take_fields();
      std::string text(std::min<std::uint64_t>(second.word, 1 << 16), 0);
      text.resize(std::strftime(text.data(), text.size(), first.text.c_str(), &fields));
      const auto bytes = static_cast<std::int64_t>(text.size());
      return {bytes, 0, {string_of(std::move(text), second.word)}};
    }
    case POLYLOOM_C_fopen:
      return {keep(std::fopen(first.text.c_str(), second.text.c_str())), 0, {}};
    case POLYLOOM_C_tmpfile:
      return {keep(std::tmpfile()), 0, {}};
    case POLYLOOM_C_remove:
      return {std::remove(first.text.c_str()), 0, {}};
    case POLYLOOM_C_rename:
      return {std::rename(first.text.c_str(), second.text.c_str()), 0, {}};
    case POLYLOOM_C_fwrite: {
      const std::vector<std::byte> data = std::move(data_);
      write(first.word, {reinterpret_cast<const char*>(data.data()), data.size()});
      std::FILE* const file = file_of(first.word);
      const bool failed = first.word > POLYLOOM_STDERR && (file == nullptr || std::ferror(file) != 0);
      return {failed || second.word == 0 ? 0 : static_cast<std::int64_t>(data.size() / second.word), 0, {}};
    }
    default:
      break;
  }
  std::FILE* const file = file_of(first.word);
  if (file == nullptr) return first.word <= POLYLOOM_STDERR ? Response{} : Response{-1, EBADF, {}};
  if (function == POLYLOOM_C_fscanf) return scanned(scan_file(file, format, second.word));
  return call_file(function, file, first.word, static_cast<long>(second.word),
                   static_cast<long>(arguments[2].word));
}

Response Library::call_file(unsigned function, std::FILE* file, std::uint64_t handle, long second,
                            long third) {
  switch (function) {
    case POLYLOOM_C_fclose:
      return {std::fclose(files_[handle].release()), 0, {}};
    case POLYLOOM_C_fread: {
      const auto size = static_cast<std::uint64_t>(second), count = static_cast<std::uint64_t>(third);
      if (size == 0 || count > kMostBytes / size) return {0, EINVAL, {}};
      std::vector<std::byte> data;
      for (std::size_t had = 0, got = 1; got != 0 && had < size * count; had += got) {
        data.resize(std::min<std::uint64_t>(size * count, had + (1 << 20)));
        got = std::fread(data.data() + had, 1, data.size() - had, file);
        data.resize(had + got);
      }
      return {static_cast<std::int64_t>(data.size() / size), 0, {std::move(data)}};
    }
    case POLYLOOM_C_fgets:
    case POLYLOOM_C_getline: {
      const std::uint64_t most =
          function == POLYLOOM_C_fgets ? static_cast<std::uint64_t>(second) : kMostBytes;
      std::string line;
      for (int c = 0; c != '\n' && line.size() + 1 < most && (c = std::getc(file)) != EOF;)
        line += static_cast<char>(c);
      if (line.empty()) return {-1, 0, {}};
      const auto length = static_cast<std::int64_t>(line.size());
      return {length, 0, {string_of(std::move(line), most)}};
    }
    case POLYLOOM_C_fgetc:
      return {std::fgetc(file), 0, {}};
    case POLYLOOM_C_ungetc:
      return {std::ungetc(static_cast<int>(second), file), 0, {}};
    case POLYLOOM_C_fseek:
      return {std::fseek(file, second, static_cast<int>(third)), 0, {}};
    case POLYLOOM_C_ftell:
      return {std::ftell(file), 0, {}};
    case POLYLOOM_C_feof:
      return {std::feof(file), 0, {}};
    case POLYLOOM_C_ferror:
      return {std::ferror(file), 0, {}};
    case POLYLOOM_C_clearerr:
      std::clearerr(file);
      return {};
    default:
      return {-1, ENOSYS, {}};
  }
}

std::vector<std::byte> Library::head_of(const Response& response) {
  std::vector<std::byte> head;
  put_little(head, response.value);
  put_little(head, static_cast<std::int32_t>(response.error));
  put_little(head, static_cast<std::uint32_t>(response.parts.size()));
  for (const auto& part : response.parts) put_little(head, static_cast<std::uint32_t>(part.size()));
  return head;
}

}  // namespace polyloom::mpi
