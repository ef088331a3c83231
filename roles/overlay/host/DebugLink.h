// SPDX-License-Identifier: Apache-2.0
// DebugLink: bytes to and from the console of each thread, and board temperatures, with the members of Tinsel
// 0.8's class (docs/sources/tinsel.md, 4). A HostLink owns one; programs reach it as
// hostLink.debugLink.
#ifndef POLYLOOM_DEBUGLINK_H
#define POLYLOOM_DEBUGLINK_H

#include <stdint.h>

namespace polyloom {
namespace overlay {
class HostLinkCore;
}
}  // namespace polyloom

struct DebugLinkParams {
  uint32_t numBoxesX;
  uint32_t numBoxesY;
  bool useExtraSendSlot;
  int max_connection_attempts;

  DebugLinkParams(uint32_t boxesX = 1, uint32_t boxesY = 1, bool extraSendSlot = false, int attempts = 5)
      : numBoxesX(boxesX),
        numBoxesY(boxesY),
        useExtraSendSlot(extraSendSlot),
        max_connection_attempts(attempts) {}
};

class DebugLink {
 public:
  /// Boxes and boards in use, x and y.
  int boxMeshXLen;
  int boxMeshYLen;
  int meshXLen;
  int meshYLen;

  /// A console link alone, without a HostLink: opens the cluster itself.
  explicit DebugLink(DebugLinkParams params);
  ~DebugLink();

  /// Where put() goes on board (x, y): one thread of one core, or the same thread of every core.
  void setDest(uint32_t boardX, uint32_t boardY, uint32_t coreId, uint32_t threadId);
  void setBroadcastDest(uint32_t boardX, uint32_t boardY, uint32_t threadId);
  /// One byte to the destination's StdIn. Returns at once; a thread's bytes wait here until it reads them, in
  /// order.
  void put(uint32_t boardX, uint32_t boardY, uint8_t byte);

  /// Waits for the next console byte of any thread.
  void get(uint32_t* boardX, uint32_t* boardY, uint32_t* coreId, uint32_t* threadId, uint8_t* byte);
  /// True if a byte is here now.
  bool canGet();

  /// Degrees Celsius: simulated boards keep 40.
  int32_t getBoardTemp(uint32_t boardX, uint32_t boardY);
  int32_t getBridgeTemp(uint32_t boxX, uint32_t boxY);

 private:
  friend class HostLink;
  explicit DebugLink(polyloom::overlay::HostLinkCore* core);
  polyloom::overlay::HostLinkCore* core_;
  bool owns_core_;
  void read_sizes();
  DebugLink(const DebugLink&);
  DebugLink& operator=(const DebugLink&);
};

#endif
