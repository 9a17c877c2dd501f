// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executables: code objects and variables that are combined and then frozen (Runtime 2.8.1.21 to 2.8.1.49).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hsa/hsa.h>

#include "driver/driver.h"
#include "runtime/core/code_object.h"
#include "runtime/core/finalizer_library.h"
#include "runtime/core/images.h"
#include "runtime/core/lazy_code.h"
#include "runtime/core/objects.h"
#include "runtime/core/symbol.h"
#include "runtime/core/topology.h"
#include "support/number_index.h"

namespace heddle::runtime {

/// The form in which a code object is loaded into an executable.
enum class LoadForm : uint8_t {
  program,  ///< program part only (2.8.1.27)
  agent,    ///< agent part only (2.8.1.28)
  both,     ///< everything that the code object contains, HSA 1.0 (2.8.1.58)
};

/// A code object in an executable, for queries.
struct LoadedCodeObjectInfo {
  uint64_t handle = 0;
  LoadForm form = LoadForm::both;
  const Agent* agent = nullptr;  ///< null for LoadForm::program
  std::shared_ptr<const CodeImage> image;
  std::span<const std::byte> code;  ///< where the agent has it; empty before the executable is frozen
};

/// Memory that belongs to a frozen executable.
struct LoadedSegment {
  const Agent* agent = nullptr;            ///< null: all agents share the variables
  std::shared_ptr<const CodeImage> image;  ///< null: variables, perhaps of several code objects
  std::span<const std::byte> memory;

  bool contains(const void* address) const {
    const auto offset = reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(memory.data());
    return offset < memory.size();
  }
};

/// Thread safe. The executable owns all that it allocates and loads, and releases it when it is destroyed.
class Executable : public std::enable_shared_from_this<Executable> {
 public:
  /// `rounding` is empty for hsa_executable_create: the first code object that specifies a mode determines
  /// it. The library finalizes kernels of lazy code objects.
  Executable(driver::Client& client, const Topology& topology, Objects& objects, Images& images,
             FinalizerLibrary& finalizer, hsa_profile_t profile,
             std::optional<hsa_default_float_rounding_mode_t> rounding);
  ~Executable();
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  hsa_profile_t profile() const { return profile_; }
  hsa_executable_state_t state() const;
  /// Never DEFAULT. NEAR until another mode has been determined.
  hsa_default_float_rounding_mode_t rounding() const;

  /// Defines an external variable; `agent` is null for program allocation. FROZEN_EXECUTABLE,
  /// VARIABLE_ALREADY_DEFINED, INVALID_SYMBOL_NAME.
  hsa_status_t define(const Agent* agent, codeobject::Segment segment, std::string_view name, void* address);

  /// Loads a code object; `agent` is null for LoadForm::program. FROZEN_EXECUTABLE, INCOMPATIBLE_ARGUMENTS,
  /// OUT_OF_RESOURCES. If it fails or throws, the executable is unchanged.
  hsa_status_t load(LoadForm form, const Agent* agent, std::shared_ptr<const CodeImage> image,
                    hsa_loaded_code_object_t* loaded);

  /// Gives variables memory and initial values, and loads the code into its agents. FROZEN_EXECUTABLE,
  /// VARIABLE_UNDEFINED, INVALID_CODE_OBJECT (the agent refused it), OUT_OF_RESOURCES. If it fails or throws,
  /// the executable is unchanged.
  hsa_status_t freeze();

  /// Gives a kernel of a lazy code object its code, and with it its object and its private size. Does nothing
  /// if it has them, or if the executable is not frozen. What finalization and the agent return; the kernel
  /// then has no code, and the next call tries again.
  hsa_status_t finalize_kernel(ExecutableSymbol& kernel);

  /// Returns the number of contradictions found, 0 if the executable is valid. Each is reported
  /// (diagnostics.h).
  uint32_t validate() const;

  /// Finds a symbol by module (null: program linkage) and name. Symbols with program allocation are found
  /// whatever agent is given.
  std::shared_ptr<ExecutableSymbol> find(const Agent* agent, const char* module, std::string_view name) const;
  /// Finds a symbol by linker name; `agent` is null for program allocation.
  std::shared_ptr<ExecutableSymbol> find_linker_name(const Agent* agent, std::string_view name) const;
  /// Returns all symbols in the order of loading.
  std::vector<std::shared_ptr<ExecutableSymbol>> symbols() const;
  /// Return what has been loaded, in the order of loading.
  std::vector<LoadedCodeObjectInfo> loaded_code_objects() const;
  std::vector<LoadedSegment> segments() const;

 private:
  struct Instance;

  struct LoadedCodeObject {
    LoadForm form = LoadForm::both;
    const Agent* agent = nullptr;  ///< null: no code of it runs
    std::shared_ptr<const CodeImage> image;
    std::vector<std::shared_ptr<ExecutableSymbol>> kernels, functions;
    /// Of each variable of the code object; null for those that this form of load leaves out.
    std::vector<Instance*> instances;
    std::optional<int64_t> code;  ///< the agent driver's handle, once frozen
    uint64_t handle = 0;
    std::unique_ptr<LazyCode> lazy;  ///< null unless the code object is lazy and `runs()`

    const codeobject::CodeObject& object() const { return image->object; }
    bool runs() const { return form != LoadForm::program && object().has_agent_part; }
  };

  /// An agent (null: program allocation) and a linker name, whose characters belong to a code object that is
  /// loaded.
  struct InstanceKey {
    const Agent* agent = nullptr;
    std::string_view name;

    bool operator==(const InstanceKey&) const = default;
    size_t hash() const {
      // Agents are few, so that their addresses need no more than to differ.
      return std::hash<std::string_view>()(name) ^ reinterpret_cast<uintptr_t>(agent);
    }
  };
  /// The memory that all variables of one linker name share: one instance for the program, or one for each
  /// agent.
  struct Instance {
    InstanceKey key;
    uint32_t number = 0;                       ///< its place in `instances_`
    const LoadedCodeObject* holder = nullptr;  ///< contains the definition; null if only declared or external
    uint32_t variable = 0;                     ///< index of the definition in the holder
    void* external = nullptr;
    std::shared_ptr<ExecutableSymbol> symbol;

    const codeobject::Variable& definition() const { return holder->object().variables[variable]; }
  };

  /// Agent (null: program allocation) and name of an external variable, without the leading &.
  using ExternalKey = std::pair<const Agent*, std::string>;
  struct External {
    codeobject::Segment segment;
    void* address;
  };

  class Loader;
  class Freezer;

  static bool defines(LoadForm form, const codeobject::CodeObject& object,
                      const codeobject::Variable& variable);
  static bool concerns(LoadForm form, const codeobject::Variable& variable);
  static InstanceKey key_of(const Agent* agent, const codeobject::Variable& variable);
  static ExternalKey external_key(const Agent* agent, std::string_view name);

  // executable_load.cpp
  hsa_status_t check_load(LoadForm form, const Agent* agent, const CodeImage& image) const;
  bool check_part(LoadForm form, const Agent* agent, const codeobject::CodeObject& object) const;
  bool check_models(const Agent* agent, const codeobject::CodeObject& object) const;
  bool check_symbols(LoadForm form, const Agent* agent, const codeobject::CodeObject& object) const;
  const External* find_external(const Agent* agent, const codeobject::Variable& variable) const;
  const Instance* find_instance(const InstanceKey& key) const;
  bool is_loaded_definition(const Agent* agent, std::string_view name) const;

  // executable_freeze.cpp
  static void report_loading(const ExecutableSymbol& kernel) noexcept;

  // executable_lazy.cpp
  const LoadedCodeObject* lazy_holder(const ExecutableSymbol& kernel) const;
  bool find_addresses(const Agent* agent, const codeobject::CodeObject& object,
                      std::vector<hsam_variable_address>& addresses) const;
  hsa_status_t add_code(const LoadedCodeObject& holder, const std::shared_ptr<const CodeImage>& image,
                        ExecutableSymbol& kernel);

  // executable.cpp
  uint32_t validate_variable(const LoadedCodeObject& loaded, const codeobject::Variable& variable) const;

  driver::Client& client_;
  const Topology& topology_;
  Objects& objects_;
  Images& images_;
  FinalizerLibrary& finalizer_;
  const hsa_profile_t profile_;
  std::mutex finalization_mutex_;  ///< held while a kernel is finalized; precedes `mutex_`
  mutable std::mutex mutex_;
  std::optional<hsa_default_float_rounding_mode_t> rounding_;
  hsa_executable_state_t state_ = HSA_EXECUTABLE_STATE_UNFROZEN;
  std::map<ExternalKey, External> externals_;
  std::deque<Instance> instances_;  ///< in the order of loading; they never move
  NumberIndex instance_index_;
  std::vector<std::unique_ptr<LoadedCodeObject>> loaded_;
  std::vector<std::shared_ptr<ExecutableSymbol>> symbols_;
  /// An allocation that holds variables or image data.
  struct Allocation {
    const Agent* owner = nullptr;  ///< null: program allocation
    void* address = nullptr;
    size_t size = 0;
  };
  std::vector<Allocation> blocks_;
  std::vector<std::pair<const Agent*, hsa_ext_image_t>> image_handles_;  ///< used by initial values
  std::vector<std::pair<const Agent*, hsa_ext_sampler_t>> sampler_handles_;
};

}  // namespace heddle::runtime
