// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A shared allocation of another process in this one.
#pragma once

#include "driver/driver.h"
#include "driver/shared_file.h"

namespace heddle::driver {

struct ExportSlot;

/// Memory of another process, or of this one, that is mapped here. The destructor unmaps it.
class SharedImport {
 public:
  /// INVALID_ARGUMENT if the name does not denote memory that is shared; OUT_OF_RESOURCES.
  static StatusOr<SharedImport> open(const SharedName& name);

  SharedImport(SharedImport&& other) noexcept;
  SharedImport& operator=(SharedImport&& other) noexcept;
  ~SharedImport();

  std::byte* base() const { return memory_.base(); }
  /// Bytes, rounded up to pages.
  size_t size() const { return memory_.size(); }

 private:
  SharedImport() = default;
  SharedMapping control_;  ///< the page of the slot
  SharedMapping memory_;
  ExportSlot* slot_ = nullptr;  ///< in which this mapping is counted
};

}  // namespace heddle::driver
