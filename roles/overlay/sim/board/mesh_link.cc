// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/sim/board/mesh_link.h"

#include "fabric/error.h"

namespace polyloom::overlay {

struct MeshLink::Impl {};

MeshLink::MeshLink(fabric::Tx* tx, fabric::Rx*, const MeshLinkConfig&) {
  if (tx != nullptr) throw UserError("links between boards need the reliable link");
}
MeshLink::~MeshLink() = default;
MeshLink::MeshLink(MeshLink&&) noexcept = default;
bool MeshLink::exists() const { return impl_ != nullptr; }
void MeshLink::advance(fabric::Time) {}
const MeshLink::Arrival* MeshLink::front() const { return nullptr; }
void MeshLink::pop() {}
std::optional<MeshLink::Control> MeshLink::take_control() { return std::nullopt; }
bool MeshLink::room() const { return false; }
void MeshLink::send(fabric::Time, const Message&, unsigned) {}
void MeshLink::send_control(fabric::Time, std::span<const std::uint64_t>) {}
void MeshLink::transmit(fabric::Time) {}
fabric::Time MeshLink::next_event() const { return fabric::kNever; }
void MeshLink::counters(const std::string&, const fabric::CounterSink&) const {}
void MeshLink::digest(fabric::Digest&) const {}

}  // namespace polyloom::overlay
