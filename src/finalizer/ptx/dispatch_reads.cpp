// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/dispatch_reads.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include "codeobject/ptx_kernel.h"

namespace heddle::finalizer::ptx {
namespace {

using ptx_kernel::Hidden;

/// The fields that differ between dispatches, each a 64-bit word. Those with which a kernel is stopped, takes
/// tickets and reaches its mailbox are the same for all dispatches of a queue.
constexpr uint64_t differing[] = {offsetof(Hidden, packet_id), offsetof(Hidden, completion_signal),
                                  offsetof(Hidden, clock_ticks), offsetof(Hidden, clock_nanoseconds),
                                  offsetof(Hidden, error)};

bool has_differing_field(uint64_t offset, uint64_t size) {
  return std::any_of(std::begin(differing), std::end(differing), [&](uint64_t field) {
    return offset < field + sizeof(uint64_t) && field < offset + size;
  });
}

/// An address in the parameter, in bytes from its beginning.
struct Place {
  const llvm::Value* address;
  uint64_t offset;
};

/// Looks at what one user does with a place. Adds to `places` what it makes of it; false if the user may read
/// one of the fields.
bool follow(const llvm::User& user, const Place& place, const llvm::DataLayout& layout,
            llvm::SmallVectorImpl<Place>& places) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&user))
    return !has_differing_field(place.offset, layout.getTypeStoreSize(load->getType()));
  if (llvm::isa<llvm::AddrSpaceCastOperator>(user)) {
    places.push_back({&user, place.offset});
    return true;
  }
  const auto* element = llvm::dyn_cast<llvm::GEPOperator>(&user);
  if (!element) return false;
  llvm::APInt distance(layout.getIndexTypeSizeInBits(element->getType()), 0);
  if (!element->accumulateConstantOffset(layout, distance)) return false;
  places.push_back({&user, place.offset + distance.getZExtValue()});
  return true;
}

}  // namespace

bool reads_dispatch(const llvm::Function& entry) {
  const llvm::DataLayout& layout = entry.getParent()->getDataLayout();
  llvm::SmallVector<Place, 16> places = {{entry.getArg(1), 0}};
  while (!places.empty()) {
    const Place place = places.pop_back_val();
    for (const llvm::User* user : place.address->users())
      if (!follow(*user, place, layout, places)) return true;
  }
  return false;
}

}  // namespace heddle::finalizer::ptx
