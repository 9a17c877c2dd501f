// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <hsa/hsa_brig_modifiers.h>

#include "hsail/brig/module.h"
#include "support/diagnostic.h"

namespace heddle::link {

/// Identifies a directive of one of the modules of a program.
struct Reference {
  uint32_t module = 0;      ///< index in Program::modules()
  brig::Offset offset = 0;  ///< of the directive in hsa_code
  friend bool operator==(const Reference&, const Reference&) = default;
  /// Returns a number, for maps and sets, that no other directive of the program has.
  uint64_t key() const { return uint64_t{module} << 32 | offset; }
};

/// A name with module or program linkage, or a global, readonly or group variable or fbarrier of a code
/// block, after declarations and definitions have been matched.
struct Symbol {
  enum class Kind : uint8_t { variable, kernel, function, indirect_function, fbarrier, signature };
  Kind kind = Kind::variable;
  std::string name;         ///< as in HSAIL, with its & or %
  std::string linker_name;  ///< unique in the program: `&name` (program linkage), `&module::&name`,
                            ///< `&module::&executable::%name` (code-block variables with static storage)
  std::string module_name;
  hsa_brig_linkage8_t linkage = 0;  ///< hsa_brig_linkage_t; 0 is none
  Reference definition;             ///< the definition, or the first declaration when `defined` is false
  bool defined = false;
};

/// The position of a formal argument of a kernel in its kernarg segment (PRM 4.21).
struct KernargSlot {
  brig::Offset variable;  ///< the directive of the formal
  uint64_t offset;        ///< bytes
  uint64_t size;          ///< bytes
  uint32_t align;
};
struct KernargLayout {
  std::vector<KernargSlot> slots;
  uint64_t size = 0;    ///< bytes, rounded up to a multiple of 16
  uint32_t align = 16;  ///< max(16, largest alignment of a formal)
};

/// The group segment of a kernel: every group variable and fbarrier that it can reach (PRM 4.20).
struct GroupLayout {
  struct Slot {
    Reference variable;
    uint32_t offset;
  };
  std::vector<Slot> slots;
  uint32_t size = 0;  ///< static size in bytes, including the fbarriers, which follow the variables
  uint32_t align = 1;
};

/// The private memory of one activation of a kernel or function. The caller of Program::private_size()
/// decides what it contains.
struct Frame {
  uint64_t size = 0;   ///< bytes
  uint32_t align = 1;  ///< alignment of the first byte; a power of two
};

/// An HSAIL program: modules whose symbols are resolved against each other (PRM 4.2, Runtime 3.2.4). add()
/// keeps a copy of the module, which shares its bytes. Not thread safe while modules are being added and
/// resolved; afterwards immutable and safe to share between threads.
class Program {
 public:
  struct Options {
    hsa_brig_machine_model_t machine_model = HSA_BRIG_MACHINE_MODEL_LARGE;
    hsa_brig_profile_t profile = HSA_BRIG_PROFILE_FULL;
    /// The rounding of modules that name none: FLOAT_ZERO, FLOAT_NEAR_EVEN, or FLOAT_DEFAULT if the program
    /// leaves it open.
    hsa_brig_round_t default_rounding = HSA_BRIG_ROUND_FLOAT_DEFAULT;
    /// Whether modules that name another rounding than the program are refused. Otherwise they cause a
    /// warning.
    bool strict_rounding = false;
  };
  /// The outcome of add(). The C interface maps each to a status.
  enum class AddResult : uint8_t {
    ok,
    invalid_module,
    incompatible_module,
    already_included,
    symbol_mismatch
  };

  explicit Program(Options options) : options_(options) {}

  /// Adds a checked module. If it does not fit, leaves the program unchanged and reports which symbol or
  /// property is to blame.
  AddResult add(brig::Module module, Diagnostics& diagnostics);

  const Options& options() const { return options_; }
  /// How the operations of a module round that name no rounding: as its header says; else as the program says
  /// (PRM 4.19.2); else to nearest. Never FLOAT_DEFAULT.
  hsa_brig_round_t default_rounding(const brig::Module& module) const;
  const std::vector<brig::Module>& modules() const { return modules_; }
  const std::vector<Symbol>& symbols() const { return symbols_; }

  /// Returns the index in symbols() of the symbol that a definition or declaration in any module stands for,
  /// or -1 for what has no symbol: arg, spill and kernarg variables, private variables of a code block, and
  /// labels.
  int32_t symbol_of(Reference directive) const;
  int32_t find(std::string_view linker_name) const;
  /// Returns the definition of a directive's symbol, in whichever module it is (PRM 4.12), or a declaration
  /// if no module defines it. If the directive has no symbol, returns the directive itself.
  Reference definition_of(Reference directive) const;

  /// Builds the call graph and checks that everything that must be defined is (PRM 4.2.1), and that indirect
  /// functions, group segments and initializers keep their limits. Returns false, after it has reported why,
  /// if the program cannot be finalized. Must be called after the last add().
  bool resolve(Diagnostics& diagnostics);

  /// Returns all kernels and functions that `root` reaches by call and scall, beginning with `root`. If
  /// `through_icall`, an icall reaches every indirect function of the program. Valid after resolve().
  std::vector<Reference> reachable(Reference root, bool through_icall = true) const;
  /// `kernel` is the definition of a kernel. Valid after resolve().
  GroupLayout group_layout(Reference kernel) const;
  KernargLayout kernarg_layout(Reference kernel) const;
  /// Reports whether the kernel can reach alloca, icall or recursion, so that its private memory has no
  /// static bound (the kernel attribute DYNAMIC_CALLSTACK of the runtime). Valid after resolve().
  bool dynamic_call_stack(Reference kernel) const;
  /// Reports whether code or an initial value holds the address of a kernel. Valid after resolve().
  bool has_address_taken(int32_t kernel) const { return addressed_kernels_.contains(kernel); }
  /// Returns the private memory of one work-item of a kernel, in bytes (Runtime KERNEL_PRIVATE_SEGMENT_SIZE):
  /// `start` bytes, followed by the frames of the executables that can be active at the same time by call and
  /// scall, each at the next multiple of its alignment. A function counts once, even if it is recursive: the
  /// memory for repeated activations, alloca and icall is not included; dynamic_call_stack() reports whether
  /// there may be any. Calls `frame_of` for every executable that the kernel reaches, including the kernel
  /// itself. Valid after resolve().
  uint64_t private_size(Reference kernel, uint64_t start,
                        const std::function<Frame(Reference)>& frame_of) const;

 private:
  /// What resolve() records about one code block.
  struct Code {
    Reference executable;
    std::vector<Reference> callees;  ///< definitions, in order of first call, without repeats
    /// Symbols used by operands or defined in the block, in order of appearance, without repeats.
    std::vector<int32_t> symbols;
    bool has_alloca = false;
    bool has_icall = false;
    uint32_t component = 0;  ///< of the call graph, callees before callers: Components::of_node
    bool in_cycle = false;   ///< it can call itself, directly or through others
  };
  const Code* code_of(Reference executable) const;
  Code scan(Reference executable) const;
  void find_cycles();
  void check_references(const Code& code, Diagnostics& diagnostics) const;
  void check_indirect(const Code& root, Diagnostics& diagnostics) const;
  void check_initializers(Diagnostics& diagnostics);
  void note_address(int32_t symbol);

  Options options_;
  std::vector<brig::Module> modules_;
  std::vector<Symbol> symbols_;
  std::vector<std::unordered_map<brig::Offset, int32_t>> symbol_of_directive_;
  std::unordered_map<std::string, int32_t> by_linker_name_;
  std::vector<Code> code_;                             ///< of every defined executable, after resolve()
  std::unordered_map<uint64_t, uint32_t> code_index_;  ///< (module, offset) -> index in code_
  std::unordered_set<int32_t> addressed_kernels_;      ///< has_address_taken()
};

/// Size in bytes and alignment of the object that the group segment holds for each fbarrier. Only the code of
/// the agent uses its contents.
inline constexpr uint32_t fbarrier_size = 16;
inline constexpr uint32_t fbarrier_align = 16;

/// Returns the formal arguments of a kernel, function or signature: outputs first, then inputs
/// (PRM 18.5.1.5).
std::vector<brig::Offset> formals(const brig::Module& module, brig::Offset executable);

/// Returns the size of a variable in bytes. An array without size has 0; a size above 64 bits gives
/// UINT64_MAX.
uint64_t variable_size(const brig::Module& module, brig::Offset variable);
/// Returns the alignment of a variable in bytes, which is at least the natural alignment of its type.
uint32_t variable_align(const brig::Module& module, brig::Offset variable);

/// The initial bytes of a variable, and the values to be filled in once addresses are known.
struct Initializer {
  struct Fixup {
    uint32_t offset;  ///< in `bytes`
    uint8_t size;     ///< 1, 2, 4 or 8 bytes; the 64-bit value is truncated
    enum class Kind : uint8_t {
      address,
      null_flat,
      null_group,
      null_private,
      null_kernarg,
      image,   ///< handle of an image that the loader makes (PRM 7.1.7)
      sampler  ///< handle of a sampler that the loader makes (PRM 7.1.8)
    } kind;
    int32_t symbol = -1;  ///< for address: index in Program::symbols()
    int64_t addend = 0;
    brig::Offset operand = 0;  ///< for image and sampler: the constant, in the module of the variable
  };
  std::vector<std::byte> bytes;  ///< empty without initializer: contents undefined (loaders use zeros)
  std::vector<Fixup> fixups;
};
/// Evaluates the initializer of the definition of a variable (PRM 4.10). Returns false after it has reported
/// an error: a size that does not fit or an address that the variable cannot hold.
bool evaluate_initializer(const Program& program, Reference variable, Initializer& out,
                          Diagnostics& diagnostics);

}  // namespace heddle::link
