// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/early_return.h"

#include "hsail/brig/pragma_operands.h"
#include "hsail/link/pragma.h"

namespace heddle::finalizer {

void check_early_return_pragmas(const link::Program& program, Diagnostics& diagnostics) {
  for (const link::NamedPragma& found : link::find_pragmas(program, link::early_return_pragma)) {
    const auto fail = [&](const char* message) {
      diagnostics.error("FINALIZER-early-return", Location::binary("hsa_code", found.pragma.offset), message);
    };
    const brig::Module& module = program.modules()[found.pragma.module];
    if (brig::PragmaOperands(module, found.pragma.offset).size() != 1)
      fail("the pragma heddle.early_return has no operands");
    else if (!found.in_code_block)
      fail("the pragma heddle.early_return belongs into the kernel or function whose barriers it concerns");
  }
}

bool may_return_early(const link::Program& program, link::Reference kernel) {
  return link::find_pragma(program, kernel, link::early_return_pragma).has_value();
}

}  // namespace heddle::finalizer
