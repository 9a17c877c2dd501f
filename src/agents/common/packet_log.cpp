// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/common/packet_log.h"

#include <array>
#include <cstdio>
#include <cstring>

#include <hsam/signal.h>

#include "agents/common/packet_checks.h"

namespace heddle::agents {
namespace {

constexpr std::array<const char*, 6> type_names = {"vendor specific", "invalid",        "kernel dispatch",
                                                   "barrier AND",     "agent dispatch", "barrier OR"};

const char* name_of_type(uint16_t header) {
  const uint32_t type = packet_type(header);
  return type < type_names.size() ? type_names[type] : "unknown";
}

double microseconds(uint64_t ticks) { return static_cast<double>(ticks) * HSAM_TIMESTAMP_NANOSECONDS / 1000; }

// Conversions for the formats of the C library, which allocates nothing.
using Number = unsigned long long;

}  // namespace

/// Formats arguments and writes the line. The texts here are shorter than the buffer.
template <typename... Arguments>
void PacketLog::write(hsam_log_subject subject, const char* format, Arguments... arguments) const noexcept {
  char text[400];
  std::snprintf(text, sizeof text, format, arguments...);
  host_->log_about(HSAM_LOG_DEBUG, subject, source_, text);
}

void PacketLog::write_taken(uint64_t packet_id, const void* packet) const noexcept {
  hsa_kernel_dispatch_packet_t p;  // header and completion signal are at the same place in all packets
  std::memcpy(&p, packet, sizeof p);
  write(HSAM_LOG_AQL,
        "queue %llu, packet %llu: %s, header 0x%04x (barrier %u, acquire %u, release %u), completion signal "
        "0x%llx",
        Number{queue_id_}, Number{packet_id}, name_of_type(p.header), unsigned{p.header},
        static_cast<unsigned>(packet_barrier(p.header)), packet_acquire_scope(p.header),
        packet_release_scope(p.header), Number{p.completion_signal.handle});
}

void PacketLog::write_waits(uint64_t packet_id, uint32_t signals, bool any) const noexcept {
  write(HSAM_LOG_WAIT, "queue %llu, packet %llu: waits for %s%u signals", Number{queue_id_},
        Number{packet_id}, any ? "one of " : "", signals);
}

void PacketLog::write_waited(uint64_t packet_id, uint64_t time) const noexcept {
  write(HSAM_LOG_WAIT, "queue %llu, packet %llu: is complete after a wait of %.1f us", Number{queue_id_},
        Number{packet_id}, microseconds(time));
}

void PacketLog::write_waits_for_turn(uint64_t packet_id) const noexcept {
  write(HSAM_LOG_WAIT, "queue %llu, packet %llu: waits until the agent's other dispatches have ended",
        Number{queue_id_}, Number{packet_id});
}

void PacketLog::write_launched(const KernelDispatch& d) const noexcept {
  write(HSAM_LOG_KERNEL,
        "queue %llu, packet %llu: kernel object 0x%llx, grid %u x %u x %u, group %u x %u x %u, %llu groups",
        Number{queue_id_}, Number{d.packet_id}, Number{d.packet.kernel_object}, d.grid_size[0],
        d.grid_size[1], d.grid_size[2], unsigned{d.packet.workgroup_size_x},
        unsigned{d.packet.workgroup_size_y}, unsigned{d.packet.workgroup_size_z}, Number{d.group_count});
}

void PacketLog::write_ended(const KernelDispatch& d, uint64_t time, uint32_t threads,
                            hsa_status_t status) const noexcept {
  write(HSAM_LOG_KERNEL,
        "queue %llu, packet %llu: kernel ended after %.1f us, planned for %u threads, status 0x%x",
        Number{queue_id_}, Number{d.packet_id}, microseconds(time), threads, static_cast<unsigned>(status));
}

}  // namespace heddle::agents
