// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lanes of a wave behind calls. In a function that was called lanes part, and come back one after the
// other. ptxas 13.0, and with it the compiler of the driver, takes no account of that: operations that name
// their lanes (vote.sync, shfl.sync, match.sync, bar.warp.sync) do not wait for them behind a call if the
// same lanes have met before it and no branch of the calling function has parted them since; barriers of the
// work-group do not wait for the rest of the wave; and atomic operations that it combines for the lanes of a
// wave lose some.
#pragma once

#include <llvm/IR/Module.h>

namespace heddle::finalizer::ptx {

/// Has the lanes that make a call together meet behind it. To be called when nothing optimises the module any
/// more.
void meet_behind_calls(llvm::Module& module);

}  // namespace heddle::finalizer::ptx
