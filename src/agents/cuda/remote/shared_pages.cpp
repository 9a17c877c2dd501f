// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/cuda/remote/shared_pages.h"

#include <sys/mman.h>

#include <atomic>
#include <cstdint>
#include <utility>

#include "support/align.h"

namespace heddle::cuda {
namespace {

constexpr size_t page = 4096;
/// Between the memory of clients (driver/shared_file.cpp) and the windows of the GPUs (device_memory.cpp).
constexpr uint64_t first_wish = 0x3800'0000'0000, wishes = uint64_t{1} << 42;
std::atomic<uint64_t> wished{0};

}  // namespace

SharedPages SharedPages::map(Descriptor file, size_t size, void* wish) {
  SharedPages pages;
  if (!file) return pages;
  void* base = mmap(wish, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  if (base == MAP_FAILED) return pages;
  madvise(base, size, MADV_DONTFORK);
  pages.file_ = std::move(file);
  pages.base_ = base;
  pages.size_ = size;
  return pages;
}

SharedPages SharedPages::create(size_t size) {
  size = align_up(size, page);
  Descriptor file(memfd_create("heddle-cuda", MFD_CLOEXEC));
  if (!file || ftruncate(file.number(), static_cast<off_t>(size)) != 0) return {};
  const uint64_t wish = first_wish + wished.fetch_add(size) % wishes;
  return map(std::move(file), size, reinterpret_cast<void*>(wish));
}

SharedPages SharedPages::open(Descriptor file, size_t size) {
  return map(std::move(file), align_up(size, page), nullptr);
}

SharedPages::SharedPages(SharedPages&& other) noexcept
    : file_(std::move(other.file_)),
      base_(std::exchange(other.base_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

SharedPages& SharedPages::operator=(SharedPages&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(base_, other.base_);
  std::swap(size_, other.size_);
  return *this;
}

SharedPages::~SharedPages() {
  if (base_) munmap(base_, size_);
}

}  // namespace heddle::cuda
