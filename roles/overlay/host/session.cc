// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/host/session.h"

#include <config.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "fabric/error.h"
#include "fabric/guarded.h"

namespace polyloom::overlay {
namespace {

// A number of boxes from the environment; 0 if unset.
std::uint32_t boxes_from(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == 0) return 0;
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (*end != 0 || value < 1 || value > 64) {
    throw UserError(std::string(variable) + "='" + text +
                    "': expected a number of boxes from 1 on, or unset for the whole cluster");
  }
  return static_cast<std::uint32_t>(value);
}

unsigned last_slices = 1;

unsigned ceil_div(unsigned a, unsigned b) { return (a + b - 1) / b; }

// Boards of one dimension that `boxes` boxes are; the last box of a cluster may be smaller.
unsigned boards_of(std::uint32_t boxes, unsigned box_boards, unsigned cluster_boards, const char* dimension,
                   const std::string& cluster) {
  const unsigned available = ceil_div(cluster_boards, box_boards);
  if (boxes > available) {
    throw UserError(
        std::to_string(boxes) + " boxes in " + dimension + " were asked for: cluster '" + cluster + "' has " +
        std::to_string(available) + " (a box is " + std::to_string(TinselMeshXLenWithinBox) + " x " +
        std::to_string(TinselMeshYLenWithinBox) +
        " boards). Ask for fewer, choose a larger cluster, or unset HOSTLINK_BOXES_X and HOSTLINK_BOXES_Y");
  }
  return boxes == 0 ? cluster_boards : std::min(boxes * box_boards, cluster_boards);
}

ClusterFacts native_facts(const BoxRequest& request) {
  ClusterFacts facts;
  facts.boards_x = TinselMeshXLenWithinBox * std::max<std::uint32_t>(request.x, 1);
  facts.boards_y = TinselMeshYLenWithinBox * std::max<std::uint32_t>(request.y, 1);
  facts.extra_send_slot = request.extra_send_slot;
  return facts;
}

}  // namespace

std::unique_ptr<Session> open_session(const BoxRequest& requested, std::unique_ptr<HostBackend> backend) {
  BoxRequest request = requested;
  if (request.x == 0) request.x = boxes_from("HOSTLINK_BOXES_X");
  if (request.y == 0) request.y = boxes_from("HOSTLINK_BOXES_Y");
  const char* on = std::getenv("POLYLOOM_ON");
  auto session = std::make_unique<Session>();
  if (backend == nullptr && on != nullptr && std::strcmp(on, "native") == 0) {
    session->core = make_native_core(native_facts(request));
  }
  const bool native = session->core != nullptr;
  if (!native && backend == nullptr) backend = connect_to_simulator();
  const ClusterFacts facts = native ? session->core->facts() : backend->facts();
  if (request.extra_send_slot && !facts.extra_send_slot) {
    throw UserError(
        "this program needs a second send slot: set extra_send_slot = true in the [overlay] table of cluster "
        "'" +
        facts.name + "'");
  }
  session->boards_x = boards_of(request.x, TinselMeshXLenWithinBox, facts.boards_x, "x", facts.name);
  session->boards_y = boards_of(request.y, TinselMeshYLenWithinBox, facts.boards_y, "y", facts.name);
  session->boxes_x = ceil_div(session->boards_x, TinselMeshXLenWithinBox);
  session->boxes_y = ceil_div(session->boards_y, TinselMeshYLenWithinBox);
  last_slices = facts.slices;
  if (!native) session->core = make_board_core(std::move(backend), session->boards_x, session->boards_y);
  return session;
}

unsigned slices_of_last_session() { return last_slices; }

void fail(std::unique_ptr<Session>& session, const std::exception_ptr& error) {
  std::fflush(stdout);
  if (session) session->lines.flush(stderr);
  const int status = report(error);
  session.reset();
  std::exit(status);
}

}  // namespace polyloom::overlay
