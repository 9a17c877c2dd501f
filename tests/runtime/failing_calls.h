// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// System calls that are made by their numbers, because the C library has no functions for them, and that fail
// on purpose. A program with failing_calls.cpp replaces the function `syscall` of the C library, also for the
// libraries that it opens, if it exports its functions. x86-64 only.
#pragma once

namespace heddle::runtime::test {

/// Makes the first of each `every` calls of this number fail with the error while the object lives. Of futex
/// calls, only those that wait count: a thread that could not be woken would sleep for ever.
class FailingCalls {
 public:
  FailingCalls(long number, int error, long every = 1);
  ~FailingCalls();
  FailingCalls(const FailingCalls&) = delete;
  FailingCalls& operator=(const FailingCalls&) = delete;

  /// How many calls have failed so far.
  static long count();
};

}  // namespace heddle::runtime::test
