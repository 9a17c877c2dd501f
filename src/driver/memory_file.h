// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files in memory, which several processes can map and which have no name in the file system (memfd).
#pragma once

#include <cstdint>
#include <optional>

#include "support/descriptor.h"
#include "support/fork_handler.h"

namespace heddle::driver {

/// Creates a file of `size` bytes, of which no memory is used before they are touched. Nobody can make it
/// shorter, because an access to a page that is cut off ends a process. Seals of fcntl(2) may be added.
/// Returns none, with errno, if the system refuses.
Descriptor create_memory_file(const char* name, uint64_t size, int more_seals = 0);

/// Makes a file at least so long. Returns false, with errno, if the system refuses.
bool extend_file(const Descriptor& file, uint64_t size);

/// Returns the size of a file in memory or of a dma-buf; nothing for anything else. The position of the file
/// stays what it is, since others may use it.
std::optional<uint64_t> size_of_memory_file(int file);

/// Holds a file that a child of a fork must not keep: its memory would be in use for as long as the child
/// lives.
class FileOfThisProcess {
 public:
  explicit FileOfThisProcess(Descriptor file = Descriptor()) : file_(std::move(file)) {}
  FileOfThisProcess(const FileOfThisProcess&) = delete;
  FileOfThisProcess& operator=(const FileOfThisProcess&) = delete;

  explicit operator bool() const { return static_cast<bool>(file_); }
  int number() const { return file_.number(); }
  const Descriptor& get() const { return file_; }
  void set(Descriptor file) { file_ = std::move(file); }

 private:
  Descriptor file_;
  const ForkHandler fork_handler_{
      [](void* file) noexcept { (void)static_cast<FileOfThisProcess*>(file)->file_.reset(); }, this};
};

}  // namespace heddle::driver
