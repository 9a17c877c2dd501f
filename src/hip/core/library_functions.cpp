// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/library_functions.h"

#include <dlfcn.h>

#include <algorithm>
#include <span>

#include "hip/core/function_table.h"

namespace heddle::hip {
namespace {

/// The library itself, which other files of the same name in the process must not be taken for.
void* own_library() {
  static void* const handle = [] {
    Dl_info own{};
    void* opened = nullptr;
    if (dladdr(static_cast<const void*>(&function_table[0]), &own) != 0)
      opened = dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    return opened;
  }();
  return handle;
}

}  // namespace

void* exported_function(const std::string& name) {
  const std::span rows(function_table, function_count);
  const auto row = std::ranges::find_if(rows, [&](const FunctionRow& each) { return each.name == name; });
  if (row == rows.end() || !row->implemented || own_library() == nullptr) return nullptr;
  return dlsym(own_library(), row->symbol);
}

}  // namespace heddle::hip
