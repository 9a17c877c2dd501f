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

/// Copies the module, checks header, section index and section headers (PRM 18.2), and fills in everything of
/// `state` but the module directive.
bool read_container(std::span<const std::byte> bytes, Module::State& state, Diagnostics& diagnostics);

/// The checks behind Module::open(), in passes. Each pass relies on what the earlier ones have found good, so
/// the first pass with errors is the last; within a pass all errors are reported.
class Checker {
 public:
  /// `module`: container good, entries unchecked. Its accessors become safe pass by pass.
  Checker(const Module& module, Diagnostics& diagnostics);

  bool check();
  Offset module_directive() const { return module_directive_; }

 private:
  /// A code block or an arg block, and scope 0: the module. Scope of an entry = the innermost that holds it.
  struct Scope {
    Offset executable = 0;  // whose code block it is in; 0 for the module
    uint32_t parent = 0;
    bool is_arg_block = false;
    Offset begin = 0;  // entry that opens it
    Offset call = 0;   // arg block: its call, once seen
  };
  static constexpr uint32_t no_entry = ~uint32_t{0};
  using Scopes = std::vector<Scope>;

  // ---- passes, in order ----
  bool check_entries();     // check_entries.cpp: the walk over each section; fills the start maps
  void read_environment();  // check_environment.cpp: what the module says about itself
  bool check_operands();    // check_operands.cpp: each entry of hsa_operand by itself
  bool check_directives();  // check_directives.cpp: each directive by itself
  bool check_structure();   // check_structure.cpp: order and nesting; fills the scopes
  bool check_symbols();  // check_symbols.cpp: names, and which of several entries is referred to; scopes of
                         // what directives name, in check_scope.cpp
  bool check_instructions();  // check_instruction.cpp: against the instruction set; calls in check_call.cpp,
                              // addresses in check_access.cpp

  // ---- what many entries share ----
  /// What is asked of a list or text in hsa_data by each entry that has it.
  enum class Asked : uint8_t {
    name,                 // is an identifier; parameter: which first characters
    code_list,            // each element is a variable, function or label
    constants,            // each is an element of a constant of that type
    signals,              // all bytes are 0
    sizes,                // an aggregate has more than alignments, and its zeros fit an address space
    pragma,               // each is an operand that pragmas take
    references,           // none to a declaration that is superseded
    arguments,            // each is a variable of that scope
    labels,               // each is a label of that scope
    functions,            // each is a function
    callees,              // all have the same formals
    program_initializer,  // the same for all agents
  };
  /// Calls `walk`, which looks at all `length` elements of the data and reports what is wrong, unless it has
  /// found nothing for this question before. So that a module whose entries share long lists costs no more
  /// than its size.
  template <typename Walk>
  void walk_once(Asked asked, uint32_t parameter, Offset data, size_t length, Walk walk) {
    constexpr size_t cheap = 32;  // to walk rather than to remember
    if (length <= cheap) return walk();
    const auto key = std::tuple(asked, parameter, data);
    if (found_good_.contains(key)) return;
    const size_t before = diagnostics_.error_count();
    walk();
    if (clean_since(before)) found_good_.insert(key);
  }
  std::set<std::tuple<Asked, uint32_t, Offset>> found_good_;

  /// The highest register of each kind that a code block uses, from which PRM 4.7 counts.
  struct RegistersUsed {
    std::array<unsigned, 4> counts{};  // by hsa_brig_register_kind_t: highest number + 1
    void add(unsigned kind, unsigned count) { counts[kind] = std::max(counts[kind], count); }
    void add(Register reg) { add(reg.kind, reg.number + 1u); }
    void add(const RegistersUsed& other) {
      for (unsigned kind = 0; kind < counts.size(); ++kind) add(kind, other.counts[kind]);
    }
  };

  /// What the operands of a directive name, constants included: enough to tell for any place whether that is
  /// in scope there.
  struct Named {
    bool nameless = false;             // something without a name
    Offset latest = 0;                 // first declaration of what is declared last
    std::vector<uint32_t> scopes;      // of all but labels, each once, at most `several`
    std::vector<Offset> label_owners;  // the code blocks of labels, the same way
    std::vector<Offset> locals;  // what is declared in a code block, each once, at most `locals_told_apart`
    bool more_locals = false;
    bool has_registers = false;
    RegistersUsed registers;
    // No place sees as many scopes: only its own, the one around it and the module.
    static constexpr size_t several = 4;
    // Which of more than these a place sees is not found out, so that the cost of a list is its length.
    static constexpr size_t locals_told_apart = 64;
  };
  const Named& named_in(Offset list);
  std::unordered_map<Offset, Named> named_in_lists_;

  /// One of the entries of hsa_data with the same text: names are compared once, not by each directive.
  Offset text_of(Offset string);
  std::unordered_map<Offset, Offset> texts_;
  std::unordered_map<std::string_view, Offset> first_of_text_;

  /// Equal for executables whose formals are the same.
  uint32_t formals_class(Offset executable);
  std::unordered_map<Offset, uint32_t> formals_classes_;
  std::unordered_map<std::string, uint32_t> class_of_formals_;

  uint64_t constant_size(Offset constant);
  std::unordered_map<Offset, uint64_t> sizes_of_lists_;

  // ---- reports ----
  /// `operand`: as Location::operand.
  void code_error(Offset at, std::string_view id, std::string message, uint32_t operand = 0);
  void operand_error(Offset at, std::string_view id, std::string message);
  void data_error(Offset at, std::string_view id, std::string message);
  bool clean_since(size_t errors_before) const { return diagnostics_.error_count() == errors_before; }

  // ---- what an offset names, for any offset ----
  bool is_data(Offset offset) const { return starts(data_starts_, offset); }
  bool is_code(Offset offset) const {
    return offset % 4 == 0 && offset / 4 < scope_of_entry_.size() && scope_of_entry_[offset / 4] != no_entry;
  }
  /// Kind of the entry that starts at the offset; HSA_BRIG_KIND_NONE if there is none (padding has that kind
  /// too).
  unsigned code_kind(Offset offset) const {
    return is_code(offset) ? module_.code_kind(offset) : unsigned{HSA_BRIG_KIND_NONE};
  }
  unsigned operand_kind(Offset offset) const {
    return starts(operand_starts_, offset) ? module_.operand_entry(offset).kind
                                           : unsigned{HSA_BRIG_KIND_NONE};
  }
  /// A data entry whose size is a multiple of 4, or no entry (offset 0).
  bool is_list(Offset offset) const;
  static bool starts(const std::vector<bool>& map, Offset offset) {
    return offset % 4 == 0 && offset / 4 < map.size() && map[offset / 4];
  }
  uint32_t scope_of(Offset code) const { return scope_of_entry_[code / 4]; }

  // ---- check_environment.cpp ----
  /// Why this module must not name the type; nothing if it may.
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
  /// Whether an instruction may name what its operand names; if not, that is reported.
  bool check_visible(Offset instruction, unsigned index, Offset symbol);

  // ---- pieces of check_instructions ----
  struct Form {  // what the fixed part of an instruction says
    isa::Fields fields;
    const isa::Variant* variant;
  };
  void check_instruction(Offset at);
  const Form* form_of(Offset at);
  void check_instruction_operand(Offset at, unsigned index, Offset operand, const isa::Operand& rule,
                                 const isa::Fields& fields);
  void check_value(Offset at, unsigned index, Offset operand, const isa::Operand& rule,
                   const isa::Fields& fields);
  void check_instruction_address(Offset at, unsigned index, Offset operand, const isa::Fields& fields);
  void check_label(Offset at, unsigned index, Offset label);
  void check_call(Offset at, const isa::Fields& fields);
  void check_call_arguments(Offset call, Offset callee);
  enum class FormalRole : uint8_t { none, input, output };
  FormalRole role_of(Offset variable) const;
  void check_access(Offset at, unsigned index, Offset variable, const isa::Fields& fields);
  void check_immediate_names(Offset at, unsigned index, Offset constant);
  void check_register_count(Offset executable);
  /// What belongs to `scope`, for an entry in `here`.
  bool sees(uint32_t here, uint32_t scope) const {
    return scope == 0 || scope == here || scope == scopes_[here].parent;
  }
  void operand_of_error(Offset at, unsigned index, std::string_view id, std::string message);

  const Module& module_;
  Diagnostics& diagnostics_;
  Offset module_directive_ = 0;
  bool statements_seen_ = false;
  isa::Environment environment_;
  std::vector<bool> data_starts_;
  std::vector<bool> operand_starts_;
  std::vector<uint32_t> scope_of_entry_;  // by offset / 4; no_entry where no code entry starts
  Scopes scopes_;
  InstructionTable<Form> forms_;  // those without faults
  Form scratch_form_;
  std::vector<Offset> executables_;
  std::unordered_set<Offset> superseded_;  // declarations that references must not go to (PRM 18.5.1.1)
  std::unordered_map<Offset, Offset> first_declarations_;  // of symbols whose definition is not the first
  // By arg block: what it hides, and the variable of the arg block from which on it is hidden.
  std::unordered_map<uint32_t, std::unordered_map<Offset, Offset>> hidden_;
  RegistersUsed registers_used_;  // of the code block that is checked
  struct Extension {
    Offset at;
    uint32_t major, minor;
  };
  std::unordered_map<Offset, Extension> extensions_;  // by text_of() the name
  bool names_core_ = false;
  bool names_others_ = false;
};

}  // namespace heddle::brig
