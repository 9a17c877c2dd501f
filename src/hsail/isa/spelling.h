// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

#include "hsail/isa/isa.h"

/// Words for fields and their values.
namespace heddle::isa {

/// Name of a field for diagnostics and rule ids: "memory_order".
std::string_view field_name(Field field);

/// The token of a value in a mnemonic, without underscore: "scacq", "v4", "u32". Empty if it has none, for
/// example the flat segment. Fields of SlotForm::name only.
std::string_view token(Field field, unsigned value);

/// A value for diagnostics; never empty.
std::string value_name(Field field, unsigned value);

/// Name of an entry kind for diagnostics: "inst_mod", or a number.
std::string kind_name(unsigned kind);

}  // namespace heddle::isa
