// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The modules of the corpus: NAME() is in NAME.cpp, and has the cases for the kernels in NAME.cl or NAME.hip.
#pragma once

#include "bench.h"

namespace heddle::corpus {

Module integers();
Module conversions();

}  // namespace heddle::corpus
