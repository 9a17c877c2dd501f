// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace heddle::finalizer {

/// How a program is to be finalized, for any target. Whatever in the environment changes code objects or
/// diagnostics must be a member, so that it becomes part of the key in the cache of code objects.
struct FinalizeOptions {
  unsigned opt_level = 2;  ///< 0..3, as -O0 .. -O3
  bool debug = false;      ///< -g, or HEDDLE_DEBUG in the environment: opt_level 0 unless -O says otherwise
  bool verbose = false;    ///< -v: say of each kernel how it was compiled
  bool row_bodies = true;  ///< false with -no-row-bodies: waves in rows of work-items have no code of their
                           ///< own, so that tests execute the code of all other waves
  bool check_addresses = false;  ///< -check-addresses, or HEDDLE_CHECK_ADDRESSES in the environment: code
                                 ///< for NVIDIA GPUs checks addresses before it uses them
  bool lazy = false;   ///< -lazy: leave the code of kernels to later finalizations with -kernel, if the
                       ///< program and the target permit it
  std::string kernel;  ///< -kernel=NAME: the linker name of the only kernel to make code of; empty: of all
  std::string dump_folder;  ///< where targets write intermediate forms; empty: nowhere
};

/// Whether an environment variable says yes: it is neither empty nor "0". None does in a process with the
/// rights of another user (docs/environment.md).
bool environment_says_yes(const char* name);

/// Reads blank-separated options; unknown ones are ignored (Runtime 3.2.1.18). `text` may be null.
FinalizeOptions parse_options(const char* text);

/// Returns options of which parse_options() makes the same, but for `lazy`, `kernel` and `dump_folder`.
std::string text_of(const FinalizeOptions& options);

}  // namespace heddle::finalizer
