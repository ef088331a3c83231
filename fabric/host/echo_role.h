// SPDX-License-Identifier: Apache-2.0
// A role for tests: an FPGA that sends each frame of its host back, one added to every word, after a delay.
#pragma once

#include <deque>
#include <fstream>
#include <optional>
#include <stdexcept>

#include "fabric/cluster/role.h"
#include "fabric/error.h"

namespace polyloom::fabric::testing {

struct EchoParams : RoleParams {
  Time delay = 0;             ///< from the last word in to the first word out
  Time tick = 0;              ///< if not 0: there is always something to do, this often
  std::uint64_t swallow = 0;  ///< a frame that begins with this word gets no response (if not 0)
  std::uint64_t fault = 0;    ///< a frame that begins with this word ends the run with an error (if not 0)
};

class EchoNode : public Node {
 public:
  EchoNode(const EchoParams& params, NodePort port, const WaveRequest* wave = nullptr)
      : params_(params), port_(port) {
    if (wave != nullptr) wave_ = *wave;
  }
  /// Its "wave" says only what was asked for.
  ~EchoNode() override {
    if (wave_) std::ofstream(wave_->path) << wave_->from << " " << wave_->to;
  }

  void advance(Time until) override {
    for (const Segment* s; (s = port_.rx->front()) != nullptr && s->end() - s->period < until;
         port_.rx->pop()) {
      if (s->head) words_.clear();
      words_.insert(words_.end(), s->words.begin(), s->words.end());
      if (s->tail) arrived(s->words.empty() ? s->first : s->end() - s->period, s->keep);
    }
    if (params_.tick > 0) tick_ = (until / params_.tick + 1) * params_.tick;
    while (!out_.empty() && start() < until) {
      Segment segment = std::move(out_.front());
      out_.pop_front();
      segment.first = std::max(segment.first, port_.tx->free_at());
      port_.tx->send(std::move(segment));
    }
  }
  Time next_event() const override {
    Time next = params_.tick > 0 ? tick_ : kNever;
    if (!out_.empty()) next = std::min(next, start());
    if (const Segment* s = port_.rx->front()) next = std::min(next, s->end() - s->period);
    return next;
  }
  std::string waiting_for() const override { return swallowed_ ? "a word that it can bear" : ""; }
  void counters(const CounterSink& sink) const override { sink("echo.frames", frames_); }
  void tables(const TableSink& sink) const override { sink("echoes", "frames", std::to_string(frames_)); }
  void digest(Digest& digest) const override { digest.add(frames_); }

 private:
  Time start() const { return std::max(out_.front().first, port_.tx->free_at()); }

  void arrived(Time when, std::uint8_t keep) {
    ++frames_;
    if (!words_.empty() && params_.fault && words_[0] == params_.fault)
      throw UserError("echo: the fatal word came");
    if (!words_.empty() && params_.swallow && words_[0] == params_.swallow) {
      swallowed_ = true;
      return;
    }
    Segment segment;
    segment.first = when + params_.delay;
    segment.keep = keep;
    segment.words = words_;
    for (auto& word : segment.words) ++word;
    out_.push_back(std::move(segment));
  }

  const EchoParams& params_;
  NodePort port_;
  std::optional<WaveRequest> wave_;
  std::vector<std::uint64_t> words_;
  std::deque<Segment> out_;
  Time tick_ = 0;
  std::uint64_t frames_ = 0;
  bool swallowed_ = false;
};

inline Role echo_role() {
  return {"echo",
          [](Table& table, const RoleSite&) -> std::shared_ptr<const RoleParams> {
            auto params = std::make_shared<EchoParams>();
            params->delay = table.duration("delay", 0);
            params->swallow = static_cast<std::uint64_t>(table.integer("swallow", 0, 0, 1 << 30));
            params->fault = static_cast<std::uint64_t>(table.integer("fault", 0, 0, 1 << 30));
            params->tick = table.duration("tick", 0);
            return params;
          },
          [](const NodeContext& context) -> std::unique_ptr<Node> {
            const auto port = context.ports.at(static_cast<std::size_t>(context.node().host_port));
            return std::make_unique<EchoNode>(context.params<EchoParams>(), port, context.wave);
          }};
}

}  // namespace polyloom::fabric::testing
