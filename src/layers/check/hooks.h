// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gives functions their hooks (wrapper.h). Each family of functions that do the same has one.
#pragma once

#include "layers/check/wrapper.h"

/// Gives the hook FAMILY to a function.
// NOLINTBEGIN(bugprone-macro-parentheses): names are no expressions
#define HEDDLE_CHECK_HOOK(name, family) \
  template <>                           \
  struct Hooks<function::name> : family {};

/// Gives the hook FAMILY to a function in all memory orders. The deprecated orders are those of the others in
/// the tables.
#define HEDDLE_CHECK_HOOK_LOAD(name, family) \
  HEDDLE_CHECK_HOOK(name##_relaxed, family)  \
  HEDDLE_CHECK_HOOK(name##_scacquire, family)
#define HEDDLE_CHECK_HOOK_STORE(name, family) \
  HEDDLE_CHECK_HOOK(name##_relaxed, family)   \
  HEDDLE_CHECK_HOOK(name##_screlease, family)
#define HEDDLE_CHECK_HOOK_UPDATE(name, family)  \
  HEDDLE_CHECK_HOOK_STORE(name, family)         \
  HEDDLE_CHECK_HOOK(name##_scacq_screl, family) \
  HEDDLE_CHECK_HOOK(name##_scacquire, family)
// NOLINTEND(bugprone-macro-parentheses)
