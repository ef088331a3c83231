// SPDX-License-Identifier: Apache-2.0
// Covers: layout of each op against hand-packed words, round trips, every reason of refusal, random words.
// Leaves out: timing and what a board does with a frame (shell_test.cc, the roles' tests).
#include "blocks/shell/host_frames.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace polyloom::blocks {
namespace {

using Words = std::vector<std::uint64_t>;

FrameReason reason_of(const Words& words) {
  const HostFrame f = decode(words);
  return std::holds_alternative<FrameFault>(f) ? std::get<FrameFault>(f).reason : FrameReason{0};
}

/// Encodes any decoded frame again.
Words again(const HostFrame& frame) {
  return std::visit(
      [](const auto& f) -> Words {
        if constexpr (std::is_same_v<std::decay_t<decltype(f)>, FrameFault>) {
          return {};
        } else {
          return encode(f);
        }
      },
      frame);
}

TEST(HostFrames, LayoutIsTheDocumentedOne) {
  const std::array<std::uint64_t, 2> flit{0x1111, 0x2222};
  EXPECT_EQ(encode(MsgFrame{0xabcd, 0x3ff, 1ull << 63, flit}),
            (Words{0x000003ff'abcd0101, 0x80000000'00000000, 0x1111, 0x2222}));
  const std::array<std::uint64_t, 2> data{0x0807060504030201, 0x09};
  EXPECT_EQ(encode(WriteFrame{7, {Space::slice1, 0, 0x01800000, 9}, data}),
            (Words{0x01800000'00070102, 0x00000000'00000009, 0x0807060504030201, 0x09}));
  EXPECT_EQ(encode(ReadFrame{8, {Space::instr, 3, 0x90, 16}}),
            (Words{0x00000090'00080203, 0x00000003'00000010}));
  EXPECT_EQ(encode(RegWriteFrame{0, reg::control, 1}), (Words{0x00000007'00000004, 1}));
  EXPECT_EQ(encode(RegReadFrame{0, reg::magic}), (Words{0x5}));
  EXPECT_EQ(encode(UartInFrame{0, 0, 2, true, 0x41}), (Words{0x80020000'00004106}));
  EXPECT_EQ(encode(StartFrame{0, 1, 63, 16, 0x240}), (Words{0x003f0001'00001007, 0x240}));
  EXPECT_EQ(encode(UartOutFrame{0, 63, 15, 0x0a}), (Words{0x000f003f'00000a46}));
  EXPECT_EQ(encode(FaultFrame{0, 2, 0xfeed, 0x240, 0x13}), (Words{0x0000feed'00000248, 0x00000013'00000240}));
  EXPECT_EQ(encode(WriteDoneFrame{7, {Space::slice1, 0, 0x01800000, 9}}), (Words{0x01800000'00070142, 9}));
  EXPECT_EQ(encode(ReadDataFrame{7, {Space::scratchpad, 2, 0, 8}, std::span(data).first(1)}),
            (Words{0x00000000'00070343, 0x00000002'00000008, 0x0807060504030201}));
  EXPECT_EQ(encode(RegDataFrame{1, 2, 3}), (Words{0x00000002'00010045, 3}));
  EXPECT_EQ(encode(FrameErrorFrame{1, FrameReason::length, 5}), (Words{0x00000000'0001034f, 5}));
  EXPECT_EQ(encode(EventFrame{3, 2, 0x070009, 10, 20, 30}), (Words{0x00070009'00030249, 10, 20, 30}));
  EXPECT_EQ(encode(ReadFrame{8, {Space::channel, 7, 0x40, 32}}),
            (Words{0x00000040'00080403, 0x00000007'00000020}));
  EXPECT_EQ(encode(ReadFrame{8, {Space::program, 0, 0x40, 32}}), (Words{0x00000040'00080503, 32}));
}

TEST(HostFrames, MagicSpellsTheName) {
  EXPECT_EQ(unpack_bytes(Words{reg::kMagic}, 8),
            (std::vector<std::uint8_t>{'P', 'O', 'L', 'Y', 'L', 'O', 'O', 'M'}));
}

TEST(HostFrames, DecodeReadsWhatEncodeWrote) {
  const std::array<std::uint64_t, 8> flits{1, 2, 3, 4, 5, 6, 7, 8};
  const Words msg = encode(MsgFrame{1, 0x1000, 0x80000020, flits});
  const HostFrame decoded = decode(msg);
  const auto& m = std::get<MsgFrame>(decoded);
  EXPECT_EQ(m.dest, 0x1000u);
  EXPECT_EQ(m.mask, 0x80000020u);
  ASSERT_EQ(m.flits(), 4u);
  EXPECT_EQ(m.payload[7], 8u);

  const Words start = encode(StartFrame{9, 4, 60, 16, 0x240});
  const HostFrame decoded_start = decode(start);
  const auto& s = std::get<StartFrame>(decoded_start);
  EXPECT_EQ(s.tag, 9);
  EXPECT_EQ(s.first_core, 4);
  EXPECT_EQ(s.cores, 60);
  EXPECT_EQ(s.threads, 16);
  EXPECT_EQ(s.pc, 0x240u);
}

TEST(HostFrames, RefusesEachKindOfMalformedFrame) {
  EXPECT_EQ(reason_of({}), FrameReason::empty);
  EXPECT_EQ(reason_of({0x00}), FrameReason::unknown_op);
  EXPECT_EQ(reason_of({0xff}), FrameReason::unknown_op);
  EXPECT_EQ(reason_of({0x0101, 1, 2}), FrameReason::length);              // message short of a word
  EXPECT_EQ(reason_of({0x0001, 1}), FrameReason::field);                  // no flits
  EXPECT_EQ(reason_of({0x1101, 1}), FrameReason::field);                  // 17 flits
  EXPECT_EQ(reason_of({0x0602, 8, 0}), FrameReason::space);               // space 6
  EXPECT_EQ(reason_of({0x0503, 1ull << 32 | 8}), FrameReason::space);     // program memory with a target
  EXPECT_EQ(reason_of({0x0002, 1ull << 32 | 8, 0}), FrameReason::space);  // slice with a target
  EXPECT_EQ(reason_of({0x0002, 0}), FrameReason::range);                  // nothing to write
  EXPECT_EQ(reason_of({0x0003, kMaxDmaBytes + 1}), FrameReason::range);
  EXPECT_EQ(reason_of({0x0203, 6}), FrameReason::range);               // half an instruction
  EXPECT_EQ(reason_of({0xffffffff'00000003, 2}), FrameReason::range);  // past 4 GiB
  EXPECT_EQ(reason_of({0xffffffff'00000003, 1}), FrameReason{0});      // the last byte
  EXPECT_EQ(reason_of({0xffffffff'00000203, 4}), FrameReason{0});      // the last word index
  EXPECT_EQ(reason_of({0x0002, 3, 0xff000000}), FrameReason::field);   // padding not zero
  EXPECT_EQ(reason_of({0x0002, 9, 0}), FrameReason::length);
  EXPECT_EQ(reason_of({0x0003, 9, 0}), FrameReason::length);  // a read carries no data
  EXPECT_EQ(reason_of({0x0002}), FrameReason::length);
  EXPECT_EQ(reason_of({0x0104, 1}), FrameReason::field);
  EXPECT_EQ(reason_of({0x0005, 1}), FrameReason::length);
  EXPECT_EQ(reason_of({0x80000001'00000006}), FrameReason::field);  // broadcast that names a core
  EXPECT_EQ(reason_of({0x01000000'00000006}), FrameReason::field);
  EXPECT_EQ(reason_of({0x00000001'00001007, 0}), FrameReason::field);  // no cores
  EXPECT_EQ(reason_of({0x00010000'00000007, 0}), FrameReason::field);  // no threads
  EXPECT_EQ(reason_of({0x0002ffff'00001007, 0}), FrameReason::range);
  EXPECT_EQ(reason_of({0x0048, 0}), FrameReason::field);
  EXPECT_EQ(reason_of({0x004f, 0}), FrameReason::field);
  EXPECT_EQ(reason_of({0x0049, 0, 0}), FrameReason::length);
  EXPECT_EQ(reason_of({0x01000000'00000049, 0, 0, 0}), FrameReason::field);
}

TEST(HostFrames, EncodeRejectsWhatDecodeWouldRefuse) {
  const std::array<std::uint64_t, 1> one{1};
  EXPECT_THROW(encode(MsgFrame{0, 0, 0, one}), std::logic_error);
  EXPECT_THROW(encode(WriteFrame{0, {Space::slice0, 0, 0, 16}, one}), std::logic_error);
  EXPECT_THROW(encode(ReadFrame{0, {Space::slice0, 0, 0, 0}}), std::logic_error);
  EXPECT_THROW(encode(StartFrame{0, 0, 0, 1, 0}), std::logic_error);
}

TEST(HostFrames, RandomWordsNeverBreakTheDecoderAndAcceptedOnesAreCanonical) {
  std::mt19937_64 rng(20190601);
  const std::array<std::uint8_t, 15> ops{1, 2, 3, 4, 5, 6, 7, 0x42, 0x43, 0x45, 0x46, 0x48, 0x49, 0x4f, 0x60};
  unsigned accepted = 0;
  for (int i = 0; i < 200000; ++i) {
    Words words(rng() % 12);
    // Sparse bits make legal fields likely; dense words probe the rest.
    for (auto& w : words) w = rng() & (i % 2 ? rng() & rng() & rng() : ~0ull);
    if (!words.empty()) words[0] = (words[0] & ~0xffull) | ops[rng() % ops.size()];
    if (words.size() > 1 && rng() % 2) words[1] = words.size() > 2 ? (words.size() - 2) * 8 : 8;
    const HostFrame f = decode(words);
    if (std::holds_alternative<FrameFault>(f)) continue;
    ++accepted;
    EXPECT_EQ(again(f), words);
  }
  EXPECT_GT(accepted, 1000u);
}

TEST(HostFrames, BytesPackLittleEndian) {
  std::vector<std::uint8_t> bytes(21);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(0xf0 + i);
  const Words words = pack_bytes(bytes);
  ASSERT_EQ(words.size(), 3u);
  EXPECT_EQ(words[0], 0xf7f6f5f4f3f2f1f0u);
  EXPECT_EQ(words[2] >> 40, 0u);
  EXPECT_EQ(unpack_bytes(words, bytes.size()), bytes);
  EXPECT_THROW(unpack_bytes(words, 25), std::logic_error);
}

}  // namespace
}  // namespace polyloom::blocks
