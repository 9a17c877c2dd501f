// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/print/print.h"

#include <charconv>

#include <hsa/hsa_brig_directives.h>
#include <hsa/hsa_brig_modifiers.h>

#include "hsail/brig/event_trigger.h"
#include "hsail/isa/names.h"
#include "hsail/print/printer.h"

namespace heddle::print {

// ---- text ----

void Printer::put_number(uint64_t value) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out_.append(digits, end);
}

void Printer::put_signed(int64_t value) {
  if (value < 0) put('-');
  put_number(value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value));
}

void Printer::put_hex(uint64_t value, unsigned digits) {
  for (unsigned i = digits; i-- > 0;) put("0123456789abcdef"[value >> (4 * i) & 15]);
}

void Printer::put_string(std::string_view text) {
  put('"');
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      put('\\');
      put(c);
    } else if (c == '\n') {
      put("\\n");
    } else if (c == '\t') {
      put("\\t");
    } else if (byte >= 0x20 && byte < 0x7f) {
      put(c);
    } else {  // always three digits, because the next character may be a digit too
      put('\\');
      for (unsigned shift = 9; shift > 0;) put(static_cast<char>('0' + (byte >> (shift -= 3) & 7)));
    }
  }
  put('"');
}

void Printer::put_note(std::string_view text) {
  if (!note_.empty()) note_ += ", ";
  note_ += text;
}

// ---- lines ----

void Printer::print_module() {
  out_.reserve(module_.code().size() * 3);
  for (Offset at = module_.code_begin(); at != module_.code_end();) {
    print_line(at);
    if (module_.is_executable(at)) {
      print_code_block(at);
      at = module_.code_as<hsa_brig_directive_executable_t>(at).next_module_entry;
    } else {
      at = module_.next_code(at);
    }
  }
}

/// Prints an entry on a line of its own; for an executable without its code block.
void Printer::print_line(Offset at) {
  switch (module_.code_kind(at)) {
    case HSA_BRIG_KIND_DIRECTIVE_ARG_BLOCK_END:
      --depth_;
      break;
    case HSA_BRIG_KIND_DIRECTIVE_LABEL: {  // indented one level less
      if (depth_ > 0) out_.append(size_t{depth_ - 1} * options_.indent, ' ');
      print_entry(at);
      return end_line(at);
    }
    default:
      break;
  }
  start_line();
  print_entry(at);
  if (module_.code_kind(at) == HSA_BRIG_KIND_DIRECTIVE_ARG_BLOCK_START) ++depth_;
  end_line(at);
}

void Printer::end_line(Offset at) {
  if (options_.offsets) {
    char digits[8];
    const auto end = std::to_chars(digits, digits + sizeof digits, at, 16).ptr;
    put_note(std::string("0x").append(digits, end));
  }
  // A comment directive is printed as a comment to the end of the line, so no note can follow.
  if (!note_.empty() && module_.code_kind(at) != HSA_BRIG_KIND_DIRECTIVE_COMMENT) {
    put("  // ");
    put(note_);
  }
  note_.clear();
  put('\n');
}

void Printer::print_code_block(Offset executable) {
  if (!module_.is_definition(executable) ||
      module_.code_kind(executable) == HSA_BRIG_KIND_DIRECTIVE_SIGNATURE)
    return;
  put("{\n");
  ++depth_;
  module_.for_each_in_code_block(executable, [&](Offset at) { print_line(at); });
  --depth_;
  put("};\n");
}

void Printer::print_entry(Offset at) {
  if (module_.is_instruction(at)) {
    print_instruction(at);
  } else {
    print_directive(at);
  }
}

// ---- directives ----

void Printer::print_directive(Offset at) {
  switch (module_.code_kind(at)) {
    case HSA_BRIG_KIND_DIRECTIVE_ARG_BLOCK_START:
      return put('{');
    case HSA_BRIG_KIND_DIRECTIVE_ARG_BLOCK_END:
      return put('}');
    case HSA_BRIG_KIND_DIRECTIVE_COMMENT:
      return print_comment(at);
    case HSA_BRIG_KIND_DIRECTIVE_CONTROL:
      return print_control(at);
    case HSA_BRIG_KIND_DIRECTIVE_EXTENSION:
    case HSA_BRIG_KIND_DIRECTIVE_EXTENSION_VERSION:
      return print_extension(at);
    case HSA_BRIG_KIND_DIRECTIVE_FBARRIER:
      return print_fbarrier(at);
    case HSA_BRIG_KIND_DIRECTIVE_FUNCTION:
    case HSA_BRIG_KIND_DIRECTIVE_INDIRECT_FUNCTION:
    case HSA_BRIG_KIND_DIRECTIVE_KERNEL:
    case HSA_BRIG_KIND_DIRECTIVE_SIGNATURE:
      return print_executable(at);
    case HSA_BRIG_KIND_DIRECTIVE_LABEL:
      put(module_.name(at));
      return put(':');
    case HSA_BRIG_KIND_DIRECTIVE_LOC:
      return print_loc(at);
    case HSA_BRIG_KIND_DIRECTIVE_MODULE:
      return print_header(at);
    case HSA_BRIG_KIND_DIRECTIVE_PRAGMA:
      return print_pragma(at);
    case HSA_BRIG_KIND_DIRECTIVE_VARIABLE:
      print_variable(at, false);
      return put(';');
    default: {  // HSA_BRIG_KIND_NONE
      put("pad");
      const unsigned words = module_.code_entry(at).byte_count / 4u - 1;
      if (words != 0) {
        put(' ');
        put_number(words);
      }
      put(';');
    }
  }
}

void Printer::print_header(Offset at) {
  const auto& entry = module_.code_as<hsa_brig_directive_module_t>(at);
  put("module ");
  put(module_.name(at));
  put(':');
  put_number(entry.hsail_major);
  put(':');
  put_number(entry.hsail_minor);
  is_1_0_ = entry.hsail_minor == 0;
  put(":$");
  put(isa::name(isa::Names::profile, entry.profile));
  put(":$");
  put(isa::name(isa::Names::machine_model, entry.machine_model));
  // A module header has other words for the rounding modes than instructions have.
  const bool is_near = entry.default_float_round == HSA_BRIG_ROUND_FLOAT_NEAR_EVEN;
  const bool is_zero = entry.default_float_round == HSA_BRIG_ROUND_FLOAT_ZERO;
  put(is_near ? ":$near;" : is_zero ? ":$zero;" : ":$default;");
}

void Printer::print_linkage(bool is_definition, unsigned linkage) {
  if (!is_definition) put("decl ");
  if (linkage == HSA_BRIG_LINKAGE_PROGRAM) put("prog ");
}

void Printer::print_executable(Offset at) {
  const auto& entry = module_.code_as<hsa_brig_directive_executable_t>(at);
  const bool is_definition = module_.is_definition(at);
  print_linkage(is_definition, entry.linkage);
  bool has_body = is_definition;
  switch (entry.base.kind) {
    case HSA_BRIG_KIND_DIRECTIVE_KERNEL:
      put("kernel ");
      break;
    case HSA_BRIG_KIND_DIRECTIVE_INDIRECT_FUNCTION:
      put("indirect function ");
      break;
    case HSA_BRIG_KIND_DIRECTIVE_FUNCTION:
      put("function ");
      break;
    default:
      put("signature ");
      has_body = false;
  }
  put(module_.name(at));
  if (entry.base.kind != HSA_BRIG_KIND_DIRECTIVE_KERNEL) print_formals(at, true);
  print_formals(at, false);
  if (!has_body) put(';');
}

void Printer::print_formals(Offset executable, bool outputs) {
  put('(');
  bool first = true;
  module_.for_each_formal(executable, [&](Offset formal, bool is_output) {
    if (is_output != outputs) return;
    if (!first) put(", ");
    first = false;
    print_variable(formal, true);
  });
  put(')');
}

void Printer::print_variable(Offset at, bool is_formal) {
  const auto& entry = module_.code_as<hsa_brig_directive_variable_t>(at);
  const isa::Type element = isa::array_element(entry.type);
  if (!is_formal) print_linkage(module_.is_definition(at), entry.linkage);
  if (entry.segment == HSA_BRIG_SEGMENT_GLOBAL && entry.allocation == HSA_BRIG_ALLOCATION_AGENT)
    put("alloc(agent) ");
  if (const unsigned align = 1u << (entry.align - 1); align != isa::natural_alignment(element)) {
    put("align(");
    put_number(align);
    put(") ");
  }
  if ((entry.modifier & HSA_BRIG_VARIABLE_MODIFIER_CONST) != 0) put("const ");
  put(isa::name(isa::Names::segment, entry.segment));
  put('_');
  put(isa::name(isa::Names::type, element));
  if (const std::string_view name = module_.name(at); !name.empty()) {
    put(' ');
    put(name);
  }
  if (isa::is_array(entry.type)) {
    put('[');
    if (const uint64_t dim = brig::u64(entry.dim); dim != 0) put_number(dim);
    put(']');
  }
  if (entry.init != 0) {
    put(" = ");
    print_initializer(entry.init, entry.type);
  }
}

void Printer::print_fbarrier(Offset at) {
  print_linkage(module_.is_definition(at), module_.code_as<hsa_brig_directive_fbarrier_t>(at).linkage);
  put("fbarrier ");
  put(module_.name(at));
  put(';');
}

void Printer::print_loc(Offset at) {
  const auto& entry = module_.code_as<hsa_brig_directive_loc_t>(at);
  put("loc ");
  put_number(entry.line);
  put(' ');
  put_number(entry.column);
  if (const std::string_view file = module_.string(entry.filename); file != file_) {
    put(' ');
    put_string(file);
    file_ = file;
  }
  put(';');
}

/// Comments in BRIG include their comment marks (PRM 18.5.1.3). A block comment is printed as one line
/// comment, with spaces instead of line ends, because the assembler would not keep a block comment either.
void Printer::print_comment(Offset at) {
  std::string_view text = module_.string(module_.code_as<hsa_brig_directive_comment_t>(at).name);
  if (text.size() >= 4 && text.starts_with("/*") && text.ends_with("*/"))
    text = text.substr(2, text.size() - 4);
  if (!text.starts_with("//")) put("//");
  const size_t start = out_.size();
  put(text);
  for (size_t i = start; i < out_.size(); ++i) {
    if (out_[i] == '\n' || out_[i] == '\r') out_[i] = ' ';
  }
}

void Printer::print_control(Offset at) {
  const auto& entry = module_.code_as<hsa_brig_directive_control_t>(at);
  put(isa::name(isa::Names::control_directive, entry.control));
  const char* separator = " ";
  for (const Offset operand : module_.offsets(entry.operands)) {
    put(separator);
    separator = ", ";
    if (brig::is_wavesize(module_, operand)) {
      put("WAVESIZE");
    } else {
      put_number(brig::integer_value(module_, operand));
    }
  }
  put(';');
}

void Printer::print_pragma(Offset at) {
  put("pragma");
  const char* separator = " ";
  for (const Offset operand : module_.offsets(module_.code_as<hsa_brig_directive_pragma_t>(at).operands)) {
    put(separator);
    separator = ", ";
    switch (brig::operand_kind(module_, operand)) {
      case HSA_BRIG_KIND_OPERAND_STRING: {
        const auto text = module_.string(module_.operand_as<hsa_brig_operand_string_t>(operand).string);
        if (brig::is_event_placeholder_identifier(text))
          put(text);
        else
          put_string(text);
        break;
      }
      case HSA_BRIG_KIND_OPERAND_CODE_REF:
        put(module_.name(brig::code_ref(module_, operand)));
        break;
      case HSA_BRIG_KIND_OPERAND_REGISTER:
        print_register(operand);
        break;
      case HSA_BRIG_KIND_OPERAND_WAVESIZE:
        put("WAVESIZE");
        break;
      default:
        print_constant(operand, {Context::pragma});
    }
  }
  put(';');
}

void Printer::print_extension(Offset at) {
  put("extension ");
  put_string(module_.name(at));
  if (module_.code_kind(at) == HSA_BRIG_KIND_DIRECTIVE_EXTENSION_VERSION) {
    const auto& entry = module_.code_as<hsa_brig_directive_extension_version_t>(at);
    put(':');
    put_number(entry.extension_major);
    put(':');
    put_number(entry.extension_minor);
  }
  put(';');
}

std::string disassemble(const brig::Module& module, const PrintOptions& options) {
  Printer printer(module, options);
  printer.print_module();
  return printer.take();
}

std::string disassemble_entry(const brig::Module& module, brig::Offset entry, const PrintOptions& options) {
  Printer printer(module, options);
  printer.print_entry(entry);
  return printer.take();
}

}  // namespace heddle::print
