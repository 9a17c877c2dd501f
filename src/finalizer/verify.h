// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs LLVM's verifier over the IR that the finalizer makes. Without it, wrong IR would show much later, as
// wrong code or a crash.
#pragma once

#include <cstdint>
#include <string_view>

#include "support/result.h"

namespace llvm {
class Module;
}

namespace heddle::finalizer {

/// Whether this build verifies, as builds with assertions do (presets `checked`, `asan` and `debug`). The
/// others save the time.
#ifdef NDEBUG
inline constexpr bool verifies_modules = false;
#else
inline constexpr bool verifies_modules = true;
#endif

/// Returns an Error that names the stage and the violated rule if the module or its debug information breaks
/// the rules of LLVM IR. Always succeeds in builds that do not verify. `stage` says what the module has been
/// through, such as "lowering to SPMD IR".
Result<void> verify(const llvm::Module& module, std::string_view stage);

/// Returns how many modules this process has verified, so that a test can show that none bypasses the
/// verifier. Thread safe.
uint64_t verified_modules();

}  // namespace heddle::finalizer
