// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the lanes of a wave converge again after calls. Lanes may diverge in a called function and return
// from it one after the other. ptxas 13.0, and with it the compiler of the driver, ignores that. After a
// call, operations with a mask of lanes (vote.sync, shfl.sync, match.sync, bar.warp.sync) do not wait for
// those lanes if they converged before the call and no branch of the calling function has parted them since.
// Barriers of the work-group do not wait for the rest of the wave, and atomic operations that ptxas combines
// for the lanes of a wave are lost for some of them.
#pragma once

#include <llvm/IR/Module.h>

namespace heddle::finalizer::ptx {

/// Has the lanes that make a call together meet behind it. To be called when nothing optimises the module any
/// more.
void meet_behind_calls(llvm::Module& module);

}  // namespace heddle::finalizer::ptx
