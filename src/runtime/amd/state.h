// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the AMD extension keeps from hsa_init to hsa_shut_down.
#pragma once

#include "runtime/amd/allocations.h"
#include "runtime/amd/coherency.h"
#include "runtime/amd/imported_memory.h"
#include "runtime/amd/locked_memory.h"
#include "runtime/amd/svm_attributes.h"
#include "runtime/amd/system_events.h"
#include "runtime/amd/virtual_memory.h"

namespace heddle::runtime::amd {

struct State {
  explicit State(driver::Client& client)
      : allocations(client), locked(client), imported(client), virtual_memory(client) {}

  Allocations allocations;
  LockedMemory locked;
  ImportedMemory imported;
  VirtualMemory virtual_memory;
  Coherency coherency;
  SystemEvents events;
  SvmRanges svm;
};

}  // namespace heddle::runtime::amd
