// SPDX-License-Identifier: Apache-2.0
// HostLink over boards: every operation becomes frames of the shells' host links.
#include <config.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>

#include "blocks/shell/host_frames.h"
#include "fabric/host/client.h"
#include "roles/overlay/host/boot_image.h"
#include "roles/overlay/host/core.h"
#include "roles/overlay/host/source_line.h"
#include "roles/overlay/host/verilog_hex.h"
#include "roles/overlay/sim/board/fault_codes.h"

namespace polyloom::overlay {
namespace {

using blocks::MemRange;
using blocks::Space;

constexpr std::size_t kMessageBytes = 64;
constexpr std::uint64_t kDmaChunk = 1u << 20;           ///< a write travels in frames of at most this size
constexpr std::uint64_t kMaxUnconfirmed = 64ull << 20;  ///< bytes of writes under way before we wait

std::string hex(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%x", value);
  return text;
}

class BoardCore : public HostCore {
 public:
  BoardCore(std::unique_ptr<HostBackend> backend, unsigned boards_x, unsigned boards_y)
      : backend_(std::move(backend)), boards_x_(boards_x), boards_y_(boards_y) {}

  const ClusterFacts& facts() const override { return backend_->facts(); }
  bool is_native() const override { return false; }

  void send(std::uint32_t dest, unsigned flits, const void* message) override;
  void recv(void* message, std::size_t bytes) override;
  bool can_recv() override;
  void load_all(const std::string& code, const std::string& data) override;
  void load_code(const std::string& code, CoreAt core) override;
  void load_data(const std::string& data, CoreAt core) override;
  void prepare_all() override { all_prepared_ = true; }
  void prepare(CoreAt core, unsigned threads) override;
  void go_all() override;
  void go(CoreAt core) override;
  void write(unsigned x, unsigned y, unsigned slice, std::uint32_t address, const void* data,
             std::uint64_t bytes) override;
  void read(unsigned x, unsigned y, unsigned slice, std::uint32_t address, void* data,
            std::uint64_t bytes) override;
  bool console(ConsoleByte& byte) override;
  bool wait_console() override;
  void console_in(CoreAt core, unsigned thread, bool every_core, std::uint8_t byte) override;
  void attach(NativeProgram*) override {
    throw UserError("a native program needs POLYLOOM_ON=native; this HostLink holds boards of cluster '" +
                    facts().name + "'");
  }
  double seconds() const override {
    return static_cast<double>(backend_->now()) / static_cast<double>(fabric::kPicosPerSecond);
  }
  std::string finish() override {
    settle();
    return backend_->finish();
  }

 private:
  struct Message {
    std::uint8_t bytes[kMessageBytes];
  };

  unsigned board(unsigned x, unsigned y) const;
  unsigned cluster_board(unsigned x, unsigned y) const { return y * facts().boards_x + x; }
  bool in_use(unsigned board) const {
    return board % facts().boards_x < boards_x_ && board / facts().boards_x < boards_y_;
  }
  std::string board_name(unsigned board) const {
    return "board (" + std::to_string(board % facts().boards_x) + "," +
           std::to_string(board / facts().boards_x) + ")";
  }

  void handle(const BackendFrame& frame);
  void handle_fault(unsigned board, const blocks::FaultFrame& fault) const;
  void pump();
  void settle();
  void write_range(unsigned board, Space space, std::uint32_t target, std::uint32_t address,
                   const std::uint8_t* data, std::uint64_t bytes);
  void load_instructions(unsigned board, std::uint32_t target, const std::vector<MemoryImage>& images);
  std::vector<MemoryImage> read_code(const std::string& file) const;
  void start(unsigned board, unsigned first_core, unsigned cores, unsigned threads, std::uint32_t pc);

  std::unique_ptr<HostBackend> backend_;
  unsigned boards_x_, boards_y_;
  std::deque<Message> messages_;
  std::deque<ConsoleByte> console_;
  std::uint64_t unconfirmed_frames_ = 0, unconfirmed_bytes_ = 0;
  std::vector<std::uint8_t> read_data_;
  bool read_done_ = false;
  bool all_prepared_ = false;
  std::map<std::pair<unsigned, unsigned>, unsigned> prepared_;  ///< (board, dense core) -> threads
  std::string code_file_;                                       ///< of every core ...
  std::map<std::pair<unsigned, unsigned>, std::string>
      code_of_pair_;  ///< ... but those of (board, core pair)
};

// ---- frames from boards

void BoardCore::handle(const BackendFrame& frame) {
  const blocks::HostFrame decoded = blocks::decode(frame.words);
  const unsigned x = frame.board % facts().boards_x, y = frame.board / facts().boards_x;
  if (const auto* msg = std::get_if<blocks::MsgFrame>(&decoded)) {
    Message message{};
    const std::size_t words = std::min<std::size_t>(msg->payload.size(), kMessageBytes / 8);
    std::memcpy(message.bytes, msg->payload.data(), 8 * words);
    messages_.push_back(message);
  } else if (const auto* out = std::get_if<blocks::UartOutFrame>(&decoded)) {
    console_.push_back({x, y, core_of_dense(facts(), out->core), out->thread, out->byte});
  } else if (const auto* done = std::get_if<blocks::WriteDoneFrame>(&decoded)) {
    unconfirmed_frames_ -= 1;
    unconfirmed_bytes_ -= done->range.bytes;
  } else if (const auto* data = std::get_if<blocks::ReadDataFrame>(&decoded)) {
    read_data_ = blocks::unpack_bytes(data->data, data->range.bytes);
    read_done_ = true;
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

void BoardCore::handle_fault(unsigned board, const blocks::FaultFrame& fault) const {
  const unsigned thread = fault.thread & (TinselThreadsPerCore - 1);
  const unsigned core = (fault.thread >> TinselLogThreadsPerCore) & (TinselCoresPerBoard - 1);
  if (fault.cause == kConsoleFault) {
    throw UserError(
        "core " + std::to_string(core) + " thread " + std::to_string(thread) + " of " + board_name(board) +
        " lost a byte that DebugLink::put sent before the one before had been read; a thread holds one: "
        "let the program print something after each byte that it has read");
  }
  const auto own_code = code_of_pair_.find({board, dense_core(facts(), core) / 2});
  const std::string code = own_code != code_of_pair_.end() ? own_code->second : code_file_;
  const std::string place = source_line(elf_beside(code), fault.pc);
  throw UserError("device program stopped: " + wire_cause_text(fault.cause) + " (value " + hex(fault.value) +
                  ") at pc " + hex(fault.pc) + (place.empty() ? "" : ", " + place) + ", on " +
                  board_name(board) + " core " + std::to_string(core) + " thread " + std::to_string(thread) +
                  (code.empty() ? "" : "; program " + code));
}

void BoardCore::pump() {
  BackendFrame frame;
  while (backend_->try_recv(frame)) handle(frame);
}

// Waits until every board has confirmed what was written.
void BoardCore::settle() {
  while (unconfirmed_frames_ != 0) handle(backend_->recv());
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

void BoardCore::send(std::uint32_t dest, unsigned flits, const void* message) {
  if (dest >> TinselLogMaxThreads != 0) {
    throw UserError("HostLink::send: " + hex(dest) +
                    " is no thread's address; make one with HostLink::toAddr");
  }
  const unsigned board_bits = dest >> TinselLogThreadsPerBoard;
  board(board_bits & ((1u << TinselMeshXBits) - 1), board_bits >> TinselMeshXBits);
  dense_core(facts(), (dest >> TinselLogThreadsPerCore) & (TinselCoresPerBoard - 1));
  settle();
  blocks::MsgFrame frame;
  std::uint64_t words[kMessageBytes / 8];
  std::memcpy(words, message, flits * TinselBytesPerFlit);
  frame.dest = dest >> TinselLogThreadsPerMailbox;
  frame.mask = std::uint64_t{1} << (dest & (TinselThreadsPerMailbox - 1));
  frame.payload = {words, flits * TinselBytesPerFlit / 8};
  backend_->send(0, blocks::encode(frame));
}

void BoardCore::recv(void* message, std::size_t bytes) {
  while (messages_.empty()) handle(backend_->recv());
  std::memcpy(message, messages_.front().bytes, std::min(bytes, kMessageBytes));
  messages_.pop_front();
}

bool BoardCore::can_recv() {
  if (messages_.empty()) pump();
  return !messages_.empty();
}

// ---- memories

void BoardCore::write_range(unsigned board, Space space, std::uint32_t target, std::uint32_t address,
                            const std::uint8_t* data, std::uint64_t bytes) {
  const bool instr = space == Space::instr;
  while (bytes > 0) {
    const std::uint64_t chunk = std::min(bytes, kDmaChunk);
    blocks::WriteFrame frame;
    frame.range = MemRange{space, target, address, static_cast<std::uint32_t>(chunk)};
    const auto words = blocks::pack_bytes({data, chunk});
    frame.data = words;
    backend_->send(board, blocks::encode(frame));
    unconfirmed_frames_ += 1;
    unconfirmed_bytes_ += chunk;
    if (unconfirmed_bytes_ > kMaxUnconfirmed) settle();
    data += chunk;
    bytes -= chunk;
    address += static_cast<std::uint32_t>(instr ? chunk / 4 : chunk);
  }
}

void BoardCore::write(unsigned x, unsigned y, unsigned slice, std::uint32_t address, const void* data,
                      std::uint64_t bytes) {
  if (slice >= facts().slices) {
    throw UserError("HostLink::dmaWrite: no memory slice " + std::to_string(slice) + ": a board has " +
                    std::to_string(facts().slices));
  }
  write_range(board(x, y), slice == 0 ? Space::slice0 : Space::slice1, 0, address,
              static_cast<const std::uint8_t*>(data), bytes);
}

void BoardCore::read(unsigned x, unsigned y, unsigned slice, std::uint32_t address, void* data,
                     std::uint64_t bytes) {
  settle();
  auto* to = static_cast<std::uint8_t*>(data);
  while (bytes > 0) {
    const std::uint64_t chunk = std::min(bytes, kDmaChunk);
    blocks::ReadFrame frame;
    frame.range =
        MemRange{slice == 0 ? Space::slice0 : Space::slice1, 0, address, static_cast<std::uint32_t>(chunk)};
    read_done_ = false;
    backend_->send(board(x, y), blocks::encode(frame));
    while (!read_done_) handle(backend_->recv());
    std::memcpy(to, read_data_.data(), std::min<std::uint64_t>(chunk, read_data_.size()));
    to += chunk;
    bytes -= chunk;
    address += static_cast<std::uint32_t>(chunk);
  }
}

// ---- programs

std::vector<MemoryImage> BoardCore::read_code(const std::string& file) const {
  if (boot_image().empty()) {
    throw UserError(
        "this HostLink was built without a RISC-V compiler and holds no boot image: install the Debian "
        "package "
        "gcc-riscv64-unknown-elf, then build again");
  }
  auto images = read_verilog_hex(file);
  const std::uint64_t limit = 4ull * facts().instr_words;
  for (const MemoryImage& image : images) {
    if (image.address < TinselMaxBootImageBytes) {
      throw UserError("device program " + file + " has code at " + hex(image.address) + ": below " +
                      hex(TinselMaxBootImageBytes) + " lies the boot image. Link its text at that address");
    }
    if (image.address + image.bytes.size() > limit) {
      throw UserError(
          "device program " + file + " ends at byte " + std::to_string(image.address + image.bytes.size()) +
          ": an instruction memory of cluster '" + facts().name + "' has " + std::to_string(limit) +
          ". Make it smaller, or raise instr_words in the cluster file's [overlay] table");
    }
  }
  return images;
}

void BoardCore::load_instructions(unsigned board, std::uint32_t target,
                                  const std::vector<MemoryImage>& images) {
  std::vector<std::uint8_t> boot(boot_image().begin(), boot_image().end());
  boot.resize((boot.size() + 3) / 4 * 4, 0);
  write_range(board, Space::instr, target, 0, boot.data(), boot.size());
  for (const MemoryImage& image : images) {
    write_range(board, Space::instr, target, image.address / 4, image.bytes.data(), image.bytes.size());
  }
}

void BoardCore::load_all(const std::string& code, const std::string& data) {
  const auto code_images = read_code(code);
  const auto data_images = read_verilog_hex(data);
  for (unsigned b = 0; b < facts().boards(); ++b) {
    load_instructions(b, blocks::kBroadcast, in_use(b) ? code_images : std::vector<MemoryImage>{});
    if (!in_use(b)) continue;
    for (unsigned slice = 0; slice < facts().slices; ++slice) {
      for (const MemoryImage& image : data_images) {
        write_range(b, slice == 0 ? Space::slice0 : Space::slice1, 0, image.address, image.bytes.data(),
                    image.bytes.size());
      }
    }
  }
  code_file_ = code;
  code_of_pair_.clear();
}

void BoardCore::load_code(const std::string& code, CoreAt core) {
  const unsigned pair = dense_core(facts(), core.core) / 2;
  load_instructions(board(core.x, core.y), pair, read_code(code));
  code_of_pair_[{board(core.x, core.y), pair}] = code;
}

void BoardCore::load_data(const std::string& data, CoreAt core) {
  for (const MemoryImage& image : read_verilog_hex(data)) {
    write(core.x, core.y, slice_of_core(facts(), core.core), image.address, image.bytes.data(),
          image.bytes.size());
  }
}

void BoardCore::prepare(CoreAt core, unsigned threads) {
  if (threads < 1 || threads > facts().threads_per_core) {
    throw UserError("HostLink::startOne: " + std::to_string(threads) + " threads: a core has 1 to " +
                    std::to_string(facts().threads_per_core));
  }
  prepared_[{board(core.x, core.y), dense_core(facts(), core.core)}] = threads;
}

void BoardCore::start(unsigned board, unsigned first_core, unsigned cores, unsigned threads,
                      std::uint32_t pc) {
  blocks::StartFrame frame;
  frame.first_core = static_cast<std::uint16_t>(first_core);
  frame.cores = static_cast<std::uint16_t>(cores);
  frame.threads = static_cast<std::uint8_t>(threads);
  frame.pc = pc;
  backend_->send(board, blocks::encode(frame));
}

void BoardCore::go_all() {
  if (!all_prepared_ && prepared_.empty())
    throw UserError("HostLink::go: nothing to start; call boot() first");
  settle();
  if (all_prepared_) {
    for (unsigned b = 0; b < facts().boards(); ++b) {
      start(b, 0, facts().cores(), facts().threads_per_core, in_use(b) ? 0 : kParkAddress);
    }
  }
  for (const auto& [where, threads] : prepared_) start(where.first, where.second, 1, threads, 0);
  all_prepared_ = false;
  prepared_.clear();
}

void BoardCore::go(CoreAt core) {
  const auto found = prepared_.find({board(core.x, core.y), dense_core(facts(), core.core)});
  if (found == prepared_.end()) {
    throw UserError("HostLink::goOne: core " + std::to_string(core.core) +
                    " was not prepared; call startOne() first");
  }
  settle();
  start(found->first.first, found->first.second, 1, found->second, 0);
  prepared_.erase(found);
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
    while (console_.empty()) handle(backend_->recv());
  } catch (const fabric::SimulatorError& error) {
    if (error.reason != fabric::HostErrorReason::deadlock) throw;
  }
  return !console_.empty();
}

void BoardCore::console_in(CoreAt core, unsigned thread, bool every_core, std::uint8_t byte) {
  if (thread >= facts().threads_per_core) {
    throw UserError("console: no thread " + std::to_string(thread) + ": a core has " +
                    std::to_string(facts().threads_per_core));
  }
  blocks::UartInFrame frame;
  frame.core = static_cast<std::uint16_t>(every_core ? 0 : dense_core(facts(), core.core));
  frame.thread = static_cast<std::uint8_t>(thread);
  frame.broadcast = every_core;
  frame.byte = byte;
  backend_->send(board(core.x, core.y), blocks::encode(frame));
}

}  // namespace

std::unique_ptr<HostCore> make_board_core(std::unique_ptr<HostBackend> backend, unsigned boards_x,
                                          unsigned boards_y) {
  return std::make_unique<BoardCore>(std::move(backend), boards_x, boards_y);
}

}  // namespace polyloom::overlay
