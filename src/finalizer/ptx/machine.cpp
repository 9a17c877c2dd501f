// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/machine.h"

#include <cassert>

#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/raw_ostream.h>

#include "finalizer/ptx/back_end_passes.h"
#include "finalizer/ptx/kept_halves.h"
#include "finalizer/ptx/loaded_fields.h"
#include "finalizer/ptx/narrow_instructions.h"
#include "finalizer/ptx/narrow_stores.h"
#include "finalizer/ptx/packed_halves.h"
#include "finalizer/ptx/predecessor_waits.h"
#include "finalizer/ptx/selected_constants.h"

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();

extern const char heddle_devlib_nvptx64_begin[];
extern const char heddle_devlib_nvptx64_end[];
}

namespace heddle::finalizer::ptx {
namespace {

constexpr llvm::StringLiteral triple = "nvptx64-nvidia-cuda";

const llvm::Target& llvm_target() {
  static const llvm::Target* found = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    std::string error;
    return llvm::TargetRegistry::lookupTarget(llvm::Triple(triple), error);
  }();
  assert(found != nullptr && "LLVM is built with the NVPTX target");
  return *found;
}

TargetTraits make_traits() {
  TargetTraits traits;
  traits.triple = triple.str();
  traits.data_layout = llvm::Triple(triple).computeDataLayout();
  traits.address_spaces[HSA_BRIG_SEGMENT_GLOBAL] = global_space;
  traits.address_spaces[HSA_BRIG_SEGMENT_READONLY] = global_space;
  traits.address_spaces[HSA_BRIG_SEGMENT_GROUP] = shared_space;
  // The kernarg segment is a parameter, and LLVM 22 miscompiles variables of the address space for local
  // memory. It finds out by itself where generic pointers to both lead.
  traits.address_spaces[HSA_BRIG_SEGMENT_KERNARG] = generic_space;
  traits.group_alignment = 256;
  traits.private_alignment = 16;
  return traits;
}

/// Keeps the errors that the code generator tells its context of, which would otherwise end the process.
class ErrorCollector final : public llvm::DiagnosticHandler {
 public:
  explicit ErrorCollector(std::string& errors) : errors_(errors) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() != llvm::DS_Error) return true;
    llvm::raw_string_ostream out(errors_);
    llvm::DiagnosticPrinterRawOStream printer(out);
    info.print(printer);
    out << '\n';
    return true;
  }

 private:
  std::string& errors_;
};

}  // namespace

const TargetTraits& traits() {
  static const TargetTraits known = make_traits();
  return known;
}

std::unique_ptr<llvm::TargetMachine> create_machine(const Architecture& architecture, unsigned opt_level) {
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // HSAIL rounds each operation (PRM 16.2)
  const auto level = opt_level == 0 ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default;
  return std::unique_ptr<llvm::TargetMachine>(
      llvm_target().createTargetMachine(llvm::Triple(triple), architecture.cpu, architecture.language,
                                        options, std::nullopt, std::nullopt, level));
}

llvm::StringRef device_library() {
  return {heddle_devlib_nvptx64_begin,
          static_cast<size_t>(heddle_devlib_nvptx64_end - heddle_devlib_nvptx64_begin)};
}

/// The PTX with what ptxas does wrong put in another way. The stores come last, since the others look for
/// single instructions in lines.
static std::string for_ptxas(std::string_view ptx) {
  return with_explicit_low_bits(with_kept_halves_copied(with_loaded_fields_copied(
      with_wide_instructions(with_explicit_halves(with_constants_selected_as_floats(ptx))))));
}

Result<std::string> generate_text(llvm::Module& module, llvm::TargetMachine& machine,
                                  const Architecture& architecture) {
  llvm::LLVMContext& context = module.getContext();
  std::string errors;
  auto before = context.getDiagnosticHandler();
  context.setDiagnosticHandler(std::make_unique<ErrorCollector>(errors));
  llvm::SmallString<0> text;
  {
    llvm::raw_svector_ostream out(text);
    BackEndPasses passes;
    if (machine.addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile))
      errors = "it makes no assembly";
    else
      passes.run(module);
  }
  context.setDiagnosticHandler(std::move(before));
  if (!errors.empty()) return Error{"the code generator of PTX: " + errors};
  std::string ptx = for_ptxas(text.str());
  return architecture.begins_early ? with_waits_for_predecessors(ptx) : std::move(ptx);
}

}  // namespace heddle::finalizer::ptx
