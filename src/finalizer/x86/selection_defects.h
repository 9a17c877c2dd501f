// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Defects of LLVM's instruction selection for AVX-512 (LLVM 22), and code that does not meet them.
#pragma once

namespace llvm {
class Function;
}  // namespace llvm

namespace heddle::finalizer::x86 {

/// Rewrites what instruction selection for AVX-512 translates wrongly. Must be called after all passes over
/// the IR, which would undo the changes. There are two such defects:
///
/// - A `select` between x and (x & constant) | (y & ~constant) becomes one VPTERNLOG under a mask, whose
///   operands have changed places while its table has not. Copies of a sign and insertions of bit strings in
///   divergent code have this form.
/// - A masked store of truncated integers whose mask is a constant with one active element stores that
/// element
///   without truncating it, and so overwrites its neighbours.
///
/// Returns whether it changed anything.
bool avoid_selection_defects(llvm::Function& function);

}  // namespace heddle::finalizer::x86
