// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entries that the GPU may begin before the kernel ahead of them in their stream has ended. From compute
// capability 9.0 on, the GPU can prepare a kernel, and place its work-groups, while the one before it writes
// back what it has stored, which saves a microsecond between two kernels of a row. Such an entry waits for
// its predecessor by itself, before it does anything else (codeobject::kernel_waits_for_predecessor).
//
// The wait is added to the text, because LLVM takes loads of memory that does not change during a kernel
// (`ld.global.nc`) past everything, and the predecessor may have written that memory.
#pragma once

#include <string>
#include <string_view>

namespace heddle::finalizer::ptx {

/// Returns the PTX with such a wait as the first instruction of each entry. The text is that of LLVM, with an
/// instruction in each line.
std::string with_waits_for_predecessors(std::string_view ptx);

}  // namespace heddle::finalizer::ptx
