// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The calls by which SPMD IR asks the target for everything that depends on it: who the work-item is, where
// its segments are, how it communicates (design D5).
#pragma once

#include <cstdint>
#include <optional>

#include "finalizer/llvm.h"

namespace heddle::finalizer {

/// One `hsail.*` function, with its type beside it. Ptr is a pointer to a segment, in the target's address
/// space for it. If that space is not 0, its number is at the end of the function's name, as in
/// `hsail.atomic.i32.p3`. Float and Double are a number or a vector of numbers, and all those of one function
/// have the same length. The length of a vector is at the end of the name, as in `hsail.flush.f32.v4`. All
/// other arguments are scalars, so that a target can lower each call separately.
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

  // Communication. These operations are convergent, except image, and may have any effect on memory.
  barrier,      // void()
  wavebarrier,  // void()
  memfence,     // void(i32 order, i32 scope)
  atomic32,     // i32(i32 operation, i32 type, i32 order, i32 scope, Ptr, i32, i32):
                // HSA_BRIG_ATOMIC_OPERATION_*, ...
  atomic64,     // i64(same, i64, i64)
  fbarrier,     // void(i32 FbarrierOp, i32 handle): the handle is the offset in the group segment
  signal,  // i64(i32 HSA_BRIG_ATOMIC_OPERATION_*, i64 signal, i64 value, i64 value or timeout): waits too
  signal_wait,  // void(i32 operation, i64 lanes, ptr signals, ptr values, ptr timeouts): waits for each lane
                // that has a bit in `lanes`, whose elements the arrays of i64 have. What a lane sees replaces
                // its value. Only the wave vectoriser makes it
  queue_index,  // Ptr(i64 queue, i32 write): the address of a user mode queue's write index; 0: read index
  exceptions,   // void(i32 exact::Description, i64, i64, i64): reports what the operation on these
                // sources raises
  get_detected,    // i32(): exceptions that the wave has raised (PRM 11.2)
  clear_detected,  // void(i32)
  set_detected,    // void(i32)
  image,           // void(i32 opcode, i32 geometry, i32 type, i32 detail, i64 image, i64 sampler, ptr words):
                   // detail is the type of the coordinates or the property; words are 4 coordinates, then 4
                   // components
  event,           // void(i64 event, i32 count, ptr values): triggers a profile event (PRM 13.4.2.1.1). The
                   // values are pairs of i64: an EventValueKind, and bits
  clock,           // i64()
  yield,           // void(i32 every): lets other waves run, once in `every` executions by a wave
  trap,            // void(i32 reason, i32 detail), does not return
  check_private,   // void(i32 bytes): traps if the private segment has fewer bytes

  // Cross-lane operations (PRM 9.4), which depend on the active lanes of the wave. They are convergent and do
  // not access memory.
  activelanecount,    // i32(i32 condition)
  activelaneid,       // i32()
  activelanemask,     // i64(i32 condition, i32 word 0..3)
  activelanepermute,  // i64(i64 value, i32 lane, i64 identity, i32 use_identity)

  // Arithmetic for which targets have different instructions. Where `ftz` is 1, subnormal sources and tiny
  // results become zeros of their sign (PRM 4.19.3). Whether a result is tiny is decided after rounding as if
  // the exponent had no limit (PRM 4.19.2). So a result that is rounded up to the least normal number may be
  // tiny, too.
  arithmetic32,  // Float(i32 RoundedOp, i32 hsa_brig_round_t, i32 ftz, Float, Float, Float)
  arithmetic64,  // Double(same, Double, Double, Double)
  narrow_ftz,    // Float(i32 hsa_brig_round_t, Double): f64 to f32, with ftz
  flush32,       // Float(Float): makes a subnormal number a zero of its sign. A NaN may become quiet
  flush64,       // Double(Double)
  min32,         // Float(i32 ftz, Float, Float): -0 is less than +0. A number wins over a quiet NaN; a
                 // signalling NaN, the first of two, wins over all and becomes quiet (PRM 4.19.4, 5.12)
  min64,         // Double(i32 ftz, Double, Double)
  max32,         // as min32
  max64,         // as min64
  f16_to_f32,    // Float(Half)
  f32_to_f16,    // Half(Float), rounds to nearest even
  native,        // Float(i32 NativeOp, Float)

  count,
};
inline constexpr size_t target_operation_count = static_cast<size_t>(TargetOperation::count);

/// Operations of TargetOperation::arithmetic32 and arithmetic64; those with fewer operands ignore the last
/// ones.
enum class RoundedOp : uint32_t { add, sub, mul, div, sqrt, fma };

constexpr unsigned operand_count(RoundedOp op) {
  return op == RoundedOp::sqrt ? 1 : op == RoundedOp::fma ? 3 : 2;
}

/// Operations of TargetOperation::fbarrier (PRM 9.2).
enum class FbarrierOp : uint32_t { init, join, wait, arrive, leave, release };

/// What a value of TargetOperation::event is: a number, the address of a string, or the ID of the queue, for
/// which the bits are 0.
enum class EventValueKind : uint64_t { number32, number64, string, queue_id };

/// Operations of TargetOperation::native (PRM 5.14).
enum class NativeOp : uint32_t { sin, cos, exp2, log2 };

/// Selects one of the functions that a target operation may have.
struct OperationForm {
  unsigned address_space = 0;  ///< of its Ptr, if it has one
  unsigned lanes = 1;          ///< the length of its vectors, or 1 if it has none
  friend auto operator<=>(const OperationForm&, const OperationForm&) = default;
};

/// Returns the declaration of a target operation and adds it if the module has none yet.
llvm::Function* declare(llvm::Module& module, TargetOperation call, const OperationForm& form = {});

/// Reports whether the result or an argument of an operation is a Ptr.
bool has_segment_pointer(TargetOperation call);
/// Reports whether an operation takes vectors.
bool has_vector_form(TargetOperation call);
/// Reports whether this argument of an operation that takes vectors is a Float, a Double or a Half.
bool is_vector_argument(TargetOperation call, unsigned index);

/// Returns the target operation with this name ("hsail...."), without the ending that tells a form.
std::optional<TargetOperation> target_operation_named(llvm::StringRef name);
/// Returns the target operation that a function of a module declares, if it is one.
std::optional<TargetOperation> target_operation_of(const llvm::Function& function);

/// Returns an argument that, by the description of the operation, is a constant.
uint64_t constant_argument(const llvm::CallInst& call, unsigned index);

}  // namespace heddle::finalizer
