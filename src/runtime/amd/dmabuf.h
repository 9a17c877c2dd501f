// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dma-bufs of Linux: memory that drivers of the system can import.
#pragma once

namespace heddle::runtime::amd {

/// Whether the system makes dma-bufs of the memory of pools for this process.
bool has_dmabuf();

}  // namespace heddle::runtime::amd
