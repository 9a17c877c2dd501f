// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asynchronous copies of the AMD extension (core/copy_service.h).
#include <hsa/amd/copy.h>

#include <span>

#include "runtime/api/api.h"
#include "runtime/api/signal_objects.h"

using namespace heddle::runtime;

namespace {

/// The one engine that clients see: the copy service, which lets agents make the copies that they can.
constexpr uint32_t engine = HSA_AMD_SDMA_ENGINE_0;

/// The signals of a copy, as a client passes them.
struct Signals {
  uint32_t count;
  const hsa_signal_t* dependencies;
  hsa_signal_t completion;
};

/// Checks the signals and submits the copy, whose other members are complete.
hsa_status_t submit(Runtime& runtime, CopyService::Copy& copy, void* destination, const Signals& signals) {
  if (signals.completion.handle == 0 || (signals.count != 0 && signals.dependencies == nullptr))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  copy.completion = live_signal(signals.completion);
  if (copy.completion == nullptr) return HSA_STATUS_ERROR_INVALID_SIGNAL;
  const std::span starts(signals.dependencies, signals.count);
  for (const hsa_signal_t start : starts)
    if (live_signal(start) == nullptr) return HSA_STATUS_ERROR_INVALID_SIGNAL;
  copy.timed = runtime.copies().timed();
  if (copy.shape.row == 0 || copy.shape.rows == 0 || copy.shape.layers == 0) return HSA_STATUS_SUCCESS;
  return runtime.copies().submit(copy, {&destination, 1}, starts);
}

/// The two agents of a linear copy.
struct Agents {
  hsa_agent_t destination;
  hsa_agent_t source;

  bool exist(Runtime& runtime) const {
    return runtime.topology().agent(destination) != nullptr && runtime.topology().agent(source) != nullptr;
  }
};

hsa_status_t copy_bytes(Runtime& runtime, const Agents& agents, void* to, const void* from, size_t size,
                        const Signals& signals) {
  if (to == nullptr || from == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!agents.exist(runtime)) return HSA_STATUS_ERROR_INVALID_AGENT;
  CopyService::Copy copy;
  copy.source = from;
  copy.shape.row = size;
  return submit(runtime, copy, to, signals);
}

/// Returns whether the cuboid lies within addresses, and its rows and layers do not overlap. Stores the
/// address of its first byte.
bool locate(const hsa_pitched_ptr_t& memory, const hsa_dim3_t& offset, const hsa_dim3_t& range,
            uintptr_t& first) {
  const size_t row_end = size_t{offset.x} + range.x;
  const size_t last_row = size_t{offset.y} + range.y - 1;
  const size_t last_layer = size_t{offset.z} + range.z - 1;
  if (last_row != 0 && row_end > memory.pitch) return false;
  size_t rows_end, layers, end, begin, skipped_layers;
  if (__builtin_mul_overflow(last_row, memory.pitch, &rows_end) ||
      __builtin_add_overflow(rows_end, row_end, &rows_end) ||
      __builtin_mul_overflow(last_layer, memory.slice, &layers) ||
      __builtin_add_overflow(layers, rows_end, &end) ||
      __builtin_add_overflow(reinterpret_cast<uintptr_t>(memory.base), end, &end))
    return false;
  if (last_layer != 0 && rows_end > memory.slice) return false;
  begin = size_t{offset.y} * memory.pitch + offset.x;
  skipped_layers = size_t{offset.z} * memory.slice;
  first = reinterpret_cast<uintptr_t>(memory.base) + skipped_layers + begin;
  return true;
}

/// Describes the copy of a cuboid with as few and long rows as possible.
CopyShape shape_of(const hsa_pitched_ptr_t& to, const hsa_pitched_ptr_t& from, const hsa_dim3_t& range) {
  CopyShape shape{.row = range.x,
                  .rows = range.y,
                  .layers = range.z,
                  .source_pitch = from.pitch,
                  .source_slice = from.slice,
                  .destination_pitch = to.pitch,
                  .destination_slice = to.slice};
  if (shape.row == from.pitch && shape.row == to.pitch) {
    shape.row *= shape.rows;
    shape.rows = 1;
  }
  return shape;
}

}  // namespace

namespace heddle::runtime::functions {

hsa_status_t hsa_amd_memory_async_copy(void* dst, hsa_agent_t dst_agent, const void* src,
                                       hsa_agent_t src_agent, size_t size, uint32_t num_dep_signals,
                                       const hsa_signal_t* dep_signals, hsa_signal_t completion_signal) {
  return api::guard([&](Runtime& runtime) {
    return copy_bytes(runtime, {dst_agent, src_agent}, dst, src, size,
                      {num_dep_signals, dep_signals, completion_signal});
  });
}

hsa_status_t hsa_amd_memory_async_copy_on_engine(void* dst, hsa_agent_t dst_agent, const void* src,
                                                 hsa_agent_t src_agent, size_t size, uint32_t num_dep_signals,
                                                 const hsa_signal_t* dep_signals,
                                                 hsa_signal_t completion_signal,
                                                 hsa_amd_sdma_engine_id_t engine_id,
                                                 bool force_copy_on_sdma) {
  (void)force_copy_on_sdma;
  return api::guard([&](Runtime& runtime) {
    if (static_cast<uint32_t>(engine_id) != engine) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return copy_bytes(runtime, {dst_agent, src_agent}, dst, src, size,
                      {num_dep_signals, dep_signals, completion_signal});
  });
}

hsa_status_t hsa_amd_memory_copy_engine_status(hsa_agent_t dst_agent, hsa_agent_t src_agent,
                                               uint32_t* engine_ids_mask) {
  return api::guard([&](Runtime& runtime) {
    if (engine_ids_mask == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!Agents{dst_agent, src_agent}.exist(runtime) || dst_agent.handle == src_agent.handle)
      return HSA_STATUS_ERROR_INVALID_AGENT;
    const bool idle = runtime.copies().idle();
    *engine_ids_mask = idle ? engine : 0;
    return idle ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  });
}

hsa_status_t hsa_amd_memory_async_copy_rect(const hsa_pitched_ptr_t* dst, const hsa_dim3_t* dst_offset,
                                            const hsa_pitched_ptr_t* src, const hsa_dim3_t* src_offset,
                                            const hsa_dim3_t* range, hsa_agent_t copy_agent,
                                            hsa_amd_copy_direction_t dir, uint32_t num_dep_signals,
                                            const hsa_signal_t* dep_signals, hsa_signal_t completion_signal) {
  return api::guard([&](Runtime& runtime) {
    if (dst == nullptr || dst_offset == nullptr || src == nullptr || src_offset == nullptr ||
        range == nullptr || dst->base == nullptr || src->base == nullptr ||
        static_cast<uint32_t>(dir) > hsaDeviceToDevice)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (runtime.topology().agent(copy_agent) == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    CopyService::Copy copy;
    copy.shape = shape_of(*dst, *src, *range);
    uintptr_t to = 0;
    uintptr_t from = 0;
    if (range->x != 0 && range->y != 0 && range->z != 0) {
      if (!locate(*dst, *dst_offset, *range, to) || !locate(*src, *src_offset, *range, from))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
      copy.source = reinterpret_cast<const void*>(from);
    }
    return submit(runtime, copy, reinterpret_cast<void*>(to),
                  {num_dep_signals, dep_signals, completion_signal});
  });
}

}  // namespace heddle::runtime::functions
