// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/host/DebugLink.h"

#include "fabric/error.h"
#include "roles/overlay/host/host_core.h"

namespace overlay = polyloom::overlay;
using polyloom::UserError;

namespace {

constexpr int32_t kSimulatedCelsius = 40;
uint32_t board_key(uint32_t x, uint32_t y) { return y << 16 | x; }

}  // namespace

DebugLink::DebugLink(DebugLinkParams params) : core_(new overlay::HostLinkCore), owns_core_(true) {
  core_->guard([&] {
    core_->session =
        overlay::open_session({params.numBoxesX, params.numBoxesY, params.useExtraSendSlot}, nullptr);
  });
  read_sizes();
}

DebugLink::DebugLink(overlay::HostLinkCore* core) : core_(core), owns_core_(false) { read_sizes(); }

void DebugLink::read_sizes() {
  const overlay::Session& session = *core_->session;
  boxMeshXLen = static_cast<int>(session.boxes_x);
  boxMeshYLen = static_cast<int>(session.boxes_y);
  meshXLen = static_cast<int>(session.boards_x);
  meshYLen = static_cast<int>(session.boards_y);
}

DebugLink::~DebugLink() {
  if (owns_core_) delete core_;
}

void DebugLink::setDest(uint32_t boardX, uint32_t boardY, uint32_t coreId, uint32_t threadId) {
  core_->guard([&] { core_->hosts().require_core({boardX, boardY, coreId}, threadId); });
  core_->input_target[board_key(boardX, boardY)] = {{boardX, boardY, coreId}, threadId, false};
}

void DebugLink::setBroadcastDest(uint32_t boardX, uint32_t boardY, uint32_t threadId) {
  core_->guard([&] { core_->hosts().require_core({boardX, boardY, 0}, threadId); });
  core_->input_target[board_key(boardX, boardY)] = {{boardX, boardY, 0}, threadId, true};
}

void DebugLink::put(uint32_t boardX, uint32_t boardY, uint8_t byte) {
  core_->guard([&] {
    core_->hosts().require_board(boardX, boardY);
    const auto target = core_->input_target.find(board_key(boardX, boardY));
    if (target == core_->input_target.end()) {
      throw UserError("DebugLink::put: no destination on board (" + std::to_string(boardX) + "," +
                      std::to_string(boardY) + "); call setDest() or setBroadcastDest() first");
    }
    core_->hosts().console_in(target->second.core, target->second.thread, target->second.every_core, byte);
  });
}

bool DebugLink::canGet() {
  return core_->guard([&] {
    if (!core_->has_next_byte) core_->has_next_byte = core_->hosts().console(core_->next_byte);
    return core_->has_next_byte;
  });
}

void DebugLink::get(uint32_t* boardX, uint32_t* boardY, uint32_t* coreId, uint32_t* threadId, uint8_t* byte) {
  core_->guard([&] {
    while (!canGet()) {
      if (!core_->hosts().wait_console()) {
        throw UserError(
            "DebugLink::get: no thread has printed anything more, and nothing can happen any more");
      }
    }
  });
  const overlay::ConsoleByte& next = core_->next_byte;
  *boardX = next.board_x;
  *boardY = next.board_y;
  *coreId = next.core;
  *threadId = next.thread;
  *byte = next.byte;
  core_->has_next_byte = false;
}

int32_t DebugLink::getBoardTemp(uint32_t boardX, uint32_t boardY) {
  core_->guard([&] { core_->hosts().require_board(boardX, boardY); });
  return kSimulatedCelsius;
}
int32_t DebugLink::getBridgeTemp(uint32_t boxX, uint32_t boxY) {
  core_->guard([&] {
    if (boxX < static_cast<uint32_t>(boxMeshXLen) && boxY < static_cast<uint32_t>(boxMeshYLen)) return;
    throw UserError("DebugLink::getBridgeTemp: no box (" + std::to_string(boxX) + "," + std::to_string(boxY) +
                    "): there are " + std::to_string(boxMeshXLen) + " x " + std::to_string(boxMeshYLen));
  });
  return kSimulatedCelsius;
}
