// SPDX-License-Identifier: Apache-2.0
#include "blocks/reliable_link/sim/link_frame.h"

#include "blocks/crc/sim/crc32.h"

namespace polyloom::blocks {
namespace {

constexpr std::uint64_t kMark = 0x50;
constexpr std::uint64_t kEtherType = 0x88b5, kEtherTypePublished = 0x0600;

}  // namespace

std::vector<std::uint64_t> build_frame(LinkFormat format, const LinkHeader& h,
                                       std::span<const std::uint64_t> items) {
  std::vector<std::uint64_t> words;
  words.reserve(frame_words(static_cast<unsigned>(items.size())));
  if (format.published) {
    words.push_back(std::uint64_t{h.count[kData]} | std::uint64_t{h.seq[kData]} << 7 |
                    std::uint64_t{h.ack[kData]} << 17);
    words.push_back(kEtherTypePublished << 32);
  } else {
    words.push_back(std::uint64_t{h.seq[kData]} | std::uint64_t{h.ack[kData]} << 16 |
                    std::uint64_t{h.limit[kData]} << 32 | std::uint64_t{h.count[kData]} << 48 |
                    std::uint64_t{h.count[kControl]} << 56 | std::uint64_t{h.nack[kControl]} << 61 |
                    std::uint64_t{h.nack[kData]} << 62 | std::uint64_t{h.poll} << 63);
    words.push_back(std::uint64_t{h.seq[kControl]} | std::uint64_t{h.ack[kControl]} << 8 |
                    std::uint64_t{h.limit[kControl]} << 16 | kMark << 24 | kEtherType << 32);
  }
  words.insert(words.end(), items.begin(), items.end());
  while (words.size() < kMinFrameWords - kCheckWords) words.push_back(0);
  words.push_back(crc32(words));
  return words;
}

LinkHeader read_header(LinkFormat format, std::span<const std::uint64_t, kHeaderWords> words) {
  const std::uint64_t a = words[0], b = words[1];
  LinkHeader h;
  if (format.published) {
    h.count[kData] = a & 0x7f;
    h.seq[kData] = a >> 7 & 0x3ff;
    h.ack[kData] = a >> 17 & 0x3ff;
    return h;
  }
  h.seq[kData] = static_cast<std::uint16_t>(a);
  h.ack[kData] = static_cast<std::uint16_t>(a >> 16);
  h.limit[kData] = static_cast<std::uint16_t>(a >> 32);
  h.count[kData] = a >> 48 & 0xff;
  h.count[kControl] = a >> 56 & 0x1f;
  h.nack[kControl] = a >> 61 & 1;
  h.nack[kData] = a >> 62 & 1;
  h.poll = a >> 63;
  h.seq[kControl] = b & 0xff;
  h.ack[kControl] = b >> 8 & 0xff;
  h.limit[kControl] = b >> 16 & 0xff;
  return h;
}

bool parse_frame(LinkFormat format, std::span<const std::uint64_t> words, LinkHeader& h) {
  if (words.size() < kMinFrameWords) return false;
  const auto body = words.first(words.size() - kCheckWords);
  if (static_cast<std::uint32_t>(words.back()) != crc32(body)) return false;
  const std::uint64_t b = words[1];
  if (format.published ? b >> 32 != kEtherTypePublished : b >> 32 != kEtherType || (b >> 24 & 0xff) != kMark)
    return false;
  h = read_header(format, words.first<kHeaderWords>());
  return words.size() == frame_words(h.count[kControl] + h.count[kData]);
}

}  // namespace polyloom::blocks
