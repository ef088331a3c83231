// SPDX-License-Identifier: Apache-2.0
#include "roles/mpi/runtime/tests/exploration.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

namespace polyloom::mpi::testing {
namespace {

constexpr std::byte kUntouched{0xA5};
constexpr std::size_t kGuard = 16;
constexpr Time kAcknowledge = -1, kRetransmit = 0;  // when timers are due

struct Wire final : Sink {
  struct Packet {
    Header header;
    std::vector<std::byte> payload;
  };
  std::vector<Packet> sent;
  void send(std::uint16_t, const Header& header, Bytes payload) override {
    sent.push_back({header, {payload.begin(), payload.end()}});
  }
};

struct Event {
  enum What : std::uint8_t { nothing, command, acknowledge, retransmit, deliver } what = nothing;
  std::uint8_t rank = 0;
  std::uint16_t packet = 0;
};

using Kept = std::vector<std::uint16_t>;  // packets by number, sorted

struct World {
  std::array<Engine, 2> engines;
  std::array<std::vector<std::byte>, 2> memory;
  std::array<std::vector<int>, 2> handles;  ///< of each step; -1: taken
  std::array<std::size_t, 2> next{};
  std::array<Kept, 2> network;  ///< to each rank
};

std::byte content(unsigned rank, std::size_t step, std::size_t at) {
  return static_cast<std::byte>(1 + rank + 3 * step + 7 * at + at / 251);
}

class Explorer {
 public:
  explicit Explorer(const Scenario& s) : s_(s) {}

  Outcome run() {
    World first = begin();
    visit(first, {std::vector<Kept>(1), std::vector<Kept>(1)}, 0, {});
    while (!queue_.empty() && outcome_.problem.empty()) {
      const auto [number, world] = std::move(queue_.front());
      queue_.pop_front();
      try {
        expand(world, number);
      } catch (const std::runtime_error& e) {
        outcome_.problem = e.what() + trace(number, event_);
      }
      if (parents_.size() > s_.most) outcome_.problem = "more states than expected";
    }
    outcome_.states = parents_.size();
    outcome_.packets = packets_.size();
    return outcome_;
  }

 private:
  [[noreturn]] static void fail(const std::string& what) { throw std::runtime_error(what); }

  World begin() {
    Config config{.job = 1,
                  .size = 2,
                  .eager_bytes = s_.eager_bytes,
                  .credits = s_.credits,
                  .retransmission = kRetransmit,
                  .ack_delay = kAcknowledge,
                  .window = s_.window,
                  .retries = 0xFFFF,
                  .requests = 8,
                  .places = s_.places};
    config.buffered = 0;  // an engine is copied as a whole; a copied send points into its own
    Config other = config;
    other.rank = 1;
    World w{{Engine(config, wire_), Engine(other, wire_)}, {}, {}, {}, {}};
    for (unsigned rank = 0; rank < 2; ++rank) {
      const Program& program = s_.programs[rank];
      data_[rank].resize(program.size());
      addresses_[rank].assign(program.size(), 0);
      w.handles[rank].assign(program.size(), -1);
      std::size_t end = kGuard;
      for (std::size_t i = 0; i < program.size(); ++i) {
        data_[rank][i].resize(program[i].bytes);
        for (std::size_t at = 0; at < program[i].bytes; ++at) data_[rank][i][at] = content(rank, i, at);
        addresses_[rank][i] = end;
        if (program[i].what == Step::receive) end += program[i].bytes + kGuard;
      }
      memory_[rank].assign(end, kUntouched);
      w.memory[rank] = memory_[rank];
    }
    number_envelopes(w);
    return w;
  }

  // Messages of no bytes both ways, until the next envelope has the number wanted.
  void number_envelopes(World& w) {
    for (std::uint32_t i = 0; i < s_.numbered; ++i) {
      for (unsigned rank = 0; rank < 2; ++rank) {
        const auto other = static_cast<std::uint16_t>(1 - rank);
        const int receive =
            w.engines[other].receive({static_cast<std::uint16_t>(rank), 0, 0, 0}, nullptr, 0, 0);
        const int send = w.engines[rank].send({other, 0, 0, 0}, nullptr, 0, false, 0);
        carry(w);
        w.engines[rank].take(static_cast<unsigned>(send));
        w.engines[other].take(static_cast<unsigned>(receive));
      }
    }
    for (Engine& e : w.engines) e.on_timer(kAcknowledge);
    carry(w);
    for (unsigned rank = 0; rank < 2; ++rank) started_[rank] = w.engines[rank].counters().envelopes_sent;
  }

  // Everything that was sent arrives, once and in order.
  void carry(World& w) {
    for (std::size_t at = 0; at < wire_.sent.size(); ++at) {
      const Wire::Packet p = wire_.sent[at];
      w.engines[p.header.destination].on_packet(p.header, p.payload, 0);
    }
    wire_.sent.clear();
  }

  // The programs
  bool can_go_on(const World& w, unsigned rank) const {
    const std::size_t next = w.next[rank];
    if (next == s_.programs[rank].size()) return false;
    const Step& step = s_.programs[rank][next];
    if (step.what != Step::wait) return true;
    return w.engines[rank].complete(
        static_cast<unsigned>(w.handles[rank][static_cast<std::size_t>(step.tag)]));
  }

  void go_on(World& w, unsigned rank) {
    const std::size_t at = w.next[rank]++;
    const Step& step = s_.programs[rank][at];
    Engine& engine = w.engines[rank];
    const Envelope envelope{static_cast<std::uint16_t>(1 - rank), step.tag, step.comm, 0};
    int handle = -1;
    if (step.what == Step::wait) {
      finish(w, rank, static_cast<std::size_t>(step.tag));
    } else if (step.what == Step::receive) {
      handle = engine.receive(envelope, memory_[rank].data() + addresses_[rank][at], step.bytes, 0);
    } else {
      handle =
          engine.send(envelope, data_[rank][at].data(), step.bytes, step.what == Step::synchronous_send, 0);
    }
    if (step.what != Step::wait && handle < 0) fail("a command was refused");
    w.handles[rank][at] = handle;
  }

  void finish(World& w, unsigned rank, std::size_t at) {
    const Result result = w.engines[rank].take(static_cast<unsigned>(w.handles[rank][at]));
    w.handles[rank][at] = -1;
    const Step& step = s_.programs[rank][at];
    if (result.error != step.error)
      fail("step " + std::to_string(at) + " ends with error " + std::to_string(result.error));
    if (step.what != Step::receive) return;
    const Step& from = s_.programs[1 - rank][static_cast<std::size_t>(step.from)];
    if (result.tag != from.tag || result.bytes != from.bytes || result.source != 1 - rank) {
      fail("receive " + std::to_string(at) + " got another message than it must");
    }
  }

  // In memory there is nothing but what came into open receives and all of those that ended.
  void check_memory(const World& w) const {
    for (unsigned rank = 0; rank < 2; ++rank) {
      std::vector<std::byte> left = memory_[rank];
      for (std::size_t i = 0; i < s_.programs[rank].size(); ++i) {
        const Step& step = s_.programs[rank][i];
        if (step.what != Step::receive) continue;
        const auto& data = data_[1 - rank][static_cast<std::size_t>(step.from)];
        const bool ended =
            i < w.next[rank] && step.error == POLYLOOM_OK &&
            (w.handles[rank][i] < 0 || w.engines[rank].complete(static_cast<unsigned>(w.handles[rank][i])));
        std::byte* got = left.data() + addresses_[rank][i];
        for (std::size_t at = 0; at < std::min<std::size_t>(step.bytes, data.size()); ++at) {
          const bool right = got[at] == data[at] || (got[at] == kUntouched && !ended);
          if (!right) fail("rank " + std::to_string(rank) + ": wrong bytes for receive " + std::to_string(i));
          got[at] = kUntouched;
        }
      }
      if (std::any_of(left.begin(), left.end(), [](std::byte b) { return b != kUntouched; })) {
        fail("rank " + std::to_string(rank) + ": bytes written outside of messages");
      }
    }
  }

  // No packet says more than happened, and none asks for more than was granted.
  void check_packet(const World& w, const Header& h) const {
    const auto number = [](std::uint64_t n) { return static_cast<std::uint16_t>(n); };
    const Counters& to = w.engines[h.destination].counters();
    const Counters& from = w.engines[h.source].counters();
    if (number(to.envelopes_sent - h.ack) > number(to.envelopes_sent - started_[h.destination]) + s_.credits)
      fail("ack of an envelope that was not sent");
    if (h.ack != number(from.envelopes_accepted)) fail("ack is not what was accepted");
    if (number(h.ack - h.credit) > s_.credits) fail("credit for envelopes that were not accepted");
  }

  // The search
  void expand(const World& w, std::size_t number) {
    for (unsigned rank = 0; rank < 2; ++rank) {
      const auto r = static_cast<std::uint8_t>(rank);
      if (can_go_on(w, rank)) try_event(w, number, {Event::command, r, 0});
      const Time due = w.engines[rank].next_timer();
      if (due <= kAcknowledge) try_event(w, number, {Event::acknowledge, r, 0});
      if (due <= kRetransmit) try_event(w, number, {Event::retransmit, r, 0});
      for (const std::uint16_t packet : w.network[rank]) try_event(w, number, {Event::deliver, r, packet});
    }
  }

  void try_event(const World& before, std::size_t number, Event event) {
    event_ = event;
    World w = before;
    for (unsigned rank = 0; rank < 2; ++rank)
      memory_[rank].assign(w.memory[rank].begin(), w.memory[rank].end());
    apply(w, event);
    check_memory(w);
    for (unsigned rank = 0; rank < 2; ++rank) w.memory[rank] = memory_[rank];
    std::array<std::set<std::uint16_t>, 2> all;
    for (unsigned rank = 0; rank < 2; ++rank) all[rank] = {w.network[rank].begin(), w.network[rank].end()};
    for (const Wire::Packet& p : wire_.sent) {
      check_packet(w, p.header);
      all[p.header.destination].insert(intern(p));
    }
    wire_.sent.clear();
    visit(w, {choices(all[0]), choices(all[1])}, number, event);
  }

  void apply(World& w, const Event& event) {
    Engine& engine = w.engines[event.rank];
    switch (event.what) {
      case Event::command:
        return go_on(w, event.rank);
      case Event::acknowledge:
        return engine.on_timer(kAcknowledge);
      case Event::retransmit:
        return engine.on_timer(kRetransmit);
      case Event::deliver:
        return engine.on_packet(packets_[event.packet].header, packets_[event.packet].payload, 0);
      case Event::nothing:
        return;
    }
  }

  std::uint16_t intern(const Wire::Packet& p) {
    std::string key;
    const Header& h = p.header;
    for (const std::uint32_t v :
         {std::uint32_t(h.kind), std::uint32_t(h.source), std::uint32_t(h.seq), std::uint32_t(h.ack),
          std::uint32_t(h.credit), static_cast<std::uint32_t>(h.tag), std::uint32_t(h.comm), h.length,
          h.offset}) {
      key += std::to_string(v) + " ";
    }
    const auto [at, is_new] = numbers_.try_emplace(key, static_cast<std::uint16_t>(packets_.size()));
    if (is_new) packets_.push_back(p);
    if (packets_[at->second].payload != p.payload) fail("a packet was repeated with other bytes");
    return at->second;
  }

  // Which packets the network keeps.
  std::vector<Kept> choices(const std::set<std::uint16_t>& all) const {
    const std::vector<std::uint16_t> list(all.begin(), all.end());
    if (list.size() <= s_.packets) return {list};
    std::vector<bool> chosen(list.size(), false);
    std::fill(chosen.begin(), chosen.begin() + s_.packets, true);
    std::vector<Kept> result;
    do {
      Kept kept;
      for (std::size_t i = 0; i < list.size(); ++i) {
        if (chosen[i]) kept.push_back(list[i]);
      }
      result.push_back(std::move(kept));
    } while (std::prev_permutation(chosen.begin(), chosen.end()));
    return result;
  }

  void visit(World& w, const std::array<std::vector<Kept>, 2>& networks, std::size_t parent, Event event) {
    std::string engines;
    for (unsigned rank = 0; rank < 2; ++rank) {
      w.engines[rank].write_state(engines);
      engines += '/' + std::to_string(w.next[rank]) + '/';
      engines.append(reinterpret_cast<const char*>(w.memory[rank].data()), w.memory[rank].size());
    }
    const auto [at, is_new] = engine_states_.try_emplace(std::move(engines), engine_states_.size());
    if (is_new) complete(w);  // what the network keeps may as well be lost
    for (const Kept& to0 : networks[0]) {
      for (const Kept& to1 : networks[1]) {
        std::string key = std::to_string(at->second);
        for (const std::uint16_t packet : to0) key += ' ' + std::to_string(packet);
        key += '/';
        for (const std::uint16_t packet : to1) key += ' ' + std::to_string(packet);
        if (!seen_.insert(std::move(key)).second) continue;
        parents_.emplace_back(parent, event);
        w.network = {to0, to1};
        queue_.emplace_back(parents_.size() - 1, w);
      }
    }
  }

  // From here on nothing is lost. Both programs must end, with nothing left over.
  void complete(const World& from) {
    World w = from;
    for (unsigned rank = 0; rank < 2; ++rank)
      memory_[rank].assign(w.memory[rank].begin(), w.memory[rank].end());
    const auto done = [&](unsigned rank) { return w.next[rank] == s_.programs[rank].size(); };
    for (unsigned round = 0; round < 200; ++round) {
      for (unsigned rank = 0; rank < 2; ++rank) {
        while (can_go_on(w, rank)) go_on(w, rank);
      }
      if (done(0) && done(1) && w.engines[0].quiet() && w.engines[1].quiet()) break;
      if (wire_.sent.empty()) {
        for (Engine& e : w.engines) e.on_timer(kRetransmit);
      }
      carry(w);
    }
    wire_.sent.clear();
    if (!done(0) || !done(1))
      fail("no end: rank 0 stands in step " + std::to_string(w.next[0]) + ", rank 1 in step " +
           std::to_string(w.next[1]));
    check_memory(w);
    for (unsigned rank = 0; rank < 2; ++rank) {
      for (const Step& step : s_.programs[1 - rank]) {
        if (w.engines[rank].probe({POLYLOOM_ANY_RANK, POLYLOOM_ANY_TAG, step.comm, 0}))
          fail("a message too many");
      }
      const auto sent = w.engines[1 - rank].counters().envelopes_sent;
      if (sent != w.engines[rank].counters().envelopes_accepted) fail("not every envelope was accepted once");
    }
    if (from.next[0] == s_.programs[0].size() && from.next[1] == s_.programs[1].size()) ++outcome_.ends;
  }

  std::string trace(std::size_t number, Event last) const {
    std::vector<Event> events{last};
    for (; number != 0; number = parents_[number].first) events.push_back(parents_[number].second);
    static const char* const kWhat[] = {"nothing", "command", "acknowledge", "retransmit", "deliver"};
    static const char* const kKinds[] = {"", "EAGER", "RTS", "CTS", "RESUME", "DATA", "DONE", "ACK"};
    std::string text;
    for (auto e = events.rbegin(); e != events.rend(); ++e) {
      text += "\n  rank " + std::to_string(e->rank) + ": " + kWhat[e->what];
      if (e->what != Event::deliver) continue;
      const Header& h = packets_[e->packet].header;
      text += std::string(" ") + kKinds[static_cast<unsigned>(h.kind)] + " seq " + std::to_string(h.seq) +
              " ack " + std::to_string(h.ack) + " credit " + std::to_string(h.credit) + " length " +
              std::to_string(h.length) + " offset " + std::to_string(h.offset);
    }
    return text;
  }

  const Scenario& s_;
  Wire wire_;
  std::array<std::vector<std::vector<std::byte>>, 2> data_;
  std::array<std::vector<std::size_t>, 2> addresses_;  ///< of receives' buffers
  std::array<std::vector<std::byte>, 2> memory_;       ///< what the engines at hand write to
  std::array<std::uint64_t, 2> started_{};
  std::vector<Wire::Packet> packets_;
  std::map<std::string, std::uint16_t> numbers_;
  std::unordered_map<std::string, std::size_t> engine_states_;
  std::unordered_set<std::string> seen_;
  std::vector<std::pair<std::size_t, Event>> parents_;
  std::deque<std::pair<std::size_t, World>> queue_;
  Event event_;
  Outcome outcome_;
};

}  // namespace

Outcome explore(const Scenario& scenario) { return Explorer(scenario).run(); }

}  // namespace polyloom::mpi::testing
