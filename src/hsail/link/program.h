// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <hsa/hsa_brig_modifiers.h>

#include "hsail/brig/module.h"
#include "support/diagnostic.h"

namespace heddle::link {

/// One directive of one module of a program.
struct Reference {
  uint32_t module = 0;      ///< index in Program::modules()
  brig::Offset offset = 0;  ///< of the directive in hsa_code
  friend bool operator==(const Reference&, const Reference&) = default;
  /// For maps and sets: a number that no other directive of the program has.
  uint64_t key() const { return uint64_t{module} << 32 | offset; }
};

/// What became of a name with module or program linkage (or a variable of a code block with static storage).
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

/// Where each formal argument of a kernel lies in its kernarg segment (PRM 4.21).
struct KernargSlot {
  brig::Offset variable;  ///< the directive of the formal
  uint64_t offset;
  uint64_t size;
  uint32_t align;
};
struct KernargLayout {
  std::vector<KernargSlot> slots;
  uint64_t size = 0;    ///< rounded up to a multiple of 16
  uint32_t align = 16;  ///< max(16, largest alignment of a formal)
};

/// Group-segment memory of one kernel: every group variable and fbarrier it can reach (PRM 4.20).
struct GroupLayout {
  struct Slot {
    Reference variable;
    uint32_t offset;
  };
  std::vector<Slot> slots;
  uint32_t size = 0;  ///< static size in bytes, also of fbarrier objects (after the variables)
  uint32_t align = 1;
};

/// Private memory of one activation of a kernel or function, however the one who asks arranges it.
struct Frame {
  uint64_t size = 0;   ///< bytes
  uint32_t align = 1;  ///< of its first byte; a power of two
};

/// An HSAIL program: the modules added to it, their symbols resolved against each other (PRM 4.2,
/// Runtime 3.2.4). Modules are copied on add. Not thread safe while being built; immutable and shareable
/// afterwards.
class Program {
 public:
  struct Options {
    hsa_brig_machine_model_t machine_model = HSA_BRIG_MACHINE_MODEL_LARGE;
    hsa_brig_profile_t profile = HSA_BRIG_PROFILE_FULL;
    /// FLOAT_DEFAULT accepts any rounding of the modules.
    hsa_brig_round_t default_rounding = HSA_BRIG_ROUND_FLOAT_DEFAULT;
  };
  /// Why add() refused; the C edge maps each to its status.
  enum class AddResult : uint8_t {
    ok,
    invalid_module,
    incompatible_module,
    already_included,
    symbol_mismatch
  };

  explicit Program(Options options) : options_(options) {}

  /// Adds a checked module. Diagnostics say which symbol or property does not fit.
  AddResult add(brig::Module module, Diagnostics& diagnostics);

  const Options& options() const { return options_; }
  const std::vector<brig::Module>& modules() const { return modules_; }
  const std::vector<Symbol>& symbols() const { return symbols_; }

  /// Index in symbols() of the symbol that a directive (definition or declaration, of any module) stands for,
  /// or -1 for arg/spill/kernarg variables, private variables of a code block, and labels, which have no
  /// symbol.
  int32_t symbol_of(Reference directive) const;
  int32_t find(std::string_view linker_name) const;
  /// Where a reference leads (PRM 4.12): the definition of its symbol, in whichever module it is; the
  /// reference itself if the directive has no symbol; the first declaration if nothing defines it.
  Reference definition_of(Reference directive) const;

  /// After the last add(): checks that what must be defined is (PRM 4.2: called functions, module linkage),
  /// computes the reachable code and group layout of every kernel. False with diagnostics if the program
  /// cannot be finalized.
  bool resolve(Diagnostics& diagnostics);

  /// All executables (kernels and functions) reachable from `root` by call and scall, root first; icall adds
  /// every indirect function of the program when `through_icall`.
  std::vector<Reference> reachable(Reference root, bool through_icall = true) const;
  /// Valid after resolve(); root = definition of a kernel.
  GroupLayout group_layout(Reference kernel) const;
  KernargLayout kernarg_layout(Reference kernel) const;
  /// True if the kernel can reach alloca, icall or recursion ("dynamic call stack", Runtime
  /// KERNEL_DYNAMIC_CALLSTACK).
  bool dynamic_call_stack(Reference kernel) const;
  /// The private memory of one work-item of a kernel, in bytes (Runtime KERNEL_PRIVATE_SEGMENT_SIZE): `start`
  /// bytes, and behind them the frames of those executables that can be active at the same time by call and
  /// scall, each at the next multiple of its alignment. A function counts once, also if it is recursive; what
  /// repeated activations, alloca and icall need comes on top (dynamic_call_stack). `frame_of` is asked for
  /// every executable that the kernel reaches, itself included. Valid after resolve().
  uint64_t private_size(Reference kernel, uint64_t start,
                        const std::function<Frame(Reference)>& frame_of) const;

 private:
  /// What resolve() learns about one code block.
  struct Code {
    Reference executable;
    std::vector<Reference> callees;  ///< definitions, in order of first call, each once
    /// Used by operands or defined in the block, in order of appearance, each once.
    std::vector<int32_t> symbols;
    bool has_alloca = false;
    bool has_icall = false;
    uint32_t component = 0;  ///< of the call graph, callees before callers: Components::of_node
    bool in_cycle = false;   ///< it can call itself, perhaps through others
  };
  const Code* code_of(Reference executable) const;
  Code scan(Reference executable) const;
  void find_cycles();
  void check_references(const Code& code, Diagnostics& diagnostics) const;
  void check_indirect(const Code& root, Diagnostics& diagnostics) const;
  void check_initializers(Diagnostics& diagnostics) const;

  Options options_;
  std::vector<brig::Module> modules_;
  std::vector<Symbol> symbols_;
  std::vector<std::unordered_map<brig::Offset, int32_t>> symbol_of_directive_;
  std::unordered_map<std::string, int32_t> by_linker_name_;
  std::vector<Code> code_;                             ///< of every defined executable, after resolve()
  std::unordered_map<uint64_t, uint32_t> code_index_;  ///< (module, offset) -> index in code_
};

/// Bytes that the group segment holds for each fbarrier, and their alignment. Only the agent's code looks
/// inside.
inline constexpr uint32_t fbarrier_size = 16;
inline constexpr uint32_t fbarrier_align = 16;

/// The formal arguments of a kernel, function or signature: outputs first, then inputs (PRM 18.5.1.5).
std::vector<brig::Offset> formals(const brig::Module& module, brig::Offset executable);

/// Size in bytes and natural alignment of a variable directive; arrays are dim elements of the element type.
uint64_t variable_size(const brig::Module& module, brig::Offset variable);
uint32_t variable_align(const brig::Module& module, brig::Offset variable);

/// The bytes a variable starts with, and what has to be added to them once addresses are known.
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
  std::vector<std::byte> bytes;  ///< empty: no initializer, contents undefined (loaders give zeros)
  std::vector<Fixup> fixups;
};
/// Evaluates the initializer of a variable definition (PRM 4.10); diagnostics for sizes that do not fit.
bool evaluate_initializer(const Program& program, Reference variable, Initializer& out,
                          Diagnostics& diagnostics);

}  // namespace heddle::link
