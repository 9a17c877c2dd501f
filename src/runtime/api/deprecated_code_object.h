// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>

#include "runtime/api/api.h"
#include "runtime/core/code_object.h"

namespace heddle::runtime::api {

/// Registers a code object of HSA 1.0 and its symbols, and stores its handle. OUT_OF_RESOURCES.
hsa_status_t publish_code_object(Runtime& runtime, std::shared_ptr<const CodeImage> image,
                                 hsa_code_object_t* code_object);

}  // namespace heddle::runtime::api
