// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emit/module_context.h"

#include <fmt/format.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/DebugInfoMetadata.h>

#include "compiler/emit/argument_variables.h"

namespace heddle::compiler {

std::string hsail_identifier(llvm::StringRef wanted) {
  std::string result;
  for (const char c : wanted) {
    const bool allowed = llvm::isAlnum(c) || c == '_' || c == '.';
    result += allowed ? std::string(1, c) : fmt::format("_{:02x}", static_cast<unsigned char>(c));
  }
  if (result.empty() || !(llvm::isAlpha(result[0]) || result[0] == '_')) result.insert(0, "_");
  return result;
}

std::string ModuleContext::unique_name(llvm::StringRef wanted) {
  const std::string base = hsail_identifier(wanted);
  std::string candidate = base;
  for (unsigned n = 1; !taken_.insert(candidate).second; ++n) candidate = fmt::format("{}.{}", base, n);
  return candidate;
}

llvm::StringRef ModuleContext::name(const llvm::GlobalValue& value) {
  llvm::StringRef& entry = names_[&value];
  if (!entry.empty()) return entry;
  const llvm::StringRef wanted = value.hasName() ? value.getName() : "unnamed";
  const std::string made = "&" + unique_name(wanted);
  return names_[&value] = text.keep(made);
}

std::string ModuleContext::reserve_names() {
  // Names that HSAIL can say stay, whatever the others become that are not identifiers there.
  for (const bool can_be_said : {true, false}) {
    for (const llvm::GlobalObject& object : module.global_objects()) {
      const bool is_visible = !object.hasLocalLinkage() && !object.getName().starts_with("llvm.");
      if (is_visible && (hsail_identifier(object.getName()) == object.getName()) == can_be_said) name(object);
    }
  }
  return unique_name(options.module_name);
}

llvm::StringRef ModuleContext::signature(const llvm::FunctionType& type) {
  const std::string formals = signature_formals(type, *this);
  llvm::StringRef& entry = signature_names_[formals];
  if (entry.empty()) {
    entry = text.keep("&" + unique_name(fmt::format("signature{}", signature_names_.size())));
    signatures += fmt::format("signature {}{};\n", entry.str(), formals);
  }
  return entry;
}

llvm::StringRef ModuleContext::sampler(const std::string& initializer) {
  uses_images = true;
  llvm::StringRef& entry = sampler_names_[initializer];
  if (entry.empty()) {
    entry = text.keep("&" + unique_name(fmt::format("sampler{}", sampler_names_.size())));
    samplers += fmt::format("readonly_samp {} = {};\n", entry.str(), initializer);
  }
  return entry;
}

void ModuleContext::unsupported(const llvm::Instruction& instruction, const std::string& what) {
  Location place;
  std::string file;
  if (const llvm::DILocation* location = instruction.getDebugLoc().get()) {
    place = Location::text(location->getLine(), std::max(location->getColumn(), 1U));
    file = location->getFilename().str();
  }
  const std::string function = instruction.getFunction()->getName().str();
  diagnostics.error("COMPILER-unsupported", place,
                    fmt::format("{} cannot be translated to HSAIL (function {}{}{})", what, function,
                                file.empty() ? "" : ", ", file));
}

void ModuleContext::unsupported(const llvm::GlobalValue& value, const std::string& what) {
  diagnostics.error("COMPILER-unsupported", {},
                    fmt::format("{} cannot be translated to HSAIL ({})", what, value.getName().str()));
}

}  // namespace heddle::compiler
