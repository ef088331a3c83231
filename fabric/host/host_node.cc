// SPDX-License-Identifier: Apache-2.0
#include "fabric/host/host_node.h"

#include <algorithm>

#include "fabric/cluster/units.h"
#include "fabric/error.h"

namespace polyloom::fabric {
namespace {

constexpr std::uint64_t kMaxMeet = 4 * 65536;  // bytes of a list of clients

// Time of the last word: when the frame that it ends can be used as a whole.
Time last_word(const Segment& segment) {
  return segment.words.empty() ? segment.first : segment.word_time(segment.words.size() - 1);
}

}  // namespace

HostNode::HostNode(std::string name, std::vector<NodePort> ports, Time call_time, HostServer& server,
                   std::vector<HostServer::Client*> clients)
    : name_(std::move(name)),
      ports_(std::move(ports)),
      call_time_(call_time),
      server_(server),
      out_(ports_.size()),
      in_(ports_.size()) {
  for (HostServer::Client* remote : clients) {
    clients_.emplace_back();
    clients_.back().remote = remote;
  }
  for (std::size_t port = 0; port < ports_.size(); ++port) {
    const auto wants = [&](const Client& client) {
      const auto& links = client.remote->links;
      return links.empty() || std::find(links.begin(), links.end(), port) != links.end();
    };
    const auto taker = std::find_if(clients_.begin(), clients_.end(), wants);
    in_[port].client = taker == clients_.end() ? -1 : static_cast<int>(taker - clients_.begin());
  }
}

void HostNode::advance(Time until) {
  collect(until);
  serve(until);
  for (std::size_t port = 0; port < ports_.size(); ++port) transmit(port, until);
}

void HostNode::settle() {
  for (Client& client : clients_) {
    if (!stopped_ && client.state == State::computing) hear(client);
  }
}

void HostNode::collect(Time until) {
  std::vector<Frame> arrived;
  for (std::size_t port = 0; port < ports_.size(); ++port) {
    In& in = in_[port];
    for (const Segment* s; (s = ports_[port].rx->front()) != nullptr && last_word(*s) < until;) {
      const Time end = last_word(*s);
      if (s->head && s->tail && s->words.empty()) {  // a pulse may slip in between the segments of a frame
        if (in.client >= 0) arrived.push_back({static_cast<int>(port), s->keep, end, {}});
        ++frames_in_;
        ports_[port].rx->pop();
        continue;
      }
      if (s->head) in.words.clear();
      in.words.insert(in.words.end(), s->words.begin(), s->words.end());
      words_in_ += s->words.size();
      if (s->tail) {
        if (in.client >= 0) arrived.push_back({static_cast<int>(port), s->keep, end, std::move(in.words)});
        in.words.clear();
        ++frames_in_;
      }
      ports_[port].rx->pop();
    }
  }
  std::stable_sort(arrived.begin(), arrived.end(),
                   [](const Frame& a, const Frame& b) { return a.time < b.time; });
  for (Frame& frame : arrived) {
    const int client = in_[static_cast<std::size_t>(frame.port)].client;
    clients_[static_cast<std::size_t>(client)].ready.push_back(std::move(frame));
  }
}

// When the client's call takes effect, as far as it is known: a call not yet made cannot do so before this.
Time HostNode::effect_time(const Client& client) const {
  switch (client.state) {
    case State::computing:
      return client.time + call_time_;
    case State::sending:
    case State::leaving:
    case State::finishing:
      return client.time;
    case State::absent:
      return std::min(client.deadline, server_.absences().back(client.remote->number));
    case State::receiving:
      if (client.ready.empty()) return client.deadline;
      return std::min(client.deadline, std::max(client.time, client.ready.front().time));
    case State::finished:
      return kNever;
  }
  return kNever;
}

void HostNode::serve(Time until) {
  while (!stopped_) {
    const auto next =
        std::min_element(clients_.begin(), clients_.end(),
                         [&](const Client& a, const Client& b) { return effect_time(a) < effect_time(b); });
    if (next == clients_.end() || effect_time(*next) >= until) return;
    if (next->state == State::computing) {
      hear(*next);
    } else {
      serve_call(*next);
    }
  }
}

// Whose fault it is if that is nonsense is said by name: the others learn it too.
void HostNode::hear(Client& client) {
  try {
    if (!read_call(client)) leave(client);
  } catch (const ProtocolError& error) {
    throw UserError(
        "client " + std::to_string(client.remote->number) + " spoke nonsense: " + error.what() +
        "; use this checkout's client library (fabric/host/client.h), and no other program on its socket");
  }
}

// The client has left, or the run is being stopped.
void HostNode::leave(const Client& client) {
  server_.gone(*client.remote);
  stopped_ = true;
}

void HostNode::add_frame(Client& client, std::uint32_t link, std::uint32_t keep, std::uint64_t words) {
  if (link >= ports_.size() || keep < 1 || keep > 8) {
    throw ProtocolError("a send to a link that does not exist");
  }
  client.frames.push_back({static_cast<int>(link), keep, client.time, std::vector<std::uint64_t>(words)});
}

bool HostNode::read_send(Client& client, const HostHeader& header) {
  std::uint32_t head[2];
  Channel& channel = client.remote->channel;
  if (!channel.read(head, sizeof head)) return false;
  client.state = State::sending;
  add_frame(client, head[0], head[1], (header.bytes - sizeof head) / 8);
  std::vector<std::uint64_t>& words = client.frames.back().words;
  return channel.read(words.data(), words.size() * 8);
}

bool HostNode::read_batch(Client& client, const HostHeader& header) {
  std::uint32_t head[4];
  Channel& channel = client.remote->channel;
  client.state = State::sending;
  for (std::uint64_t left = header.bytes; left > 0;) {
    if (left < sizeof head) throw ProtocolError("a batch that ends inside a frame");
    if (!channel.read(head, sizeof head)) return false;
    left -= sizeof head;
    if (head[2] > left / 8) throw ProtocolError("a frame longer than its batch");
    left -= std::uint64_t{head[2]} * 8;
    add_frame(client, head[0], head[1], head[2]);
    if (!channel.read(client.frames.back().words.data(), std::size_t{head[2]} * 8)) return false;
  }
  return true;
}

bool HostNode::read_absence(Client& client, const HostHeader& header) {
  Channel& channel = client.remote->channel;
  client.state = State::leaving;
  client.meets = header.type == HostMessage::meet;
  client.deadline = kNever;
  client.with.clear();
  if (!client.meets) {
    if (!channel.read(&client.deadline, sizeof client.deadline)) return false;
    client.deadline = std::max(client.deadline, client.time);
    return true;
  }
  client.with.resize(header.bytes / sizeof(unsigned));
  if (!channel.read(client.with.data(), header.bytes)) return false;
  for (const unsigned number : client.with) {
    if (!server_.absences().knows(number)) {
      throw UserError("client " + std::to_string(client.remote->number) + " wants to meet client " +
                      std::to_string(number) + "; the run has no client of that number");
    }
  }
  return true;
}

// Waits for the header of the client's next call and notes the marks before it.
bool HostNode::read_header(Client& client, HostHeader& header) {
  Channel& channel = client.remote->channel;
  for (;;) {
    if (channel.receive(header) != Channel::Outcome::message) return false;
    if (header.type != HostMessage::mark) return true;
    std::string body;
    if (!channel.read(header, body)) return false;
    BodyReader in(body);
    const Time begin = in.i64();
    client.remote->phases.push_back({in.text(), begin});
  }
}

// Waits for the client's next call; false if it has left or the run is being stopped.
bool HostNode::read_call(Client& client) {
  Channel& channel = client.remote->channel;
  HostHeader header{};
  if (!read_header(client, header)) return false;
  if (header.time < client.time) throw ProtocolError("a client's clock runs backwards");
  client.time = header.time + call_time_;
  ++calls_;
  if (header.type == HostMessage::send && header.bytes >= 8 && header.bytes % 8 == 0) {
    return read_send(client, header);
  }
  if (header.type == HostMessage::batch && header.bytes % 8 == 0) return read_batch(client, header);
  if (header.type == HostMessage::receive && header.bytes == 8) {
    client.state = State::receiving;
    if (!channel.read(&client.deadline, 8)) return false;
    client.deadline = std::max(client.deadline, client.time);
    return true;
  }
  const bool leaves = header.type == HostMessage::away && header.bytes == 8;
  const bool meets = header.type == HostMessage::meet && header.bytes % 4 == 0 && header.bytes <= kMaxMeet;
  if (leaves || meets) return read_absence(client, header);
  if (header.type == HostMessage::finish && header.bytes == 0) {
    client.remote->phases_end = header.time;
    client.state = State::finishing;
    return true;
  }
  throw ProtocolError("a message that no client sends");
}

void HostNode::serve_call(Client& client) {
  switch (client.state) {
    case State::sending:
      for (Frame& frame : client.frames) {
        out_[static_cast<std::size_t>(frame.port)].frames.push_back(std::move(frame));
      }
      client.frames.clear();
      client.state = State::computing;
      return;
    case State::receiving:
      response_frames(client, effect_time(client));
      return;
    case State::leaving:
      client.state = State::absent;
      if (client.meets) {
        server_.absences().meet(client.remote->number, client.with);
      } else {
        server_.absences().leave(client.remote->number);
      }
      return;
    case State::absent:
      bring_back(client, effect_time(client));
      return;
    case State::finishing:
      client.state = State::finished;
      server_.absences().finish(client.remote->number);
      client.remote->finished = true;
      return;
    case State::computing:
    case State::finished:
      return;
  }
}

void HostNode::bring_back(Client& client, Time now) {
  server_.absences().present(client.remote->number);
  client.state = State::computing;
  client.time = now;
  client.remote->channel.put(HostMessage::back, now, {});
  if (!client.remote->channel.flush()) leave(client);
}

void HostNode::response_frames(Client& client, Time now) {
  BodyWriter body;
  while (!client.ready.empty() && client.ready.front().time <= now && body.body().size() < kFramesBytes) {
    const Frame& frame = client.ready.front();
    body.u32(static_cast<std::uint32_t>(frame.port));
    body.u32(frame.keep);
    body.u32(static_cast<std::uint32_t>(frame.words.size()));
    body.u32(0);
    body.i64(frame.time);
    body.raw(frame.words.data(), frame.words.size() * 8);
    client.ready.pop_front();
  }
  client.state = State::computing;
  client.time = now;
  client.remote->channel.put(HostMessage::frames, now, body.body());
  if (!client.remote->channel.flush()) leave(client);
}

// Pieces no longer than the window, so that what a node sees of a frame does not depend on a window's length
// but a frame longer than a window can start to leave.
void HostNode::transmit(std::size_t port, Time until) {
  Out& out = out_[port];
  Tx& tx = *ports_[port].tx;
  while (!out.frames.empty()) {
    Frame& frame = out.frames.front();
    const Time start = std::max(frame.time, tx.free_at());
    if (start >= until) return;
    Segment segment;
    segment.first = start;
    segment.head = out.sent_words == 0;
    const std::size_t left = frame.words.size() - out.sent_words;
    const auto room = static_cast<std::size_t>((until - start + tx.period() - 1) / tx.period());
    const std::size_t count = std::min(left, room);
    segment.tail = count == left;
    segment.keep = segment.tail ? static_cast<std::uint8_t>(frame.keep) : std::uint8_t{8};
    if (segment.head && segment.tail) {
      segment.words = std::move(frame.words);
    } else {
      const auto from = frame.words.begin() + static_cast<std::ptrdiff_t>(out.sent_words);
      segment.words.assign(from, from + static_cast<std::ptrdiff_t>(count));
    }
    const bool tail = segment.tail;
    tx.send(std::move(segment));
    words_out_ += count;
    out.sent_words += count;
    if (tail) {
      ++frames_out_;
      out.sent_words = 0;
      out.frames.pop_front();
    }
  }
}

Time HostNode::next_event() const {
  if (stopped_) return kNever;
  Time next = kNever;
  for (const Client& client : clients_) next = std::min(next, effect_time(client));
  for (std::size_t port = 0; port < ports_.size(); ++port) {
    if (const Segment* s = ports_[port].rx->front()) next = std::min(next, last_word(*s));
    const Out& out = out_[port];
    if (!out.frames.empty())
      next = std::min(next, std::max(out.frames.front().time, ports_[port].tx->free_at()));
  }
  return next;
}

// The client that finishes (or leaves) last, of all host nodes, ends the run (or makes it halt): the one
// that is asked last in that window sees it, in whatever order threads ask.
bool HostNode::wants_stop() const { return stopped_ || server_.wants_halt(); }

// A client that waits until a deadline goes on then, whatever the cluster does.
std::optional<std::uint64_t> HostNode::work() const {
  for (const Client& client : clients_) {
    if (client.state == State::computing || (client.state == State::receiving && client.deadline != kNever)) {
      return kWillWork;
    }
  }
  return calls_ + frames_in_ + words_in_ + frames_out_ + words_out_;
}

std::string HostNode::waiting_for() const {
  std::string text;
  for (const Client& client : clients_) {
    std::string what;
    if (client.state == State::receiving) {
      what = "waits for a frame since " + format_duration(client.time);
      if (client.deadline != kNever) what += ", until " + format_duration(client.deadline);
    } else if (client.state == State::computing) {
      what = "has made no call since " + format_duration(client.time);
    } else if (client.state == State::absent) {
      what = "is away since " + format_duration(client.time) + ", " +
             server_.absences().reason(client.remote->number);
    } else {
      continue;
    }
    text += (text.empty() ? "" : "; ") + ("client " + std::to_string(client.remote->number) + " ") + what;
  }
  return text;
}

void HostNode::counters(const CounterSink& sink) const {
  sink(name_ + ".calls", calls_);
  sink(name_ + ".frames_out", frames_out_);
  sink(name_ + ".words_out", words_out_);
  sink(name_ + ".frames_in", frames_in_);
  sink(name_ + ".words_in", words_in_);
}

void HostNode::digest(Digest& digest) const {
  for (const std::uint64_t n : {calls_, frames_out_, words_out_, frames_in_, words_in_}) digest.add(n);
  for (const Client& client : clients_) digest.add(static_cast<std::uint64_t>(client.time));
}

}  // namespace polyloom::fabric
