// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linearises functions of tests and compares them with what they were.
#pragma once

#include <memory>
#include <random>
#include <string>

#include <llvm/ADT/DenseSet.h>

#include "finalizer/llvm.h"
#include "finalizer/spmd/shape_analysis.h"
#include "finalizer/spmd/spmd_function.h"
#include "wave_evaluator.h"

namespace heddle::testing {

/// The type of all functions of these tests:
///     i32 @f(ptr memory, i32 a, i32 b, i32 u, i32 v, i1 active)
/// Here, memory has memory_words words, a and b are varying, u and v are uniform. `active` is for the mask of
/// the entry; functions do not use it themselves. They may call @note(i32).
inline constexpr const char* function_head =
    "declare void @note(i32) convergent\n"
    "define i32 @f(ptr %memory, i32 %a, i32 %b, i32 %u, i32 %v, i1 %active) {\n";
inline constexpr unsigned memory_words = 64;

/// Which work-items execute a function.
enum class EntryMask : uint8_t { all, argument };

/// A function before and after it is linearised.
class Linearised {
 public:
  /// `original` has the function @f. Of its instructions, those for which `forces_varying` holds are varying
  /// in any case.
  Linearised(const llvm::Module& original, EntryMask entry_mask,
             llvm::function_ref<bool(const llvm::Instruction&)> forces_varying);

  finalizer::spmd::SpmdFunction& state() { return *state_; }
  /// Returns what the shapes hold for: nothing but the arguments tells how work-items differ.
  static finalizer::spmd::ShapeRequest request();
  llvm::Function& function() { return state_->function; }
  std::string text() const;
  /// Returns what LLVM's verifier says against the function, or nothing.
  std::string broken() const;

 private:
  std::unique_ptr<llvm::Module> module_;
  std::unique_ptr<finalizer::spmd::SpmdFunction> state_;
};

/// Makes arguments and memory for a function, for up to 4 work-items.
WaveInput random_input(std::mt19937& random, EntryMask entry_mask);

/// Executes both functions with some inputs and returns a description of the first difference, or nothing.
std::string difference(const llvm::Function& original, Linearised& linearised, EntryMask entry_mask,
                       std::mt19937& random, unsigned inputs);

}  // namespace heddle::testing
