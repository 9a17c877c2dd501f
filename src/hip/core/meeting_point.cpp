// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/meeting_point.h"

#include <hsa/hsa_ext_amd.h>

#include <new>

#include "hip/core/device.h"
#include "hip/core/failure.h"

namespace heddle::hip {

MeetingPoint::MeetingPoint(std::vector<Device*> devices) : devices_(std::move(devices)) {
  void* const memory = devices_.front()->allocate_arguments(sizeof(SharedGridBarrier));
  std::vector<hsa_agent_t> agents;
  agents.reserve(devices_.size());
  for (const Device* const device : devices_) agents.push_back(device->agent());
  const hsa_status_t status =
      hsa_amd_agents_allow_access(static_cast<uint32_t>(agents.size()), agents.data(), nullptr, memory);
  if (status != HSA_STATUS_SUCCESS) hsa_amd_memory_pool_free(memory);
  check(status, "hsa_amd_agents_allow_access");
  barrier_ = new (memory) SharedGridBarrier();
  for (Device* const device : devices_) device->meeting_points().add(*this);
}

MeetingPoint::~MeetingPoint() {
  for (Device* const device : devices_) device->meeting_points().remove(*this);
  hsa_amd_memory_pool_free(barrier_);
}

void MeetingPoint::break_up() { __atomic_store_n(&barrier_->broken, 1U, __ATOMIC_RELEASE); }

}  // namespace heddle::hip
