// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The structure that the first argument of every compiled function points to: one work-item, or one wave.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codeobject/kernel_abi.h"
#include "finalizer/fields.h"
#include "finalizer/llvm.h"

namespace heddle::finalizer::x86 {

/// The most work-items of a wave.
inline constexpr unsigned max_lanes = 64;

/// The entries make it on their stack. LLVM splits it into values wherever the kernel's body is inlined. That
/// is why the IDs of the group are copied here: stores of the kernel might change those in the worker.
struct Context {
  uint64_t worker;    ///< kernel_abi::Worker*
  uint64_t dispatch;  ///< const kernel_abi::Dispatch*
  uint64_t kernarg;
  uint64_t group_base;
  uint64_t private_base;
  uint32_t workitemid[3];  ///< of lane 0
  uint32_t workgroupid[3];
  uint32_t workgroupsize[3];
  uint32_t currentworkgroupsize[3];
  uint32_t gridsize[3];
  uint32_t exception_masks;  ///< enabled for DETECT in bits 0 to 7, for BREAK in bits 8 to 15
  uint32_t detected;         ///< exceptions that the wave has raised (PRM 11.2.3)
  uint32_t spins;            ///< iterations of waiting loops since the last yield
  uint32_t lane;             ///< the lane that executes an operation which can trap
  bool refused;              ///< whether the body for rows has refused the wave
  /// workitemid of each lane, if the code is for several lanes. Vectors of it are loaded and stored.
  alignas(64) uint32_t lane_ids[3][max_lanes];
};

/// Returns where the context has the workitemid of a lane in one dimension.
constexpr uint64_t lane_id_offset(uint64_t dimension, unsigned lane) {
  return offsetof(Context, lane_ids) + (dimension * max_lanes + lane) * sizeof(uint32_t);
}

/// Stores workitemid of one dimension in the worker, where the handler of a fault reads it.
inline void store_work_item(llvm::IRBuilder<>& ir, llvm::Value* worker, llvm::Value* id, unsigned dimension) {
  const uint64_t offset = offsetof(kernel_abi::Worker, workitem_id) + 4 * dimension;
  // The store is volatile, because LLVM does not see that the handler of a fault reads it.
  ir.CreateStore(id, Fields(ir, worker).pointer(offset), /*isVolatile=*/true);
}

}  // namespace heddle::finalizer::x86
