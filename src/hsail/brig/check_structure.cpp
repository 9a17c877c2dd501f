// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Order and nesting of code entries: module, executables, formals, code blocks, arg blocks (PRM 4.3, 18.5).
#include <algorithm>

#include <fmt/format.h>

#include <hsa/hsa_brig_directives.h>
#include <hsa/hsa_brig_opcodes.h>

#include "hsail/brig/checker.h"
#include "hsail/isa/names.h"

namespace heddle::brig {
namespace {

bool is_annotation(unsigned kind) {
  return kind == HSA_BRIG_KIND_NONE || kind == HSA_BRIG_KIND_DIRECTIVE_COMMENT ||
         kind == HSA_BRIG_KIND_DIRECTIVE_LOC || kind == HSA_BRIG_KIND_DIRECTIVE_PRAGMA;
}

// A code block has control directives, then definitions, then statements (PRM 4.3.5). An arg block has only
// definitions and statements.
enum Stage : unsigned { stage_controls, stage_definitions, stage_statements };

Stage stage_of(unsigned kind) {
  switch (kind) {
    case HSA_BRIG_KIND_DIRECTIVE_CONTROL:
      return stage_controls;
    case HSA_BRIG_KIND_DIRECTIVE_VARIABLE:
    case HSA_BRIG_KIND_DIRECTIVE_FBARRIER:
      return stage_definitions;
    default:
      return stage_statements;
  }
}

}  // namespace

bool Checker::check_structure() {
  const size_t before = diagnostics_.error_count();
  scopes_.push_back({});  // the module
  for (Offset at = module_.code_begin(); at < module_.code_end() && !diagnostics_.limit_reached();) {
    at = check_module_entry(at);
  }
  if (module_directive_ == 0 && clean_since(before)) {
    code_error(module_.code_begin(), "BRIG-18.5.1.11-missing", "there is no module directive");
  }
  return clean_since(before);
}

/// Checks an entry at module scope and returns the next one.
Offset Checker::check_module_entry(Offset at) {
  const unsigned kind = module_.code_kind(at);
  const Offset next = module_.next_code(at);
  if (is_annotation(kind)) return next;
  if (kind == HSA_BRIG_KIND_DIRECTIVE_MODULE) {
    if (module_directive_ != 0) {
      code_error(at, "BRIG-18.5.1.11-twice", "a second module directive");
    } else {
      module_directive_ = at;
    }
    return next;
  }
  if (module_directive_ == 0) {
    code_error(at, "BRIG-18.5.1.11-first",
               fmt::format("{} before the module directive", isa::name(isa::Names::kind, kind)));
    module_directive_ = at;  // so that the error is reported only once
  }
  switch (kind) {
    case HSA_BRIG_KIND_DIRECTIVE_EXTENSION:
    case HSA_BRIG_KIND_DIRECTIVE_EXTENSION_VERSION:
      if (statements_seen_)
        code_error(at, "HSAIL-13.1-extension-place",
                   "extensions must come before all other statements of the module");
      return next;
    case HSA_BRIG_KIND_DIRECTIVE_VARIABLE: {
      statements_seen_ = true;
      const auto& variable = module_.code_as<hsa_brig_directive_variable_t>(at);
      const bool good_segment =
          variable.segment == HSA_BRIG_SEGMENT_GLOBAL || variable.segment == HSA_BRIG_SEGMENT_READONLY ||
          variable.segment == HSA_BRIG_SEGMENT_GROUP || variable.segment == HSA_BRIG_SEGMENT_PRIVATE;
      if (!good_segment) {
        code_error(at, "BRIG-4.6.2-segment",
                   fmt::format("a variable of segment {} at module scope",
                               isa::name(isa::Names::segment, variable.segment)));
      }
      if (variable.linkage != HSA_BRIG_LINKAGE_PROGRAM && variable.linkage != HSA_BRIG_LINKAGE_MODULE) {
        code_error(at, "BRIG-18.5.1.14-linkage", "variables of module scope have program or module linkage");
      }
      if (!module_.name(at).starts_with('&'))
        code_error(at, "HSAIL-4.6.2-name-scope", "names of module scope begin with &");
      if (module_.is_definition(at) && isa::is_array(variable.type) && u64(variable.dim) == 0) {
        code_error(at, "HSAIL-4.3.8-array-size", "the definition of an array needs a size");
      }
      return next;
    }
    case HSA_BRIG_KIND_DIRECTIVE_FBARRIER: {
      statements_seen_ = true;
      const auto& fbarrier = module_.code_as<hsa_brig_directive_fbarrier_t>(at);
      if (fbarrier.linkage != HSA_BRIG_LINKAGE_PROGRAM && fbarrier.linkage != HSA_BRIG_LINKAGE_MODULE) {
        code_error(at, "BRIG-18.5.1.8-linkage", "fbarriers of module scope have program or module linkage");
      }
      if (!module_.name(at).starts_with('&'))
        code_error(at, "HSAIL-4.6.2-name-scope", "names of module scope begin with &");
      return next;
    }
    default:
      if (!module_.is_executable(at)) {
        code_error(at, "BRIG-18.5-module-scope",
                   fmt::format("{} at module scope", isa::name(isa::Names::kind, kind)));
        return next;
      }
      statements_seen_ = true;
      return check_executable_layout(at);
  }
}

/// Checks the formals and the extent of an executable (PRM 18.5.1.5). Returns the entry after it.
Offset Checker::check_executable_layout(Offset at) {
  const auto& entry = module_.code_as<hsa_brig_directive_executable_t>(at);
  executables_.push_back(at);
  scopes_.push_back({at, 0, false, at, 0});
  const auto scope = static_cast<uint32_t>(scopes_.size() - 1);
  const unsigned count = unsigned{entry.out_arg_count} + entry.in_arg_count;
  const bool is_open = module_.is_definition(at) && entry.base.kind != HSA_BRIG_KIND_DIRECTIVE_SIGNATURE;
  Offset formal = module_.next_code(at);
  Offset first_in_arg = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (formal >= module_.code_end() || module_.code_kind(formal) != HSA_BRIG_KIND_DIRECTIVE_VARIABLE) {
      code_error(at, "BRIG-18.5.1.5-formals",
                 fmt::format("{} formal arguments do not follow the executable", count));
      return module_.next_code(at);
    }
    if (i == entry.out_arg_count) first_in_arg = formal;
    check_formal(at, formal, i < entry.out_arg_count, i + 1 == count);
    set_scope(formal, scope);
    formal = module_.next_code(formal);
  }
  const Offset body = formal;
  if (entry.in_arg_count == 0) first_in_arg = entry.first_code_block_entry;
  if (entry.first_in_arg != first_in_arg) {
    code_error(at, "BRIG-18.5.1.5-first-in-arg",
               fmt::format("first_in_arg is 0x{:x}, should be 0x{:x}", entry.first_in_arg, first_in_arg));
  }
  const Offset next = entry.next_module_entry;
  if (next < body || (next != module_.code_end() && !is_code(next))) {
    code_error(at, "BRIG-18.5.1.5-next-module-entry", fmt::format("next_module_entry is 0x{:x}", next));
    return body;
  }
  if (entry.first_code_block_entry != body || (!is_open && next != body)) {
    code_error(at, "BRIG-18.5.1.5-first-code-block-entry",
               fmt::format(
                   "first_code_block_entry is 0x{:x} and next_module_entry 0x{:x}; the formals end at 0x{:x}",
                   entry.first_code_block_entry, next, body));
    return next > at ? next : body;
  }
  check_code_block(at);
  return next;
}

void Checker::check_formal(Offset executable, Offset formal, bool is_output, bool is_last) {
  const auto& entry = module_.code_as<hsa_brig_directive_variable_t>(formal);
  const unsigned kind = module_.code_kind(executable);
  const bool is_signature = kind == HSA_BRIG_KIND_DIRECTIVE_SIGNATURE;
  const unsigned segment =
      kind == HSA_BRIG_KIND_DIRECTIVE_KERNEL ? HSA_BRIG_SEGMENT_KERNARG : HSA_BRIG_SEGMENT_ARG;
  if (entry.segment != segment) {
    code_error(formal, "HSAIL-10.2-formal",
               fmt::format("formal arguments of {} are in segment {}", isa::name(isa::Names::kind, kind),
                           isa::name(isa::Names::segment, segment)));
  }
  const std::string_view name = module_.name(formal);
  if (name.empty() ? !is_signature : name[0] != '%') {
    code_error(formal, "HSAIL-4.6.2-name-scope",
               "names of formal arguments begin with %; only signatures may leave them out");
  }
  // The formals of a definition are variables of the function; those of declarations and signatures only
  // describe its interface and have no linkage (PRM 4.12). BRIG 1.0 tools gave all of them function linkage.
  const bool describes = is_signature || !module_.is_definition(executable);
  const bool good_linkage =
      entry.linkage == HSA_BRIG_LINKAGE_FUNCTION || (describes && entry.linkage == HSA_BRIG_LINKAGE_NONE);
  if (!good_linkage) {
    code_error(formal, "BRIG-18.5.1.14-linkage",
               fmt::format("linkage {} of a formal argument", entry.linkage));
  }
  if (isa::is_array(entry.type) && u64(entry.dim) == 0 &&
      (is_output || !is_last || kind == HSA_BRIG_KIND_DIRECTIVE_KERNEL)) {
    code_error(formal, "BRIG-10.4-variadic",
               "only the last input argument of a function may be an array without size");
  }
}

void Checker::check_code_block(Offset executable) {
  const auto& entry = module_.code_as<hsa_brig_directive_executable_t>(executable);
  const auto outer = static_cast<uint32_t>(scopes_.size() - 1);
  unsigned stage = stage_controls;
  uint32_t scope = outer;
  unsigned outer_stage = stage;
  for (Offset at = entry.first_code_block_entry; at != entry.next_module_entry; at = module_.next_code(at)) {
    switch (module_.code_kind(at)) {
      case HSA_BRIG_KIND_DIRECTIVE_ARG_BLOCK_START:
        if (scope != outer) {
          code_error(at, "BRIG-4.3.6-nested", "an arg block inside an arg block");
          return;
        }
        outer_stage = stage_statements;
        stage = stage_definitions;
        scopes_.push_back({executable, outer, true, at, 0});
        scope = static_cast<uint32_t>(scopes_.size() - 1);
        set_scope(at, scope);
        continue;
      case HSA_BRIG_KIND_DIRECTIVE_ARG_BLOCK_END:
        if (scope == outer) {
          code_error(at, "BRIG-4.3.6-end", "the end of an arg block without its start");
          return;
        }
        if (scopes_[scope].call == 0) {
          code_error(scopes_[scope].begin, "HSAIL-10.2-arg-block",
                     "an arg block has exactly one call; this one has none");
        }
        set_scope(at, scope);
        scope = outer;
        stage = outer_stage;
        continue;
      default:
        set_scope(at, scope);
        check_code_block_entry(at, scope, stage);
    }
  }
  if (scope != outer) code_error(scopes_[scope].begin, "BRIG-4.3.6-open", "the arg block has no end");
}

void Checker::check_code_block_entry(Offset at, uint32_t scope, unsigned& stage) {
  const unsigned kind = module_.code_kind(at);
  if (is_annotation(kind)) return;
  const Scope& block = scopes_[scope];
  const Stage here = stage_of(kind);
  if (here < stage) {
    code_error(at, "HSAIL-4.3.5-order",
               fmt::format("{} after {}", isa::name(isa::Names::kind, kind),
                           stage == stage_definitions ? "definitions" : "statements"));
  }
  stage = std::max<unsigned>(stage, here);
  switch (kind) {
    case HSA_BRIG_KIND_DIRECTIVE_CONTROL:
    case HSA_BRIG_KIND_DIRECTIVE_LABEL:
      return;
    case HSA_BRIG_KIND_DIRECTIVE_VARIABLE:
      return check_local_variable(at, block);
    case HSA_BRIG_KIND_DIRECTIVE_FBARRIER: {
      const auto& fbarrier = module_.code_as<hsa_brig_directive_fbarrier_t>(at);
      if (block.is_arg_block) code_error(at, "BRIG-4.3.6-fbarrier", "an fbarrier in an arg block");
      if (fbarrier.linkage != HSA_BRIG_LINKAGE_FUNCTION || !module_.is_definition(at)) {
        code_error(at, "BRIG-18.5.1.8-linkage",
                   "fbarriers of code blocks are definitions of function linkage");
      }
      if (!module_.name(at).starts_with('%'))
        code_error(at, "HSAIL-4.6.2-name-scope", "names of function and argument scope begin with %");
      return;
    }
    default:
      break;
  }
  if (!module_.is_instruction(at)) {
    code_error(at, "BRIG-18.5-code-block",
               fmt::format("{} in a code block", isa::name(isa::Names::kind, kind)));
    return;
  }
  const unsigned opcode = module_.code_as<hsa_brig_inst_base_t>(at).opcode;
  if (isa::is_call(opcode)) {
    if (!block.is_arg_block) {
      code_error(at, "HSAIL-10.2-call", "a call stands in an arg block: { ... call ...; }");
    } else if (block.call != 0) {
      code_error(at, "HSAIL-10.2-arg-block", "an arg block has exactly one call; this is the second");
    } else {
      scopes_[scope].call = at;
    }
  } else if (block.is_arg_block &&
             (opcode == HSA_BRIG_OPCODE_RET || isa::memory_effect(opcode) == isa::MemoryEffect::stack)) {
    code_error(at, "HSAIL-10.2-arg-block", "ret and alloca cannot stand in an arg block");
  }
}

void Checker::check_local_variable(Offset at, const Scope& scope) {
  const auto& entry = module_.code_as<hsa_brig_directive_variable_t>(at);
  const bool is_arg = entry.segment == HSA_BRIG_SEGMENT_ARG;
  if (is_arg != scope.is_arg_block || entry.segment == HSA_BRIG_SEGMENT_KERNARG) {
    code_error(
        at, "BRIG-4.6.2-segment",
        fmt::format("a variable of segment {} in {} block", isa::name(isa::Names::segment, entry.segment),
                    scope.is_arg_block ? "an arg" : "a code"));
  }
  if (entry.linkage != (is_arg ? HSA_BRIG_LINKAGE_ARG : HSA_BRIG_LINKAGE_FUNCTION) ||
      !module_.is_definition(at)) {
    code_error(
        at, "BRIG-18.5.1.14-linkage",
        "variables of code blocks are definitions of function linkage, those of arg blocks of arg linkage");
  }
  if (!module_.name(at).starts_with('%'))
    code_error(at, "HSAIL-4.6.2-name-scope", "names of function and argument scope begin with %");
  if (isa::is_array(entry.type) && u64(entry.dim) == 0) {
    code_error(at, "HSAIL-4.3.8-array-size", "the definition of an array needs a size");
  }
}

}  // namespace heddle::brig
