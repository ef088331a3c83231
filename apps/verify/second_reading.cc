// SPDX-License-Identifier: Apache-2.0
#include "apps/verify/second_reading.h"

#include <zlib.h>

#include <cstdlib>
#include <memory>

#include "fabric/error.h"
#include "polite/readers/text_source.h"

namespace polyloom::apps {
namespace {

bool ends(const std::string& text, std::string_view end) { return text.ends_with(end); }

/// Plain or gzip by zlib; what only apt's helper unpacks comes from it through the readers' TextSource.
std::string whole_text(const std::string& file) {
  std::string text;
  std::vector<char> block(1 << 20);
  for (const char* packed : {".lz4", ".xz", ".zst", ".bz2"}) {
    if (!ends(file, packed)) continue;
    polite::TextSource source(file);
    while (const std::size_t got = source.read(block.data(), block.size())) text.append(block.data(), got);
    return text;
  }
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> gz(gzopen(file.c_str(), "rb"), gzclose);
  if (!gz) throw UserError("it cannot be opened");
  int got = 0;
  while ((got = gzread(gz.get(), block.data(), static_cast<unsigned>(block.size()))) > 0)
    text.append(block.data(), static_cast<std::size_t>(got));
  if (got < 0) throw UserError("it cannot be read to its end");
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);  // a byte order mark
  return text;
}

/// What --format, the ending, or the first words tell; in this order.
std::string kind_of(std::string file, const std::string& format, const std::string& text) {
  if (!format.empty() && format != "auto") return format == "snap" ? "edges" : format;
  for (const char* packed : {".gz", ".lz4", ".xz", ".zst", ".bz2"}) {
    if (ends(file, packed)) file.erase(file.rfind('.'));
  }
  static const std::unordered_map<std::string, std::string> kEndings = {
      {".mtx", "mtx"},    {".mm", "mtx"},      {".gr", "dimacs"},   {".dimacs", "dimacs"},
      {".col", "dimacs"}, {".graph", "metis"}, {".metis", "metis"}, {".plg", "snapshot"}};
  const std::size_t dot = file.rfind('.');
  if (const auto at = kEndings.find(dot == std::string::npos ? "" : file.substr(dot)); at != kEndings.end())
    return at->second;
  if (ends(file, "_Packages") || ends(file, "/Packages")) return "debian";
  const std::string_view first = std::string_view(text).substr(0, text.find('\n'));
  if (first.starts_with("%%MatrixMarket")) return "mtx";
  if (first.starts_with("polyloom-graph 1")) return "snapshot";
  if (first.starts_with("Package: ")) return "debian";
  const auto words = words_of(first);
  if (first.starts_with("c ") || first == "c" || first == "c\r") return "dimacs";
  if (words.size() > 1 && words[0] == "p" && (words[1] == "sp" || words[1] == "edge")) return "dimacs";
  return "edges";
}

}  // namespace

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
  for (std::size_t i = 0, n = graph.arcs.size(); i < n; ++i) {
    const auto [from, to, weight] = graph.arcs[i];
    if (from != to) graph.arcs.push_back({to, from, weight});
  }
}

NamedGraph read_again(const std::string& file, const std::string& format) {
  const std::string text = whole_text(file);
  const std::string kind = kind_of(file, format, text);
  if (kind == "mtx") return matrix_market_again(text);
  if (kind == "dimacs") return dimacs_again(text);
  if (kind == "metis") return metis_again(text);
  if (kind == "debian") return packages_again(text);
  if (kind == "snapshot") return snapshot_again(text);
  return edges_again(text);
}

}  // namespace polyloom::apps
