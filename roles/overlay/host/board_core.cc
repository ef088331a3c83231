// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/host/board_core.h"

#include <config.h>

#include <algorithm>
#include <cstring>

#include "fabric/error.h"
#include "fabric/host/client.h"
#include "roles/overlay/host/source_line.h"

namespace polyloom::overlay {
namespace {

constexpr std::size_t kRingFrames = 256;      ///< that a ring holds
constexpr std::size_t kRingBytes = 1u << 20;  ///< and how many bytes

double in_seconds(fabric::Time t) {
  return static_cast<double>(t) / static_cast<double>(fabric::kPicosPerSecond);
}

}  // namespace

std::string hex(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%x", value);
  return text;
}

BoardCore::BoardCore(std::unique_ptr<HostBackend> backend, unsigned boards_x, unsigned boards_y)
    : backend_(std::move(backend)),
      boards_x_(boards_x),
      boards_y_(boards_y),
      input_(
          [this](unsigned board, const blocks::UartInFrame& frame) { post(board, blocks::encode(frame)); }) {
  enter("load", 0);
}

void BoardCore::attach(NativeProgram*) {
  throw UserError("a native program needs POLYLOOM_ON=native; this HostLink holds boards of cluster '" +
                  facts().name + "'");
}

double BoardCore::seconds() const { return in_seconds(backend_->now()); }

std::string BoardCore::finish() {
  settle();
  return backend_->finish();
}

// ---- phases

// Defined in README.md of this folder.
void BoardCore::enter(const char* phase, fabric::Time at) {
  if (!phases_.empty()) at = std::max(at, phases_.back().begin);
  phases_.push_back({phase, at});
  backend_->mark(phase, at);
}

// Behind each start command the host asks the board for its cycle, and for its clock: a shell responds when
// what came before is done.
void BoardCore::note_register(unsigned board, const blocks::RegDataFrame& data) {
  if (awaited_registers_ == 0) return;
  --awaited_registers_;
  if (data.reg == blocks::reg::cycle) started_cycle_[board] = data.value;
  if (data.reg == blocks::reg::clock_hz) {
    running_ = std::max(running_, fabric::Clock(data.value).edge(started_cycle_[board]));
  }
  note_progress();
}

// What is known to have happened: all threads run, the first result is here.
void BoardCore::note_progress() {
  if (phases_.back().name == "start" && awaited_registers_ == 0) enter("compute", running_);
  if (phases_.back().name == "compute" && first_result_) enter("collect", *first_result_);
}

PhaseSeconds BoardCore::phases() const {
  PhaseSeconds seconds;
  for (const auto& [name, length] : fabric::phase_lengths(phases_, backend_->now())) {
    seconds.emplace_back(name, in_seconds(length));
  }
  return seconds;
}

// ---- frames

void BoardCore::post(unsigned board, std::vector<std::uint64_t> words) {
  ring_bytes_ += words.size() * sizeof(std::uint64_t);
  ring_.push_back({board, std::move(words)});
  if (ring_.size() >= kRingFrames || ring_bytes_ >= kRingBytes) ring();
}

void BoardCore::ring() {
  if (ring_.empty()) return;
  backend_->send(ring_);
  ring_.clear();
  ring_bytes_ = 0;
}

void BoardCore::take(std::vector<BackendFrame> frames) {
  for (const BackendFrame& frame : frames) handle(frame);
  ring();  // bytes for consoles that have become free
}

void BoardCore::wait_for_frames() {
  ring();
  take(backend_->recv());
}

void BoardCore::pump() {
  ring();
  take(backend_->try_recv());
}

// Waits until every board has confirmed what was written.
void BoardCore::settle() {
  ring();
  while (unconfirmed_frames_ != 0) wait_for_frames();
}

void BoardCore::handle(const BackendFrame& frame) {
  const blocks::HostFrame decoded = blocks::decode(frame.words);
  const unsigned x = frame.board % facts().boards_x, y = frame.board / facts().boards_x;
  if (const auto* msg = std::get_if<blocks::MsgFrame>(&decoded)) {
    Message message{};
    const std::size_t words = std::min<std::size_t>(msg->payload.size(), kMessageBytes / 8);
    std::memcpy(message.bytes, msg->payload.data(), 8 * words);
    messages_.push_back(message);
    if (!first_result_ && is_result(message.bytes)) first_result_ = frame.arrival;
    note_progress();
  } else if (const auto* out = std::get_if<blocks::UartOutFrame>(&decoded)) {
    console_.push_back({x, y, core_of_dense(facts(), out->core), out->thread, out->byte});
  } else if (const auto* done = std::get_if<blocks::WriteDoneFrame>(&decoded)) {
    unconfirmed_frames_ -= 1;
    unconfirmed_bytes_ -= done->range.bytes;
  } else if (const auto* data = std::get_if<blocks::ReadDataFrame>(&decoded)) {
    read_data_ = blocks::unpack_bytes(data->data, data->range.bytes);
    read_done_ = true;
  } else if (const auto* value = std::get_if<blocks::RegDataFrame>(&decoded)) {
    note_register(frame.board, *value);
  } else if (const auto* fault = std::get_if<blocks::FaultFrame>(&decoded)) {
    handle_fault(frame.board, *fault);
  } else if (const auto* error = std::get_if<blocks::FrameErrorFrame>(&decoded)) {
    throw UserError(board_name(frame.board) + " refused a frame of the host (op " +
                    std::to_string(error->word0 & 0xff) +
                    "): " + std::string(blocks::reason_text(error->reason)));
  } else if (const auto* bad = std::get_if<blocks::FrameFault>(&decoded)) {
    throw std::logic_error(board_name(frame.board) +
                           " sent a frame that is none: " + std::string(blocks::reason_text(bad->reason)));
  }
}

void BoardCore::handle_fault(unsigned board, const blocks::FaultFrame& fault) {
  if (fault.cause == kMessageRoom) {
    room_ += fault.value;
    return send_waiting();
  }
  const unsigned thread = fault.thread & (TinselThreadsPerCore - 1);
  const unsigned core = (fault.thread >> TinselLogThreadsPerCore) & (TinselCoresPerBoard - 1);
  if (fault.cause == kConsoleRead) return input_.has_read({board, dense_core(facts(), core), thread});
  if (fault.cause == kConsoleFault) {
    throw UserError("core " + std::to_string(core) + " thread " + std::to_string(thread) + " of " +
                    board_name(board) +
                    " lost a byte of its console: another than this host program sends it bytes too");
  }
  if (is_route_fault(fault.cause)) {
    throw UserError("the router of " + board_name(board) + " could not go on: " + fault_text(facts(), fault));
  }
  const auto own_code = code_of_memory_.find({board, memory_of(dense_core(facts(), core))});
  const std::string code = own_code != code_of_memory_.end() ? own_code->second.file : code_.file;
  const std::string place = source_line(elf_beside(code), fault.pc);
  throw UserError("device program stopped: " + fault_text(facts(), fault) + " (value " + hex(fault.value) +
                  ") at pc " + hex(fault.pc) + (place.empty() ? "" : ", " + place) + ", on " +
                  board_name(board) + " core " + std::to_string(core) + " thread " + std::to_string(thread) +
                  (code.empty() ? "" : "; program " + code));
}

// ---- messages

unsigned BoardCore::board(unsigned x, unsigned y) const {
  if (x >= boards_x_ || y >= boards_y_) {
    throw UserError("there is no board (" + std::to_string(x) + "," + std::to_string(y) +
                    "): this HostLink holds " + std::to_string(boards_x_) + " x " +
                    std::to_string(boards_y_) + " boards of cluster '" + facts().name + "'");
  }
  return cluster_board(x, y);
}

void BoardCore::require_thread(std::uint32_t address) const {
  if (address >> TinselLogMaxThreads != 0) {
    throw UserError("HostLink::send: " + hex(address) +
                    " is no thread's address; make one with HostLink::toAddr");
  }
  const unsigned board_bits = address >> TinselLogThreadsPerBoard;
  require_core({board_bits & ((1u << TinselMeshXBits) - 1), board_bits >> TinselMeshXBits,
                (address >> TinselLogThreadsPerCore) & (TinselCoresPerBoard - 1)},
               address & (TinselThreadsPerCore - 1));
}

void BoardCore::require_core(CoreAt core, unsigned thread) const {
  board(core.x, core.y);
  dense_core(facts(), core.core);
  if (thread >= facts().threads_per_core) {
    throw UserError("there is no thread " + std::to_string(thread) + " on a core of cluster '" +
                    facts().name + "': it has " + std::to_string(facts().threads_per_core));
  }
}

bool BoardCore::send(const Destination& to, unsigned flits, const void* message, bool queue) {
  settle();
  blocks::MsgFrame frame;
  std::uint64_t words[kMessageBytes / 8];
  std::memcpy(words, message, flits * TinselBytesPerFlit);
  frame.dest = to.mailbox;
  frame.mask = to.mask;
  frame.payload = {words, flits * TinselBytesPerFlit / 8};
  if (flits > room_ || !waiting_.empty()) pump();
  if (!queue && (flits > room_ || !waiting_.empty())) return false;
  waiting_.push_back(blocks::encode(frame));
  send_waiting();
  return true;
}

// What waits here does not wait on the way, where console bytes and all else would wait behind it.
void BoardCore::send_waiting() {
  const auto flits = [this] { return std::get<blocks::MsgFrame>(blocks::decode(waiting_.front())).flits(); };
  for (; !waiting_.empty() && flits() <= room_; waiting_.pop_front()) {
    room_ -= flits();
    post(0, std::move(waiting_.front()));
  }
}

void BoardCore::recv(void* message, std::size_t bytes) {
  while (messages_.empty()) wait_for_frames();
  std::memcpy(message, messages_.front().bytes, std::min(bytes, kMessageBytes));
  messages_.pop_front();
}

bool BoardCore::can_recv() {
  if (messages_.empty()) pump();
  return !messages_.empty();
}

// ---- console

bool BoardCore::console(ConsoleByte& byte) {
  if (console_.empty()) pump();
  if (console_.empty()) return false;
  byte = console_.front();
  console_.pop_front();
  return true;
}

bool BoardCore::wait_console() {
  try {
    while (console_.empty()) wait_for_frames();
  } catch (const fabric::SimulatorError& error) {
    if (error.reason != fabric::HostErrorReason::deadlock) throw;
  }
  return !console_.empty();
}

void BoardCore::console_in(CoreAt core, unsigned thread, bool every_core, std::uint8_t byte) {
  require_core({core.x, core.y, every_core ? 0 : core.core}, thread);
  const unsigned on = board(core.x, core.y);
  if (every_core) {
    input_.put_to_all(on, facts().cores(), thread, byte);
  } else {
    input_.put({on, dense_core(facts(), core.core), thread}, byte);
  }
  ring();
}

std::unique_ptr<HostCore> make_board_core(std::unique_ptr<HostBackend> backend, unsigned boards_x,
                                          unsigned boards_y) {
  return std::make_unique<BoardCore>(std::move(backend), boards_x, boards_y);
}

}  // namespace polyloom::overlay
