// SPDX-License-Identifier: Apache-2.0
#include "polite/tests/functional_machine.h"

#include <bit>
#include <stdexcept>

#include "roles/overlay/host/verilog_hex.h"

namespace polyloom::polite {

namespace {

using overlay::CsrAccess;
constexpr std::uint32_t kSend = 1, kRecv = 2, kIdle = 4, kVote = 8;
constexpr std::uint32_t kHostMailbox = 0x800, kKeyMailbox = 0x1000;
constexpr std::uint32_t kScratchpadEnd = 0x10000, kSram = 0x00800000, kGlobals = 0x01800000,
                        kTables = 0x01804000, kTablesEnd = 0x40000000, kPartitions = 0xc0000000;

std::uint64_t table_word(unsigned x, unsigned y, unsigned slice, std::uint32_t address) {
  return std::uint64_t{(y * 8 + x) * 2 + slice} << 32 | address;
}

}  // namespace

struct FunctionalMachine::Thread {
  std::uint32_t id = 0;
  overlay::Hart hart;
  std::unordered_map<std::uint32_t, std::uint32_t> memory;  // its own partitions, by word address
  std::deque<std::uint32_t> queue;                          // slot addresses of messages to receive
  std::uint32_t send_len = 0, send_ptr = 0, send_dest = 0;
  unsigned send_busy = 0;  // rounds until it can send again
  bool waiting = false;
  std::uint32_t wait_bits = 0;
  unsigned wait_rd = 0;
};

class FunctionalMachine::ThreadEnvironment : public overlay::Environment {
 public:
  ThreadEnvironment(FunctionalMachine& m, Thread& t)
      : m_(m), t_(t), tile_(m.tiles_[m.machine_.mailbox_of(m.machine_.thread_number(t.id))]) {}

  std::optional<std::uint32_t> fetch(std::uint32_t pc) override {
    if (pc / 4 >= m_.code_.size()) return {};
    return m_.code_[pc / 4];
  }
  std::optional<std::uint32_t> load(std::uint32_t address) override {
    if (address < kScratchpadEnd) return tile_.scratchpad[address % 0x8000 / 4];
    if (address >= kGlobals && address < kGlobals + 0x4000) return m_.globals_[address];
    if (address < kSram || (address >= kGlobals && address < kPartitions)) return {};
    return t_.memory[address];
  }
  bool store(std::uint32_t address, std::uint32_t lanes, unsigned enable) override {
    std::uint32_t mask = 0;
    for (unsigned i = 0; i < 4; ++i) mask |= enable >> i & 1 ? 0xffu << (8 * i) : 0;
    std::uint32_t* word = nullptr;
    if (address < kScratchpadEnd) {
      word = &tile_.scratchpad[address % 0x8000 / 4];
      if (address % 0x8000 / 64 != (t_.id & 63)) m_.fail(t_, "stores into a slot that is not its own");
      if (t_.send_busy != 0) m_.fail(t_, "changes its slot while a message is being sent");
    } else if (address >= kSram && (address < kGlobals || address >= kPartitions)) {
      word = &t_.memory[address];
    } else {
      return false;
    }
    *word = (*word & ~mask) | (lanes & mask);
    return true;
  }
  std::uint32_t access_csr(overlay::Op, const CsrAccess& a) override {
    switch (a.number) {
      case 0x802:
        free_slot(a.operand);
        return 0;
      case 0x803:
        return t_.send_busy == 0;
      case 0x805:
        return !t_.queue.empty();
      case 0x806:
        t_.send_len = a.operand;
        return 0;
      case 0x807:
        t_.send_ptr = a.operand;
        return 0;
      case 0x808:
        t_.send_dest = a.operand;
        return 0;
      case 0x809: {
        if (t_.queue.empty()) m_.fail(t_, "receives where there is no message");
        const std::uint32_t slot = t_.queue.front();
        t_.queue.pop_front();
        return slot;
      }
      case 0x80a:
        t_.waiting = true;
        t_.wait_bits = a.operand;
        return 0;
      case 0x80c:
        m_.console += static_cast<char>(a.operand);
        return 1;
      case 0xf14:
        return t_.id;
      default:
        return 0;
    }
  }
  void send(std::uint32_t high, std::uint32_t low) override { m_.send(t_, std::uint64_t{high} << 32 | low); }

 private:
  void free_slot(std::uint32_t address) {
    unsigned& references = tile_.references[address % 0x8000 / 64];
    if (references == 0) m_.fail(t_, "frees a message twice");
    if (--references == 0) tile_.free_slots.push_back(address % 0x8000 / 64);
  }
  FunctionalMachine& m_;
  Thread& t_;
  Tile& tile_;
};

FunctionalMachine::FunctionalMachine(const Machine& machine, std::uint64_t seed)
    : machine_(machine), rng_(seed), tiles_(machine.mailboxes()) {
  for (Tile& tile : tiles_) {
    for (unsigned slot = 64; slot < 512; ++slot) tile.free_slots.push_back(slot);
  }
  for (unsigned n = 0; n < machine.threads(); ++n) {
    auto thread = std::make_unique<Thread>();
    thread->id = machine.thread_id(n);
    thread->hart.pc = 0x240;
    thread->hart.x[2] = machine.dram_base(n) + machine.dram_bytes - 32;
    threads_.push_back(std::move(thread));
  }
}

FunctionalMachine::~FunctionalMachine() = default;

void FunctionalMachine::fail(const Thread& thread, const std::string& what) const {
  char where[64];
  std::snprintf(where, sizeof where, "thread %x at pc %x ", thread.id, thread.hart.pc);
  throw std::runtime_error(where + what);
}

void FunctionalMachine::write(unsigned x, unsigned y, unsigned slice, std::uint32_t address, const void* data,
                              std::size_t bytes) {
  if (address >= kTables && address < kTablesEnd) {
    for (std::size_t i = 0; i < bytes / 4; ++i)
      tables_[table_word(x, y, slice, address + static_cast<std::uint32_t>(4 * i))] =
          static_cast<const std::uint32_t*>(data)[i];
    return;
  }
  // The partition tells the thread; tile y gives bit 8 of it, so slices agree with the id.
  const std::uint32_t partition = address < kPartitions ? (address - kSram) / 0x8000 : (~address) / 0x200000;
  for (auto& thread : threads_) {
    const unsigned n = machine_.thread_number(thread->id);
    if (thread->id % 512 != partition || (thread->id >> 10 & 7) != x || thread->id >> 13 != y) continue;
    if (machine_.slice_of(n) != slice) continue;
    const auto* words = static_cast<const std::uint32_t*>(data);
    for (std::size_t i = 0; i < bytes / 4; ++i)
      thread->memory[address + static_cast<std::uint32_t>(4 * i)] = words[i];
    return;
  }
  throw std::runtime_error("an image for memory of no thread");
}

void FunctionalMachine::load(const std::string& folder) {
  code_.assign(2048, 0);
  auto words_of = [](const overlay::MemoryImage& image, auto&& put) {
    for (std::uint32_t i = 0; i + 4 <= image.bytes.size(); i += 4) {
      put(image.address + i, image.bytes[i] | image.bytes[i + 1] << 8 | image.bytes[i + 2] << 16 |
                                 static_cast<std::uint32_t>(image.bytes[i + 3]) << 24);
    }
  };
  for (const auto& image : overlay::read_verilog_hex(folder + "/code.v")) {
    words_of(image, [&](std::uint32_t a, std::uint32_t w) { code_.at(a / 4) = w; });
  }
  for (const auto& image : overlay::read_verilog_hex(folder + "/data.v")) {
    words_of(image, [&](std::uint32_t a, std::uint32_t w) { globals_[a] = w; });
  }
}

void FunctionalMachine::send(Thread& from, std::uint64_t mask) {
  if (from.send_busy != 0) fail(from, "sends before the previous message has left");
  if (mask == 0) fail(from, "sends to no one");
  Message data{};
  const Tile& tile = tiles_[machine_.mailbox_of(machine_.thread_number(from.id))];
  for (unsigned i = 0; i < 4 * (from.send_len + 1); ++i)
    data[i] = tile.scratchpad[from.send_ptr % 0x8000 / 4 + i];
  ++messages;
  from.send_busy = 1 + static_cast<unsigned>(rng_() % 4);
  if (from.send_dest == kHostMailbox) {
    to_host.push_back(data);
    return;
  }
  const auto fly = [&](std::uint32_t mailbox, std::uint64_t to, const Message& copy) {
    flying_.push_back({mailbox, to, copy, static_cast<unsigned>(rng_() % 8)});
  };
  if (from.send_dest != kKeyMailbox) return fly(from.send_dest, mask, data);
  ++by_key;
  KeyExpander expander(machine_.boards_x, machine_.boards_y,
                       [this](auto... where) { return beat(where...); });
  expander.expand(from.id >> 10 & 7, from.id >> 13, static_cast<std::uint32_t>(mask), data,
                  [&](unsigned x, unsigned y, unsigned tile_x, unsigned tile_y, std::uint64_t to,
                      const Message& copy) { fly(((y << 3 | x) << 2 | tile_y) << 2 | tile_x, to, copy); });
}

KeyExpander::Beat FunctionalMachine::beat(unsigned x, unsigned y, unsigned slice,
                                          std::uint32_t address) const {
  KeyExpander::Beat bytes;
  for (unsigned i = 0; i < bytes.size(); ++i) {
    const std::uint32_t word = tables_.at(table_word(x, y, slice, address + i / 4 * 4));
    bytes[i] = static_cast<std::uint8_t>(word >> (i % 4 * 8));
  }
  return bytes;
}

bool FunctionalMachine::deliver_some() {
  const bool any = !flying_.empty();
  for (std::size_t i = 0; i < flying_.size();) {
    Flight& f = flying_[i];
    Tile& tile = tiles_[machine_.mailbox_of(machine_.thread_number(f.mailbox << 6))];
    if (f.delay > 0 || tile.free_slots.empty()) {
      f.delay -= f.delay > 0;
      ++i;
      continue;
    }
    const unsigned slot = tile.free_slots.back();
    tile.free_slots.pop_back();
    std::copy(f.data.begin(), f.data.end(), tile.scratchpad.begin() + slot * 16);
    tile.references[slot] = static_cast<unsigned>(std::popcount(f.mask));
    for (unsigned t = 0; t < 64; ++t) {
      if (f.mask >> t & 1) thread_of(f.mailbox << 6 | t).queue.push_back(0x8000 + slot * 64);
    }
    std::swap(f, flying_.back());
    flying_.pop_back();
  }
  return any;
}

void FunctionalMachine::wake(Thread& thread, std::uint32_t bits) {
  thread.waiting = false;
  if (thread.wait_rd != 0) thread.hart.x[thread.wait_rd] = bits;
}

bool FunctionalMachine::wake_some() {
  bool any = false;
  for (auto& thread : threads_) {
    if (thread->send_busy > 0) {
      --thread->send_busy;
      any = true;
    }
    if (!thread->waiting) continue;
    std::uint32_t bits = 0;
    if (thread->send_busy == 0) bits |= thread->wait_bits & kSend;
    if (!thread->queue.empty()) bits |= thread->wait_bits & kRecv;
    if (bits != 0) {
      wake(*thread, bits);
      any = true;
    }
  }
  return any;
}

/// All threads wait for it and nothing is on its way: detection fires. False if it cannot.
bool FunctionalMachine::detect() {
  bool vote = true;
  for (auto& thread : threads_) {
    if (!thread->waiting || !(thread->wait_bits & kIdle)) return false;
    vote &= (thread->wait_bits & kVote) != 0;
  }
  ++barriers;
  for (auto& thread : threads_) wake(*thread, kIdle | (vote ? kVote : 0));
  return true;
}

void FunctionalMachine::run(std::uint64_t max_instructions) {
  for (;;) {
    bool any = deliver_some();
    any |= wake_some();
    for (auto& thread : threads_) {
      ThreadEnvironment environment(*this, *thread);
      for (std::uint64_t burst = 1 + rng_() % 60; burst > 0 && !thread->waiting; --burst) {
        const std::uint32_t word = thread->hart.pc / 4 < code_.size() ? code_[thread->hart.pc / 4] : 0;
        thread->wait_rd = word >> 7 & 31;
        if (const auto fault = overlay::step(thread->hart, environment))
          fail(*thread, std::string("faults: ") + overlay::fault_name(fault->cause) + ": " +
                            std::to_string(fault->value));
        ++instructions;
        any = true;
      }
    }
    if (instructions > max_instructions) throw std::runtime_error("too many instructions");
    if (any || detect()) continue;
    for (auto& thread : threads_) {
      if (thread->wait_bits != 0) fail(*thread, "waits for ever");
    }
    return;
  }
}

}  // namespace polyloom::polite
