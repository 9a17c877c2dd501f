// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

#include "hsail/isa/isa.h"

/// Names of fields and of their values.
namespace heddle::isa {

/// Returns the name of a field for diagnostics and rule ids, such as "memory_order".
std::string_view field_name(Field field);

/// Returns the token of a value in a mnemonic without its underscore: "scacq", "v4", "u32". Empty if it has
/// none, like the flat segment. Only for fields of SlotForm::name.
std::string_view token(Field field, unsigned value);

/// Returns text for a value in diagnostics, which is never empty.
std::string value_name(Field field, unsigned value);

/// Returns the name of an entry kind for diagnostics, such as "inst_mod", or a number.
std::string kind_name(unsigned kind);

}  // namespace heddle::isa
