// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses in group memory as x86 instructions form them.
#pragma once

namespace llvm {
class Function;
}  // namespace llvm

namespace heddle::finalizer::x86 {

/// Lets instructions add the constant parts of group addresses, which LLVM computes one by one otherwise.
///
/// A group address has 32 bits (PRM 2.8.2), so LLVM must add the constant of `x + constant` with 32 bits
/// before it extends the sum to the 64 bits of a pointer, in case the sum wraps around. An unrolled loop has
/// such an addition for every access. But group segments are far smaller than 2^31 bytes, and an access
/// outside of the segment has no defined result. The sum of an address inside of the segment and of the small
/// constants that this function looks at is therefore the same if x is extended as a signed number and the
/// constant is added to the pointer, where it costs nothing.
///
/// Must be called after all passes over the IR. `address_space` is that of pointers to group memory. Returns
/// whether it changed anything.
bool fold_group_offsets(llvm::Function& function, unsigned address_space);

}  // namespace heddle::finalizer::x86
