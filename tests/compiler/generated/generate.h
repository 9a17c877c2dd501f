// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generated programs of OpenCL C: a kernel, the functions that it calls, and its dispatch.
#pragma once

#include <string>

#include "tools/fuzz/program.h"

namespace heddle::tests {

inline constexpr uint32_t input_size = 128;    ///< bytes of input for each work-item
inline constexpr uint32_t output_size = 4096;  ///< bytes of results for each work-item
inline constexpr uint32_t shared_size = 128;   ///< bytes of counters that all work-items change
inline constexpr uint32_t most_items = 64, most_in_group = 32;

/// What begins each source: extensions and a macro.
extern const char* const prelude;

/// Returns the program of a seed. Its text has marks (expressions.h). The names of everything at file scope
/// contain the seed, so that programs of several seeds can be one source.
tools::fuzz::Program generate_program(uint64_t seed);

/// Returns the source text of a program without the prelude.
std::string source_of(const tools::fuzz::Program& program);

}  // namespace heddle::tests
