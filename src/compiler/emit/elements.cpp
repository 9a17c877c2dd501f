// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emit/elements.h"

#include <algorithm>

#include "compiler/emit/arithmetic.h"

namespace heddle::compiler {

void set_by_elements(FunctionEmitter& emitter, const llvm::CallInst& call,
                     llvm::function_ref<Parts(llvm::Type*, const ElementArguments&)> function) {
  const Layout& first = emitter.layout(*call.getArgOperand(0));
  ElementArguments all;
  const auto count = std::min<unsigned>(call.arg_size(), all.size());
  for (unsigned i = 0; i < count; ++i) all[i] = emitter.parts(*call.getArgOperand(i));
  Parts result;
  for (size_t leaf = 0; leaf < first.leaves.size(); ++leaf) {
    ElementArguments arguments;
    for (unsigned i = 0; i < count; ++i) {
      const Layout& layout = emitter.layout(*call.getArgOperand(i));
      arguments[i] = layout.leaves.size() == first.leaves.size() ? element(layout, all[i], leaf) : all[i];
    }
    result.append(function(first.leaves[leaf].type, arguments));
  }
  emitter.set(call, std::move(result));
}

}  // namespace heddle::compiler
