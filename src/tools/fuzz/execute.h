// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running generated programs on the agents of this machine.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "../session.h"
#include "program.h"

namespace heddle::tools::fuzz {

/// A way to execute: an agent, one of its ISAs, and options for the finalizer.
struct Engine {
  KernelAgent agent;
  std::string options;

  /// Not interpreted.
  bool is_compiled() const { return !agent.isa_name.starts_with("heddle:hsail:"); }
  std::string name() const { return options.empty() ? agent.isa_name : agent.isa_name + " " + options; }
};

/// All ISAs of all kernel agents whose name contains `part`, the interpreter's first; those of compiled code
/// once optimised and once not.
std::vector<Engine> find_engines(const std::string& part);

/// Why a program did not come to its end.
struct Failure {
  std::string message;
  bool timed_out = false;  ///< it ran, and its time was over
};

/// What the program left in its buffer. `timeout`: seconds that the kernel may run.
Result<std::vector<std::byte>, Failure> execute(const Program& program, const Engine& engine, double timeout);

/// Whether the buffer is as the program finds it: every program leaves some of its registers there, so
/// nothing has executed (the null agent does so).
bool is_untouched(const Program& program, const std::vector<std::byte>& buffer);

/// Where the results differ, in words: record or shared area, field, both values.
std::string describe_difference(const Program& program, const std::vector<std::byte>& expected,
                                const std::vector<std::byte>& actual);

}  // namespace heddle::tools::fuzz
