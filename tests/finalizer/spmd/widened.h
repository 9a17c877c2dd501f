// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Widens functions of tests, executes them, and compares what they do to memory with what the work-items do
// one by one.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "finalizer/llvm.h"
#include "finalizer/spmd/shape_analysis.h"
#include "finalizer/spmd/wave_effects.h"
#include "finalizer/spmd/widen.h"

namespace heddle::testing {

/// The type of all functions of these tests.
/// - `in` is the same for all work-items: shared_bytes, which they only read.
/// - `mine` and `out` point to memory of which work-item `id` has the bytes from id * lane_bytes on, to read
/// and
///   to write.
/// - a, b and x differ between work-items, u does not. They are anything in work-items that are not active.
/// - `active` is for the mask of the entry; functions do not use it themselves.
inline constexpr const char* wave_function_head =
    "define void @f(ptr %in, ptr %mine, ptr %out, i32 %id, i32 %a, i32 %b, i64 %x, i32 %u, i1 %active) {\n";
inline constexpr unsigned shared_bytes = 1024;

/// How a function is widened.
struct WideForm {
  finalizer::spmd::WaveShape wave;
  bool has_mask_registers = false;
  finalizer::spmd::Body body = finalizer::spmd::Body::general;
  bool all_active = false;
  bool optimise = false;  ///< whether LLVM optimises the function before it is executed

  std::string name() const;
};

/// All forms that tests execute, with each body and mask.
std::vector<WideForm> all_forms();

struct WideProgram {
  const llvm::Module* module = nullptr;  ///< has the function @f, and perhaps others that can be called
  unsigned lane_bytes = 16;
};

/// The module with the functions and their forms for waves.
class Widened {
 public:
  /// Puts the functions through all stages. If one refuses or breaks a rule, error() says so.
  Widened(const llvm::Module& original, const WideForm& form);

  const std::string& error() const { return error_; }
  /// That of @f.
  const finalizer::spmd::WideFunction& wide() const { return wide_; }
  /// What verify_wave() needs for the wave of @f. Nothing if loops have been executed one work-item after the
  /// other, because these have been inlined since.
  const std::optional<finalizer::spmd::WaveEffects>& effects() const { return effects_; }
  std::unique_ptr<llvm::Module> take_module() { return std::move(module_); }
  std::string text() const;

 private:
  finalizer::spmd::WideFunction widen(llvm::Function& function, llvm::Value& mask,
                                      const finalizer::spmd::ShapeRequest& shapes,
                                      const finalizer::spmd::WidenRequest& request, llvm::Function* declared);
  void widen_callees(const WideForm& form, const finalizer::spmd::WidenRequest& request);

  std::unique_ptr<llvm::Module> module_;
  finalizer::spmd::WaveFunctions functions_;
  finalizer::spmd::WideFunction wide_;
  std::optional<finalizer::spmd::WaveEffects> effects_;
  std::string error_;
};

/// Executes a program in one form with several sets of arguments. Returns a description of the first
/// difference, or nothing.
std::string wave_difference(const WideProgram& program, const WideForm& form, std::mt19937& random,
                            unsigned runs);
/// The same for a program that has been widened in that form, and perhaps changed since. Takes its module.
std::string wave_difference(const WideProgram& program, Widened& widened, const WideForm& form,
                            std::mt19937& random, unsigned runs);

/// Returns the assembly that LLVM makes of a module for a CPU ("x86-64-v4").
std::string assembly(llvm::Module& module, const std::string& cpu);

}  // namespace heddle::testing
