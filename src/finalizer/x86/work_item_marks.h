// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lets a fault in the loops of an entry be told with its work-item, at no cost to loops that become vectors.
//
// A store of the ID into memory in each turn would keep LLVM from vectorising. So the loop over the innermost
// dimension only says, in a debug record, where its ID is; optimisations carry records along and drop those
// that have no place any more. What is left afterwards becomes stores.
#pragma once

#include "finalizer/llvm.h"

namespace heddle::finalizer::x86 {

/// Says that from here on `id` is workitemid in `dimension`. The function needs a subprogram.
void mark_work_item(llvm::IRBuilder<>& ir, llvm::Value* id, unsigned dimension);

/// Stores an ID in Worker::workitem_id, for whoever reports a fault. `worker` is a pointer to the worker.
void store_work_item(llvm::IRBuilder<>& ir, llvm::Value* worker, llvm::Value* id, unsigned dimension);

/// Makes stores of all marks that are left. The first argument of functions with marks is the worker.
void store_marked_work_items(llvm::Module& module);

}  // namespace heddle::finalizer::x86
