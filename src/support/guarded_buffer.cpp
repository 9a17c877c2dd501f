// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/guarded_buffer.h"

#include <sys/mman.h>

#include <new>

#include "support/align.h"

namespace heddle {

GuardedBuffer::GuardedBuffer(size_t size, Guard guard) : size_(size), pages_(align_up(size, page)) {
  void* memory = ::mmap(nullptr, pages_ + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<uint8_t*>(memory);
  if (pages_ != 0 && ::mprotect(pages(), pages_, PROT_READ | PROT_WRITE) != 0) {
    ::munmap(base_, pages_ + 2 * page);
    throw std::bad_alloc();
  }
  data_ = pages() + (guard == Guard::behind ? pages_ - size : 0);
}

GuardedBuffer::~GuardedBuffer() { ::munmap(base_, pages_ + 2 * page); }

}  // namespace heddle
