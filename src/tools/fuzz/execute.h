// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Execution of generated programs on the agents of this machine.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "../session.h"
#include "../toolchain.h"
#include "program.h"

namespace heddle::tools::fuzz {

/// A way to execute programs: an agent, one of its ISAs, and options for the finalizer.
struct Engine {
  KernelAgent agent;
  std::string options;
  uint32_t wave_size = 1;
  bool detects_exceptions = true;  ///< supports the policy DETECT for modules of the full profile

  /// Reports whether kernels are compiled rather than interpreted.
  bool is_compiled() const { return !agent.isa_name.starts_with("heddle:hsail:"); }
  std::string name() const { return options.empty() ? agent.isa_name : agent.isa_name + " " + options; }
};

/// Returns the ISAs of all kernel agents: first those of the interpreter, then the compiled ones whose name
/// contains `part`, each once optimised and once not. Those with waves of several work-items are there once
/// more, without special code for rows of work-items, so that the same programs also test the general code.
std::vector<Engine> find_engines(const std::string& part);

/// Finalizes a module for an engine, and loads it. The code must outlive the result. It is an error if a
/// kernel cannot be compiled for the engine's waves.
Result<LoadedProgram> load(const Module& module, const Engine& engine, Blob& program_code, Blob& agent_code);

/// The reason why a program did not finish.
struct Failure {
  std::string message;
  bool timed_out = false;  ///< it ran, but did not finish in time
};

/// Executes the program and returns the contents of its buffer. The kernel may run for `timeout` seconds.
Result<std::vector<std::byte>, Failure> execute(const Program& program, const Engine& engine, double timeout);

/// Reports whether the buffer still has its initial contents. Every program stores some of its registers
/// there, so in this case nothing was executed, as on the null agent.
bool is_untouched(const Program& program, const std::vector<std::byte>& buffer);

/// Describes where the results differ: record or shared area, field, and both values.
std::string describe_difference(const Program& program, const std::vector<std::byte>& expected,
                                const std::vector<std::byte>& actual);

}  // namespace heddle::tools::fuzz
