// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/sim/board/board.h"

#include <algorithm>
#include <bit>

#include "roles/overlay/arch/fault_codes.h"

namespace polyloom::overlay {
namespace {

constexpr unsigned kWriteTurnaround = 10;       ///< the shell waits until memory has acknowledged a write
constexpr unsigned kFrameTurnaround = 2;        ///< from a frame to the host to the next, besides its words
constexpr std::size_t kMaxUartBacklog = 1024;   ///< frames towards the host before threads must try again
constexpr std::size_t kMaxSupersteps = 20'000;  ///< rows kept for the run record

DetectorConfig detector_config(const OverlayParams& params, const BoardSite& site) {
  // A register for each tile that a wire passes. The published detector keeps the cycles that its figures
  // were fixed with.
  const Cycle pipeline = params.board.tiles_x + params.board.tiles_y;
  const Cycle ours = params.detector == DetectorKind::star ? 4 + pipeline : pipeline;
  const Cycle gather = params.gather_cycles != 0 ? params.gather_cycles : ours;
  return {.board = site.at,
          .mesh = site.mesh,
          .threads = params.board.threads(),
          .gather = gather,
          .turn = params.turnaround_cycles,
          .end = params.end_cycles,
          .bridge_hop = params.bridge_hop_cycles};
}

unsigned router_ports(const BoardParams& board) { return board.programmable_routers ? Expanders::kPorts : 0; }

}  // namespace

Board::Board(const OverlayParams& params, BoardSite site)
    : params_(params),
      site_(std::move(site)),
      clock_(params.board.clock_hz),
      net_(params.board, site_.at, site_.mesh, params.noc_link_flits),
      noc_(net_),
      memory_(params.board),
      memory_system_(params.board, memory_, params.board.tiles() + router_ports(params.board), params.dram,
                     params.sram),
      shell_({site_.host.tx, site_.host.rx}, *this,
             {.role = blocks::RoleId::overlay,
              .x = static_cast<std::uint16_t>(site_.at.x),
              .y = static_cast<std::uint16_t>(site_.at.y),
              .dma_words_per_cycle = 1,
              .write_turnaround = kWriteTurnaround,
              .word_cycles = 1,
              .frame_turnaround = kFrameTurnaround,
              .response_cycles = kWindow},
             clock_) {
  net_.may_freeze = params.detector == DetectorKind::star;
  net_.wake = params.timing.wake;
  net_.fault = [this](Cycle, unsigned tile, unsigned thread, const SendRequest& request, SendFault why) {
    net_fault(tile, thread, request, why);
  };
  net_.route_fault = [this](Cycle c, RouteFault why, std::uint32_t key, std::uint32_t head) {
    route_fault(c, why, key, head);
  };
  noc_.expanders().set_memory(this);
  for (unsigned port = 0; port < router_ports_.size(); ++port) {
    router_ports_[port].board = this;
    router_ports_[port].port = port;
  }
  for (unsigned t = 0; t < params.board.tiles(); ++t) {
    tiles_.push_back(
        std::make_unique<Tile>(params.board, params.timing, TilePlace{t, thread_id(t, 0)},
                               TileEnv{&noc_.mailbox(t), &memory_system_, this, &arena_, &code_}));
    noc_.mailbox(t).attach(*tiles_.back());
    if (params.profile) tiles_.back()->enable_profile();
  }
  for (unsigned link = 0; link < kLinks; ++link) {
    const BoardSite::Ends& ends = site_.links[link];
    if (ends.tx == nullptr) continue;
    links_[link] = std::make_unique<MeshLink>(
        *ends.tx, *ends.rx,
        MeshLinkConfig{params.board.clock_hz, params.board.header_every_flit, params.published_link,
                       ends.latency, net_.layout.key_bit()});
  }
  detector_ = make_detector(params.detector, detector_config(params, site_), net_.activity, *this);
}

Board::~Board() = default;

std::uint32_t Board::thread_id(unsigned tile, unsigned thread) const {
  return net_.layout.thread_id(site_.at, tile % params_.board.tiles_x, tile / params_.board.tiles_x, thread);
}

// ---- time ----

/// First cycle of the next window with something to do, kNeverCycle if nothing is known to come.
Cycle Board::next_window() const {
  if (retry_) return now_;
  // What is looked at when a window ends belongs to the first that ends then or later.
  const auto at_end = [](Cycle c) { return c == kNeverCycle || c == 0 ? c : c - 1; };
  Cycle next = std::min(noc_.next_event(), memory_system_.next_event());
  next = std::min({next, at_end(detector_->next_event()), shell_.next_input()});
  for (const auto& tile : tiles_) next = std::min(next, tile->next_event());
  for (unsigned link = 0; link < kLinks; ++link) {
    if (links_[link] == nullptr) continue;
    next = std::min(next, links_[link]->next_arrival());
    const Noc::Departure* leaving = noc_.leaving(static_cast<BoardPort>(link));
    if (leaving != nullptr) next = std::min(next, std::max(at_end(leaving->tail), links_[link]->next_room()));
  }
  if (const Noc::Departure* leaving = noc_.leaving(kHostPort)) next = std::min(next, at_end(leaving->tail));
  return next == kNeverCycle ? kNeverCycle : std::max(next, now_) / kWindow * kWindow;
}

void Board::advance(fabric::Time until) {
  const Cycle first_after = clock_.first_edge_from(until);
  const Cycle complete = clock_.edge(first_after) == until ? first_after : first_after - 1;
  // Frames of the whole fabric window are taken in first and sent last; in between, cycles tell what a board
  // window may see. What a window sends leaves at its end or later, which nothing sent has passed yet.
  for (const auto& link : links_) {
    if (link != nullptr) link->begin(first_after);
  }
  const auto next = [this] { return every_window_ ? now_ : next_window(); };
  for (Cycle from = next(); from != kNeverCycle && from + kWindow <= complete; from = next()) window(from);
  // Whole windows up to here are over, also those without anything to do.
  now_ = std::max(now_, complete / kWindow * kWindow);
  for (const auto& link : links_) {
    if (link != nullptr) link->end(first_after);
  }
  shell_.transmit(first_after);
}

fabric::Time Board::next_event() const {
  fabric::Time next = fabric::kNever;
  if (const Cycle c = shell_.next_event(); c != kNeverCycle) next = clock_.edge(c);
  for (const auto& link : links_) {
    if (link == nullptr) continue;
    if (const Cycle c = link->next_event(); c != kNeverCycle) next = std::min(next, clock_.edge(c));
  }
  // A window is simulated when time has reached its end, so that it is whole.
  if (const Cycle from = next_window(); from != kNeverCycle) {
    next = std::min(next, clock_.edge(from + kWindow) - 1);
  }
  return next;
}

void Board::window(Cycle from) {
  const Cycle to = from + kWindow;
  noc_.begin_window(from, to);
  reply_at_ = to;
  // What leaves by then is known, and is read from memory before this window changes it.
  shell_.transmit(to);
  for (const auto& tile : tiles_) {
    if (every_window_ || tile->next_event() < to) tile->advance_cores(from);
  }
  if (every_window_ || memory_system_.next_event() < to) memory_system_.advance(from);
  network(from, to);
  now_ = to;
}

void Board::network(Cycle from, Cycle to) {
  retry_ = false;
  blocked_entries_ = 0;
  links_in(from, to);
  shell_.receive(to);
  host_messages_in(from, to);
  noc_.advance(to);
  // Who found no room at the start of the window tries again in the next one if there is some by then; if
  // not, the network has an event when there may be.
  for (std::uint32_t left = blocked_entries_; left != 0; left &= left - 1) {
    if (noc_.has_room(static_cast<BoardPort>(std::countr_zero(left)), to)) retry_ = true;
  }
  links_out(to);
  host_messages_out(to);
  detector_->step(to);
}

// ---- links ----

void Board::links_in(Cycle from, Cycle to) {
  for (unsigned i = 0; i < kLinks; ++i) {
    if (links_[i] == nullptr) continue;
    MeshLink& link = *links_[i];
    link.receive(to);
    while (const auto control = link.take_control(to - 1)) {
      detector_->control(std::max(from, control->at), i, control->words);
    }
    while (const MeshLink::Arrival* arrival = link.front(to - 1)) {
      if (!detector_->may_enter(arrival->epoch)) {
        if (!held_counted_[i]) detector_->count_held();
        held_counted_[i] = true;
        break;
      }
      const Cycle at = std::max(from, arrival->at);
      if (!noc_.enter(static_cast<BoardPort>(i), at, arrival->message)) {
        blocked_entries_ |= 1u << i;
        break;
      }
      held_counted_[i] = false;
      ++net_.activity.in_flight;
      detector_->received(at, i);
      link.pop();
    }
  }
}

void Board::links_out(Cycle to) {
  for (unsigned i = 0; i < kLinks; ++i) {
    if (links_[i] == nullptr) continue;
    MeshLink& link = *links_[i];
    const auto port = static_cast<BoardPort>(i);
    link.push_waiting(to);
    for (const Noc::Departure* d = noc_.leaving(port); d != nullptr && d->tail <= to && link.room(to);
         d = noc_.leaving(port)) {
      const MessageId id = d->id;
      link.send(to, net_.pool[id], detector_->epoch_bit());
      noc_.leave(port, to);
      net_.pool.release(id);
      --net_.activity.in_flight;
      net_.activity.changed = to;
      detector_->sent(i);
    }
  }
}

// ---- the host's messages ----

void Board::host_messages_in(Cycle from, Cycle) {
  while (!from_host_.empty() && detector_->may_inject(from)) {
    if (!noc_.enter(kHostPort, from, from_host_.front())) {
      blocked_entries_ |= 1u << kHostPort;
      return;
    }
    const unsigned flits = from_host_.front().flits;
    from_host_.pop_front();
    ++net_.activity.in_flight;
    detector_->host_in();
    from_host_flits_ -= flits;
    unreported_flits_ += flits;
    if (unreported_flits_ < kRoomFlits) continue;
    unreported_flits_ -= kRoomFlits;
    reply(blocks::encode(
        blocks::FaultFrame{.cause = kMessageRoom, .thread = thread_id(0, 0), .value = kRoomFlits}));
  }
}

void Board::host_messages_out(Cycle to) {
  for (const Noc::Departure* d = noc_.leaving(kHostPort); d != nullptr && d->tail <= to;
       d = noc_.leaving(kHostPort)) {
    const MessageId id = d->id;
    const Message& message = net_.pool[id];
    std::vector<std::uint64_t> payload(message.flits * 2);
    for (std::size_t i = 0; i < payload.size(); ++i) {
      payload[i] = message.data[2 * i] | (std::uint64_t{message.data[2 * i + 1]} << 32);
    }
    reply(blocks::encode(blocks::MsgFrame{0, message.dest, message.mask, payload}));
    noc_.leave(kHostPort, to);
    net_.pool.release(id);
    --net_.activity.in_flight;
    net_.activity.changed = to;
    detector_->host_out();
  }
}

// ---- what detection asks ----

void Board::send_control(Cycle c, unsigned link, std::span<const std::uint64_t> words) {
  links_[link]->send_control(reply_at_, std::max(c, reply_at_), words);
}

void Board::release_threads(Cycle c, bool voted) {
  const Work since_reset{instructions(), noc_.counters().message_hops};
  const Superstep step{c,
                       voted,
                       {since_reset.instructions - work_before_.instructions,
                        since_reset.message_hops - work_before_.message_hops}};
  if (site_.trace != nullptr) {
    const fabric::Time now = clock_.edge(c);
    site_.trace->complete("superstep " + std::to_string(barriers_), step_began_, now);
    // A graph's value holds from its time on, so the step's stands at its begin.
    site_.trace->counter("instructions of the superstep", step_began_,
                         static_cast<double>(step.work.instructions));
    step_began_ = now;
  }
  if (barriers_ < kMaxSupersteps) supersteps_.push_back(step);
  work_before_ = since_reset;
  ++barriers_;
  for (unsigned t = 0; t < tiles_.size(); ++t) noc_.mailbox(t).release_idle(c, voted);
  retry_ = true;
}

void Board::freeze_threads(Cycle c, bool frozen) {
  net_.activity.frozen = frozen;
  retry_ = true;
  if (frozen) return;
  for (unsigned t = 0; t < tiles_.size(); ++t) noc_.mailbox(t).thaw(c);
}

// ---- what tiles tell ----

unsigned Board::core_of(std::uint32_t thread_id) const {
  const std::uint32_t mailbox = thread_id >> AddressLayout::kIndexBits;
  const unsigned tile = net_.layout.tile_y(mailbox) * params_.board.tiles_x + net_.layout.tile_x(mailbox);
  const unsigned index = thread_id & ((1u << AddressLayout::kIndexBits) - 1);
  return tile * params_.board.cores_per_tile + index / params_.board.threads_per_core;
}

bool Board::uart_out(Cycle, std::uint32_t thread_id, std::uint8_t byte) {
  if (shell_.backlog() >= kMaxUartBacklog) return false;
  const unsigned index = thread_id & ((1u << AddressLayout::kIndexBits) - 1);
  reply(blocks::encode(
      blocks::UartOutFrame{.core = static_cast<std::uint16_t>(core_of(thread_id)),
                           .thread = static_cast<std::uint8_t>(index % params_.board.threads_per_core),
                           .byte = byte}));
  return true;
}

void Board::uart_read(Cycle, std::uint32_t thread_id) {
  reply(blocks::encode(blocks::FaultFrame{.cause = kConsoleRead, .thread = thread_id}));
}

void Board::fault(Cycle, std::uint32_t thread_id, const Fault& fault) {
  ++faults_;
  reply(blocks::encode(blocks::FaultFrame{
      .cause = wire_cause(fault.cause), .thread = thread_id, .pc = fault.pc, .value = fault.value}));
}

void Board::emit(Cycle, std::uint32_t, std::uint32_t) {}

std::uint32_t Board::router_sent(bool inter_board) {
  if (!inter_board) return static_cast<std::uint32_t>(noc_.router_sent());
  std::uint64_t sum = 0;
  for (unsigned link = 0; link < kLinks; ++link) sum += detector_->sent_on(link);
  return static_cast<std::uint32_t>(sum);
}

void Board::read(Cycle at, unsigned port, unsigned slice, std::uint32_t address, unsigned tag) {
  memory_system_.read(at, params_.board.tiles() + port, router_ports_[port], slice,
                      address & ~(params_.board.line_bytes - 1), tag);
}

void Board::route_fault(Cycle, RouteFault why, std::uint32_t key, std::uint32_t head) {
  ++faults_;
  if (first_fault_.empty()) {
    first_fault_ = route_fault_text(why, key, head, params_.board);
  }
  reply(blocks::encode(blocks::FaultFrame{
      .cause = static_cast<std::uint8_t>(why), .thread = thread_id(0, 0), .pc = key, .value = head}));
}

void Board::net_fault(unsigned tile, unsigned thread, const SendRequest& request, SendFault why) {
  ++faults_;
  if (first_fault_.empty()) {
    first_fault_ = "thread " + std::to_string(thread) + " of tile " + std::to_string(tile) + " " +
                   send_fault_text(why, request.dest, site_.mesh, params_.board);
  }
  reply(blocks::encode(blocks::FaultFrame{.cause = static_cast<std::uint8_t>(why),
                                          .thread = thread_id(tile, thread),
                                          .pc = request.pc,
                                          .value = request.dest}));
}

/// The run must not go on as if the byte had come.
void Board::console_fault(std::uint32_t thread) {
  ++faults_;
  reply(blocks::encode(blocks::FaultFrame{.cause = kConsoleFault, .thread = thread}));
}

std::uint64_t Board::instructions() const {
  std::uint64_t sum = 0;
  for (const auto& tile : tiles_) sum += tile->totals().retired;
  return sum;
}

}  // namespace polyloom::overlay
