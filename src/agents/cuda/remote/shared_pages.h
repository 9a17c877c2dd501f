// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "support/descriptor.h"

namespace heddle::cuda {

/// Memory of whole pages in a file of its own, which another process can map. A child of a fork does not get
/// it, because it would share it with its parent. The destructor unmaps it.
class SharedPages {
 public:
  SharedPages() = default;
  /// Makes zeroed memory of at least `size` bytes, at addresses at which the system puts nothing by itself,
  /// if there are any left; empty if the system refuses.
  static SharedPages create(size_t size);
  /// Maps all of a file that another process has made; empty if the system refuses.
  static SharedPages open(Descriptor file, size_t size);
  SharedPages(SharedPages&& other) noexcept;
  SharedPages& operator=(SharedPages&& other) noexcept;
  ~SharedPages();

  explicit operator bool() const { return base_ != nullptr; }
  void* base() const { return base_; }
  size_t size() const { return size_; }
  int file() const { return file_.number(); }
  /// Closes the file; the memory stays.
  void close_file() { (void)file_.reset(); }

 private:
  static SharedPages map(Descriptor file, size_t size, void* wish);

  Descriptor file_;
  void* base_ = nullptr;
  size_t size_ = 0;
};

}  // namespace heddle::cuda
