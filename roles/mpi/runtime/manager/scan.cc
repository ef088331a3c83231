// SPDX-License-Identifier: Apache-2.0
#include "roles/mpi/runtime/manager/scan.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "roles/mpi/arch/system.h"

namespace polyloom::mpi {
namespace {

constexpr std::size_t kMostText = 65535;

// What a conversion stores.
struct Place {
  char letter = 0;
  std::size_t bytes = 0;  // of a number, or of %c; room for a text
};

std::size_t bytes_of_number(char letter, const std::string& length) {
  if (length == "hh") return 1;
  if (length == "h") return 2;
  if (length == "L") return sizeof(long double);
  return length.empty() && letter != 'p' ? 4 : 8;
}

// The format, with a width for each text that has none, and what its conversions store.
class Format {
 public:
  explicit Format(const std::string& format) : f_(format) {
    while (at_ < f_.size()) {
      text += f_[at_];
      if (f_[at_++] == '%') conversion();
    }
  }

  std::string text;
  std::vector<Place> places;

 private:
  std::string while_in(const char* set) {
    const std::size_t begin = at_;
    while (at_ < f_.size() && std::strchr(set, f_[at_]) != nullptr) ++at_;
    return f_.substr(begin, at_ - begin);
  }

  void conversion() {
    const std::string stars = while_in("*'"), digits = while_in("0123456789"), length = while_in("hljztqL");
    if (at_ == f_.size()) return;
    const char letter = f_[at_++];
    std::string set;
    if (letter == '[') {
      const std::size_t first = at_ + (at_ < f_.size() && f_[at_] == '^' ? 1 : 0);  // may be a bracket itself
      const std::size_t end = std::min(f_.find(']', first + 1), f_.size() - 1) + 1;
      set = f_.substr(at_, end - at_);
      at_ = end;
    }
    const bool is_text = letter == 's' || letter == '[';
    std::size_t width = digits.empty() ? (is_text ? kMostText : 1) : std::stoul(digits.substr(0, 6));
    width = std::min(width, kMostText);
    text += stars;
    if (!digits.empty() || is_text) text += std::to_string(width);
    text += length + letter + set;
    if (letter == '%' || stars.find('*') != std::string::npos) return;
    const bool is_letters = is_text || letter == 'c';
    places.push_back({letter, is_letters ? width + is_text : bytes_of_number(letter, length)});
  }

  const std::string& f_;
  std::size_t at_ = 0;
};

template <typename Scan>
Scanned scan(const std::string& format_text, std::size_t count, const Scan& with) {
  const Format format(format_text);
  // Bytes that no count of characters has: where %n stores them still, it was not reached.
  std::array<std::vector<std::byte>, POLYLOOM_MOST_PARTS> room;
  std::array<void*, POLYLOOM_MOST_PARTS> to{};
  for (std::size_t i = 0; i < room.size(); ++i) {
    const std::size_t bytes =
        i < format.places.size() ? 4 * format.places[i].bytes : 0;  // of wide characters
    room[i].assign(bytes + 16, std::byte{0xFF});
    to[i] = room[i].data();
  }
  Scanned scanned;
  if (format.places.size() > room.size()) return scanned;
  scanned.value = [&]<std::size_t... i>(std::index_sequence<i...>) {
    return with(format.text.c_str(), to[i]...);
  }
  (std::make_index_sequence<POLYLOOM_MOST_PARTS>{});
  scanned.parts.resize(std::min(count, format.places.size()));
  int stored = 0;
  for (std::size_t i = 0; i < scanned.parts.size(); ++i) {
    const Place& place = format.places[i];
    if (place.letter == 'n' ? room[i][0] == std::byte{0xFF} && room[i][place.bytes - 1] == std::byte{0xFF}
                            : stored++ >= scanned.value)
      continue;
    std::size_t bytes = place.bytes;
    if (place.letter == 's' || place.letter == '[')
      bytes = std::strlen(reinterpret_cast<const char*>(room[i].data())) + 1;
    scanned.parts[i].assign(room[i].begin(), room[i].begin() + static_cast<std::ptrdiff_t>(bytes));
  }
  return scanned;
}

}  // namespace

Scanned scan_text(const std::string& text, const std::string& format, std::size_t places) {
  return scan(format, places,
              [&](const char* f, auto*... to) { return std::sscanf(text.c_str(), f, to...); });
}

Scanned scan_file(std::FILE* file, const std::string& format, std::size_t places) {
  return scan(format, places, [&](const char* f, auto*... to) { return std::fscanf(file, f, to...); });
}

}  // namespace polyloom::mpi
