// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/tests/detector/detector_ends.h"

#include <cstring>

namespace polyloom::overlay::test {

const std::string& detector_object() {
  static const std::string object = blocks::build_rtl(
      {.top = "detector_tb",
       .files = {"roles/overlay/tests/detector/detector_tb.f"},
       .parameters = {{"TilesX", std::to_string(kTilesX)}, {"TilesY", std::to_string(kTilesY)}}});
  return object;
}

// ---- design ----

RtlEnd::RtlEnd(const std::string& object, BoardCoord at, MeshSize mesh, std::uint64_t seed, bool stalls)
    : model_("board", object, seed), random_(seed), stalls_(stalls) {
  const std::pair<Port*, const char*> inputs[] = {
      {&idle_, "all_idle_i"},       {&vote_, "all_vote_i"},          {&in_flight_, "in_flight_i"},
      {&sent_, "sent_i"},           {&received_, "received_i"},      {&host_in_, "host_in_i"},
      {&host_out_, "host_out_i"},   {&copies_, "copies_i"},          {&ended_, "ended_i"},
      {&inject_, "inject_i"},       {&in_valid_, "ctl_in_valid_i"},  {&in_data_, "ctl_in_data_i"},
      {&in_last_, "ctl_in_last_i"}, {&out_ready_, "ctl_out_ready_i"}};
  for (const auto& [port, name] : inputs) *port = model_.input(name);
  const std::pair<Port*, const char*> outputs[] = {{&in_ready_, "ctl_in_ready_o"},
                                                   {&out_valid_, "ctl_out_valid_o"},
                                                   {&out_data_, "ctl_out_data_o"},
                                                   {&out_last_, "ctl_out_last_o"},
                                                   {&epoch_, "epoch_o"},
                                                   {&release_, "release_o"},
                                                   {&release_vote_, "release_vote_o"},
                                                   {&may_inject_, "may_inject_o"},
                                                   {&barriers_, "barriers_o"},
                                                   {&grants_, "grants_o"}};
  for (const auto& [port, name] : outputs) *port = model_.output(name);
  set(model_.input("board_i"), 0, at.y << 3 | at.x, 1);
  set(model_.input("mesh_i"), 0, mesh.height << 4 | mesh.width, 1);
  const Port reset = model_.input("rst_ni");
  for (const bool level : {true, false, false, true}) {
    reset.set_bit(0, level);
    model_.settle();
    if (!level) model_.step();
  }
}

std::uint32_t RtlEnd::word(const Port& port) {
  std::uint32_t value;
  std::memcpy(&value, port.data, sizeof value);
  return value;
}

void RtlEnd::set(const Port& port, unsigned byte, std::uint64_t value, unsigned bytes) {
  std::memcpy(port.data + byte, &value, bytes);
}

DetectorWires RtlEnd::begin(Cycle c, bool inject) {
  inject_.set_bit(0, inject);
  for (unsigned l = 0; l < kLinks; ++l) {
    const bool there = !in[l].empty() && in[l].front().at <= c;
    in_shown_[l] = there && (in_shown_[l] || !stalls_ || random_() % 4 != 0);
    in_valid_.set_bit(l, in_shown_[l]);
    if (there) {
      const auto& words = in[l].front().words;
      set(in_data_, 8 * l, words[in_word_[l]], 8);
      in_last_.set_bit(l, in_word_[l] + 1 == words.size());
    }
    out_ready_.set_bit(l, !stalls_ || random_() % 4 != 0);
  }
  model_.settle();
  barriers_now_ = word(barriers_);
  return {epoch_.bit(0), release_.bit(0), release_vote_.bit(0), may_inject_.bit(0)};
}

void RtlEnd::end(Cycle c, const BoardWires& wires) {
  for (unsigned t = 0; t < kTiles; ++t) {
    idle_.set_bit(t, wires.idle[t]);
    vote_.set_bit(t, wires.vote[t]);
    set(in_flight_, 2 * t, wires.in_flight[t], 2);
  }
  host_in_.set_bit(0, wires.host_in);
  host_out_.set_bit(0, wires.host_out);
  set(copies_, 0, wires.copies, 1);
  set(ended_, 0, wires.ended, 1);
  for (unsigned l = 0; l < kLinks; ++l) {
    sent_.set_bit(l, wires.sent[l]);
    received_.set_bit(l, wires.received[l]);
  }
  model_.settle();
  for (unsigned l = 0; l < kLinks; ++l) {
    if (in_valid_.bit(l) && in_ready_.bit(l)) {
      in_shown_[l] = false;
      if (++in_word_[l] == in[l].front().words.size()) {
        in[l].pop_front();
        in_word_[l] = 0;
      }
    }
    if (!out_valid_.bit(l) || !out_ready_.bit(l)) continue;
    if (out_words_[l].empty()) out_first_[l] = c;
    std::uint64_t value;
    std::memcpy(&value, out_data_.data + 8 * l, 8);
    out_words_[l].push_back(value);
    if (out_last_.bit(l)) out(out_first_[l], c, l, std::exchange(out_words_[l], {}));
  }
  model_.step();
}

// ---- fast model ----

ModelEnd::ModelEnd(BoardCoord at, MeshSize mesh)
    : detector_({.board = at, .mesh = mesh, .threads = kTiles, .gather = kTilesX + kTilesY}, activity_,
                *this) {}

DetectorWires ModelEnd::begin(Cycle c, bool inject) {
  barriers_now_ = detector_.counters().barriers;
  // What step() has released shows from the next cycle on, with its epoch.
  const DetectorWires wires{detector_.epoch_bit() != 0, std::exchange(released_, false), voted_,
                            inject && detector_.may_inject(c)};
  for (unsigned l = 0; l < kLinks; ++l) {
    while (!in[l].empty() && in[l].front().at <= c) {
      const Frame frame = std::move(in[l].front());
      in[l].pop_front();
      detector_.control(c, l, frame.words);
    }
  }
  return wires;
}

void ModelEnd::end(Cycle c, const BoardWires& wires) {
  for (unsigned l = 0; l < kLinks; ++l) {
    if (wires.sent[l]) detector_.sent(l), --periphery_;
    if (wires.received[l]) detector_.received(c, l), ++periphery_;
  }
  if (wires.host_in) detector_.host_in(), ++periphery_;
  if (wires.host_out) detector_.host_out(), --periphery_;
  periphery_ += static_cast<int>(wires.copies) - static_cast<int>(wires.ended);
  const Activity before = activity_;
  std::uint16_t in_flight = static_cast<std::uint16_t>(periphery_);
  activity_.idle_waiting = activity_.idle_votes = 0;
  for (unsigned t = 0; t < kTiles; ++t) {
    in_flight = static_cast<std::uint16_t>(in_flight + wires.in_flight[t]);
    activity_.idle_waiting += waking_ == 0 && wires.idle[t];
    activity_.idle_votes += waking_ == 0 && wires.idle[t] && wires.vote[t];
  }
  if (waking_ != 0) --waking_;
  activity_.in_flight = in_flight;
  if (in_flight != before.in_flight || activity_.idle_waiting != before.idle_waiting) activity_.changed = c;
  detector_.step(c);
}

void ModelEnd::send_control(Cycle c, unsigned link, std::span<const std::uint64_t> words) {
  out(c, c, link, {words.begin(), words.end()});
}

void ModelEnd::release_threads(Cycle, bool voted) {
  released_ = true;
  waking_ = 5;
  voted_ = voted;
}

}  // namespace polyloom::overlay::test
