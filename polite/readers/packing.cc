// SPDX-License-Identifier: Apache-2.0
#include "polite/readers/packing.h"

#include <bzlib.h>
#include <lz4frame.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdint>
#include <limits>
#include <new>

namespace polyloom::polite {

namespace {

/// A decoder fails to begin for want of memory alone.
void begun(bool has) {
  if (!has) throw std::bad_alloc();
}

/// Of zlib's kind, which liblzma and libbz2 took over: a stream with next_in, avail_in, next_out, avail_out.
template <typename Stream, typename Unpack>
auto step_of(Stream& stream, Decoder::Bytes& bytes, Unpack unpack) {
  // The sizes are those of our buffers, far below what the fields hold.
  stream.next_in = reinterpret_cast<decltype(stream.next_in)>(const_cast<unsigned char*>(bytes.from));
  stream.avail_in = static_cast<decltype(stream.avail_in)>(bytes.left);
  stream.next_out = reinterpret_cast<decltype(stream.next_out)>(bytes.to);
  stream.avail_out = static_cast<decltype(stream.avail_out)>(bytes.room);
  const auto status = unpack(stream);
  bytes = {bytes.from + (bytes.left - stream.avail_in), stream.avail_in,
           bytes.to + (bytes.room - stream.avail_out), stream.avail_out};
  return status;
}

class Gzip final : public Decoder {
 public:
  Gzip() {
    constexpr int kWindow = 15 + 16;  // zlib: 15 bits of window, with the header of gzip
    begun(inflateInit2(&stream_, kWindow) == Z_OK);
  }
  ~Gzip() override { inflateEnd(&stream_); }
  Step step(Bytes& bytes) override {
    const int status = step_of(stream_, bytes, [](z_stream& s) { return inflate(&s, Z_NO_FLUSH); });
    if (status == Z_STREAM_END) return Step::kEnd;
    return status == Z_OK || status == Z_BUF_ERROR ? Step::kMore : Step::kDamaged;
  }

 private:
  z_stream stream_{};
};

class Bzip2 final : public Decoder {
 public:
  Bzip2() { begun(BZ2_bzDecompressInit(&stream_, 0, 0) == BZ_OK); }
  ~Bzip2() override { BZ2_bzDecompressEnd(&stream_); }
  Step step(Bytes& bytes) override {
    const int status = step_of(stream_, bytes, [](bz_stream& s) { return BZ2_bzDecompress(&s); });
    if (status == BZ_STREAM_END) return Step::kEnd;
    return status == BZ_OK ? Step::kMore : Step::kDamaged;
  }

 private:
  bz_stream stream_{};
};

class Xz final : public Decoder {
 public:
  Xz() { begun(lzma_stream_decoder(&stream_, std::numeric_limits<std::uint64_t>::max(), 0) == LZMA_OK); }
  ~Xz() override { lzma_end(&stream_); }
  Step step(Bytes& bytes) override {
    const lzma_ret status = step_of(stream_, bytes, [](lzma_stream& s) { return lzma_code(&s, LZMA_RUN); });
    if (status == LZMA_STREAM_END) return Step::kEnd;
    return status == LZMA_OK || status == LZMA_BUF_ERROR ? Step::kMore : Step::kDamaged;
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

class Zstd final : public Decoder {
 public:
  Zstd() : stream_(ZSTD_createDStream()) {
    begun(stream_ != nullptr);
    // As far as `zstd --long=31` reads: without this, windows above 128 MiB are refused.
    ZSTD_DCtx_setParameter(stream_.get(), ZSTD_d_windowLogMax,
                           ZSTD_dParam_getBounds(ZSTD_d_windowLogMax).upperBound);
  }
  Step step(Bytes& bytes) override {
    ZSTD_inBuffer in{bytes.from, bytes.left, 0};
    ZSTD_outBuffer out{bytes.to, bytes.room, 0};
    const std::size_t status = ZSTD_decompressStream(stream_.get(), &out, &in);
    bytes = {bytes.from + in.pos, bytes.left - in.pos, bytes.to + out.pos, bytes.room - out.pos};
    return status == 0 ? Step::kEnd : ZSTD_isError(status) != 0 ? Step::kDamaged : Step::kMore;
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };
  std::unique_ptr<ZSTD_DStream, Free> stream_;
};

class Lz4 final : public Decoder {
 public:
  Lz4() { begun(LZ4F_isError(LZ4F_createDecompressionContext(&stream_, LZ4F_VERSION)) == 0); }
  ~Lz4() override { LZ4F_freeDecompressionContext(stream_); }
  Step step(Bytes& bytes) override {
    std::size_t consumed = bytes.left, made = bytes.room;
    const std::size_t status = LZ4F_decompress(stream_, bytes.to, &made, bytes.from, &consumed, nullptr);
    bytes = {bytes.from + consumed, bytes.left - consumed, bytes.to + made, bytes.room - made};
    return status == 0 ? Step::kEnd : LZ4F_isError(status) != 0 ? Step::kDamaged : Step::kMore;
  }

 private:
  LZ4F_dctx* stream_ = nullptr;
};

template <typename Kind>
std::unique_ptr<Decoder> make() {
  return std::make_unique<Kind>();
}

using namespace std::string_view_literals;
constexpr Packing kPackings[] = {{"gzip", ".gz", "\x1f\x8b", 1, false, make<Gzip>},
                                 {"bzip2", ".bz2", "BZh", 0, false, make<Bzip2>},
                                 {"xz", ".xz", "\xfd\x37zXZ\0"sv, 4, false, make<Xz>},
                                 {"zstd", ".zst", "\x28\xb5\x2f\xfd", 0, true, make<Zstd>},
                                 {"lz4", ".lz4", "\x04\x22\x4d\x18", 0, true, make<Lz4>}};

}  // namespace

std::span<const Packing> packings() { return kPackings; }

}  // namespace polyloom::polite
