// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hsail/link/program.h"
#include "interpreter/interpreter.h"

/// Runs HSAIL text in the interpreter, without runtime or agent.
namespace heddle::testing {

/// A module header with the full profile, the large machine model and default rounding.
inline constexpr std::string_view module_header = "module &m:1:0:$full:$large:$default;\n";

/// Assembles and opens a module. Failures are test failures.
brig::Module assemble_module(std::string_view text);

/// A program of modules given as text, prepared and loaded: its global and readonly variables live in memory
/// of this object, initialized as written.
class LoadedProgram {
 public:
  explicit LoadedProgram(const std::vector<std::string>& texts, link::Program::Options options = {},
                         uint32_t wave_size = 1);
  explicit LoadedProgram(std::string_view text, uint32_t wave_size = 1)
      : LoadedProgram(std::vector<std::string>{std::string(text)}, {}, wave_size) {}

  bool good() const { return decoded_ != nullptr; }
  const link::Program& program() const { return *program_; }
  interpreter::DecodedProgram& decoded() { return *decoded_; }
  /// Returns the kernel with this linker name, or null with a test failure.
  const interpreter::Kernel* kernel(std::string_view name) const;
  /// Returns the memory of a global or readonly variable.
  std::byte* variable(std::string_view linker_name) const;

  /// Runs the whole dispatch on this thread. `kernarg` are 64-bit arguments in the order of the formals.
  std::optional<interpreter::Fault> run(interpreter::Dispatch dispatch, const std::vector<uint64_t>& kernarg,
                                        const interpreter::RunnerOptions& options = {},
                                        const interpreter::Services& services = {}) const;
  /// Runs a one-dimensional dispatch.
  std::optional<interpreter::Fault> run(std::string_view kernel, const std::vector<uint64_t>& kernarg,
                                        uint32_t grid = 1, uint32_t group = 1,
                                        const interpreter::RunnerOptions& options = {}) const;

 private:
  void load_variables();

  std::shared_ptr<link::Program> program_;
  std::unique_ptr<interpreter::DecodedProgram> decoded_;
  std::map<int32_t, std::unique_ptr<std::byte[]>> memory_;
};

/// Returns the id of the fault, or "none", for EXPECT_EQ.
inline std::string id(const std::optional<interpreter::Fault>& fault) { return fault ? fault->id : "none"; }
inline std::string message(const std::optional<interpreter::Fault>& fault) {
  return fault ? fault->message : "";
}

template <typename T>
uint64_t address(T* pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

}  // namespace heddle::testing
