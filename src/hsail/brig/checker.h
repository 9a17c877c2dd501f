// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "hsail/brig/instruction_table.h"
#include "hsail/brig/module.h"
#include "hsail/isa/isa.h"
#include "support/diagnostic.h"

namespace heddle::brig {

/// Copies the module, checks its header, section index and section headers (PRM 18.2), and sets every member
/// of `state` except the module directive. Returns false after it has reported an error.
bool read_container(std::span<const std::byte> bytes, Module::State& state, Diagnostics& diagnostics);

/// The checks behind Module::open(), in passes. Each pass relies on what earlier passes have checked, so the
/// first pass with errors is the last; within a pass all errors are reported.
class Checker {
 public:
  /// `module` must have passed read_container(). Its accessors become safe pass by pass.
  Checker(const Module& module, Diagnostics& diagnostics);

  bool check();
  Offset module_directive() const { return module_directive_; }

 private:
  /// A code block, an arg block or, as scope 0, the module. The scope of an entry is the innermost one around
  /// it.
  struct Scope {
    Offset executable = 0;  // the one whose code block this is or is in; 0 for the module
    uint32_t parent = 0;
    bool is_arg_block = false;
    Offset begin = 0;  // entry that opens the scope
    Offset call = 0;   // the call of an arg block, once it has been seen
  };
  static constexpr uint32_t no_entry = ~uint32_t{0};
  using Scopes = std::vector<Scope>;

  // ---- passes, in order ----
  bool check_entries();     // check_entries.cpp: the walk over each section; fills the start maps
  void read_environment();  // check_environment.cpp: what the module says about itself
  bool check_operands();    // check_operands.cpp: each entry of hsa_operand on its own
  bool check_directives();  // check_directives.cpp: each directive on its own
  bool check_structure();   // check_structure.cpp: order and nesting; fills the scopes
  bool check_symbols();  // check_symbols.cpp: names and references to declarations; check_scope.cpp: whether
                         // what directives name is visible
  bool check_instructions();  // check_instruction.cpp: against the instruction set; calls in check_call.cpp,
                              // addresses in check_access.cpp

  // ---- what many entries share ----
  /// What is checked about a list or string in hsa_data, once for each entry that refers to it unless
  /// walk_once() remembers the result.
  enum class Asked : uint8_t {
    name,                 // is an identifier; the parameter holds the allowed first characters
    code_list,            // each element is a variable, function or label
    constants,            // each element fits a constant whose type is the parameter
    signals,              // all bytes are 0
    sizes,                // an aggregate has more than alignments, and its zeros fit an address space
    pragma,               // each element is an operand that pragmas take
    references,           // no element refers to a superseded declaration
    arguments,            // each element is a variable of the scope in the parameter
    labels,               // each element is a label of the scope in the parameter
    functions,            // each element is a function
    callees,              // all elements have the same formals
    program_initializer,  // the value is the same for all agents
  };
  /// Calls `walk`, which checks all `length` elements of the data and reports errors, unless the same check
  /// of the same data has already passed. This keeps the time linear in the size of the module even if many
  /// entries share a long list.
  template <typename Walk>
  void walk_once(Asked asked, uint32_t parameter, Offset data, size_t length, Walk walk) {
    constexpr size_t cheap = 32;  // up to this length it is cheaper to check again than to remember
    if (length <= cheap) return walk();
    const auto key = std::tuple(asked, parameter, data);
    if (found_good_.contains(key)) return;
    const size_t before = diagnostics_.error_count();
    walk();
    if (clean_since(before)) found_good_.insert(key);
  }
  std::set<std::tuple<Asked, uint32_t, Offset>> found_good_;

  /// The highest register of each kind that a code block uses, on which the limits of PRM 4.7 are based.
  struct RegistersUsed {
    std::array<unsigned, 4> counts{};  // by hsa_brig_register_kind_t: highest number + 1
    void add(unsigned kind, unsigned count) { counts[kind] = std::max(counts[kind], count); }
    void add(Register reg) { add(reg.kind, reg.number + 1u); }
    void add(const RegistersUsed& other) {
      for (unsigned kind = 0; kind < counts.size(); ++kind) add(kind, other.counts[kind]);
    }
  };

  /// What the operands of a directive name, including the elements of constants: enough to tell whether all
  /// of it is in scope at a given entry.
  struct Named {
    bool nameless = false;             // something has no name
    Offset latest = 0;                 // the latest of the first declarations of the symbols
    std::vector<uint32_t> scopes;      // of all symbols except labels, without repeats, at most `several`
    std::vector<Offset> label_owners;  // executables of the labels, without repeats, at most `several`
    std::vector<Offset> locals;        // symbols of code blocks, without repeats, at most `locals_told_apart`
    bool more_locals = false;          // there were more
    bool has_registers = false;
    RegistersUsed registers;
    // More scopes than any entry can see: its own, the one around that, and the module.
    static constexpr size_t several = 4;
    // To keep the cost of a list proportional to its length, one with more locals than this is taken to name
    // something hidden wherever the arg block hides anything.
    static constexpr size_t locals_told_apart = 64;
  };
  const Named& named_in(Offset list);
  std::unordered_map<Offset, Named> named_in_lists_;

  /// Returns the same entry of hsa_data for all entries with equal text, so that names can be compared by
  /// offset.
  Offset text_of(Offset string);
  std::unordered_map<Offset, Offset> texts_;
  std::unordered_map<std::string_view, Offset> first_of_text_;

  /// Returns a number that is equal for executables whose formals same_formals() finds to be the same.
  uint32_t formals_class(Offset executable);
  std::unordered_map<Offset, uint32_t> formals_classes_;
  std::unordered_map<std::string, uint32_t> class_of_formals_;

  uint64_t constant_size(Offset constant);
  std::unordered_map<Offset, uint64_t> sizes_of_lists_;

  // ---- reports ----
  /// `operand` and `part` count from 1, as in Location; 0 is the entry or operand as a whole.
  void code_error(Offset at, std::string_view id, std::string message, uint32_t operand = 0,
                  uint32_t part = 0);
  /// Attaches to the last error a note about the entry of hsa_code at `at`.
  void code_note(Offset at, std::string message);
  void operand_error(Offset at, std::string_view id, std::string message);
  void data_error(Offset at, std::string_view id, std::string message);
  bool clean_since(size_t errors_before) const { return diagnostics_.error_count() == errors_before; }

  // ---- what an offset names, for any offset ----
  bool is_data(Offset offset) const { return starts(data_starts_, offset); }
  bool is_code(Offset offset) const {
    return offset % 4 == 0 && offset / 4 < scope_of_entry_.size() && scope_of_entry_[offset / 4] != no_entry;
  }
  /// Returns the kind of the entry that starts at the offset, or HSA_BRIG_KIND_NONE, which is also the kind
  /// of padding, if none does.
  unsigned code_kind(Offset offset) const {
    return is_code(offset) ? module_.code_kind(offset) : unsigned{HSA_BRIG_KIND_NONE};
  }
  unsigned operand_kind(Offset offset) const {
    return starts(operand_starts_, offset) ? module_.operand_entry(offset).kind
                                           : unsigned{HSA_BRIG_KIND_NONE};
  }
  /// Reports whether the offset is 0 (no list) or that of a data entry whose size is a multiple of 4.
  bool is_list(Offset offset) const;
  static bool starts(const std::vector<bool>& map, Offset offset) {
    return offset % 4 == 0 && offset / 4 < map.size() && map[offset / 4];
  }
  uint32_t scope_of(Offset code) const { return scope_of_entry_[code / 4]; }

  // ---- check_environment.cpp ----
  /// Returns why this module must not use the type, or nothing if it may.
  std::optional<isa::Violation> forbidden(isa::Type type) const;
  void check_constant_type(Offset operand, isa::Type type);
  void check_extension(Offset at);

  // ---- pieces of check_operands ----
  void check_operand(Offset at);
  void check_register(Offset at);
  void check_address(Offset at);
  void check_code_list(Offset at);
  void check_code_ref(Offset at);
  void check_constant_bytes(Offset at);
  void check_expression(Offset at);
  void check_constant_list(Offset at);
  void check_constant_list_element(Offset list, unsigned list_type, Offset element);
  void check_vector(Offset at);
  void check_image(Offset at);
  void check_sampler(Offset at);
  bool check_list(Offset operand, Offset list, std::string_view id);
  bool constant_fits(isa::Type expected, Offset constant) const;

  // ---- pieces of check_directives ----
  void check_directive(Offset at);
  bool check_string(Offset at, Offset string, std::string_view id);
  void check_name(Offset at, std::string_view prefixes);
  void check_module(Offset at);
  void check_executable(Offset at);
  void check_variable(Offset at);
  void check_variable_size(Offset at);
  void check_initializer(Offset at);
  void check_program_initializer(Offset at);
  struct Difference {
    std::string_view id;
    std::string_view what;
  };
  Difference difference_between_agents(Offset leaf) const;
  void check_fbarrier(Offset at);
  void check_loc(Offset at);
  void check_pad(Offset at);
  void check_control(Offset at);
  void check_pragma(Offset at);

  // ---- pieces of check_structure ----
  Offset check_module_entry(Offset at);
  Offset check_executable_layout(Offset at);
  void check_formal(Offset executable, Offset formal, bool is_output, bool is_last);
  void check_code_block(Offset executable);
  void check_code_block_entry(Offset at, uint32_t scope, unsigned& stage);
  void check_local_variable(Offset at, const Scope& scope);
  void set_scope(Offset at, uint32_t scope) { scope_of_entry_[at / 4] = scope; }

  // ---- pieces of check_symbols ----
  void check_module_symbols();
  void check_local_symbols(Offset executable);
  void check_references();
  void check_compatible(Offset first, Offset second);
  bool same_formals(Offset first, Offset second) const;
  bool same_variable(Offset first, Offset second, bool open_array) const;

  // ---- check_scope.cpp ----
  void check_pragma_scope(Offset pragma);
  void check_initializer_scope(Offset variable);
  static void add_local(Named& named, Offset symbol);
  void add_name(Named& named, Offset symbol);
  void add_names_of(Named& named, Offset operand);
  bool sees_all(Offset at, const Named& named) const;
  Offset first_declaration(Offset symbol) const;
  bool is_declared(Offset symbol, Offset at) const;
  bool is_hidden(Offset symbol, Offset at) const;
  /// Reports an error if `symbol`, which operand `index` names, is not visible at the instruction. Returns
  /// whether it is.
  bool check_visible(Offset instruction, unsigned index, Offset symbol);

  // ---- pieces of check_instructions ----
  struct Form {  // what the fixed part of an instruction determines
    isa::Fields fields;
    const isa::Variant* variant;
  };
  void check_instruction(Offset at);
  const Form* form_of(Offset at);
  void check_instruction_operand(Offset at, unsigned index, Offset operand, const isa::Operand& rule,
                                 const isa::Fields& fields);
  void check_value(Offset at, unsigned index, Offset operand, const isa::Operand& rule,
                   const isa::Fields& fields);
  /// Where a register or immediate stands.
  struct ValuePlace {
    Offset instruction;
    unsigned index;  // of the operand, from 0
    uint32_t part;   // Location::part
  };
  void check_one_value(const ValuePlace& at, Offset value, const isa::Operand& rule,
                       const isa::Fields& fields);
  void check_register_kind(const ValuePlace& at, Register reg, isa::Type type);
  void check_immediate(const ValuePlace& at, Offset value, const isa::Operand& rule, isa::Type type);
  void check_instruction_address(Offset at, unsigned index, Offset operand, const isa::Fields& fields);
  void check_label(Offset at, unsigned index, Offset label);
  void check_call(Offset at, const isa::Fields& fields);
  void check_call_arguments(Offset call, Offset callee);
  enum class FormalRole : uint8_t { none, input, output };
  FormalRole role_of(Offset variable) const;
  void check_access(Offset at, unsigned index, Offset variable, const isa::Fields& fields);
  void check_immediate_names(Offset at, unsigned index, Offset constant);
  void check_register_count(Offset executable);
  /// Reports whether an entry in the scope `here` is inside `scope`.
  bool sees(uint32_t here, uint32_t scope) const {
    return scope == 0 || scope == here || scope == scopes_[here].parent;
  }
  void operand_of_error(Offset at, unsigned index, std::string_view id, std::string message,
                        uint32_t part = 0);
  void value_error(const ValuePlace& at, std::string_view id, std::string message) {
    operand_of_error(at.instruction, at.index, id, std::move(message), at.part);
  }

  const Module& module_;
  Diagnostics& diagnostics_;
  Offset module_directive_ = 0;
  bool statements_seen_ = false;
  isa::Environment environment_;
  std::vector<bool> data_starts_;
  std::vector<bool> operand_starts_;
  std::vector<uint32_t> scope_of_entry_;  // by offset / 4; no_entry where no code entry starts
  Scopes scopes_;
  InstructionTable<Form> forms_;  // those without errors
  Form scratch_form_;
  std::vector<Offset> executables_;
  std::unordered_set<Offset> superseded_;  // declarations that references must not go to (PRM 18.5.1.1)
  std::unordered_map<Offset, Offset> first_declarations_;  // of symbols whose definition is not the first
  // By scope of an arg block: the symbols that its variables hide, each with the variable that hides it.
  std::unordered_map<uint32_t, std::unordered_map<Offset, Offset>> hidden_;
  RegistersUsed registers_used_;  // of the code block that is being checked
  struct Extension {
    Offset at;
    uint32_t major, minor;
  };
  std::unordered_map<Offset, Extension> extensions_;  // by text_of() of the name
  bool names_core_ = false;
  bool names_others_ = false;
};

}  // namespace heddle::brig
