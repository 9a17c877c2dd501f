#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds the CUDA side of bench-cuda: build_side.sh LIBRARY [NVCC]. It needs nothing of heddle, and has code for GPUs from sm_80 to
# sm_90; newer ones compile its PTX.
set -eu
cd "$(dirname "$0")"
exec "${2:-nvcc}" -O3 -std=c++17 -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 \
  -gencode arch=compute_90,code=compute_90 -shared -Xcompiler -fPIC -cudart static -o "$1" kernels.cu cuda_side.cu
