// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The device library of OpenCL C: what libclc lacks, or does in ways that HSAIL cannot express. It is one unit, because parts use each other.
#include "hsail.h"
#include "types.h"

#include "work_items.cl"

#include "synchronization.cl"

#include "address_spaces.cl"

#include "async_copy.cl"

#include "atomics.cl"

#include "clock.cl"

#include "math.cl"

#include "half_stores.cl"

#include "hip_math.cl"

#include "images.cl"

#include "integers.cl"

#include "native.cl"

#include "printf.cl"

#include "printf_result.cl"

#include "messages.cl"

#include "heap.cl"

#include "sub_groups.cl"

#include "work_groups.cl"

#include "hip.cl"

#include "hip_grids.cl"

#include "amdgcn.cl"

#include "hip_textures.cl"

#include "hip_images.cl"

// Last, because a definition hides the overloads of the same name that clang would declare.
#include "math_edges.cl"

#include "hip_special.cl"
