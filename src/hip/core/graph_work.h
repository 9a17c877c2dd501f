// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What nodes of graphs do.
#pragma once

#include "hip/core/graph.h"

namespace heddle::hip {

/// Does the work of a node in a stream; not for kernels, child graphs and empty nodes. Memory of the program
/// is accessed when it is the work's turn. Throws Failure.
void do_work(const Work& work, Stream& stream);

/// Returns the work of a node of the graph that frees memory. Throws Failure (InvalidValue) if the memory is
/// not that of a graph, or a node of this one frees it already.
FreeWork free_work(const Graph& graph, const void* address);

/// Check what a program says of a node for the current device, and throw Failure if it cannot be done.
void check_work(const CopyBytes& copy);
void check_work(const hipMemcpy3DParms& copy);
void check_work(const HIP_MEMCPY3D& copy);
void check_work(const CopySymbol& copy, Device& device);
void check_work(const hipMemsetParams& fill);

}  // namespace heddle::hip
