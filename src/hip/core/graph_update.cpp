// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/graph_update.h"

#include <utility>

#include "hip/core/failure.h"
#include "hip/core/runtime.h"

namespace heddle::hip {
namespace {

int place_of(const void* address) {
  const auto allocation = Runtime::get().memory().find(address);
  return !allocation || allocation->on_host() ? Operands::host : allocation->device;
}

int place_of(hipArray_t array, const void* address) {
  if (array == nullptr) return place_of(address);
  const auto found = Runtime::get().arrays().find(array);
  return found == nullptr ? Operands::host : found->device().number();
}

/// The place of an end of a copy that HIP_MEMCPY3D describes: the type says which of the three counts.
int place_of(hipMemoryType type, const void* host, const void* device, hipArray_t array) {
  if (type == hipMemoryTypeArray) return place_of(array, nullptr);
  return place_of(type == hipMemoryTypeHost ? host : device);
}

struct FindOperands {
  Operands operator()(const CopyBytes& copy) const {
    return {place_of(copy.to), place_of(copy.from), copy.kind};
  }
  Operands operator()(const hipMemcpy3DParms& copy) const {
    return {place_of(copy.dstArray, copy.dstPtr.ptr), place_of(copy.srcArray, copy.srcPtr.ptr), copy.kind};
  }
  Operands operator()(const HIP_MEMCPY3D& copy) const {
    return {place_of(copy.dstMemoryType, copy.dstHost, copy.dstDevice, copy.dstArray),
            place_of(copy.srcMemoryType, copy.srcHost, copy.srcDevice, copy.srcArray)};
  }
  Operands operator()(const CopySymbol& copy) const {
    return {place_of(copy.other), Operands::host, copy.kind};
  }
  Operands operator()(const hipMemsetParams& fill) const { return {place_of(fill.dst)}; }
  template <typename Other>
  Operands operator()(const Other&) const {
    return {};
  }
};

bool is_row(const hipMemsetParams& fill) { return fill.height == 1; }

}  // namespace

void note_operands(Graph& graph) {
  for (const auto& node : graph.nodes()) {
    if (const auto* const child = std::get_if<ChildGraph>(&node->work))
      note_operands(*child->graph);
    else
      node->operands = std::visit(FindOperands{}, node->work);
  }
}

bool can_become(const GraphNode& own, const Work& replacement) {
  const Operands& before = own.operands;
  const Operands behind = std::visit(FindOperands{}, replacement);
  const bool same_kind = !before.kind || !behind.kind || before.kind == behind.kind;
  return same_kind && before.to == behind.to && before.from == behind.from;
}

void replace_work(GraphNode& own, Work replacement) {
  if (!can_become(own, replacement))
    throw Failure(hipErrorInvalidValue, "an executable graph keeps the directions of its copies and fills");
  if (const auto* const fill = std::get_if<hipMemsetParams>(&own.work))
    if (!is_row(*fill) || !is_row(std::get<hipMemsetParams>(replacement)))
      throw Failure(hipErrorInvalidValue, "only fills of one row can be changed in executable graphs");
  own.work = std::move(replacement);
}

}  // namespace heddle::hip
