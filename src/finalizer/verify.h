// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's verifier over what the finalizer makes. Without it, wrong IR becomes wrong code or a crash, much
// later.
#pragma once

#include <cstdint>
#include <string_view>

#include "support/result.h"

namespace llvm {
class Module;
}

namespace heddle::finalizer {

/// Whether this build verifies: builds with assertions do (presets `checked`, `asan` and `debug`). The others
/// spare finalization the time.
#ifdef NDEBUG
inline constexpr bool verifies_modules = false;
#else
inline constexpr bool verifies_modules = true;
#endif

/// An Error that names the stage and the violated rule if the module or its debug information breaks the
/// rules of LLVM IR; success in builds that do not verify. `stage` says what the module has been through:
/// "lowering to SPMD IR".
Result<void> verify(const llvm::Module& module, std::string_view stage);

/// How many modules this process has verified: with it a test shows that none goes past the verifier. Thread
/// safe.
uint64_t verified_modules();

}  // namespace heddle::finalizer
