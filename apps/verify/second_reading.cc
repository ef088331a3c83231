// SPDX-License-Identifier: Apache-2.0
#include "apps/verify/second_reading.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "fabric/error.h"

namespace polyloom::apps {
namespace {

std::string raw_text(std::FILE* from) {
  std::string text;
  std::vector<char> block(1 << 20);
  while (const std::size_t got = std::fread(block.data(), 1, block.size(), from))
    text.append(block.data(), got);
  return text;
}

/// What a command unpacks to, of the format's own authors and so another judge of it than the readers' code.
std::string output_of(const std::string& tool, const std::string& file) {
  std::string quoted;  // for a shell
  for (const char c : file) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  const std::string command = tool + " < '" + quoted + "'";
  std::FILE* const pipe = popen(command.c_str(), "r");
  std::string text = pipe != nullptr ? raw_text(pipe) : "";
  if (pipe == nullptr || pclose(pipe) != 0) throw UserError("`" + command + "` has not succeeded");
  return text;
}

const std::set<std::string> kPacked = {".gz", ".lz4", ".xz", ".zst", ".bz2"};

std::vector<SecondReader> all_formats() {
  std::vector<SecondReader> all;
  for (const auto& some : {named_formats(), numbered_formats(), text_formats()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

/// What --format, the first lines, or the name tell; in this order.
std::string kind_of(const GraphFile& file, const std::string& format) {
  if (!format.empty() && format != "auto") return format == "snap" ? "edges" : format;
  const auto all = all_formats();
  Lines lines(file.text);
  for (std::string_view line; lines.next(line);) {
    const auto words = words_of(line);
    if (words.empty()) continue;
    const std::string word = in_small_letters(words[0]);
    for (const SecondReader& one : all) {
      if (one.begins != nullptr && one.begins(word, line, file.text)) return one.name;
    }
    if (word[0] != '#' && word[0] != '%') break;
  }
  for (const SecondReader& one : all) {
    if (one.named != nullptr && one.named(file)) return one.name;
    if (std::find(one.endings.begin(), one.endings.end(), file.ending) != one.endings.end()) return one.name;
  }
  return "edges";
}

}  // namespace

std::string whole_text(const std::string& file) {
  using namespace std::string_view_literals;
  static constexpr std::pair<std::string_view, const char*> kTools[] = {
      {"\x1f\x8b", "gzip -dc"},
      {"BZh", "bzip2 -dc"},
      {"\xfd\x37zXZ\0"sv, "xz -dc"},
      {"\x28\xb5\x2f\xfd", "zstd -dcq --long=31"},
      {"\x04\x22\x4d\x18", "lz4 -dcq"}};
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> plain(std::fopen(file.c_str(), "rb"), std::fclose);
  std::string text = plain ? raw_text(plain.get()) : "";
  if (!plain || std::ferror(plain.get()) != 0) throw UserError("it cannot be read to its end");
  // zstd and lz4 pass over frames that begin with 0x184D2A5?: what stands behind them says which of the two
  // it is.
  std::size_t at = 0;
  while (text.size() - at >= 8 && text.compare(at + 1, 3, "\x2a\x4d\x18") == 0 && (text[at] & 0xf0) == 0x50) {
    std::uint32_t length = 0;
    std::memcpy(&length, text.data() + at + 4, sizeof length);
    at = std::min(text.size(), at + 8 + length);
  }
  for (const auto& [begin, tool] : kTools) {
    if (!std::string_view(text).substr(at).starts_with(begin)) continue;
    text = output_of(tool, file);
    break;
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);  // a byte order mark
  return text;
}

std::string beside(const std::string& file, const std::string& ending) {
  std::filesystem::path path(file);
  const std::string packing = path.extension().string();
  const bool packed = kPacked.contains(in_small_letters(packing));
  if (packed) path.replace_extension();
  const std::string plain = path.replace_extension(ending).string();
  std::vector<std::string> endings = {packed ? packing : "", ""};
  endings.insert(endings.end(), kPacked.begin(), kPacked.end());
  for (const std::string& end : endings) {
    if (std::filesystem::exists(plain + end)) return plain + end;
  }
  return "";
}

bool Lines::next(std::string_view& line) {
  if (left_.empty()) return false;
  ++number_;
  const std::size_t end = left_.find('\n');
  line = left_.substr(0, end);
  left_ = end == std::string_view::npos ? std::string_view{} : left_.substr(end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

void Lines::stop(const std::string& what) const {
  throw UserError("line " + std::to_string(number_) + ": " + what);
}

std::vector<std::string_view> words_of(std::string_view line) {
  static constexpr std::string_view kBetween = " \t,\r";
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(kBetween); at != std::string_view::npos;) {
    const std::size_t end = line.find_first_of(kBetween, at);
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kBetween, end);
  }
  return words;
}

std::string in_small_letters(std::string_view line) {
  std::string text(line);
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::uint64_t id_of(const Lines& lines, std::string_view word) {
  const std::string text(word);
  if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos)
    lines.stop("'" + text + "' is no number");
  return std::strtoull(text.c_str(), nullptr, 10);
}

double weight_of(const Lines& lines, std::string_view word) {
  const std::string text(word);
  char* end = nullptr;
  const double weight = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != 0) lines.stop("'" + text + "' is no weight");
  return weight;
}

void add_reverse_arcs(NamedGraph& graph) {
  if (graph.both_directions) return;
  for (std::size_t i = 0, n = graph.arcs.size(); i < n; ++i) {
    const auto [from, to, weight] = graph.arcs[i];
    if (from != to) graph.arcs.push_back({to, from, weight});
  }
}

void simplify(NamedGraph& graph) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> least;
  for (const auto& [from, to, weight] : graph.arcs) {
    const auto [at, fresh] = least.emplace(std::pair(from, to), weight);
    if (!fresh) at->second = std::min(at->second, weight);
  }
  graph.arcs.clear();
  for (const auto& [ends, weight] : least) {
    if (ends.first != ends.second) graph.arcs.push_back({ends.first, ends.second, weight});
  }
}

NamedGraph read_again(const std::string& file, const std::string& format, const std::string& columns) {
  std::filesystem::path bare(in_small_letters(std::filesystem::path(file).filename().string()));
  const std::string name = bare.string();
  while (kPacked.contains(bare.extension().string())) bare = bare.stem();
  const GraphFile read{file, whole_text(file), columns, name, bare.extension().string()};
  const std::string kind = columns.empty() ? kind_of(read, format) : "csv";
  const auto all = all_formats();
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const SecondReader& one) { return one.name == kind; });
  if (at == all.end()) throw UserError("the format " + kind + " has no second reader");
  NamedGraph graph = at->read(read);
  graph.format = kind;
  return graph;
}

}  // namespace polyloom::apps
