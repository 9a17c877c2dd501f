// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <initializer_list>

#include "host.h"

namespace heddle::conformance {

constexpr uint16_t header(unsigned type, bool barrier = false) {
  return static_cast<uint16_t>(type | (barrier ? 1u << HSA_PACKET_HEADER_BARRIER : 0u) |
                               HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                               HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
}

inline hsa_barrier_and_packet_t barrier_packet(hsa_packet_type_t type,
                                               std::initializer_list<const ConformanceSignal*> dependencies,
                                               const ConformanceSignal* completion) {
  hsa_barrier_and_packet_t packet{};
  packet.header = header(type);
  size_t i = 0;
  for (const ConformanceSignal* signal : dependencies) {
    if (signal != nullptr) packet.dep_signal[i] = signal->handle();
    ++i;
  }
  if (completion != nullptr) packet.completion_signal = completion->handle();
  return packet;
}

inline hsa_kernel_dispatch_packet_t dispatch_packet(uint64_t kernel_object, uint32_t grid, uint16_t group,
                                                    const ConformanceSignal* completion,
                                                    bool barrier = false) {
  hsa_kernel_dispatch_packet_t packet{};
  packet.header = header(HSA_PACKET_TYPE_KERNEL_DISPATCH, barrier);
  packet.setup = 1;
  packet.workgroup_size_x = group;
  packet.workgroup_size_y = packet.workgroup_size_z = 1;
  packet.grid_size_x = grid;
  packet.grid_size_y = packet.grid_size_z = 1;
  packet.kernel_object = kernel_object;
  if (completion != nullptr) packet.completion_signal = completion->handle();
  return packet;
}

}  // namespace heddle::conformance
