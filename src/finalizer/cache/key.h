// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <hsail/hsail.h>

#include "finalizer/options.h"
#include "hsail/link/program.h"

namespace heddle::finalizer::cache {

/// A BLAKE3 digest of everything that determines a code object and the diagnostics of its finalization. It
/// resists deliberate collisions, because a program may finalize modules from different sources.
using Key = std::array<uint8_t, 32>;

/// What is to be finalized. `isa` is the name of the ISA; `directives` may be null.
struct Request {
  const link::Program& program;
  hsail_code_object_kind kind;
  std::string_view isa;
  const FinalizeOptions& options;
  const hsail_control_directives* directives;
};

/// `build` identifies the code that finalizes (build_id.h). With debug information the current folder counts,
/// too, because it is in the code object.
Key key_of(const Request& request, std::string_view build);

/// Returns the key in hexadecimal digits, the name of its file.
std::string to_text(const Key& key);

}  // namespace heddle::finalizer::cache
