// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hsam/hsam.h>

#include <span>
#include <vector>

#include "codeobject/code_object.h"
#include "support/result.h"

namespace heddle::cuda {

/// What the table of addresses of a code object may refer to, by number. Kernel handles are those of kernel
/// objects.
struct Addresses {
  std::vector<uint64_t> variables;
  std::vector<bool> known;  ///< which of the variables have an address
  std::vector<uint64_t> kernels, functions;
};

/// Puts the addresses of variables in their places. Fails if there is one for a variable that is not there.
Result<Addresses, Error> addresses_of(const codeobject::CodeObject& object,
                                      std::span<const hsam_variable_address> variables);

/// Fills the table: the data of the code object with its relocations. Fails if the data is no table of 64-bit
/// words, or refers to something without an address.
Result<std::vector<uint64_t>, Error> address_table(const codeobject::CodeObject& object,
                                                   const Addresses& addresses);

}  // namespace heddle::cuda
