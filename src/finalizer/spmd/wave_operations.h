// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The calls by which the function of a wave asks the target for what concerns single lanes, beside the scalar
// target operations (lower/target_operations.h), which in such a function concern the wave: they ask about
// lane 0, or act for all active lanes.
#pragma once

#include <optional>

#include "finalizer/lower/target_operations.h"
#include "finalizer/spmd/parts.h"

namespace heddle::finalizer::spmd {

/// How the function of a wave calls an operation.
struct WaveOperation {
  enum class Form : uint8_t {
    /// `hsail.wave.NAME.vN`, for operations with a result: takes the arguments of the operation and then, as
    /// a
    /// constant i32, the first lane of a part of N lanes. Returns the results of these lanes.
    part,
    /// `hsail.lane.NAME`: takes the number of a lane (i32) and then the arguments of the operation, which is
    /// executed by that lane.
    lane,
  };
  TargetOperation operation;
  Form form;
};

/// Returns the declaration of an operation for a part and adds it if the module has none yet. `scalar` is
/// that of the operation.
llvm::Function* declare_for_part(llvm::Function& scalar, const WaveShape& wave);
/// The same, for a lane.
llvm::Function* declare_for_lane(llvm::Function& scalar);

/// Returns which form of which operation a function of a module declares, if it is one of these.
std::optional<WaveOperation> wave_operation_of(const llvm::Function& function);

}  // namespace heddle::finalizer::spmd
