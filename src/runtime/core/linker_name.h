// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of symbols: how they are made, and which spellings of clients mean the same (docs/spec-decisions.md).
#pragma once

#include <string>
#include <string_view>

namespace heddle::runtime {

struct SplitName {
  std::string_view symbol;
  std::string_view module;  ///< empty for program linkage
};

/// `&name` has program linkage; `&module::&name` is a symbol of a module, also `&module::&kernel::%name`.
/// False if it is neither.
bool split_linker_name(std::string_view linker_name, SplitName& names);

/// The inverse; the module is empty for program linkage. False if the symbol name is none.
bool join_linker_name(std::string_view symbol, std::string_view module, std::string& linker_name);

/// Whether a client that asks for `asked` means `name`: with or without the leading & of HSAIL, and with the
/// suffix ".kd" that clients of other runtimes append to kernels.
bool names_match(std::string_view name, std::string_view asked);

/// The name without its leading &.
std::string_view bare_name(std::string_view name);

}  // namespace heddle::runtime
