// SPDX-License-Identifier: Apache-2.0
#include "roles/mpi/runtime/engine/commands.h"

#include <algorithm>

namespace polyloom::mpi {

void Commands::begin(const std::uint64_t words[3], Time now) {
  std::copy(words, words + 3, words_);
  pending_ = true;
  responded_ = false;
  since_ = now;
  start();
}

void Commands::say(const Result& result, bool done, std::uint16_t handle_or_source) {
  response_[0] = result.error | std::uint64_t{done} << 8 | std::uint64_t{handle_or_source} << 16 |
                 std::uint64_t{static_cast<std::uint32_t>(result.tag)} << 32;
  response_[1] = result.bytes | std::uint64_t{result.type} << 32;
  responded_ = true;
}

void Commands::start() {
  const auto op = static_cast<unsigned>(words_[0] & 0xFF);
  Envelope envelope;
  envelope.type = static_cast<std::uint8_t>(words_[0] >> 8);
  envelope.peer = static_cast<std::uint16_t>(words_[0] >> 16);
  envelope.tag = static_cast<std::int32_t>(words_[0] >> 32);
  envelope.comm = static_cast<std::uint16_t>(words_[1]);
  const auto bytes = static_cast<std::uint32_t>(words_[2]);
  void* data = reinterpret_cast<void*>(words_[1] >> 32 | words_[2] >> 32 << 32);
  handle_ = static_cast<int>(words_[1] >> 16 & 0xFFFF);
  switch (op) {
    case POLYLOOM_SEND:
    case POLYLOOM_SSEND:
    case POLYLOOM_SEND_WAIT:
    case POLYLOOM_SSEND_WAIT: {
      const bool synchronous = op == POLYLOOM_SSEND || op == POLYLOOM_SSEND_WAIT;
      handle_ = engine_.send(envelope, data, bytes, synchronous, since_);
      if (handle_ < 0) return say_error(-handle_);
      if (op < POLYLOOM_SEND_WAIT) say({}, false, static_cast<std::uint16_t>(handle_));
      return;
    }
    case POLYLOOM_RECV:
    case POLYLOOM_RECV_WAIT:
      handle_ = engine_.receive(envelope, data, bytes, since_);
      if (handle_ < 0) return say_error(-handle_);
      if (op == POLYLOOM_RECV) say({}, false, static_cast<std::uint16_t>(handle_));
      return;
    case POLYLOOM_WAIT:
    case POLYLOOM_TEST:
      if (!engine_.is_handle(static_cast<unsigned>(handle_))) say_error(POLYLOOM_NO_SUCH);
      return;
    case POLYLOOM_CANCEL: {
      const auto handle = static_cast<unsigned>(handle_);
      return engine_.is_handle(handle) ? say({}, engine_.cancel(handle), 0) : say_error(POLYLOOM_NO_SUCH);
    }
    case POLYLOOM_PROBE:
    case POLYLOOM_IPROBE:
      return;
    default:
      say_error(POLYLOOM_NO_SUCH);
  }
}

bool Commands::response(std::uint64_t words[2]) {
  const auto op = static_cast<unsigned>(words_[0] & 0xFF);
  if (!responded_ && (op == POLYLOOM_PROBE || op == POLYLOOM_IPROBE)) {
    const Envelope from{static_cast<std::uint16_t>(words_[0] >> 16),
                        static_cast<std::int32_t>(words_[0] >> 32), static_cast<std::uint16_t>(words_[1]), 0};
    if (const auto found = engine_.probe(from)) {
      say(*found, true, found->source);
    } else if (op == POLYLOOM_IPROBE) {
      say({}, false, 0);
    }
  } else if (!responded_ && op == POLYLOOM_TEST && (words_[0] >> 8 & POLYLOOM_KEEP) != 0) {
    const auto handle = static_cast<unsigned>(handle_);
    const Result result = engine_.complete(handle) ? engine_.result(handle) : Result{};
    say(result, engine_.complete(handle), result.source);
  } else if (!responded_ && engine_.complete(static_cast<unsigned>(handle_))) {
    const Result result = engine_.take(static_cast<unsigned>(handle_));
    say(result, true, result.source);
  } else if (!responded_ && op == POLYLOOM_TEST) {
    say({}, false, 0);
  }
  if (!responded_) return false;
  pending_ = false;
  std::copy(response_, response_ + 2, words);
  return true;
}

}  // namespace polyloom::mpi
