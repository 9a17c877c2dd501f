// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For the fake that needs no LLVM.
#include "lowered_code.h"

namespace heddle::cuda::fake {

Result<std::unique_ptr<LoweredCode>, Error> LoweredCode::compile(std::string_view) {
  return Error{"fake: this one only interprets"};
}

}  // namespace heddle::cuda::fake
