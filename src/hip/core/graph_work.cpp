// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/graph_work.h"

#include <limits>

#include "hip/core/copy.h"
#include "hip/core/failure.h"
#include "hip/core/registry.h"

namespace heddle::hip {
namespace {

BlockSize size_of(const hipMemsetParams& fill) {
  size_t width = 0;
  if (__builtin_mul_overflow(fill.width, size_t{fill.elementSize}, &width))
    throw Failure(hipErrorInvalidValue);
  return {width, fill.height};
}

Block block_of(const hipMemsetParams& fill) { return {static_cast<std::byte*>(fill.dst), fill.pitch}; }

/// Does each kind of work in a stream.
struct Doing {
  Stream& stream;

  void operator()(const CopyBytes& work) const {
    copy(work.to, work.from, work.size, work.kind, stream, Waiting::no);
  }
  void operator()(const hipMemcpy3DParms& work) const {
    const BlockCopy block = block_copy_of(work);
    copy_block(block.to, block.from, block.size, work.kind, stream, Waiting::no);
  }
  void operator()(const HIP_MEMCPY3D& work) const {
    const BlockCopy block = block_copy_of(work);
    copy_block(block.to, block.from, block.size, hipMemcpyDefault, stream, Waiting::no);
  }
  void operator()(const AllocateWork& work) const { work.memory->allocate(stream); }
  void operator()(const FreeWork& work) const { work.memory->free(&stream); }
  void operator()(const CopySymbol& work) const {
    std::byte* const part = part_of_variable(work.symbol, stream.device(), work.size, work.offset);
    if (work.to_symbol)
      copy(part, work.other, work.size, work.kind, stream, Waiting::no);
    else
      copy(const_cast<void*>(work.other), part, work.size, work.kind, stream, Waiting::no);
  }
  void operator()(const hipMemsetParams& work) const {
    fill_block(block_of(work), size_of(work), {work.value, work.elementSize}, stream, Waiting::no);
  }
  void operator()(const hipHostNodeParams& work) const {
    stream.run([work] { work.fn(work.userData); }, Stream::AtOnce::no);
  }
  void operator()(const EventWork& work) const {
    if (work.records)
      work.event->record(stream);
    else
      stream.wait_for(work.event->marker());
  }
  void operator()(const std::shared_ptr<const KernelNode>&) const {}
  void operator()(const ChildGraph&) const {}
  void operator()(const NoWork&) const {}
};

}  // namespace

void do_work(const Work& work, Stream& stream) {
  const CopyInTurn in_turn;
  std::visit(Doing{stream}, work);
}

FreeWork free_work(const Graph& graph, const void* address) {
  auto memory = GraphMemory::find(address);
  if (memory == nullptr) throw Failure(hipErrorInvalidValue, "no node allocates this memory");
  for (const auto& node : graph.nodes())
    if (const auto* const other = std::get_if<FreeWork>(&node->work); other && other->memory == memory)
      throw Failure(hipErrorInvalidValue, "a node of the graph frees this memory already");
  return {std::move(memory)};
}

void check_work(const CopyBytes& copy) {
  if (copy.size == 0) throw Failure(hipErrorInvalidValue);
  check_copy(copy.to, copy.from, copy.size, copy.kind);
}

void check_work(const hipMemcpy3DParms& copy) {
  const BlockCopy block = block_copy_of(copy);
  if (block.size.empty()) throw Failure(hipErrorInvalidValue);
  check_block(block.to, block.from, block.size, copy.kind);
}

void check_work(const HIP_MEMCPY3D& copy) {
  const BlockCopy block = block_copy_of(copy);
  if (block.size.empty()) throw Failure(hipErrorInvalidValue);
  check_block(block.to, block.from, block.size, hipMemcpyDefault);
}

void check_work(const CopySymbol& copy, Device& device) {
  const hipMemcpyKind wrong = copy.to_symbol ? hipMemcpyDeviceToHost : hipMemcpyHostToDevice;
  if (copy.kind == hipMemcpyHostToHost || copy.kind == wrong) throw Failure(hipErrorInvalidMemcpyDirection);
  if (copy.size == 0) throw Failure(hipErrorInvalidValue);
  std::byte* const part = part_of_variable(copy.symbol, device, copy.size, copy.offset);
  check_copy(copy.to_symbol ? part : copy.other, copy.to_symbol ? copy.other : part, copy.size, copy.kind);
}

void check_work(const hipMemsetParams& fill) {
  const bool sized = fill.elementSize == 1 || fill.elementSize == 2 || fill.elementSize == 4;
  if (!sized || fill.width == 0 || fill.height == 0) throw Failure(hipErrorInvalidValue);
  const BlockSize size = size_of(fill);
  if (fill.height > 1 && fill.pitch < size.width) throw Failure(hipErrorInvalidValue);
  check_fill(block_of(fill), size);
}

}  // namespace heddle::hip
