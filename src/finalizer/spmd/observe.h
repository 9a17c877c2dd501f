// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which code can tell how many lanes a wave has and which work-items they are, or where work-groups begin.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string_view>

#include "finalizer/lower/spmd.h"

namespace heddle::finalizer::spmd {

/// Returns by what a call can tell how the work-items are distributed among waves (design D4): the name of an
/// instruction or of a property of it, for people to read. Returns nothing for all other calls.
std::optional<std::string_view> observation(const llvm::CallBase& call);

/// For each function that observes waves, itself or in a function that it calls, one thing by which it does.
/// Such a function has to be executed in waves of WAVESIZE work-items with consecutive flattened IDs. All
/// others may be executed in waves of any length, of any work-items of one work-group. Indirect functions
/// count as observers, because their callers, which may be in other programs, need to know the length.
std::map<const llvm::Function*, std::string_view> wave_observers(
    const llvm::Module& module, std::span<const SpmdIndirectFunction> indirect_functions);

/// Returns the functions that can tell, themselves or in a function that they call, whether work-groups that
/// follow each other in x are executed as one large group: they have barriers or variables of their group, or
/// ask for IDs and sizes in x other than workitemabsid, gridsize and the like. To be called before LLVM
/// simplifies the functions, because it looks for workitemabsid as lowering has written it.
llvm::DenseSet<const llvm::Function*> group_observers(
    const llvm::Module& module, std::span<const SpmdIndirectFunction> indirect_functions);

}  // namespace heddle::finalizer::spmd
