// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layers/check/rules.h"

namespace heddle::check {
namespace {

constexpr const Rule* table[] = {
    &rules::signal_destroyed,
    &rules::signal_group_destroyed,
    &rules::queue_destroyed,
    &rules::executable_destroyed,
    &rules::reader_destroyed,
    &rules::code_object_destroyed,
    &rules::program_destroyed,
    &rules::writer_destroyed,
    &rules::image_destroyed,
    &rules::sampler_destroyed,
    &rules::counter_session_destroyed,
    &rules::event_producer_destroyed,
    &rules::log_destroyed,
    &rules::memory_handle_destroyed,
    &rules::destroyed_twice,
    &rules::earlier_init,
    &rules::handle_kind,
    &rules::handle_unknown,
    &rules::memory_freed_twice,
    &rules::memory_free_unknown,
    &rules::memory_bounds,
    &rules::lock_balance,
    &rules::registration_balance,
    &rules::leak,
    &rules::shut_down_race,
    &rules::signal_in_flight,
    &rules::kernarg_in_flight,
    &rules::memory_in_flight,
    &rules::executable_in_flight,
    &rules::doorbell_destroyed,
    &rules::signal_consumer,
    &rules::signal_below_zero,
    &rules::write_index,
    &rules::read_index,
    &rules::single_producer,
    &rules::doorbell_not_reserved,
    &rules::doorbell_order,
    &rules::queue_overflow,
    &rules::packet_invalid,
    &rules::packet_changed,
    &rules::packet_type,
    &rules::packet_reserved,
    &rules::packet_fence_scope,
    &rules::packet_dimensions,
    &rules::packet_grid,
    &rules::kernel_object,
    &rules::kernel_agent,
    &rules::kernarg_null,
    &rules::kernarg_alignment,
    &rules::kernarg_region,
    &rules::kernarg_size,
    &rules::group_size,
    &rules::private_size,
    &rules::completion_signal,
    &rules::dependency_signal,
    &rules::barrier_or_empty,
    &rules::fence_acquire,
    &rules::fence_release,
};

}  // namespace

std::span<const Rule* const> all_rules() { return table; }

}  // namespace heddle::check
