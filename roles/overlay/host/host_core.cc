// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/host/host_core.h"

namespace polyloom::overlay {

void HostLinkCore::flush() {
  for (const Buffered& message : buffered) {
    hosts().send(message.dest, static_cast<unsigned>(message.bytes.size() / 16), message.bytes.data(), true);
  }
  hosts().flush();
  buffered.clear();
  buffered_flits = 0;
}

}  // namespace polyloom::overlay
