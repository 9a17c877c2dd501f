// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/queue_block.h"

#include <new>

namespace heddle::cuda {

Driven<std::unique_ptr<QueueBlock>> QueueBlock::create(HostMemory& host) {
  const auto memory = host.allocate(sizeof(Words));
  if (!memory) return memory.error();
  return std::unique_ptr<QueueBlock>(new QueueBlock(host, new (*memory) Words));
}

QueueBlock::~QueueBlock() { host_.release(words_, sizeof(Words)); }

}  // namespace heddle::cuda
