// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layers/check/signals.h"

#include <algorithm>

namespace heddle::check {
namespace {

bool is_cpu(uint64_t agent) {
  hsa_device_type_t type = HSA_DEVICE_TYPE_CPU;
  (void)api::hsa_agent_get_info(hsa_agent_t{agent}, HSA_AGENT_INFO_DEVICE, &type);
  return type == HSA_DEVICE_TYPE_CPU;
}

}  // namespace

void Signals::made(uint64_t signal, const hsa_agent_t* consumers, uint32_t count) {
  destroyed(signal);
  if (count == 0 || consumers == nullptr) return;
  std::vector<uint64_t>& list = consumers_[signal];
  for (uint32_t i = 0; i < count; ++i) list.push_back(consumers[i].handle);
}

void Signals::destroyed(uint64_t signal) {
  consumers_.erase(signal);
  exposed_.erase(signal);
}

void Signals::clear() {
  exposed_.clear();
  consumers_.clear();
  doorbells_.clear();
}

bool Signals::may_consume(uint64_t signal, uint64_t agent) const {
  const auto found = consumers_.find(signal);
  return found == consumers_.end() || std::ranges::find(found->second, agent) != found->second.end();
}

bool Signals::host_may_consume(uint64_t signal) const {
  const auto found = consumers_.find(signal);
  return found == consumers_.end() || std::ranges::any_of(found->second, is_cpu);
}

void Signals::set_doorbell(uint64_t signal, uint64_t queue) {
  if (queue != 0)
    doorbells_[signal] = queue;
  else
    doorbells_.erase(signal);
}

uint64_t Signals::queue_of(uint64_t signal) const {
  const auto found = doorbells_.find(signal);
  return found != doorbells_.end() ? found->second : 0;
}

}  // namespace heddle::check
