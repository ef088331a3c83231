// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/host/runtime/group.h"

#include <fmt/format.h>

namespace polyloom::collective {
namespace {

/// The values of one property by rank, as "A (ranks 0, 2), B (rank 1)"; empty if all are the same.
std::string differing(const std::vector<Posted>& posts, const char* what,
                      const std::function<std::string(const Request&)>& value) {
  std::map<std::string, std::vector<std::size_t>> ranks;
  for (std::size_t r = 0; r < posts.size(); ++r) ranks[value(posts[r].request)].push_back(r);
  if (ranks.size() < 2) return "";
  std::string text = fmt::format(" {}:", what);
  for (const auto& [v, who] : ranks) {
    text += fmt::format(" {} (rank{} {})", v, who.size() > 1 ? "s" : "", fmt::join(who, ", "));
  }
  return text + ";";
}

}  // namespace

std::string differences(const std::vector<Posted>& posts) {
  std::string text =
      differing(posts, "operation", [](const Request& r) { return std::string(name_of(r.operation)); });
  if (!text.empty()) return text;  // the rest of different operations need not be the same
  text += differing(posts, "type", [](const Request& r) { return std::string(name_of(r.type)); });
  text += differing(posts, "root", [](const Request& r) { return fmt::format("{}", r.root); });
  text += differing(posts, "destination", [](const Request& r) { return fmt::format("{}", r.destination); });
  text += differing(posts, "sizes in bytes",
                    [](const Request& r) { return fmt::format("[{}]", fmt::join(r.sizes, ",")); });
  if (posts.front().request.reduces()) {
    text += differing(posts, "reduction", [](const Request& r) { return std::string(name_of(r.reduce)); });
  }
  return text;
}

std::uint32_t fingerprint(const Request& r, const std::string& algorithm) {
  std::uint32_t hash = 2166136261u;  // FNV-1a
  const auto mix = [&](std::uint64_t value) {
    for (int i = 0; i < 8; ++i) hash = (hash ^ (value >> 8 * i & 0xff)) * 16777619u;
  };
  mix(static_cast<std::uint64_t>(r.operation));
  mix(static_cast<std::uint64_t>(r.type));
  mix(static_cast<std::uint64_t>(r.reduce));
  mix(static_cast<std::uint64_t>(r.root));
  mix(static_cast<std::uint64_t>(r.destination));
  for (const std::uint64_t s : r.sizes) mix(s);
  for (const char c : algorithm) mix(static_cast<unsigned char>(c));
  return hash;
}

Result Handle::State::result() const {
  if (!error.empty()) throw UserError(error);
  if (outcome) return *outcome;
  std::string missing, there;
  for (std::size_t r = 0; r < posts.size(); ++r) {
    std::string& text = posts[r] ? there : missing;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", r);
  }
  throw UserError(fmt::format("the operation has not begun: rank(s) {} have posted and wait for rank(s) {}",
                              there, missing));
}

std::shared_ptr<Handle::State> Group::post(int rank, Posted posted, const Run& run) {
  if (rank < 0 || static_cast<std::size_t>(rank) >= next_.size()) {
    throw UserError(fmt::format("rank {} is not one of 0..{}", rank, next_.size() - 1));
  }
  const std::size_t number = next_[static_cast<std::size_t>(rank)]++;
  auto& state = open_[number];
  if (!state) {
    state = std::make_shared<Handle::State>();
    state->posts.resize(next_.size());
  }
  const std::shared_ptr<Handle::State> mine = state;
  mine->posts[static_cast<std::size_t>(rank)] = std::move(posted);
  std::vector<Posted> all;
  for (const auto& p : mine->posts) {
    if (!p) return mine;
    all.push_back(*p);
  }
  open_.erase(number);
  const std::string differ = differences(all);
  if (!differ.empty()) {
    mine->error = "the ranks do not ask for the same operation:" + differ;
    return mine;
  }
  try {
    mine->outcome = run(all);
  } catch (const UserError& e) {
    mine->error = e.what();
  }
  return mine;
}

}  // namespace polyloom::collective
