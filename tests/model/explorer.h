// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes a few threads of C++ code in all interleavings of their atomic operations, and looks for
// assertions that fail and for states in which nobody can go on.
//
// Every thread is a fiber. It stops before each atomic operation and futex call, so that the explorer chooses
// who goes on. A state is all that the threads share, the live part of their stacks, and their store buffers;
// the explorer copies it, goes back to it for each choice, and visits no state twice (it compares hashes of
// 128 bits).
//
// Memory order is that of x86 (TSO): a store that is not sequentially consistent stays in a buffer of its
// thread until the explorer lets it out, in order; other operations empty the buffer first. Plain accesses
// happen at once, together with the atomic operation before them: the code that is checked must guard them by
// locks or by release and acquire.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace heddle::model {

/// What an exploration has found.
struct Result {
  uint64_t states = 0;
  uint64_t steps = 0;
  std::string violation;  ///< empty if there is none, else what it is and how to get there
};

/// A model: threads, and memory that they share.
struct Model {
  /// Clears the shared memory and calls spawn() for each thread.
  std::function<void()> set_up;
  /// Is called in each state in which all threads have ended; calls require().
  std::function<void()> at_end = [] {};
};

/// Explores all states. Throws if there are more than `most_states`.
Result explore(const Model& model, uint64_t most_states = 20'000'000);

// ---- for set_up ----

inline constexpr size_t most_threads = 5;
void spawn(void (*body)());
/// Memory that all threads share, of `arena_size` bytes; zero at the beginning.
inline constexpr size_t arena_size = 8192;
std::byte* arena();

// ---- for the code of threads ----

/// Ends the exploration with a violation unless the condition holds.
void require(bool condition, const char* what);
/// Waits until the word has the value; stands for a loop that polls.
void await(const uint32_t* word, uint32_t value);
/// Each of 0 .. count - 1, in different continuations.
uint32_t choose(uint32_t count);

enum class Kind : uint8_t { load, store, exchange, add, bit_and, bit_or, bit_xor, compare_exchange, fence };
/// Performs one atomic operation on `size` bytes. Returns the value from before it.
uint64_t operate(Kind kind, void* address, size_t size, uint64_t operand, uint64_t expected, int order);
/// The futex calls of hsam/signal.h. Returns 0, or -1 with errno.
long futex(long number, void* word, int operation, uint32_t argument, const void* timeout);

}  // namespace heddle::model
