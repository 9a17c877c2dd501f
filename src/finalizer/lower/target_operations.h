// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The calls that stand in SPMD IR for everything a target has to say: who the work-item is, where its
// segments are, how it communicates (design D5).
#pragma once

#include <cstdint>
#include <optional>

#include "finalizer/llvm.h"

namespace heddle::finalizer {

/// One `hsail.*` function. Arguments beside; all are scalars, so that a target lowers a call by itself. Ptr
/// is a pointer to a segment, in the target's address space for it; the name of the function ends in the
/// number of the space if that is not 0, as in `hsail.atomic.i32.p3`.
enum class TargetOperation : uint8_t {
  // Identity of the work-item and its dispatch (PRM 11.1, 11.4). `dim` is a constant 0..2.
  workitemid,            // i32(i32 dim)
  workgroupid,           // i32(i32 dim)
  workgroupsize,         // i32(i32 dim): of the packet
  currentworkgroupsize,  // i32(i32 dim): of this, perhaps partial, group
  gridsize,              // i32(i32 dim)
  gridgroups,            // i32(i32 dim)
  dim,                   // i32()
  packetid,              // i64()
  packetcompletionsig,   // i64()
  groupstaticsize,       // i32()
  grouptotalsize,        // i32()
  laneid,                // i32()
  waveid,                // i32()
  maxwaveid,             // i32()
  cuid,                  // i32()
  maxcuid,               // i32()
  wavesize,              // i32(): WAVESIZE

  // Segments.
  kernarg_base,      // Ptr()
  group_base,        // Ptr(): group offset 0
  private_base,      // Ptr(): private offset 0 of this work-item
  private_size,      // i32(): bytes of the private segment of this work-item
  null_address,      // i64(i32 segment): hsa_brig_segment_t
  variable_address,  // i64(i32 symbol): of a global or readonly variable; symbol counts in
                     // link::Program::symbols()
  kernel_handle,     // i64(i32 symbol)
  function_handle,   // i64(i32 symbol)

  // Communication. Convergent, and memory effects of any kind.
  barrier,      // void()
  wavebarrier,  // void()
  memfence,     // void(i32 order, i32 scope)
  atomic32,     // i32(i32 operation, i32 type, i32 order, i32 scope, Ptr, i32, i32):
                // HSA_BRIG_ATOMIC_OPERATION_*, ...
  atomic64,     // i64(same, i64, i64)
  fbarrier,     // void(i32 FbarrierOp, i32 handle): the handle is the offset in the group segment
  signal,  // i64(i32 HSA_BRIG_ATOMIC_OPERATION_*, i64 signal, i64 value, i64 value or timeout): waits too
  queue_index,     // Ptr(i64 queue, i32 write): where an index of a user mode queue lies; 0: the read index
  exceptions,      // void(i32 exact::Description, i64, i64, i64): what the operation on these sources raises
  get_detected,    // i32(): exceptions that the wave has raised (PRM 11.2)
  clear_detected,  // void(i32)
  set_detected,    // void(i32)
  image,           // void(i32 opcode, i32 geometry, i32 type, i32 detail, i64 image, i64 sampler, ptr words):
                   // detail is the type of the coordinates or the property; words are 4 coordinates, then 4
                   // components
  clock,           // i64()
  yield,           // void(i32 every): other waves may run, in one of `every` executions by a wave
  trap,            // void(i32 reason, i32 detail), does not return
  check_private,   // void(i32 bytes): traps unless the private segment has so many

  // Cross-lane (PRM 9.4): which lanes of the wave are active decides. Convergent, no memory.
  activelanecount,    // i32(i32 condition)
  activelaneid,       // i32()
  activelanemask,     // i64(i32 condition, i32 word 0..3)
  activelanepermute,  // i64(i64 value, i32 lane, i64 identity, i32 use_identity)

  // Arithmetic that depends on the target's means.
  round32,     // float(i32 RoundedOp, i32 hsa_brig_round_t, float, float, float): rounds as said
  round64,     // double(same, double, double, double)
  f16_to_f32,  // float(i16)
  f32_to_f16,  // i16(float), rounds to nearest even
  native,      // float(i32 NativeOp, float)

  count,
};
inline constexpr size_t target_operation_count = static_cast<size_t>(TargetOperation::count);

/// Operations of TargetOperation::round32 and round64; those with fewer operands ignore the last ones.
enum class RoundedOp : uint32_t { add, sub, mul, div, sqrt, fma };

/// Operations of TargetOperation::fbarrier (PRM 9.2).
enum class FbarrierOp : uint32_t { init, join, wait, arrive, leave, release };

/// Operations of TargetOperation::native (PRM 5.14).
enum class NativeOp : uint32_t { sin, cos, exp2, log2 };

/// The declaration of a call in a module, made when it is not there yet. `address_space` is that of its
/// Ptr, if it has one.
llvm::Function* declare(llvm::Module& module, TargetOperation call, unsigned address_space = 0);

/// Whether a call has a Ptr among its result and arguments.
bool has_segment_pointer(TargetOperation call);

/// Which target operation a function of a module stands for, if it is one.
std::optional<TargetOperation> target_operation_of(const llvm::Function& function);

/// An argument that the description of the operation says is a constant.
uint64_t constant_argument(const llvm::CallInst& call, unsigned index);

}  // namespace heddle::finalizer
