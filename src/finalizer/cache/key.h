// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include <hsail/hsail.h>

#include "cache/key.h"
#include "finalizer/options.h"
#include "hsail/link/program.h"

namespace heddle::finalizer {

/// What is to be finalized. `isa` is the name of the ISA; `directives` may be null.
struct CacheRequest {
  const link::Program& program;
  hsail_code_object_kind kind;
  std::string_view isa;
  const FinalizeOptions& options;
  const hsail_control_directives* directives;
};

/// Digests everything that determines a code object and the diagnostics of its finalization. `build`
/// identifies the code that finalizes (build_id.h). With debug information the current folder counts, too,
/// because it is in the code object.
cache::Key key_of(const CacheRequest& request, std::string_view build);

}  // namespace heddle::finalizer
