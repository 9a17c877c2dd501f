// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layers/check/packets.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace heddle::check {
namespace {

/// Collects findings about one packet.
class Check {
 public:
  Check(const PacketContext& context, std::vector<Finding>& findings)
      : context_(context), findings_(findings) {}

  void packet(const Packet& packet);

 private:
  void add(const Rule& rule, std::string sentence, std::vector<Note> notes = {}) {
    findings_.push_back({&rule, std::move(sentence), std::move(notes)});
  }
  void reserved(const char* field, uint64_t value) {
    if (value != 0) add(rules::packet_reserved, fmt::format("the reserved {} is {:#x}, not 0", field, value));
  }

  void header(uint16_t header);
  void kernel_dispatch(const hsa_kernel_dispatch_packet_t& packet);
  void sizes(const hsa_kernel_dispatch_packet_t& packet, uint32_t dimensions);
  void size(char axis, uint32_t grid, uint32_t group, size_t dimension, uint32_t dimensions);
  void kernel(const hsa_kernel_dispatch_packet_t& packet);
  void segments(const hsa_kernel_dispatch_packet_t& packet, const Kernel& kernel);
  void kernarg(uint64_t address, const Kernel& kernel);
  void agent_dispatch(const hsa_agent_dispatch_packet_t& packet);
  void barrier(const hsa_barrier_and_packet_t& packet, bool is_or);
  void dependency(uint64_t signal);
  void completion(uint64_t signal);

  const PacketContext& context_;
  std::vector<Finding>& findings_;
};

void Check::header(uint16_t header) {
  reserved("part of the header", header >> 13u);
  const std::pair<const char*, uint32_t> scopes[] = {
      {"acquire", header >> HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE & 3u},
      {"release", header >> HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE & 3u}};
  for (const auto& [name, scope] : scopes)
    if (scope > HSA_FENCE_SCOPE_SYSTEM)
      add(rules::packet_fence_scope, fmt::format("the scope {} of the {} fence does not exist", scope, name));
}

void Check::size(char axis, uint32_t grid, uint32_t group, size_t dimension, uint32_t dimensions) {
  if (dimension >= dimensions) {
    if (grid != 1 || group != 1)
      add(rules::packet_grid,
          fmt::format("a grid of {} dimensions has {} work-items and work-groups of {} in {}, not 1 and 1",
                      dimensions, grid, group, axis));
    return;
  }
  const AgentLimits& limits = context_.limits;
  if (grid == 0 || group == 0) {
    add(rules::packet_grid,
        fmt::format("the {} has the size 0 in {}", grid == 0 ? "grid" : "work-group", axis));
    return;
  }
  if (grid < group)
    add(rules::packet_grid,
        fmt::format("the grid has {} work-items in {}, fewer than a work-group, which has {}", grid, axis,
                    group));
  if (group > limits.group_dim[dimension])
    add(rules::packet_grid, fmt::format("the work-group has {} work-items in {}; the agent allows {}", group,
                                        axis, limits.group_dim[dimension]));
  if (grid > limits.grid_dim[dimension])
    add(rules::packet_grid, fmt::format("the grid has {} work-items in {}; the agent allows {}", grid, axis,
                                        limits.grid_dim[dimension]));
}

void Check::sizes(const hsa_kernel_dispatch_packet_t& packet, uint32_t dimensions) {
  const uint32_t grid[3] = {packet.grid_size_x, packet.grid_size_y, packet.grid_size_z};
  const uint32_t group[3] = {packet.workgroup_size_x, packet.workgroup_size_y, packet.workgroup_size_z};
  unsigned __int128 grid_size = 1;
  uint64_t group_size = 1;
  for (size_t i = 0; i < 3; ++i) {
    size(static_cast<char>('x' + i), grid[i], group[i], i, dimensions);
    if (i >= dimensions) continue;
    grid_size *= grid[i];
    group_size *= group[i];
  }
  if (group_size > context_.limits.group_size)
    add(rules::packet_grid, fmt::format("the work-group has {} work-items; the agent allows {}", group_size,
                                        context_.limits.group_size));
  if (grid_size > context_.limits.grid_size)
    add(rules::packet_grid,
        fmt::format("the grid has more work-items than the agent allows, {}", context_.limits.grid_size));
}

void Check::kernarg(uint64_t address, const Kernel& kernel) {
  if (kernel.kernarg_size == 0) return;
  if (address == 0) {
    add(rules::kernarg_null,
        fmt::format("kernel {} has {} bytes of arguments, and the address of the arguments is null",
                    kernel.name, kernel.kernarg_size));
    return;
  }
  if (address % kernel.kernarg_alignment != 0)
    add(rules::kernarg_alignment,
        fmt::format("the arguments lie at {:#x}, and kernel {} wants them aligned to {}", address,
                    kernel.name, kernel.kernarg_alignment));
  const Allocation* allocation = context_.memory.find(address);
  if (allocation == nullptr) {
    const Allocation* freed = context_.memory.find_freed(address);
    add(rules::kernarg_region,
        fmt::format("the arguments of kernel {} lie at {:#x}, in memory {}", kernel.name, address,
                    freed != nullptr ? "that has been freed" : "that the runtime has not allocated"),
        freed != nullptr ? life_of(*freed) : std::vector<Note>());
    return;
  }
  if (allocation->purpose == Allocation::Purpose::data)
    add(rules::kernarg_region,
        fmt::format("the arguments of kernel {} lie at {:#x}, in memory that is not for arguments (KERNARG)",
                    kernel.name, address),
        life_of(*allocation));
  if (allocation->end() - address < kernel.kernarg_size)
    add(rules::kernarg_size,
        fmt::format("kernel {} has {} bytes of arguments, and their allocation ends after {}", kernel.name,
                    kernel.kernarg_size, allocation->end() - address),
        life_of(*allocation));
}

void Check::segments(const hsa_kernel_dispatch_packet_t& packet, const Kernel& kernel) {
  if (packet.group_segment_size < kernel.group_size)
    add(rules::group_size, fmt::format("the packet asks for {} bytes of group memory, and kernel {} needs {}",
                                       packet.group_segment_size, kernel.name, kernel.group_size));
  if (packet.private_segment_size < kernel.private_size)
    add(rules::private_size,
        fmt::format("the packet asks for {} bytes of private memory, and kernel {} needs {}",
                    packet.private_segment_size, kernel.name, kernel.private_size));
}

void Check::kernel(const hsa_kernel_dispatch_packet_t& packet) {
  const Kernel* kernel = context_.kernels.find(packet.kernel_object);
  if (kernel == nullptr) {
    add(rules::kernel_object,
        fmt::format("no symbol of an executable has given the kernel object {:#x}", packet.kernel_object));
    return;
  }
  if (kernel->gone) {
    add(rules::kernel_object, fmt::format("the executable of kernel {} has been destroyed", kernel->name),
        {{fmt::format("destroyed by {}", kernel->executable_destroyed.function),
          kernel->executable_destroyed.site}});
    return;
  }
  if (context_.agent.handle != 0 && kernel->agent != 0 && kernel->agent != context_.agent.handle)
    add(rules::kernel_agent,
        fmt::format("the code of kernel {} is for the agent {}, and the queue is of the agent {}",
                    kernel->name, name_of(hsa_agent_t{kernel->agent}), name_of(context_.agent)));
  segments(packet, *kernel);
  kernarg(reinterpret_cast<uint64_t>(packet.kernarg_address), *kernel);
}

void Check::kernel_dispatch(const hsa_kernel_dispatch_packet_t& packet) {
  const uint32_t dimensions = packet.setup & 3u;
  reserved("part of setup", packet.setup >> 2u);
  reserved("field reserved0", packet.reserved0);
  reserved("field reserved2", packet.reserved2);
  if (dimensions == 0)
    add(rules::packet_dimensions, "the grid has 0 dimensions; there must be 1, 2 or 3");
  else
    sizes(packet, dimensions);
  kernel(packet);
}

void Check::agent_dispatch(const hsa_agent_dispatch_packet_t& packet) {
  reserved("field reserved0", packet.reserved0);
  reserved("field reserved2", packet.reserved2);
}

void Check::dependency(uint64_t signal) {
  if (auto finding = context_.objects.check(Kind::signal, signal)) {
    add(rules::dependency_signal, "a dependency of the barrier: " + finding->sentence,
        std::move(finding->notes));
    return;
  }
  if (context_.agent.handle != 0 && !context_.signals.may_consume(signal, context_.agent.handle))
    add(rules::signal_consumer,
        fmt::format("the agent {} waits for the signal {:#x} and is not in its list of consumers",
                    name_of(context_.agent), signal),
        life_of(*context_.objects.find(Kind::signal, signal)));
}

void Check::barrier(const hsa_barrier_and_packet_t& packet, bool is_or) {
  reserved("field reserved0", packet.reserved0);
  reserved("field reserved1", packet.reserved1);
  reserved("field reserved2", packet.reserved2);
  bool any = false;
  for (const hsa_signal_t signal : packet.dep_signal) {
    if (signal.handle == 0) continue;
    any = true;
    dependency(signal.handle);
  }
  if (is_or && !any) add(rules::barrier_or_empty, "a barrier-OR packet without dependencies never completes");
}

void Check::completion(uint64_t signal) {
  if (signal == 0) return;
  if (auto finding = context_.objects.check(Kind::signal, signal)) {
    add(rules::completion_signal, "the completion signal: " + finding->sentence, std::move(finding->notes));
    return;
  }
  if (context_.signals.queue_of(signal) != 0)
    add(rules::completion_signal, "the completion signal is the doorbell of a queue",
        life_of(*context_.objects.find(Kind::signal, signal)));
}

void Check::packet(const Packet& packet) {
  const uint32_t type = type_of(packet);
  if (type == HSA_PACKET_TYPE_VENDOR_SPECIFIC) return;
  if (type > HSA_PACKET_TYPE_BARRIER_OR) {
    add(rules::packet_type, fmt::format("there is no packet type {}", type));
    return;
  }
  header(packet.header);
  if (type == HSA_PACKET_TYPE_KERNEL_DISPATCH || type == HSA_PACKET_TYPE_AGENT_DISPATCH) {
    const bool kernel = type == HSA_PACKET_TYPE_KERNEL_DISPATCH;
    if ((context_.features &
         (kernel ? HSA_QUEUE_FEATURE_KERNEL_DISPATCH : HSA_QUEUE_FEATURE_AGENT_DISPATCH)) == 0)
      add(rules::packet_type,
          fmt::format("the queue accepts no {} dispatch packets", kernel ? "kernel" : "agent"));
    if (kernel)
      kernel_dispatch(packet.kernel);
    else
      agent_dispatch(packet.agent);
  } else {
    barrier(packet.barrier, type == HSA_PACKET_TYPE_BARRIER_OR);
  }
  completion(completion_of(packet));
}

}  // namespace

uint64_t completion_of(const Packet& packet) {
  const uint32_t type = type_of(packet);
  if (type == HSA_PACKET_TYPE_VENDOR_SPECIFIC || type > HSA_PACKET_TYPE_BARRIER_OR) return 0;
  return packet.kernel.completion_signal.handle;  // at the same place in all packets
}

void check_packet(const Packet& packet, const PacketContext& context, std::vector<Finding>& findings) {
  Check(context, findings).packet(packet);
}

DispatchMemory memory_of(const hsa_kernel_dispatch_packet_t& packet, const Kernel& kernel,
                         const PacketContext& context) {
  DispatchMemory out;
  const auto address = reinterpret_cast<uint64_t>(packet.kernarg_address);
  out.kernarg = context.memory.find(address);
  // Memory of the program itself may be gone at any time, and memory that is not for arguments need not be
  // accessible to the host.
  if (out.kernarg == nullptr || out.kernarg->purpose != Allocation::Purpose::kernarg) return out;
  out.kernarg_size = std::min<uint64_t>(kernel.kernarg_size, out.kernarg->end() - address);
  for (uint64_t offset = 0; offset + 8 <= out.kernarg_size; offset += 8) {
    uint64_t word = 0;
    std::memcpy(&word, reinterpret_cast<const void*>(address + offset), sizeof word);
    if (context.objects.is_live(Kind::signal, word)) {
      out.pointed_to.clear();
      return out;
    }
    const Allocation* allocation = context.memory.find(word);
    if (allocation != nullptr) out.pointed_to.push_back(allocation);
  }
  return out;
}

}  // namespace heddle::check
