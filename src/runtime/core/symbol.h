// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Symbols of code objects and executables (Runtime 2.8.1.37 to 2.8.1.49, 2.8.1.59 to 2.8.1.64).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <hsa/hsa.h>

#include "codeobject/code_object.h"
#include "runtime/core/topology.h"

namespace heddle::runtime {

/// The properties of a variable, kernel or indirect function that are known before it has an address. Sizes
/// are in bytes.
struct SymbolDescription {
  hsa_symbol_kind_t kind = HSA_SYMBOL_KIND_VARIABLE;
  std::string name;  ///< HSAIL name with its &
  std::string linker_name;
  std::string module_name;  ///< of the module that contains it, also for program linkage
  hsa_symbol_linkage_t linkage = HSA_SYMBOL_LINKAGE_PROGRAM;
  bool is_definition = true;

  // Variables.
  hsa_variable_allocation_t allocation = HSA_VARIABLE_ALLOCATION_AGENT;
  hsa_variable_segment_t segment = HSA_VARIABLE_SEGMENT_GLOBAL;
  uint32_t alignment = 0;
  uint64_t size = 0;
  bool is_const = false;

  // Kernels.
  uint64_t kernarg_size = 0;
  uint32_t kernarg_alignment = 0;
  uint32_t group_size = 0;
  uint32_t private_size = 0;
  bool dynamic_call_stack = false;

  static SymbolDescription of(const codeobject::Variable& variable);
  static SymbolDescription of(const codeobject::Kernel& kernel);
  static SymbolDescription of(const codeobject::IndirectFunction& function);

  bool has_program_allocation() const {
    return kind == HSA_SYMBOL_KIND_VARIABLE && allocation == HSA_VARIABLE_ALLOCATION_PROGRAM;
  }
  /// Returns the name that clients see as MODULE_NAME, which is empty for program linkage.
  const std::string& visible_module_name() const;
  /// Reports whether a lookup by linker name, or by name for program linkage, refers to this symbol.
  bool matches(std::string_view asked) const;
  /// Reports whether a lookup by module and name refers to this symbol; `module` is null for program linkage.
  bool matches(const char* module, std::string_view asked) const;
};

class Executable;

/// A symbol of an executable. The description changes only until the executable is frozen; the private size
/// of a kernel of a lazy code object, until `object` is set.
struct ExecutableSymbol {
  /// Held to replace the description of a variable that has only been declared, when code that defines it is
  /// loaded, and to read it without the lock of the executable.
  mutable std::mutex description_mutex;
  SymbolDescription description;
  const Agent* agent = nullptr;  ///< null for program allocation
  /// Address of a variable, kernel object or handle of an indirect function; 0 until the executable is
  /// frozen, and until a kernel of a lazy code object is finalized.
  std::atomic<uint64_t> object{0};
  /// For a kernel of a lazy code object: the executable, which finalizes it.
  std::weak_ptr<Executable> finalizes;
  hsa_executable_symbol_t handle{};
};

/// A symbol of a code object of HSA 1.0.
struct CodeSymbol {
  SymbolDescription description;
  hsa_code_symbol_t handle{};
};

/// Returns all symbols of a code object: variables, then kernels, then indirect functions.
std::vector<SymbolDescription> describe_symbols(const codeobject::CodeObject& object);

}  // namespace heddle::runtime
