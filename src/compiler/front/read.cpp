// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/front/read.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/front/clang.h"

namespace heddle::compiler {
namespace {

using ModulePointer = std::unique_ptr<llvm::Module>;

void report(const llvm::SMDiagnostic& diagnostic, const std::string& name, const Messages& messages) {
  Message message{Severity::error, name, 0, 0, diagnostic.getMessage().str(), {}};
  if (diagnostic.getLineNo() > 0) message.line = static_cast<uint32_t>(diagnostic.getLineNo());
  if (diagnostic.getColumnNo() >= 0) message.column = static_cast<uint32_t>(diagnostic.getColumnNo()) + 1;
  llvm::raw_string_ostream stream(message.display);
  diagnostic.print(nullptr, stream, messages.colour());
  messages.pass(message);
}

/// Reports that a module is for another machine.
bool has_right_target(const llvm::Module& module, const std::string& name, const Messages& messages) {
  const llvm::Triple& triple = module.getTargetTriple();
  if (!triple.empty() && triple.getArch() != llvm::Triple::amdgcn) {
    messages.error("the module is for " + triple.str() + "; the compiler takes IR for " + target_triple +
                       ", with HSAIL's sizes of pointers",
                   {name});
    return false;
  }
  const llvm::DataLayout wanted(llvm::Triple(target_triple).computeDataLayout());
  if (module.getDataLayoutStr().empty() || module.getDataLayout() == wanted) return true;
  messages.error("the module has another data layout than that of " + std::string(target_triple), {name});
  return false;
}

/// Gives the module the compiler's own target, so that modules can be linked and inlined into each other.
void unify_target(llvm::Module& module) {
  const llvm::Triple triple(target_triple);
  module.setTargetTriple(triple);
  module.setDataLayout(triple.computeDataLayout());
  for (llvm::Function& function : module)
    for (const char* attribute : {"target-cpu", "target-features", "tune-cpu"})
      function.removeFnAttr(attribute);
}

/// How deep brackets may nest. LLVM calls itself for each level, and must not exhaust a stack of 256 KiB.
constexpr unsigned deepest_nesting = 256;

/// Reports whether brackets outside of strings and comments nest too deeply.
bool nests_too_deeply(llvm::StringRef text) {
  unsigned depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' || text[i] == ';') {
      i = text.find(text[i] == '"' ? '"' : '\n', i + 1);
      if (i == text.npos) return false;
    } else if (llvm::StringRef("([{<").contains(text[i])) {
      if (++depth > deepest_nesting) return true;
    } else if (llvm::StringRef(")]}>").contains(text[i]) && depth != 0) {
      --depth;
    }
  }
  return false;
}

/// Returns what is wrong with bytes that are not bitcode and that LLVM's parser had better not see; "" if
/// nothing.
std::string_view wrong_text(llvm::MemoryBufferRef bytes) {
  const llvm::StringRef text = bytes.getBuffer();
  if (llvm::isBitcode(text.bytes_begin(), text.bytes_end())) return {};
  if (text.contains('\0')) return "this is neither bitcode of LLVM nor text";
  return nests_too_deeply(text) ? "brackets nest too deeply" : "";
}

Outcome<ModulePointer> parse(llvm::MemoryBufferRef bytes, const std::string& name, llvm::LLVMContext& context,
                             const Messages& messages) {
  if (const std::string_view wrong = wrong_text(bytes); !wrong.empty()) {
    messages.error(std::string(wrong), {name});
    return Failure::failed;
  }
  llvm::SMDiagnostic diagnostic;
  ModulePointer module = llvm::parseIR(bytes, diagnostic, context);
  if (!module) {
    report(diagnostic, name, messages);
    return Failure::failed;
  }
  std::string wrong;
  llvm::raw_string_ostream stream(wrong);
  if (llvm::verifyModule(*module, &stream)) {
    messages.error("the module is malformed: " + llvm::StringRef(wrong).trim().split('\n').first.str(),
                   {name});
    return Failure::failed;
  }
  if (!has_right_target(*module, name, messages)) return Failure::failed;
  unify_target(*module);
  return module;
}

Outcome<ModulePointer> read_ir(const Source& source, llvm::LLVMContext& context, const Messages& messages) {
  if (source.text)
    return parse({llvm::StringRef(source.text->data(), source.text->size()), source.name}, source.name,
                 context, messages);
  auto file = llvm::MemoryBuffer::getFile(source.name);
  if (!file) {
    messages.error("the file cannot be read: " + file.getError().message(), {source.name});
    return Failure::failed;
  }
  return parse((*file)->getMemBufferRef(), source.name, context, messages);
}

/// Reports that another version of clang wrote the bitcode than the one whose IR this library knows.
bool is_of_this_llvm(llvm::MemoryBufferRef bitcode, const Messages& messages) {
  auto producer = llvm::getBitcodeProducerString(bitcode);
  const std::string found = producer ? *producer : llvm::toString(producer.takeError());
  const std::string wanted = "LLVM" + std::to_string(LLVM_VERSION_MAJOR) + ".";
  if (found.starts_with(wanted)) return true;
  messages.error("the program that HEDDLE_CLANG or PATH names is not clang " +
                 std::to_string(LLVM_VERSION_MAJOR) +
                 (producer ? ": it wrote bitcode of " + found
                           : ", or an option changes what it does: it wrote no bitcode"));
  return false;
}

Outcome<ModulePointer> compile_source(const Source& source, const Options& options,
                                      llvm::LLVMContext& context, const Messages& messages) {
  auto bitcode = run_clang(source, options, messages);
  if (!bitcode) return bitcode.error();
  const llvm::MemoryBufferRef bytes(*bitcode, source.name);
  if (!is_of_this_llvm(bytes, messages)) return Failure::not_installed;
  return parse(bytes, source.name, context, messages);
}

/// Returns where a function or variable is defined, as far as debug information tells; else the file that
/// `module` names.
Place place_of(const llvm::GlobalValue& value) {
  if (const auto* const function = llvm::dyn_cast<llvm::Function>(&value))
    if (const llvm::DISubprogram* const subprogram = function->getSubprogram())
      return {subprogram->getFilename().str(), subprogram->getLine(), 0};
  return {value.getParent()->getSourceFileName()};
}

/// Reports names that both modules define. LLVM's linker would say the name only.
bool defines_twice(const llvm::Module& all, const llvm::Module& added, const Messages& messages) {
  bool twice = false;
  for (const llvm::GlobalValue& value : added.global_values()) {
    const llvm::GlobalValue* const known =
        value.hasLocalLinkage() ? nullptr : all.getNamedValue(value.getName());
    if (known == nullptr || !known->isStrongDefinitionForLinker() || !value.isStrongDefinitionForLinker())
      continue;
    // clang divides a kernel of OpenCL C into two functions.
    if (value.getName().starts_with("__clang_ocl_kern_imp_") || known->hasLocalLinkage() ||
        value.hasAppendingLinkage())
      continue;
    const std::string name = llvm::demangle(value.getName().str());
    messages.error("'" + name + "' is defined twice", place_of(value));
    messages.note("the other definition of '" + name + "'", place_of(*known));
    twice = true;
  }
  return twice;
}

/// Adds a module to the others. `all` may be null.
bool add(ModulePointer& all, ModulePointer added, const Messages& messages) {
  if (!all) {
    all = std::move(added);
    return true;
  }
  return !defines_twice(*all, *added, messages) && !llvm::Linker::linkModules(*all, std::move(added));
}

}  // namespace

Outcome<ModulePointer> read_sources(const std::vector<Source>& sources, const Options& options,
                                    llvm::LLVMContext& context, const Messages& messages) {
  ModulePointer all;
  bool good = true;
  for (const Source& source : sources) {
    // Each source is compiled although one before it is wrong, so that one call reports the mistakes of all.
    auto module = source.language == Language::ir ? read_ir(source, context, messages)
                                                  : compile_source(source, options, context, messages);
    if (!module && module.error() != Failure::failed) return module.error();
    good = good && module && add(all, std::move(*module), messages);
  }
  if (!good) return Failure::failed;
  return all;
}

}  // namespace heddle::compiler
