// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emit/module_emitter.h"

#include <fmt/format.h>

#include "compiler/code/dead_code.h"
#include "compiler/code/fall_through.h"
#include "compiler/code/print.h"
#include "compiler/code/tidy_branches.h"
#include "compiler/debug/endings.h"
#include "compiler/emit/argument_variables.h"
#include "compiler/emit/function_emitter.h"
#include "compiler/emit/globals.h"
#include "compiler/emit/handlers.h"
#include "compiler/registers/allocate.h"

namespace heddle::compiler {

namespace {

bool is_written(const llvm::Function& function) {
  if (function.isIntrinsic()) return false;
  if (!function.isDeclaration()) return true;
  return !function.use_empty() && !function.getName().starts_with(hsail_prefix) &&
         !is_sampler_function(function);
}

// Everything before the code block, as declarations and definitions have it.
std::string head(const llvm::Function& function, ModuleContext& context) {
  std::string text = function.hasLocalLinkage() || function.hasLinkOnceLinkage() ? "" : "prog ";
  if (is_kernel(function)) {
    text += "kernel ";
  } else {
    text += function.hasAddressTaken() ? "indirect function " : "function ";
  }
  return text + context.name(function).str() + formals(function, context);
}

void refer_to(ModuleContext& context, const llvm::Function& function) {
  const llvm::DISubprogram* subprogram = function.getSubprogram();
  if (!context.options.source_variables || subprogram == nullptr) return;
  context.entities.add_reference(fmt::format(
      "\"Subprogram\", {}, {}", context.entities.subprogram(*subprogram), context.name(function).str()));
}

void emit_function(ModuleContext& context, const llvm::Function& function, std::string& text) {
  Code code = FunctionEmitter(context, function).run();
  if (context.diagnostics.has_errors()) return;
  remove_dead_code(code);
  end_undefined_variables(code);
  mark_branch_conditions(code);
  allocate_registers(code, context.text, {context.options.c_registers, context.options.register_words});
  tidy_branches(code);
  fall_through(code, context.text);
  end_overwritten_variables(code);
  // The line of the function before would go on otherwise, also for the function itself (PRM 13.4.2.2.4.1).
  if (context.options.source_variables) text += "pragma \"hsa.tools.debug.ref\", \"SourceLine\", 0;\n";
  text += head(function, context) + "\n";
  print(code, text);
  refer_to(context, function);
}

// Casts from private memory to constant memory, see prepare/kernel_arguments.h.
bool has_private_constants(const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    for (const llvm::BasicBlock& block : function) {
      for (const llvm::Instruction& instruction : block) {
        const auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastInst>(&instruction);
        if (cast != nullptr && cast->getSrcAddressSpace() == 5 && cast->getDestAddressSpace() == 4)
          return true;
      }
    }
  }
  return false;
}

}  // namespace

std::string emit_module(ModuleContext& context) {
  const std::string module_name = context.reserve_names();
  context.constant_is_flat = has_private_constants(context.module);
  std::string declarations;
  for (const llvm::Function& function : context.module) {
    // Values of variables, which come first, may be addresses of kernels, too.
    if (is_written(function) && (!is_kernel(function) || function.hasAddressTaken()))
      declarations += "decl " + head(function, context) + ";\n";
  }
  std::string body;
  emit_globals(context, body);
  for (const llvm::Function& function : context.module) {
    if (!function.isDeclaration()) emit_function(context, function, body);
  }
  std::string text = fmt::format("module &{}:1:2:$full:$large:$near;\n", module_name);
  if (context.uses_images) text += "extension \"IMAGE\";\n";
  return text + context.entities.text() + declarations + context.signatures + context.samplers + body +
         context.entities.references();
}

}  // namespace heddle::compiler
