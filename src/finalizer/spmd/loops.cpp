// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/loops.h"

namespace heddle::finalizer::spmd {

using llvm::Loop;

bool WaveLoops::make_divergent(unsigned from, unsigned to) {
  bool is_new = false;
  for (const Loop* loop = of(from); loop && !loop->contains(&order_[to]); loop = loop->getParentLoop())
    is_new |= divergent_.insert(loop).second;
  return is_new;
}

bool WaveLoops::leaves_divergent(unsigned from, unsigned to) const {
  for (const Loop* loop = of(from); loop && !loop->contains(&order_[to]); loop = loop->getParentLoop())
    if (is_divergent(*loop)) return true;
  return false;
}

const Loop* WaveLoops::headed_by(unsigned block) const {
  const Loop* loop = of(block);
  return loop && loop->getHeader() == &order_[block] ? loop : nullptr;
}

BlockSet WaveLoops::waiting_exits(const Loop& loop) const {
  llvm::SmallVector<llvm::BasicBlock*, 8> blocks;
  loop.getUniqueExitBlocks(blocks);
  BlockSet exits;
  for (const llvm::BasicBlock* block : blocks)
    if (is_waiting(order_[*block])) exits.insert(order_[*block]);
  return exits;
}

}  // namespace heddle::finalizer::spmd
