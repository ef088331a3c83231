// SPDX-License-Identifier: Apache-2.0
#include "blocks/verilated/node_ports.h"

#include <bit>
#include <cstring>

#include "fabric/error.h"

namespace polyloom::blocks {
namespace {

static_assert(std::endian::native == std::endian::little, "ports are read as little-endian bytes");

using Port = RtlModel::Port;

/// A port of a group that the top has: it must exist and be `bits` wide.
Port need(Port port, const RtlModel& model, const std::string& name, std::size_t bits) {
  const std::string what = std::string("the top ") + model.api().top + " (" + model.api().parameters + ")";
  if (!port) throw UserError(what + " has no port " + name);
  if (port.bits != bits) {
    throw UserError(what + ": port " + name + " is " + std::to_string(port.bits) + " bits wide, not " +
                    std::to_string(bits));
  }
  return port;
}

Port in(const RtlModel& model, const std::string& name, std::size_t bits) {
  return need(model.input(name), model, name, bits);
}

Port out(const RtlModel& model, const std::string& name, std::size_t bits) {
  return need(model.output(name), model, name, bits);
}

std::uint64_t number(const Port& port, std::size_t first_byte, std::size_t bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, port.data + first_byte, bytes);
  return value;
}

void refuse_count(const RtlModel& model, const std::string& name, const char* what, std::size_t has,
                  std::size_t wanted) {
  throw UserError(name + ": the top " + model.api().top + " has " + std::to_string(has) + " " + what +
                  ", the node needs " + std::to_string(wanted));
}

}  // namespace

LanePorts::LanePorts(const RtlModel& model, const std::string& name, std::size_t lanes) : name_(name) {
  const Port valid = model.input("lane_rx_valid_i");
  if (valid.bits != lanes) refuse_count(model, name, "lanes", valid.bits, lanes);
  if (lanes == 0) return;
  const std::size_t width = model.input("lane_rx_data_i").bits / lanes;
  if (width == 0 || width % 64 != 0 || width > 64 * kMaxBeatWords) {
    throw UserError(name + ": lanes of " + std::to_string(width) + " bits; allowed: multiples of 64 up to " +
                    std::to_string(64 * kMaxBeatWords));
  }
  words_ = static_cast<unsigned>(width / 64);
  const std::size_t data = lanes * width, keep = data / 8;
  rx_valid_ = valid;
  rx_data_ = in(model, "lane_rx_data_i", data);
  rx_keep_ = in(model, "lane_rx_keep_i", keep);
  rx_last_ = in(model, "lane_rx_last_i", lanes);
  rx_pulse_ = in(model, "lane_rx_pulse_i", lanes);
  tx_valid_ = out(model, "lane_tx_valid_o", lanes);
  tx_ready_ = in(model, "lane_tx_ready_i", lanes);
  tx_data_ = out(model, "lane_tx_data_o", data);
  tx_keep_ = out(model, "lane_tx_keep_o", keep);
  tx_last_ = out(model, "lane_tx_last_o", lanes);
  tx_pulse_ = out(model, "lane_tx_pulse_o", lanes);
}

void LanePorts::drive(std::size_t lane, const LaneBeat* beat, bool pulse, bool tx_ready) {
  const auto l = static_cast<unsigned>(lane);
  rx_pulse_.set_bit(l, pulse);
  tx_ready_.set_bit(l, tx_ready);
  rx_valid_.set_bit(l, beat != nullptr);
  rx_last_.set_bit(l, beat != nullptr && beat->last);
  if (beat == nullptr) return;  // data and keep may keep their old values: valid is low
  std::memcpy(rx_data_.data + lane * 8 * words_, beat->data.data(), std::size_t{8} * words_);
  const unsigned bytes = beat->bytes();
  for (unsigned w = 0; w < words_; ++w) {
    const unsigned valid = bytes <= 8 * w ? 0 : bytes - 8 * w >= 8 ? 8 : bytes - 8 * w;
    rx_keep_.data[lane * words_ + w] = static_cast<std::uint8_t>((1u << valid) - 1);
  }
}

LaneBeat LanePorts::tx_beat(std::size_t lane) const {
  LaneBeat beat;
  beat.last = tx_last_.bit(static_cast<unsigned>(lane));
  unsigned bytes = 0;
  bool ended = false, hole = false;
  for (unsigned w = 0; w < words_; ++w) {
    const unsigned mask = tx_keep_.data[lane * words_ + w];
    const auto ones = static_cast<unsigned>(std::countr_one(mask));
    hole = hole || (ended && mask != 0) || mask >> ones != 0;
    ended = ended || ones < 8;
    bytes += ones;
  }
  if (hole || (bytes != 8 * words_ && !beat.last)) {
    throw UserError(name_ + ": lane " + std::to_string(lane) +
                    ": a beat's keep must be its first bytes, all of " +
                    "them unless the beat is the last of its frame");
  }
  beat.words = (bytes + 7) / 8;
  beat.keep = bytes == 0 ? 0 : bytes - 8 * (beat.words - 1);
  std::memcpy(beat.data.data(), tx_data_.data + lane * 8 * words_, std::size_t{8} * beat.words);
  return beat;
}

HostPorts::HostPorts(const RtlModel& model) : rx_valid_(model.input("host_rx_valid_i")) {
  if (!rx_valid_) return;
  rx_ready_ = out(model, "host_rx_ready_o", 1);
  rx_data_ = in(model, "host_rx_data_i", 64);
  rx_last_ = in(model, "host_rx_last_i", 1);
  tx_valid_ = out(model, "host_tx_valid_o", 1);
  tx_ready_ = in(model, "host_tx_ready_i", 1);
  tx_data_ = out(model, "host_tx_data_o", 64);
  tx_last_ = out(model, "host_tx_last_o", 1);
}

void HostPorts::drive(const LaneBeat* word, bool tx_ready) {
  rx_valid_.set_bit(0, word != nullptr);
  rx_last_.set_bit(0, word != nullptr && word->last);
  tx_ready_.set_bit(0, tx_ready);
  if (word != nullptr) std::memcpy(rx_data_.data, word->data.data(), 8);
}

LaneBeat HostPorts::tx_word() const {
  LaneBeat word;
  word.words = 1;
  word.data[0] = number(tx_data_, 0, 8);
  word.last = tx_last_.bit(0);
  return word;
}

MemoryPorts::MemoryPorts(const RtlModel& model, const std::string& name,
                         const std::vector<std::unique_ptr<AxiMemory>>& memories) {
  const std::size_t c = memories.size();
  const Port valid = model.output("mem_ar_valid_o");
  if (valid.bits != c) refuse_count(model, name, "memory channels", valid.bits, c);
  if (c == 0) return;
  bytes_ = memories.front()->beat_bytes();
  const std::size_t data = c * 8 * bytes_;
  ar_valid_ = valid;
  ar_ready_ = in(model, "mem_ar_ready_i", c);
  ar_addr_ = out(model, "mem_ar_addr_o", 40 * c);
  ar_len_ = out(model, "mem_ar_len_o", 8 * c);
  r_valid_ = in(model, "mem_r_valid_i", c);
  r_ready_ = out(model, "mem_r_ready_o", c);
  r_data_ = in(model, "mem_r_data_i", data);
  r_last_ = in(model, "mem_r_last_i", c);
  aw_valid_ = out(model, "mem_aw_valid_o", c);
  aw_ready_ = in(model, "mem_aw_ready_i", c);
  aw_addr_ = out(model, "mem_aw_addr_o", 40 * c);
  aw_len_ = out(model, "mem_aw_len_o", 8 * c);
  w_valid_ = out(model, "mem_w_valid_o", c);
  w_ready_ = in(model, "mem_w_ready_i", c);
  w_data_ = out(model, "mem_w_data_o", data);
  w_strb_ = out(model, "mem_w_strb_o", data / 8);
  w_last_ = out(model, "mem_w_last_o", c);
  b_valid_ = in(model, "mem_b_valid_i", c);
  b_ready_ = out(model, "mem_b_ready_o", c);
  ar_id_ = model.output("mem_ar_id_o");
  if (!ar_id_) return;
  id_bits_ = static_cast<unsigned>(ar_id_.bits / c);
  if (ar_id_.bits % c != 0 || id_bits_ > 32) {
    throw UserError(name + ": the top " + model.api().top + " has a port mem_ar_id_o of " +
                    std::to_string(ar_id_.bits) + " bits for " + std::to_string(c) +
                    " channels; each has an id of the same width, 1 to 32 bits");
  }
  r_id_ = in(model, "mem_r_id_i", c * id_bits_);
  aw_id_ = out(model, "mem_aw_id_o", c * id_bits_);
  b_id_ = in(model, "mem_b_id_i", c * id_bits_);
}

void MemoryPorts::put_id(const Port& port, unsigned bits, std::size_t channel, std::uint32_t id) {
  const auto first = static_cast<unsigned>(channel) * bits;
  for (unsigned i = 0; i < bits; ++i) port.set_bit(first + i, (id >> i & 1) != 0);
}

std::uint32_t MemoryPorts::get_id(const Port& port, unsigned bits, std::size_t channel) {
  const auto first = static_cast<unsigned>(channel) * bits;
  std::uint32_t id = 0;
  for (unsigned i = 0; i < bits; ++i) id |= std::uint32_t{port.bit(first + i)} << i;
  return id;
}

void MemoryPorts::drive(std::size_t channel, const AxiSlaveOut& from) {
  const auto c = static_cast<unsigned>(channel);
  ar_ready_.set_bit(c, from.ar_ready);
  aw_ready_.set_bit(c, from.aw_ready);
  w_ready_.set_bit(c, from.w_ready);
  b_valid_.set_bit(c, from.b_valid);
  r_valid_.set_bit(c, from.r_valid);
  r_last_.set_bit(c, from.r_valid && from.r_last);
  if (from.r_valid) std::memcpy(r_data_.data + channel * bytes_, from.r_data, bytes_);
  if (from.r_valid) put_id(r_id_, id_bits_, channel, from.r_id);
  if (from.b_valid) put_id(b_id_, id_bits_, channel, from.b_id);
}

AxiMasterOut MemoryPorts::read(std::size_t channel) const {
  const auto c = static_cast<unsigned>(channel);
  AxiMasterOut out;
  out.ar_valid = ar_valid_.bit(c);
  out.aw_valid = aw_valid_.bit(c);
  out.w_valid = w_valid_.bit(c);
  out.w_last = w_last_.bit(c);
  out.r_ready = r_ready_.bit(c);
  out.b_ready = b_ready_.bit(c);
  out.ar_addr = number(ar_addr_, channel * 5, 5);
  out.aw_addr = number(aw_addr_, channel * 5, 5);
  if (id_bits_ != 0 && out.ar_valid) out.ar_id = get_id(ar_id_, id_bits_, channel);
  if (id_bits_ != 0 && out.aw_valid) out.aw_id = get_id(aw_id_, id_bits_, channel);
  out.ar_len = ar_len_.data[channel];
  out.aw_len = aw_len_.data[channel];
  out.w_data = w_data_.data + channel * bytes_;
  out.w_strobe = w_strb_.data + channel * bytes_ / 8;
  return out;
}

}  // namespace polyloom::blocks
