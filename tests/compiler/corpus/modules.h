// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The modules of the corpus: NAME() is in NAME.cpp, and has the cases for the kernels in NAME.cl or NAME.hip.
#pragma once

#include "bench.h"

namespace heddle::corpus {

// OpenCL C
Module atomics();
Module control();
Module conversions();
Module groups();
Module integers();
Module memory();
Module vectors();

// HIP
Module device();
Module language();
Module waves();

}  // namespace heddle::corpus
