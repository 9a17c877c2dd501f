// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions behind the check layer, which it calls itself and on behalf of the program: api::hsa_init is
// a pointer to the runtime's hsa_init, and so on.
#pragma once

#include "layers/check/functions.h"

namespace heddle::check {

namespace api {
// NOLINTNEXTLINE(bugprone-macro-parentheses): declares a name
#define HEDDLE_CHECK_POINTER(name) inline decltype(::name)* name = nullptr;
HEDDLE_CHECK_FUNCTIONS(HEDDLE_CHECK_POINTER)
#undef HEDDLE_CHECK_POINTER
}  // namespace api

/// A type for each function, by which templates know it.
namespace function {
#define HEDDLE_CHECK_TYPE(name)                    \
  struct name {                                    \
    using Type = decltype(::name);                 \
    static constexpr const char* text = #name;     \
    static Type*& original() { return api::name; } \
  };
HEDDLE_CHECK_FUNCTIONS(HEDDLE_CHECK_TYPE)
#undef HEDDLE_CHECK_TYPE
}  // namespace function

}  // namespace heddle::check
