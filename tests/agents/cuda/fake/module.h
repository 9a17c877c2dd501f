// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules of the fake. Their PTX says in comments what they execute (comments.h).
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "codeobject/ptx_kernel.h"
#include "interpreter/interpreter.h"
#include "lowered_code.h"
#include "state.h"
#include "support/result.h"

namespace heddle::cuda {

struct FunctionObject {
  ModuleObject* module = nullptr;
  const interpreter::Kernel* kernel = nullptr;
  fake::LoweredCode::Entry entry = nullptr;  ///< if its module has lowered code
  ptx_kernel::EntryForm form = ptx_kernel::EntryForm::linear;
  bool checks_addresses = false;
  int dynamic_shared_max = 48 << 10;  ///< bytes
  /// Its module has been unloaded. Only the object remains, so that its users can be told.
  std::atomic<bool> is_unloaded{false};
};

struct ModuleObject {
  std::unique_ptr<interpreter::DecodedProgram> program;
  std::unique_ptr<fake::LoweredCode> lowered;  ///< what kernels execute, if it is not null
  std::vector<const interpreter::Kernel*> kernels;
  std::vector<bool> checks_addresses;      ///< of each kernel
  std::vector<int32_t> address_symbols;    ///< symbol of each word of the table; less than 0: of none
  std::vector<uint64_t> addresses;         ///< the table
  std::vector<uint64_t> function_handles;  ///< of indirect functions, by number
  std::vector<std::unique_ptr<FunctionObject>> functions;
  bool waits_for_predecessors = false;  ///< its kernels wait for those ahead of them in their stream
  bool limits_registers = false;
  std::atomic<int> launches{0};  ///< in flight
};

}  // namespace heddle::cuda

namespace heddle::cuda::fake {

/// Makes a module of PTX. The error is what the compiler of a driver writes into its log.
Result<std::unique_ptr<ModuleObject>, Error> compile(const char* ptx);

/// The options of one call of the loader or the linker.
struct JitOptions {
  unsigned count = 0;
  const JitOption* names = nullptr;
  void** values = nullptr;

  /// The value of an option; null if it is not given.
  void* find(JitOption wanted) const;
  bool has(JitOption wanted) const;
  /// Writes the log of errors, or that of information.
  void write_log(bool is_error, const std::string& text) const;
};

/// Makes a module of PTX as the options say, counts that, and writes the logs.
Status compile(const char* ptx, const JitOptions& options, std::unique_ptr<ModuleObject>& made);

/// The machine code of the fake: PTX behind a line that says for which GPU it was made, by which driver and
/// how.
std::string make_cubin(const char* ptx, const JitOptions& options);
bool is_cubin(const char* image);
/// Makes a module of machine code if it was made for the GPU by this driver.
Status load_cubin(const char* image, std::unique_ptr<ModuleObject>& made);

}  // namespace heddle::cuda::fake
