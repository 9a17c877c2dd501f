// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of several lanes behind calls. An operation that names its lanes (vote.sync, shfl.sync, match.sync,
// bar.warp.sync) has to wait until all of them have come. ptxas 13.0, and with it the compiler of the driver,
// leaves that out if the same lanes have met before and no branch of the function has parted them since, but takes
// no account of what lies between: in a function that was called, lanes part and come back one after the other.
#pragma once

#include <llvm/IR/Module.h>

namespace heddle::finalizer::ptx {

/// Has the first operation behind a call that names certain lanes name them in a way that ptxas cannot compare with
/// those of operations before the call. To be called when nothing optimises the module any more.
void wait_for_lanes_after_calls(llvm::Module& module);

}  // namespace heddle::finalizer::ptx
