// SPDX-License-Identifier: Apache-2.0
#include "fabric/host/client.h"

#include <cstdlib>
#include <iterator>
#include <stdexcept>

#include "fabric/host/channel.h"
#include "fabric/host/launch.h"
#include "fabric/host/peer.h"

namespace polyloom::fabric {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

unsigned client_number(const HostOptions& options) {
  const std::string text = environment("POLYLOOM_CLIENT");
  if (options.client > 0 || text.empty()) return options.client;
  if (text.size() > 5 || text.find_first_not_of("0123456789") != std::string::npos) {
    throw UserError("POLYLOOM_CLIENT = \"" + text + "\"; allowed: a client number from 0");
  }
  return static_cast<unsigned>(std::stoul(text));
}

// Adding to "never" must stay never.
Time later(Time t, Time by) { return by >= kNever - t ? kNever : t + by; }

}  // namespace

struct HostClient::Process : SimulatorProcess {
  using SimulatorProcess::SimulatorProcess;
};

HostClient::HostClient() : HostClient(HostOptions{}) {}

HostClient::HostClient(const HostOptions& options) {
  connect(options);
  exchange_keys();
  say_hello(options);
}

HostClient::~HostClient() {
  // Closing the socket first is what tells the simulator to end; Process then waits for it.
  if (channel_) channel_->close();
}

void HostClient::connect(const HostOptions& options) {
  std::string socket = options.socket.empty() ? environment("POLYLOOM_SOCKET") : options.socket;
  if (!socket.empty()) {
    channel_ = std::make_unique<Channel>(connect_to(socket));
    return;
  }
  if (environment("POLYLOOM_ON") == "native") {
    throw UserError(
        "POLYLOOM_ON = native means no cluster, but this program asks for one; allowed here: sim, rtl");
  }
  const std::string program = options.simulator.empty() ? find_simulator() : options.simulator;
  process_ =
      std::make_unique<Process>(program, options.arguments, plan_for_engine(environment("POLYLOOM_ENGINE")));
  channel_ = std::make_unique<Channel>(process_->take_socket());
}

// Nothing but the key before the other side has said it too.
void HostClient::exchange_keys() {
  const std::string secret = process_ ? process_->secret() : environment_secret();
  channel_->put(HostMessage::key, 0, key_body(secret));
  std::string body;
  response(HostMessage::key, body);
  std::string wrong;
  try {
    wrong = check_key(body, secret);
  } catch (const std::runtime_error& error) {
    wrong = error.what();
  }
  if (!wrong.empty()) fail(HostErrorReason::protocol, "the simulator " + wrong);
}

void HostClient::say_hello(const HostOptions& options) {
  BodyWriter hello;
  hello.u32(client_number(options));
  hello.u32(static_cast<std::uint32_t>(options.links.size()));
  for (const unsigned link : options.links) hello.u32(link);
  channel_->put(HostMessage::hello, 0, hello.body());
  std::string body;
  const HostHeader header = response(HostMessage::welcome, body);
  BodyReader in(body);
  call_time_ = in.i64();
  links_.resize(in.u32());
  for (LinkInfo& link : links_) {
    link.peer = in.text();
    link.latency = in.i64();
    link.period = in.i64();
  }
  info_ = in.text();
  now_ = header.time;
}

void HostClient::fail(HostErrorReason reason, const std::string& message) {
  failed_.emplace(reason, message);
  throw *failed_;
}

// Sends what is buffered and returns the response, which must be of that type.
HostHeader HostClient::response(HostMessage type, std::string& body) {
  if (failed_) throw *failed_;
  channel_->flush();  // if the simulator has gone, what it last said is still to be read
  HostHeader header{};
  bool whole = false;
  try {
    whole = channel_->receive(header) == Channel::Outcome::message && channel_->read(header, body);
  } catch (const std::runtime_error& error) {
    fail(HostErrorReason::protocol, error.what());
  }
  if (!whole) {
    const std::string how = process_ ? process_->ended(1000) : std::string();
    fail(HostErrorReason::lost, "the simulator ended unexpectedly" + (how.empty() ? how : " (" + how + ")"));
  }
  if (header.type == HostMessage::error && body.size() >= 4) {
    BodyReader in(body);
    const auto reason = static_cast<HostErrorReason>(in.u32());
    fail(reason, in.rest());
  }
  if (header.type != type) fail(HostErrorReason::protocol, "host protocol: a response of another type");
  return header;
}

int HostClient::find_link(const std::string& peer) const {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    if (links_[i].peer == peer) return static_cast<int>(i);
  }
  return -1;
}

void HostClient::check(int link, unsigned keep) const {
  if (link < 0 || link >= num_links()) {
    throw UserError("send: link " + std::to_string(link) + "; allowed: 0 to " +
                    std::to_string(num_links() - 1));
  }
  if (keep < 1 || keep > 8) throw UserError("send: keep " + std::to_string(keep) + "; allowed: 1 to 8");
  need_presence();
}

void HostClient::need_presence() const {
  if (failed_) throw *failed_;
  if (away_)
    throw UserError("this host program is away from the simulation; call back() before anything else");
}

void HostClient::send(int link, std::span<const std::uint64_t> frame, unsigned keep) {
  check(link, keep);
  const std::uint32_t head[2] = {static_cast<std::uint32_t>(link), keep};
  channel_->put(HostMessage::send, now_, {reinterpret_cast<const char*>(head), sizeof head}, frame);
  now_ += call_time_;
}

void HostClient::send(std::span<const Outgoing> frames) {
  if (frames.empty()) return;
  BodyWriter body;
  for (const Outgoing& frame : frames) {
    check(frame.link, frame.keep);
    body.u32(static_cast<std::uint32_t>(frame.link));
    body.u32(frame.keep);
    body.u32(static_cast<std::uint32_t>(frame.words.size()));
    body.u32(0);
    body.raw(frame.words.data(), frame.words.size_bytes());
  }
  channel_->put(HostMessage::batch, now_, body.body());
  now_ += call_time_;
}

void HostClient::fetch(Time deadline) {
  need_presence();
  BodyWriter request;
  request.i64(deadline);
  channel_->put(HostMessage::receive, now_, request.body());
  std::string body;
  const HostHeader header = response(HostMessage::frames, body);
  now_ = header.time;
  BodyReader in(body);
  while (!in.empty()) {
    Received frame;
    frame.link = static_cast<int>(in.u32());
    frame.keep = in.u32();
    frame.words.resize(in.u32());
    in.u32();
    frame.arrival = in.i64();
    in.raw(frame.words.data(), frame.words.size() * sizeof(std::uint64_t));
    ready_.push_back(std::move(frame));
  }
}

// Frames that came with an earlier response had arrived by then, so handing them out here, for the price of a
// call, is what asking the simulator would give.
std::optional<Received> HostClient::try_recv() {
  need_presence();
  if (ready_.empty()) {
    fetch(later(now_, call_time_));
  } else {
    now_ += call_time_;
  }
  if (ready_.empty()) return std::nullopt;
  std::optional<Received> frame(std::move(ready_.front()));
  ready_.pop_front();
  return frame;
}

Received HostClient::recv() {
  need_presence();
  if (ready_.empty()) {
    fetch(kNever);
  } else {
    now_ += call_time_;
  }
  if (ready_.empty())
    fail(HostErrorReason::protocol, "host protocol: a response without the frame asked for");
  Received frame = std::move(ready_.front());
  ready_.pop_front();
  return frame;
}

std::vector<Received> HostClient::recv(std::size_t count) {
  std::vector<Received> frames;
  while (frames.size() < count) {
    frames.push_back(recv());
    // What came with it costs no further call.
    for (; frames.size() < count && !ready_.empty(); ready_.pop_front()) {
      frames.push_back(std::move(ready_.front()));
    }
  }
  return frames;
}

bool HostClient::wait(Time max) {
  need_presence();
  if (ready_.empty()) {
    fetch(later(later(now_, call_time_), max < 0 ? 0 : max));
  } else {
    now_ += call_time_;
  }
  return !ready_.empty();
}

std::vector<Received> HostClient::recv_within(Time max) {
  wait(max);
  std::vector<Received> frames(std::make_move_iterator(ready_.begin()),
                               std::make_move_iterator(ready_.end()));
  ready_.clear();
  return frames;
}

// What is said must be heard now: the program will not come to a call that sends it along.
void HostClient::away(Time most) {
  need_presence();
  BodyWriter request;
  request.i64(later(later(now_, call_time_), most < 0 ? 0 : most));
  channel_->put(HostMessage::away, now_, request.body());
  channel_->flush();
  away_ = true;
}

void HostClient::back() {
  if (!away_) return;
  std::string body;
  now_ = response(HostMessage::back, body).time;
  away_ = false;
}

void HostClient::meet(std::span<const unsigned> clients) {
  need_presence();
  BodyWriter request;
  for (const unsigned client : clients) request.u32(client);
  channel_->put(HostMessage::meet, now_, request.body());
  away_ = true;
  back();
}

void HostClient::mark(std::string_view phase, Time at) {
  if (at < marked_ || at > now_) {
    throw UserError("mark: phase \"" + std::string(phase) + "\" begins at " + std::to_string(at) +
                    " ps; allowed: from the last mark, " + std::to_string(marked_) + " ps, to now, " +
                    std::to_string(now_) + " ps");
  }
  marked_ = at;
  BodyWriter body;
  body.i64(at);
  body.text(phase);
  channel_->put(HostMessage::mark, now_, body.body());
}

std::string HostClient::finish() {
  need_presence();
  channel_->put(HostMessage::finish, now_, {});
  std::string body;
  response(HostMessage::done, body);
  return body;
}

}  // namespace polyloom::fabric
