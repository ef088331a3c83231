// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "polyloom/hub.h"

namespace polyloom::hub {
namespace {

constexpr unsigned kMemories = 3;
constexpr unsigned kLaneWords = 4;
constexpr std::uint64_t kMostBytes = 0xffff'ffff;  // of a store, of a block

std::uint64_t word(Command op, Unit unit = Unit::accelerator0, std::uint64_t more = 0) {
  return static_cast<std::uint64_t>(op) | static_cast<std::uint64_t>(unit) << 8 | more << 16;
}

Descriptor descriptor(const Copy& copy) {
  Descriptor d{};
  d.source = copy.source;
  d.destination = copy.destination;
  d.block_bytes = copy.bytes;
  d.blocks = copy.blocks;
  d.source_stride = copy.source_stride;
  d.destination_stride = copy.destination_stride;
  d.control = (copy.flag ? kFlag : 0) | (copy.to_function ? kFunction : 0);
  if (copy.flag) d.id = copy.flag->id, d.flag = copy.flag->address;
  return d;
}

[[noreturn]] void refuse(const std::string& what, const std::string& allowed) {
  throw UserError(what + "; allowed: " + allowed);
}

void need_multiple(std::uint64_t value, std::uint64_t of, const std::string& what) {
  if (value % of != 0) refuse(what + " is " + std::to_string(value), "multiples of " + std::to_string(of));
}

/// What a hub would find wrong whatever else the copy says; its DMA would stop and say so only when asked.
void need_sound(const Copy& copy, const std::string& what) {
  if (copy.bytes == 0 || copy.blocks == 0) {
    refuse(
        what + " has " + std::to_string(copy.blocks) + " blocks of " + std::to_string(copy.bytes) + " bytes",
        "at least one block, of at least one byte");
  }
  if (copy.flag) need_multiple(copy.flag->address, sizeof(std::uint64_t), what + ": the address of its flag");
}

}  // namespace

/// A memory file of this process and where it is mapped.
struct Node::Map {
  explicit Map(std::size_t n) : size(n) {
    file = ::memfd_create("polyloom-hub", MFD_CLOEXEC);
    const bool sized = file >= 0 && ::ftruncate(file, static_cast<off_t>(size)) == 0;
    void* at = sized ? ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    if (at == MAP_FAILED) {
      const std::string why = std::strerror(errno);
      if (file >= 0) ::close(file);
      throw UserError("a memory file of " + std::to_string(size) + " bytes: " + why);
    }
    data = static_cast<std::uint8_t*>(at);
  }
  ~Map() {
    ::munmap(data, size);
    ::close(file);
  }
  Map(const Map&) = delete;
  Map& operator=(const Map&) = delete;

  int file = -1;
  std::size_t size;
  std::uint8_t* data = nullptr;
};

Node::Node(Session& session, unsigned number, unsigned link, unsigned lanes)
    : session_(&session), number_(number), link_(link), lanes_(lanes), maps_(kMemories) {}

std::span<std::uint8_t> Node::map(Unit unit, std::size_t bytes) {
  const auto u = static_cast<unsigned>(unit);
  if (u >= kMemories || bytes == 0 || bytes > kUnitBytes) {
    throw UserError("map: unit " + std::to_string(u) + ", " + std::to_string(bytes) +
                    " bytes; allowed: accelerator0, accelerator1 or host, 1 byte to 8 GiB");
  }
  // What was given out stays valid, and what is on its way to it lands there.
  if (maps_[u]) {
    refuse("map: unit " + std::to_string(u) + " of node " + std::to_string(number_) +
               " is mapped already, with " + std::to_string(maps_[u]->size) + " bytes",
           "one map of each unit, of as many bytes as are ever needed");
  }
  auto made = std::make_shared<Map>(bytes);
  const std::uint64_t command[] = {word(Command::map, unit), static_cast<std::uint64_t>(::getpid()),
                                   static_cast<std::uint64_t>(made->file), 0, bytes};
  session_->client_->send(static_cast<int>(link_), command);
  // The simulator opens the file when the command takes effect.
  const std::uint64_t probe[] = {word(Command::probe)};
  request(probe);
  maps_[u] = std::move(made);
  return memory(unit);
}

std::span<std::uint8_t> Node::memory(Unit unit) const {
  const auto& map = maps_.at(static_cast<unsigned>(unit));
  return map ? std::span<std::uint8_t>(map->data, map->size) : std::span<std::uint8_t>();
}

void Node::need(Unit unit, std::uint64_t offset, std::uint64_t bytes, const char* what) const {
  const std::uint64_t size = unit < Unit::hub ? memory(unit).size() : 0;
  if (bytes != 0 && bytes <= size && offset <= size - bytes) return;
  throw UserError(std::string(what) + ": " + std::to_string(bytes) + " bytes from " + std::to_string(offset) +
                  " of unit " + std::to_string(static_cast<unsigned>(unit)) + " of node " +
                  std::to_string(number_) + ", where " + std::to_string(size) + " bytes are mapped");
}

std::vector<std::uint64_t> Node::request(std::span<const std::uint64_t> command) {
  fabric::HostClient& client = *session_->client_;
  client.send(static_cast<int>(link_), command);
  fabric::Received response = client.recv();
  if (response.link != static_cast<int>(link_) || response.words.size() != kResponseWords) {
    throw UserError("an endpoint's response that was not asked for");
  }
  return std::move(response.words);
}

void Node::put(Unit unit, std::uint64_t offset, std::uint64_t destination, std::uint64_t bytes) {
  need(unit, offset, bytes, "put");
  const std::uint64_t command[] = {word(Command::put, unit), offset, destination, bytes};
  session_->client_->send(static_cast<int>(link_), command);
}

void Node::store(std::uint64_t destination, std::span<const std::uint8_t> bytes) {
  if (bytes.empty()) return;
  if (bytes.size() > kMostBytes) {
    refuse("store of " + std::to_string(bytes.size()) + " bytes", "up to 4 GiB; put has no such bound");
  }
  std::vector<std::uint64_t> command(2 + (bytes.size() + 7) / 8);
  command[0] = word(Command::store) | bytes.size() << 32;
  command[1] = destination;
  std::memcpy(command.data() + 2, bytes.data(), bytes.size());
  session_->client_->send(static_cast<int>(link_), command);
}

void Node::store64(std::uint64_t destination, std::uint64_t value) {
  store(destination, {reinterpret_cast<const std::uint8_t*>(&value), sizeof value});
}

Held Node::wait(Unit unit, std::uint64_t offset, std::uint64_t value, Compare how, std::uint64_t mask,
                Time most) {
  need(unit, offset, 8, "wait");
  const Time now = session_->now();
  const Time deadline = most >= fabric::kNever - now ? fabric::kNever : now + most;
  const std::uint64_t command[] = {word(Command::wait, unit, static_cast<std::uint64_t>(how)), offset, mask,
                                   value, static_cast<std::uint64_t>(deadline)};
  const std::vector<std::uint64_t> response = request(command);
  if (static_cast<Status>(response[0] >> 8) == Status::late) {
    const Faults found = faults();
    throw HubError("node " + std::to_string(number_) + ": the word at offset " + std::to_string(offset) +
                   " of unit " + std::to_string(static_cast<unsigned>(unit)) + " is " +
                   std::to_string(response[1]) + ", not what was waited for" +
                   (found.any() ? "; its hub reports: " + found.text() : ", and its hub reports no fault"));
  }
  return {response[1], static_cast<Time>(response[2])};
}

void Node::write_register(unsigned node, std::uint32_t offset, std::uint64_t value) {
  need_multiple(offset, sizeof value, "write_register: the offset");
  store64(hub::address(node, Unit::hub, offset), value);
}

std::uint64_t Node::read_register(std::uint32_t offset) {
  need_multiple(offset, sizeof(std::uint64_t), "read_register: the offset");
  const std::uint64_t command[] = {word(Command::load), address(Unit::hub, offset)};
  const std::vector<std::uint64_t> response = request(command);
  if (static_cast<Status>(response[0] >> 8) != Status::ok) {
    throw HubError("node " + std::to_string(number_) + ": its hub has no register at offset " +
                   std::to_string(offset));
  }
  return response[1];
}

void Node::dma(std::span<const Copy> chain, Unit unit, std::uint64_t offset) {
  if (chain.empty()) return;
  need(unit, offset, chain.size() * kDescriptorBytes, "dma: the descriptors");
  need_multiple(offset, kDescriptorBytes, "dma: the offset of the descriptors");
  for (std::size_t i = 0; i < chain.size(); ++i) need_sound(chain[i], "dma: copy " + std::to_string(i));
  for (std::size_t i = 0; i < chain.size(); ++i) {
    Descriptor d = descriptor(chain[i]);
    const std::uint64_t at = offset + i * kDescriptorBytes;
    d.next = address(unit, at + kDescriptorBytes);
    if (i + 1 == chain.size()) d.control |= kLast, d.next = 0;
    std::memcpy(memory(unit).data() + at, &d, sizeof d);
  }
  write_register(reg::chain, address(unit, offset));
}

void Node::get(const Copy& copy) {
  need_sound(copy, "get, push: the copy");
  Descriptor d = descriptor(copy);
  d.control |= kLast;
  const unsigned by = node_of(copy.source) % kMaxNodes;
  store(hub::address(by, Unit::hub, reg::proxy), {reinterpret_cast<const std::uint8_t*>(&d), sizeof d});
}

void Node::start_function(std::uint8_t kind, std::uint64_t config, std::span<const LaneOutput> lanes) {
  if (lanes.size() > lanes_) {
    refuse(
        "start_function: " + std::to_string(lanes.size()) + " lanes",
        lanes_ == 0 ? "none: this hub has no function" : "up to " + std::to_string(lanes_) + " at this hub");
  }
  std::uint64_t used = 0;
  for (std::size_t o = 0; o < lanes.size(); ++o) {
    if (lanes[o].capacity == 0) continue;
    const std::uint64_t payload = session_->max_payload();
    if (lanes[o].base % payload != 0 || lanes[o].capacity % payload != 0 || lanes[o].flag % 8 != 0) {
      throw UserError("start_function: lane " + std::to_string(o) +
                      ": base and capacity must be multiples of " + std::to_string(payload) +
                      " bytes, the flag's address of 8");
    }
    used |= std::uint64_t{1} << o;
    const std::uint64_t words[kLaneWords - 1] = {lanes[o].base, lanes[o].capacity, lanes[o].flag};
    store(address(Unit::hub, reg::lanes + static_cast<std::uint32_t>(o) * 8 * kLaneWords),
          {reinterpret_cast<const std::uint8_t*>(words), sizeof words});
  }
  write_register(reg::function_config, config);
  write_register(reg::function_control, 1 | std::uint64_t{kind} << 8 | used << 16);
}

void Node::stop_function() { write_register(reg::function_control, 2); }

void Node::let(Unit unit, std::uint64_t tree, std::uint64_t bytes, std::span<const LetLane> lanes,
               std::uint64_t scratch, std::uint64_t config) {
  if (lanes.empty()) return;
  const std::uint64_t targets = lanes.size() * sizeof(LetLane::target),
                      after = scratch + (targets + 63) / 64 * 64;
  need(unit, scratch, after - scratch + 2 * kDescriptorBytes, "let: targets and descriptors");
  need_multiple(scratch, kDescriptorBytes, "let: the offset of targets and descriptors");
  if (bytes != 0) need(unit, tree, bytes, "let: the tree");
  if (bytes > kMostBytes) refuse("let: a tree of " + std::to_string(bytes) + " bytes", "less than 4 GiB");
  std::vector<LaneOutput> outputs;
  for (const LetLane& lane : lanes) {
    std::memcpy(memory(unit).data() + scratch + outputs.size() * sizeof lane.target, lane.target.data(),
                sizeof lane.target);
    outputs.push_back(lane.output);
    if (lane.output.capacity == 0) throw UserError("let: a lane without capacity has no place for its tree");
  }
  start_function(kLetKind, config, outputs);
  std::vector<Copy> chain{
      {.source = address(unit, scratch), .bytes = static_cast<std::uint32_t>(targets), .to_function = true}};
  if (bytes != 0) {
    chain.push_back(
        {.source = address(unit, tree), .bytes = static_cast<std::uint32_t>(bytes), .to_function = true});
  }
  dma(chain, unit, after);
}

Faults Node::faults() {
  const std::uint64_t status = read_register(reg::status);
  Faults f;
  f.cause = static_cast<Cause>(status & 0xff);
  f.port = static_cast<unsigned>(status >> 8 & 15);
  f.address = status >> 16;
  f.function = (status >> 15 & 1) != 0;
  if ((status >> 13 & 1) != 0) {
    const std::uint64_t chain = read_register(reg::chain_error);
    f.chain = static_cast<DmaError>(chain & 0xff);
    f.chain_descriptor = chain >> 16;
  }
  if ((status >> 14 & 1) != 0) f.proxy = static_cast<DmaError>(read_register(reg::proxy_error) & 0xff);
  const std::uint64_t probe[] = {word(Command::probe)};
  f.lost_writes = request(probe)[1];
  return f;
}

void Node::clear_faults() { write_register(reg::status_clear, 1); }

void Node::check() {
  const Faults found = faults();
  if (found.any()) throw HubError("node " + std::to_string(number_) + ": " + found.text());
}

}  // namespace polyloom::hub
