// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All rules of the check layer, as a table. docs/checking.md explains them, one row for each.
#pragma once

#include <span>

namespace heddle::check {

enum class Severity {
  error,   ///< the specification forbids it, or calls it undefined
  warning  ///< wrong only if the program does something that the layer cannot see
};

struct Rule {
  const char* id;
  const char* section;  ///< of the specification
  Severity severity = Severity::error;
};

namespace rules {

// Life times of handles and memory.
inline constexpr Rule signal_destroyed{"CHECK-signal-destroyed", "Runtime 2.4.1.4"};
inline constexpr Rule signal_group_destroyed{"CHECK-signal-group-destroyed", "Runtime 2.4.1.44"};
inline constexpr Rule queue_destroyed{"CHECK-queue-destroyed", "Runtime 2.5.5.7"};
inline constexpr Rule executable_destroyed{"CHECK-executable-destroyed", "Runtime 2.8.1.25"};
inline constexpr Rule reader_destroyed{"CHECK-reader-destroyed", "Runtime 2.8.1.20"};
inline constexpr Rule code_object_destroyed{"CHECK-code-object-destroyed", "Runtime 2.8.1.54"};
inline constexpr Rule program_destroyed{"CHECK-program-destroyed", "Runtime 3.2.1.12"};
inline constexpr Rule writer_destroyed{"CHECK-writer-destroyed", "Runtime 3.2.1.8"};
inline constexpr Rule image_destroyed{"CHECK-image-destroyed", "Runtime 3.3.1.20"};
inline constexpr Rule sampler_destroyed{"CHECK-sampler-destroyed", "Runtime 3.3.1.35"};
inline constexpr Rule counter_session_destroyed{"CHECK-counter-session-destroyed", "Runtime 3.4.1.15"};
inline constexpr Rule event_producer_destroyed{"CHECK-event-producer-destroyed", "Runtime 3.5.6.13"};
inline constexpr Rule log_destroyed{"CHECK-log-destroyed", "Runtime 3.6.4"};
inline constexpr Rule memory_handle_destroyed{"CHECK-memory-handle-destroyed", "hsa_amd_vmem_handle_release"};
inline constexpr Rule destroyed_twice{"CHECK-destroyed-twice", "Runtime 2.1"};
inline constexpr Rule earlier_init{"CHECK-earlier-init", "Runtime 2.1.1.2"};
inline constexpr Rule handle_kind{"CHECK-handle-kind", "Runtime 2.1"};
inline constexpr Rule handle_unknown{"CHECK-handle-unknown", "Runtime 2.1"};
inline constexpr Rule memory_freed_twice{"CHECK-memory-freed-twice", "Runtime 2.7.4.8"};
inline constexpr Rule memory_free_unknown{"CHECK-memory-free-unknown", "Runtime 2.7.4.8"};
inline constexpr Rule memory_bounds{"CHECK-memory-bounds", "Runtime 2.7.4.9"};
inline constexpr Rule lock_balance{"CHECK-lock-balance", "hsa_amd_memory_unlock"};
inline constexpr Rule registration_balance{"CHECK-registration-balance", "Runtime 2.7.4.13"};
inline constexpr Rule leak{"CHECK-leak", "Runtime 2.1.1.2"};
inline constexpr Rule shut_down_race{"CHECK-shut-down-race", "Runtime 2.1.1.2"};

// What packets and copies in flight use.
inline constexpr Rule signal_in_flight{"CHECK-signal-in-flight", "Runtime 2.4.1.4"};
inline constexpr Rule kernarg_in_flight{"CHECK-kernarg-in-flight", "Runtime 2.6.5.7"};
inline constexpr Rule memory_in_flight{"CHECK-memory-in-flight", "Runtime 2.7.4.8"};
inline constexpr Rule executable_in_flight{"CHECK-executable-in-flight", "Runtime 2.8.1.25"};

// Signals.
inline constexpr Rule doorbell_destroyed{"CHECK-doorbell-destroyed", "Runtime 2.5.5.4"};
inline constexpr Rule signal_consumer{"CHECK-signal-consumer", "Runtime 2.4.1.3"};
inline constexpr Rule signal_below_zero{"CHECK-signal-below-zero", "Runtime 2.6.5"};

// Queues.
inline constexpr Rule write_index{"CHECK-write-index", "Runtime 2.5.5.13"};
inline constexpr Rule read_index{"CHECK-read-index", "Runtime 2.5.5.23"};
inline constexpr Rule single_producer{"CHECK-single-producer", "Runtime 2.5.5.1"};
inline constexpr Rule doorbell_not_reserved{"CHECK-doorbell-not-reserved", "Runtime 2.5.5.4"};
inline constexpr Rule doorbell_order{"CHECK-doorbell-order", "Runtime 2.5.5.1"};
inline constexpr Rule queue_overflow{"CHECK-queue-overflow", "Runtime 2.5.5.4"};

// Packets.
inline constexpr Rule packet_invalid{"CHECK-packet-invalid", "Runtime 2.6.5.1"};
inline constexpr Rule packet_changed{"CHECK-packet-changed", "Runtime 2.6.5.1"};
inline constexpr Rule packet_type{"CHECK-packet-type", "Runtime 2.6.5.1"};
inline constexpr Rule packet_reserved{"CHECK-packet-reserved", "Runtime 2.6.5.7"};
inline constexpr Rule packet_fence_scope{"CHECK-packet-fence-scope", "Runtime 2.6.5.2"};
inline constexpr Rule packet_dimensions{"CHECK-packet-dimensions", "Runtime 2.6.5.5"};
inline constexpr Rule packet_grid{"CHECK-packet-grid", "Runtime 2.6.5.7"};
inline constexpr Rule kernel_object{"CHECK-kernel-object", "Runtime 2.6.5.7"};
inline constexpr Rule kernel_agent{"CHECK-kernel-agent", "Runtime 2.8.1.45"};
inline constexpr Rule kernarg_null{"CHECK-kernarg-null", "Runtime 2.6.5.7"};
inline constexpr Rule kernarg_alignment{"CHECK-kernarg-alignment", "Runtime 2.8.1.45"};
inline constexpr Rule kernarg_region{"CHECK-kernarg-region", "Runtime 2.7.4.3"};
inline constexpr Rule kernarg_size{"CHECK-kernarg-size", "Runtime 2.8.1.45"};
inline constexpr Rule group_size{"CHECK-group-size", "Runtime 2.6.5.7"};
inline constexpr Rule private_size{"CHECK-private-size", "Runtime 2.6.1"};
inline constexpr Rule completion_signal{"CHECK-completion-signal", "Runtime 2.6.5.7"};
inline constexpr Rule dependency_signal{"CHECK-dependency-signal", "Runtime 2.6.5.9"};
inline constexpr Rule barrier_or_empty{"CHECK-barrier-or-empty", "Runtime 2.6.5.10"};
inline constexpr Rule fence_acquire{"CHECK-fence-acquire", "Runtime 2.6.5.3", Severity::warning};
inline constexpr Rule fence_release{"CHECK-fence-release", "Runtime 2.6.5.3", Severity::warning};

}  // namespace rules

/// Returns all rules, in the order above.
std::span<const Rule* const> all_rules();

}  // namespace heddle::check
