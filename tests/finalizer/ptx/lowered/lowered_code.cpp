// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowered_code.h"

#include <fmt/format.h>

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>

#include "device_functions.h"
#include "host_rewrite.h"

namespace heddle::cuda::fake {
namespace {

std::string text_of(llvm::Error error) { return "fake: " + llvm::toString(std::move(error)); }

/// Defines the device functions for code of the JIT.
llvm::Error define_device_functions(llvm::orc::LLJIT& jit) {
  llvm::orc::SymbolMap symbols;
  for (const DeviceFunction& function : device_functions())
    symbols[jit.mangleAndIntern(device_prefix + function.name)] = {
        llvm::orc::ExecutorAddr::fromPtr(function.address), llvm::JITSymbolFlags::Exported};
  auto& library = jit.getMainJITDylib();
  if (auto error = library.define(llvm::orc::absoluteSymbols(std::move(symbols)))) return error;
  // What the host's back end calls by itself: memcpy, fma, conversions of f16 and the like.
  auto of_process =
      llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(jit.getDataLayout().getGlobalPrefix());
  if (!of_process) return of_process.takeError();
  library.addGenerator(std::move(*of_process));
  return llvm::Error::success();
}

class JitCode final : public LoweredCode {
 public:
  JitCode(std::unique_ptr<llvm::orc::LLJIT> jit, uint32_t static_shared_size)
      : jit_(std::move(jit)), static_shared_size_(static_shared_size) {}

  Entry entry(const std::string& name) const override { return find<Entry>(name); }
  uint64_t* words(const char* name) const override { return find<uint64_t*>(name); }
  uint32_t static_shared_size() const override { return static_shared_size_; }

 private:
  template <typename Pointer>
  Pointer find(const std::string& name) const {
    auto found = jit_->lookup(name);
    if (found) return found->template toPtr<Pointer>();
    llvm::consumeError(found.takeError());
    return nullptr;
  }

  std::unique_ptr<llvm::orc::LLJIT> jit_;
  uint32_t static_shared_size_;
};

}  // namespace

Result<std::unique_ptr<LoweredCode>, Error> LoweredCode::compile(std::string_view ir) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto context = std::make_unique<llvm::LLVMContext>();
  llvm::SMDiagnostic diagnostic;
  const auto text = llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(ir.data(), ir.size()));
  auto module = llvm::parseIR(text->getMemBufferRef(), diagnostic, *context);
  if (!module) return Error{"fake: " + diagnostic.getMessage().str()};
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit) return Error{text_of(jit.takeError())};
  auto shared = rewrite_for_host(*module);
  if (!shared) return shared.error();
  module->setTargetTriple((*jit)->getTargetTriple());
  module->setDataLayout((*jit)->getDataLayout());
  if (auto error = define_device_functions(**jit)) return Error{text_of(std::move(error))};
  if (auto error = (*jit)->addIRModule({std::move(module), std::move(context)}))
    return Error{text_of(std::move(error))};
  return std::unique_ptr<LoweredCode>(std::make_unique<JitCode>(std::move(*jit), *shared));
}

}  // namespace heddle::cuda::fake
