// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules about the contents of a packet.
#pragma once

#include <cstdint>
#include <vector>

#include "layers/check/kernels.h"
#include "layers/check/memory.h"
#include "layers/check/objects.h"
#include "layers/check/signals.h"

namespace heddle::check {

/// A packet of any kind: 64 bytes, of which the first two are the header.
union Packet {
  uint16_t header;
  hsa_kernel_dispatch_packet_t kernel;
  hsa_agent_dispatch_packet_t agent;
  hsa_barrier_and_packet_t barrier;
};
static_assert(sizeof(Packet) == 64);

inline uint32_t type_of(const Packet& packet) { return packet.header & 0xffu; }
inline uint32_t acquire_scope(const Packet& packet) {
  return packet.header >> HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE & 3u;
}
inline uint32_t release_scope(const Packet& packet) {
  return packet.header >> HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE & 3u;
}
/// Returns the completion signal of a packet, or 0; packets of vendors have none.
uint64_t completion_of(const Packet& packet);

/// What the rules need to know besides the packet.
struct PacketContext {
  const Objects& objects;
  const Memory& memory;
  const Kernels& kernels;
  const Signals& signals;
  uint32_t features;   ///< of the queue
  hsa_agent_t agent;   ///< handle 0 for soft queues
  AgentLimits limits;  ///< of the agent
};

/// Adds what is wrong with a packet. The packet must not be INVALID.
void check_packet(const Packet& packet, const PacketContext& context, std::vector<Finding>& findings);

/// Returns the memory that a dispatch uses: its arguments, and the allocations that these point to. A
/// dispatch that has a signal among its arguments can tell the program by itself when it no longer needs the
/// memory, so that for these nothing but the arguments is returned.
struct DispatchMemory {
  const Allocation* kernarg = nullptr;  ///< null if the runtime has not allocated the arguments
  uint64_t kernarg_size = 0;
  std::vector<const Allocation*> pointed_to;
};
DispatchMemory memory_of(const hsa_kernel_dispatch_packet_t& packet, const Kernel& kernel,
                         const PacketContext& context);

}  // namespace heddle::check
