// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string>

#include "hsail/isa/isa.h"

namespace heddle::testing {

/// Calls visit(mnemonic text, mnemonic) for every legal combination of types and modifiers of the instruction
/// in the full profile and large machine model, straight from the instruction tables. Modifiers that are only
/// hints (width, equiv) keep their default.
void for_each_mnemonic(const isa::Instruction& instruction,
                       const std::function<void(const std::string&, const isa::Mnemonic&)>& visit);

}  // namespace heddle::testing
