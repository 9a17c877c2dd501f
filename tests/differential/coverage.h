// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "hsail/isa/isa.h"

namespace heddle::testing {

/// Records that interpreter and compiled code both executed the form of an instruction (its canonical
/// mnemonic) and that the results were compared. When all tests of the program have run, each form of the
/// instruction tables must have been recorded, except for the instructions that coverage.cpp lists with a
/// reason.
void record_form(const std::string& mnemonic);

/// Reports whether no test here can exercise the form: loads and stores of images, samplers and signals in
/// the spill and arg segments, whose variables have no address and cannot be written as another type (PRM
/// 6.3.3).
bool is_out_of_reach(const isa::Fields& fields);

}  // namespace heddle::testing
