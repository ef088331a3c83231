// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/host/host_core.h"

#include <config.h>

#include <string>

#include "fabric/error.h"

namespace polyloom::overlay {

namespace {

constexpr std::size_t kSendBufferFlits = 8192;

}  // namespace

bool HostLinkCore::send(const char* call, const Destination& to, unsigned flits, const void* message,
                        bool block, bool buffered) {
  const unsigned most = hosts().facts().max_flits;
  if (flits < 1 || flits > most) {
    throw UserError(std::string(call) + ": " + std::to_string(flits) + " flits: a message has 1 to " +
                    std::to_string(most));
  }
  if (buffered && !block) throw UserError("HostLink: with useSendBuffer, only blocking sends are possible");
  if (!buffered) {
    const bool sent = hosts().send(to, flits, message, block);
    hosts().flush();
    return sent;
  }
  const auto* bytes = static_cast<const std::byte*>(message);
  waiting.push_back({to, {bytes, bytes + flits * TinselBytesPerFlit}});
  waiting_flits += flits;
  if (waiting_flits >= kSendBufferFlits) flush();
  return true;
}

void HostLinkCore::require_routers(const std::string& call) {
  if (hosts().facts().programmable_routers) return;
  throw UserError(call + ": cluster '" + hosts().facts().name +
                  "' has no programmable routers: its [overlay] table says programmable_routers = false");
}

void HostLinkCore::flush() {
  for (const Buffered& message : waiting) {
    hosts().send(message.to, static_cast<unsigned>(message.bytes.size() / TinselBytesPerFlit),
                 message.bytes.data(), true);
  }
  hosts().flush();
  waiting.clear();
  waiting_flits = 0;
}

}  // namespace polyloom::overlay
