// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared allocations in other processes.
//
// A process tells another one of an allocation by a name that says in which process and file it lies. The
// other process opens the file through /proc, which the system permits to processes of the same user. In the
// file there is a slot for each such allocation, in which the processes that have it mapped are counted: as
// long as there are any, the memory is not used for anything else, even if its owner has freed it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "driver/driver.h"
#include "driver/shared_file.h"

namespace heddle::driver {

/// The place in the shared file that says what is exported. Processes access it with atomic operations.
struct ExportSlot {
  uint64_t key;    ///< of the name; 0: the slot is free
  uint64_t users;  ///< mappings in importing processes; with the bit `closed`, there will be no more
  uint64_t offset;
  uint64_t size;
  static constexpr uint64_t closed = uint64_t{1} << 63;
};
static_assert(sizeof(ExportSlot) == 32);

/// The allocations that one client has exported. Thread safe.
class SharedExports {
 public:
  explicit SharedExports(SharedFile& file) : file_(file) {}
  SharedExports(const SharedExports&) = delete;
  SharedExports& operator=(const SharedExports&) = delete;

  /// Names the allocation that begins at `base` and lies at this place of the file. OUT_OF_RESOURCES. An
  /// allocation keeps its name.
  StatusOr<SharedName> name(const void* base, uint64_t offset, size_t size);
  /// Withdraws the name of an allocation: no process can map it any more. Returns whether none has it mapped;
  /// if not, it is to be called again later.
  bool withdraw(const void* base);

 private:
  /// A part of the file that has slots.
  struct Area {
    SharedMapping memory;
    uint64_t offset = 0;
  };
  bool add_area();
  ExportSlot& slot(uint32_t index) const;

  SharedFile& file_;
  std::mutex mutex_;
  std::vector<Area> areas_;
  std::vector<uint32_t> free_;                ///< slots; has room for all of them
  std::map<const void*, uint32_t> exported_;  ///< slots by base
};

}  // namespace heddle::driver
