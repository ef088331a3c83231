// SPDX-License-Identifier: Apache-2.0
// The flat ports of a Verilated node's top (README.md), by group: what is written before an edge, what is
// read. Internal to VerilatedNode.
#pragma once

#include <optional>
#include <string>

#include "blocks/verilated/axi_memory.h"
#include "blocks/verilated/lane.h"
#include "blocks/verilated/rtl_model.h"

namespace polyloom::blocks {

/// Lanes; absent if the top has no lane ports. Throws UserError if a port is missing or its width does not
/// fit.
class LanePorts {
 public:
  LanePorts(const RtlModel& model, const std::string& name, std::size_t lanes);

  unsigned beat_words() const { return words_; }
  void drive(std::size_t lane, const LaneBeat* beat, bool pulse, bool tx_ready);
  bool tx_valid(std::size_t lane) const { return tx_valid_.bit(static_cast<unsigned>(lane)); }
  bool tx_pulse(std::size_t lane) const { return tx_pulse_.bit(static_cast<unsigned>(lane)); }
  /// The beat on tx. Throws UserError if its keep is not one that a beat may have.
  LaneBeat tx_beat(std::size_t lane) const;

 private:
  using Port = RtlModel::Port;
  std::string name_;
  unsigned words_ = 1;
  Port rx_valid_, rx_data_, rx_keep_, rx_last_, rx_pulse_;
  Port tx_valid_, tx_ready_, tx_data_, tx_keep_, tx_last_, tx_pulse_;
};

/// The host's streams of 64-bit words.
class HostPorts {
 public:
  explicit HostPorts(const RtlModel& model);
  explicit operator bool() const { return static_cast<bool>(rx_valid_); }

  void drive(const LaneBeat* word, bool tx_ready);
  bool rx_ready() const { return rx_ready_.bit(0); }
  bool tx_valid() const { return tx_valid_.bit(0); }
  LaneBeat tx_word() const;

 private:
  using Port = RtlModel::Port;
  Port rx_valid_, rx_ready_, rx_data_, rx_last_, tx_valid_, tx_ready_, tx_data_, tx_last_;
};

/// AXI masters, one a memory channel.
class MemoryPorts {
 public:
  MemoryPorts(const RtlModel& model, const std::string& name,
              const std::vector<std::unique_ptr<AxiMemory>>& memories);

  void drive(std::size_t channel, const AxiSlaveOut& from);
  AxiMasterOut read(std::size_t channel) const;

 private:
  using Port = RtlModel::Port;
  static void put_id(const Port& port, unsigned bits, std::size_t channel, std::uint32_t id);
  static std::uint32_t get_id(const Port& port, unsigned bits, std::size_t channel);

  unsigned bytes_ = 0;
  unsigned id_bits_ = 0;  ///< 0: the top has no ids
  Port ar_id_, r_id_, aw_id_, b_id_;
  Port ar_valid_, ar_ready_, ar_addr_, ar_len_, r_valid_, r_ready_, r_data_, r_last_;
  Port aw_valid_, aw_ready_, aw_addr_, aw_len_, w_valid_, w_ready_, w_data_, w_strb_, w_last_, b_valid_,
      b_ready_;
};

}  // namespace polyloom::blocks
