// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layers/check/kernels.h"

#include <algorithm>
#include <iterator>

namespace heddle::check {
namespace {

template <typename T>
T info(hsa_executable_symbol_t symbol, hsa_executable_symbol_info_t attribute) {
  T value{};
  (void)api::hsa_executable_symbol_get_info(symbol, attribute, &value);
  return value;
}

std::string symbol_name(hsa_executable_symbol_t symbol) {
  std::string name(info<uint32_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH), '\0');
  (void)api::hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME, name.data());
  return name;
}

}  // namespace

void Kernels::note(hsa_executable_symbol_t symbol, uint64_t kernel_object) {
  Kernel kernel;
  kernel.name = symbol_name(symbol);
  const auto owner = executable_of_.find(symbol.handle);
  if (owner != executable_of_.end()) kernel.executable = owner->second;
  kernel.agent = info<hsa_agent_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_AGENT).handle;
  kernel.kernarg_size = info<uint32_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE);
  kernel.kernarg_alignment =
      std::max(1u, info<uint32_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT));
  kernel.group_size = info<uint32_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE);
  kernel.private_size = info<uint32_t>(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE);
  kernels_[kernel_object] = std::move(kernel);
}

void Kernels::executable_destroyed(uint64_t executable, const Event& event) {
  for (auto& [object, kernel] : kernels_) {
    if (kernel.executable != executable || kernel.gone) continue;
    kernel.gone = true;
    kernel.executable_destroyed = event;
  }
  std::erase_if(executable_of_, [&](const auto& entry) { return entry.second == executable; });
}

void Kernels::clear() {
  executable_of_.clear();
  kernels_.clear();
}

const Kernel* Kernels::find(uint64_t kernel_object) const {
  const auto found = kernels_.find(kernel_object);
  return found != kernels_.end() ? &found->second : nullptr;
}

AgentLimits limits_of(hsa_agent_t agent) {
  AgentLimits limits;
  hsa_isa_t isa{};
  const auto take_first = [](hsa_isa_t found, void* data) {
    *static_cast<hsa_isa_t*>(data) = found;
    return HSA_STATUS_INFO_BREAK;
  };
  if (api::hsa_agent_iterate_isas(agent, take_first, &isa) != HSA_STATUS_INFO_BREAK) return limits;
  hsa_dim3_t grid{UINT32_MAX, UINT32_MAX, UINT32_MAX};
  (void)api::hsa_isa_get_info_alt(isa, HSA_ISA_INFO_WORKGROUP_MAX_DIM, limits.group_dim);
  (void)api::hsa_isa_get_info_alt(isa, HSA_ISA_INFO_WORKGROUP_MAX_SIZE, &limits.group_size);
  (void)api::hsa_isa_get_info_alt(isa, HSA_ISA_INFO_GRID_MAX_DIM, &grid);
  (void)api::hsa_isa_get_info_alt(isa, HSA_ISA_INFO_GRID_MAX_SIZE, &limits.grid_size);
  limits.grid_dim[0] = grid.x;
  limits.grid_dim[1] = grid.y;
  limits.grid_dim[2] = grid.z;
  return limits;
}

std::string name_of(hsa_agent_t agent) {
  char name[64] = {};
  (void)api::hsa_agent_get_info(agent, HSA_AGENT_INFO_NAME, name);
  return {name, std::find(name, std::end(name), '\0')};
}

}  // namespace heddle::check
