// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `run`, `debug` and `bench` execute: a kernel with its grid, its work-groups and its arguments, as the
// command line describes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "argument.h"
#include "brigfile/signature.h"
#include "buffer.h"
#include "command_line.h"
#include "kernel_code.h"
#include "session.h"
#include "support/result.h"

namespace heddle::tools {

/// The options as text. They are read by parse_job().
struct JobOptions {
  std::string input;
  std::string kernel;
  std::string grid;
  std::string group;
  std::vector<std::string> arguments;
  CompilerOptions compiler;
  uint32_t dynamic_group = 0;
  uint32_t stack = default_call_stack;
};
/// Adds FILE, --cc, --kernel, --grid, --group, --arg, --dynamic-group and --stack.
void add_job_options(Command& command, JobOptions& options);
/// Explains the language of --arg; for the text after the options in the help.
extern const char* const argument_help;

/// A kernel argument and its memory.
struct Slot {
  std::string text;
  Argument argument;
  std::optional<PlannedBuffer> buffer;
  std::optional<Memory> memory;
};

struct Job {
  Extent grid, group;
  std::vector<Slot> slots;
};

/// Parses the options and reports all errors in them. Reads no files except to compare their identity.
std::optional<Job> parse_job(const JobOptions& options);
/// Copies a job for another agent, without the memory of its buffers.
Job copy_without_memory(const Job& job);
/// Reads the files of the arguments. Does not allocate the buffers yet.
Result<void> plan_buffers(Job& job);
Result<void> allocate_buffers(Job& job, const KernelAgent& agent);
/// Writes the initial values of the buffers, or only of those that the kernel writes.
void fill_buffers(const Job& job, bool inputs_too);
/// Checks that the arguments are those that the kernel takes, and makes its kernarg segment. `formals` is
/// nullopt for code objects, where only the size of the segment can be checked.
Result<Memory> make_kernarg(const Job& job, const KernelAgent& agent, const KernelInfo& kernel,
                            const std::optional<std::vector<Formal>>& formals);

}  // namespace heddle::tools
