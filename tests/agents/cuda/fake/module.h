// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules of the fake. Their PTX says in comments what they execute (comments.h).
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "interpreter/interpreter.h"
#include "lowered_code.h"
#include "state.h"
#include "support/result.h"

namespace heddle::cuda {

struct FunctionObject {
  ModuleObject* module = nullptr;
  const interpreter::Kernel* kernel = nullptr;
  fake::LoweredCode::Entry entry = nullptr;  ///< if its module has lowered code
  bool is_native = false;
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
  bool limits_registers = false;
  std::atomic<int> launches{0};  ///< in flight
};

}  // namespace heddle::cuda

namespace heddle::cuda::fake {

/// Makes a module of PTX. The error is what the compiler of a driver writes into its log.
Result<std::unique_ptr<ModuleObject>, Error> compile(const char* ptx);

}  // namespace heddle::cuda::fake
