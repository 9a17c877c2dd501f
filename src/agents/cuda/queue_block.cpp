// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/queue_block.h"

#include <sys/mman.h>

#include <new>

namespace heddle::cuda {

Driven<std::unique_ptr<QueueBlock>> QueueBlock::create(HostMemory& host) {
  // Pages of its own, because what lies on a page that the GPU accesses should not come and go.
  void* memory = mmap(nullptr, sizeof(Words), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return DriverError{Status::out_of_memory, "no host memory for a queue"};
  if (auto added = host.add(memory, sizeof(Words)); !added) {
    munmap(memory, sizeof(Words));
    return added.error();
  }
  return std::unique_ptr<QueueBlock>(new QueueBlock(host, new (memory) Words));
}

QueueBlock::~QueueBlock() {
  host_.remove(words_);
  munmap(words_, sizeof(Words));
}

}  // namespace heddle::cuda
