// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes give either diagnostics or a consistent object, and a consistent object survives a round trip.
#include <cstdlib>

#include "codeobject/code_object.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heddle::codeobject;
  const auto object = read({reinterpret_cast<const std::byte*>(data), size});
  if (!object) {
    if (object.error().all().empty()) std::abort();
    return 0;
  }
  const auto file = write(*object);
  const auto again = read(file);
  if (!again || write(*again) != file) std::abort();
  return 0;
}
