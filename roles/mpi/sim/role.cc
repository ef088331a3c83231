// SPDX-License-Identifier: Apache-2.0
#include "roles/mpi/sim/role.h"

#include "blocks/verilated/verilated_node.h"
#include "fabric/error.h"
#include "roles/mpi/sim/address.h"
#include "roles/mpi/sim/image.h"
#include "roles/mpi/sim/model_node.h"
#include "roles/mpi/sim/network.h"
#include "roles/mpi/sim/zrlmpi.h"
#include "spec/mpi_keys.h"

namespace polyloom::mpi {
namespace {

constexpr unsigned kMemoryBytes = 8;  // of a beat
constexpr unsigned kMemoryBursts = 64;

std::shared_ptr<const fabric::RoleParams> validate(fabric::Table& table, const fabric::RoleSite& site) {
  auto params = std::make_shared<KernelParams>();
  params->clock_hz = site.clock_hz;
  params->dram_bytes = table.read(keys::dram);
  if (params->dram_bytes % kMemoryBytes != 0)
    table.fail(keys::dram.name, "is no whole number of words", "a multiple of 8 B");
  params->read_latency = table.read(keys::dram_read_latency);
  params->write_latency = table.read(keys::dram_write_latency);
  params->image = table.text(keys::image, "");
  return params;
}

std::unique_ptr<fabric::Node> make_node(const fabric::NodeContext& context) {
  const fabric::ClusterNode& node = context.node();
  const auto& p = context.params<KernelParams>();
  if (node.ports != 1) {
    throw UserError(node.name + ": a kernel node has one link, to the switch; the topology gives it " +
                    std::to_string(node.ports));
  }
  if (node.fidelity == fabric::Fidelity::sim) {
    return std::make_unique<ModelNode>(node.name, p, kernel_code(node.name), ip_of_node(context.index),
                                       blocks::WireEnds{context.ports[0].tx, context.ports[0].rx});
  }
  if (node.fidelity != fabric::Fidelity::rtl) {
    throw UserError(node.name + ": the role mpi has no fidelity " + fabric::name_of(node.fidelity) +
                    " in a simulator; use sim or rtl (fidelity = \"sim\" in [fpga], or --on sim)");
  }
  blocks::VerilatedParams params;
  params.name = node.name;
  params.shape.top = "polyloom_kernel_shell";
  params.shape.files = {"roles/mpi/rtl/kernel_shell.f"};
  params.shape.app = "polyloom_kernel_app";
  params.shape.app_files = kernel_files(node.name, p.image);
  params.clock_hz = p.clock_hz;
  params.lanes = {{context.ports[0].tx, context.ports[0].rx}};
  params.tx_beats = 0;  // so that cycles of silence are silence on the wire
  params.strap = ip_of_node(context.index);
  params.seed = context.seed;
  params.wave = context.wave;
  std::vector<std::unique_ptr<blocks::AxiMemory>> memories;
  memories.push_back(blocks::make_fixed_memory({.bytes = p.dram_bytes,
                                                .beat_bytes = kMemoryBytes,
                                                .read_latency = p.read_latency,
                                                .write_latency = p.write_latency,
                                                .bursts = kMemoryBursts}));
  return std::make_unique<blocks::VerilatedNode>(std::move(params), std::move(memories));
}

}  // namespace

void register_role(fabric::RoleRegistry& registry) {
  registry.add({"mpi", validate, make_node});
  registry.set_json({read_zrlmpi, zrlmpi_of_name});
  registry.set_switch(make_switch);
}

}  // namespace polyloom::mpi
