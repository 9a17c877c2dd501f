// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the function of a wave from a linearised function.
#pragma once

#include <vector>

#include "finalizer/spmd/costly_operations.h"
#include "finalizer/spmd/parts.h"
#include "finalizer/spmd/spmd_function.h"
#include "support/result.h"

namespace heddle::finalizer::spmd {

/// What the vectors of a machine can do. Otherwise its vectors are those of AVX2.
struct VectorMachine {
  /// Whether there are registers for masks, masked accesses to memory for elements of every size, and both
  /// gathers and scatters of 32 and 64 bits, as in AVX-512.
  bool has_mask_registers = false;
};

/// The functions of waves (wave_functions.h) by the scalar functions that calls name.
using WaveFunctions = llvm::DenseMap<const llvm::Function*, llvm::Function*>;

struct WidenRequest {
  WaveShape wave;
  VectorMachine machine;
  /// The functions that may be called by name. They need not have bodies yet. If this is null, handles are
  /// not those of functions of waves, and no function may be called at all.
  const WaveFunctions* functions = nullptr;
  bool explains = false;  ///< whether to list WideFunction::costly
};

/// The function of a wave, in the module of the scalar function.
///
/// The arguments of the scalar function become these arguments, in their order:
/// - one of the same type if the argument's shape is uniform;
/// - one of the same type if it is strided: the value of lane 0, whether that lane is active or not;
/// - if it is varying, the parts (parts.h) of the argument, one after the other. An i1 becomes a mask
///   (lane_masks.h): <n x i1> if the machine has mask registers, and otherwise <n x i32> of 0 and -1.
/// So if the mask of the entry is an argument, the caller passes which lanes are active, and at least one is.
/// If it is `true`, the caller guarantees that all are.
///
/// A call of a function becomes a call of the function of the wave, with the active lanes as its mask. If the
/// lanes call different functions, there is one call for each function, with those lanes that call it. A
/// handle of a function is the address of the function of the wave.
///
/// Target operations ask for the work-item of lane 0 in their scalar form (lower/target_operations.h), and
/// for those of all lanes of a part in their form for waves (wave_operations.h). Operations that have an
/// effect are executed once for the wave, or once for each active lane.
struct WideFunction {
  llvm::Function* function = nullptr;
  /// What costs much, counted in instructions of the scalar function.
  unsigned gathers = 0;
  unsigned scatters = 0;
  /// Operations that are executed for one lane after the other, and calls of one callee after the other.
  unsigned lane_loops = 0;
  std::vector<CostlyOperation> costly;  ///< each of these, if WidenRequest::explains
  bool may_refuse = false;  ///< whether it may do nothing but say that it is not for a wave (entry_tests.h)
};

struct WaveEffects;

/// Widens a linearised and verified function, which returns nothing. Takes the debug information of the
/// scalar function; that function is of no use afterwards but to be deleted. The body goes into `declared`,
/// which declare_wave_function() (wave_functions.h) has made for the scalar function as it was without a
/// mask, or into a new function if `declared` is null. If something cannot be widened, leaves the module as
/// it was and returns an Error that says what and why, for people to read. The result has been verified
/// (verify_wave.h); what that took goes into `effects` unless it is null.
Result<WideFunction> widen(const SpmdFunction& state, const WidenRequest& request,
                           llvm::Function* declared = nullptr, WaveEffects* effects = nullptr);

}  // namespace heddle::finalizer::spmd
