// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of symbols: their structure, and the spellings that clients may use for the same symbol
// (docs/spec-decisions.md).
#pragma once

#include <string>
#include <string_view>

namespace heddle::runtime {

struct SplitName {
  std::string_view symbol;
  std::string_view module;  ///< empty for program linkage
};

/// Splits a linker name. `&name` has program linkage; `&module::&name` and `&module::&kernel::%name` have
/// module linkage. Returns false if the name has neither form.
bool split_linker_name(std::string_view linker_name, SplitName& names);

/// The inverse of split_linker_name(); `module` is empty for program linkage. Returns false if `symbol` is
/// not a valid symbol name.
bool join_linker_name(std::string_view symbol, std::string_view module, std::string& linker_name);

/// Reports whether a client that asks for `asked` means `name`. The leading & of HSAIL is optional, and the
/// suffix ".kd", which clients of other runtimes append to kernel names, is ignored.
bool names_match(std::string_view name, std::string_view asked);

/// Returns the name without its leading &.
std::string_view bare_name(std::string_view name);

}  // namespace heddle::runtime
