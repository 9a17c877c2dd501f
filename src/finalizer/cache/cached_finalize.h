// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finalization with the cache of code objects in front of it, which is what clients get.
#pragma once

#include <vector>

#include <hsail/hsail.h>

#include "cache/settings.h"
#include "finalizer/finalize.h"

namespace heddle::finalizer {

/// Finalizes a program as finalize() does and serialises the code object into `bytes`; but if the cache has
/// it, takes it from there. The bytes and the diagnostics are the same either way. Programs that cannot be
/// finalized are not cached, nor are requests with a dump folder, which want the intermediate forms, nor
/// targets that are not worth it (Target::is_slow). A cache that cannot be used is no error; diagnostics say
/// why if people ought to know: settings that mean nothing ("FINALIZER-cache-setting") and a folder to which
/// other users have access ("FINALIZER-cache-folder"), as warnings. `environment` is secure_getenv, except in
/// tests.
FinalizeResult cached_finalize(link::Program& program, hsail_code_object_kind kind, const Isa* isa,
                               const FinalizeOptions& options, const hsail_control_directives* directives,
                               cache::Environment environment, std::vector<std::byte>& bytes,
                               Diagnostics& diagnostics);

}  // namespace heddle::finalizer
