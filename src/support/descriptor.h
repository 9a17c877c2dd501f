// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <unistd.h>

#include <utility>

namespace heddle {

/// Owns a file descriptor, or none (-1). Closing it releases its locks.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  explicit operator bool() const { return number_ >= 0; }
  int number() const { return number_; }
  /// Gives up the file without closing it.
  int release() { return std::exchange(number_, -1); }
  /// Closes the file. Returns false if the system reports that data written before was lost.
  bool reset() {
    const int old = std::exchange(number_, -1);
    return old < 0 || ::close(old) == 0;
  }

 private:
  int number_;
};

}  // namespace heddle
