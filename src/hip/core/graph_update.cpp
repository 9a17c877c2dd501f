// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/graph_update.h"

#include <optional>
#include <utility>

#include "hip/core/failure.h"
#include "hip/core/runtime.h"

namespace heddle::hip {
namespace {

constexpr int host = -1;

/// The device that has memory, or `host`. Nothing for memory that the library does not know, which is the
/// program's own, or does not exist any more.
using Place = std::optional<int>;

Place place_of(const void* address) {
  const auto allocation = Runtime::get().memory().find(address);
  if (!allocation) return std::nullopt;
  return allocation->on_host() ? host : allocation->device;
}

Place place_of(hipArray_t array, const void* address) {
  if (array == nullptr) return place_of(address);
  const auto found = Runtime::get().arrays().find(array);
  return found == nullptr ? Place() : found->device().number();
}

/// Where the memory is that a copy or fill reads and writes, if it is memory of the program, and the kind of
/// the copy.
struct Operands {
  Place to, from;
  hipMemcpyKind kind = hipMemcpyDefault;
};

struct FindOperands {
  Operands operator()(const CopyBytes& copy) const {
    return {place_of(copy.to), place_of(copy.from), copy.kind};
  }
  Operands operator()(const hipMemcpy3DParms& copy) const {
    return {place_of(copy.dstArray, copy.dstPtr.ptr), place_of(copy.srcArray, copy.srcPtr.ptr), copy.kind};
  }
  Operands operator()(const HIP_MEMCPY3D& copy) const {
    const bool to_host = copy.dstMemoryType == hipMemoryTypeHost;
    const bool from_host = copy.srcMemoryType == hipMemoryTypeHost;
    return {to_host ? place_of(copy.dstHost) : place_of(copy.dstArray, copy.dstDevice),
            from_host ? place_of(copy.srcHost) : place_of(copy.srcArray, copy.srcDevice)};
  }
  Operands operator()(const CopySymbol& copy) const {
    return {place_of(copy.other), std::nullopt, copy.kind};
  }
  Operands operator()(const hipMemsetParams& fill) const { return {place_of(fill.dst)}; }
  template <typename Other>
  Operands operator()(const Other&) const {
    return {};
  }
};

bool may_replace(Place own, Place replacement) { return !own || own == replacement.value_or(host); }

bool is_row(const hipMemsetParams& fill) { return fill.height == 1; }

}  // namespace

bool can_become(const Work& own, const Work& replacement) {
  const Operands before = std::visit(FindOperands{}, own), behind = std::visit(FindOperands{}, replacement);
  return before.kind == behind.kind && may_replace(before.to, behind.to) &&
         may_replace(before.from, behind.from);
}

void replace_work(Work& own, Work replacement) {
  if (!can_become(own, replacement))
    throw Failure(hipErrorInvalidValue, "an executable graph keeps the directions of its copies and fills");
  if (const auto* const fill = std::get_if<hipMemsetParams>(&own))
    if (!is_row(*fill) || !is_row(std::get<hipMemsetParams>(replacement)))
      throw Failure(hipErrorInvalidValue, "only fills of one row can be changed in executable graphs");
  own = std::move(replacement);
}

}  // namespace heddle::hip
