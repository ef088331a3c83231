// SPDX-License-Identifier: Apache-2.0
// The inside of a HostLink: kept out of its header, which old compilers must read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "roles/overlay/host/session.h"

namespace polyloom::overlay {

class HostLinkCore {
 public:
  std::unique_ptr<Session> session;
  std::unordered_map<std::uint32_t, std::uint32_t>
      store_address;  ///< setAddr() by address of a core's thread 0

  struct Buffered {
    Destination to;
    std::vector<std::byte> bytes;
  };
  std::vector<Buffered> waiting;  ///< messages that wait for flush()
  std::size_t waiting_flits = 0;

  struct InputTarget {
    CoreAt core;
    unsigned thread = 0;
    bool every_core = true;
  };
  std::unordered_map<std::uint32_t, InputTarget>
      input_target;       ///< DebugLink's destination by board, y << 16 | x
  ConsoleByte next_byte;  ///< DebugLink::canGet() took it
  bool has_next_byte = false;
  bool finished = false;          ///< HostLink::finish() has been called
  std::string routing_tables_of;  ///< what has written them, if anything has

  HostCore& hosts() { return *session->core; }

  /// With `buffered`, the message waits for flush(), or until as many flits wait as leave together. `call` is
  /// the host program's.
  bool send(const char* call, const Destination& to, unsigned flits, const void* message, bool block,
            bool buffered);
  void flush();
  /// Refuses `call` on a cluster that has no programmable routers.
  void require_routers(const std::string& call);

  /// Runs f; an error ends the program with its message, for callers are programs that know no exceptions.
  template <class F>
  auto guard(F&& f) -> decltype(f()) {
    try {
      return f();
    } catch (...) {
      fail(session, std::current_exception());
    }
  }
};

}  // namespace polyloom::overlay
